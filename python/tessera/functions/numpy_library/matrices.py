"""Matrices: triangles, diagonals, and linear algebra for small ones (Gauss with partial pivoting, Cholesky; Golub and Van Loan, 3.4 and 4.2)."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for


@in_language
def _check_matrix(m: Any) -> None:
    if m.ndim != 2:
        raise NotImplementedError(
            "this function of NumPy takes matrices in prange or a kernel; call it outside of the loop"
        )


@stands_for("numpy.triu")
def triu(m: Any, k: Any = 0) -> Any:
    _check_matrix(m)
    result = m.copy()
    for row in range(m.shape[0]):
        for column in range(min(max(row + k, 0), m.shape[1])):
            result[row, column] = 0
    return result


@stands_for("numpy.tril")
def tril(m: Any, k: Any = 0) -> Any:
    _check_matrix(m)
    result = m.copy()
    for row in range(m.shape[0]):
        for column in range(min(max(row + k + 1, 0), m.shape[1]), m.shape[1]):
            result[row, column] = 0
    return result


@stands_for("numpy.tri")
def tri(N: Any) -> Any:
    result = numpy.zeros((N, N))
    for row in range(N):
        for column in range(row + 1):
            result[row, column] = 1
    return result


@stands_for("numpy.diag")
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


@stands_for("numpy.trace", "array.trace")
def trace(a: Any) -> Any:
    total = a[:0, 0].sum()
    for k in range(min(a.shape[0], a.shape[1])):
        total += a[k, k]
    return total


@in_language
def _pivot(matrix: Any, k: Any) -> Any:
    best = k
    for row in range(k + 1, matrix.shape[0]):
        if abs(matrix[row, k]) > abs(matrix[best, k]):
            best = row
    return best


@in_language
def _check_square(a: Any) -> None:
    if a.shape[0] != a.shape[1]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")


@stands_for("numpy.linalg.det")
def det(a: Any) -> Any:
    _check_square(a)
    matrix = a / 1
    count = len(matrix)
    product = 1.0
    for k in range(count):
        best = _pivot(matrix, k)
        if matrix[best, k] == 0:
            return 0.0
        if best != k:
            product = -product
            for column in range(k, count):
                matrix[best, column], matrix[k, column] = matrix[k, column], matrix[best, column]
        product *= matrix[k, k]
        for row in range(k + 1, count):
            factor = matrix[row, k] / matrix[k, k]
            for column in range(k + 1, count):
                matrix[row, column] -= factor * matrix[k, column]
    return product


@in_language
def _solve_columns(matrix: Any, right: Any) -> None:
    count = len(matrix)
    for k in range(count):
        best = _pivot(matrix, k)
        if matrix[best, k] == 0:
            raise numpy.linalg.LinAlgError("Singular matrix")
        if best != k:
            for column in range(k, count):
                matrix[best, column], matrix[k, column] = matrix[k, column], matrix[best, column]
            for column in range(right.shape[1]):
                right[best, column], right[k, column] = right[k, column], right[best, column]
        for row in range(k + 1, count):
            factor = matrix[row, k] / matrix[k, k]
            for column in range(k + 1, count):
                matrix[row, column] -= factor * matrix[k, column]
            for column in range(right.shape[1]):
                right[row, column] -= factor * right[k, column]
    for k in range(count - 1, -1, -1):
        for column in range(right.shape[1]):
            value = right[k, column]
            for n in range(k + 1, count):
                value -= matrix[k, n] * right[n, column]
            right[k, column] = value / matrix[k, k]


@stands_for("numpy.linalg.solve")
def solve(a: Any, b: Any) -> Any:
    _check_square(a)
    if a.shape[0] != b.shape[0]:
        raise ValueError("solve: Input operand 1 has a mismatch in its core dimension 0")
    if b.ndim == 1:
        column = b.reshape((-1, 1)) / 1
        _solve_columns(a / 1, column)
        return column[:, 0].copy()
    columns = b / 1
    _solve_columns(a / 1, columns)
    return columns


@stands_for("numpy.linalg.inv")
def inv(a: Any) -> Any:
    _check_square(a)
    columns = numpy.eye(len(a))
    _solve_columns(a / 1, columns)
    return columns


@stands_for("numpy.linalg.cholesky")
def cholesky(a: Any) -> Any:
    _check_square(a)
    count = len(a)
    factor = numpy.zeros((count, count))
    for row in range(count):
        for column in range(row + 1):
            value = a[row, column] / 1
            for k in range(column):
                value -= factor[row, k] * factor[column, k]
            if row == column:
                if not value > 0:
                    raise numpy.linalg.LinAlgError("Matrix is not positive definite")
                factor[row, row] = numpy.sqrt(value)
            else:
                factor[row, column] = value / factor[column, column]
    return factor


@stands_for("numpy.linalg.norm")
def norm(x: Any, ord: Any = None) -> Any:
    sizes = numpy.abs(x / 1)
    if ord is None:
        return numpy.sqrt((sizes**2).sum())
    if x.ndim != 1:
        raise NotImplementedError("numpy.linalg.norm with ord of a matrix in prange or a kernel")
    if ord == numpy.inf:
        return sizes.max()
    if ord == -numpy.inf:
        return sizes.min()
    if ord == 0:
        return (x != 0).sum() / 1
    if ord == 1:
        return sizes.sum()
    if ord == 2:
        return numpy.sqrt((sizes**2).sum())
    return (sizes**ord).sum() ** (1 / ord)
