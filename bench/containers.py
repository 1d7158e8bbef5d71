#!/usr/bin/env python3
"""Dicts, sets and texts in compiled functions: tessera, Numba and CPython, each in a process of its own.

bench/containers.py [--numba PYTHON] [--runs 3]     PYTHON is an interpreter that has Numba
bench/containers.py --one tessera|numba|cpython     one of them: milliseconds by program, and those of first calls
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy

N = 1_000_000


def programs(njit, Dict, types):
    """The functions and their arguments by name, and small arguments for the first call."""

    @njit
    def insert(keys, values):
        d = Dict.empty(types.int64, types.float64)
        for i in range(keys.size):
            d[keys[i]] = values[i]
        return len(d)

    @njit
    def look_up(keys, values, asked):
        d = Dict.empty(types.int64, types.float64)
        for i in range(keys.size):
            d[keys[i]] = values[i]
        total = 0.0
        for _ in range(5):
            for k in asked:
                total += d[k]
        return total

    @njit
    def iterate(keys, values):
        d = Dict.empty(types.int64, types.float64)
        for i in range(keys.size):
            d[keys[i]] = values[i]
        total = 0.0
        for _ in range(20):
            for k, v in d.items():
                total += k * v
        return total

    @njit
    def words(text):
        d = Dict.empty(types.unicode_type, types.int64)
        for w in text.split():
            d[w] = d.get(w, 0) + 1
        return len(d)

    @njit
    def sets(x, y):
        a, b = set(x), set(y)
        return len(a | b), len(a & b), len(a - b), len(a ^ b)

    random = numpy.random.default_rng(0)
    keys, values, asked = random.permutation(N), random.random(N), random.permutation(N)
    text = " ".join(f"word{k}" for k in random.zipf(1.3, N) % 50_000)
    x, y = random.integers(0, 2 * N, N), random.integers(0, 2 * N, N)
    return {
        "insert": (insert, (keys, values), (keys[:9], values[:9])),
        "insert, look up five times": (look_up, (keys, values, asked), (keys[:9], values[:9], keys[:9])),
        "insert, iterate 20 times": (iterate, (keys, values), (keys[:9], values[:9])),
        "words of a text": (words, (text,), (text[:3000],)),
        "two sets, | & - ^": (sets, (x, y), (x[:9], y[:9])),
    }


def run_one(which):
    """Times the programs of one of the three; prints them as JSON."""
    if which == "tessera":
        from tessera.numba.typed import Dict

        from tessera import njit, types
    elif which == "numba":
        from numba import njit, types
        from numba.typed import Dict
    else:

        def njit(function):
            return function

        class types:
            int64 = float64 = unicode_type = None

        class Dict:
            @staticmethod
            def empty(key, value):
                return {}

    found = {}
    for name, (function, arguments, small) in programs(njit, Dict, types).items():
        begin = time.perf_counter()
        function(*small)
        first = time.perf_counter() - begin
        best = min(_timed(function, arguments) for _ in range(3))
        found[name] = (best * 1e3, first * 1e3)
    print(json.dumps(found))


def _timed(function, arguments):
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def main():
    """Runs all three in turn, and prints a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one")
    parser.add_argument("--numba", default=sys.executable)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    if given.one:
        return run_one(given.one)
    all_runs = {"tessera": [], "numba": [], "cpython": []}
    for _ in range(given.runs):
        for which, runs in all_runs.items():
            python = given.numba if which == "numba" else sys.executable
            command = [python, __file__, "--one", which]
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=True)
            runs.append(json.loads(done.stdout))
    print("| program | tessera ms | Numba | CPython | first call ms | Numba's |\n|---|---|---|---|---|---|")
    for name in all_runs["tessera"][0]:
        times = {which: statistics.median(run[name][0] for run in runs) for which, runs in all_runs.items()}
        first = {which: statistics.median(run[name][1] for run in runs) for which, runs in all_runs.items()}
        print(
            f"| {name} | {times['tessera']:.0f} | {times['numba'] / times['tessera']:.2f} × | "
            f"{times['cpython'] / times['tessera']:.1f} × | {first['tessera']:.0f} | {first['numba']:.0f} |"
        )


if __name__ == "__main__":
    main()
