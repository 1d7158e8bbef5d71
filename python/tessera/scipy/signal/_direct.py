"""Lomb-Scargle sums by definition: a kernel with a thread for each frequency, which goes through a series' points."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from tessera import _core, cuda

# Points are taken by so many: series are padded to a multiple, with weights of 0.
POINTS_AT_ONCE = 4
# Quarter turns that a 32-bit integer counts, with room to spare.
MOST_QUARTERS = 2.0**30
QUARTERS = 2 / math.pi
RADIANS = math.pi / 2
_int32, _float32 = numpy.int32, numpy.float32


# Of the angle hi + lo, in quarter turns, times t: whole quarters are taken off, exactly, before anything is rounded. The
# coefficients are those of fdlibm's k_sin and k_cos (Sun Microsystems, 1993), within 0.6 ulp for angles up to pi / 4.
@cuda.jit(device=True)
def _cos_sin(hi, lo, t):
    quarters = numpy.rint(hi * t)
    r = cuda.fma(lo, t, cuda.fma(hi, t, -quarters)) * RADIANS
    z = r * r
    s = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
    s = -1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 + z * s)
    s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * s))
    c = 2.08757232129817482790e-09 + z * -1.13596475577881948265e-11
    c = 2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 + z * c)
    c = 4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * c)
    c = 1.0 - z * (0.5 - z * c)
    k = _int32(quarters)
    odd = (k & 1) != 0
    first = s if odd else c
    second = c if odd else s
    return (-first if ((k + 1) & 2) != 0 else first), (-second if (k & 2) != 0 else second)


# The same to float32's precision, of an angle that is still float64 (Cephes' sinf and cosf, Moshier, 1989).
@cuda.jit(device=True)
def _cos_sin_single(hi, lo, t):
    quarters = numpy.rint(hi * t)
    r = _float32(cuda.fma(hi, t, -quarters)) * _float32(RADIANS)
    z = r * r
    s = _float32(8.3321608736e-3) + z * _float32(-1.9515295891e-4)
    s = r + r * z * (_float32(-1.6666654611e-1) + z * s)
    c = _float32(-1.388731625493765e-3) + z * _float32(2.443315711809948e-5)
    c = _float32(1.0) - z * (_float32(0.5) - z * (_float32(4.166664568298827e-2) + z * c))
    k = _int32(quarters)
    odd = (k & 1) != 0
    first = s if odd else c
    second = c if odd else s
    return (-first if ((k + 1) & 2) != 0 else first), (-second if (k & 2) != 0 else second)


# Of angles of any size: the product in radians is rounded once, as SciPy's is.
@cuda.jit(device=True)
def _cos_sin_wide(hi, lo, t):
    phase = hi * t
    return math.cos(phase), math.sin(phase)


FUNCTIONS = {"double": _cos_sin, "single": _cos_sin_single, "wide": _cos_sin_wide}


@functools.cache
def _kernel(kind: str, floating: bool, meets: bool) -> Any:
    """The kernel for `kind` ("double", "single", "wide"), with the sums that a floating mean needs. Where threads meet before
    each step, they compute the step together: that makes vectors of them on the cores."""
    cos_sin = FUNCTIONS[kind]
    in_turns = kind != "wide"

    @cuda.jit
    def lombscargle_sums(t, w, wy, freqs, out):
        i = cuda.grid(1)
        row = cuda.blockIdx.y
        count = freqs.shape[1]
        omega = freqs[min(row, freqs.shape[0] - 1), min(i, count - 1)]
        hi, lo = omega, 0.0
        if in_turns:
            hi = omega * QUARTERS
            lo = cuda.fma(-hi, RADIANS, omega) * QUARTERS
        cc, cs, yc, ys, c_sum, s_sum = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(0, t.shape[1], 4):
            if meets:
                cuda.syncthreads()
            c0, s0 = cos_sin(hi, lo, t[row, j])
            c1, s1 = cos_sin(hi, lo, t[row, j + 1])
            c2, s2 = cos_sin(hi, lo, t[row, j + 2])
            c3, s3 = cos_sin(hi, lo, t[row, j + 3])
            y0, y1, y2, y3 = wy[row, j], wy[row, j + 1], wy[row, j + 2], wy[row, j + 3]
            yc += (y0 * c0 + y1 * c1) + (y2 * c2 + y3 * c3)
            ys += (y0 * s0 + y1 * s1) + (y2 * s2 + y3 * s3)
            w0, w1, w2, w3 = w[row, j] * c0, w[row, j + 1] * c1, w[row, j + 2] * c2, w[row, j + 3] * c3
            cc += (w0 * c0 + w1 * c1) + (w2 * c2 + w3 * c3)
            cs += (w0 * s0 + w1 * s1) + (w2 * s2 + w3 * s3)
            if floating:
                c_sum += (w0 + w1) + (w2 + w3)
                s_sum += (w[row, j] * s0 + w[row, j + 1] * s1) + (w[row, j + 2] * s2 + w[row, j + 3] * s3)
        if i < count:
            out[0, row, i] = yc
            out[1, row, i] = ys
            out[2, row, i] = cc
            out[3, row, i] = cs
            if floating:
                out[4, row, i] = c_sum
                out[5, row, i] = s_sum

    return lombscargle_sums


def bytes_at_once() -> int:
    """How much memory the work on many series may take at a time, where kernels run now."""
    return 1 << 28 if _core.kernels.runs_on_host() else _bytes_on_device()


@functools.cache
def _bytes_on_device() -> int:
    return min(1 << 32, max(1 << 28, cuda.current_context().get_memory_info().total // 16))


def sums(t: Any, w: Any, wy: Any, freqs: Any, kind: str, floating: bool) -> Any:
    """Sums over the points of series, for each frequency: of wy cos, wy sin, w cos^2, w cos sin and, with a floating mean, w cos
    and w sin.

    Shapes: t, w, wy: (series, points), points a multiple of POINTS_AT_ONCE; freqs: (1 or series, m); result: (4 or 6, series, m).
    Dtypes: t and freqs float64; w and wy float64, or float32 where kind is "single"; result float64.
    """
    import tessera.numpy as np

    series, count = t.shape[0], freqs.shape[1]
    out = np.empty((6 if floating else 4, series, count))
    on_host = _core.kernels.runs_on_host()
    block = 256 if on_host else 128
    _kernel(kind, floating, on_host)[(-(-count // block), series), block](t, w, wy, freqs, out)
    return out
