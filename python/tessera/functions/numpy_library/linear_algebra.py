"""numpy.linalg: small matrices in place (Gauss with partial pivoting, Cholesky; Golub and Van Loan, 3.4 and 4.2), larger ones by LAPACK."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, routine, stands_for
from tessera.functions.numpy_library.conditions import is_any_array, is_array, is_left_out, is_number

_SOLVE, _INVERSE, _DETERMINANT, _LOG_DETERMINANT, _CHOLESKY, _QR, _EIGENVALUES = 1, 2, 3, 4, 5, 6, 7
_SINGULAR_VALUES, _THIN_SINGULAR_VECTORS, _SINGULAR_VECTORS, _LEAST_SQUARES = 8, 9, 10, 11
_MOST = 8  # rows of a matrix that is computed in place

_one = numpy.eye(1)
_QRResult, _SlogdetResult = type(numpy.linalg.qr(_one)), type(numpy.linalg.slogdet(_one))
_EighResult, _SVDResult = type(numpy.linalg.eigh(_one)), type(numpy.linalg.svd(_one))


def _is_matrix(a: Any, *others: Any) -> bool:
    return is_array(a, "f8 i8", 2) and all(map(is_left_out, others))


@in_language
def _check_square(a: Any) -> None:
    if a.ndim != 2:
        raise NotImplementedError("numpy.linalg takes matrices in prange; call it outside of the loop")
    if a.shape[0] != a.shape[1]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")


@in_language
def _pivot(matrix: Any, k: Any) -> Any:
    best = k
    for row in range(k + 1, matrix.shape[0]):
        if abs(matrix[row, k]) > abs(matrix[best, k]):
            best = row
    return best


@in_language
def _eliminate(matrix: Any) -> Any:
    """Makes it upper triangular; the sign of the rows' permutation."""
    count = len(matrix)
    sign = 1.0
    for k in range(count):
        best = _pivot(matrix, k)
        if best != k:
            sign = -sign
            for column in range(k, count):
                matrix[best, column], matrix[k, column] = matrix[k, column], matrix[best, column]
        if matrix[k, k] != 0:
            for row in range(k + 1, count):
                factor = matrix[row, k] / matrix[k, k]
                for column in range(k + 1, count):
                    matrix[row, column] -= factor * matrix[k, column]
    return sign


@stands_for("numpy.linalg.det", alike=_is_matrix)
def det(a: Any) -> Any:
    _check_square(a)
    if len(a) > _MOST:
        determinant = numpy.empty(1)
        routine(_DETERMINANT, a / 1, determinant.reshape(()))
        return determinant[0]
    matrix = a / 1
    product = _eliminate(matrix)
    for k in range(len(matrix)):
        product *= matrix[k, k]
    return product


@stands_for("numpy.linalg.slogdet", alike=_is_matrix)
def slogdet(a: Any) -> Any:
    _check_square(a)
    matrix = a / 1
    if len(a) > _MOST:
        found = numpy.empty(2)
        routine(_LOG_DETERMINANT, matrix, found[:1].reshape(()), found[1:].reshape(()))
        return _SlogdetResult(found[0], found[1])
    sign, logarithm = _eliminate(matrix), 0.0
    for k in range(len(matrix)):
        if matrix[k, k] == 0:
            return _SlogdetResult(0.0, -math.inf)
        if matrix[k, k] < 0:
            sign = -sign
        logarithm += math.log(abs(matrix[k, k])) if matrix[k, k] == matrix[k, k] else math.nan  # noqa: PLR0124
    return _SlogdetResult(sign, logarithm)


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


@in_language
def _solved(a: Any, columns: Any) -> Any:
    if len(a) <= _MOST:
        _solve_columns(a / 1, columns)
        return columns
    result = numpy.empty_like(columns)
    if routine(_SOLVE, a / 1, columns, result) < 0:
        raise numpy.linalg.LinAlgError("Singular matrix")
    return result


def _is_system(a: Any, b: Any) -> bool:
    return _is_matrix(a) and (is_array(b, "f8 i8", 1) or is_array(b, "f8 i8", 2))


@stands_for("numpy.linalg.solve", alike=_is_system)
def solve(a: Any, b: Any) -> Any:
    _check_square(a)
    if a.shape[0] != b.shape[0]:
        raise ValueError("solve: Input operand 1 has a mismatch in its core dimension 0")
    if b.ndim == 1:
        return _solved(a, b.reshape((-1, 1)) / 1).reshape(len(b))
    return _solved(a, b / 1)


@stands_for("numpy.linalg.inv", alike=_is_matrix)
def inv(a: Any) -> Any:
    _check_square(a)
    if len(a) <= _MOST:
        columns = numpy.zeros(a.shape)
        for k in range(len(a)):
            columns[k, k] = 1
        _solve_columns(a / 1, columns)
        return columns
    result = numpy.empty(a.shape)
    if routine(_INVERSE, a / 1, result) < 0:
        raise numpy.linalg.LinAlgError("Singular matrix")
    return result


