"""Linear systems, inverses, determinants, least squares."""

from __future__ import annotations

import operator

import numpy
from numpy.linalg import LinAlgError
from numpy.linalg._linalg import SlogdetResult

from tessera import _core as core
from tessera.numpy._dispatch import as_array, in_class, keeps_any_class, keeps_array_class, native
from tessera.numpy.linalg import _common as common
from tessera.numpy.linalg._common import routines


@keeps_any_class
def solve(a, b):
    """The x with a @ x == b.

    Shapes: (..., n, n) and (n,) or (..., n, k) to the latter. Dtypes: float32 and complex64 stay, else at least float64;
    float16 is refused (TypeError). Errors: LinAlgError for matrices that are not square or singular; ValueError where the
    lengths differ. Source: LU with partial pivoting, LAPACK's getrf, cuSOLVER's on a GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0])
    array([1., 2.])
    """
    a, b = common.matrices(a, b)
    common.check_square(a)
    compute, result = common.common_dtypes(a, b)
    vector = b.ndim == 1
    rows = b.shape[0] if vector else b.shape[-2] if b.ndim > 1 else 0
    if b.ndim == 0:
        raise ValueError(
            "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature "
            "(m,m),(m,n)->(m,n) requires 2)"
        )
    if rows != a.shape[-1]:
        raise ValueError(
            f"{'solve1' if vector else 'solve'}: Input operand 1 has a mismatch in its core dimension 0, with "
            f"gufunc signature {'(m,m),(m)->(m)' if vector else '(m,m),(m,n)->(m,n)'} (size {rows} is different "
            f"from {a.shape[-1]})"
        )
    x = routines.solve(a, b[:, None] if vector else b, compute)
    return common.cast(x[..., 0] if vector else x, result)


@keeps_array_class
def inv(a):
    """The inverse.

    Shapes: (..., n, n) to the same. Dtypes: float32 and complex64 stay, else at least float64; float16 is refused
    (TypeError). Errors: LinAlgError for matrices that are not square or singular. Source: LU with partial pivoting, LAPACK's
    getrf, cuSOLVER's on a GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = common.matrices(a)
    common.check_square(a)
    compute, result = common.common_dtypes(a)
    return common.cast(routines.invert(a, compute), result)


@native
def det(a):
    """The determinant.

    Shapes: (..., n, n) to (...). Dtypes: float32 and complex64 stay, else at least float64; float16 is refused (TypeError).
    Errors: LinAlgError for matrices that are not square. Source: LU with partial pivoting, LAPACK's getrf, cuSOLVER's on a
    GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> round(float(np.linalg.det([[1.0, 2.0], [3.0, 4.0]])), 6)
    -2.0
    """
    a = common.matrices(a)
    common.check_square(a)
    compute, result = common.common_dtypes(a)
    return common.number(common.cast(routines.determinant(a, compute), result))


@native
def slogdet(a):
    """The sign and the logarithm of the size of the determinant.

    Shapes: (..., n, n) to (...) twice. Dtypes: float32 and complex64 stay, else at least float64; float16 is refused
    (TypeError). The logarithm is real. Errors: LinAlgError for matrices that are not square. Source: LU with partial
    pivoting, LAPACK's getrf, cuSOLVER's on a GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.slogdet(np.diag([1.0, -1.0])).sign
    np.float64(-1.0)
    """
    a = common.matrices(a)
    common.check_square(a)
    compute, result = common.common_dtypes(a)
    sign, log = routines.log_determinant(a, compute)
    return SlogdetResult(
        common.number(common.cast(sign, result)), common.number(common.cast(log, common.real_of(result)))
    )


@keeps_array_class
def tensorsolve(a, b, axes=None):
    """The x with tensordot(a, x, x.ndim) == b.

    Shapes: `a`'s last axes, as many as `b` leaves. Dtypes: float32 and complex64 stay, else at least float64; float16 is
    refused (TypeError). Errors: LinAlgError where the sizes do not suit or it is singular.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2), np.ones((2, 2))).shape
    (2, 2)
    """
    a, b = common.matrices(a, b)
    if axes is not None:
        order = list(range(a.ndim))
        for k in axes:
            order.remove(k)
            order.insert(a.ndim, k)
        a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    size = 1
    for extent in shape:
        size *= extent
    if a.size != size**2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return solve(a.reshape(size, size), b.ravel()).reshape(shape)


@native
def tensorinv(a, ind=2):
    """The inverse with respect to tensordot over the first `ind` axes.

    Shapes: `a`'s from `ind` on, then those before. Dtypes: float32 and complex64 stay, else at least float64; float16 is
    refused (TypeError). Errors: LinAlgError where both halves differ in size or it is singular; ValueError for `ind` below 1.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2)).shape
    (2, 2, 2, 2)
    """
    a = common.matrices(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    size = 1
    for extent in a.shape[ind:]:
        size *= extent
    return inv(a.reshape(size, -1)).reshape(a.shape[ind:] + a.shape[:ind])


@keeps_array_class
def matrix_power(a, n):
    """The product of n copies of a; of the inverse for negative n.

    Shapes: (..., n, n) to the same. Dtypes: `a`'s, at least float64 for negative n. Errors: LinAlgError for matrices that are
    not square, singular ones for negative n; TypeError where n is no integer. Source: repeated squaring.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.matrix_power([[1, 1], [0, 1]], 3)
    array([[1, 3],
           [0, 1]])
    """
    a = as_array(a)
    common.check_square(a)
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        result = core.full(a.shape, 0, a.dtype)
        core.as_strided(result, a.shape[:-1], result.strides[:-2] + (result.strides[-2] + result.strides[-1],))[...] = 1
        return result
    if n < 0:
        a, n = inv(a), -n
    multiply = routines.matmul
    if n == 3:
        return multiply(multiply(a, a), a)
    result = None
    while True:
        if n & 1:
            result = a if result is None else multiply(result, a)
        n >>= 1
        if n == 0:
            return result
        a = multiply(a, a)


@native
def lstsq(a, b, rcond=None):
    """(x, residuals, rank, singular values) of the least-squares solution.

    Shapes: (m, n) and (m,) or (m, k) to (n,) or (n, k), (k,) or (0,), (), (min(m, n),). Dtypes: float32 and complex64 stay,
    else at least float64; float16 is refused (TypeError). Errors: LinAlgError for other than two dimensions, lengths that
    differ or no convergence. Source: LAPACK's gelsd (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.lstsq(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0, 5.0]))[0].round(6)
    array([1., 2.])
    """
    given = b
    a, b = common.matrices(a, b)
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    common.check_2d(a, b)
    m, n = a.shape
    if m != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    compute, result = common.common_dtypes(a, b)
    real = common.real_of(result)
    if rcond is None:
        rcond = numpy.finfo(compute).eps * max(n, m)
    sides = b.shape[1]
    if sides == 0:  # LAPACK wants at least one
        b = core.full((m, 1), 0, b.dtype)
    x, residuals, rank, s = routines.least_squares(a, b, float(rcond), compute)
    if m == 0:
        x[...] = 0
    if sides == 0:
        x, residuals = x[:, :0], residuals[:0]
    if vector:
        x = x[:, 0]
    if rank != n or m <= n:
        residuals = core.empty((0,), real)
    x, residuals = in_class(given, common.cast(x, result)), in_class(given, common.cast(residuals, real))
    return x, residuals, numpy.int32(rank), common.cast(s, real)
