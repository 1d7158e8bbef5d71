"""Measures of single operations on one GPU."""

from __future__ import annotations

import time

import numpy
import tessera.numpy as np
from gpu_measure import CuPy, Tessera, cupy, gigabytes, seconds


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
    for axis in (None, 0, 1):
        yield f"argmax, axis {axis}", *gigabytes(library, 8 * n * n, lambda: a.argmax(axis=axis), calls=3)
    line = xp.asarray(numpy.random.default_rng(4).random(10**8, dtype="f4"))
    yield "argmax of 10^8 f32, ms", 1e3 * seconds(library, lambda: line.argmax()), "ms"
    yield "cumsum of 10^8 f32, ms", 1e3 * seconds(library, lambda: xp.cumsum(line)), "ms"
    yield "cumsum, axis 1, ms", 1e3 * seconds(library, lambda: xp.cumsum(a, axis=1), calls=3), "ms"
    yield "transpose copy (read and write)", *gigabytes(library, 16 * n * n, lambda: xp.ascontiguousarray(a.T), calls=3)


def sorts(library, n=10**8):
    """Sorting 10^8 elements, ms."""
    xp = library.xp
    rng = numpy.random.default_rng(8)
    single, double = rng.standard_normal(n, dtype="f4"), rng.random(n // 4)
    for label, host in (
        ("f32", single),
        ("i32", rng.integers(-(2**31), 2**31, n, dtype="i4")),
        ("f64 (a quarter)", double),
    ):
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
        draws = {
            kind: (lambda dtype, kind=kind: getattr(generator, kind)(n, dtype=dtype)) for kind in ("uniform", "normal")
        }
    else:
        generator = cupy.random.default_rng(3)
        draws = {
            "uniform": lambda dtype: generator.random(n, dtype=dtype),
            "normal": lambda dtype: generator.standard_normal(n, dtype=dtype),
        }
    for kind, draw in draws.items():
        for dtype in ("f4", "f8"):
            yield f"{kind} of 10^8 {dtype}", 1e3 * seconds(library, lambda: draw(dtype)), "ms"
    if library is CuPy:
        for name in ("random_sample", "standard_normal"):
            yield (
                f"{'uniform' if name == 'random_sample' else 'normal'} of 10^8 f4, cupy.random.{name}",
                1e3 * seconds(library, lambda: getattr(cupy.random, name)(n, dtype="f4")),
                "ms",
            )


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
    yield (
        "take_along_axis 10^4 x 10^4",
        1e3 * seconds(library, lambda: xp.take_along_axis(plane, order, 1), calls=3),
        "ms",
    )
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
        yield (
            f"{family}: {name}",
            1e3 * seconds(library, lambda f=function: f(library.xp, *mine), calls, rounds, 0.02 if is_slow else 0.25),
            "ms",
        )


def whole_folds(library, n=10**7):
    """Full folds, as common() has them."""
    xp = library.xp
    for dtype in ("f8", "f4"):
        x = xp.asarray(numpy.random.default_rng(13).random(n).astype(dtype) + numpy.dtype(dtype).type(0.1))
        x *= 1
        for name in ("sum", "mean", "max", "min", "prod", "argmax", "std"):
            yield (
                f"{name} of 10^7 {dtype}",
                1e6 * seconds(library, lambda: getattr(x, name)(), calls=20, rounds=7, warm=0.25),
                "us",
            )
        yield (
            f"x / norm(x) of 10^7 {dtype}",
            1e6 * seconds(library, lambda: x / xp.linalg.norm(x), calls=20, rounds=5, warm=0.25),
            "us",
        )


def complex_numbers(library, n=8192):
    """Arithmetic, copies and folds of complex numbers, ms."""
    xp = library.xp
    rng = numpy.random.default_rng(14)
    for dtype, size in (("c8", n), ("c16", n // 2)):
        a, b = (
            xp.asarray((rng.random((size, size)) + 1j * rng.random((size, size)) + 0.1).astype(dtype)) for _ in range(2)
        )
        label = f"of {size}^2 {dtype}"
        if dtype == "c8":
            for name, function in (
                ("a+b", lambda: a + b),
                ("a*b", lambda: a * b),
                ("abs", lambda: abs(a)),
                ("conj", lambda: xp.conj(a)),
                ("exp", lambda: xp.exp(a)),
                ("a/b", lambda: a / b),
                ("T.copy()", lambda: xp.ascontiguousarray(a.T)),
            ):
                yield f"{name} {label}", 1e3 * seconds(library, function), "ms"
        for name in ("sum", "mean"):
            for axis in (None, 0, 1):
                yield f"{name} {label}, axis {axis}", 1e3 * seconds(library, lambda: getattr(a, name)(axis=axis)), "ms"
        yield f"sum {label} short by one, axis 1", 1e3 * seconds(library, lambda: a[:, :-1].sum(axis=1)), "ms"
        yield f"sum {label}, every other one, axis 1", 1e3 * seconds(library, lambda: a[:, ::2].sum(axis=1)), "ms"
        yield f"sum of a*b {label}, axis 1", 1e3 * seconds(library, lambda: (a * b).sum(axis=1)), "ms"
        yield f"prod {label}, axis 0", 1e3 * seconds(library, lambda: a.prod(axis=0), calls=3), "ms"
        del a, b


def launches(library, n=100_000):
    """One op of 10^5 f64 by itself: host time."""
    xp = library.xp
    a = xp.asarray(numpy.ones(n)) * 1.0
    return 1e6 * seconds(library, lambda: a + 1.0, 500), "us"
