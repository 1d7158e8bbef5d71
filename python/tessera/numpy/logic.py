"""Comparisons of whole arrays and questions about their elements and types."""

from __future__ import annotations

import math

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import Foreign, as_array, keeps_class, native, warn

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "may_share_memory",
    "shares_memory",
]


@native
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol |b|, elementwise.

    Shapes: what both and the tolerances broadcast to. Dtypes: bool. Errors: ValueError where shapes do not broadcast. NaN is
    close to nothing, unless `equal_nan` pairs it.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isclose([1.0, 2.0], [1.0, 2.1])
    array([ True, False])
    """
    x, y, rtol, atol = _number(a), _number(b), _number(rtol), _number(atol)
    if core.is_own(y) and y.dtype.kind in "iub":
        y = y.astype(numpy.float64)
    elif not core.is_own(y) and type(y) is not complex:
        y = y if isinstance(y, numpy.inexact) else float(y)
    if not (_is_finite(atol) and _is_finite(rtol)):
        _refuse_tolerance(f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}")
    with numpy.errstate(invalid="ignore"):
        result = core.less_equal(abs(x - y), atol + rtol * abs(y))  # abs keeps Python numbers weak
        result = result & core.isfinite(y) | (x == y)
        if equal_nan:
            result = result | core.isnan(x) & core.isnan(y)
    return result[()] if core.is_own(result) and result.ndim == 0 else result


def _is_finite(tolerance):
    return math.isfinite(tolerance) if type(tolerance) is float else core.isfinite(tolerance).all()


def _refuse_tolerance(message):
    mode = numpy.geterr()["invalid"]
    if mode == "warn":
        warn(message)
    elif mode == "raise":
        raise FloatingPointError(message)
    elif mode == "print":
        print(message)


def _number(x):
    """Python numbers stay weak; NumPy scalars stay scalars; all else becomes an array."""
    if type(x) in (int, float, complex, bool) or isinstance(x, numpy.number):
        return x
    return as_array(x)


@native
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close to each other.

    Shapes: both broadcast, to one bool. Dtypes: numbers. Errors: ValueError where shapes do not broadcast; TypeError for a
    dtype without differences.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.allclose([1.0], [1.0 + 1e-9])
    True
    """
    return bool(core.logical_and.reduce(isclose(a, b, rtol, atol, equal_nan), None))


@native
def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have one shape and equal elements.

    Shapes: any, to one bool: False where they differ. Dtypes: any. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.array_equal([7, 8], [7, 8])
    True
    """
    try:
        a, b = as_array(a1), as_array(a2)
    except Foreign:
        raise
    except Exception:
        return False
    if a.shape != b.shape:
        return False
    if not equal_nan:
        return bool((a == b).all())
    if a is b:
        return True
    if a.dtype.kind not in "fcV" or b.dtype.kind not in "fcV":
        return bool((a == b).all())
    return bool(((a == b) | (core.isnan(a) & core.isnan(b))).all())


@native
def array_equiv(a1, a2):
    """Whether two arrays broadcast to each other and are then equal.

    Shapes: any, to one bool: False where they do not broadcast. Dtypes: any. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.array_equiv([1, 1], [[1, 1], [1, 1]])
    True
    """
    try:
        a, b = as_array(a1), as_array(a2)
        numpy.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return bool((a == b).all())


def _is_inf(x, out, sign):
    if not isinstance(x, (float, int, numpy.floating)):
        x = as_array(x)
    elif type(x) is int:
        x = numpy.float64(x)
    if getattr(x, "dtype", None) is not None and x.dtype.kind == "c":
        name = "isneginf" if sign else "isposinf"
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous. ({name})")
    signs = core.signbit(x)
    return core.logical_and(core.isinf(x), signs if sign else core.logical_not(signs), out=out)


@native
def isposinf(x, out=None):
    """Whether each element is positive infinity.

    Shapes: `x`'s. Dtypes: bool, or `out`'s. Errors: TypeError for complex numbers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isposinf([np.inf, 1.0])
    array([ True, False])
    """
    return _is_inf(x, out, False)


@native
def isneginf(x, out=None):
    """Whether each element is negative infinity.

    Shapes: `x`'s. Dtypes: bool, or `out`'s. Errors: TypeError for complex numbers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isneginf([-np.inf, 1.0])
    array([ True, False])
    """
    return _is_inf(x, out, True)


@native
def iscomplex(x):
    """Whether each element has an imaginary part that is not zero.

    Shapes: `x`'s. Dtypes: bool; False for real numbers. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.iscomplex([1 + 1j, 1])
    array([ True, False])
    """
    a = as_array(x)
    result = a.imag != 0 if a.dtype.kind == "c" else core.full(a.shape, False, bool)
    return result[()] if core.is_own(result) and result.ndim == 0 else result


@keeps_class
def isreal(x):
    """Whether each element has no imaginary part.

    Shapes: `x`'s. Dtypes: bool; True for real numbers. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isreal([1 + 1j, 1])
    array([False,  True])
    """
    a = as_array(x)
    result = a.imag == 0 if a.dtype.kind == "c" else core.full(a.shape, True, bool)
    return result[()] if core.is_own(result) and result.ndim == 0 else result


def iscomplexobj(x):
    """Whether the object has a complex dtype.

    Shapes: any, to one bool. Dtypes: any. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.iscomplexobj(np.ones(1, complex))
    True
    """
    try:
        return x.dtype.kind == "c"
    except AttributeError:
        return numpy.iscomplexobj(x)


def isrealobj(x):
    """Whether the object does not have a complex dtype.

    Shapes: any, to one bool. Dtypes: any. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isrealobj(np.ones(1))
    True
    """
    return not iscomplexobj(x)


def isfortran(a):
    """Whether the array is Fortran- but not C-contiguous.

    Shapes: any, to one bool. Dtypes: any. Errors: AttributeError for what is no array.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isfortran(np.ones((2, 3), order="F"))
    True
    """
    return a.flags.fnc


def may_share_memory(a, b, /, max_work=0):
    """Whether the memory ranges of two arrays touch.

    Shapes: any, to one bool. Dtypes: any. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.arange(4)
    >>> np.may_share_memory(a, a[::2])
    True
    """
    return core.may_share_memory(a, b, max_work)


def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have an element in common.

    Shapes: any, to one bool. Dtypes: any. Errors: numpy.exceptions.TooHardError where `max_work` candidates did not settle
    it. Source: a bounded Diophantine equation over the strides, as NumPy's.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.arange(4)
    >>> np.shares_memory(a[::2], a[1::2])
    False
    """
    return core.shares_memory(a, b, max_work)
