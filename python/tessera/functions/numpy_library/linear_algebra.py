"""numpy.linalg: small matrices in place (Gauss with partial pivoting, Cholesky; Golub and Van Loan, 3.4 and 4.2), larger ones by LAPACK."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera.functions.numpy_library._registry import has_routines, in_language, routine, stands_for
from tessera.functions.numpy_library.conditions import is_any_array, is_array, is_flag, is_left_out, is_none, is_number

_SOLVE, _INVERSE, _DETERMINANT, _LOG_DETERMINANT, _CHOLESKY, _QR, _EIGENVALUES = 1, 2, 3, 4, 5, 6, 7
_SINGULAR_VALUES, _THIN_SINGULAR_VECTORS, _SINGULAR_VECTORS, _LEAST_SQUARES, _EIGENVALUES_ALONE = 8, 9, 10, 11, 12
_MOST = 8  # rows of a matrix that is computed in place

_one = numpy.eye(1)
_QRResult, _SlogdetResult = type(numpy.linalg.qr(_one)), type(numpy.linalg.slogdet(_one))
_EighResult, _SVDResult = type(numpy.linalg.eigh(_one)), type(numpy.linalg.svd(_one))


_DTYPES = "f8 i8 i4 f4 c16 c8"


def is_matrix(a: Any, *others: Any) -> bool:
    return is_array(a, _DTYPES, 2) and all(map(is_left_out, others))


@in_language
def new_floats(a: Any) -> Any:
    """A new array of numbers that LAPACK takes."""
    return a / 1 if a.dtype.kind == "i" else a.copy()


@in_language
def _numbers(a: Any) -> Any:
    """Numbers that LAPACK takes, which are read alone: the array itself unless it has integers."""
    return a / 1 if a.dtype.kind == "i" else a


@in_language
def _is_here(a: Any) -> Any:
    """Whether it is computed here, in place: it is small, of doubles or integers, and no routine is called, which has the same for small ones."""
    return not has_routines() and _is_few(a)


@in_language
def _is_few(a: Any) -> Any:
    """Few rows of doubles or integers."""
    return len(a) <= _MOST and (a.dtype.kind == "i" or (a.dtype.kind == "f" and a.dtype.itemsize == 8))


@in_language
def _real_type(a: Any) -> Any:
    """Of the absolute values of LAPACK's numbers."""
    return type(a[:0, 0].real.sum())


@in_language
def check_square(a: Any) -> None:
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


@stands_for("numpy.linalg.det", alike=is_matrix)
def det(a: Any) -> Any:
    check_square(a)
    if not _is_here(a):
        floats = _numbers(a)
        determinant = numpy.empty(1, floats.dtype)
        routine(_DETERMINANT, floats, determinant.reshape(()))
        return determinant[0]
    matrix = a / 1
    product = _eliminate(matrix)
    for k in range(len(matrix)):
        product *= matrix[k, k]
    return product


@stands_for("numpy.linalg.slogdet", alike=is_matrix)
def slogdet(a: Any) -> Any:
    check_square(a)
    if not _is_here(a):
        floats = _numbers(a)
        found, size = numpy.empty(1, floats.dtype), numpy.empty(1, _real_type(floats))
        routine(_LOG_DETERMINANT, floats, found.reshape(()), size.reshape(()))
        return _SlogdetResult(found[0], size[0])
    matrix = new_floats(a)
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
    """`columns` is a new array, of one column or several, which becomes the result."""
    matrix = columns.reshape((len(columns), -1)) if columns.ndim == 1 else columns
    if _is_here(a):
        _solve_columns(a / 1, matrix)
    elif len(columns) > 0 and routine(_SOLVE, _numbers(a), matrix, matrix) < 0:
        raise numpy.linalg.LinAlgError("Singular matrix")
    return columns


def _is_system(a: Any, b: Any) -> bool:
    if not is_matrix(a) or not (is_array(b, _DTYPES, 1) or is_array(b, _DTYPES, 2)):
        return False
    return bool(a.dtype == b.dtype or (a.is_of("f8 i8 i4") and b.is_of("f8 i8 i4")))


@stands_for("numpy.linalg.solve", alike=_is_system)
def solve(a: Any, b: Any) -> Any:
    check_square(a)
    if a.shape[0] != b.shape[0]:
        raise ValueError("solve: Input operand 1 has a mismatch in its core dimension 0")
    return _solved(a, new_floats(b))


