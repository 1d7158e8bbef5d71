"""User kernels beside numba-cuda's, one source for both: python bench/kernels.py [name ...] [--seconds 0.5]

Every time is the median over rounds of launches with one wait at the end, arguments on the device; the result of each kernel is
compared with NumPy's or with the other library's. `--host` times tessera's kernels on the cores, without a peer; `--checked` on a few
blocks, checked for faults and not.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import math
import os
import statistics
import time

import kernels_of_blocks
import numpy


def vector_add(cuda):
    """c = a + b, 2**25 doubles"""

    @cuda.jit
    def add(a, b, c):
        i = cuda.grid(1)
        if i < c.size:
            c[i] = a[i] + b[i]

    n = 1 << 25
    a, b, c = numpy.arange(n, dtype=float), numpy.full(n, 0.5), numpy.zeros(n)
    return add, ((n + 255) // 256, 256), (a, b, c), 2, lambda: a + b


def smooth(cuda):
    """mean of nine int8 neighbours, 10000 x 10000"""

    @cuda.jit
    def smoothed(x, out):
        i, j = cuda.grid(2)
        n, m = x.shape
        if 1 <= i < n - 1 and 1 <= j < m - 1:
            out[i, j] = (
                x[i - 1, j - 1]
                + x[i - 1, j]
                + x[i - 1, j + 1]
                + x[i, j - 1]
                + x[i, j]
                + x[i, j + 1]
                + x[i + 1, j - 1]
                + x[i + 1, j]
                + x[i + 1, j + 1]
            ) // 9

    n = 10000
    x = numpy.random.default_rng(0).integers(-100, 100, (n, n)).astype(numpy.int8)

    def expected():
        wide = x.astype(numpy.int64)
        out = numpy.zeros_like(x)
        total = sum(wide[1 + a : n - 1 + a, 1 + b : n - 1 + b] for a in (-1, 0, 1) for b in (-1, 0, 1))
        out[1:-1, 1:-1] = total // 9
        return out

    return smoothed, ((n // 16, n // 16), (16, 16)), (x, numpy.zeros_like(x)), 1, expected


def matmul(cuda):
    """tiled product, 2048 x 2048 float32"""
    from numpy import float32

    tile = 16

    @cuda.jit
    def product(a, b, c):
        sa = cuda.shared.array((16, 16), float32)
        sb = cuda.shared.array((16, 16), float32)
        x, y = cuda.grid(2)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        total = float32(0.0)
        for k in range(a.shape[1] // 16):
            sa[ty, tx] = a[y, k * 16 + tx]
            sb[ty, tx] = b[k * 16 + ty, x]
            cuda.syncthreads()
            for j in range(16):
                total += sa[ty, j] * sb[j, tx]
            cuda.syncthreads()
        c[y, x] = total

    n = 2048
    draw = numpy.random.default_rng(1).random
    a, b = draw((n, n), numpy.float32), draw((n, n), numpy.float32)
    return product, ((n // tile, n // tile), (tile, tile)), (a, b, numpy.zeros_like(a)), 2, lambda: a @ b


def reduction(cuda):
    """sums of 1024 by a tree in shared memory, 2**25 doubles"""
    from numpy import float64

    @cuda.jit
    def partial(x, out):
        s = cuda.shared.array(256, float64)
        t = cuda.threadIdx.x
        i = cuda.blockIdx.x * 1024 + t
        s[t] = x[i] + x[i + 256] + x[i + 512] + x[i + 768]
        cuda.syncthreads()
        k = 128
        while k > 0:
            if t < k:
                s[t] += s[t + k]
            cuda.syncthreads()
            k //= 2
        if t == 0:
            out[cuda.blockIdx.x] = s[0]

    n = 1 << 25
    x = numpy.random.default_rng(2).random(n)
    return partial, (n // 1024, 256), (x, numpy.zeros(n // 1024)), 1, lambda: x.reshape(-1, 1024).sum(1)


def softmax(cuda):
    """rows of 1024 float32, 32768 of them"""
    from numpy import float32

    @cuda.jit
    def rows(x, out):
        s = cuda.shared.array(256, float32)
        t = cuda.threadIdx.x
        r = cuda.blockIdx.x
        m = x[r, t]
        for j in range(t + 256, x.shape[1], 256):
            m = max(m, x[r, j])
        s[t] = m
        cuda.syncthreads()
        k = 128
        while k > 0:
            if t < k:
                s[t] = max(s[t], s[t + k])
            cuda.syncthreads()
            k //= 2
        m = s[0]
        cuda.syncthreads()
        total = float32(0.0)
        for j in range(t, x.shape[1], 256):
            total += math.exp(x[r, j] - m)
        s[t] = total
        cuda.syncthreads()
        k = 128
        while k > 0:
            if t < k:
                s[t] += s[t + k]
            cuda.syncthreads()
            k //= 2
        for j in range(t, x.shape[1], 256):
            out[r, j] = math.exp(x[r, j] - m) / s[0]

    x = numpy.random.default_rng(3).standard_normal((32768, 1024)).astype(numpy.float32)

    def expected():
        e = numpy.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    return rows, (32768, 256), (x, numpy.zeros_like(x)), 1, expected


def black_scholes(cuda):
    """call prices, 2**24 doubles"""

    @cuda.jit(device=True)
    def cumulative(x):
        return 0.5 * (1.0 + math.erf(x * 0.7071067811865476))

    @cuda.jit
    def price(s, k, t, r, v, out):
        i = cuda.grid(1)
        if i < s.size:
            root = v * math.sqrt(t[i])
            d1 = (math.log(s[i] / k[i]) + (r + 0.5 * v * v) * t[i]) / root
            out[i] = s[i] * cumulative(d1) - k[i] * math.exp(-r * t[i]) * cumulative(d1 - root)

    n = 1 << 24
    draw = numpy.random.default_rng(4)
    s, k, t = draw.uniform(10, 50, n), draw.uniform(10, 50, n), draw.uniform(0.5, 2, n)
    return price, (n // 256, 256), (s, k, t, 0.02, 0.3, numpy.zeros(n)), 5, None


def n_body(cuda):
    """accelerations of 16384 bodies, float32"""
    from numpy import float32

    @cuda.jit
    def accelerate(p, out):
        s = cuda.shared.array((256, 4), float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        x = p[i, 0]
        y = p[i, 1]
        z = p[i, 2]
        ax = float32(0)
        ay = float32(0)
        az = float32(0)
        for b in range(p.shape[0] // 256):
            for c in range(4):
                s[t, c] = p[b * 256 + t, c]
            cuda.syncthreads()
            for j in range(256):
                dx = s[j, 0] - x
                dy = s[j, 1] - y
                dz = s[j, 2] - z
                d = dx * dx + dy * dy + dz * dz + float32(1e-3)
                w = s[j, 3] / (d * math.sqrt(d))
                ax += dx * w
                ay += dy * w
                az += dz * w
            cuda.syncthreads()
        out[i, 0] = ax
        out[i, 1] = ay
        out[i, 2] = az

    n = 16384
    p = numpy.random.default_rng(5).random((n, 4), numpy.float32)
    return accelerate, (n // 256, 256), (p, numpy.zeros((n, 3), numpy.float32)), 1, None


def mandelbrot(cuda):
    """4096 x 4096, 100 iterations at most, float64"""

    @cuda.jit
    def escape(out):
        x, y = cuda.grid(2)
        if x < out.shape[1] and y < out.shape[0]:
            cr = -2.0 + 3.0 * x / out.shape[1]
            ci = -1.5 + 3.0 * y / out.shape[0]
            zr = 0.0
            zi = 0.0
            count = 0
            while count < 100 and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                count += 1
            out[y, x] = count

    n = 4096
    return escape, ((n // 16, n // 16), (16, 16)), (numpy.zeros((n, n), numpy.int32),), 0, None


def empty_launches(cuda):
    """a launch with no argument"""

    @cuda.jit
    def nothing():
        pass

    return nothing, (1, 32), (), None, None


def launches_of_one(cuda):
    """a launch with one array"""

    @cuda.jit
    def one(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += 1

    return one, (1, 32), (numpy.zeros(32),), None, None


def launches_of_many(cuda):
    """a launch with sixteen arrays"""

    @cuda.jit
    def many(a, b, c, d, e, f, g, h, i, j, k, q, m, n, o, p):
        x = cuda.grid(1)
        if x < a.size:
            a[x] = (
                b[x] + c[x] + d[x] + e[x] + f[x] + g[x] + h[x] + i[x] + j[x] + k[x] + q[x] + m[x] + n[x] + o[x] + p[x]
            )

    return many, (1, 32), tuple(numpy.zeros(32) for _ in range(16)), None, None


def launches_of_scalars(cuda):
    """a launch with sixteen numbers"""

    @cuda.jit
    def scalars(a, b, c, d, e, f, g, h, i, j, k, q, m, n, o, p):
        if a == 100:
            cuda.syncthreads()

    return scalars, (1, 32), tuple(range(16)), None, None


MEASURES = (
    *(vector_add, smooth, matmul, reduction, softmax, black_scholes, n_body, mandelbrot),
    *kernels_of_blocks.MEASURES,
    *(empty_launches, launches_of_one, launches_of_many, launches_of_scalars),
)


def per_launch(cuda, run, seconds):
    """Seconds a launch, median of rounds."""
    cuda.synchronize()
    start = time.perf_counter()
    run()
    cuda.synchronize()
    once = time.perf_counter() - start
    count = max(1, min(2000, int(seconds / 8 / max(once, 1e-7))))
    rounds = []
    while len(rounds) < 3 or sum(rounds) * count < seconds:
        start = time.perf_counter()
        for _ in range(count):
            run()
        cuda.synchronize()
        rounds.append((time.perf_counter() - start) / count)
    return statistics.median(rounds)


def timed(measure, cuda, seconds):
    """(seconds of the first launch, seconds a launch, result) of one library."""
    kernel, (grid, block), arguments, result, expected = measure(cuda)
    moved = [cuda.to_device(one) if isinstance(one, numpy.ndarray) else one for one in arguments]
    cuda.synchronize()
    start = time.perf_counter()
    kernel[grid, block](*moved)
    cuda.synchronize()
    first = time.perf_counter() - start
    got = None if result is None else numpy.asarray(moved[result].copy_to_host())
    if expected is not None:
        wanted = expected()
        numpy.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5 * abs(wanted).max())
    configured = kernel[grid, block]
    return first, per_launch(cuda, lambda: configured(*moved), seconds), got


class Checked:
    """tessera.cuda, whose kernels are checked for faults."""

    def __init__(self, cuda):
        self._cuda = cuda

    def __getattr__(self, name):
        return getattr(self._cuda, name)

    def jit(self, function=None, **options):
        if function is None:
            return lambda function: self.jit(function, **options)
        return self._cuda.jit(**({} if options.get("device") else {"check": True}), **options)(function)


def least(run, rounds=25):
    """Processor seconds of a launch on one thread, which other work on the machine lengthens least."""
    run()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
        if sum(times) > 1:
            break
    return min(times)


def compare_checked(names, cuda):
    from tessera import _core, set_num_threads

    set_num_threads(1)
    _core.options(compile="before_full")
    ratios = []
    for measure in MEASURES:
        if measure.__name__ not in names or measure.__name__.startswith(("empty", "launches")):
            continue
        plain, (grid, block), arguments, _, _ = measure(cuda)
        is_long = measure is matmul or measure is n_body
        few = ((4, 4) if is_long else (16, 16)) if isinstance(grid, tuple) else 4 if is_long else 64
        moved = [cuda.to_device(one) if isinstance(one, numpy.ndarray) else one for one in arguments]

        def run(kernel):
            kernel[few, block](*moved)
            cuda.synchronize()

        checked = measure(Checked(cuda))[0]
        times = [least(lambda: run(kernel)) * 1e6 for kernel in (plain, checked)]
        ratios.append(times[1] / times[0])
        print(
            f"{measure.__name__:16} {str(few):>9} blocks {times[0]:9.0f} us, checked {times[1]:9.0f}: {ratios[-1]:6.1f}",
            flush=True,
        )
    print(f"geometric mean {statistics.geometric_mean(ratios):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[measure.__name__ for measure in MEASURES])
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--host", action="store_true", help="tessera on the cores, without numba-cuda")
    parser.add_argument(
        "--checked", action="store_true", help="tessera on the cores, with and without checks for faults"
    )
    args = parser.parse_args()
    if args.host or args.checked:
        os.environ["TESSERA_DEVICE"] = "cpu"
    libraries = {"tessera": importlib.import_module("tessera.cuda")}
    if args.checked:
        return compare_checked(args.names, libraries["tessera"])
    if not args.host:
        if not hasattr(numpy, "row_stack"):  # numba-cuda 0.30 asks for a name that NumPy 2.5 no longer has
            numpy.row_stack = numpy.vstack
        libraries["numba"] = importlib.import_module("numba.cuda")
    print(f"{'':22}" + "".join(f"{name + ' first':>16}{name + ' us':>14}" for name in libraries) + f"{'ratio':>8}")
    ratios = []
    for measure in MEASURES:
        if measure.__name__ not in args.names:
            continue
        times, results = [], []
        line = f"{measure.__name__:22}"
        for cuda in libraries.values():
            gc.collect()
            first, each, result = timed(measure, cuda, args.seconds)
            times.append(each)
            results.append(result)
            line += f"{first * 1e3:13.1f} ms{each * 1e6:14.2f}"
        if len(times) == 2:
            ratios.append(times[1] / times[0])
            line += f"{ratios[-1]:8.2f}"
            if results[0] is not None:
                numpy.testing.assert_allclose(results[0], results[1], rtol=1e-3, atol=1e-6 * abs(results[1]).max())
        print(line, flush=True)
    if ratios:
        print(f"geometric mean of numba / tessera: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
