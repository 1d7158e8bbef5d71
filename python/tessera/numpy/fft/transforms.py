"""The transforms, along one axis and along several."""

from __future__ import annotations

import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tessera import _core as core
from tessera.numpy._dispatch import Foreign, as_array, native

_transform = core.fft.transform
FORWARD, BACKWARD, REAL_FORWARD, REAL_BACKWARD = range(4)
_OPPOSITE = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}


def _opposite(norm):
    try:
        return _OPPOSITE[norm]
    except KeyError:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".') from None


def _scale(norm, n, dtype):
    """What a transform of n points is multiplied by, rounded as NumPy rounds it."""
    if norm is None or norm == "backward":
        return 1.0
    real = {"e": numpy.float16, "f": numpy.float32, "F": numpy.float32}.get(dtype.char, numpy.float64)
    if norm == "ortho":
        return float(numpy.reciprocal(numpy.sqrt(n, dtype=real)))
    if norm == "forward":
        return float(numpy.reciprocal(n, dtype=real))
    numpy.fft.fft([0.0], norm=norm)  # raises in the words of NumPy's release
    raise ValueError(f"Invalid norm value {norm}")


def _run(kind, a, n, axis, norm, out=None):
    """One transform along one axis."""
    if kind in (BACKWARD, REAL_BACKWARD):
        norm = _opposite(norm)
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    if kind == REAL_FORWARD and a.dtype.kind == "c":
        raise TypeError(
            f"ufunc 'rfft_n_{'odd' if n % 2 else 'even'}' did not contain a loop with signature matching types "
            f"{(numpy.dtype(a.dtype).type, numpy.float64)} -> None"
        )
    single = a.dtype.char in "efF"
    scale = _scale(norm, n, a.dtype)
    axis = normalize_axis_index(axis, a.ndim)
    if out is not None:
        shape = list(a.shape)
        shape[axis] = n // 2 + 1 if kind == REAL_FORWARD else n
        out = _checked_output(out, tuple(shape), kind, single)
    result = _transform(a, kind, n, axis, scale, out)
    return result.astype(numpy.float16) if kind == REAL_BACKWARD and a.dtype.char == "e" and out is None else result


def _checked_output(out, shape, kind, single):
    if not core.is_own(out):
        raise (
            Foreign("the output is a NumPy array")
            if isinstance(out, numpy.ndarray)
            else TypeError("return arrays must be of ArrayType")
        )
    if out.shape != shape:
        raise ValueError("output array has wrong shape.")
    if kind == REAL_BACKWARD:
        loop = numpy.float32 if single else numpy.float64
    else:
        loop = numpy.complex64 if single else numpy.complex128
    if not numpy.can_cast(loop, out.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast ufunc output from {numpy.dtype(loop)!r} to {out.dtype!r} with casting rule 'same_kind'"
        )
    return out


@native
def fft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of n complex points.

    Shapes: `a`'s, n long along the axis (cut or filled with zeros). Dtypes: complex64 for float32 and what is smaller, else
    complex128. Errors: ValueError for a length below 1 or an unknown norm; IndexError for an axis that is not there. Source:
    Cooley and Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.fft([1.0, 0.0, 0.0, 0.0]).round(6)
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.-0.j])
    """
    a = as_array(a)
    return _run(FORWARD, a, a.shape[axis] if n is None else n, axis, norm, out)


@native
def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `fft`.

    Shapes: `a`'s, n long along the axis. Dtypes: complex64 for float32 and what is smaller, else complex128. Errors:
    ValueError for a length below 1 or an unknown norm; IndexError for an axis that is not there. Source: Cooley and Tukey
    1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.ifft([4.0, 0.0, 0.0, 0.0]).round(6)
    array([1.-0.j, 1.-0.j, 1.-0.j, 1.+0.j])
    """
    a = as_array(a)
    return _run(BACKWARD, a, a.shape[axis] if n is None else n, axis, norm, out)


