"""Eigenvalues of matrices without symmetry, by LAPACK: real ones of real matrices, as a function's type cannot depend on values."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, routine, stands_for
from tessera.functions.numpy_library.linear_algebra import check_square, is_matrix, new_floats

_VALUES_AND_VECTORS, _VALUES = 17, 18
_EigResult = type(numpy.linalg.eig(numpy.eye(1)))


@in_language
def _complex_like(floats: Any) -> Any:
    """No elements, complex numbers of the precision of these."""
    return numpy.empty(0, floats.dtype) * numpy.complex64(1)


@in_language
def _check_finite(floats: Any) -> None:
    if not numpy.isfinite(floats).all():
        raise numpy.linalg.LinAlgError("Array must not contain infs or NaNs")


@in_language
def _as_numbers_of(found: Any, floats: Any, values: Any) -> Any:
    """The same, real where the matrix is and its eigenvalues are."""
    if floats.dtype.kind == "c":
        return found
    for k in range(len(values)):
        if values[k].imag != 0:
            raise ValueError("eig: the result of real numbers is complex; pass a complex array")
    return found.real.copy()


@stands_for("numpy.linalg.eig", alike=is_matrix)
def eig(a: Any) -> Any:
    check_square(a)
    floats = new_floats(a)
    _check_finite(floats)
    dtype = _complex_like(floats).dtype
    values, vectors = numpy.empty(len(a), dtype), numpy.empty(a.shape, dtype)
    if len(a) > 0 and routine(_VALUES_AND_VECTORS, floats, values, vectors) < 0:
        raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
    return _EigResult(_as_numbers_of(values, floats, values), _as_numbers_of(vectors, floats, values))


@stands_for("numpy.linalg.eigvals", alike=is_matrix)
def eigvals(a: Any) -> Any:
    check_square(a)
    floats = new_floats(a)
    _check_finite(floats)
    values = numpy.empty(len(a), _complex_like(floats).dtype)
    if len(a) > 0 and routine(_VALUES, floats, values) < 0:
        raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
    return _as_numbers_of(values, floats, values)
