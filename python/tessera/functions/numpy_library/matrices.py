"""Matrices: triangles and diagonals."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array
from tessera.functions.numpy_library.conditions import ALL, is_array, is_like, is_number, is_whole


@in_language
def _triangle(m: Any, k: Any, is_upper: Any) -> Any:
    """Of each matrix along the last two axes."""
    result = m.copy()
    rows, columns = m.shape[m.ndim - 2], m.shape[m.ndim - 1]
    parts = result.reshape((-1, rows, columns)) if result.size > 0 else numpy.empty((0, rows, columns), m.dtype)
    for part in range(parts.shape[0]):
        for row in range(rows):
            begin = 0 if is_upper else min(max(row + k + 1, 0), columns)
            end = min(max(row + k, 0), columns) if is_upper else columns
            for column in range(begin, end):
                parts[part, row, column] = 0
    return result


@in_language
def _rows_of(m: Any) -> Any:
    """A matrix of rows that all are the array; arrays of more axes as they are."""
    if m.ndim != 1:
        return m
    result = numpy.empty((len(m), len(m)), m.dtype)
    for row in range(len(m)):
        result[row] = m
    return result


@stands_for("numpy.triu", alike=lambda m, k: is_like(m, ALL, 1) and is_whole(k))
def triu(m: Any, k: Any = 0) -> Any:
    return _triangle(_rows_of(as_array(m)), k, True)


@stands_for("numpy.tril", alike=lambda m, k: is_like(m, ALL, 1) and is_whole(k))
def tril(m: Any, k: Any = 0) -> Any:
    return _triangle(_rows_of(as_array(m)), k, False)


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


@stands_for("numpy.diag", alike=lambda v, k: is_array(v, ALL) and is_whole(k))  # of a matrix NumPy gives a view
def diag(v: Any, k: Any = 0) -> Any:
    if v.ndim == 1:
        count = len(v) + abs(k)
        result = numpy.zeros((count, count), v.dtype)
        for n in range(len(v)):
            result[n + max(-k, 0), n + max(k, 0)] = v[n]
        return result
    values = numpy.empty(min(v.shape[0], v.shape[1]), v.dtype)
    for n in range(len(values)):
        values[n] = v[n, n]
    return values


@stands_for("numpy.trace", "array.trace", alike=lambda a, offset: is_array(a, ALL, 2) and is_whole(offset))
def trace(a: Any, offset: Any = 0) -> Any:
    total = a[:0, 0].sum()
    first = max(-offset, 0)
    for row in range(first, min(a.shape[0], max(a.shape[1] - offset, 0))):
        total += a[row, row + offset]
    return total
