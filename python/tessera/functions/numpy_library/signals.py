"""Sums of products of two arrays of one axis."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.conditions import is_any_array, is_array, is_left_out
from tessera.functions.numpy_library.sequences import check_one_axis

_MODES = ("full", "same", "valid")


_FLOATS = "f8 f4 c16 c8"


def _are_signals(a: Any, v: Any, mode: Any) -> bool:
    are_of_numbers = is_array(a, "i8 " + _FLOATS) and is_array(v, "i8 " + _FLOATS)
    # Integers and single precision are doubles together.
    is_double = are_of_numbers and not (
        {a.dtype.str[1:], v.dtype.str[1:]} & {"i8"} and {a.dtype.str[1:], v.dtype.str[1:]} & {"f4", "c8"}
    )
    return is_double and is_left_out(mode, *_MODES)


def _are_alike(a: Any, b: Any) -> bool:
    return is_array(a, "i8 " + _FLOATS) and is_array(b, "i8 " + _FLOATS) and a.dtype == b.dtype


def _are_pairs(a: Any, b: Any) -> bool:
    return is_array(a) and is_array(b) and a.dtype == b.dtype


@in_language
def _as_both(a: Any, v: Any) -> Any:
    """The first array in the dtype that the two have together."""
    return a.astype(type(a[:0].sum() + v[:0].sum()))


@in_language
def _check_lengths(a: Any, v: Any) -> None:
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")


@in_language
def _sums(a: Any, turned: Any, mode: Any) -> Any:
    """Sums of products of `a` and `turned`, which is moved along it."""
    count, wide = len(a), len(turned)
    first, last = 0, count + wide - 1
    if mode == "same":
        first = (min(count, wide) - 1) // 2
        last = first + max(count, wide)
    elif mode == "valid":
        first, last = min(count, wide) - 1, max(count, wide)
    elif mode != "full":
        raise ValueError("mode must be one of 'valid', 'same', or 'full'")
    result = numpy.empty(last - first, type(a[0] * turned[0]))
    for n in range(first, last):
        low, high = max(0, n - wide + 1), min(n + 1, count)
        skipped = low - (n - wide + 1)
        result[n - first] = numpy.dot(a[low:high], turned[skipped : skipped + high - low])
    return result


@stands_for("numpy.convolve", alike=_are_signals)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    _check_lengths(a, v)
    first, second = _as_both(a, v), _as_both(v, a)
    if len(v) > len(a):
        return _sums(second, first[::-1].copy(), mode)
    return _sums(first, second[::-1].copy(), mode)


@stands_for("numpy.correlate", alike=_are_signals)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    _check_lengths(a, v)
    first, moved = _as_both(a, v), numpy.conj(_as_both(v, a))
    if len(v) > len(a):
        return _sums(moved, first, mode)[::-1].copy()
    return _sums(first, moved, mode)


@stands_for("numpy.vdot", alike=_are_alike)
def vdot(a: Any, b: Any) -> Any:
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return numpy.dot(a.ravel(), b.ravel())
    if a.size != b.size:
        raise ValueError("cannot take the product of vectors of different lengths")
    return (numpy.conj(a.ravel()) * b.ravel()).sum()


@stands_for("numpy.outer", alike=lambda a, b: is_any_array(a) and is_any_array(b) and a.dtype == b.dtype)
def outer(a: Any, b: Any) -> Any:
    first, second = a.ravel(), b.ravel()
    return first.reshape((-1, 1)) * second


@stands_for(
    "numpy.kron",
    alike=lambda a, b: is_any_array(a) and is_any_array(b) and a.dtype == b.dtype and a.ndim == b.ndim and a.ndim <= 2,
)
def kron(a: Any, b: Any) -> Any:
    if a.ndim == 2 and b.ndim == 2:
        high, wide = b.shape
        result = numpy.empty((a.shape[0] * high, a.shape[1] * wide), type(a[:0, 0].sum() * b[:0, 0].sum()))
        for row in range(a.shape[0]):
            for column in range(a.shape[1]):
                factor = a[row, column]
                for other in range(high):
                    for n in range(wide):
                        result[row * high + other, column * wide + n] = factor * b[other, n]
        return result
    check_one_axis(a)
    check_one_axis(b)
    return (a.reshape((-1, 1)) * b).ravel()


@stands_for("numpy.cross", "numpy.linalg.cross", alike=_are_pairs)
def cross(a: Any, b: Any) -> Any:
    check_one_axis(a)
    check_one_axis(b)
    if len(a) < 2 or len(a) > 3 or len(b) < 2 or len(b) > 3:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if len(a) == 2 and len(b) == 2:
        raise ValueError(
            "numpy.cross of two vectors of two elements in a compiled function: write a[0] * b[1] - a[1] * b[0]"
        )
    result = numpy.empty(3, type(a[0] * b[0]))
    if len(a) == 2:
        result[0] = a[1] * b[2]
        result[1] = -(a[0] * b[2])
    elif len(b) == 2:
        result[0] = -(a[2] * b[1])
        result[1] = a[2] * b[0]
    else:
        result[0] = a[1] * b[2] - a[2] * b[1]
        result[1] = a[2] * b[0] - a[0] * b[2]
    result[2] = a[0] * b[1] - a[1] * b[0]
    return result
