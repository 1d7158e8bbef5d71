"""The generalised Lomb-Scargle periodogram: arguments, the choice of the method, and what follows from the sums."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy

from tessera import _core
from tessera.scipy.signal import _compilation, _direct, _fit, _frequencies, _uniform

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_NORMALIZATIONS = ("power", "normalize", "amplitude")
# What a point takes at a frequency, about: on one thread, and on a device.
_NANOSECONDS_A_PAIR, _OPERATIONS_A_PAIR = 4, 60
# A series of so many points is prepared on the host.
_MOST_ON_HOST = 1 << 16


class _Unspecified:
    def __repr__(self) -> str:
        return "<no value>"


_NoValue: Any = _Unspecified()


def lombscargle(
    x: ArrayLike,
    y: ArrayLike,
    freqs: ArrayLike,
    *,
    precenter: bool = _NoValue,
    normalize: bool | Literal["power", "normalize", "amplitude"] = False,
    weights: ArrayLike | None = None,
    floating_mean: bool = False,
    offsets: ArrayLike | None = None,
) -> Any:
    """The generalised Lomb-Scargle periodogram of one series, or of many in one call.

    For each angular frequency w the power of the weighted least-squares fit a cos(w x) + b sin(w x), with floating_mean=True of
    a cos(w x) + b sin(w x) + c. `normalize`: False or "power" for the power (A^2 N/4 of a harmonic of amplitude A); True or
    "normalize" for the part of the series' variation about 0 (about its mean with floating_mean) that the fit explains, 0 to 1, NaN where there is none;
    "amplitude" for the complex a + b i. `precenter=True` subtracts the mean of y first (deprecated in SciPy, which drops it in
    1.19). Weights are scaled to a sum of 1.

    Evenly spaced frequencies (from 32 on) go by small matrix products, others by a kernel that stores nothing for a pair of point and
    frequency. Phases are computed in float64 about the mean of x.

    Shapes: x, y, weights: (n,), n > 0; freqs: (m,); result: (m,), () for m = 1, as SciPy gives it. With `offsets` (series + 1
    integers from 0 to n, ascending) x, y and weights hold series one after another, series k at offsets[k]:offsets[k + 1], and
    freqs is (m,) for all of them or (series, m); result: (series, m).
    Dtypes: float64; x, y, freqs and weights that are all float32 give float32 (SciPy: float64), with cosines of that precision
    and sums in float64. "amplitude" gives complex128 or complex64. Units: radians per unit of x.
    Errors: ValueError for other shapes, negative weights, weights with a sum of 0, an unknown `normalize`, and offsets that are
    no series of at least one point each.
    Source: N. R. Lomb (1976); J. D. Scargle (1982); M. Zechmeister and M. Kuerster, Astronomy and Astrophysics 496 (2009).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> from tessera.scipy.signal import lombscargle
    >>> t = np.linspace(0, 20, 50)
    >>> power = lombscargle(t, np.sin(2 * t), [1.0, 2.0], normalize=True)
    >>> power.round(2)
    array([0.01, 1.  ])
    """
    import tessera.numpy as np

    if isinstance(normalize, (bool, numpy.bool_)):
        normalize = "normalize" if normalize else "power"
    given = [x, y, freqs] if weights is None else [x, y, freqs, weights]
    is_single = all(getattr(array, "dtype", None) == numpy.float32 for array in given)
    x, y, freqs = (np.asarray(array, dtype=np.float64) for array in (x, y, freqs))
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
    if not (x.ndim == 1 and x.size > 0 and x.shape == y.shape and (weights is None or weights.shape == x.shape)):
        shapes = ", ".join(str(array.shape) for array in (x, y, weights) if array is not None)
        raise ValueError(f"Parameters x, y, weights must be 1-D arrays of equal non-zero length! (got {shapes})")
    bounds = None if offsets is None else _bounds(offsets, x.size)
    if not (freqs.size > 0 and (freqs.ndim == 1 or bounds is not None and freqs.ndim == 2)):
        raise ValueError(f"Parameter freqs must be a 1-D array of non-zero length! (got {freqs.shape})")
    if freqs.ndim == 2 and freqs.shape[0] != len(bounds) - 1:
        raise ValueError(f"lombscargle: freqs has {freqs.shape[0]} rows for {len(bounds) - 1} series")
    if normalize not in _NORMALIZATIONS:
        raise ValueError(
            f"Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'. (got {normalize!r})"
        )
    if precenter is not _NoValue:
        warnings.warn(
            "lombscargle: precenter is deprecated in SciPy and goes in 1.19; pass y - y.mean(), or floating_mean=True",
            DeprecationWarning,
            stacklevel=2,
        )
    floating_mean, precenter = bool(floating_mean), precenter is not _NoValue and bool(precenter)

    def compute() -> Any:
        plan = _Plan(freqs if freqs.ndim == 2 else freqs[None, :], normalize, floating_mean, precenter, is_single)
        if bounds is None:
            row = None if weights is None else weights[None, :]
            result = plan.run(x[None, :], y[None, :], row, None, slice(None))[0]
            return result if freqs.size > 1 else np.squeeze(result)
        return plan.run_batch(x, y, weights, bounds)

    pairs = x.size * freqs.shape[-1]  # each series has the frequencies of a row
    return _core.kernels.call_together(
        compute, "lombscargle", [x, y, freqs], pairs * _NANOSECONDS_A_PAIR, pairs * _OPERATIONS_A_PAIR
    )


def _bounds(offsets: Any, size: int) -> numpy.ndarray:
    """The offsets on the host, after checks."""
    bounds = numpy.asarray(offsets)
    if bounds.ndim != 1 or bounds.size < 2 or bounds.dtype.kind not in "iu":
        raise ValueError(
            f"lombscargle: offsets must be a 1-D array of at least two integers (got {bounds.dtype} of shape {bounds.shape})"
        )
    bounds = bounds.astype(numpy.int64)
    if bounds[0] != 0 or bounds[-1] != size:
        raise ValueError(f"lombscargle: offsets go from {bounds[0]} to {bounds[-1]}; x has elements 0 to {size}")
    short = numpy.flatnonzero(numpy.diff(bounds) < 1)
    if short.size:
        k = int(short[0])
        raise ValueError(f"lombscargle: series {k} is {bounds[k]}:{bounds[k + 1]}; a series needs at least one point")
    return bounds


class _Plan:
    """What a call asks for, over rows of series of equal (padded) length."""

    def __init__(self, freqs: Any, normalize: str, floating: bool, precenter: bool, is_single: bool) -> None:
        import tessera.numpy as np

        self.freqs = freqs  # (1 or series, m)
        self.count = freqs.shape[1]
        self.normalize = normalize
        self.floating = floating
        self.precenter = precenter
        self.is_single = is_single
        self.fit = _fit.Fit(floating, normalize == "amplitude")
        _compilation.compile_for(freqs, self.fit, is_single)
        self.frequencies = _frequencies.examine(freqs)
        if is_single:
            self.dtype = np.complex64 if normalize == "amplitude" else np.float32
        else:
            self.dtype = np.complex128 if normalize == "amplitude" else np.float64

    def run(self, x: Any, y: Any, weights: Any, lengths: Any, rows: Any) -> Any:
        """The periodograms (rows, m) of series (rows, points); of shorter ones `lengths` says how many points count."""
        import tessera.numpy as np

        series, points = x.shape
        # Without kernels of its own.
        xp = numpy if lengths is None and points <= _MOST_ON_HOST else np
        x, y, weights = (each if each is None else xp.asarray(each) for each in (x, y, weights))
        is_point = None if lengths is None else xp.arange(points) < lengths[:, None]
        number = xp.full((series, 1), float(points)) if lengths is None else lengths[:, None].astype(float)

        def kept(values: Any) -> Any:
            return values if is_point is None else xp.where(is_point, values, 0.0)

        if weights is None:
            w = kept(xp.broadcast_to(1.0 / number, x.shape))
        else:
            w = kept(weights)
            total = xp.sum(w, axis=1, keepdims=True)
            if not (xp.all(w >= 0) and xp.all(total > 0)):
                raise ValueError("Parameter weights must have only non-negative entries which sum to a positive value!")
            w = w * (1.0 / total)
        if self.precenter:
            y = y - xp.sum(kept(y), axis=1, keepdims=True) / number
        y = kept(y)
        if self.floating:  # the sums of y cos and y sin are then about their means already
            # About one of its values a constant series is 0, and others lose no digits to their level.
            y = kept(y - xp.take_along_axis(y, xp.argmax(w, axis=1)[:, None], axis=1))
            y = kept(y - xp.sum(w * y, axis=1, keepdims=True))
        wy = w * y
        if self.normalize == "normalize":
            variation = xp.sum(wy * y, axis=1)
            varies = variation > 0.0
            scale = xp.where(varies, 1.0 / xp.where(varies, variation, 1.0), xp.nan)
        else:
            scale = 0.5 * number[:, 0]
        origin = xp.sum(kept(x), axis=1, keepdims=True) / number
        t = kept(x - origin)
        span = float(xp.max(xp.abs(t)))
        largest, deviation = self.frequencies.largest, self.frequencies.deviation
        freqs = self.freqs if self.freqs.shape[0] == 1 else self.freqs[rows]
        kind = "double" if largest * span < _direct.MOST_QUARTERS else "wide"
        parts = (2,) if self.fit.amplitude else ()
        out = np.empty((series, self.count, *parts), dtype=np.float32 if self.is_single else np.float64)
        if self.count >= _uniform.FEWEST and self._is_uniform(largest, deviation, span):
            own = slice(None) if self.freqs.shape[0] == 1 else rows
            first, step = self.frequencies.first[own], self.frequencies.step[own]
            _uniform.periodogram(t, w, wy, first, step, scale, kind, self.fit, out)
        else:
            if kind == "wide":
                t, origin = kept(x), xp.zeros((series, 1))
            elif self.is_single and largest * span < _direct.MOST_SINGLE:
                kind = "single"
            _direct.periodogram(t, w, wy, freqs, scale, kind, self.fit, out)
        if not self.fit.amplitude:
            return out
        phase = freqs * np.asarray(origin)
        result = out.view(self.dtype)[:, :, 0] * (np.cos(phase) + 1j * np.sin(phase))
        return result.astype(self.dtype, copy=False)

    def _is_uniform(self, largest: float, deviation: float, span: float) -> bool:
        """Whether taking frequencies for evenly spaced changes phases by no more than rounding does."""
        rounding = 2 * numpy.finfo(numpy.float64).eps * largest
        return deviation <= rounding or self.is_single and deviation * span <= 2e-6

    def run_batch(self, x: Any, y: Any, weights: Any, bounds: numpy.ndarray) -> Any:
        """The periodograms of series of different lengths: those of about the same length together, as rows."""
        import tessera.numpy as np

        lengths = numpy.diff(bounds)
        result = np.empty((lengths.size, self.count), dtype=self.dtype)
        for rows, points in self._groups(lengths):
            starts, own = np.asarray(bounds[rows]), np.asarray(lengths[rows])
            places = starts[:, None] + np.minimum(np.arange(points), own[:, None] - 1)
            taken = (values if values is None else values[places] for values in (x, y, weights))
            result[rows] = self.run(*taken, own, rows)
        return result

    def _groups(self, lengths: numpy.ndarray) -> Any:
        """Rows whose lengths differ by at most an eighth, and their padded length; so many that their sums fit."""
        order = numpy.argsort(-lengths, kind="stable")
        ordered, begin = lengths[order], 0
        unit = _direct.POINTS_AT_ONCE
        while begin < order.size:
            points = -(-int(ordered[begin]) // unit) * unit
            end = begin + int(numpy.count_nonzero(ordered[begin:] >= min(points - 2 * unit, points * 7 // 8)))
            end = max(end, begin + 1)
            bytes_a_row = 96 * self.count + points * _uniform.bytes_a_point(self.count, self.floating)
            most = max(1, min(65535, _direct.bytes_at_once() // bytes_a_row))
            for start in range(begin, end, most):
                yield order[start : min(end, start + most)], points
            begin = end
