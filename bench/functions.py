"""Stencils, parallel loops and ufuncs by tessera and by Numba with parallel=True: python bench/functions.py [--only REGEXP]

One source, one process, all cores, medians of rounds that alternate between the two; results are compared with each other. NumPy's arrays
are passed, `out=` where a row says so.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
import tempfile
import time

os.environ.setdefault("TESSERA_CACHE", tempfile.mkdtemp())

import numba
import numpy as np

import tessera
from tessera import prange

ROUNDS = 9


def five(x):
    return 0.25 * (x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1])


def nine(x):
    return (x[-1, -1] + x[-1, 0] + x[-1, 1] + x[0, -1] + x[0, 0] + x[0, 1] + x[1, -1] + x[1, 0] + x[1, 1]) // 9


def heat(x):
    near = x[-1, 0, 0] + x[1, 0, 0] + x[0, -1, 0] + x[0, 1, 0] + x[0, 0, -1] + x[0, 0, 1]
    return x[0, 0, 0] + 0.1 * (near - 6 * x[0, 0, 0])


def total(x):
    t = 0.0
    for i in prange(x.shape[0]):
        t += x[i]
    return t


def distances(x):
    t = 0.0
    for i in prange(x.shape[0]):
        t += math.sqrt(x[i]) * 2 + 1 / (1 + x[i])
    return t


def nbody(p):
    n = p.shape[0]
    f = np.zeros((n, 3))
    for i in prange(n):
        fx = 0.0
        fy = 0.0
        fz = 0.0
        for j in range(n):
            dx = p[j, 0] - p[i, 0]
            dy = p[j, 1] - p[i, 1]
            dz = p[j, 2] - p[i, 2]
            r = dx * dx + dy * dy + dz * dz + 1e-3
            w = 1 / (r * math.sqrt(r))
            fx += w * dx
            fy += w * dy
            fz += w * dz
        f[i, 0] = fx
        f[i, 1] = fy
        f[i, 2] = fz
    return f


def mandelbrot(n, most):
    out = np.zeros((n, n), np.int64)
    for i in prange(n):
        for j in range(n):
            cr = -2 + 3 * j / n
            ci = -1.5 + 3 * i / n
            zr = 0.0
            zi = 0.0
            k = 0
            while k < most and zr * zr + zi * zi < 4:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            out[i, j] = k
    return out


def matvec(a, x):
    out = np.zeros(a.shape[0])
    for i in prange(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += a[i, j] * x[j]
        out[i] = t
    return out


def histogram(x, bins):
    chunks = 16
    part = np.zeros((chunks, bins), np.int64)
    n = x.shape[0] // chunks
    for c in prange(chunks):
        for i in range(c * n, (c + 1) * n):
            part[c, int(x[i] * bins)] += 1
    out = np.zeros(bins, np.int64)
    for c in range(chunks):
        for k in range(bins):
            out[k] += part[c, k]
    return out


def expression(x, y):
    return (np.sqrt(x * x + y * y) - x).sum()


def black_scholes(s, k, t):
    d1 = (math.log(s / k) + (0.02 + 0.045) * t) / (0.3 * math.sqrt(t))
    d2 = d1 - 0.3 * math.sqrt(t)
    n1 = 0.5 + 0.5 * math.erf(d1 * math.sqrt(0.5))
    n2 = 0.5 + 0.5 * math.erf(d2 * math.sqrt(0.5))
    return s * n1 - k * math.exp(-0.02 * t) * n2


def moving_mean(x, window, out):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
        if i >= window[0]:
            total -= x[i - window[0]]
        out[i] = total / min(i + 1, window[0])


def haversine(a, b, out):
    p = math.sin((b[0] - a[0]) / 2)
    q = math.sin((b[1] - a[1]) / 2)
    out[0] = 2 * 6371 * math.asin(math.sqrt(p * p + math.cos(a[0]) * math.cos(b[0]) * q * q))


def solve3(a, b, x):
    m = a
    d = (
        m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
        + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
    )
    for k in range(3):
        u = (k + 1) % 3
        v = (k + 2) % 3
        x[k] = (
            b[0] * (m[1, u] * m[2, v] - m[1, v] * m[2, u])
            - b[1] * (m[0, u] * m[2, v] - m[0, v] * m[2, u])
            + b[2] * (m[0, u] * m[1, v] - m[0, v] * m[1, u])
        ) / d


def in_parallel(function, library):
    """The function by a library's jit with parallel=True; prange is that library's."""
    space = dict(function.__globals__, prange=library.prange)
    own = type(function)(function.__code__, space, function.__name__)
    own.__module__ = function.__module__
    return library.njit(parallel=True)(own)


def stencils(function, mode=None):
    def numbas():
        made = numba.stencil(function)
        return numba.njit(parallel=True)(lambda x, out: made(x, out=out))

    made = tessera.stencil(mode or "constant")(function)
    return numbas(), lambda x, out: made(x, out=out)


def ten_steps(step):
    def run(x, out):
        for _ in range(5):
            step(x, out)
            step(out, x)
        return x

    return run


def programs():
    """Name, Numba's function, tessera's, arguments."""
    rng = np.random.default_rng(1)
    grid = rng.random((3502, 3502))
    narrow = (grid * 100).astype("int8")
    cube = rng.random((300, 300, 300))
    for name, function, x in (("5 points", five, grid), ("9 points", nine, grid), ("heat 300³", heat, cube)):
        theirs, ours = stencils(function)
        yield f"stencil {name}, out=", theirs, ours, (x, x.copy())
    theirs, ours = stencils(nine)
    yield "stencil 9 points int8, out=", theirs, ours, (narrow, narrow.astype(np.int64))
    theirs, _ = stencils(five)
    yield "stencil 5 points, wrap (Numba: no border)", theirs, stencils(five, "wrap")[1], (grid, grid.copy())
    theirs, _ = stencils(heat)
    yield "stencil heat 300³, wrap (Numba: no border)", theirs, stencils(heat, "wrap")[1], (cube, cube.copy())
    theirs, ours = stencils(five)
    yield "ten swapped steps of 5 points", ten_steps(theirs), ten_steps(ours), (grid.copy(), grid.copy())
    line = rng.random(10_000_000)
    loops = [
        ("sum of 10⁷", total, (line,)),
        ("sum of square roots and quotients of 10⁷", distances, (line,)),
        ("n-body 2000", nbody, (rng.random((2000, 3)),)),
        ("Mandelbrot 800², 200", mandelbrot, (800, 200)),
        ("matrix × vector 3502²", matvec, (grid, line[:3502])),
        ("histogram of 10⁷", histogram, (line, 100)),
        ("total of an array expression, 10⁷", expression, (line, line[::-1].copy())),
    ]
    for name, function, arguments in loops:
        yield f"prange {name}", in_parallel(function, numba), in_parallel(function, tessera), arguments
    formula = ["float64(float64, float64, float64)"]
    prices = [rng.random(2_000_000) + 0.5 for _ in range(3)]
    theirs = numba.vectorize(formula, target="parallel")(black_scholes)
    yield "vectorize Black–Scholes", theirs, tessera.vectorize(formula)(black_scholes), prices
    rows = rng.random((2000, 1000))
    window = np.full((2000, 1), 10)
    points = [rng.random((500_000, 2)) for _ in range(2)]
    systems = rng.random((300_000, 3, 3)) + 3 * np.eye(3)
    for name, function, types, layout, arguments in (
        ("moving mean", moving_mean, "void(float64[:], int64[:], float64[:])", "(n),(k)->(n)", (rows, window)),
        ("Haversine", haversine, "void(float64[:], float64[:], float64[:])", "(n),(n)->()", points),
        (
            "3×3 solve",
            solve3,
            "void(float64[:,:], float64[:], float64[:])",
            "(n,n),(n)->(n)",
            (systems, rng.random((300_000, 3))),
        ),
    ):
        theirs = numba.guvectorize([types], layout, target="parallel")(function)
        yield f"guvectorize {name}", theirs, tessera.guvectorize([types], layout)(function), arguments


def measure(theirs, ours, arguments):
    first = []
    results = []
    for call in (ours, theirs):
        own = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
        start = time.perf_counter()
        results.append(np.array(call(*own)))
        first.append(time.perf_counter() - start)
    if results[0].ndim == 2 and results[0].shape[0] > 3000:  # borders differ where modes do
        results = [result[10:-10, 10:-10] for result in results]
    if results[0].ndim == 3:
        results = [result[2:-2, 2:-2, 2:-2] for result in results]
    np.testing.assert_allclose(results[0], results[1], rtol=1e-9, atol=1e-12)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for call, kept in zip((ours, theirs), times):
            start = time.perf_counter()
            call(*arguments)
            kept.append(time.perf_counter() - start)
    return [statistics.median(kept) * 1e3 for kept in times], [one * 1e3 for one in first]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    ratios = []
    print("| function | tessera, ms | Numba, ms | ratio | first call, ms | Numba's, ms |\n|---|---|---|---|---|---|")
    for name, theirs, ours, arguments in programs():
        if not re.search(only, name):
            continue
        (own, other), first = measure(theirs, ours, arguments)
        ratios.append(other / own)
        print(f"| {name} | {own:.2f} | {other:.2f} | {other / own:.2f} | {first[0]:.0f} | {first[1]:.0f} |", flush=True)
    print(f"\nGeometric mean {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
