"""Lomb-Scargle periodograms by definition: a kernel with a thread for each frequency, which goes through a series' points."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from tessera import _core, cuda
from tessera.cuda import libdevice
from tessera.scipy.signal import _fit, _frequencies

# The float64 kernel takes points by so many: series are padded to a multiple, with weights of 0.
POINTS_AT_ONCE = 4
# Quarter turns that a 32-bit integer counts, with room to spare.
MOST_QUARTERS = 2.0**30
QUARTERS = 2 / math.pi
HALF_TURNS = 1 / math.pi
RADIANS = math.pi / 2
# Angles, in radians, up to which a sum of two float32 numbers holds them, whole half turns apart.
MOST_SINGLE = 2.0**17
ROUND = 1.5 * 2.0**23
# A thread's frequencies of the float32 kernel, and the points after which float32 sums are added up in float64.
SINGLES_AT_ONCE = 2
POINTS_A_SUM = 32
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


# The same to float32's precision. The angle, in half turns, and t are sums of two float32 numbers each; what ROUND adds leaves
# whole half turns in the last bits. Those change the signs of cosine and sine together, so that only y needs them: the third
# result is to be xored with its bits. The coefficients are a minimax fit for up to 0.52 half turns, within 1e-7.
@cuda.jit(device=True)
def _cos_sin_single(hi, lo, t, rest):
    rounded = cuda.fma(hi, t, _float32(ROUND))
    r = cuda.fma(lo, t, cuda.fma(hi, rest, cuda.fma(hi, t, _float32(ROUND) - rounded)))
    z = r * r
    s = _float32(-0.5978424549102783) + z * _float32(0.07683033496141434)
    s = r * (
        _float32(3.141592502593994) + z * (_float32(-5.1677045822143555) + z * (_float32(2.549996852874756) + z * s))
    )
    c = _float32(-1.3315678834915161) + z * _float32(0.218876913189888)
    c = _float32(1.0) + z * (_float32(-4.934792995452881) + z * (_float32(4.058383464813232) + z * c))
    return c, s, libdevice.float_as_int(rounded) << 31


# Of angles of any size: the product in radians is rounded once, as SciPy's is.
@cuda.jit(device=True)
def _cos_sin_wide(hi, lo, t):
    phase = hi * t
    return math.cos(phase), math.sin(phase)


FUNCTIONS = {"double": _cos_sin, "wide": _cos_sin_wide}


@functools.cache
def kernel(kind: str, fit: _fit.Fit, meets: bool) -> Any:
    """The kernel for `kind` ("double", "wide") and what is fitted. Where threads meet before each step, they compute the step
    together: that makes vectors of them on the cores."""
    cos_sin = FUNCTIONS[kind]
    in_turns = kind != "wide"
    floating, store = fit.floating, _fit.store(fit)

    @cuda.jit
    def lombscargle_direct(t, w, wy, freqs, scale, out):
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
            store(out, row, i, scale[row], yc, ys, cc, cs, c_sum, s_sum)

    return lombscargle_direct


@functools.cache
def single_kernel(fit: _fit.Fit, meets: bool) -> Any:
    """The kernel for float32: two frequencies a thread, a block apart. Sums of some points are float32, the sums of those
    float64."""
    floating, store = fit.floating, _fit.store(fit)
    zero = _float32(0.0)

    @cuda.jit(device=True)
    def half_turns(omega):
        hi = _float32(omega * HALF_TURNS)
        return hi, _float32(cuda.fma(omega, HALF_TURNS, -float(hi)))

    @cuda.jit(device=True)
    def with_point(hi, lo, t, rest, w, wy, yc, ys, cc, cs, c_sum, s_sum):
        c, s, sign = _cos_sin_single(hi, lo, t, rest)
        y = libdevice.int_as_float(libdevice.float_as_int(wy) ^ sign)
        wc = w * c
        if floating:
            signed = libdevice.int_as_float(libdevice.float_as_int(w) ^ sign)
            c_sum += signed * c
            s_sum += signed * s
        return yc + y * c, ys + y * s, cc + wc * c, cs + wc * s, c_sum, s_sum

    @cuda.jit
    def lombscargle_single(t, rest, w, wy, freqs, scale, out):
        i = 2 * cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        k = i + cuda.blockDim.x
        row = cuda.blockIdx.y
        count, points = freqs.shape[1], t.shape[1]
        row_of_freqs = min(row, freqs.shape[0] - 1)
        hi, lo = half_turns(freqs[row_of_freqs, min(i, count - 1)])
        hi_k, lo_k = half_turns(freqs[row_of_freqs, min(k, count - 1)])
        yc, ys, cc, cs, c_sum, s_sum = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        yc_k, ys_k, cc_k, cs_k, c_sum_k, s_sum_k = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for begin in range(0, points, POINTS_A_SUM):
            a, b, d, e, f, g = zero, zero, zero, zero, zero, zero
            a_k, b_k, d_k, e_k, f_k, g_k = zero, zero, zero, zero, zero, zero
            for j in range(begin, min(begin + POINTS_A_SUM, points)):
                if meets:
                    cuda.syncthreads()
                tj, rj, wj, yj = t[row, j], rest[row, j], w[row, j], wy[row, j]
                a, b, d, e, f, g = with_point(hi, lo, tj, rj, wj, yj, a, b, d, e, f, g)
                a_k, b_k, d_k, e_k, f_k, g_k = with_point(hi_k, lo_k, tj, rj, wj, yj, a_k, b_k, d_k, e_k, f_k, g_k)
            yc, ys, cc, cs = yc + a, ys + b, cc + d, cs + e
            yc_k, ys_k, cc_k, cs_k = yc_k + a_k, ys_k + b_k, cc_k + d_k, cs_k + e_k
            if floating:
                c_sum, s_sum, c_sum_k, s_sum_k = c_sum + f, s_sum + g, c_sum_k + f_k, s_sum_k + g_k
        if i < count:
            store(out, row, i, scale[row], yc, ys, cc, cs, c_sum, s_sum)
        if k < count:
            store(out, row, k, scale[row], yc_k, ys_k, cc_k, cs_k, c_sum_k, s_sum_k)

    return lombscargle_single


def bytes_at_once() -> int:
    """How much memory the work on many series may take at a time, where kernels run now."""
    return 1 << 28 if _core.kernels.runs_on_host() else _bytes_on_device()


@functools.cache
def _bytes_on_device() -> int:
    return min(1 << 32, max(1 << 28, cuda.current_context().get_memory_info().total // 16))


def periodogram(t: Any, w: Any, wy: Any, freqs: Any, scale: Any, kind: str, fit: _fit.Fit, out: Any) -> None:
    """Fills `out` with the fit of each series at each frequency.

    Shapes: t, w, wy: (series, points); freqs: (1 or series, m); scale: (series,); out: (series, m), with a last axis of 2 for
    amplitudes. Dtypes: float64, out any real one; with the kind "single" cosines and the sums of some points are float32.
    """
    import tessera.numpy as np

    series, count = t.shape[0], freqs.shape[1]
    on_host = _core.kernels.runs_on_host()
    block = 256 if on_host else _frequencies.BLOCK
    if kind == "single":
        near = t.astype(np.float32)
        points = (near, (t - near).astype(np.float32), w.astype(np.float32), wy.astype(np.float32))
        made, at_once = single_kernel(fit, on_host), block * SINGLES_AT_ONCE
    else:
        missing = -t.shape[1] % POINTS_AT_ONCE
        points = (np.pad(each, ((0, 0), (0, missing))) for each in (t, w, wy)) if missing else (t, w, wy)
        made, at_once = kernel(kind, fit, on_host), block
    made[(-(-count // at_once), series), block](*map(np.asarray, points), freqs, np.asarray(scale), out)
