"""Measures on one GPU, beside CuPy where it is installed: python bench/gpu.py [name ...]

Every time is the median over rounds of several calls with one wait at the end; arrays are larger than the L2 cache.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy

import tessera
import tessera.numpy as np
from tessera import _core

try:
    import cupy
except ImportError:
    cupy = None


class Tessera:
    name = "tessera"
    xp = np
    wait = staticmethod(tessera.synchronize)
    flush = staticmethod(_core.flush)

    @staticmethod
    def erf(x):
        from tessera.scipy import special

        return special.erf(x)


class CuPy:
    name = "CuPy"
    xp = cupy

    @staticmethod
    def wait():
        cupy.cuda.runtime.deviceSynchronize()

    @staticmethod
    def flush():
        pass

    @staticmethod
    def erf(x):
        from cupyx.scipy import special

        return special.erf(x)


def seconds(library, call, calls=10, rounds=7, warm=0.3):
    """The median time of one call. Results are kept and each call runs by itself: no work is saved that a program needs."""
    kept = []
    start = time.perf_counter()
    while time.perf_counter() < start + warm:  # a GPU that was idle runs at a fraction of its clock
        kept = [call()]
        library.wait()
    times = []
    for _ in range(rounds):
        kept.clear()
        start = time.perf_counter()
        for _ in range(calls):
            kept.append(call())
            library.flush()
        library.wait()
        times.append((time.perf_counter() - start) / calls)
    return statistics.median(times)


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


def gigabytes(library, moved, call, calls=10):
    return moved / seconds(library, call, calls) / 1e9, "GB/s"


def streams(library, n=2**29):
    """a+b into out, copy, cast and where on 2^29 float32."""
    xp = library.xp
    a, b = (xp.asarray(numpy.random.default_rng(k).random(n, dtype="f4")) for k in (1, 2))
    out, mask = xp.empty(n, "f4"), a > b
    out16 = xp.empty(n, "f2")
    yield "a+b into out, 2^29 f32", *gigabytes(library, 12 * n, lambda: xp.add(a, b, out=out))

    yield "negative into out", *gigabytes(library, 8 * n, lambda: xp.negative(a, out=out))

    def cast():
        out16[:] = a

    yield "cast to f16", *gigabytes(library, 6 * n, cast)
    yield "where", *gigabytes(library, 13 * n, lambda: xp.where(mask, a, b))


def folds(library, n=20000):
    xp = library.xp
    a = xp.asarray(numpy.random.default_rng(4).random((n, n)))
    for axis in (None, 0, 1):
        yield f"sum {n}^2 f64, axis {axis}", *gigabytes(library, 8 * n * n, lambda: a.sum(axis=axis))
    yield "max, axis 0", *gigabytes(library, 8 * n * n, lambda: a.max(axis=0))
    for axis in (None, 0, 1):
        yield f"std, axis {axis} (read once)", *gigabytes(library, 8 * n * n, lambda: a.std(axis=axis), calls=3)
    yield "argmax, axis 0", *gigabytes(library, 8 * n * n, lambda: a.argmax(axis=0), calls=3)
    line = xp.asarray(numpy.random.default_rng(4).random(10**8, dtype="f4"))
    yield "argmax of 10^8 f32, ms", 1e3 * seconds(library, lambda: line.argmax()), "ms"
    # Their kernels take the assembler a third of a second, beside the program.
    yield "cumsum of 10^8 f32, ms", 1e3 * seconds(library, lambda: xp.cumsum(line), warm=1.0), "ms"
    yield "cumsum, axis 1, ms", 1e3 * seconds(library, lambda: xp.cumsum(a, axis=1), calls=3, warm=1.0), "ms"
    yield "transpose copy (read and write)", *gigabytes(library, 16 * n * n, lambda: xp.ascontiguousarray(a.T), calls=3)


def smooth(library, n=10000):
    """9-point smoothing of int8 by slices, ms."""
    xp = library.xp
    a = xp.asarray(numpy.random.default_rng(5).integers(0, 14, (n, n)).astype("i1"))

    def step():
        total = a[:-2, :-2] + a[:-2, 1:-1] + a[:-2, 2:] + a[1:-1, :-2] + a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, :-2] + a[2:, 1:-1] + a[2:, 2:]
        return total // 9

    return 1e3 * seconds(library, step), "ms"


def sorts(library, n=10**8):
    """Sorting 10^8 elements, ms."""
    xp = library.xp
    rng = numpy.random.default_rng(8)
    single, double = rng.standard_normal(n, dtype="f4"), rng.random(n // 4)
    for label, host in (("f32", single), ("i32", rng.integers(-(2**31), 2**31, n, dtype="i4")), ("f64 (a quarter)", double)):
        a = xp.asarray(host)
        yield f"sort of 10^8 {label}", 1e3 * seconds(library, lambda: xp.sort(a), calls=3, rounds=5), "ms"
        yield f"argsort of 10^8 {label}", 1e3 * seconds(library, lambda: xp.argsort(a), calls=3, rounds=5), "ms"
    rows = xp.asarray(single.reshape(10_000, 10_000))
    yield "sort of rows of 10^4, f32", 1e3 * seconds(library, lambda: xp.sort(rows, axis=1), calls=3, rounds=3), "ms"
    short = xp.asarray(single.reshape(100_000, 1_000))
    yield "sort of rows of 10^3, f32", 1e3 * seconds(library, lambda: xp.sort(short, axis=1), calls=3, rounds=3), "ms"


def drawn(library, n=10**8):
    """Random numbers, ms: by index here, by CuPy's default generator there."""
    if library is Tessera:
        generator = np.random.index_generator(3)
        draws = {kind: (lambda dtype, kind=kind: getattr(generator, kind)(n, dtype=dtype)) for kind in ("uniform", "normal")}
    else:
        generator = cupy.random.default_rng(3)
        draws = {"uniform": lambda dtype: generator.random(n, dtype=dtype), "normal": lambda dtype: generator.standard_normal(n, dtype=dtype)}
    for kind, draw in draws.items():
        for dtype in ("f4", "f8"):
            yield f"{kind} of 10^8 {dtype}", 1e3 * seconds(library, lambda: draw(dtype)), "ms"
    if library is CuPy:
        for name in ("random_sample", "standard_normal"):
            yield f"{'uniform' if name == 'random_sample' else 'normal'} of 10^8 f4, cupy.random.{name}", 1e3 * seconds(library, lambda: getattr(cupy.random, name)(n, dtype="f4")), "ms"


