"""Arrays cut over two places of one GPU beside the same on the GPU as one place.

    python bench/tiles.py [--small] [--places gpu:0*2 --whole gpu:0]

Each program runs in turns on both, in this process; medians of milliseconds, and the ratio of speeds (1: as quick). All arrays
are cut (TESSERA_CUT=always). Edges and further launches are what two places of one GPU can lose; they gain nothing. `--programs
N` first runs N random programs of views, writes, folds and routines on the places and compares every bit with the cores.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import time
import warnings

import numpy
import tessera.numpy as np

import tessera
from tessera import _core

ROOT = pathlib.Path(__file__).resolve().parent.parent


def stencil(rows, columns, steps):
    grid = np.random.default_rng(0).random((rows, columns))

    def step():
        grid[1:-1, 1:-1] = 0.2 * (
            grid[1:-1, 1:-1] + grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[1:-1, :-2]
        )

    return lambda: [step() for _ in range(steps)]


def black_scholes(n):
    spot, strike, years = (np.random.default_rng(k).random(n) * 9 + 1 for k in range(3))

    def price():
        root = np.sqrt(years)
        d1 = (np.log(spot / strike) + 0.045 * years) / (0.3 * root)
        return spot * (0.5 + 0.5 * np.tanh(0.8 * d1)) - strike * np.exp(-0.02 * years) * (
            0.5 + 0.5 * np.tanh(0.8 * (d1 - 0.3 * root))
        )

    return lambda: price()


def deviation(n, axis):
    values = np.random.default_rng(0).random((n, n))
    return lambda: values.std(axis=axis)


def over(n, name, axis):
    values = np.random.default_rng(0).random((n, n))
    return lambda: getattr(np, name)(values, axis=axis)


def product(n):
    a, b = (np.random.default_rng(k).random((n, n)) for k in range(2))
    return lambda: a @ b


def squares(n):
    a = np.random.default_rng(0).random((n * n // 64, 64))
    return lambda: a.T @ a


def running_sums(n):
    values = np.random.default_rng(0).random(n)
    return lambda: np.cumsum(values)


def chosen(n):
    values = np.random.default_rng(0).random(n)
    return lambda: values[values > 0.5]


def normals(n):
    return lambda: np.random.default_rng(0).standard_normal(n) * 1.0


def conjugate_gradients(rows, columns):
    """Twenty steps on a grid, without reading a scalar."""
    right = np.random.default_rng(0).random((rows, columns))

    def apply(x):
        y = 4.0 * x
        y[1:] -= x[:-1]
        y[:-1] -= x[1:]
        y[:, 1:] -= x[:, :-1]
        y[:, :-1] -= x[:, 1:]
        return y

    def solve():
        x, r = np.zeros((rows, columns)), right.copy()
        p, rr = r.copy(), (r * r).sum()
        for _ in range(20):
            ap = apply(p)
            alpha = rr / (p * ap).sum()
            x += alpha * p
            r -= alpha * ap
            following = (r * r).sum()
            p = r + (following / rr) * p
            rr = following
        return x

    return solve


def cavity(n):
    """Ten steps of flow in a cavity with ten sweeps of the pressure each."""
    h, dt = 2.0 / (n - 1), 1e-5
    u, v, p = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))

    def step():
        nonlocal p
        b = np.zeros((n, n))
        du, dv = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * h), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * h)
        cross = (u[2:, 1:-1] - u[:-2, 1:-1]) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * h * h)
        b[1:-1, 1:-1] = (du + dv) / dt - du**2 - cross - dv**2
        for _ in range(10):
            old = p.copy()
            p[1:-1, 1:-1] = (
                (old[1:-1, 2:] + old[1:-1, :-2]) + (old[2:, 1:-1] + old[:-2, 1:-1]) - h * h * b[1:-1, 1:-1]
            ) / 4
            p[:, -1], p[0, :], p[:, 0], p[-1, :] = p[:, -2], p[1, :], p[:, 1], 0.0
        for field, gradient in ((u, p[1:-1, 2:] - p[1:-1, :-2]), (v, p[2:, 1:-1] - p[:-2, 1:-1])):
            field[1:-1, 1:-1] -= dt / (2 * h) * gradient
        u[-1, :] = 1.0

    return lambda: [step() for _ in range(10)]


def sums(n):
    values = np.random.default_rng(0).random(n)
    return lambda: values.sum()


def programs(small):
    part = 8 if small else 1
    return {
        f"stencil {8192 // part}^2, 20 steps": lambda: stencil(8192 // part, 8192 // part, 20),
        f"Black-Scholes 2^{26 if not small else 20}": lambda: black_scholes(1 << (26 if not small else 20)),
        f"std of {20000 // part}^2, axis 1": lambda: deviation(20000 // part, 1),
        f"std of {20000 // part}^2, axis 0": lambda: deviation(20000 // part, 0),
        f"CG on {4000 // part}^2, 20 steps": lambda: conjugate_gradients(4000 // part, 4000 // part),
        f"cavity {4096 // part}^2, 10 steps": lambda: cavity(4096 // part),
        f"matmul {8192 // part}^3": lambda: product(8192 // part),
        f"a.T @ a of {8192 * 8192 // part // part} / 64 rows": lambda: squares(8192 // part),
        f"cumsum of {200 // part} million": lambda: running_sums(200_000_000 // part),
        f"cumsum of {14142 // part}^2, axis 0": lambda: over(14142 // part, "cumsum", 0),
        f"half of {200 // part} million by a mask": lambda: chosen(200_000_000 // part),
        f"{100 // part} million normals": lambda: normals(100_000_000 // part),
        f"sum of {200 // part} million": lambda: sums(200_000_000 // part),
        f"sum of {20000 // part}^2, axis 0": lambda: over(20000 // part, "sum", 0),
        f"max of {20000 // part}^2, axis 0": lambda: over(20000 // part, "max", 0),
        f"argmax of {20000 // part}^2, axis 1": lambda: over(20000 // part, "argmax", 1),
        f"cumsum of {20000 // part}^2, axis 1": lambda: over(20000 // part, "cumsum", 1),
        f"sort of {8000 // part}^2, axis 1": lambda: over(8000 // part, "sort", 1),
    }


def timed(work):
    start = time.perf_counter()
    result = work()
    tessera.synchronize()
    del result
    return 1e3 * (time.perf_counter() - start)


def compare(make, whole, places):
    works = {}
    for where in (whole, places):
        with tessera.device(where):
            works[where] = make()
            # The optimised variants of kernels are made in the background meanwhile.
            begin = time.perf_counter()
            while time.perf_counter() - begin < 1.0:
                timed(works[where])
    times = {where: [] for where in works}
    for _ in range(15):
        for where, work in works.items():
            with tessera.device(where):
                times[where].append(timed(work))
    return [statistics.median(times[where]) for where in (whole, places)]


def check_bits(count, places):
    sys.path.insert(0, str(ROOT / "tests"))
    from random_programs import Program

    warnings.simplefilter("ignore")
    different = []
    for seed in range(count):
        with tessera.device("cpu"):
            wanted = Program(seed, routines=seed % 2 == 1).run(np)
        with tessera.device(places):
            got = Program(seed, routines=seed % 2 == 1).run(np)
        # The bits of NaN are the device's own.
        if any(
            a.dtype != b.dtype or not numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            for a, b in zip(wanted, got)
        ):
            different.append(seed)
    print(f"{count} random programs on {places}: {len(different)} differ {different[:10]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--whole", default="gpu:0")
    parser.add_argument("--places", default="gpu:0*2")
    parser.add_argument("--programs", type=int, default=0)
    options = parser.parse_args()
    _core.set_tile_rules("always", "allow")
    if options.programs:
        check_bits(options.programs, options.places)
    for name, make in programs(options.small).items():
        whole, places = compare(make, options.whole, options.places)
        print(
            f"{name:32} {options.whole} {whole:9.3f} ms, {options.places} {places:9.3f} ms, ratio {whole / places:.3f}",
            flush=True,
        )
    names = ("gathers", "bytes_gathered", "copies_between_devices", "bytes_between_devices")
    print({name: tessera.counters().get(name, 0) for name in names}, numpy.__version__)


if __name__ == "__main__":
    main()
