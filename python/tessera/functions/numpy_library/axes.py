"""Reductions along an axis of a matrix, and other orders of axes."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import has_host, in_language, on_host, stands_for
from tessera.functions.numpy_library.conditions import ALL, REALS, is_any_array, is_array

_MOST = 4096  # elements; of more NumPy goes through memory in order
_sum, _mean, _max, _min = on_host(numpy.sum), on_host(numpy.mean), on_host(numpy.max), on_host(numpy.min)


def _is_along(a: Any, axis: Any) -> bool:
    return is_array(a, REALS, 2) and axis is not None and axis.value in (-2, -1, 0, 1) and type(axis.value) is int


@in_language
def _columns(a: Any, axis: Any) -> Any:
    """The matrix whose rows are reduced."""
    if a.ndim != 2:
        raise NotImplementedError("an axis of more than two in prange or a kernel")
    if axis < -2 or axis > 1:
        raise ValueError("axis is out of bounds for array of dimension 2")
    return a.T if axis == 0 or axis == -2 else a


@stands_for("numpy.sum", "array.sum", alike=_is_along)
def sum_along(a: Any, axis: Any) -> Any:
    if has_host() and a.size > _MOST:
        return _sum(a, axis)
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], type(rows[:1].sum()))
    for k in range(rows.shape[0]):
        result[k] = rows[k].sum()
    return result


@stands_for("numpy.mean", "array.mean", alike=_is_along)
def mean_along(a: Any, axis: Any) -> Any:
    if has_host() and a.size > _MOST:
        return _mean(a, axis)
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], type(rows[:1].mean()))
    for k in range(rows.shape[0]):
        result[k] = rows[k].mean()
    return result


@stands_for("numpy.max", "numpy.amax", "array.max", alike=_is_along)
def max_along(a: Any, axis: Any) -> Any:
    if has_host() and a.size > _MOST:
        return _max(a, axis)
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], a.dtype)
    for k in range(rows.shape[0]):
        result[k] = rows[k].max()
    return result


@stands_for("numpy.min", "numpy.amin", "array.min", alike=_is_along)
def min_along(a: Any, axis: Any) -> Any:
    if has_host() and a.size > _MOST:
        return _min(a, axis)
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], a.dtype)
    for k in range(rows.shape[0]):
        result[k] = rows[k].min()
    return result


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
