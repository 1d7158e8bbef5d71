"""Elementwise functions that NumPy builds from ufuncs."""

from __future__ import annotations

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tessera import _core as core
from tessera.numpy._dispatch import (
    _NoValue,
    as_array,
    as_target,
    keeps_array_class,
    keeps_class,
    native,
    ndarray,
    numpy_version,
    warn,
)

__all__ = [
    "angle",
    "around",
    "clip",
    "fix",
    "i0",
    "imag",
    "nan_to_num",
    "packbits",
    "real",
    "real_if_close",
    "round",
    "sinc",
    "unpackbits",
]


@keeps_class
def clip(a, a_min=_NoValue, a_max=_NoValue, out=None, *, min=_NoValue, max=_NoValue, **kwargs):
    """The elements, moved to the nearer bound where they lie outside.

    Shapes: what the array and the bounds broadcast to. Dtypes: what they promote to. Errors: ValueError where shapes do not
    broadcast. Where the bounds cross the upper one wins; a NaN stays.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.clip([1, 5, 9], 2, 6)
    array([2, 5, 6])
    """
    if a_min is _NoValue and a_max is _NoValue:
        a_min = None if min is _NoValue else min
        a_max = None if max is _NoValue else max
    elif a_min is _NoValue:
        raise TypeError("clip() missing 1 required positional argument: 'a_min'")
    elif a_max is _NoValue:
        raise TypeError("clip() missing 1 required positional argument: 'a_max'")
    elif min is not _NoValue or max is not _NoValue:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    if a_max is None:
        if a_min is None:
            return core.positive(a, out=out, **kwargs) if out is None or kwargs else _copied(a, out)
        return core.maximum(a, _bound(a, a_min, 0), out=out, **kwargs)
    if a_min is None:
        return core.minimum(a, _bound(a, a_max, 1), out=out, **kwargs)
    if type(a) is not ndarray:
        a = as_array(a)
    if out is None and not kwargs:
        return core.clip(a, _bound(a, a_min, 0), _bound(a, a_max, 1))
    return core.clip(a, _bound(a, a_min, 0), _bound(a, a_max, 1), out=out, **kwargs)


def _copied(a, out):
    core.copyto(out, a, "same_kind")
    return out


def _bound(a, bound, upper):
    """A Python integer outside the range of a's integers bounds nothing: the end of the range does the same."""
    if type(bound) is int and isinstance(a, (ndarray, numpy.ndarray)) and a.dtype.kind in "iu":
        info = numpy.iinfo(a.dtype)
        if bound < info.min:
            if upper:
                return a.dtype.type(info.min)
            return int(info.min)
        if bound > info.max:
            return int(info.max)
    return bound


@keeps_array_class
def round(a, decimals=0, out=None):
    """The elements rounded to a number of decimals, halves to the even neighbour.

    Shapes: `a`'s. Dtypes: `a`'s. Errors: TypeError where `decimals` is no integer. Source: scaled by a power of ten, rounded
    and scaled back, as NumPy's, so the last digit may differ from the decimal text's.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.round([1.26, 2.5])
    array([1., 2.])
    """
    if type(a) is not ndarray:
        a = as_array(a)
    kind = a.dtype.kind
    if kind in "iu":
        if decimals >= 0:
            return _copied(a, out) if out is not None else a.copy(order="K") if a.ndim else a[()]
        step = 10**-decimals
        if step > numpy.iinfo(a.dtype).max:
            result = a * 0
        else:
            result = core.rint(a / step).astype(a.dtype) * a.dtype.type(step)
        return result if out is None else _copied(result, out)
    if kind == "b":
        if decimals:
            raise TypeError(
                "Cannot cast ufunc 'multiply' output from dtype('float64') to dtype('bool') with casting rule 'same_kind'"
            )
        return core.rint(a, out=out) if out is not None else core.rint(a)
    if kind == "c":
        result = a.copy("K") if out is None else out
        result.real = round(a.real, decimals)
        result.imag = round(a.imag, decimals)
        return result if out is not None or a.ndim else result[()]
    if decimals == 0:
        return core.rint(a) if out is None else core.rint(a, out=out)
    # Multiplying by a power of ten and dividing again, in this order, is what NumPy does.
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return core.divide(core.rint(core.multiply(a, factor)), factor, **({} if out is None else {"out": out}))
    return core.multiply(core.rint(core.divide(a, factor)), factor, **({} if out is None else {"out": out}))


