"""Arrays joined to one: those that are joined are of one dtype."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.conditions import ALL, is_any_array, is_number


@in_language
def _check(arrays: Any, axes: Any) -> None:
    for one in arrays:
        if one.dtype != arrays[0].dtype:
            raise NotImplementedError("arrays of several dtypes are joined in prange or a kernel; convert them first")
        if axes > 0 and one.ndim != axes:
            raise NotImplementedError("arrays of other than one axis are joined so in prange or a kernel")


def _are_alike(arrays: Any, *axes: int) -> bool:
    parts = arrays.elements
    known = [is_any_array(one, ALL) and one.dtype == parts[0].dtype and one.ndim == parts[0].ndim for one in parts]
    return bool(parts) and all(known) and (not axes or parts[0].ndim in axes)


@in_language
def _check_shapes(arrays: Any) -> None:
    for one in arrays:
        if one.ndim != arrays[0].ndim:
            raise ValueError("all the input arrays must have same number of dimensions")
        if one.ndim > 1 and one.shape[1:] != arrays[0].shape[1:]:
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")


@stands_for("numpy.concatenate", alike=_are_alike)
def concatenate(arrays: Any) -> Any:
    _check(arrays, 0)
    _check_shapes(arrays)
    count = 0
    for one in arrays:
        count += one.shape[0]
    result = numpy.empty((count, *arrays[0].shape[1:]), arrays[0].dtype)
    count = 0
    for one in arrays:
        result[count : count + one.shape[0]] = one
        count += one.shape[0]
    return result


@stands_for("numpy.hstack", alike=lambda tup: _are_alike(tup, 1))
def hstack(tup: Any) -> Any:
    _check(tup, 1)
    return concatenate(tup)


@in_language
def _with_number(flat: Any, value: Any, dtype: Any) -> Any:
    result = numpy.empty(len(flat) + 1, dtype)
    result[:-1] = flat
    result[len(flat)] = value
    return result


def _is_appended(arr: Any, values: Any) -> bool:
    if is_number(values):
        return is_any_array(arr, "f8 i8")
    return is_any_array(arr, ALL) and is_any_array(values, ALL) and arr.dtype == values.dtype


@stands_for("numpy.append", alike=_is_appended)
def append(arr: Any, values: Any) -> Any:
    flat = arr.ravel()
    if isinstance(values, int) and arr.dtype.kind == "u":
        # Signed and unsigned integers of 64 bits are floats together.
        if arr.dtype.itemsize == 8:
            return _with_number(flat, values, numpy.float64)
        return _with_number(flat, values, numpy.int64)
    if isinstance(values, (int, float)):
        return _with_number(flat, values, type(flat[:0].sum() + values))
    return concatenate((flat, values.ravel()))


@in_language
def _check_lengths(arrays: Any) -> None:
    for one in arrays:
        if len(one) != len(arrays[0]):
            raise ValueError("all input arrays must have the same shape")


@stands_for("numpy.stack", alike=lambda arrays: _are_alike(arrays, 1))
def stack(arrays: Any) -> Any:
    _check(arrays, 1)
    _check_lengths(arrays)
    result = numpy.empty((len(arrays), arrays[0].shape[0]), arrays[0].dtype)
    row = 0
    for one in arrays:
        result[row] = one
        row += 1
    return result


@stands_for("numpy.vstack", alike=lambda tup: _are_alike(tup, 1, 2))
def vstack(tup: Any) -> Any:
    if tup[0].ndim > 1:
        return concatenate(tup)
    for one in tup:
        if len(one) != len(tup[0]):
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    return stack(tup)


@stands_for("numpy.column_stack", alike=lambda tup: _are_alike(tup, 1))
def column_stack(tup: Any) -> Any:
    _check(tup, 1)
    for one in tup:
        if len(one) != len(tup[0]):
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    result = numpy.empty((tup[0].shape[0], len(tup)), tup[0].dtype)
    column = 0
    for one in tup:
        result[:, column] = one
        column += 1
    return result
