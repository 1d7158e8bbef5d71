"""Medians, percentiles and quantiles by every method NumPy has."""

from __future__ import annotations

import builtins

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from tessera import _core as core
from tessera.numpy._dispatch import Foreign, as_array, foreign_reason, keeps_array_class, keeps_class, normalize_axes
from tessera.numpy.reductions import mean

__all__ = ["median", "percentile", "quantile"]


def merge_axes(a, axis):
    """`a` with the reduced axes merged into one, that axis, and the shape keepdims asks for."""
    if axis is None:
        return a if a.ndim == 1 else a.ravel(), 0, (1,) * a.ndim
    axes = normalize_axes(axis, a.ndim)
    kept = tuple([1 if k in axes else extent for k, extent in enumerate(a.shape)])
    if len(axes) == 1:
        return a, axes[0], kept
    rest = [k for k in range(a.ndim) if k not in axes]
    moved = a.transpose(rest + [k for k in range(a.ndim) if k in axes])
    return moved.reshape(moved.shape[: len(rest)] + (-1,)), len(rest), kept


def finish(result, out, keepdims, kept, lead=()):
    """The result in its final shape, written to `out` when there is one."""
    if keepdims:
        result = core.asarray(result).reshape(lead + kept)
    if out is None:
        return result
    core.copyto(out, result, "unsafe")
    return out


@keeps_class
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle of the sorted elements, of all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s.
    Errors: AxisError for an axis that is not there. NaN where one is among the elements or there are none.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.median([3, 1, 2])
    np.float64(2.0)
    """
    a = as_array(a)
    merged, axis, kept = merge_axes(a, axis)
    return finish(_median(merged, axis), out, keepdims is True or keepdims == 1, kept)


def _median(a, axis):
    count = a.shape[axis]
    if a.ndim == 0:
        return mean(a)
    half = count // 2
    middle = [half] if count % 2 else [half - 1, half]
    may_have_nan = a.dtype.kind in "fc" and count > 0
    if count:
        a = core.order_places(a, middle + [-1] if may_have_nan else middle, axis)
    before = (slice(None),) * axis
    result = mean(a[before + (slice(builtins.max(middle[0], 0), half + 1),)], axis=axis)
    if not may_have_nan:
        return result
    last = a[before + (-1,)]
    nans = core.isnan(last)
    if not nans.any():
        return result
    return core.where(nans, last, result) if core.is_own(result) else last


@keeps_array_class
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th percentiles, of all elements or along axes.

    Shapes: those of q, then `a`'s without `axis`, which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s.
    Errors: ValueError for q outside of [0, 100], an unknown method or negative weights; TypeError for complex numbers;
    AxisError. Source: Hyndman and Fan 1996, whose nine definitions `method` names beside NumPy's own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.percentile([1, 2, 3, 4], 50)
    np.float64(2.5)
    """
    weak = type(q) in (int, float)
    q = numpy.true_divide(_native_numbers(q), 100, out=...)
    _check_range(q, "Percentiles must be in the range [0, 100]")
    return _quantiles(as_array(a), q, weak, axis, out, method, keepdims, weights)


