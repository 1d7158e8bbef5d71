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


@stands_for(
    "numpy.tri",
    alike=lambda N, M, k: is_number(N, "i8") and (M is None or M.is_none or is_number(M, "i8")) and is_whole(k),
)
def tri(N: Any, M: Any = None, k: Any = 0) -> Any:
    rows = max(N, 0)
    columns = rows if M is None else max(M, 0)
    result = numpy.zeros((rows, columns))
    for row in range(rows):
        for column in range(max(0, min(row + k + 1, columns))):
            result[row, column] = 1
    return result


@in_language
def _places_of_triangle(rows: Any, columns: Any, k: Any, is_upper: Any) -> Any:
    """The rows and the columns of the elements on the k-th diagonal and above, or below."""
    count = 0
    for row in range(rows):
        first = min(max(row + k, 0), columns)
        count += columns - first if is_upper else min(max(row + k + 1, 0), columns)
    first_places, second_places = numpy.empty(count, numpy.int64), numpy.empty(count, numpy.int64)
    count = 0
    for row in range(rows):
        begin = min(max(row + k, 0), columns) if is_upper else 0
        end = columns if is_upper else min(max(row + k + 1, 0), columns)
        for column in range(begin, end):
            first_places[count] = row
            second_places[count] = column
            count += 1
    return first_places, second_places


def _is_triangle(n: Any, k: Any, m: Any) -> bool:
    return is_number(n, "i8") and is_whole(k) and (m is None or m.is_none or is_number(m, "i8"))


@stands_for("numpy.triu_indices", alike=_is_triangle)
def triu_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    return _places_of_triangle(max(n, 0), max(n, 0) if m is None else max(m, 0), k, True)


@stands_for("numpy.tril_indices", alike=_is_triangle)
def tril_indices(n: Any, k: Any = 0, m: Any = None) -> Any:
    return _places_of_triangle(max(n, 0), max(n, 0) if m is None else max(m, 0), k, False)


@stands_for("numpy.triu_indices_from", alike=lambda arr, k: is_array(arr, ALL, 2) and is_whole(k))
def triu_indices_from(arr: Any, k: Any = 0) -> Any:
    return _places_of_triangle(arr.shape[0], arr.shape[1], k, True)


@stands_for("numpy.tril_indices_from", alike=lambda arr, k: is_array(arr, ALL, 2) and is_whole(k))
def tril_indices_from(arr: Any, k: Any = 0) -> Any:
    return _places_of_triangle(arr.shape[0], arr.shape[1], k, False)


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
