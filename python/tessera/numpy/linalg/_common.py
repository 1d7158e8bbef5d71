"""What the linear algebra functions ask of their arguments."""

from __future__ import annotations

import numpy
from numpy.linalg import LinAlgError

from tessera import _core as core
from tessera.numpy._dispatch import as_array

routines = core.linalg


def matrices(*arrays):
    """The arguments as tessera arrays of dtypes LAPACK computes with."""
    result = [as_array(a) for a in arrays]
    return result[0] if len(result) == 1 else result


def common_dtypes(*arrays):
    """(dtype to compute in, dtype of the result): NumPy computes in double precision and rounds at the end."""
    single, is_complex = True, False
    for a in arrays:
        kind, char = a.dtype.kind, a.dtype.char
        if kind == "c":
            is_complex = True
        if kind in "fcV":
            if char not in "fdFD":
                raise TypeError(f"array type {a.dtype.name} is unsupported in linalg")
            single = single and char in "fF"
        else:
            single = False
    if is_complex:
        return numpy.complex128, numpy.complex64 if single else numpy.complex128
    return numpy.float64, numpy.float32 if single else numpy.float64


def real_of(dtype):
    """The dtype of the parts."""
    return {numpy.complex64: numpy.float32, numpy.complex128: numpy.float64}.get(dtype, dtype)


def complex_of(dtype):
    """The complex dtype with such parts."""
    return {numpy.float32: numpy.complex64, numpy.float64: numpy.complex128}.get(dtype, dtype)


def cast(a, dtype):
    """The array in another dtype, itself when it has it."""
    return a if a.dtype == dtype else a.astype(dtype)


def number(a):
    """A 0-d result as the NumPy scalar that NumPy gives, other arrays as they are."""
    return a[()] if a.ndim == 0 else a


def check_2d(*arrays):
    """Exactly two axes."""
    for a in arrays:
        if a.ndim != 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")


def check_stacked_2d(*arrays):
    """At least two axes."""
    for a in arrays:
        if a.ndim < 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")


def check_square(*arrays):
    """At least two axes, the last two of one extent."""
    check_stacked_2d(*arrays)
    for a in arrays:
        if a.shape[-1] != a.shape[-2]:
            raise LinAlgError("Last 2 dimensions of the array must be square")


def check_finite(*arrays):
    """No infinities, no NaNs."""
    for a in arrays:
        if not core.logical_and.reduce(core.isfinite(a), None):
            raise LinAlgError("Array must not contain infs or NaNs")


def is_empty_2d(a):
    """No element, and no element in a matrix either."""
    return a.size == 0 and a.shape[-2] * a.shape[-1] == 0


def transpose(a):
    """The matrices transposed."""
    return a.swapaxes(-1, -2)