@stands_for("numpy.linalg.inv", alike=is_matrix)
def inv(a: Any) -> Any:
    check_square(a)
    if _is_here(a):
        floats = new_floats(a)
        columns = numpy.zeros(a.shape, floats.dtype)
        for k in range(len(a)):
            columns[k, k] = 1
        _solve_columns(floats, columns)
        return columns
    numbers = _numbers(a)
    result = numpy.empty(a.shape, numbers.dtype)
    if routine(_INVERSE, numbers, result) < 0:
        raise numpy.linalg.LinAlgError("Singular matrix")
    return result


@stands_for("numpy.linalg.cholesky", alike=is_matrix)
def cholesky(a: Any) -> Any:
    check_square(a)
    count = len(a)
    floats = _numbers(a)
    factor = numpy.zeros(a.shape, floats.dtype)
    if not _is_few(a):
        if count > 0 and routine(_CHOLESKY, floats, factor) < 0:
            raise numpy.linalg.LinAlgError("Matrix is not positive definite")
        return factor
    for row in range(count):
        for column in range(row + 1):
            value = floats[row, column]
            for k in range(column):
                value -= factor[row, k] * factor[column, k]
            if row == column:
                if not value > 0:
                    raise numpy.linalg.LinAlgError("Matrix is not positive definite")
                factor[row, row] = numpy.sqrt(value)
            else:
                factor[row, column] = value / factor[column, column]
    return factor


@stands_for("numpy.linalg.qr", alike=lambda a, mode: is_matrix(a) and is_left_out(mode, "reduced"))
def qr(a: Any, mode: Any = "reduced") -> Any:
    least = min(a.shape[0], a.shape[1])
    floats = new_floats(a)
    factors, tau = numpy.empty((a.shape[1], a.shape[0]), floats.dtype), numpy.empty(least, floats.dtype)
    q, r = numpy.empty((a.shape[0], least), floats.dtype), numpy.zeros((least, a.shape[1]), floats.dtype)
    if least > 0:
        routine(_QR, floats, factors, tau, q)
        for row in range(least):
            for column in range(row, a.shape[1]):
                r[row, column] = factors[column, row]
    return _QRResult(q, r)


@stands_for("numpy.linalg.eigh", alike=is_matrix)
def eigh(a: Any) -> Any:
    check_square(a)
    floats = new_floats(a)
    values, vectors = numpy.empty(len(a), _real_type(floats)), numpy.empty(a.shape, floats.dtype)
    if len(a) > 0 and routine(_EIGENVALUES, floats, values, vectors) < 0:
        raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
    return _EighResult(values, vectors)


@stands_for("numpy.linalg.eigvalsh", alike=is_matrix)
def eigvalsh(a: Any) -> Any:
    check_square(a)
    floats = new_floats(a)
    values = numpy.empty(len(a), _real_type(floats))
    if len(a) > 0 and routine(_EIGENVALUES_ALONE, floats, values) < 0:
        raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
    return values


@stands_for("numpy.linalg.svd", alike=lambda a, full_matrices: is_matrix(a) and is_flag(full_matrices))
def svd(a: Any, full_matrices: Any = True) -> Any:
    rows, columns = a.shape
    least = min(rows, columns)
    floats = new_floats(a)
    s = numpy.empty(least, _real_type(floats))
    failed = 0
    if full_matrices:
        u, vh = numpy.eye(rows, dtype=floats.dtype), numpy.eye(columns, dtype=floats.dtype)
        if least > 0:
            failed = routine(_SINGULAR_VECTORS, floats, s, u, vh)
        if failed < 0:
            raise numpy.linalg.LinAlgError("SVD did not converge")
        return _SVDResult(u, s, vh)
    u, vh = numpy.empty((rows, least), floats.dtype), numpy.empty((least, columns), floats.dtype)
    if least > 0:
        failed = routine(_THIN_SINGULAR_VECTORS, floats, s, u, vh)
    if failed < 0:
        raise numpy.linalg.LinAlgError("SVD did not converge")
    return _SVDResult(u, s, vh)


@in_language
def _singular_values(a: Any) -> Any:
    floats = new_floats(a)
    s = numpy.empty(min(a.shape[0], a.shape[1]), _real_type(floats))
    if len(s) > 0 and routine(_SINGULAR_VALUES, floats, s) < 0:
        raise numpy.linalg.LinAlgError("SVD did not converge")
    return s


