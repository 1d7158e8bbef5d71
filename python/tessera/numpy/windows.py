"""Window functions of signal processing, and the Bessel function that kaiser needs."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import Foreign, native

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

_pi = numpy.pi


def _length(M):
    length = numpy.array([0.0, M])[1]
    if length.dtype.char == "g":
        raise Foreign("longdouble arrays stay NumPy arrays")
    return length


def _window(M, shape):
    length = _length(M)
    if length < 1:
        return core.empty((0,), numpy.float64)
    if length == 1:
        return core.full((1,), 1.0, numpy.float64)
    return shape(core.arange(1 - length, length, 2), length - 1)


@native
def bartlett(M):
    """The triangle that is zero at both ends.

    Shapes: (M,), empty below 1. Dtypes: float64. Errors: TypeError where M is no number. Source: Bartlett 1950; Harris 1978
    compares the windows.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.bartlett(3).round(3)
    array([0., 1., 0.])
    """
    return _window(M, lambda n, span: core.where(core.less_equal(n, 0), 1 + n / span, 1 - n / span))


@native
def blackman(M):
    """0.42 + 0.5 cos + 0.08 cos of the double angle.

    Shapes: (M,), empty below 1. Dtypes: float64. Errors: TypeError where M is no number. Source: Blackman and Tukey 1958.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.blackman(3).round(3)
    array([-0.,  1., -0.])
    """
    return _window(M, lambda n, span: 0.42 + 0.5 * core.cos(_pi * n / span) + 0.08 * core.cos(2.0 * _pi * n / span))


@native
def hanning(M):
    """The raised cosine that is zero at both ends.

    Shapes: (M,), empty below 1. Dtypes: float64. Errors: TypeError where M is no number. Source: von Hann; Blackman and Tukey
    1958.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.hanning(3).round(3)
    array([0., 1., 0.])
    """
    return _window(M, lambda n, span: 0.5 + 0.5 * core.cos(_pi * n / span))


@native
def hamming(M):
    """The raised cosine on a small pedestal.

    Shapes: (M,), empty below 1. Dtypes: float64. Errors: TypeError where M is no number. Source: 0.54 and 0.46 by Hamming;
    Blackman and Tukey 1958.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.hamming(3).round(3)
    array([0.08, 1.  , 0.08])
    """
    return _window(M, lambda n, span: 0.54 + 0.46 * core.cos(_pi * n / span))


@native
def kaiser(M, beta):
    """The window of Bessel functions, `beta` choosing between narrow peak and low side lobes.

    Shapes: (M,), empty below 1. Dtypes: float64. Errors: TypeError where M is no number. Source: Kaiser and Schafer 1980; I0
    by Chebyshev series (Clenshaw 1962).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.kaiser(3, 2).round(3)
    array([0.439, 1.   , 0.439])
    """
    length = _length(M)
    beta = float(beta)
    if length == 1:
        return core.full((1,), 1.0, numpy.float64)
    n = core.arange(0, length)
    half = (length - 1) / 2.0
    return bessel_i0(beta * core.sqrt(1 - ((n - half) / half) ** 2.0)) / numpy.i0(beta)


# Chebyshev coefficients of exp(-x) I0(x) in x / 2 - 2 on [0, 8] ...
_near = (
    0.6767952744094761,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
    -4.4153416464793395e-18,
)
# ... and of exp(-x) sqrt(x) I0(x) in 32 / x - 2 on [8, inf).
_far = (
    0.8044904110141088,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
    -4.830504485944178e-18,
    -7.23318048787476e-18,
)


def _chebyshev(x, coefficients):
    """Clenshaw's sum; x in [-2, 2]."""
    later, latest = 0.0, 0.0
    for c in reversed(coefficients[1:]):
        latest, later = x * latest - later + c, latest
    return 0.5 * x * latest - later + 0.5 * coefficients[0]


def bessel_i0(x):
    """I0 of a floating array, by two Chebyshev expansions."""
    x = core.absolute(x)
    near = core.minimum(x, 8.0)
    far = core.maximum(x, 8.0)
    small = core.exp(near) * _chebyshev(near / 2.0 - 2.0, _near)
    large = core.exp(far) * _chebyshev(32.0 / far - 2.0, _far) / core.sqrt(far)
    return core.where(x <= 8.0, small, large)
