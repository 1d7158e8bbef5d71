"""Generators and classes by tessera, Numba and CPython, one source, one process: python bench/classes.py

Medians of interleaved rounds after the first call; each row's results are compared. CPython runs a hundredth of the work, times a hundred.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time

os.environ.setdefault("TESSERA_CACHE", tempfile.mkdtemp())
os.environ.setdefault("NUMBA_CACHE_DIR", tempfile.mkdtemp())

import numba
import numba.experimental
import numpy as np
import tessera.types

import tessera

ROUNDS = 7
MANY = 10**7


class Plain:
    """Both decorators as nothing."""

    @staticmethod
    def jit(function):
        return function

    @staticmethod
    def jitclass(spec):
        return lambda cls: cls


class Tessera:
    jit = staticmethod(tessera.jit)
    jitclass = staticmethod(tessera.jitclass)
    types = tessera.types


class Numba:
    jit = staticmethod(numba.njit)
    jitclass = staticmethod(numba.experimental.jitclass)
    types = numba


def programs(way):
    jit, jitclass = way.jit, way.jitclass
    kinds = getattr(way, "types", tessera.types)

    @jit
    def count(n):
        for i in range(n):  # noqa: UP028
            yield i

    @jit
    def halves(n):
        x = 1.0
        for i in range(n):
            x = x * 0.5 + i
            yield x

    @jit
    def inside(n):
        total = 0
        for i in count(n):
            total += i
        return total

    @jit
    def inside_floats(n):
        total = 0.0
        for x in halves(n):
            total += x
        return total

    @jit
    def asked(n):
        values = halves(n)
        total = 0.0
        for x in values:
            total += x
        return total

    @jitclass([("x", kinds.float64), ("steps", kinds.int64)])
    class Filter:
        def __init__(self, x):
            self.x = x
            self.steps = 0

        def step(self, d):
            self.x = self.x * 0.5 + d
            self.steps += 1
            return self.x

        def get(self):
            return self.x

    @jit
    def methods(made, n):
        total = 0.0
        for _ in range(n):
            total += made.step(1.0)
        return total

    @jit
    def objects(n):
        total = 0.0
        for i in range(n):
            total += Filter(float(i)).get()
        return total

    return count, halves, inside, inside_floats, asked, Filter, methods, objects


def timed(run):
    begin = time.perf_counter()
    result = run()
    return time.perf_counter() - begin, result


def rows(made, n):
    count, halves, inside, inside_floats, asked, Filter, methods, objects = made
    shared = Filter(1.0)
    calls = n // 10

    def called():
        for _ in range(calls):
            shared.step(1.0)
        return shared.x

    def read():
        for _ in range(calls):
            shared.x  # noqa: B018
        return shared.x

    def built():
        for _ in range(calls // 10):
            Filter(1.0)

    return {
        "10⁷ numbers of a generator, summed inside": lambda: inside(n),
        "10⁷ floats of a generator that computes, summed inside": lambda: inside_floats(n),
        "the same of a generator in a variable": lambda: asked(n),
        "10⁷ numbers of a generator, summed by Python's sum": lambda: sum(count(n)),
        "10⁷ floats of a generator, summed by Python's sum": lambda: sum(halves(n)),
        "10⁷ method calls inside": lambda: methods(Filter(1.0), n),
        "10⁶ objects made inside": lambda: objects(n // 10),
        "10⁶ method calls from Python": called,
        "10⁶ reads of a field from Python": read,
        "10⁵ objects made from Python": built,
    }


def main():
    ways = {"tessera": Tessera, "Numba": Numba, "CPython": Plain}
    made, first = {}, {}
    for name, way in ways.items():
        made[name] = rows(programs(way), MANY if way is not Plain else MANY // 100)
        warm = rows(programs(way), 100)
        first[name] = {row: timed(run)[0] for row, run in warm.items()}
    print("| program | tessera, ms | Numba, ms | ratio | CPython, ms | first call, ms | Numba's, ms |")
    print("|---|---|---|---|---|---|---|")
    for row in made["tessera"]:
        times = {name: [] for name in ways}
        results = {}
        for _ in range(ROUNDS):
            for name in ("tessera", "Numba"):
                elapsed, results[name] = timed(made[name][row])
                times[name].append(elapsed)
        times["CPython"].append(100 * timed(made["CPython"][row])[0])
        found, expected = results["tessera"], results["Numba"]
        assert found is None or np.allclose(found, expected) or "from Python" in row, (row, found, expected)
        ours, theirs, plain = (1e3 * statistics.median(times[name]) for name in ways)
        print(
            f"| {row} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f} | {plain:.0f} | {1e3 * first['tessera'][row]:.1f} | "
            f"{1e3 * first['Numba'][row]:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
