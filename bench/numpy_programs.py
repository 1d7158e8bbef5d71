"""Programs with many small calls of NumPy in compiled functions, by tessera and by Numba: python bench/numpy_programs.py [--only REGEXP]

A Markov chain's simulation, an orbit by Runge-Kutta steps, dynamic time warping, peaks of a signal and a B-spline's values, written as packages write them. One
source, one process, one thread, medians of rounds that alternate between the two; results are compared.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import tempfile
import time
from typing import Any

os.environ.setdefault("TESSERA_CACHE", tempfile.mkdtemp())

import numba
import numpy as np

import tessera

ROUNDS = 7


def markov(p, first, steps, draws):
    """States of a chain: the rows of transition probabilities are summed, and searched for each draw."""
    states = np.empty(steps, np.int64)
    rows = np.empty(p.shape)
    for i in range(p.shape[0]):
        rows[i] = np.cumsum(p[i])
    state = first
    for t in range(steps):
        states[t] = state
        state = np.searchsorted(rows[state], draws[t], side="right")
    return np.bincount(states, minlength=p.shape[0])


def orbit(start, mass, step, count):
    """Position and velocity of a body around another, and its angular momentum on the way."""
    y = start.copy()
    momentum = np.empty(count)
    for t in range(count):
        k = np.zeros((4, 6))
        for stage in range(4):
            at = y + (0.0 if stage == 0 else (0.5 if stage < 3 else 1.0)) * step * k[stage - 1]
            r = np.linalg.norm(at[:3])
            k[stage] = np.concatenate((at[3:], -mass * at[:3] / r**3))
        y = y + step / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
        momentum[t] = np.linalg.norm(np.cross(y[:3], y[3:]))
    return np.append(momentum, y)


def warping(a, b):
    """The distance of two sequences of points."""
    cost = np.full((len(a) + 1, len(b) + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            distance = np.sqrt(np.sum((a[i - 1] - b[j - 1]) ** 2))
            cost[i, j] = distance + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[len(a), len(b)]


def peaks(x, wide):
    """Where maxima are, by height, and how far they stand out of what is around them."""
    rises = np.diff(x)
    tops = np.nonzero((rises[:-1] > 0) & (rises[1:] <= 0))[0] + 1
    order = np.argsort(x[tops])[::-1]
    stands_out = np.empty(len(tops))
    for k in range(len(order)):
        top = tops[order[k]]
        around = x[max(0, top - wide) : top + wide + 1]
        stands_out[k] = x[top] - max(np.min(around), np.median(around))
    return np.round(stands_out, 6)


def spline(knots, weights, degree, points):
    """De Boor's recursion at each point."""
    values = np.empty(len(points))
    for n in range(len(points)):
        x = points[n]
        k = np.searchsorted(knots, x, side="right") - 1
        k = min(max(k, degree), len(weights) - 1)
        d = weights[k - degree : k + 1].copy()
        for r in range(1, degree + 1):
            for j in range(degree, r - 1, -1):
                low = knots[j + k - degree]
                share = (x - low) / (knots[j + 1 + k - r] - low)
                d[j] = (1.0 - share) * d[j - 1] + share * d[j]
        values[n] = d[degree]
    return values


def arguments() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    rng = np.random.default_rng(5)
    p = rng.random((8, 8))
    knots = np.concatenate((np.zeros(3), np.linspace(0.0, 1.0, 30), np.ones(3)))
    signal = np.cumsum(rng.standard_normal(20_000))
    return {
        "markov": (markov, (p / p.sum(axis=1).reshape(-1, 1), 0, 100_000, rng.random(100_000))),
        "orbit": (orbit, (np.array([1.0, 0, 0, 0, 1.0, 0.2]), 1.0, 0.01, 5000)),
        "warping": (warping, (rng.random((300, 3)), rng.random((280, 3)))),
        "peaks": (peaks, (signal, 20)),
        "spline": (spline, (knots, rng.random(32), 3, rng.random(50_000))),
    }


def seconds(call: Any) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tessera.set_num_threads(1)
    ratios = []
    for name, (function, given) in arguments().items():
        if not re.search(options.only, name):
            continue
        own, peer = tessera.jit(function), numba.njit(function)
        first = [seconds(lambda run=run, given=given: run(*given)) for run in (own, peer)]
        np.testing.assert_allclose(own(*given), peer(*given), rtol=1e-9)
        times: list[list[float]] = [[], []]
        for _ in range(ROUNDS):
            for k, run in enumerate((own, peer)):
                times[k].append(seconds(lambda run=run, given=given: run(*given)))
        a, b = map(statistics.median, times)
        ratios.append(b / a)
        print(
            f"{name} | {a * 1e3:.2f} | {b * 1e3:.2f} | {b / a:.2f} | first {first[0] * 1e3:.0f} | {first[1] * 1e3:.0f}",
            flush=True,
        )
    print(f"geometric mean {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
