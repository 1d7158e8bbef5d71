"""Arrays made from other objects, and from other arrays with other properties."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import _NoValue, as_array, creates, in_class, is_native_dtype, native, ndarray
from tessera.numpy.creation import check_device, native_dtype

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "copy",
    "from_dlpack",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "fromstring",
    "require",
]


@core.quick
@creates
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=_NoValue, like=None):
    """An array made from any object that NumPy reads as one.

    Shapes: that of the nested sequences, with axes of 1 in front up to `ndmin`. Dtypes: `dtype`, else what NumPy finds
    in the object. Errors: ValueError for ragged sequences, an unknown order, or `copy=False` where a copy is needed;
    TypeError for what does not convert to `dtype`.
    """
    if subok and core.is_own(object) and type(object) is not ndarray:
        return core.in_class_of(object, core.array(object, dtype, copy=copy, order=order, ndmin=ndmin))
    if ndmax is not _NoValue or ndmin > 64:
        result = numpy.array(
            object, dtype, copy=copy, order=order, ndmin=ndmin, ndmax=64 if ndmax is _NoValue else ndmax
        )
        return core.asarray(result)
    return core.array(object, dtype, copy=copy, order=order, ndmin=ndmin)


@core.quick
@creates
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The object as an array, itself when it already is one of that dtype and order.

    Shapes: that of the nested sequences. Dtypes: `dtype`, else what NumPy finds in the object. Errors: ValueError for
    ragged sequences, an unknown order or device, or `copy=False` where a copy is needed; TypeError for what does not
    convert to `dtype`.
    """
    if type(a) is ndarray and dtype is None and order is None and not copy:
        return a
    if device is not None:
        check_device(device)
    return core.asarray(a, dtype, order, copy=copy)


@creates
def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The same as `asarray`; subclasses are NumPy's and stay as they are.

    Shapes: that of the nested sequences. Dtypes: `dtype`, else what NumPy finds in the object. Errors: ValueError for
    ragged sequences, an unknown order or device, or `copy=False` where a copy is needed; TypeError for what does not
    convert to `dtype`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.asanyarray([1, 2])
    array([1, 2])
    """
    if type(a) is ndarray and dtype is None and order is None and not copy:
        return a
    if device is not None:
        check_device(device)
    if core.is_own(a) and type(a) is not ndarray:
        return core.in_class_of(a, core.asarray(a, dtype, order, copy=copy))
    if isinstance(a, numpy.ndarray) and type(a) not in (numpy.ndarray, numpy.memmap):
        return numpy.asanyarray(a, dtype, order, copy=copy)
    return core.asarray(a, dtype, order, copy=copy)


@creates
def ascontiguousarray(a, dtype=None, *, like=None):
    """The object as a C-ordered array of at least one dimension.

    Shapes: that of the nested sequences; a scalar has one element. Dtypes: `dtype`, else what NumPy finds in the
    object. Errors: ValueError for ragged sequences; TypeError for what does not convert to `dtype`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.ascontiguousarray(np.ones((2, 3)).T).flags.c_contiguous
    True
    """
    result = core.asarray(a, dtype, "C")
    return result.reshape(1) if result.ndim == 0 else result


@creates
def asfortranarray(a, dtype=None, *, like=None):
    """The object as a Fortran-ordered array of at least one dimension.

    Shapes: that of the nested sequences; a scalar has one element. Dtypes: `dtype`, else what NumPy finds in the
    object. Errors: ValueError for ragged sequences; TypeError for what does not convert to `dtype`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.asfortranarray(np.ones((2, 3))).flags.f_contiguous
    True
    """
    result = core.asarray(a, dtype, "F")
    return result.reshape(1) if result.ndim == 0 else result


def asarray_chkfinite(a, dtype=None, order=None):
    """The object as an array, refused when it holds NaN or infinity.

    Shapes: that of the nested sequences. Dtypes: `dtype`, else what NumPy finds in the object. Errors: ValueError for
    NaN, infinity or ragged sequences. Reading the answer waits for pending work.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    a = asarray(a, dtype, order)
    if a.dtype.kind in "fc" and not core.isfinite(a).all():
        raise ValueError("array must not contain infs or NaNs")
    return a


@native
def astype(x, dtype, /, *, copy=True, device=None):
    """The array with its elements converted.

    Shapes: `x`'s. Dtypes: any; complex to real drops imaginary parts with a warning. Errors: TypeError where `x` is no
    array; ValueError for an unknown device.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.astype(np.array([1.7, 2.2]), int)
    array([1, 2])
    """
    if not isinstance(x, (ndarray, numpy.ndarray, numpy.generic)):
        raise TypeError(f"Input should be a NumPy array. It is a {type(x)} instead.")
    if device is not None and device != "cpu":
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')
    return (x if isinstance(x, numpy.generic) else as_array(x)).astype(native_dtype(dtype), copy=copy)


