"""One array over two GPUs, and independent work on each, beside one of the two.

    python bench/gpus.py [--small] [--whole gpu:0 --places gpu:0-1] [--only NAMES]

Weak: twice the rows on two GPUs beside one GPU, as a share of its rate a GPU. Strong: the same work, times as fast. Both sides
run in turns in this process; medians of milliseconds of 15 runs after a second of each. `--places simulated:2 --whole
simulated:1 --small` runs all of it where no GPU is.
"""

from __future__ import annotations

import argparse
import re
import statistics
import threading
import time

import numpy
import tessera.numpy as np
import tiles

import tessera
from tessera import _core

RUNS = 15


def jacobi(rows, columns):
    """Ten sweeps of Jacobi's method with a dense matrix that is mostly diagonal."""
    scale = 1.0 / columns
    matrix = np.random.default_rng(0).random((rows, columns)) * scale
    right, diagonal = np.ones(rows), 4.0
    start = np.zeros(columns)

    def solve():
        x = start
        for _ in range(10):
            y = (right - matrix @ x) / diagonal
            x = y[:columns] if rows >= columns else np.concatenate([y, x[rows:]])
        return x

    return solve


def channel(rows, columns):
    """Two steps of flow in a channel that is periodic along its rows, with fifty sweeps of the pressure each."""
    h, dt, nu, force = 2.0 / (columns - 1), 1e-7, 0.1, 1.0
    u, v, p = (np.zeros((rows, columns)) for _ in range(3))

    def sides(a):
        """To the east and to the west, around the ends."""
        return np.concatenate([a[:, 1:], a[:, :1]], axis=1), np.concatenate([a[:, -1:], a[:, :-1]], axis=1)

    def step():
        nonlocal u, v, p
        (ue, uw), (ve, vw) = sides(u), sides(v)
        dudx, dvdy = (ue - uw)[1:-1] / (2 * h), (v[2:] - v[:-2]) / (2 * h)
        cross = (u[2:] - u[:-2]) / (2 * h) * (ve - vw)[1:-1] / (2 * h)
        b = (dudx + dvdy) / dt - dudx**2 - 2 * cross - dvdy**2
        for _ in range(50):
            east, west = sides(p)
            following = p.copy()
            following[1:-1] = (east[1:-1] + west[1:-1] + p[2:] + p[:-2] - h * h * b) / 4
            following[0], following[-1] = following[1], following[-2]
            p = following
        east, west = sides(p)

        def moved(a, ae, aw, gradient):
            inner, beside = a[1:-1], aw[1:-1]
            change = u[1:-1] * (inner - beside) + v[1:-1] * (inner - a[:-2])
            spread = ae[1:-1] + beside + a[2:] + a[:-2] - 4 * inner
            result = np.zeros((rows, columns))
            result[1:-1] = inner - dt / h * change - dt * gradient + nu * dt / h**2 * spread
            return result

        u, v = (
            moved(u, ue, uw, (east - west)[1:-1] / (2 * h) - force),
            moved(v, ve, vw, (p[2:] - p[:-2]) / (2 * h)),
        )

    return lambda: [step() for _ in range(2)]


def sixty_operations(n):
    a, b = (np.random.default_rng(k).random(n) + 1 for k in range(2))
    unary = (np.sqrt, np.exp, np.log, np.sin, np.cos, np.abs, np.negative, np.square, np.floor, np.tanh)
    binary = (
        np.add,
        np.subtract,
        np.multiply,
        np.divide,
        np.maximum,
        np.minimum,
        np.power,
        np.hypot,
        np.less,
        np.greater,
    )
    folds = (np.sum, np.max, np.min, np.mean, np.prod, np.any, np.all, np.argmax, np.argmin, np.std)

    def run():
        for _ in range(2):
            for op in unary:
                op(a)
            for op in binary:
                op(a, b)
            for op in folds:
                op(a)

    return run


def small_cavity():
    return tiles.cavity(41)