def _is_least(a: Any, b: Any) -> bool:
    return _is_system(a, b) and not a.is_of("f4 c8")


@stands_for("numpy.linalg.lstsq", alike=_is_least)
def lstsq(a: Any, b: Any) -> Any:
    rows, columns = a.shape
    if rows != b.shape[0]:
        raise numpy.linalg.LinAlgError("Incompatible dimensions")
    right = new_floats(b.reshape((rows, -1)) if b.ndim == 1 else b)
    floats = new_floats(a)
    x = numpy.zeros((columns, right.shape[1]), floats.dtype)
    residuals, s = numpy.empty(right.shape[1]), numpy.empty(min(rows, columns))
    rank = 0
    if rows > 0 and columns > 0 and right.shape[1] > 0:
        rank = routine(_LEAST_SQUARES, floats, right, x, residuals, s)
        if rank < 0:
            raise numpy.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    if rank != columns or rows <= columns:
        residuals = numpy.empty(0)
    if b.ndim == 1:
        return x.reshape(columns), residuals, rank, s
    return x, residuals, rank, s


def _is_norm(x: Any, ord: Any) -> bool:
    if is_left_out(ord) or ord.is_none:
        return is_any_array(x, _DTYPES) and x.ndim <= 2
    if is_array(x, _DTYPES, 2):
        return is_left_out(ord, "fro") or is_number(ord)
    return is_array(x, _DTYPES) and is_number(ord)


@in_language
def _length(x: Any) -> Any:
    """The root of the sum of squares."""
    flat = x.ravel()
    if x.dtype.kind == "c":
        real, imaginary = flat.real.copy(), flat.imag.copy()
        return numpy.sqrt(numpy.dot(real, real) + numpy.dot(imaginary, imaginary))
    floats = flat if x.dtype.kind == "f" else flat / 1
    return numpy.sqrt(numpy.dot(floats, floats))


@in_language
def _matrix_norm(x: Any, ord: Any) -> Any:
    if ord == 2 or ord == -2:
        s = _singular_values(x)
        return (s.max() if len(s) > 0 else type(s[:0].sum())(0)) if ord == 2 else s.min()
    if ord == 1 or ord == -1:
        sums = numpy.sum(numpy.abs(new_floats(x)), axis=0)
        return (sums.max() if len(sums) > 0 else type(sums[:0].sum())(0)) if ord == 1 else sums.min()
    if ord == numpy.inf or ord == -numpy.inf:
        sums = numpy.sum(numpy.abs(new_floats(x)), axis=1)
        return (sums.max() if len(sums) > 0 else type(sums[:0].sum())(0)) if ord == numpy.inf else sums.min()
    raise ValueError("Invalid norm order for matrices.")


@stands_for("numpy.linalg.norm", alike=_is_norm)
def norm(x: Any, ord: Any = None) -> Any:
    if ord is None or isinstance(ord, str):
        return _length(x)
    if x.ndim == 2:
        return _matrix_norm(x, ord)
    if x.ndim != 1:
        raise NotImplementedError("numpy.linalg.norm of more than two axes in prange or a kernel")
    sizes = numpy.abs(new_floats(x))
    if ord == numpy.inf:
        return sizes.max() if len(sizes) > 0 else type(sizes[:0].sum())(0)
    if ord == -numpy.inf:
        return sizes.min()
    if ord == 0:
        return type(sizes[:0].sum())((x != 0).sum())
    if ord == 1:
        return sizes.sum()
    if ord == 2:
        return type(sizes[:0].sum())(_length(x))
    return type(sizes[:0].sum())((sizes**ord).sum() ** (1 / ord))


@in_language
def _condition(x: Any, p: Any) -> Any:
    """By the inverse, in doubles; infinite where there is none."""
    check_square(x)
    doubles = x.astype(numpy.complex128) if x.dtype.kind == "c" else x.astype(numpy.float64)
    inverse = numpy.empty_like(doubles)
    size = norm(doubles, p)
    product = numpy.inf
    if routine(_INVERSE, doubles, inverse) >= 0:
        product = size * norm(inverse, p)
    return numpy.inf if product != product and not numpy.isnan(x).any() else product  # noqa: PLR0124


