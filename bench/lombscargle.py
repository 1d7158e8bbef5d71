"""Lomb-Scargle periodograms: python bench/lombscargle.py [--points 1024] [--frequencies 1048576]

On the cores beside SciPy and astropy; with --gpu on the GPU beside CuPy's RawKernel of the direct algorithm, with the first call in
a process of its own. Medians; results are compared with SciPy's at some of the frequencies. SciPy is timed over a sixteenth of the
frequencies, a slice at a time, as it stores matrices, and its time multiplied by 16.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

import measure
import numpy
import tessera.numpy as np
from tessera.scipy.signal import lombscargle

import tessera

# The classical direct algorithm (Press and Rybicki's formulas), one thread a frequency.
KERNEL = r"""
extern "C" __global__ void __launch_bounds__(128) lombscargle(
    int n, int m, const REAL* __restrict__ x, const REAL* __restrict__ y, const REAL* __restrict__ freqs, REAL* __restrict__ power) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
    const REAL w = freqs[i];
    REAL xc = 0, xs = 0, cc = 0, ss = 0, cs = 0, s, c;
    for (int j = 0; j < n; ++j) {
      SINCOS(w * x[j], &s, &c);
      xc += y[j] * c; xs += y[j] * s; cc += c * c; ss += s * s; cs += c * s;
    }
    const REAL tau = ATAN2(2 * cs, cc - ss) / (2 * w);
    SINCOS(w * tau, &s, &c);
    const REAL a = c * xc + s * xs, b = c * xs - s * xc;
    power[i] = (REAL)0.5 * (a * a / (c * c * cc + 2 * c * s * cs + s * s * ss) + b * b / (c * c * ss - 2 * c * s * cs + s * s * cc));
  }
}
"""


def record(points):
    random = numpy.random.default_rng(1)
    x = numpy.sort(random.uniform(0, 100, points))
    return x, numpy.sin(1.7 * x) + random.standard_normal(points)


def grids(count):
    return {"uniform": numpy.linspace(0.01, 50, count), "uneven": numpy.geomspace(0.01, 50, count)}


def distance(found, x, y, freqs):
    """From SciPy's result at 2048 of the frequencies, in the norm."""
    import scipy.signal

    some = slice(None, None, max(1, freqs.size // 2048))
    expected = scipy.signal.lombscargle(*(v.astype(float) for v in (x, y, freqs[some])))
    return numpy.linalg.norm(numpy.asarray(found)[some] - expected) / numpy.linalg.norm(expected)


def scipy_seconds(x, y, freqs):
    import scipy.signal

    part = freqs[:: max(1, 16)]
    start = time.perf_counter()
    for begin in range(0, part.size, 8192):
        scipy.signal.lombscargle(x, y, part[begin : begin + 8192])
    return (time.perf_counter() - start) * freqs.size / part.size


def astropy_seconds(x, y, freqs, repeat):
    """astropy's fastest method for this grid, and its name."""
    try:
        from astropy.timeseries import LombScargle
    except ImportError:
        return float("nan"), "astropy is not installed"
    cycles = freqs / (2 * numpy.pi)
    model = LombScargle(x, y, fit_mean=False, center_data=False)
    is_uniform = numpy.ptp(numpy.diff(freqs)) < 1e-9
    methods = ("fast", "fastchi2") if is_uniform else ("cython", "slow")
    assume = {"assume_regular_frequency": True} if is_uniform else {}
    best = (float("inf"), "")
    for method in methods:
        some, factor = (cycles, 1) if is_uniform else (cycles[::64], cycles.size / cycles[::64].size)
        spent = factor * measure.seconds(
            lambda: model.power(some, method=method, **assume), repeat if is_uniform else 1, 0
        )
        best = min(best, (spent, method))
    return best


def on_cores(args):
    x, y = record(args.points)
    print(f"{args.points} points x {args.frequencies} frequencies, {tessera._core.cpus()} threads")
    for name, freqs in grids(args.frequencies).items():
        inputs = [np.asarray(v) for v in (x, y, freqs)]
        ours = measure.seconds(lambda: lombscargle(*inputs), args.repeat)
        scipys, (astropys, method) = scipy_seconds(x, y, freqs), astropy_seconds(x, y, freqs, args.repeat)
        print(
            f"{name:8} tessera {ours:.3f} s; SciPy {scipys:.1f} s, {scipys / ours:.0f}x; astropy ({method}) {astropys:.2f} s, "
            f"{astropys / ours:.1f}x; distance from SciPy {distance(lombscargle(*inputs), x, y, freqs):.1e}",
            flush=True,
        )
    batch(args)


def batch(args):
    """Series of 200 to 2,000 points in one call, and the rate of the largest single call."""
    random = numpy.random.default_rng(2)
    lengths = random.integers(200, 2001, args.series)
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)])
    x = np.asarray(random.uniform(0, 100, offsets[-1]))
    y = np.asarray(random.standard_normal(offsets[-1]))
    single = [np.asarray(v) for v in (*record(args.points), grids(args.frequencies)["uniform"])]
    for name, freqs in grids(10_000).items():
        single[2] = np.asarray(grids(args.frequencies)[name])
        freqs = np.asarray(freqs)
        of_one = args.points * args.frequencies / measure.seconds(lambda: lombscargle(*single), args.repeat)
        of_many = offsets[-1] * freqs.size / measure.seconds(lambda: lombscargle(x, y, freqs, offsets=offsets), 3)
        print(
            f"{name:8} {args.series} series of 200 to 2,000 points x 10,000: {of_many / 1e9:.2f} pairs/ns, "
            f"{of_many / of_one:.2f} of the rate of one large call ({of_one / 1e9:.2f})",
            flush=True,
        )


