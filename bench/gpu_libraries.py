"""Products, transforms and factorizations on one GPU, beside CuPy where it is installed: python bench/gpu_libraries.py [name ...]

Both call NVIDIA's libraries, so the differences are what is around the calls; tall matrices go a way of tessera's own. Times
are medians of rounds of several calls with one wait at the end.
"""

from __future__ import annotations

import argparse

import numpy
from gpu_measure import CuPy, Tessera, cupy, seconds

import tessera
from tessera import _core


def random(library, shape, dtype="f8", seed=1):
    values = numpy.random.default_rng(seed).standard_normal(shape, dtype="f4" if dtype in ("f2", "f4", "F") else "f8")
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * values[..., ::-1]
    return library.xp.asarray(values.astype(dtype)) * library.xp.asarray(numpy.array(1, dtype))


def products(library):
    xp = library.xp
    for dtype, n in (("f4", 8192), ("f8", 8192), ("f2", 8192), ("F", 4096), ("D", 4096)):
        a, b = random(library, (n, n), dtype), random(library, (n, n), dtype, 2)
        flops = (8 if dtype in "FD" else 2) * n**3
        yield f"matmul {n}^2 {numpy.dtype(dtype)}", flops / seconds(library, lambda: a @ b, 5) / 1e12, "TFLOP/s"
        yield (
            f"matmul {n}^2 {numpy.dtype(dtype)}, transposed",
            flops / seconds(library, lambda: a.T @ b, 5) / 1e12,
            "TFLOP/s",
        )
    a, b = random(library, (1000, 256, 256), "f4"), random(library, (1000, 256, 256), "f4", 2)
    yield "1000 products of 256^2 float32", 2e3 * 256**3 / seconds(library, lambda: a @ b) / 1e12, "TFLOP/s"
    a, v = random(library, (20000, 20000)), random(library, 20000)
    yield "matrix 20000^2 float64 by a vector", a.nbytes / seconds(library, lambda: a @ v) / 1e9, "GB/s"
    w = random(library, 2**27)
    yield "dot of 2^27 float64", 2 * w.nbytes / seconds(library, lambda: xp.dot(w, w)) / 1e9, "GB/s"
    a, b = random(library, (200, 200, 300), "f4"), random(library, (300, 200, 250), "f4", 2)
    yield (
        "tensordot (200,200,300) (300,200,250), 2 axes",
        1e3 * seconds(library, lambda: xp.tensordot(a, b, axes=([2, 1], [0, 1]))),
        "ms",
    )
    small = random(library, (64, 64), "f4")
    yield "small product 64^2 float32, host side", 1e6 * seconds(library, lambda: small @ small, 200), "us"


def transforms(library):
    fft = library.xp.fft
    a = random(library, 2**25, "F")
    yield "fft of 2^25 complex64", 1e3 * seconds(library, lambda: fft.fft(a)), "ms"
    yield "fft of 2^25 complex64, ortho", 1e3 * seconds(library, lambda: fft.fft(a, norm="ortho")), "ms"
    b = random(library, (8192, 8192), "F")
    for axis in (1, 0):
        yield (
            f"fft of 8192^2 complex64, axis {axis}",
            1e3 * seconds(library, lambda axis=axis: fft.fft(b, axis=axis)),
            "ms",
        )
    yield "fft2 of 8192^2 complex64", 1e3 * seconds(library, lambda: fft.fft2(b)), "ms"
    r = random(library, (65536, 1024), "f4")
    yield "rfft of 65536 x 1024 float32", 1e3 * seconds(library, lambda: fft.rfft(r)), "ms"
    half = fft.rfft(r)
    yield "irfft of the same", 1e3 * seconds(library, lambda: fft.irfft(half)), "ms"


def factorizations(library, n=4096):
    linalg = library.xp.linalg
    a, b = random(library, (n, n)), random(library, (n, 16), seed=2)
    h = a @ a.T + n * library.xp.eye(n)
    yield f"solve {n}^2, 16 sides", 1e3 * seconds(library, lambda: linalg.solve(a, b), 3, 3), "ms"
    yield f"inv {n}^2", 1e3 * seconds(library, lambda: linalg.inv(a), 3, 3), "ms"
    yield f"det {n}^2", 1e3 * seconds(library, lambda: linalg.det(a), 3, 3), "ms"
    yield f"cholesky {n}^2", 1e3 * seconds(library, lambda: linalg.cholesky(h), 3, 3), "ms"
    yield f"qr {n}^2", 1e3 * seconds(library, lambda: linalg.qr(a), 2, 3), "ms"
    s = random(library, (1024, 1024))
    yield "svd 1024^2", 1e3 * seconds(library, lambda: linalg.svd(s), 1, 3), "ms"
    t = h[:2048, :2048] * 1.0
    yield "eigh 2048^2", 1e3 * seconds(library, lambda: linalg.eigh(t), 1, 3), "ms"
    c = random(library, (10000, 32, 32))
    yield "solve 10000 of 32^2", 1e3 * seconds(library, lambda: linalg.solve(c, c), 3, 3), "ms"


def tall(library, rows=10**6, columns=100):
    linalg = library.xp.linalg
    a = random(library, (rows, columns))
    yield (
        f"svd {rows} x {columns}, thin",
        1e3 * seconds(library, lambda: linalg.svd(a, full_matrices=False), 2, 5),
        "ms",
    )
    yield f"qr {rows} x {columns}", 1e3 * seconds(library, lambda: linalg.qr(a), 2, 5), "ms"


def accuracy(rows=10**6, columns=100):
    """Orthogonality and residual of thin factors, beside LAPACK's, for well and badly conditioned columns."""
    import tessera.numpy as np

    a = numpy.random.default_rng(3).standard_normal((rows, columns))
    q = numpy.linalg.qr(a)[0]
    v = numpy.linalg.qr(numpy.random.default_rng(4).standard_normal((columns, columns)))[0]
    for label, values in (("well conditioned", a), ("condition 1e10", (q * numpy.logspace(0, -10, columns)) @ v)):
        mine = [numpy.asarray(part) for part in np.linalg.svd(np.asarray(values), full_matrices=False)]
        theirs = numpy.linalg.svd(values, full_matrices=False)
        for who, (u, s, vh) in (("tessera", mine), ("NumPy", theirs)):
            off = numpy.linalg.norm(u.T @ u - numpy.eye(columns))
            left = numpy.linalg.norm(values - (u * s) @ vh) / numpy.linalg.norm(values)
            print(f"svd {label:20} {who:8} orthogonality {off:.2e} residual {left:.2e}", flush=True)


MEASURES = {"products": products, "transforms": transforms, "factorizations": factorizations, "tall": tall}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*MEASURES, "accuracy"])
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--alone", action="store_true", help="without CuPy")
    args = parser.parse_args()
    with tessera.device(args.device):
        for name in args.names:
            if name == "accuracy":
                accuracy()
                continue
            table = {}
            for library in [Tessera] + ([CuPy] if cupy and not args.alone else []):
                try:
                    for label, value, unit in MEASURES[name](library):
                        table.setdefault((label, unit), {})[library.name] = value
                except Exception as error:
                    print(f"{name} with {library.name}: {type(error).__name__}: {error}")
                if library is CuPy:
                    cupy.get_default_memory_pool().free_all_blocks()
            for (label, unit), values in table.items():
                print(
                    f"{label:48} {unit:9}" + "".join(f" {library} {value:10.3f}" for library, value in values.items()),
                    flush=True,
                )
        for library in _core.device_libraries(0):
            print(library)
        print({key: value for key, value in _core.counters().items() if value and "device" in key})


if __name__ == "__main__":
    main()