@native
def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The first half of the transform of n real points.

    Shapes: `a`'s, n // 2 + 1 along the axis. Dtypes: complex64 for float32 and what is smaller, else complex128. Errors:
    TypeError for complex numbers; ValueError for a length below 1 or an unknown norm; IndexError for an axis that is not
    there. Source: Cooley and Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.rfft([1.0, 1.0, 1.0, 1.0]).round(6)
    array([4.+0.j, 0.+0.j, 0.+0.j])
    """
    a = as_array(a)
    return _run(REAL_FORWARD, a, a.shape[axis] if n is None else n, axis, norm, out)


@native
def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `rfft`.

    Shapes: `a`'s, n along the axis, 2 (m - 1) unless given. Dtypes: float32 for complex64, else float64. Errors: ValueError
    for a length below 1 or an unknown norm; IndexError for an axis that is not there. Source: Cooley and Tukey 1965, Rader
    1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.irfft([4.0, 0.0, 0.0]).round(6)
    array([1., 1., 1., 1.])
    """
    a = as_array(a)
    return _run(REAL_BACKWARD, a, (a.shape[axis] - 1) * 2 if n is None else n, axis, norm, out)


@native
def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of a signal with Hermitian symmetry, given by its first half.

    Shapes: `a`'s, n along the axis, 2 (m - 1) unless given. Dtypes: float32 for complex64, else float64. Errors: ValueError
    for a length below 1 or an unknown norm; IndexError for an axis that is not there. Source: Cooley and Tukey 1965, Rader
    1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.hfft([1.0, 2.0, 1.0]).round(6)
    array([ 6.,  0., -2.,  0.])
    """
    a = as_array(a)
    n = (a.shape[axis] - 1) * 2 if n is None else n
    return irfft(core.conjugate(a), n, axis, norm=_opposite(norm), out=None)


@native
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `hfft`.

    Shapes: `a`'s, n // 2 + 1 along the axis. Dtypes: complex64 for float32 and what is smaller, else complex128. Errors:
    ValueError for a length below 1 or an unknown norm; IndexError for an axis that is not there. Source: Cooley and Tukey
    1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.ihfft([4.0, 4.0]).round(6)
    array([4.-0.j, 0.-0.j])
    """
    a = as_array(a)
    result = rfft(a, a.shape[axis] if n is None else n, axis, norm=_opposite(norm), out=out)
    return core.conjugate(result, out=out) if out is not None else core.conjugate(result)


def _shape_and_axes(a, s, axes, inverse_real=False):
    """`s` and `axes` of the many-dimensional transforms, completed."""
    given = s is not None
    if given:
        s = list(s)
        if axes is None:
            warnings.warn(
                "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a future version of "
                "NumPy, this will raise an error and `s[i]` will correspond to the size along the transformed axis "
                "specified by `axes[i]`. To retain current behaviour, pass a sequence [0, ..., k-1] to `axes` for "
                "an array of dimension k.",
                DeprecationWarning,
                stacklevel=4,
            )
    else:
        s = list(a.shape) if axes is None else [a.shape[axis] for axis in axes]
    if axes is None:
        axes = list(range(-len(s), 0))
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if inverse_real and not given:
        s[-1] = (a.shape[axes[-1]] - 1) * 2
    if None in s:
        warnings.warn(
            "Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will raise an error in "
            "a future version of NumPy. To use the default behaviour of the corresponding 1-D transform, pass the "
            "value matching the default for its `n` parameter. To use the default behaviour for every axis, the "
            "`s` argument can be omitted.",
            DeprecationWarning,
            stacklevel=4,
        )
    return [a.shape[axis] if extent == -1 else extent for extent, axis in zip(s, axes)], axes


def _at_once(kind, a, s, axes, norm, out):
    """The transform along up to three axes by one call, else None: also where `out` does not take the results after every axis
    as they are."""
    if not 2 <= len(axes) <= 3 or not all([n is not None and n > 0 for n in s]):
        return None
    if a.dtype.char == "e" or (kind == REAL_FORWARD and a.dtype.kind == "c"):
        return None
    if (
        [axis % a.ndim for axis in axes] != list(range(a.ndim - len(axes), a.ndim))
        or min(axes) < -a.ndim
        or max(axes) >= a.ndim
    ):
        return None
    if out is not None:
        last = s[-1] // 2 + 1 if kind == REAL_FORWARD else s[-1]
        made = numpy.complex64 if a.dtype.char in "fF" else numpy.complex128
        keeps_others = list(s[:-1]) == [a.shape[axis] for axis in axes[:-1]]
        if not keeps_others or not core.is_own(out) or out.dtype != made or out.shape != (*a.shape[:-1], last):
            return None
    if kind == BACKWARD:
        norm = _opposite(norm)
    return core.fft.transform_at_once(a, kind, s, [_scale(norm, n, a.dtype) for n in s], out)


