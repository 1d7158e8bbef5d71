"""Reductions along an axis of a matrix, and other orders of axes."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import has_host, in_language, on_host, stands_for
from tessera.functions.numpy_library.arrays import as_array, place_of, replaced, without
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_axis,
    is_dtype,
    is_like,
    is_none,
    is_whole,
)
from tessera.functions.numpy_library.matrix_axes import (
    are_true_in_columns,
    are_true_in_rows,
    counts_of_columns,
    counts_of_rows,
    greatest_of_columns,
    greatest_of_rows,
    is_plain,
    least_of_columns,
    least_of_rows,
    means_of_columns,
    means_of_rows,
    places_in_columns,
    places_in_rows,
    products_of_columns,
    products_of_rows,
    sums_of_columns,
    sums_of_rows,
    variances_of_columns,
    variances_of_rows,
)
from tessera.functions.numpy_library.views import swapaxes

_MOST = 4096  # elements; of more NumPy goes through memory in order
_WHOLE = "i8 i4 i2 i1 u8 u4 u2 u1"
_prod, _mean = on_host(numpy.prod), on_host(numpy.mean)
_max, _min = on_host(numpy.max), on_host(numpy.min)
_argmax, _argmin, _var, _std = on_host(numpy.argmax), on_host(numpy.argmin), on_host(numpy.var), on_host(numpy.std)


def _is_kept(keepdims: Any) -> bool:
    return keepdims is None or type(keepdims.value) is bool


def _is_along_of(dtypes: str, least: int = 1) -> Any:
    """For arrays of these dtypes and so many axes at least, along one axis."""

    def holds(a: Any, axis: Any, keepdims: Any) -> bool:
        return is_any_array(a, dtypes) and a.ndim >= least and is_axis(axis, a.ndim) and _is_kept(keepdims)

    return holds


_is_along = _is_along_of(NUMBERS)
_is_spread_along = _is_along_of("f8 " + _WHOLE)
_is_added_along = _is_along_of(ALL)


@in_language
def _product_before(shape: Any, place: Any) -> Any:
    if len(shape) == 0:
        return 1
    return (shape[0] if place > 0 else 1) * _product_before(shape[1:], place - 1)


@in_language
def _product_behind(shape: Any, place: Any) -> Any:
    if len(shape) == 0:
        return 1
    return (shape[0] if place < 0 else 1) * _product_behind(shape[1:], place - 1)


@in_language
def parts_along(a: Any, axis: Any) -> Any:
    """The elements as three axes: those before the axis, itself, those behind it."""
    place = place_of(axis, a.ndim)
    return a.reshape((_product_before(a.shape, place), a.shape[place], _product_behind(a.shape, place)))


@in_language
def without_axis(a: Any, axis: Any, keepdims: Any, result: Any) -> Any:
    """What was found for each place before and behind the axis, in the shape without it."""
    place = place_of(axis, a.ndim)
    if keepdims:
        return result.reshape(replaced(a.shape, place, 1))
    if a.ndim == 1:
        return result[0, 0]
    return result.reshape(without(a.shape, place))


@in_language
def _sums_along(a: Any, axis: Any, keepdims: Any) -> Any:
    if is_plain(a, keepdims):
        return sums_of_columns(a) if place_of(axis, 2) == 0 else sums_of_rows(a)
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


@in_language
def _checked_axes(axes: Any, ndim: Any) -> Any:
    if len(axes) == 0:
        return ()
    return (place_of(axes[0], ndim), *_checked_axes(axes[1:], ndim))


@in_language
def _less_by_one(axes: Any, place: Any) -> Any:
    """Where these axes are when the one there is gone."""
    if len(axes) == 0:
        return ()
    return (axes[0] - 1 if axes[0] > place else axes[0], *_less_by_one(axes[1:], place))


@in_language
def _sums_along_all(a: Any, axes: Any, keepdims: Any) -> Any:
    if len(axes) == 0:
        return a
    rest = axes[1:] if keepdims else _less_by_one(axes[1:], axes[0])
    return _sums_along_all(_sums_along(a, axes[0], keepdims), rest, keepdims)


@in_language
def _sums(a: Any, axis: Any, keepdims: Any) -> Any:
    if axis is None:
        return a.sum()
    if isinstance(axis, int):
        return _sums_along(a, axis, keepdims)
    if len(axis) == 0:
        return a.astype(type(a.ravel()[:0].sum()))
    axes = _checked_axes(axis, a.ndim)
    for k in range(len(axes)):
        for n in range(k):
            if axes[n] == axes[k]:
                raise ValueError("duplicate value in 'axis'")
    return _sums_along_all(a, axes, keepdims)


def _are_added(a: Any, axis: Any, dtype: Any, keepdims: Any) -> bool:
    if not is_any_array(a, ALL) or not _is_kept(keepdims) or not is_dtype(dtype, ALL):
        return False
    if is_none(axis):
        return keepdims is None
    if axis.is_tuple:
        known = [is_axis(one, a.ndim) for one in axis.elements]
        return all(known) and len(known) <= a.ndim
    return is_axis(axis, a.ndim)


@in_language
def _converted(a: Any, axis: Any, keepdims: Any) -> Any:
    """In the dtype of the array itself, also of short integers and truth values."""
    sums = _sums(a, axis, keepdims)
    return sums.astype(a.dtype) if isinstance(sums, numpy.ndarray) else a.dtype.type(sums)


@stands_for("numpy.sum", "array.sum", alike=_are_added)
def sum_along(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    if dtype is None:
        return _sums(a, axis, keepdims)
    return _converted(a.astype(dtype), axis, keepdims)


@stands_for("numpy.prod", "array.prod", alike=_is_along)
def prod_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST and not is_plain(a, keepdims):
        return _prod(a, axis=axis, keepdims=keepdims)
    if is_plain(a, keepdims):
        return products_of_columns(a) if place_of(axis, 2) == 0 else products_of_rows(a)
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
    if has_host() and a.size > _MOST and not is_plain(a, keepdims):
        return _mean(a, axis=axis, keepdims=keepdims)
    if is_plain(a, keepdims):
        return means_of_columns(a) if place_of(axis, 2) == 0 else means_of_rows(a)
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
    if has_host() and a.size > _MOST and not is_plain(a, keepdims):
        return _var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    if is_plain(a, keepdims):
        return variances_of_columns(a, ddof) if place_of(axis, 2) == 0 else variances_of_rows(a, ddof)
    return without_axis(a, axis, keepdims, _variances(a, axis, ddof))


@stands_for(
    "numpy.std",
    "array.std",
    alike=lambda a, axis, ddof, keepdims: is_whole(ddof) and _is_spread_along(a, axis, keepdims),
)
def std_along(a: Any, axis: Any, ddof: Any = 0, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST and not is_plain(a, keepdims):
        return _std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    if is_plain(a, keepdims):
        return numpy.sqrt(variances_of_columns(a, ddof) if place_of(axis, 2) == 0 else variances_of_rows(a, ddof))
    return without_axis(a, axis, keepdims, numpy.sqrt(_variances(a, axis, ddof)))


@stands_for("numpy.max", "numpy.amax", "array.max", alike=_is_along)
def max_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST and not is_plain(a, keepdims):
        return _max(a, axis=axis, keepdims=keepdims)
    if a.shape[place_of(axis, a.ndim)] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    if is_plain(a, keepdims):
        return greatest_of_columns(a) if place_of(axis, 2) == 0 else greatest_of_rows(a)
    parts = parts_along(a, axis)
    before, _, behind = parts.shape
    result = numpy.empty((before, behind), a.dtype)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].max()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.min", "numpy.amin", "array.min", alike=_is_along)
def min_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST and not is_plain(a, keepdims):
        return _min(a, axis=axis, keepdims=keepdims)
    if a.shape[place_of(axis, a.ndim)] == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    if is_plain(a, keepdims):
        return least_of_columns(a) if place_of(axis, 2) == 0 else least_of_rows(a)
    parts = parts_along(a, axis)
    before, _, behind = parts.shape
    result = numpy.empty((before, behind), a.dtype)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].min()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.argmax", "array.argmax", alike=_is_along)
def argmax_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _argmax(a, axis=axis, keepdims=keepdims)
    if a.shape[place_of(axis, a.ndim)] == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    if is_plain(a, keepdims):
        return places_in_columns(a, True) if place_of(axis, 2) == 0 else places_in_rows(a, True)
    parts = parts_along(a, axis)
    before, _, behind = parts.shape
    result = numpy.empty((before, behind), numpy.int64)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].argmax()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.argmin", "array.argmin", alike=_is_along)
def argmin_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if has_host() and a.size > _MOST:
        return _argmin(a, axis=axis, keepdims=keepdims)
    if a.shape[place_of(axis, a.ndim)] == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    if is_plain(a, keepdims):
        return places_in_columns(a, False) if place_of(axis, 2) == 0 else places_in_rows(a, False)
    parts = parts_along(a, axis)
    before, _, behind = parts.shape
    result = numpy.empty((before, behind), numpy.int64)
    for n in range(before):
        for at in range(behind):
            result[n, at] = parts[n, :, at].argmin()
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.any", "array.any", alike=_is_along_of(ALL))
def any_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if is_plain(a, keepdims):
        return are_true_in_columns(a, True) if place_of(axis, 2) == 0 else are_true_in_rows(a, True)
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
    if is_plain(a, keepdims):
        return are_true_in_columns(a, False) if place_of(axis, 2) == 0 else are_true_in_rows(a, False)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    result = numpy.ones((before, behind), numpy.bool_)
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                if not parts[n, k, at]:
                    result[n, at] = False
    return without_axis(a, axis, keepdims, result)


def _is_counted(a: Any, axis: Any, keepdims: Any) -> bool:
    if axis is not None and axis.is_none:
        return is_any_array(a, ALL) and keepdims is None
    return _is_added_along(a, axis, keepdims)  # type: ignore[no-any-return]


@stands_for("numpy.count_nonzero", alike=_is_counted)
def count_nonzero_along(a: Any, axis: Any, keepdims: Any = False) -> Any:
    if axis is None:
        return numpy.count_nonzero(a)
    if is_plain(a, keepdims):
        return counts_of_columns(a) if place_of(axis, 2) == 0 else counts_of_rows(a)
    parts = parts_along(a, axis)
    before, count, behind = parts.shape
    result = numpy.zeros((before, behind), numpy.int64)
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                result[n, at] += 1 if parts[n, k, at] else 0
    return without_axis(a, axis, keepdims, result)


@stands_for("numpy.flip", alike=lambda m: is_like(m, ALL) and not m.is_number and m.as_array().ndim <= 4)
def flip(m: Any) -> Any:
    array = as_array(m)
    if array.ndim == 0:
        return array.item()
    if array.ndim > 4:
        raise NotImplementedError("numpy.flip of more than four axes in prange or a kernel")
    if array.ndim == 4:
        return array[::-1, ::-1, ::-1, ::-1]
    if array.ndim == 3:
        return array[::-1, ::-1, ::-1]
    if array.ndim == 2:
        return array[::-1, ::-1]
    return array[::-1]


@stands_for("numpy.fliplr", alike=lambda m: is_like(m, ALL, 2))
def fliplr(m: Any) -> Any:
    return as_array(m)[:, ::-1]


@stands_for("numpy.flipud", alike=lambda m: is_like(m, ALL, 1))
def flipud(m: Any) -> Any:
    return as_array(m)[::-1]


@stands_for("numpy.rot90", alike=lambda m, k: is_any_array(m, ALL) and m.ndim >= 2 and is_whole(k))
def rot90(m: Any, k: Any = 1) -> Any:
    turns = k % 4
    turned = swapaxes(m, 0, 1)
    if turns == 0:
        return m[:]
    if turns == 1:
        return turned[::-1]
    if turns == 2:
        return m[::-1, ::-1]
    return turned[:, ::-1]
