"""Arrays joined to one: those that are joined are of one dtype."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import stands_for


@stands_for("numpy.concatenate", "numpy.hstack")
def concatenate(arrays: Any) -> Any:
    count = 0
    for one in arrays:
        count += one.shape[0]
    result = numpy.empty((count, *arrays[0].shape[1:]), arrays[0].dtype)
    count = 0
    for one in arrays:
        result[count : count + one.shape[0]] = one
        count += one.shape[0]
    return result


@stands_for("numpy.append")
def append(arr: Any, values: Any) -> Any:
    flat = arr.ravel()
    if isinstance(values, (int, float)):
        result = numpy.empty(len(flat) + 1, arr.dtype)
        result[:-1] = flat
        result[len(flat)] = values
        return result
    others = values.ravel()
    joined = numpy.empty(len(flat) + len(others), arr.dtype)
    joined[: len(flat)] = flat
    joined[len(flat) :] = others
    return joined


@stands_for("numpy.stack", "numpy.vstack")
def stack(arrays: Any) -> Any:
    if arrays[0].ndim > 1:
        return concatenate(arrays)
    result = numpy.empty((len(arrays), arrays[0].shape[0]), arrays[0].dtype)
    row = 0
    for one in arrays:
        result[row] = one
        row += 1
    return result


@stands_for("numpy.column_stack")
def column_stack(tup: Any) -> Any:
    result = numpy.empty((tup[0].shape[0], len(tup)), tup[0].dtype)
    column = 0
    for one in tup:
        result[:, column] = one
        column += 1
    return result
