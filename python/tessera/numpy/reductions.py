"""Sums, products, extremes, means and variances; running sums and products."""

from __future__ import annotations

import builtins
from types import GeneratorType

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tessera import _core as core
from tessera import _fallback
from tessera.numpy._dispatch import Foreign, _NoValue, as_array, in_class, keeps_class, native, ndarray, warn

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]

_add = core.add.reduce
_multiply = core.multiply.reduce
_maximum = core.maximum.reduce
_minimum = core.minimum.reduce
_and = core.logical_and.reduce
_or = core.logical_or.reduce


def _options(keepdims, initial, where):
    options = {}
    if keepdims is not _NoValue:
        options["keepdims"] = keepdims
    if initial is not _NoValue:
        options["initial"] = initial
    if where is not _NoValue:
        options["where"] = where
    return options


def _checked(a, method):
    """`a` for a reduction: containers with a method of that name (masked arrays and the like) go to NumPy."""
    if type(a) is ndarray or type(a) is numpy.ndarray or type(a) is list:
        return a
    if core.is_own(a) or isinstance(a, (tuple, numpy.generic)) or not hasattr(a, method):
        return a
    raise Foreign(f"{type(a).__name__} has its own {method}()")


@keeps_class
def sum(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The sum of the elements, of all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s, small integers at least int64;
    or `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice. Source: leaves of 128 in 8
    lanes joined by pairs, as NumPy's; longer sums by chunks of 8192 in a fixed tree (Higham, Accuracy and Stability, 4.2).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.sum([[1, 5], [7, 2]], axis=0)
    array([8, 7])
    """
    if type(a) is not ndarray:
        if isinstance(a, GeneratorType):
            raise TypeError(
                "Calling np.sum(generator) is not supported. Use np.sum(np.fromiter(generator)) or "
                "the python sum builtin instead."
            )
        a = _checked(a, "sum")
    if keepdims is _NoValue and initial is _NoValue and where is _NoValue:
        return _add(a, axis, dtype, out)
    return _add(a, axis, dtype, out, **_options(keepdims, initial, where))


@keeps_class
def prod(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The product of the elements, of all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s, small integers at least int64;
    or `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.prod([2, 3, 4])
    np.int64(24)
    """
    if type(a) is not ndarray:
        a = _checked(a, "prod")
    if keepdims is _NoValue and initial is _NoValue and where is _NoValue:
        return _multiply(a, axis, dtype, out)
    return _multiply(a, axis, dtype, out, **_options(keepdims, initial, where))


@keeps_class
def max(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The largest element, of all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s. A NaN is the result where there
    is one. Errors: AxisError for an axis that is not there; ValueError for one named twice, and where nothing is reduced and
    no `initial` is given.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.max([[1, 5], [7, 2]], axis=1)
    array([5, 7])
    """
    if type(a) is not ndarray:
        a = _checked(a, "max")
    if keepdims is _NoValue and initial is _NoValue and where is _NoValue:
        return _maximum(a, axis, None, out)
    return _maximum(a, axis, None, out, **_options(keepdims, initial, where))


@keeps_class
def min(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The smallest element, of all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s. A NaN is the result where there
    is one. Errors: AxisError for an axis that is not there; ValueError for one named twice, and where nothing is reduced and
    no `initial` is given.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.min([[1, 5], [7, 2]], axis=1)
    array([1, 2])
    """
    if type(a) is not ndarray:
        a = _checked(a, "min")
    if keepdims is _NoValue and initial is _NoValue and where is _NoValue:
        return _minimum(a, axis, None, out)
    return _minimum(a, axis, None, out, **_options(keepdims, initial, where))


@keeps_class
def amax(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The largest element, by max's older name.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s. A NaN is the result where there
    is one. Errors: AxisError for an axis that is not there; ValueError for one named twice, and where nothing is reduced and
    no `initial` is given.
    """
    return max(a, axis, out, keepdims, initial, where)


@keeps_class
def amin(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The smallest element, by min's older name.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s. A NaN is the result where there
    is one. Errors: AxisError for an axis that is not there; ValueError for one named twice, and where nothing is reduced and
    no `initial` is given.
    """
    return min(a, axis, out, keepdims, initial, where)


@native
def all(a, axis=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """Whether every element is true, of all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: bool, or `out`'s. Errors: AxisError
    for an axis that is not there; ValueError for one named twice.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.all([[True, False], [True, True]], axis=0)
    array([ True, False])
    """
    if type(a) is not ndarray:
        a = _checked(a, "all")
    if keepdims is _NoValue and where is _NoValue:
        return _and(a, axis, bool, out)
    return _and(a, axis, bool, out, **_options(keepdims, _NoValue, where))


@native
def any(a, axis=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """Whether any element is true, of all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: bool, or `out`'s. Errors: AxisError
    for an axis that is not there; ValueError for one named twice.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.any([[True, False], [False, False]], axis=0)
    array([ True, False])
    """
    if type(a) is not ndarray:
        a = _checked(a, "any")
    if keepdims is _NoValue and where is _NoValue:
        return _or(a, axis, bool, out)
    return _or(a, axis, bool, out, **_options(keepdims, _NoValue, where))


@keeps_class
def ptp(a, axis=None, out=None, keepdims=_NoValue):
    """The largest minus the smallest element.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: `a`'s; integers wrap where the
    difference is too large. Errors: AxisError for an axis that is not there; ValueError for one named twice, and where
    nothing is reduced.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.ptp([3, 9, 2])
    np.int64(7)
    """
    a = as_array(a)
    keepdims = keepdims is not _NoValue and keepdims
    high = _maximum(a, axis, None, out, keepdims)
    return core.subtract(high, _minimum(a, axis, None, None, keepdims), out=out)


def argmax(a, axis=None, out=None, *, keepdims=_NoValue):
    """The position of the first largest element.

    Shapes: `a`'s without `axis`, which `keepdims` keeps as 1; without one the place in the flattened array. Dtypes: int64.
    Errors: AxisError for an axis that is not there; ValueError where nothing is there to choose from. The first NaN is the
    extreme.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.argmax([3, 9, 2])
    np.int64(1)
    """
    result = core.argmax(a, axis, out, keepdims=keepdims is not _NoValue and keepdims)
    return result if type(a) is ndarray or type(result) is not ndarray or result is out else in_class(a, result)


def argmin(a, axis=None, out=None, *, keepdims=_NoValue):
    """The position of the first smallest element.

    Shapes: `a`'s without `axis`, which `keepdims` keeps as 1; without one the place in the flattened array. Dtypes: int64.
    Errors: AxisError for an axis that is not there; ValueError where nothing is there to choose from. The first NaN is the
    extreme.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.argmin([3, 9, 2])
    np.int64(2)
    """
    result = core.argmin(a, axis, out, keepdims=keepdims is not _NoValue and keepdims)
    return result if type(a) is ndarray or type(result) is not ndarray or result is out else in_class(a, result)


def _count(a, axis, where, keepdims):
    """How many elements each mean is taken of: an int, or an array when `where` chooses."""
    if where is True:
        if axis is None:
            return a.size
        shape, n = a.shape, a.ndim
        if type(axis) is int:
            return shape[axis if -n <= axis < n else normalize_axis_index(axis, n)]
        count = 1
        for k in normalize_axis_tuple(axis, n):
            count *= shape[k]
        return count
    return _add(core.broadcast_to(as_array(where), a.shape), axis, numpy.intp, None, keepdims)


def _divide(total, count, dtype, out):
    """total / count in total's dtype, the way NumPy's mean rounds it."""
    if out is not None:
        return core.divide(total, count, out=out, casting="unsafe")
    if core.is_own(total):
        return core.divide(total, count, out=total, casting="unsafe")
    if dtype.kind in "fc" and type(count) is int:
        return total / count if count else dtype.type(total / numpy.intp(0))
    return dtype.type(core.divide(total, count))


def _accumulator(a, dtype):
    """The dtype a mean adds in, and whether the result is narrowed to float16 afterwards."""
    kind = a.dtype.kind
    if dtype is None:
        if kind in "iub":
            return _float64, False
        if a.dtype.char == "e":
            return _float32, True
        return a.dtype, False
    return numpy.dtype(dtype), False


_float64, _float32 = numpy.dtype(numpy.float64), numpy.dtype(numpy.float32)


@keeps_class
def mean(a, axis=None, dtype=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """The arithmetic mean, of all elements or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s;
    float16 is reduced in float32; or `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice.
    RuntimeWarning and NaN where nothing is reduced.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.mean([[1, 5], [7, 2]], axis=0)
    array([4. , 3.5])
    """
    if type(a) is not ndarray:
        a = as_array(_checked(a, "mean"))
    keepdims = False if keepdims is _NoValue else keepdims
    where = True if where is _NoValue else where
    count = _count(a, axis, where, keepdims)
    if count == 0 if type(count) is int else (count == 0).any():
        warn("Mean of empty slice", RuntimeWarning)
    accumulate, narrow = _accumulator(a, dtype)
    if where is True:
        total = _add(a, axis, accumulate, out, keepdims)
    else:
        total = _add(a, axis, accumulate, out, keepdims, where=where)
    result = _divide(total, count, accumulate, out)
    if narrow and out is None:
        if core.is_lazy(result):
            return core.asarray(result, a.dtype)[()]
        return result.astype(a.dtype) if core.is_own(result) else a.dtype.type(result)
    return result


@keeps_class
def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue
):
    """The mean squared distance from the mean.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s;
    float16 is reduced in float32; or `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice.
    RuntimeWarning where `ddof` leaves nothing to divide by. Source: squared distances from the mean, in a second pass or from
    a centre near it (Chan, Golub, LeVeque 1983).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.var([1.0, 3.0], ddof=1)
    np.float64(2.0)
    """
    if type(a) is not ndarray:
        a = as_array(_checked(a, "var"))
    if _truncates(dtype):
        given = {"ddof": _correction("var", ddof, correction), "keepdims": keepdims is not _NoValue and keepdims}
        given |= {key: each for key, each in (("where", where), ("mean", mean)) if each is not _NoValue}
        return _fallback.call("var", (a, axis, dtype, out), given, "the mean is rounded to integers")
    return _variance(a, axis, dtype, out, _correction("var", ddof, correction), keepdims, where, mean, False)


@keeps_class
def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue
):
    """The square root of the variance.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float64 for integers, else `a`'s;
    float16 is reduced in float32; or `dtype`. Errors: AxisError for an axis that is not there; ValueError for one named twice.
    RuntimeWarning where `ddof` leaves nothing to divide by. Source: as `var`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.std([1.0, 3.0])
    np.float64(1.0)
    """
    if type(a) is not ndarray:
        a = as_array(_checked(a, "std"))
    if _truncates(dtype):
        given = {"ddof": _correction("std", ddof, correction), "keepdims": keepdims is not _NoValue and keepdims}
        given |= {key: each for key, each in (("where", where), ("mean", mean)) if each is not _NoValue}
        return _fallback.call("std", (a, axis, dtype, out), given, "the mean is rounded to integers")
    return _variance(a, axis, dtype, out, _correction("std", ddof, correction), keepdims, where, mean, True)


def _truncates(dtype):
    return dtype is not None and numpy.dtype(dtype).kind in "iub"


def _correction(name, ddof, correction):
    if correction is _NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _squares_about_mean(a, axis, dtype, out, keepdims, chosen, mean, count):
    """The sum of squared distances from the mean in two passes, as NumPy makes it."""
    if mean is _NoValue:
        mean = _add(a, axis, dtype, None, True, **chosen)
        across = count if type(count) is int or keepdims else _count(a, axis, chosen["where"], True)
        if type(across) is int:
            across = across or numpy.float64(0)
        quotient = core.divide(mean, across)
        mean = quotient if quotient.dtype == mean.dtype else quotient.astype(mean.dtype)
    distance = a - mean
    if distance.dtype.kind == "c":
        squared = distance.real * distance.real + distance.imag * distance.imag
    else:
        squared = core.square(distance)
    return _add(squared, axis, dtype, out, keepdims, **chosen)


def _variance(a, axis, dtype, out, ddof, keepdims, where, mean, root):
    keepdims = False if keepdims is _NoValue else keepdims
    where = True if where is _NoValue else where
    chosen = {} if where is True else {"where": where}
    count = _count(a, axis, where, keepdims)
    if ddof >= count if type(count) is int else (count <= ddof).any():
        warn("Degrees of freedom <= 0 for slice", RuntimeWarning)
    if dtype is None and a.dtype.kind in "iub":
        dtype = _float64
    total = None
    if mean is _NoValue and out is None and where is True and type(a) is ndarray:
        total = core.squares_about_mean(a, axis, dtype, keepdims)
    if total is None:
        total = _squares_about_mean(a, axis, dtype, out, keepdims, chosen, mean, count)
    left = builtins.max(count - ddof, 0) if type(count) is int else core.maximum(count - ddof, 0)
    result = _divide(total, left, total.dtype, out)
    if not root:
        return result
    return core.sqrt(result, out=result) if core.is_own(result) else core.sqrt(result)


@keeps_class
def cumsum(a, axis=None, dtype=None, out=None):
    """The running sums, flattened or along an axis.

    Shapes: `a`'s, or flat without an axis. Dtypes: `a`'s, small integers at least int64; or `dtype`. Errors: AxisError for an
    axis that is not there. Source: NumPy's order up to 8192 elements, longer ones by chunks of 256 in a fixed tree.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.cumsum([1, 2, 3])
    array([1, 3, 6])
    """
    return core.cumsum(a, axis, dtype, out)


@keeps_class
def cumprod(a, axis=None, dtype=None, out=None):
    """The running products, flattened or along an axis.

    Shapes: `a`'s, or flat without an axis. Dtypes: `a`'s, small integers at least int64; or `dtype`. Errors: AxisError for an
    axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.cumprod([1, 2, 3])
    array([1, 2, 6])
    """
    return core.cumprod(a, axis, dtype, out)


def _cumulative(ufunc, x, axis, dtype, out, include_initial):
    x = as_array(x)
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None:
        if x.ndim >= 2:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    axis = normalize_axis_index(axis, x.ndim)
    if not include_initial:
        return ufunc.accumulate(x, axis, dtype, out)
    before = (slice(None),) * axis
    if out is None:
        running = ufunc.accumulate(x, axis, dtype)
        out = core.empty(x.shape[:axis] + (x.shape[axis] + 1,) + x.shape[axis + 1 :], running.dtype)
        out[before + (slice(1, None),)] = running
    else:
        ufunc.accumulate(x, axis, dtype, out[before + (slice(1, None),)])
    out[before + (0,)] = ufunc.identity
    return out


@native
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The running sums along an axis, with a leading 0 when asked.

    Shapes: `x`'s, one longer along the axis with `include_initial`. Dtypes: `x`'s, small integers at least int64; or `dtype`.
    Errors: ValueError for more than one dimension without an axis; AxisError for one that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative(core.add, x, axis, dtype, out, include_initial)


@native
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The running products along an axis, with a leading 1 when asked.

    Shapes: `x`'s, one longer along the axis with `include_initial`. Dtypes: `x`'s, small integers at least int64; or `dtype`.
    Errors: ValueError for more than one dimension without an axis; AxisError for one that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.cumulative_prod(np.array([1, 2, 3]))
    array([1, 2, 6])
    """
    return _cumulative(core.multiply, x, axis, dtype, out, include_initial)
