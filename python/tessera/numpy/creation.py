"""New arrays of given shapes, filled or not."""

from __future__ import annotations

import operator

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import (
    Foreign,
    as_array,
    cast_source,
    creates,
    foreign_reason,
    in_class,
    is_native_dtype,
    native,
    ndarray,
)

__all__ = [
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

_float64 = numpy.dtype(numpy.float64)
_dtypes: dict = {None: _float64}


def native_dtype(dtype) -> numpy.dtype:
    """The NumPy dtype object meant, None being float64; raises Foreign for one the engine lacks."""
    try:
        return _dtypes[dtype]
    except (KeyError, TypeError):
        pass
    found = numpy.dtype(dtype)
    if not is_native_dtype(found):
        raise Foreign(foreign_reason(found))
    try:
        _dtypes[dtype] = found
    except TypeError:
        pass
    return found


def check_device(device) -> None:
    """Refuses every device but the one NumPy knows."""
    if device is not None and device != "cpu":
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


@core.quick
@creates
def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array whose elements are not set.

    Shapes: `shape`, an integer or several. Dtypes: any; float64 unless given. Errors: ValueError for a negative length, an
    unknown order or device; MemoryError where it cannot fit.
    """
    if device is not None:
        check_device(device)
    return core.empty(shape, native_dtype(dtype), order)


@core.quick
@creates
def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of zeros.

    Shapes: `shape`, an integer or several. Dtypes: any; float64 unless given. Errors: ValueError for a negative length, an
    unknown order or device; MemoryError where it cannot fit.
    """
    if device is not None:
        check_device(device)
    return core.full(shape, 0, native_dtype(dtype), order)


@core.quick
@creates
def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of ones.

    Shapes: `shape`, an integer or several. Dtypes: any; float64 unless given. Errors: ValueError for a negative length, an
    unknown order or device; MemoryError where it cannot fit.
    """
    if device is not None:
        check_device(device)
    return core.full(shape, 1, native_dtype(dtype), order)


@creates
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """A new array filled with one value, or with an array broadcast to the shape.

    Shapes: `shape`, an integer or several. Dtypes: any; the value's unless given. Errors: ValueError for a negative length,
    an unknown order or device; MemoryError where it cannot fit. ValueError, too, where an array of values does not broadcast
    to the shape.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.full((2, 2), 7)
    array([[7, 7],
           [7, 7]])
    """
    if device is not None:
        check_device(device)
    if dtype is None:
        value = as_array(fill_value)
        dtype = value.dtype
    if type(fill_value) in _scalars:
        dtype = native_dtype(dtype)
        value = cast_source(fill_value, dtype)
        if value is fill_value or dtype == value.dtype:
            return core.full(shape, fill_value, dtype, order)
    result = core.empty(shape, native_dtype(dtype), order)
    core.copyto(result, as_array(fill_value), casting="unsafe")
    return result


_scalars = (int, float, complex, bool, numpy.float64, numpy.int64, numpy.bool, numpy.float32)


def _empty_like(a, dtype, order, shape):
    dtype = a.dtype if dtype is None else native_dtype(dtype)
    if shape is None:
        shape = a.shape
        if len(shape) < 2 or order == "C":
            return core.empty(shape, dtype)
    elif order in "KA":
        given = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
        if order == "K" and len(given) != a.ndim:
            return core.empty(given, dtype)
        shape = given
    if order == "F":
        return core.empty(shape, dtype, "F")
    flags = a.flags
    if order == "C" or flags.c_contiguous:
        return core.empty(shape, dtype)
    if flags.f_contiguous:
        return core.empty(shape, dtype, "F")
    if order == "A":
        return core.empty(shape, dtype)
    # The axes keep the order that their strides have in `a`.
    strides = a.strides
    outer_first = sorted(range(a.ndim), key=lambda axis: -abs(strides[axis]))
    permuted = core.empty([shape[axis] for axis in outer_first], dtype)
    inverse = [0] * a.ndim
    for position, axis in enumerate(outer_first):
        inverse[axis] = position
    return permuted.transpose(inverse)


@native
def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An unset array with the shape, dtype and memory order of another.

    Shapes: the other's, or `shape`. Dtypes: the other's, or `dtype`. Errors: ValueError for a negative length, an unknown
    order or device.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.empty_like([[1, 2, 3]]).shape
    (1, 3)
    """
    if device is not None:
        check_device(device)
    if type(prototype) is ndarray:
        return _empty_like(prototype, dtype, order, shape)
    result = _empty_like(as_array(prototype), dtype, order, shape)
    return in_class(prototype, result) if subok else result


@native
def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros with the shape, dtype and memory order of another array.

    Shapes: the other's, or `shape`. Dtypes: the other's, or `dtype`. Errors: ValueError for a negative length, an unknown
    order or device.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.zeros_like([[3, 4]])
    array([[0, 0]])
    """
    if device is not None:
        check_device(device)
    if type(a) is not ndarray:
        return _full_like(a, 0, dtype, order, subok, shape)
    if shape is None and a.ndim < 2:
        return core.full(a.shape, 0, a.dtype if dtype is None else native_dtype(dtype))
    result = _empty_like(a, dtype, order, shape)
    result.fill(0)
    return result


@native
def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones with the shape, dtype and memory order of another array.

    Shapes: the other's, or `shape`. Dtypes: the other's, or `dtype`. Errors: ValueError for a negative length, an unknown
    order or device.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.ones_like([[3, 4]])
    array([[1, 1]])
    """
    if device is not None:
        check_device(device)
    if type(a) is not ndarray:
        return _full_like(a, 1, dtype, order, subok, shape)
    if shape is None and a.ndim < 2:
        return core.full(a.shape, 1, a.dtype if dtype is None else native_dtype(dtype))
    result = _empty_like(a, dtype, order, shape)
    result.fill(1)
    return result


@native
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """One value with the shape, dtype and memory order of another array.

    Shapes: the other's, or `shape`. Dtypes: the other's, or `dtype`. Errors: ValueError for a negative length, an unknown
    order or device and where the values do not broadcast to the shape.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.full_like([1.5, 2.5], 4)
    array([4., 4.])
    """
    if device is not None:
        check_device(device)
    return _full_like(a, fill_value, dtype, order, subok, shape)


def _full_like(a, fill_value, dtype, order, subok, shape):
    result = _empty_like(as_array(a), dtype, order, shape)
    core.copyto(result, cast_source(fill_value, result.dtype), casting="unsafe")
    return in_class(a, result) if subok else result


@creates
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Ones on the k-th diagonal, zeros elsewhere.

    Shapes: (N, M), M being N unless given. Dtypes: any; float64 unless given. Errors: TypeError where N, M or k is no
    integer; ValueError for a negative length.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.eye(2, k=1)
    array([[0., 1.],
           [0., 0.]])
    """
    check_device(device)
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    result = core.full((rows, columns), 0, native_dtype(dtype), order)
    k = operator.index(k)
    if k < columns and -k < rows and result.size:
        result.diagonal(k)  # checks k as NumPy does
        row, column = (-k, 0) if k < 0 else (0, k)
        length = min(rows - row, columns - column)
        step = [result.strides[0] + result.strides[1]]
        core.as_strided(result[row:, column:], (length,), step).fill(1)
    return result


@creates
def identity(n, dtype=None, *, like=None):
    """The n x n identity matrix.

    Shapes: (n, n). Dtypes: any; float64 unless given. Errors: ValueError for a negative length.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=_float64 if dtype is None else dtype)