def cupy_seconds(x, y, freqs, dtype, fast):
    import cupy

    names = (
        {"REAL": "float", "SINCOS": "sincosf", "ATAN2": "atan2f"}
        if dtype == "f4"
        else {"REAL": "double", "SINCOS": "sincos", "ATAN2": "atan2"}
    )
    defines = tuple(f"-D{key}={value}" for key, value in names.items()) + (("-use_fast_math",) if fast else ())
    kernel = cupy.RawKernel(KERNEL, "lombscargle", options=("-std=c++14", *defines))
    arrays = [cupy.asarray(v.astype(dtype)) for v in (x, y, freqs)]
    out = cupy.empty(freqs.size, dtype)
    arguments = (numpy.int32(x.size), numpy.int32(freqs.size), *arrays, out)

    def call():
        kernel(((freqs.size + 127) // 128,), (128,), arguments)
        cupy.cuda.runtime.deviceSynchronize()

    return measure.seconds(call, 20, 3), out.get()


def on_gpu(args):
    x, y = record(args.points)
    for name, freqs in grids(args.frequencies).items():
        for dtype in ("f8", "f4"):
            arrays = [v.astype(dtype) for v in (x, y, freqs)]
            with tessera.device("gpu"):
                inputs = [tessera.to_device(np.asarray(v)) for v in arrays]
                ours = measure.seconds(lambda: lombscargle(*inputs), 20, 5)
                off = distance(lombscargle(*inputs), *arrays)
            line = f"{name:8} {dtype} tessera {1e3 * ours:.3f} ms, distance from SciPy {off:.1e}"
            try:
                for fast in (False, True) if dtype == "f4" else (False,):
                    theirs, _ = cupy_seconds(x, y, freqs, dtype, fast)
                    line += f"; CuPy{' fast' if fast else ''} {1e3 * theirs:.3f} ms, {theirs / ours:.2f}x"
            except ImportError:
                line += "; CuPy is not installed"
            print(line, flush=True)
    for name in grids(8):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, TESSERA_CACHE=folder, CUDA_CACHE_DISABLE="1", TESSERA_DEVICE="gpu")
            subprocess.run([sys.executable, __file__, "--first", name], env=environment, check=True)
    with tessera.device("gpu"):
        batch(args)


def first(args):
    """The first call where the context and cuBLAS are there, without caches."""
    a = np.ones((256, 256))
    numpy.asarray(a @ a)
    x, y = record(args.points)
    inputs = [tessera.to_device(np.asarray(v)) for v in (x, y, grids(args.frequencies)[args.first])]
    spent = measure.seconds(lambda: lombscargle(*inputs), 1, 0)
    print(
        f"{args.first:8} first call {1e3 * spent:.1f} ms, second {1e3 * measure.seconds(lambda: lombscargle(*inputs), 1, 0):.1f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1 << 10)
    parser.add_argument("--frequencies", type=int, default=1 << 20)
    parser.add_argument("--series", type=int, default=None, help="of the batch: 10,000 on a GPU, 200 on the cores")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--first", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.series = args.series or (10_000 if args.gpu else 200)
    first(args) if args.first else on_gpu(args) if args.gpu else on_cores(args)


if __name__ == "__main__":
    main()
