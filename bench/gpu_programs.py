"""Measures of whole programs on one GPU."""

from __future__ import annotations

import statistics
import time

import numpy
from gpu_measure import NumPy, seconds, warm_up
from programs import cavity as flow


def heat(library, n=16384):
    """5-point stencil, Gpoint/s: cuNumeric's example."""
    xp = library.xp
    grid = xp.zeros((n + 2, n + 2))
    grid[:, 0] = grid[:, -1] = grid[-1, :] = -273.15
    grid[0, :] = 40.0
    center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
    east, west = grid[1:-1, 2:], grid[1:-1, :-2]

    def step():
        average = center + north + east + west + south
        work = 0.2 * average
        center[:] = work

    return n * n / seconds(library, step, calls=20, rounds=5) / 1e9, "Gpoint/s"


def black_scholes(library, n=2**26):
    """Call and put prices, ms."""
    xp, erf = library.xp, library.erf
    rng = numpy.random.default_rng(3)
    spot, strike, years = (xp.asarray(rng.uniform(low, high, n)) for low, high in ((5, 30), (1, 100), (0.25, 10)))
    rate, volatility = 0.02, 0.3

    def cdf(d):
        return 0.5 + 0.5 * erf(d / 1.4142135623730951)

    def price():
        spread = volatility * xp.sqrt(years)
        d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
        d2 = d1 - spread
        discounted = strike * xp.exp(-rate * years)
        c1, c2 = cdf(d1), cdf(d2)
        call = spot * c1 - discounted * c2
        put = discounted * (1.0 - c2) - spot * (1.0 - c1)
        return call, put

    return 1e3 * seconds(library, price, calls=5), "ms"


def smooth(library, n=10000):
    """9-point smoothing of int8 by slices, ms."""
    xp = library.xp
    a = xp.asarray(numpy.random.default_rng(5).integers(0, 14, (n, n)).astype("i1"))

    def step():
        total = (
            a[:-2, :-2]
            + a[:-2, 1:-1]
            + a[:-2, 2:]
            + a[1:-1, :-2]
            + a[1:-1, 1:-1]
            + a[1:-1, 2:]
            + a[2:, :-2]
            + a[2:, 1:-1]
            + a[2:, 2:]
        )
        return total // 9

    return 1e3 * seconds(library, step), "ms"


def cavity(library):
    """CFDPython's cavity flow, us a pressure round."""
    for n, steps, rounds in ((41, 40, 50), (1000, 4, 50), (4096, 1, 50)):
        if library is NumPy:
            steps, rounds = (steps, rounds) if n < 100 else (1, 100_000 // n**2 + 2)

        def run(n=n, steps=steps, rounds=rounds):
            result = flow(library.xp, n, steps, rounds)
            library.wait()
            return result

        warm_up(library, run, 0.3 if library is not NumPy else 0)
        times = []
        for _ in range(3 if n < 1000 or library is not NumPy else 1):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        yield f"cavity {n}^2, a pressure round", 1e6 * statistics.median(times) / (steps * rounds), "us"


def branches(library, turns=100):
    """Eight tables of different shapes, each made a softmax over its rows and mixed with itself: us a turn of all."""
    xp = library.xp
    for n in (10_000, 100_000, 1_000_000):
        columns = [20 + 4 * k for k in range(8)]
        tables = [
            xp.asarray(numpy.random.default_rng(k).random((n // count, count))) for k, count in enumerate(columns)
        ]

        def run(tables=tables):
            kept = list(tables)
            for _ in range(turns):
                for k, table in enumerate(kept):
                    e = xp.exp(table - table.max(axis=1, keepdims=True))
                    kept[k] = 0.5 * table + 0.5 * (e / e.sum(axis=1, keepdims=True))
            return kept

        yield f"softmax of eight tables of {n}", 1e6 * seconds(library, run, 1, 5) / turns, "us"


def conjugate_gradients(library):
    """Conjugate gradients for a five-point stencil, us a turn; nobody looks at the residual."""
    xp = library.xp

    def solve(b, turns=50):
        x, r = xp.zeros(b.shape), b.copy()
        p, rs = r.copy(), xp.vdot(r, r)
        for _ in range(turns):
            q = 4.5 * p
            q[1:] -= p[:-1]
            q[:-1] -= p[1:]
            q[:, 1:] -= p[:, :-1]
            q[:, :-1] -= p[:, 1:]
            alpha = rs / xp.vdot(p, q)
            x += alpha * p
            r -= alpha * q
            new = xp.vdot(r, r)
            p = r + (new / rs) * p
            rs = new
        return x, rs

    for n in (200, 1000, 4000):
        b = xp.asarray(numpy.random.default_rng(12).random((n, n))) * 1.0
        yield (
            f"conjugate gradients {n}^2, a turn",
            1e6 * seconds(library, lambda: solve(b), calls=1, rounds=5, warm=0.5) / 50,
            "us",
        )