def copy(a, order="K", subok=False):
    """A copy that owns its elements.

    Shapes: `a`'s. Dtypes: `a`'s. Errors: ValueError for an unknown order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.arange(3)
    >>> b = np.copy(a)
    >>> b[0] = 9
    >>> a
    array([0, 1, 2])
    """
    if type(a) is ndarray:
        return a.copy(order)
    if subok and isinstance(a, numpy.ndarray):  # a subclass of NumPy's stays NumPy's
        return numpy.array(a, order=order, subok=True, copy=True)
    result = core.array(a, order=order, copy=True)
    return in_class(a, result) if subok else result


_requirements = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
_requirements |= {
    "A": "A",
    "ALIGNED": "A",
    "W": "W",
    "WRITEABLE": "W",
    "O": "O",
    "OWNDATA": "O",
    "E": "E",
    "ENSUREARRAY": "E",
}


@creates
def require(a, dtype=None, requirements=None, *, like=None):
    """The array when it meets the requirements, else a copy that does.

    Shapes: `a`'s. Dtypes: `dtype`, else `a`'s. Errors: KeyError for an unknown requirement; ValueError where both
    orders are wanted.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.require([1, 2], dtype=float, requirements="C")
    array([1., 2.])
    """
    if not requirements:
        return as_array(asarray(a, dtype))
    wanted = {_requirements[text.upper()] for text in requirements}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else None
    result = as_array(asarray(a, dtype, order))
    if "O" in wanted and not result.flags.owndata or "W" in wanted and not result.flags.writeable:
        return result.copy(order or "A")
    return result


@creates
def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """A 1-D array over the memory of an object with a buffer.

    Shapes: 1-D, of `count` elements or all that the memory holds. Dtypes: any; float64 by default. Errors: ValueError
    for memory that is no whole number of elements or smaller than `count`, or an offset outside of it; TypeError for an
    object without a buffer.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.frombuffer(bytes([1, 2, 3]), dtype="u1")
    array([1, 2, 3], dtype=uint8)
    """
    array = numpy.frombuffer(buffer, dtype, count, offset)
    if not is_native_dtype(array.dtype) or not array.flags.aligned:
        return array
    if array.dtype.char == "?" and array.view("u1").max(initial=0) > 1:
        return core.asarray(array)  # other bytes than 0 and 1 become 1 in a copy
    return core.asarray(array, copy=False)


@creates
def fromiter(iter, dtype, count=-1, *, like=None):
    """A 1-D array of what an iterable yields.

    Shapes: 1-D, of `count` elements or all there are. Dtypes: `dtype`. Errors: ValueError where there are fewer than
    `count`, or an element does not convert; TypeError for what is not iterable.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fromiter((k * k for k in range(4)), dtype=int)
    array([0, 1, 4, 9])
    """
    return core.asarray(numpy.fromiter(iter, dtype, count))


@creates
def fromstring(string, dtype=float, count=-1, *, sep="", like=None):
    """A 1-D array of the numbers in a text.

    Shapes: 1-D, of `count` numbers or all there are. Dtypes: any; float64 by default. Errors: ValueError for an empty
    `sep` (use `frombuffer`), or text that is no numbers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fromstring("1 2 3", sep=" ")
    array([1., 2., 3.])
    """
    return core.asarray(numpy.fromstring(string, dtype, count, sep=sep))


@creates
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """The function applied to the arrays of indices of a shape.

    Shapes: `shape` for each array of indices; the result's is the function's. Dtypes: `dtype` for the indices. Errors:
    TypeError for a shape that is no sequence of integers; what the function raises.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fromfunction(lambda i, j: 10 * i + j, (2, 3))
    array([[ 0.,  1.,  2.],
           [10., 11., 12.]])
    """
    from tessera.numpy.grids import indices

    return function(*indices(shape, dtype=dtype), **kwargs)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of an object that speaks DLPack.

    Shapes: `x`'s. Dtypes: `x`'s, of those DLPack and NumPy both have. Errors: AttributeError for an object without
    `__dlpack__`; BufferError for memory or a dtype that cannot be shared; ValueError for a device that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> import numpy
    >>> np.from_dlpack(numpy.arange(3))
    array([0, 1, 2])
    """
    return core.from_dlpack(x, device=device, copy=copy)
