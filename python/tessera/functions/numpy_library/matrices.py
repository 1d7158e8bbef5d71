"""Matrices: triangles and diagonals."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.conditions import ALL, is_array, is_number, is_whole


@in_language
def _check_matrix(m: Any) -> None:
    if m.ndim != 2:
        raise NotImplementedError(
            "this function of NumPy takes matrices in prange or a kernel; call it outside of the loop"
        )


@stands_for("numpy.triu", alike=lambda m, k: is_array(m, ALL, 2) and is_whole(k))
def triu(m: Any, k: Any = 0) -> Any:
    _check_matrix(m)
    result = m.copy()
    for row in range(m.shape[0]):
        for column in range(min(max(row + k, 0), m.shape[1])):
            result[row, column] = 0
    return result


@stands_for("numpy.tril", alike=lambda m, k: is_array(m, ALL, 2) and is_whole(k))
def tril(m: Any, k: Any = 0) -> Any:
    _check_matrix(m)
    result = m.copy()
    for row in range(m.shape[0]):
        for column in range(min(max(row + k + 1, 0), m.shape[1]), m.shape[1]):
            result[row, column] = 0
    return result


@stands_for("numpy.tri", alike=lambda N: is_number(N, "i8"))
def tri(N: Any) -> Any:
    rows = max(N, 0)
    result = numpy.zeros((rows, rows))
    for row in range(rows):
        for column in range(row + 1):
            result[row, column] = 1
    return result


@stands_for("numpy.diag", alike=lambda v: is_array(v, ALL))  # of a matrix NumPy gives a view
def diag(v: Any) -> Any:
    if v.ndim == 1:
        result = numpy.zeros((len(v), len(v)), v.dtype)
        for k in range(len(v)):
            result[k, k] = v[k]
        return result
    values = numpy.empty(min(v.shape[0], v.shape[1]), v.dtype)
    for k in range(len(values)):
        values[k] = v[k, k]
    return values


@stands_for("numpy.trace", "array.trace", alike=lambda a: is_array(a, "f8 i8", 2))
def trace(a: Any) -> Any:
    total = a[:0, 0].sum()
    for k in range(min(a.shape[0], a.shape[1])):
        total += a[k, k]
    return total
