"""Factorizations and eigenvalues."""

from __future__ import annotations

import warnings

import numpy
from numpy.linalg._linalg import EighResult, EigResult, QRResult, SVDResult

from tessera import _core as core
from tessera.numpy._dispatch import in_class, keeps_array_class, native, numpy_version
from tessera.numpy.linalg import _common as common
from tessera.numpy.linalg._common import routines

_VALUES, _THIN, _FULL = range(3)
_QR_PARTS = ("reduced", "complete")


@keeps_array_class
def cholesky(a, /, *, upper=False):
    """The lower (or upper) triangular factor of positive definite matrices.

    Shapes: (..., n, n) to the same. Dtypes: float32 and complex64 stay, else at least float64; float16 is refused
    (TypeError). Errors: LinAlgError for matrices that are not square or not positive definite. Source: LAPACK's potrf,
    cuSOLVER's on a GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """
    a = common.matrices(a)
    common.check_square(a)
    compute, result = common.common_dtypes(a)
    return common.cast(routines.cholesky(a, bool(upper), compute), result)


def _qr_mode(mode):
    if mode in ("f", "full"):
        warnings.warn(
            "The 'full' option is deprecated in favor of 'reduced'.\nFor backward compatibility let mode default.",
            DeprecationWarning,
            stacklevel=4,
        )
        return "reduced"
    if mode in ("e", "economic"):
        warnings.warn("The 'economic' option is deprecated.", DeprecationWarning, stacklevel=4)
        return "economic"
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    return mode


@keeps_array_class
def qr(a, mode="reduced"):
    """Orthogonal and upper triangular factors.

    Shapes: (..., m, n) to (..., m, k) and (..., k, n), k = min(m, n); "complete" m for k, "r" the second alone. Dtypes:
    float32 and complex64 stay, else at least float64; float16 is refused (TypeError). Errors: ValueError for an unknown mode;
    LinAlgError below two dimensions. Source: LAPACK's geqrf and orgqr, CholeskyQR for tall matrices on a GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.qr(np.ones((3, 2))).R.shape
    (2, 2)
    """
    mode = _qr_mode(mode)
    a = common.matrices(a)
    common.check_stacked_2d(a)
    compute, result = common.common_dtypes(a)
    if mode == "r":
        return common.cast(routines.triangle_of_qr(a, compute), result)
    if mode in ("reduced", "complete"):
        q, r = routines.qr(a, _QR_PARTS.index(mode), compute)
        return QRResult(common.cast(q, result), common.cast(r, result))
    packed, tau = routines.qr_packed(a, compute)
    if mode == "raw":
        return common.cast(packed, result), common.cast(tau, result)
    return common.cast(common.transpose(packed), result)


@native
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular values and vectors.

    Shapes: (..., m, n) to (..., m, m), (..., k), (..., n, n), k = min(m, n); k for m and n without `full_matrices`. Dtypes:
    float32 and complex64 stay, else at least float64; float16 is refused (TypeError). Values are real. Errors: LinAlgError
    below two dimensions or where they do not converge. Source: LAPACK's gesdd, cuSOLVER's on a GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.svd(np.diag([3.0, 2.0])).S
    array([3., 2.])
    """
    given, a = a, common.matrices(a)
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    common.check_stacked_2d(a)
    compute, result = common.common_dtypes(a)
    real = common.real_of(result)
    if not compute_uv:
        return common.cast(routines.singular_values(a, _VALUES, compute)[1], real)
    u, s, vh = routines.singular_values(a, _FULL if full_matrices else _THIN, compute)
    return SVDResult(
        in_class(given, common.cast(u, result)), common.cast(s, real), in_class(given, common.cast(vh, result))
    )


def _hermitian_svd(a, compute_uv):
    """Singular values of Hermitian matrices are the sizes of their eigenvalues."""
    import tessera.numpy as tnp

    if not compute_uv:
        return tnp.sort(abs(eigvalsh(a)))[..., ::-1]
    s, u = eigh(a)
    sign = core.copysign(1.0, s)
    s = abs(s)
    order = tnp.argsort(s)[..., ::-1]
    sign = tnp.take_along_axis(sign, order, axis=-1)
    s = tnp.take_along_axis(s, order, axis=-1)
    u = tnp.take_along_axis(u, order[..., None, :], axis=-1)
    return SVDResult(u, s, common.transpose(u * sign[..., None, :]).conjugate())


@native
def svdvals(x, /):
    """Singular values.

    Shapes: (..., m, n) to (..., min(m, n)), falling. Dtypes: float32 and complex64 stay, else at least float64; float16 is
    refused (TypeError). Values are real. Errors: LinAlgError below two dimensions or where they do not converge. Source:
    LAPACK's gesdd (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.svdvals(np.diag([3.0, 2.0]))
    array([3., 2.])
    """
    return svd(x, compute_uv=False, hermitian=False)


def _triangle(UPLO):
    UPLO = UPLO.upper()
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO == "U"


@native
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Shapes: (..., n, n) to (..., n), rising, and (..., n, n), vectors as columns. Dtypes: float32 and complex64 stay, else at
    least float64; float16 is refused (TypeError). Values are real. Errors: LinAlgError for matrices that are not square;
    ValueError where UPLO is neither L nor U. Source: LAPACK's syevd and heevd, cuSOLVER's on a GPU (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.eigh(np.diag([1.0, 2.0])).eigenvalues
    array([1., 2.])
    """
    upper = _triangle(UPLO)
    given, a = a, common.matrices(a)
    common.check_square(a)
    compute, result = common.common_dtypes(a)
    w, v = routines.hermitian_eigenvalues(a, upper, True, compute)
    return EighResult(common.cast(w, common.real_of(result)), in_class(given, common.cast(v, result)))