def indexed(library, n=10**8, picks=10**7):
    """Writes and reads by index, ms."""
    xp = library.xp
    rng = numpy.random.default_rng(9)
    a, mask = xp.asarray(rng.random(n, dtype="f4")), None
    i, v = xp.asarray(rng.integers(0, n, picks)), xp.asarray(rng.random(picks, dtype="f4"))
    mask = a > 0.9
    values = a[mask]

    def write():
        a[i] = v

    def fill():
        a[i] = 1.5

    def write_masked():
        a[mask] = values

    yield "a[i] = v, 10^7 of 10^8 f32", 1e3 * seconds(library, write), "ms"
    yield "a[i] = number", 1e3 * seconds(library, fill), "ms"
    yield "a[mask] = v, a tenth of 10^8", 1e3 * seconds(library, write_masked), "ms"
    plane = a.reshape(10_000, 10_000)
    order = xp.asarray(rng.integers(0, 10_000, (10_000, 10_000)))
    yield "take_along_axis 10^4 x 10^4", 1e3 * seconds(library, lambda: xp.take_along_axis(plane, order, 1), calls=3), "ms"
    start = time.perf_counter()
    for k in range(200):
        float(plane[k, k])
    yield "reading one element, us", 1e6 * (time.perf_counter() - start) / 200, "us"


