"""From the sums over a series' points to the fit at a frequency, in kernels."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy

from tessera import cuda

_EPSNEG = float(numpy.finfo(numpy.float64).epsneg)


@dataclasses.dataclass(frozen=True)
class Fit:
    """What is asked for at a frequency."""

    floating: bool  # a cos + b sin + c, not a cos + b sin
    amplitude: bool  # a and b, not the power


# A sum of squares that rounding leaves below epsneg counts as epsneg, as in SciPy; NaN stays.
@cuda.jit(device=True)
def _above(x):
    return _EPSNEG if x < _EPSNEG else x


# The delay tau at which cosine and sine are orthogonal makes the 2 x 2 system diagonal (Lomb, 1976). cos tau and sin tau are
# those of half the angle of (difference, double).
@cuda.jit(device=True)
def _solve(yc, ys, cc, cs, ss):
    difference, double = cc - ss, 2.0 * cs
    radius = math.sqrt(difference * difference + double * double)
    larger, smaller = 1.0, 0.0
    if radius > 1e-100:
        most = radius + abs(difference)
        by = 1.0 / math.sqrt(2.0 * radius * most)
        larger, smaller = most * by, abs(double) * by
    cosine = larger if difference >= 0.0 else smaller
    sine = smaller if difference >= 0.0 else larger
    sine = -sine if double < 0.0 else sine
    middle = 0.5 * (cc + ss)
    cc, ss = _above(middle + 0.5 * radius), _above(middle - 0.5 * radius)
    return yc * cosine + ys * sine, ys * cosine - yc * sine, cc, ss, cosine, sine


@functools.cache
def store(fit: Fit) -> Any:
    """The device function that stores the fit at a frequency, from the sums of wy cos, wy sin, w cos^2, w cos sin, w cos, w sin."""
    floating, amplitude = fit.floating, fit.amplitude

    @cuda.jit(device=True)
    def store_fit(out, row, i, scale, yc, ys, cc, cs, c, s):
        ss = 1.0 - cc
        if floating:
            cc, ss, cs = cc - c * c, ss - s * s, cs - c * s
        yc, ys, cc, ss, cosine, sine = _solve(yc, ys, cc, cs, ss)
        inverse = 1.0 / (cc * ss)
        if amplitude:
            a, b = yc * ss * inverse, ys * cc * inverse
            out[row, i, 0] = a * cosine - b * sine
            out[row, i, 1] = a * sine + b * cosine
        else:
            out[row, i] = scale * ((yc * yc * ss + ys * ys * cc) * inverse)

    return store_fit
