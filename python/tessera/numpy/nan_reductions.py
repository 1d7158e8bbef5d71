"""Reductions that take no notice of NaN."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy import reductions
from tessera.numpy._dispatch import _NoValue, as_array, keeps_array_class, keeps_class, native, ndarray, warn
from tessera.numpy.order_statistics import (
    _check_range,
    _checked_weights,
    _median,
    finish,
    merge_axes,
    quantile,
    sorted_quantiles,
)

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
]


def _without_nan(a, value):
    """The array with NaNs replaced, and where they were; the array itself and None when its dtype has none."""
    a = as_array(a)
    if a.dtype.kind not in "fcV":
        return a, None
    nans = core.isnan(a)
    return core.where(nans, a.dtype.type(value), a), nans


@keeps_class
def nansum(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The sum of the elements that are not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s, small integers at least int64;
    or `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice. 0 where all are NaN.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nansum([1.0, np.nan, 3.0])
    np.float64(4.0)
    """
    return reductions.sum(_without_nan(a, 0)[0], axis, dtype, out, keepdims, initial, where)


@keeps_class
def nanprod(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The product of the elements that are not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s, small integers at least int64;
    or `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice. 1 where all are NaN.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanprod([1.0, np.nan, 3.0])
    np.float64(3.0)
    """
    return reductions.prod(_without_nan(a, 1)[0], axis, dtype, out, keepdims, initial, where)


def _extreme(ufunc, a, axis, out, keepdims, initial, where):
    is_array = isinstance(a, (ndarray, numpy.ndarray))
    a = as_array(a)
    # fmin and fmax pass over NaN unless there is nothing else.
    result = ufunc.reduce(a, axis, None, out, **reductions._options(keepdims, initial, where))
    if a.dtype.kind in "fcV" and core.isnan(result).any():
        warn(f"All-NaN {'slice' if is_array else 'axis'} encountered", RuntimeWarning)
    return result


@native
def nanmin(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The smallest element that is not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s. Errors: AxisError for an axis
    that is not there; ValueError for one named twice and where nothing is reduced. RuntimeWarning and NaN where all are NaN.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanmin([1.0, np.nan, 3.0])
    np.float64(1.0)
    """
    return _extreme(core.fmin, a, axis, out, keepdims, initial, where)


@native
def nanmax(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The largest element that is not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s. Errors: AxisError for an axis
    that is not there; ValueError for one named twice and where nothing is reduced. RuntimeWarning and NaN where all are NaN.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanmax([1.0, np.nan, 3.0])
    np.float64(3.0)
    """
    return _extreme(core.fmax, a, axis, out, keepdims, initial, where)


def _position(find, a, axis, out, keepdims, value):
    filled, nans = _without_nan(a, value)
    if nans is not None and nans.size and core.logical_and.reduce(nans, axis).any():
        raise ValueError("All-NaN slice encountered")
    return find(filled, axis, out, keepdims=keepdims)


@keeps_array_class
def nanargmin(a, axis=None, out=None, *, keepdims=_NoValue):
    """The position of the first smallest element that is not NaN.

    Shapes: `a`'s without `axis`, which `keepdims` keeps as 1. Dtypes: int64. Errors: ValueError where all are NaN; AxisError
    for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanargmin([1.0, np.nan, 3.0])
    np.int64(0)
    """
    return _position(reductions.argmin, a, axis, out, keepdims, numpy.inf)


@keeps_array_class
def nanargmax(a, axis=None, out=None, *, keepdims=_NoValue):
    """The position of the first largest element that is not NaN.

    Shapes: `a`'s without `axis`, which `keepdims` keeps as 1. Dtypes: int64. Errors: ValueError where all are NaN; AxisError
    for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanargmax([1.0, np.nan, 3.0])
    np.int64(2)
    """
    return _position(reductions.argmax, a, axis, out, keepdims, -numpy.inf)


@keeps_class
def nancumsum(a, axis=None, dtype=None, out=None):
    """The running sums, NaN counting as zero.

    Shapes: `a`'s, or flat without an axis. Dtypes: `a`'s, small integers at least int64; or `dtype`. Errors: AxisError for an
    axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nancumsum([1.0, np.nan, 3.0])
    array([1., 1., 4.])
    """
    return core.cumsum(_without_nan(a, 0)[0], axis, dtype, out)


@keeps_class
def nancumprod(a, axis=None, dtype=None, out=None):
    """The running products, NaN counting as one.

    Shapes: `a`'s, or flat without an axis. Dtypes: `a`'s, small integers at least int64; or `dtype`. Errors: AxisError for an
    axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nancumprod([1.0, np.nan, 3.0])
    array([1., 1., 3.])
    """
    return core.cumprod(_without_nan(a, 1)[0], axis, dtype, out)


@keeps_class
def nanmean(a, axis=None, dtype=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """The mean of the elements that are not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s; or
    `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice. RuntimeWarning and NaN where all
    are NaN.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanmean([1.0, np.nan, 3.0])
    np.float64(2.0)
    """
    filled, nans = _without_nan(a, 0)
    if nans is None:
        return reductions.mean(filled, axis, dtype, out, keepdims, where=where)
    _check_inexact(dtype, out)
    options = reductions._options(keepdims, _NoValue, where)
    count = core.add.reduce(core.logical_not(nans), axis, numpy.intp, None, **options)
    total = core.add.reduce(filled, axis, dtype, out, **options)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        result = _divided(total, count, out)
    if (count == 0).any():
        warn("Mean of empty slice", RuntimeWarning)
    return result


def _divided(total, count, out):
    if core.is_own(total):
        return core.divide(total, count, out=total if out is None else out, casting="unsafe")
    return total.dtype.type(core.divide(total, count))


def _check_inexact(dtype, out):
    if dtype is not None and numpy.dtype(dtype).kind not in "fcV":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind not in "fcV":
        raise TypeError("If a is inexact, then out must be inexact")


def _nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, root):
    filled, nans = _without_nan(a, 0)
    if nans is None:
        return reductions._variance(filled, axis, dtype, out, ddof, keepdims, where, mean, root)
    _check_inexact(dtype, out)
    here = core.logical_not(nans)
    chosen = {} if where is _NoValue else {"where": where}
    keep = keepdims is not _NoValue and keepdims
    if mean is _NoValue:
        count = core.add.reduce(here, axis, numpy.intp, None, True, **chosen)
        mean = core.add.reduce(filled, axis, dtype, None, True, **chosen)
        with numpy.errstate(invalid="ignore", divide="ignore"):
            mean = core.divide(mean, count).astype(
                numpy.dtype(dtype) if dtype is not None else filled.dtype, copy=False
            )
    distance = core.where(nans, filled.dtype.type(0), (filled - mean).astype(filled.dtype, copy=False))
    if distance.dtype.kind == "c":
        distance = distance.real * distance.real + distance.imag * distance.imag
    else:
        distance = distance * distance
    total = core.add.reduce(distance, axis, dtype, out, keep, **chosen)
    freedom = core.add.reduce(here, axis, numpy.intp, None, keep, **chosen) - ddof
    with numpy.errstate(invalid="ignore", divide="ignore"):
        result = _divided(total, freedom, out)
    short = core.less_equal(freedom, 0)
    if short.any():
        warn("Degrees of freedom <= 0 for slice.", RuntimeWarning)
        if core.is_own(result):
            core.copyto(result, numpy.nan, "same_kind", short)
        else:
            result = result.dtype.type(numpy.nan)
    if not root:
        return result
    return core.sqrt(result, out=result) if core.is_own(result) else result.dtype.type(core.sqrt(result))


@keeps_class
def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue
):
    """The variance of the elements that are not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s; or
    `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice. RuntimeWarning and NaN where
    `ddof` leaves nothing to divide by.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanvar([1.0, np.nan, 3.0])
    np.float64(1.0)
    """
    ddof = reductions._correction("var", ddof, correction)
    return _nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, False)


@keeps_class
def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue
):
    """The standard deviation of the elements that are not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s; or
    `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice. RuntimeWarning and NaN where
    `ddof` leaves nothing to divide by.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanstd([1.0, np.nan, 3.0])
    np.float64(1.0)
    """
    ddof = reductions._correction("std", ddof, correction)
    return _nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, True)


def _along_lines(a, axis, keepdims, out, lead, function):
    """function on the elements of every line that are not NaN; lead is the shape of each of its results."""
    merged, axis, kept = merge_axes(a, axis)
    order = [k for k in range(merged.ndim) if k != axis] + [axis]
    lines = merged.transpose(order)
    shape = lines.shape[:-1]
    result = core.empty(lead + shape, merged.dtype)
    empty = 0
    for at in numpy.ndindex(shape):
        line = lines[at] if shape else lines
        line = line[core.logical_not(core.isnan(line))]
        empty += line.size == 0
        result[(...,) + at] = function(line) if line.size else numpy.nan
    for _ in range(empty):  # NumPy warns for each
        warn("All-NaN slice encountered", RuntimeWarning)
    return finish(result if result.ndim else result[()], out, keepdims, kept, lead)


@keeps_class
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_NoValue):
    """The median of the elements that are not NaN.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s.
    Errors: AxisError for an axis that is not there; ValueError for one named twice. RuntimeWarning and NaN where all are NaN.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanmedian([1.0, np.nan, 3.0])
    np.float64(2.0)
    """
    a = as_array(a)
    keep = keepdims is not _NoValue and bool(keepdims)
    if a.size == 0:
        return nanmean(a, axis, out=out, keepdims=keep)
    if a.dtype.kind not in "fc" or not core.isnan(a).any():
        merged, k, kept = merge_axes(a, axis)
        return finish(_median(merged, k), out, keep, kept)
    return _along_lines(a, axis, keep, out, (), lambda line: _median(line, 0))


@keeps_array_class
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NoValue, *, weights=None
):
    """The percentiles of the elements that are not NaN.

    Shapes: those of q, then `a`'s without `axis`, which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s.
    Errors: ValueError for q outside of [0, 100] or an unknown method; TypeError for complex numbers; AxisError.
    RuntimeWarning and NaN where all are NaN. Source: as `quantile`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanpercentile([1.0, np.nan, 3.0], 50)
    np.float64(2.0)
    """
    weak = type(q) in (int, float)
    q = numpy.true_divide(numpy.asarray(q), 100, out=...)
    _check_range(q, "Percentiles must be in the range [0, 100]")
    return _nan_quantiles(as_array(a), q, weak, axis, out, method, keepdims, weights)


@keeps_array_class
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NoValue, *, weights=None):
    """The quantiles of the elements that are not NaN.

    Shapes: those of q, then `a`'s without `axis`, which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s.
    Errors: ValueError for q outside of [0, 1] or an unknown method; TypeError for complex numbers; AxisError. RuntimeWarning
    and NaN where all are NaN. Source: as `quantile`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nanquantile([1.0, np.nan, 3.0], 0.5)
    np.float64(2.0)
    """
    weak = type(q) in (int, float)
    q = numpy.asarray(q)
    _check_range(q, "Quantiles must be in the range [0, 1]")
    return _nan_quantiles(as_array(a), q, weak, axis, out, method, keepdims, weights)


def _nan_quantiles(a, q, weak, axis, out, method, keepdims, weights):
    keep = keepdims is not _NoValue and bool(keepdims)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if a.size == 0:
        return nanmean(a, axis, out=out, keepdims=keep)
    if weights is not None:
        weights = _checked_weights(weights, a, axis, method)
        if a.dtype.kind == "f" and core.isnan(a).any():
            # A NaN with no weight, sorted last, is never reached.
            nans = core.isnan(a)
            weights = core.where(nans, core.asarray(0, weights.dtype), weights)
            low = a.dtype.type(core.fmax.reduce(a, None))
            a = core.where(nans, low, a)
        return quantile(a, q, axis, out, method=method, keepdims=keep, weights=weights)
    if a.dtype.kind != "f" or not core.isnan(a).any():
        merged, k, kept = merge_axes(a, axis)
        return finish(sorted_quantiles(merged, q, weak, k, method), out, keep, kept, q.shape)
    return _along_lines(a, axis, keep, out, q.shape, lambda line: sorted_quantiles(line, q, weak, 0, method))
