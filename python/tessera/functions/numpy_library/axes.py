"""Reductions along an axis of a matrix, and other orders of axes."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for


@in_language
def _columns(a: Any, axis: Any) -> Any:
    """The matrix whose rows are reduced."""
    if a.ndim != 2:
        raise NotImplementedError("an axis of more than two in prange or a kernel")
    if axis < -2 or axis > 1:
        raise ValueError("axis is out of bounds for array of dimension 2")
    return a.T if axis == 0 or axis == -2 else a


@stands_for("numpy.sum", "array.sum")
def sum_along(a: Any, axis: Any) -> Any:
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], type(rows[0].sum()))
    for k in range(rows.shape[0]):
        result[k] = rows[k].sum()
    return result


@stands_for("numpy.mean", "array.mean")
def mean_along(a: Any, axis: Any) -> Any:
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], type(rows[0].mean()))
    for k in range(rows.shape[0]):
        result[k] = rows[k].mean()
    return result


@stands_for("numpy.max", "numpy.amax", "array.max")
def max_along(a: Any, axis: Any) -> Any:
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], a.dtype)
    for k in range(rows.shape[0]):
        result[k] = rows[k].max()
    return result


@stands_for("numpy.min", "numpy.amin", "array.min")
def min_along(a: Any, axis: Any) -> Any:
    rows = _columns(a, axis)
    result = numpy.empty(rows.shape[0], a.dtype)
    for k in range(rows.shape[0]):
        result[k] = rows[k].min()
    return result


@stands_for("numpy.flip")
def flip(m: Any) -> Any:
    if m.ndim > 2:
        raise NotImplementedError("numpy.flip of more than two axes in prange or a kernel")
    if m.ndim == 2:
        return m[::-1, ::-1]
    return m[::-1]


@stands_for("numpy.fliplr")
def fliplr(m: Any) -> Any:
    return m[:, ::-1]


@stands_for("numpy.flipud")
def flipud(m: Any) -> Any:
    return m[::-1]


@stands_for("numpy.rot90")
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
