"""Arrays joined to one: those that are joined are of one dtype."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for


@in_language
def _check(arrays: Any, axes: Any) -> None:
    for one in arrays:
        if one.dtype != arrays[0].dtype:
            raise NotImplementedError("arrays of several dtypes are joined in prange or a kernel; convert them first")
        if axes > 0 and one.ndim != axes:
            raise NotImplementedError("arrays of other than one axis are joined so in prange or a kernel")


@stands_for("numpy.concatenate")
def concatenate(arrays: Any) -> Any:
    _check(arrays, 0)
    count = 0
    for one in arrays:
        count += one.shape[0]
    result = numpy.empty((count, *arrays[0].shape[1:]), arrays[0].dtype)
    count = 0
    for one in arrays:
        result[count : count + one.shape[0]] = one
        count += one.shape[0]
    return result


@stands_for("numpy.hstack")
def hstack(tup: Any) -> Any:
    _check(tup, 1)
    return concatenate(tup)


@in_language
def _with_number(flat: Any, value: Any, dtype: Any) -> Any:
    result = numpy.empty(len(flat) + 1, dtype)
    result[:-1] = flat
    result[len(flat)] = value
    return result


@stands_for("numpy.append")
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


@stands_for("numpy.stack")
def stack(arrays: Any) -> Any:
    _check(arrays, 1)
    result = numpy.empty((len(arrays), arrays[0].shape[0]), arrays[0].dtype)
    row = 0
    for one in arrays:
        result[row] = one
        row += 1
    return result


@stands_for("numpy.vstack")
def vstack(tup: Any) -> Any:
    if tup[0].ndim > 1:
        return concatenate(tup)
    return stack(tup)


@stands_for("numpy.column_stack")
def column_stack(tup: Any) -> Any:
    _check(tup, 1)
    result = numpy.empty((tup[0].shape[0], len(tup)), tup[0].dtype)
    column = 0
    for one in tup:
        result[:, column] = one
        column += 1
    return result
