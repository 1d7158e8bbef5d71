"""Reductions along an axis of a matrix, and other orders of axes."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import has_host, in_language, on_host, stands_for
from tessera.functions.numpy_library.conditions import ALL, NUMBERS, is_any_array, is_array, is_whole

_MOST = 4096  # elements; of more NumPy goes through memory in order
_WHOLE = "i8 i4 i2 i1 u8 u4 u2 u1"
_sum, _prod, _mean = on_host(numpy.sum), on_host(numpy.prod), on_host(numpy.mean)
_max, _min = on_host(numpy.max), on_host(numpy.min)
_argmax, _argmin, _var, _std = on_host(numpy.argmax), on_host(numpy.argmin), on_host(numpy.var), on_host(numpy.std)


def _is_axis(a: Any, axis: Any) -> bool:
    return axis is not None and type(axis.value) is int and -a.ndim <= axis.value < a.ndim


def _is_along_of(dtypes: str, least: int = 1) -> Any:
    """For arrays of these dtypes and so many axes at least, along an axis that is known."""

    def holds(a: Any, axis: Any, keepdims: Any) -> bool:
        is_known = is_any_array(a, dtypes) and a.ndim >= least and _is_axis(a, axis)
        return is_known and (keepdims is None or type(keepdims.value) is bool)

    return holds


_is_along = _is_along_of(NUMBERS)
_is_spread_along = _is_along_of("f8 " + _WHOLE)


@in_language
def parts_along(a: Any, axis: Any) -> Any:
    """The elements as three axes: those before the axis, itself, those behind it."""
    if axis < -a.ndim or axis >= a.ndim:
        raise ValueError("axis is out of bounds for the array's dimension")
    place = axis % a.ndim
    before, behind = 1, 1
    for extent in a.shape[:place]:
        before *= extent
    for extent in a.shape[place + 1 :]:
        behind *= extent
    return a.reshape((before, a.shape[place], behind))


@in_language
def without_axis(a: Any, axis: Any, keepdims: Any, result: Any) -> Any:
    """What was found for each place before and behind the axis, in the shape without it."""
    place = axis % a.ndim
    if keepdims:
        return result.reshape((*a.shape[:place], 1, *a.shape[place + 1 :]))
    if a.ndim == 1:
        return result[0, 0]
    return result.reshape((*a.shape[:place], *a.shape[place + 1 :]))


@stands_for("numpy.sum", "array.sum", alike=_is_along)
def sum_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _sum(a, axis=axis, keepdims=keepdims)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    result = numpy.zeros((before, behind), type(parts[:0, 0, 0].sum()))
    for n in range(before):
        if behind == 1:
            result[n, 0] = parts[n, :, 0].sum()
        else:
            for k in range(count):
                for at in range(behind):
                    result[n, at] += parts[n, k, at]
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.prod", "array.prod", alike=_is_along)
def prod_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _prod(a, axis=axis, keepdims=keepdims)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    result = numpy.ones((before, behind), type(parts[:0, 0, 0].prod()))
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                result[n, at] *= parts[n, k, at]
    return without_axis(a, axis, keepdims, result)


@in_language
def _means_along(parts: Any) -> Any:
    before, count, behind = parts.shape
    result = numpy.zeros((before, behind), type(parts[:0, 0, 0].mean()))
    for n in range(before):
        if behind == 1:
            result[n, 0] = parts[n, :, 0].mean()
        else:
            for k in range(count):
                for at in range(behind):
                    result[n, at] += parts[n, k, at]
            for at in range(behind):
                result[n, at] = result[n, at] / count if count > 0 else numpy.nan
    return result


@stands_for("numpy.mean", "array.mean", alike=_is_along)
def mean_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _mean(a, axis=axis, keepdims=keepdims)
    return without_axis(a, axis, keepdims, _means_along(parts_along(a, axis)))


@in_language
def _variances(a: Any, axis: Any, ddof: Any) -> Any:
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    means = _means_along(parts)
    result = numpy.zeros((before, behind))
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                distance = parts[n, k, at] - means[n, at]
                result[n, at] += distance * distance
        for at in range(behind):
            if count > ddof:
                result[n, at] /= count - ddof
            else:
                result[n, at] = numpy.inf if result[n, at] > 0 else numpy.nan
    return result


@stands_for(
    "numpy.var",
    "array.var",
    alike=lambda a, axis, ddof, keepdims: is_whole(ddof) and _is_spread_along(a, axis, keepdims),
)
def var_along(a: Any, axis: Any, ddof: Any = 0, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return without_axis(a, axis, keepdims, _variances(a, axis, ddof))


@stands_for(
    "numpy.std",
    "array.std",
    alike=lambda a, axis, ddof, keepdims: is_whole(ddof) and _is_spread_along(a, axis, keepdims),
)
def std_along(a: Any, axis: Any, ddof: Any = 0, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return without_axis(a, axis, keepdims, numpy.sqrt(_variances(a, axis, ddof)))


@stands_for("numpy.max", "numpy.amax", "array.max", alike=_is_along)
def max_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _max(a, axis=axis, keepdims=keepdims)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    if count == 0 and before * behind > 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    result = numpy.empty((before, behind), a.dtype)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].max()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.min", "numpy.amin", "array.min", alike=_is_along)
def min_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _min(a, axis=axis, keepdims=keepdims)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    if count == 0 and before * behind > 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    result = numpy.empty((before, behind), a.dtype)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].min()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.argmax", "array.argmax", alike=_is_along)
def argmax_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _argmax(a, axis=axis, keepdims=keepdims)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    if count == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    result = numpy.empty((before, behind), numpy.int64)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].argmax()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.argmin", "array.argmin", alike=_is_along)
def argmin_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _argmin(a, axis=axis, keepdims=keepdims)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    if count == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    result = numpy.empty((before, behind), numpy.int64)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].argmin()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.any", "array.any", alike=_is_along_of(ALL))
def any_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    result = numpy.zeros((before, behind), numpy.bool_)
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                if parts[n, k, at]:
                    result[n, at] = True
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.all", "array.all", alike=_is_along_of(ALL))
def all_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    result = numpy.ones((before, behind), numpy.bool_)
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                if not parts[n, k, at]:
                    result[n, at] = False
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.count_nonzero", alike=_is_along_of(ALL))
def count_nonzero_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    result = numpy.zeros((before, behind), numpy.int64)
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                result[n, at] += 1 if parts[n, k, at] else 0
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.flip", alike=lambda m: is_any_array(m, ALL) and m.ndim <= 2)
def flip(m: Any) -> Any:
    if m.ndim > 2:
        raise NotImplementedError("numpy.flip of more than two axes in prange or a kernel")
    if m.ndim == 2:
        return m[::-1, ::-1]
    return m[::-1]


@stands_for("numpy.fliplr", alike=lambda m: is_array(m, ALL, 2))
def fliplr(m: Any) -> Any:
    return m[:, ::-1]


@stands_for("numpy.flipud", alike=lambda m: is_any_array(m, ALL))
def flipud(m: Any) -> Any:
    return m[::-1]


@stands_for("numpy.rot90", alike=lambda m: is_array(m, ALL, 2))
def rot90(m: Any) -> Any:
    if m.ndim != 2:
        raise NotImplementedError("numpy.rot90 of other than two axes in prange or a kernel")
    return m.T[::-1]


@stands_for("numpy.expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    if a.ndim != 1 or axis < -2 or axis > 1:
        raise NotImplementedError("numpy.expand_dims of more than one axis in prange or a kernel")
    return a.reshape((1, len(a))) if axis == 0 or axis == -2 else a.reshape((len(a), 1))


@stands_for("numpy.swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    if a.ndim != 2:
        raise NotImplementedError("numpy.swapaxes of other than two axes in prange or a kernel")
    return a if axis1 % 2 == axis2 % 2 else a.T