@in_language
def _spread(s: Any, x: Any, is_inverse: Any) -> Any:
    first, last = s[0], s[len(s) - 1]
    ratio = numpy.divide(last, first) if is_inverse else numpy.divide(first, last)
    if ratio != ratio and not numpy.isnan(x).any():  # noqa: PLR0124
        return type(ratio)(numpy.inf)
    return ratio


def _has_condition(x: Any, p: Any) -> bool:
    return is_matrix(x) and (p is None or p.is_none or is_number(p) or is_left_out(p, "fro"))


@stands_for("numpy.linalg.cond", alike=_has_condition)
def cond(x: Any, p: Any = None) -> Any:
    if x.size == 0:
        raise numpy.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None:
        return _spread(_singular_values(x), x, False)
    if isinstance(p, str):
        return _real_type(new_floats(x))(_condition(x, p))
    if p == 2 or p == -2:
        return _spread(_singular_values(x), x, p == -2)
    return _real_type(new_floats(x))(_condition(x, p))


@in_language
def _inverse(a: Any) -> Any:
    """In its own dtype."""
    return a.copy() if a.dtype.kind == "i" else inv(a)


def _is_power(a: Any, n: Any) -> bool:
    return is_matrix(a) and bool(n is not None and n.is_whole())


@stands_for("numpy.linalg.matrix_power", alike=_is_power)
def matrix_power(a: Any, n: Any) -> Any:
    check_square(a)
    if n == 0:
        return numpy.eye(len(a), dtype=a.dtype)
    if n < 0 and a.dtype.kind == "i":
        raise ValueError("a negative power of a matrix of integers in a compiled function: convert it to floats")
    base = _inverse(a) if n < 0 else a.copy()
    left = abs(n)
    result = base.copy()
    is_first = True
    while left > 0:
        if left % 2 == 1:
            result = base.copy() if is_first else result @ base
            is_first = False
        left //= 2
        if left > 0:
            base = base @ base
    return result


@in_language
def _in_doubles(a: Any) -> Any:
    return a.astype(numpy.complex128) if a.dtype.kind == "c" else a.astype(numpy.float64)


@stands_for(
    "numpy.linalg.pinv",
    alike=lambda a, rcond: is_array(a, _DTYPES, 2) and (is_none(rcond) or is_number(rcond, "f8")),
)
def pinv(a: Any, rcond: Any = None) -> Any:
    numbers = numpy.conj(new_floats(a))
    if a.size == 0:
        return numpy.empty((a.shape[1], a.shape[0]), numbers.dtype)
    # NumPy computes single precision in double: what is cut off there follows from that.
    found = svd(_in_doubles(numbers), False)
    u, s, vt = found.U.astype(numbers.dtype), found.S.astype(_real_type(numbers)), found.Vh.astype(numbers.dtype)
    limit = (1e-15 if rcond is None else rcond) * s.max()
    for k in range(len(s)):
        scale = type(s[0])(1 / s[k] if s[k] > limit else 0.0)
        for row in range(a.shape[0]):
            u[row, k] *= scale
    return vt.T.copy() @ u.T.copy()


def _is_stored(a: Any, b: Any, out: Any) -> bool:
    are_known = all(is_array(one, "f8 f4 c16 c8", 1) or is_array(one, "f8 f4 c16 c8", 2) for one in (a, b, out))
    return are_known and a.dtype == b.dtype == out.dtype and out.ndim == a.ndim + b.ndim - 2


@stands_for("numpy.dot", alike=_is_stored)
def dot(a: Any, b: Any, out: Any) -> Any:
    product = numpy.dot(a, b)
    if product.shape != out.shape or not out.flags.c_contiguous:
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )
    out[...] = product
    return out


@stands_for(
    "numpy.linalg.matrix_rank",
    alike=lambda A, tol: (is_matrix(A) or is_array(A, _DTYPES)) and (tol is None or tol.is_none or is_number(tol)),
)
def matrix_rank(A: Any, tol: Any = None) -> Any:
    if A.ndim < 2:
        return 1 if (A != 0).any() else 0
    s = _singular_values(A)
    if len(s) == 0:
        return 0
    limit = s.max() * max(A.shape[0], A.shape[1]) * numpy.finfo(s.dtype).eps if tol is None else tol
    return (s > limit).sum()