@keeps_array_class
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The q-th quantiles, of all elements or along axes.

    Shapes: those of q, then `a`'s without `axis`, which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s.
    Errors: ValueError for q outside of [0, 1], an unknown method or negative weights; TypeError for complex numbers;
    AxisError. Source: Hyndman and Fan 1996, whose nine definitions `method` names beside NumPy's own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.quantile([1, 2, 3, 4], [0.25, 0.75])
    array([1.75, 3.25])
    """
    weak = type(q) in (int, float)
    q = _native_numbers(q)
    _check_range(q, "Quantiles must be in the range [0, 1]")
    return _quantiles(as_array(a), q, weak, axis, out, method, keepdims, weights)


def _native_numbers(q):
    """q as an array; Foreign when its numbers are objects such as fractions."""
    q = numpy.asarray(q)
    if q.dtype.kind not in "biuf":
        raise Foreign(foreign_reason(q.dtype))
    return q


def _check_range(q, message):
    if q.ndim == 0:
        if not 0 <= q <= 1:
            raise ValueError(message)
    elif q.size and not (q.min() >= 0 and q.max() <= 1):
        raise ValueError(message)


def _quantiles(a, q, weak, axis, out, method, keepdims, weights):
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if weights is not None:
        weights = _checked_weights(weights, a, axis, method)
    merged, k, kept = merge_axes(a, axis)
    if weights is not None:
        weights = merge_axes(weights, axis)[0]
        result = _weighted_quantiles(merged, q, k, weights)
    else:
        result = sorted_quantiles(merged, q, weak, k, method)
    return finish(result, out, keepdims is True or keepdims == 1, kept, q.shape)


def _checked_weights(weights, a, axis, method):
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = as_array(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = normalize_axis_tuple(axis, a.ndim, "axis")
        if weights.shape != tuple([a.shape[k] for k in axes]):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        order = sorted(range(len(axes)), key=axes.__getitem__)
        weights = weights.transpose(order)
        weights = weights.reshape([extent if k in axes else 1 for k, extent in enumerate(a.shape)])
        weights = core.broadcast_to(weights, a.shape)
    if (weights < 0).any():
        raise ValueError("Weights must be non-negative.")
    return weights


# Where in the sorted sample a quantile lies: n q + alpha + q (1 - alpha - beta) - 1, by Hyndman and Fan.
_plotting_positions = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
_taking = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
_methods = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher midpoint nearest"
).split()


def _position(method, n, q):
    """The position in a sorted sample of n: integers where an element is taken as it is, else real numbers."""
    if method == "linear":
        return (n - 1) * q
    if method in _plotting_positions:
        alpha, beta = _plotting_positions[method]
        return n * q + (alpha + q * (1 - alpha - beta)) - 1
    if method == "averaged_inverted_cdf":
        return n * q - 1
    if method == "midpoint":
        return 0.5 * (numpy.floor((n - 1) * q) + numpy.ceil((n - 1) * q))
    if method in ("inverted_cdf", "closest_observation"):
        at = n * q - 1 if method == "inverted_cdf" else n * q - 1 - 0.5
        below = numpy.floor(at)
        exact = at == below
        stay = exact if method == "inverted_cdf" else exact & (below % 2 == 1)
        return numpy.maximum(numpy.where(stay, below, below + 1).astype(numpy.intp), 0)
    rounding = {"lower": numpy.floor, "higher": numpy.ceil, "nearest": numpy.around}
    if method in rounding:
        return rounding[method]((n - 1) * q).astype(numpy.intp)
    names = ", ".join(repr(name) for name in _methods)
    raise ValueError(f"{method!r} is not a valid method. Use one of: dict_keys([{names}])")


def _fraction(method, at, below):
    fraction = at - below
    if method == "averaged_inverted_cdf":
        return numpy.where(fraction == 0, 0.5, 1.0)
    if method == "midpoint":
        return numpy.where(at % 1 == 0, 0.0, 0.5)
    return fraction


def sorted_quantiles(a, q, weak, axis, method="linear"):
    """Unweighted quantiles along one axis; those of slices with a NaN are NaN."""
    n = a.shape[axis]
    if q.ndim == 0 and method == "linear" and q.dtype == _float64 and n:
        return _linear_quantile(a, float(q), weak, axis, n)
    at = numpy.asarray(_position(method, n, q))
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    if axis:
        a = a.transpose([axis] + [k for k in range(a.ndim) if k != axis])
    inexact = a.dtype.kind in "fV"
    if at.dtype.kind in "iu" and (method == "linear" or method in _taking):
        kth = at.ravel().tolist()
        part = core.order_places(a, kth + [n - 1] if inexact else kth, 0)
        result = core.take(part, at if at.ndim else int(at), 0)
    else:
        below = numpy.floor(at)
        above = below + 1
        high, low, undefined = at >= n - 1, at < 0, numpy.isnan(at)
        below = numpy.where(low, 0, numpy.where(high | undefined, n - 1, below)).astype(numpy.intp)
        above = numpy.where(low, 0, numpy.where(high | undefined, n - 1, above)).astype(numpy.intp)
        part = core.order_places(
            a, numpy.unique(numpy.concatenate(([0, n - 1], below.ravel(), above.ravel()))).tolist(), 0
        )
        marks = numpy.where(high | undefined, -1, numpy.where(low, 0, numpy.floor(at)))
        fraction = numpy.asarray(_fraction(method, at, marks), at.dtype)
        result = _between(part, below, above, fraction, weak)
    return _with_nans(result, part) if inexact else result


_float64 = numpy.dtype(numpy.float64)


def _linear_quantile(a, q, weak, axis, n):
    """The commonest case, one quantile by the default method, on Python numbers."""
    at = (n - 1) * q
    low = int(at)
    if axis:
        a = a.transpose([axis] + [k for k in range(a.ndim) if k != axis])
    high = min(low + 1, n - 1)
    inexact = a.dtype.kind in "fV"
    part = core.order_places(a, sorted({low, high, n - 1}) if inexact else [low, high], 0)
    left, right = part[low], part[high]
    fraction = at - low if at < n - 1 else at + 1.0
    t = fraction if weak else numpy.float64(fraction)
    difference = right - left
    result = right - difference * (1 - t) if t >= 0.5 else left + difference * t
    return _with_nans(result, part) if inexact else result


def _with_nans(result, part):
    """NaN for the slices that have one: it is sorted last."""
    last = part[-1]
    nans = core.isnan(last)
    if not nans.any():
        return result
    if not core.is_own(result):
        return last
    return core.where(nans, last if result.dtype == part.dtype else last.astype(result.dtype), result)


def _between(part, below, above, fraction, weak):
    """Linear interpolation, from the nearer end so that a fraction of 1 gives `above` exactly."""
    if below.ndim == 0:
        left, right = part[int(below)], part[int(above)]
        t = float(fraction) if weak else fraction[()]
        difference = right - left
        return right - difference * (1 - t) if t >= 0.5 else left + difference * t
    left, right = core.take(part, core.asarray(below), 0), core.take(part, core.asarray(above), 0)
    t = core.asarray(fraction.reshape(fraction.shape + (1,) * (part.ndim - 1)))
    difference = right - left
    return core.where(t >= 0.5, right - difference * (1 - t), left + difference * t)


def _weighted_quantiles(a, q, axis, weights):
    if axis:
        order = [axis] + [k for k in range(a.ndim) if k != axis]
        a, weights = a.transpose(order), weights.transpose(order)
    n = a.shape[0]
    order = core.argsort(a, 0)
    a = core.take_along_axis(a, order, 0)
    weights = core.take_along_axis(weights, order, 0)
    below = core.cumsum(weights, 0, numpy.float64)
    below = below / below[-1]
    if core.isnan(below[-1]).any():
        raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.kind == "f":
        below = below.astype(q.dtype)
    # A quantile of 0 is the first element that has a weight.
    below = core.where(below == 0, below.dtype.type(-1), below)
    # The first position where the cumulated weight reaches q, counted instead of searched: one pass a quantile.
    shape = q.shape + a.shape[1:]
    result = core.empty(shape, a.dtype)
    for at in numpy.ndindex(q.shape):
        first = core.add.reduce(below < q[at], 0, numpy.intp)
        first = core.minimum(first, n - 1)
        if a.ndim == 1:
            result[at] = a[int(first)]
        else:
            result[at] = core.take_along_axis(a, first[None], 0)[0]
    if a.dtype.kind == "f":
        last = a[-1]
        nans = core.isnan(last)
        if nans.any():
            result = core.where(nans, last, result)
    return result