def _over_axes(a, s, axes, one, norm, out):
    """A transform along every axis, the last one first."""
    a = as_array(a)
    s, axes = _shape_and_axes(a, s, axes)
    if (made := _at_once(FORWARD if one is fft else BACKWARD, a, s, axes, norm, out)) is not None:
        return made
    for extent, axis in zip(reversed(s), reversed(list(axes))):
        a = one(a, n=extent, axis=axis, norm=norm, out=out)
    return a


@native
def fftn(a, s=None, axes=None, norm=None, out=None):
    """`fft` along several axes, all by default.

    Shapes: `a`'s, `s` long along the axes. Dtypes: complex64 for float32 and what is smaller, else complex128. Errors:
    ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError. Source: Cooley and
    Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.fftn(np.ones((2, 2))).round(6)
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _over_axes(a, s, axes, fft, norm, out)


@native
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """`ifft` along several axes, all by default.

    Shapes: `a`'s, `s` long along the axes. Dtypes: complex64 for float32 and what is smaller, else complex128. Errors:
    ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError. Source: Cooley and
    Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.ifftn(np.ones((2, 2))).round(6)
    array([[1.-0.j, 0.-0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _over_axes(a, s, axes, ifft, norm, out)


@native
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """`fft` along two axes.

    Shapes: `a`'s, `s` long along the axes. Dtypes: complex64 for float32 and what is smaller, else complex128. Errors:
    ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError. Source: Cooley and
    Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.fft2(np.ones((2, 2))).round(6)
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _over_axes(a, s, axes, fft, norm, out)


@native
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """`ifft` along two axes.

    Shapes: `a`'s, `s` long along the axes. Dtypes: complex64 for float32 and what is smaller, else complex128. Errors:
    ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError. Source: Cooley and
    Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.ifft2(np.ones((2, 2))).round(6)
    array([[1.-0.j, 0.-0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _over_axes(a, s, axes, ifft, norm, None)


@native
def rfftn(a, s=None, axes=None, norm=None, out=None):
    """`rfft` along the last axis, `fft` along the others.

    Shapes: `a`'s, `s` long along the axes, n // 2 + 1 along the last. Dtypes: complex64 for float32 and what is smaller, else
    complex128. Errors: ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError.
    Source: Cooley and Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.rfftn(np.ones((2, 2))).round(6)
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    a = as_array(a)
    s, axes = _shape_and_axes(a, s, axes)
    if (made := _at_once(REAL_FORWARD, a, s, axes, norm, out)) is not None:
        return made
    a = rfft(a, s[-1], axes[-1], norm, out=out)
    for i in range(len(axes) - 2, -1, -1):
        a = fft(a, s[i], axes[i], norm, out=out)
    return a


@native
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """`rfftn` along two axes.

    Shapes: `a`'s, `s` long along the axes, n // 2 + 1 along the last. Dtypes: complex64 for float32 and what is smaller, else
    complex128. Errors: ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError.
    Source: Cooley and Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.rfft2(np.ones((2, 2))).round(6)
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return rfftn(a, s, axes, norm, out=out)


@native
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of `rfftn`.

    Shapes: `a`'s, `s` long along the axes, 2 (m - 1) along the last unless given. Dtypes: float32 for complex64, else
    float64. Errors: ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError.
    Source: Cooley and Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.irfftn(np.ones((2, 2))).round(6)
    array([[1., 0.],
           [0., 0.]])
    """
    a = as_array(a)
    s, axes = _shape_and_axes(a, s, axes, inverse_real=True)
    for i in range(len(axes) - 1):
        a = ifft(a, s[i], axes[i], norm)
    return irfft(a, s[-1], axes[-1], norm, out=out)


@native
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse of `rfft2`.

    Shapes: `a`'s, `s` long along the axes, 2 (m - 1) along the last unless given. Dtypes: float32 for complex64, else
    float64. Errors: ValueError where `s` and `axes` differ in number, for a length below 1 or an unknown norm; IndexError.
    Source: Cooley and Tukey 1965, Rader 1968 and Bluestein 1970 by length, in ducc0 (bits: vendor).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.irfft2(np.ones((2, 2))).round(6)
    array([[1., 0.],
           [0., 0.]])
    """
    return irfftn(a, s, axes, norm, out=None)
