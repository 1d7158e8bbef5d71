"""Functions of each element: parts of complex numbers, tests of numbers, windows."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_flag,
    is_like,
    is_none,
    is_number,
    is_whole,
)

_MEASURED = "f8 f4 i8 c16 c8"
_TO_DEGREES = 180 / math.pi


@stands_for("array.conj", "array.conjugate", alike=lambda a: is_any_array(a, ALL))
def conjugate(a: Any) -> Any:
    return numpy.conj(a) if a.dtype.kind == "c" else a


@stands_for("numpy.real", alike=lambda val: is_any_array(val, ALL))
def real(val: Any) -> Any:
    return val.real


@stands_for("numpy.imag", alike=lambda val: is_any_array(val, ALL))
def imag(val: Any) -> Any:
    return val.imag


def _has_angle(z: Any, deg: Any) -> bool:
    return is_flag(deg) and (is_number(z, _MEASURED) or is_any_array(z, _MEASURED))


@stands_for("numpy.angle", alike=_has_angle)
def angle(z: Any, deg: Any = False) -> Any:
    scale = _TO_DEGREES if deg else 1.0
    if isinstance(z, (int, float)):
        return numpy.arctan2(type(z)(0), z) * type(numpy.arctan2(z, z))(scale)
    if isinstance(z, complex):
        return numpy.arctan2(z.imag, z.real) * type(z.real)(scale)
    radians = numpy.arctan2(z.imag, z.real)
    return radians * radians.dtype.type(scale)


@in_language
def _are_infinite(x: Any, out: Any, is_negative: Any) -> Any:
    infinite = numpy.isinf(x) & (numpy.signbit(x) if is_negative else numpy.logical_not(numpy.signbit(x)))
    if out is None:
        return infinite
    out[...] = infinite
    return out


def _may_be_infinite(x: Any, out: Any) -> bool:
    if is_none(out):
        return is_like(x, "f8 f4 i8") and (x.is_array or x.is_number)
    if is_number(x, "f8 f4"):
        return is_any_array(out, "b1 f8 f4 i8")
    return is_any_array(x, "f8 f4") and is_any_array(out, "b1 f8 f4 i8") and out.ndim == x.ndim


@stands_for("numpy.isneginf", alike=_may_be_infinite)
def isneginf(x: Any, out: Any = None) -> Any:
    return _are_infinite(x, out, True)


@stands_for("numpy.isposinf", alike=_may_be_infinite)
def isposinf(x: Any, out: Any = None) -> Any:
    return _are_infinite(x, out, False)


@stands_for("numpy.isreal", alike=lambda x: is_like(x, ALL))
def isreal(x: Any) -> Any:
    if isinstance(x, complex):
        return x.imag == 0
    if isinstance(x, (int, float)):
        return True
    return as_array(x).imag == 0


@stands_for("numpy.iscomplex", alike=lambda x: is_like(x, ALL))
def iscomplex(x: Any) -> Any:
    if isinstance(x, complex):
        return x.imag != 0
    if isinstance(x, (int, float)):
        return False
    return as_array(x).imag != 0


def _is_known(element: Any) -> bool:
    is_kept = element.is_text or element.is_none or element.is_tuple
    return is_kept or (element.is_number and element.dtype.kind in "biufcmM") or is_any_array(element, ALL)


@stands_for("numpy.isscalar", alike=_is_known)
def isscalar(element: Any) -> Any:
    return element is not None and not isinstance(element, (numpy.ndarray, tuple))


@stands_for("numpy.iscomplexobj", alike=lambda x: is_like(x, ALL))
def iscomplexobj(x: Any) -> Any:
    return as_array(x).dtype.kind == "c"


@stands_for("numpy.isrealobj", alike=lambda x: is_like(x, ALL))
def isrealobj(x: Any) -> Any:
    return as_array(x).dtype.kind != "c"


def _is_window(M: Any) -> bool:
    return is_number(M, "i8 f8")


@in_language
def _points(M: Any) -> Any:
    """How many elements, from 1 - M on by steps of two."""
    count = int(numpy.ceil((M - (1.0 - M)) / 2))
    return numpy.arange(count) * 2.0 + (1.0 - M)


@in_language
def _window(M: Any, first: Any, second: Any, third: Any) -> Any:
    if M < 1:
        return numpy.empty(0)
    if M == 1:
        return numpy.ones(1)
    n = _points(M)
    single = numpy.cos(math.pi * n / (M - 1))
    if third == 0:
        return first + second * single
    return first + second * single + third * numpy.cos(2.0 * math.pi * n / (M - 1))


@stands_for("numpy.hanning", alike=_is_window)
def hanning(M: Any) -> Any:
    return _window(M, 0.5, 0.5, 0)


@stands_for("numpy.hamming", alike=_is_window)
def hamming(M: Any) -> Any:
    return _window(M, 0.54, 0.46, 0)


@stands_for("numpy.blackman", alike=_is_window)
def blackman(M: Any) -> Any:
    return _window(M, 0.42, 0.5, 0.08)


@stands_for("numpy.bartlett", alike=_is_window)
def bartlett(M: Any) -> Any:
    if M < 1:
        return numpy.empty(0)
    if M == 1:
        return numpy.ones(1)
    n = _points(M)
    return numpy.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))


@stands_for("numpy.sinc", alike=lambda x: is_number(x, "f8 i8") or is_any_array(x, "f8"))
def sinc(x: Any) -> Any:
    turned = x * math.pi
    small = numpy.where(turned == 0, 2.0**-52, turned)
    return numpy.sin(small) / small


def _is_chosen(condition: Any, arr: Any) -> bool:
    return is_like(condition, ALL) and is_like(arr, ALL)


@stands_for("numpy.extract", alike=_is_chosen)
def extract(condition: Any, arr: Any) -> Any:
    holds, values = as_array(condition).ravel(), as_array(arr).ravel()
    count = 0
    for k in range(len(holds)):
        if holds[k]:
            if k >= len(values):
                raise IndexError(f"index {k} is out of bounds for axis 0 with size {len(values)}")
            count += 1
    chosen = numpy.empty(count, values.dtype)
    count = 0
    for k in range(len(holds)):
        if holds[k]:
            chosen[count] = values[k]
            count += 1
    return chosen


def _is_filled(a: Any, val: Any, wrap: Any) -> bool:
    is_matrix = is_any_array(a, ALL) and a.ndim >= 2 and is_flag(wrap)
    kinds = (
        "b1" if a is not None and a.is_of("b1") else NUMBERS + " b1" if a is not None and not a.is_of("c16 c8") else ALL
    )
    return is_matrix and is_like(val, kinds) and (a.is_of("f8 f4 c16 c8 b1") or not val.as_array().is_of("f8 f4"))


@stands_for("numpy.fill_diagonal", alike=_is_filled)
def fill_diagonal(a: Any, val: Any, wrap: Any = False) -> None:
    values = as_array(val).ravel()
    if a.ndim == 2:
        rows, columns = a.shape
        count = min(rows, columns)
        if wrap and rows > columns:
            count = (rows * columns + columns) // (columns + 1)
        for k in range(count if len(values) > 0 else 0):
            place = k * (columns + 1)
            a[place // columns, place % columns] = values[k % len(values)]
    else:
        for extent in a.shape:
            if extent != a.shape[0]:
                raise ValueError("All dimensions of input must be of equal length")
        for k in range(a.shape[0] if len(values) > 0 else 0):
            _on_diagonal(a, k)[...] = values[k % len(values)]


@in_language
def _on_diagonal(a: Any, k: Any) -> Any:
    """An array of one element: that at k along each axis."""
    if a.ndim == 1:
        return a[k : k + 1]
    return _on_diagonal(a[k], k)


@stands_for("numpy.diagflat", alike=lambda v, k: is_like(v, ALL) and is_whole(k))
def diagflat(v: Any, k: Any = 0) -> Any:
    values = as_array(v).ravel()
    count = len(values) + abs(k)
    result = numpy.zeros((count, count), values.dtype)
    for n in range(len(values)):
        result[n + max(-k, 0), n + max(k, 0)] = values[n]
    return result