@keeps_array_class
def around(a, decimals=0, out=None):
    """The elements rounded to a number of decimals, by round's older name.

    Shapes: `a`'s. Dtypes: `a`'s. Errors: TypeError where `decimals` is no integer.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.around([1.26, 2.5], 1)
    array([1.3, 2.5])
    """
    return round(a, decimals, out)


@native
def fix(x, out=None):
    """The elements rounded towards zero. Deprecated since NumPy 2.5 in favour of `trunc`.

    Shapes: `x`'s. Dtypes: `x`'s. Errors: TypeError for complex numbers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fix([-1.7, 1.7])
    array([-1.,  1.])
    """
    if numpy_version >= (2, 5):
        warn(
            "numpy.fix is deprecated. Use numpy.trunc instead, which is faster and follows the Array API standard.",
            DeprecationWarning,
        )
    return core.trunc(x, out=out) if out is not None else core.trunc(x)


@native
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN, infinity and -infinity replaced by numbers.

    Shapes: `x`'s. Dtypes: `x`'s; both parts of complex numbers. Errors: TypeError where the replacements do not cast to that.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nan_to_num([np.nan, 1.0])
    array([0., 1.])
    """
    a = as_target(x) if not copy and isinstance(x, numpy.ndarray) else as_array(x)
    if copy and a is x:
        a = a.copy()
    elif copy:
        a = core.array(a, copy=True)
    if a.dtype.kind not in "fcV":
        return a if a.ndim else a[()]
    parts = (a.real, a.imag) if a.dtype.kind == "c" else (a,)
    # All are found before the first is replaced: by what, another rule must not see.
    found = [(core.isnan(part), _is(part, numpy.inf), _is(part, -numpy.inf)) for part in parts]
    for part, (nans, high, low) in zip(parts, found):
        limits = numpy.finfo(part.dtype)
        core.copyto(part, nan, "same_kind" if not isinstance(nan, complex) else "unsafe", nans)
        core.copyto(part, limits.max if posinf is None else posinf, "same_kind", high)
        core.copyto(part, limits.min if neginf is None else neginf, "same_kind", low)
    return a if a.ndim else a[()]


def _is(part, value):
    return part == value


@native
def real(val):
    """The real parts.

    Shapes: `val`'s; a view. Dtypes: float32 of complex64, float64 of complex128, else `val`'s. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.real([1 + 2j])
    array([1.])
    """
    try:
        return val.real
    except AttributeError:
        return as_array(val).real


@native
def imag(val):
    """The imaginary parts.

    Shapes: `val`'s; a view of complex arrays. Dtypes: float32 of complex64, float64 of complex128, else `val`'s zeros.
    Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.imag([1 + 2j])
    array([2.])
    """
    try:
        return val.imag
    except AttributeError:
        return as_array(val).imag


@native
def angle(z, deg=False):
    """The angles of complex numbers, in radians or degrees.

    Shapes: `z`'s. Dtypes: float32 of complex64, `z`'s of other floats, else float64. Errors: TypeError for what are no
    numbers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.angle([1j, 1], deg=True)
    array([90.,  0.])
    """
    z = as_array(z)
    if z.dtype.kind == "c":
        result = core.arctan2(z.imag, z.real)
    else:
        result = core.arctan2(z * 0 if z.dtype.kind == "b" else z.dtype.type(0), z)
    return result * (180 / numpy.pi) if deg else result


@native
def real_if_close(a, tol=100):
    """The real parts when every imaginary part is nearly zero, else the array itself.

    Shapes: `a`'s. Dtypes: the parts' where all are close, else `a`'s. `tol` counts machine epsilons above 1. Errors: none of
    its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.real_if_close([1 + 0j])
    array([1.])
    """
    a = as_array(a)
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol = numpy.finfo(a.dtype).eps * tol
    return a.real if (core.absolute(a.imag) < tol).all() else a


@native
def sinc(x):
    """sin(pi x) / (pi x), 1 at zero.

    Shapes: `x`'s. Dtypes: float64 for integers, else `x`'s. Errors: TypeError for what are no numbers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.sinc([0.0, 0.5]).round(4)
    array([1.    , 0.6366])
    """
    x = as_array(x)
    y = core.multiply(x, numpy.pi)
    y = core.asarray(y)
    zero = y == 0
    tiny = numpy.finfo(y.dtype).eps if y.dtype.kind == "f" else 1e-20
    safe = core.where(zero, core.asarray(tiny, y.dtype), y)
    result = core.sin(safe) / safe
    return result


@keeps_class
def i0(x):
    """The modified Bessel function of the first kind and order 0.

    Shapes: `x`'s. Dtypes: float64 for integers, else `x`'s. Errors: TypeError for complex numbers. Source: Chebyshev series
    (Clenshaw 1962).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.i0([0.0])
    array([1.])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if x.dtype.kind != "f":
        x = x.astype(numpy.float64)
    from tessera.numpy.windows import bessel_i0

    return bessel_i0(x)