def weak(part):
    """What to make, with how many rows and columns a GPU, and what share is wanted."""
    return {
        "stencil 3502^2 a GPU, 100 steps": (lambda r, c: tiles.stencil(r, c, 100), 3502 // part, 3502 // part, 0.95),
        "stencil 8192^2 a GPU, 100 steps": (lambda r, c: tiles.stencil(r, c, 100), 8192 // part, 8192 // part, 0.97),
        "channel 3502^2 a GPU, 2 steps": (channel, 3502 // part, 3502 // part, 0.95),
        "Black-Scholes 2^26 a GPU": (lambda r, c: tiles.black_scholes(r * c), 2**13 // part, 2**13 // part, 0.99),
        "CG on 4000^2 a GPU, 20 steps": (tiles.conjugate_gradients, 4000 // part, 4000 // part, 0.95),
        "Jacobi 20000^2 a GPU, 10 sweeps": (jacobi, 20000 // part, 20000 // part, 0.97),
    }


def strong(part):
    return {
        f"stencil {16384 // part}^2, 20 steps": (lambda: tiles.stencil(16384 // part, 16384 // part, 20), 1.9),
        f"cavity {4096 // part}^2, 10 steps": (lambda: tiles.cavity(4096 // part), 1.8),
        f"std of {20000 // part}^2, axis 1": (lambda: tiles.deviation(20000 // part, 1), 1.85),
        f"std of {20000 // part}^2, axis 0": (lambda: tiles.deviation(20000 // part, 0), 1.85),
        f"cumsum of {200 // part} million": (lambda: tiles.running_sums(200_000_000 // part), 1.8),
        f"matmul {16384 // part}^3": (lambda: tiles.product(16384 // part), 1.85),
        "cavity 41^2, 10 steps": (small_cavity, 0.98),
        "sixty operations at 10": (lambda: sixty_operations(10), 0.98),
        "sixty operations at 1000": (lambda: sixty_operations(1000), 0.98),
    }


def in_turns(works):
    """Medians of milliseconds of each work, by where it runs."""
    for where, work in works.items():
        with tessera.device(where):
            begin = time.perf_counter()
            while time.perf_counter() - begin < 1.0:
                tiles.timed(work)
    times = {where: [] for where in works}
    for _ in range(RUNS):
        for where, work in works.items():
            with tessera.device(where):
                times[where].append(tiles.timed(work))
    return [statistics.median(times[where]) for where in works]


def made(where, make, *arguments):
    with tessera.device(where):
        return make(*arguments)


def report(name, whole, places, ratio, wanted):
    print(f"{name:34} {whole:10.3f} ms {places:10.3f} ms  {ratio:6.3f}  (at least {wanted})", flush=True)


def independent(places, part):
    """Two threads, each with work of its own: on one GPU, then each on one of two."""
    n, size = 20_000_000 // part, 1500 // part
    first, second = places

    def sorts(where):
        with tessera.device(where):
            values = np.random.default_rng(1).random(n)
            return lambda: np.sort(values)

    def decompositions(where):
        with tessera.device(where):
            matrix = np.random.default_rng(1).random((size, size))
            return lambda: np.linalg.svd(matrix)

    def together(works):
        def run(where, work):
            with tessera.device(where):
                for _ in range(4):
                    result = work()
                    tessera.synchronize()
                    del result

        begin = time.perf_counter()
        threads = [threading.Thread(target=run, args=pair) for pair in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return 1e3 * (time.perf_counter() - begin)

    for name, make in ((f"sorts of {n}, two threads", sorts), (f"SVD of {size}^2, two threads", decompositions)):
        one = [(first, make(first)), (first, make(first))]
        two = [(first, make(first)), (second, make(second))]
        begin = time.perf_counter()
        while time.perf_counter() - begin < 2.0:  # the optimised variants of kernels are made meanwhile
            together(one), together(two)
        pairs = [(together(one), together(two)) for _ in range(7)]
        whole, split = (statistics.median(times) for times in zip(*pairs))
        report(name, whole, split, whole / split, 1.8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--whole", default="gpu:0")
    parser.add_argument("--places", default="gpu:0-1")
    parser.add_argument("--two", default="gpu:0,gpu:1", help="where the two threads work")
    parser.add_argument("--only", default="", help="a regular expression for names")
    parser.add_argument("--large", type=int, default=0, help="side of a grid whose versions do not fit one GPU")
    parser.add_argument("--sizes", action="store_true", help="only from which size on cutting repays itself")
    options = parser.parse_args()
    if options.sizes:
        return by_size(options)
    part = 16 if options.small else 1
    print(f"numpy {numpy.__version__}; {options.whole}, then {options.places}; weak: share of the rate a GPU")
    for name, (make, rows, columns, wanted) in weak(part).items():
        if re.search(options.only, name):
            works = {
                options.whole: made(options.whole, make, rows, columns),
                options.places: made(options.places, make, 2 * rows, columns),
            }
            whole, places = in_turns(works)
            report(name, whole, places, whole / places, wanted)
    print("strong: times as fast")
    for name, (make, wanted) in strong(part).items():
        if re.search(options.only, name):
            whole, places = in_turns({where: made(where, make) for where in (options.whole, options.places)})
            report(name, whole, places, whole / places, wanted)
    if re.search(options.only, "independent"):
        independent(options.two.split(","), part)
    if options.large:
        beyond_one(options)
    names = ("gathers", "bytes_gathered", "copies_between_devices", "bytes_between_devices", "bytes_from_device")
    print({name: tessera.counters().get(name, 0) for name in names})


def in_place(n):
    a = np.random.default_rng(0).random((n, n))

    def run():
        x = a
        for _ in range(8):
            x = x * 0.5 + a
        return x

    return run


def rows(n):
    a = np.random.default_rng(0).random((n, n))
    return lambda: [np.sqrt(a * 1.5 + k).sum(axis=1) for k in range(4)]


def by_size(options):
    """Times as fast by the size of arrays, all of them cut: from where on that repays itself."""
    _core.set_tile_rules("always", "allow")
    programs = {
        "stencil": lambda n: tiles.stencil(n, n, 100),
        "multiply, add": in_place,
        "sums of rows": rows,
        "sum": lambda n: tiles.sums(n * n),
        "CG": lambda n: tiles.conjugate_gradients(n, n),
    }
    for mib in (8, 16, 32, 64, 128, 256):
        n = int((mib * 131072) ** 0.5)
        found = []
        for name, make in programs.items():
            whole, places = in_turns({where: made(where, make, n) for where in (options.whole, options.places)})
            found.append(f"{name} {whole / places:.2f}")
        print(f"{mib:4} MiB: {', '.join(found)}", flush=True)


def beyond_one(options):
    """A stencil on a grid whose old and new versions do not fit one GPU together."""
    n = options.large
    small = made(options.whole, tiles.stencil, 8192, 8192, 4)
    (alone,) = in_turns({options.whole: small})
    with tessera.device(options.places):
        grid = np.zeros((n, n))
        grid[:] = np.arange(n) % 7
        before = tessera.counters().get("bytes_from_device", 0)
        times = []
        for _ in range(5):
            times.append(
                tiles.timed(
                    lambda: [
                        grid.__setitem__(
                            (slice(1, -1), slice(1, -1)),
                            0.2
                            * (grid[1:-1, 1:-1] + grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[1:-1, :-2]),
                        )
                        for _ in range(4)
                    ]
                )
            )
        after = tessera.counters().get("bytes_from_device", 0)
    took = statistics.median(times)
    share = (n * n / took / 2) / (8192 * 8192 / alone)
    report(f"stencil {n}^2, 4 steps", alone, took, share, 0.95)
    print(f"bytes to the host: {after - before}")


if __name__ == "__main__":
    main()