def grouped(library, n=10**7):
    """Sums by index, counts, distinct elements, partitions and orders of 10^7, ms."""
    xp = library.xp
    rng = numpy.random.default_rng(10)
    i, few = xp.asarray(rng.integers(0, 10**6, n)), xp.asarray(rng.integers(0, 1000, n))
    x, k = xp.asarray(rng.standard_normal(n)), xp.asarray(rng.integers(0, 100, n))
    sums, totals = xp.zeros(10**6), xp.zeros(10**6, "i8")

    def add_at(target, places, values):
        if library is CuPy:
            from cupyx import scatter_add

            return lambda: scatter_add(target, places, values)
        return lambda: np.add.at(target, places, values)

    whole = xp.asarray(rng.integers(-99, 99, (4096, 4096), dtype="i4"))
    known, wanted = xp.sort(x[: 10**6]), x
    plane, columns = x[: 3000 * 3000].reshape(3000, 3000), i[:2000] % 3000

    def write_columns():
        plane[:, columns] = 1.5

    calls = {
        "add.at of f64 to 10^6 places": add_at(sums, i, x),
        "add.at of f64 to 1000 places": add_at(sums, few, x),
        "add.at of i64 to 10^6 places": add_at(totals, i, k),
        "bincount, 10^6 bins": lambda: xp.bincount(i),
        "bincount, 1000 bins": lambda: xp.bincount(few),
        "bincount with weights, 10^6 bins": lambda: xp.bincount(i, x),
        "histogram, 100 bins": lambda: xp.histogram(x, 100),
        "unique of 10^6 values": lambda: xp.unique(i),
        "unique with inverse and counts": lambda: xp.unique(i, return_inverse=True, return_counts=True),
        "partition at the middle": lambda: xp.partition(x, n // 2),
        "argpartition at the middle": lambda: xp.argpartition(x, n // 2),
        "median": lambda: xp.median(x),
        "lexsort by two keys": lambda: xp.lexsort(xp.stack((x, x))) if library is CuPy else xp.lexsort((x, x)),
        "searchsorted among 10^6": lambda: xp.searchsorted(known, wanted),
        "interp through 10^6": lambda: xp.interp(wanted, known, known),
        "repeat 4 times": lambda: xp.repeat(x, 4),
        "matmul of i32, 4096 squared": lambda: whole @ whole,
        "a[:, i], 2000 of 3000 columns": lambda: plane[:, columns],
        "a[i, 5:2000], 2000 rows": lambda: plane[columns, 5:2000],
        "a[:, i] = number": write_columns,
    }
    for label, call in calls.items():
        try:
            yield label, 1e3 * seconds(library, call, calls=3, rounds=3, warm=0.1), "ms"
        except Exception as error:
            print(f"{label} with {library.name}: {type(error).__name__}: {error}")


def transfers(library, n=2**27):
    xp = library.xp
    host = numpy.random.default_rng(6).random(n)
    device = xp.asarray(host) * 1.0
    if library is Tessera:
        def send():
            return np.array(host) * 1.0

        def fetch():
            return numpy.asarray(device * 1.0)
    else:
        def send():
            return cupy.asarray(host)

        def fetch():
            return cupy.asnumpy(device)
    yield "host to device, 1 GiB", 1e3 * seconds(library, send, 1, 5), "ms"
    yield "device to host, 1 GiB", 1e3 * seconds(library, fetch, 1, 5), "ms"


def small(library):
    xp = library.xp
    a, b = xp.asarray(numpy.ones(200_000)), xp.asarray(numpy.ones(200_000))

    def chain():
        c = a
        for _ in range(50):
            c = (c + b) * a
        return c

    yield "100 ops of 2*10^5 f64, us an op", 1e4 * seconds(library, chain, 20), "us"


def common(library, n=10**7):
    """The sixty ops that the CPU is measured by, ms."""
    from common_ops import OPS

    rng = numpy.random.default_rng(5)
    data = [rng.random(n) + 0.1, rng.random(n) + 0.1, rng.integers(0, n, n), rng.random(n) < 0.5]
    mine = [library.xp.asarray(x) for x in data]
    mine[0] *= 1.0  # the libraries' own memory
    for family, name, function in OPS:
        start = time.perf_counter()
        for _ in range(3):
            function(library.xp, *mine)
        library.wait()
        is_slow = time.perf_counter() - start > 0.1
        calls, rounds = (1, 3) if is_slow else (20, 5)
        yield f"{family}: {name}", 1e3 * seconds(library, lambda f=function: f(library.xp, *mine), calls, rounds, 0.02 if is_slow else 0.25), "ms"


class NumPy:
    name = "NumPy"
    xp = numpy

    @staticmethod
    def wait():
        pass


def cavity(library):
    """CFDPython's cavity flow, us a pressure round."""
    from programs import cavity as flow

    for n, steps, rounds in ((41, 40, 50), (1000, 4, 50), (4096, 1, 50)):
        if library is NumPy:
            steps, rounds = (steps, rounds) if n < 100 else (1, 100_000 // n**2 + 2)

        def run(n=n, steps=steps, rounds=rounds):
            result = flow(library.xp, n, steps, rounds)
            library.wait()
            return result

        start = time.perf_counter()
        run()
        while library is not NumPy and time.perf_counter() < start + 0.5:  # as seconds() does, and programs become better meanwhile
            run()
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
        tables = [xp.asarray(numpy.random.default_rng(k).random((n // count, count))) for k, count in enumerate(columns)]

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
        yield f"conjugate gradients {n}^2, a turn", 1e6 * seconds(library, lambda: solve(b), calls=1, rounds=5, warm=0.5) / 50, "us"


def whole_folds(library, n=10**7):
    """Full folds, as common() has them."""
    xp = library.xp
    for dtype in ("f8", "f4"):
        x = xp.asarray(numpy.random.default_rng(13).random(n).astype(dtype) + numpy.dtype(dtype).type(0.1))
        x *= 1
        for name in ("sum", "mean", "max", "min", "prod", "argmax", "std"):
            yield f"{name} of 10^7 {dtype}", 1e6 * seconds(library, lambda: getattr(x, name)(), calls=20, rounds=7, warm=0.25), "us"
        yield f"x / norm(x) of 10^7 {dtype}", 1e6 * seconds(library, lambda: x / xp.linalg.norm(x), calls=20, rounds=5, warm=0.25), "us"


def launches(library, n=100_000):
    """One op of 10^5 f64 by itself: host time."""
    xp = library.xp
    a = xp.asarray(numpy.ones(n)) * 1.0
    return 1e6 * seconds(library, lambda: a + 1.0, 500), "us"


def compile_times():
    """First results on 10^7 elements, with the driver's cache as the environment says; what was computed before is no first."""
    a = np.array(numpy.random.default_rng(7).random(10**7))
    b = a * 1.0
    tessera.synchronize()

    def first(call):
        start = time.perf_counter()
        result = call()
        tessera.synchronize()
        return 1e3 * (time.perf_counter() - start), result

    def chain(k):
        c = np.sqrt(b * b + float(k)) / (b + 2.0)
        for _ in range(k + 1):
            c = c * b + b
        return c

    yield "first result of a new expression", statistics.median(first(lambda k=k: chain(k))[0] for k in range(5)), "ms"
    yield "first sum of all", first(lambda: float(np.sum(b)))[0], "ms"
    sums = (lambda: np.sum(b * b), lambda: np.sum(np.sqrt(b) + 1.0), lambda: np.sum(abs(b - 0.5)), lambda: np.sum(b / (b + 2.0)), lambda: np.sum((b - 1.0) * b * b))
    yield "first sum of a new expression", statistics.median(first(lambda call=call: float(call()))[0] for call in sums), "ms"
    yield "first max of all", first(lambda: float(np.max(b)))[0], "ms"
    yield "first sum, max along rows, columns", statistics.median(
        first(lambda f=f, axis=axis: f(b.reshape(2500, 4000), axis=axis))[0] for f in (np.sum, np.max) for axis in (0, 1)), "ms"
    yield "first cumsum", first(lambda: np.cumsum(b))[0], "ms"
    yield "first sort", first(lambda: np.sort(b))[0], "ms"
    yield "first argmax", first(lambda: int(np.argmax(b)))[0], "ms"


MEASURES = {"heat": heat, "black_scholes": black_scholes, "streams": streams, "folds": folds, "smooth": smooth, "sorts": sorts, "drawn": drawn, "indexed": indexed, "grouped": grouped,
            "transfers": transfers, "small": small,
            "launches": launches, "cavity": cavity, "branches": branches, "conjugate_gradients": conjugate_gradients, "whole_folds": whole_folds,
            "common": common}


def rows(name, library):
    """(label, value, unit) of one measure."""
    measure = MEASURES[name]
    result = measure(library)
    if isinstance(result, tuple):
        yield (measure.__doc__ or name).split(":")[0].rstrip("."), *result
    else:
        yield from result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(MEASURES))
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--alone", action="store_true", help="without CuPy")
    args = parser.parse_args()
    peers = [CuPy] if cupy and not args.alone else []
    for facts in _core.devices():
        print(facts)
    with tessera.device(args.device):
        for label, value, unit in compile_times():
            print(f"{label:45} {unit:9} {value:10.3f}", flush=True)
        for name in args.names:
            table = {}
            for library in [Tessera] + peers + ([NumPy] if name == "cavity" else []):
                try:
                    for label, value, unit in rows(name, library):
                        table.setdefault((label, unit), {})[library.name] = value
                except Exception as error:
                    print(f"{name} with {library.name}: {type(error).__name__}: {error}")
                if library is CuPy:
                    cupy.get_default_memory_pool().free_all_blocks()
            ratios = [values["CuPy"] / values["tessera"] for values in table.values() if {"CuPy", "tessera"} <= values.keys()]
            for (label, unit), values in table.items():
                print(f"{label:45} {unit:9}" + "".join(f" {library} {value:10.3f}" for library, value in values.items()), flush=True)
            if name == "common" and ratios:
                print(f"geometric mean {statistics.geometric_mean(ratios):.2f} times CuPy, {sum(r < 0.9 for r in ratios)} of {len(ratios)} below 0.9")
        print({k: v for k, v in _core.counters().items() if v})
        print(_core.device_problem())


if __name__ == "__main__":
    main()