@native
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of Hermitian matrices.

    Shapes: (..., n, n) to (..., n), rising. Dtypes: float32 and complex64 stay, else at least float64; float16 is refused
    (TypeError). Values are real. Errors: LinAlgError for matrices that are not square; ValueError where UPLO is neither L nor
    U. Source: LAPACK's syevd and heevd (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.eigvalsh(np.diag([2.0, 1.0]))
    array([1., 2.])
    """
    upper = _triangle(UPLO)
    a = common.matrices(a)
    common.check_square(a)
    compute, result = common.common_dtypes(a)
    return common.cast(routines.hermitian_eigenvalues(a, upper, False, compute)[0], common.real_of(result))


# Before NumPy 2.5 a result without imaginary parts was real.
_may_be_real = numpy_version < (2, 5)


def _general(a, vectors):
    """Eigenvalues and vectors, and their dtype."""
    a = common.matrices(a)
    common.check_square(a)
    common.check_finite(a)
    compute, result = common.common_dtypes(a)
    w, v = routines.general_eigenvalues(a, vectors, compute)
    if _may_be_real and compute is numpy.float64 and core.logical_and.reduce(w.imag == 0, None):
        return w.real, None if v is None else v.real, common.real_of(result)
    return w, v, common.complex_of(result)


@native
def eig(a):
    """Eigenvalues and right eigenvectors.

    Shapes: (..., n, n) to (..., n) and (..., n, n), vectors as columns. Dtypes: float32 and complex64 stay, else at least
    float64; float16 is refused (TypeError). Complex where a value is. Errors: LinAlgError for matrices that are not square,
    not finite or that do not converge. Source: LAPACK's geev (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.eig(np.diag([1.0, 2.0])).eigenvalues
    array([1., 2.])
    """
    w, v, dtype = _general(a, True)
    return EigResult(common.cast(w, dtype), in_class(a, common.cast(v, dtype)))


@native
def eigvals(a):
    """Eigenvalues.

    Shapes: (..., n, n) to (..., n). Dtypes: float32 and complex64 stay, else at least float64; float16 is refused
    (TypeError). Complex where a value is. Errors: LinAlgError for matrices that are not square, not finite or that do not
    converge. Source: LAPACK's geev (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.eigvals(np.diag([1.0, 2.0]))
    array([1., 2.])
    """
    w, _, dtype = _general(a, False)
    return common.cast(w, dtype)


@keeps_array_class
def pinv(a, rcond=None, hermitian=False, *, rtol=numpy._NoValue):
    """The Moore-Penrose inverse.

    Shapes: (..., m, n) to (..., n, m). Dtypes: float32 and complex64 stay, else at least float64; float16 is refused
    (TypeError). Errors: LinAlgError where the singular values do not converge; ValueError for both tolerances. Source:
    Penrose 1955, by the singular values above the tolerance.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.pinv([[2.0, 0.0], [0.0, 4.0]]).round(6)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = common.matrices(a)
    if rcond is None:
        if rtol is numpy._NoValue:
            rcond = 1e-15
        elif rtol is None:
            rcond = max(a.shape[-2:]) * numpy.finfo(a.dtype).eps
        else:
            rcond = rtol
    elif rtol is not numpy._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    rcond = common.matrices(rcond)
    if common.is_empty_2d(a):
        return core.empty(a.shape[:-2] + (a.shape[-1], a.shape[-2]), a.dtype)
    u, s, vt = svd(a.conjugate(), full_matrices=False, hermitian=hermitian)
    cutoff = rcond[..., None] * core.maximum.reduce(s, -1, keepdims=True)
    large = s > cutoff
    s = core.where(large, 1 / core.where(large, s, s.dtype.type(1)), s.dtype.type(0))
    return routines.matmul(common.transpose(vt), core.multiply(s[..., None], common.transpose(u)))