@stands_for("numpy.linalg.cholesky", alike=_is_matrix)
def cholesky(a: Any) -> Any:
    _check_square(a)
    count = len(a)
    factor = numpy.zeros((count, count))
    if count > _MOST:
        if routine(_CHOLESKY, a / 1, factor) < 0:
            raise numpy.linalg.LinAlgError("Matrix is not positive definite")
        return factor
    for row in range(count):
        for column in range(row + 1):
            value = a[row, column] / 1
            for k in range(column):
                value -= factor[row, k] * factor[column, k]
            if row == column:
                if value <= 0:
                    raise numpy.linalg.LinAlgError("Matrix is not positive definite")
                factor[row, row] = numpy.sqrt(value)
            else:
                factor[row, column] = value / factor[column, column]
    return factor


@stands_for("numpy.linalg.qr", alike=lambda a, mode: _is_matrix(a) and is_left_out(mode, "reduced"))
def qr(a: Any, mode: Any = "reduced") -> Any:
    least = min(a.shape[0], a.shape[1])
    factors, tau = numpy.empty((a.shape[1], a.shape[0])), numpy.empty(least)
    q, r = numpy.empty((a.shape[0], least)), numpy.zeros((least, a.shape[1]))
    if least > 0:
        routine(_QR, a / 1, factors, tau, q)
        for row in range(least):
            for column in range(row, a.shape[1]):
                r[row, column] = factors[column, row]
    return _QRResult(q, r)


@stands_for("numpy.linalg.eigh", alike=_is_matrix)
def eigh(a: Any) -> Any:
    _check_square(a)
    values, vectors = numpy.empty(len(a)), numpy.empty(a.shape)
    if len(a) > 0 and routine(_EIGENVALUES, a / 1, values, vectors) < 0:
        raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
    return _EighResult(values, vectors)


def _is_decomposed(a: Any, full_matrices: Any) -> bool:
    return _is_matrix(a) and (full_matrices is None or type(full_matrices.value) is bool)


@stands_for("numpy.linalg.svd", alike=_is_decomposed)
def svd(a: Any, full_matrices: Any = True) -> Any:
    rows, columns = a.shape
    least = min(rows, columns)
    s = numpy.empty(least)
    failed = 0
    if full_matrices:
        u, vh = numpy.eye(rows), numpy.eye(columns)
        if least > 0:
            failed = routine(_SINGULAR_VECTORS, a / 1, s, u, vh)
        if failed < 0:
            raise numpy.linalg.LinAlgError("SVD did not converge")
        return _SVDResult(u, s, vh)
    u, vh = numpy.empty((rows, least)), numpy.empty((least, columns))
    if least > 0:
        failed = routine(_THIN_SINGULAR_VECTORS, a / 1, s, u, vh)
    if failed < 0:
        raise numpy.linalg.LinAlgError("SVD did not converge")
    return _SVDResult(u, s, vh)


@stands_for("numpy.linalg.lstsq", alike=_is_system)
def lstsq(a: Any, b: Any) -> Any:
    rows, columns = a.shape
    if rows != b.shape[0]:
        raise numpy.linalg.LinAlgError("Incompatible dimensions")
    right = b.reshape((rows, -1)) / 1 if b.ndim == 1 else b / 1
    x = numpy.zeros((columns, right.shape[1]))
    residuals, s = numpy.empty(right.shape[1]), numpy.empty(min(rows, columns))
    rank = 0
    if rows > 0 and columns > 0 and right.shape[1] > 0:
        rank = routine(_LEAST_SQUARES, a / 1, right, x, residuals, s)
        if rank < 0:
            raise numpy.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    if rank != columns or rows <= columns:
        residuals = numpy.empty(0)
    if b.ndim == 1:
        return x.reshape(columns), residuals, rank, s
    return x, residuals, rank, s


def _is_norm(x: Any, ord: Any) -> bool:
    if is_left_out(ord):
        return is_any_array(x, "f8 i8") and x.ndim <= 2
    return is_array(x, "f8 i8") and is_number(ord) and ord.value is not None


@stands_for("numpy.linalg.norm", alike=_is_norm)
def norm(x: Any, ord: Any = None) -> Any:
    if ord is None:
        flat = x.ravel() if x.dtype.kind == "f" else x.ravel() / 1
        return numpy.sqrt(numpy.dot(flat, flat))
    if x.ndim != 1:
        raise NotImplementedError("numpy.linalg.norm with ord of a matrix in prange or a kernel")
    sizes = numpy.abs(x / 1)
    if ord == numpy.inf:
        return sizes.max() if len(sizes) > 0 else 0.0
    if ord == -numpy.inf:
        return sizes.min()
    if ord == 0:
        return (x != 0).sum() / 1
    if ord == 1:
        return sizes.sum()
    if ord == 2:
        return numpy.sqrt((sizes**2).sum())
    return (sizes**ord).sum() ** (1 / ord)