def _bit_weights(bitorder):
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return core.asarray(
        [128, 64, 32, 16, 8, 4, 2, 1] if bitorder == "big" else [1, 2, 4, 8, 16, 32, 64, 128], numpy.uint8
    )


@native
def packbits(a, /, axis=None, bitorder="big"):
    """Eight booleans to a byte, along an axis or flattened.

    Shapes: an eighth of `a`'s along the axis, rounded up, or flat. Dtypes: integers and booleans to uint8. Errors: TypeError
    for others; ValueError for an unknown bit order; AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.packbits([1, 0, 0, 0, 0, 0, 0, 1])
    array([129], dtype=uint8)
    """
    a = as_array(a)
    weights = _bit_weights(bitorder)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0
    axis = normalize_axis_index(axis, a.ndim)
    bits = a != 0
    extent = a.shape[axis]
    octets = -(-extent // 8)
    if extent % 8:
        padded = core.full(a.shape[:axis] + (octets * 8,) + a.shape[axis + 1 :], False, bool)
        padded[(slice(None),) * axis + (slice(None, extent),)] = bits
        bits = padded
    bits = bits.reshape(a.shape[:axis] + (octets, 8) + a.shape[axis + 1 :])
    weights = weights.reshape((8,) + (1,) * (a.ndim - axis - 1))
    return core.add.reduce(bits * weights, axis + 1, numpy.uint8)


@native
def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """Each byte as eight elements of 0 and 1.

    Shapes: eight times `a`'s along the axis, or `count`, or flat. Dtypes: uint8 to uint8. Errors: TypeError for others;
    ValueError for an unknown bit order; AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unpackbits(np.array([129], "u1"))
    array([1, 0, 0, 0, 0, 0, 0, 1], dtype=uint8)
    """
    a = as_array(a)
    if a.dtype.char != "B":
        raise TypeError("Expected an input array of unsigned byte data type")
    weights = _bit_weights(bitorder)
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0
    axis = normalize_axis_index(axis, a.ndim)
    rest = (1,) * (a.ndim - axis - 1)
    spread = a.reshape(a.shape[: axis + 1] + (1,) + a.shape[axis + 1 :])
    bits = ((spread & weights.reshape((8,) + rest)) != 0).astype(numpy.uint8)
    bits = bits.reshape(a.shape[:axis] + (a.shape[axis] * 8,) + a.shape[axis + 1 :])
    if count is None:
        return bits
    extent = bits.shape[axis]
    wanted = count if count >= 0 else extent + count
    if wanted < 0:
        raise ValueError(f"-ve count should be greater than {-extent - 1} for axis {axis}, not {count}")
    before = (slice(None),) * axis
    if wanted <= extent:
        return core.array(bits[before + (slice(None, wanted),)])
    padded = core.full(a.shape[:axis] + (wanted,) + a.shape[axis + 1 :], 0, numpy.uint8)
    padded[before + (slice(None, extent),)] = bits
    return padded
