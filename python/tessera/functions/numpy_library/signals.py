"""Sums of products of two arrays of one axis."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array, flat_of, joined_dtype, without
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_array,
    is_left_out,
    is_like,
    is_none,
)
from tessera.functions.numpy_library.sequences import check_one_axis
from tessera.functions.numpy_library.views import joined_shape, repeated

_MODES = ("full", "same", "valid")


_FLOATS = "f8 f4 c16 c8"


_NUMBERS = NUMBERS + " c16 c8"


def _are_signals(a: Any, v: Any, mode: Any) -> bool:
    are_of_numbers = is_array(a, _NUMBERS) and is_array(v, _NUMBERS)
    return are_of_numbers and is_left_out(mode, *_MODES)


def _are_alike(a: Any, b: Any) -> bool:
    return is_array(a, "i8 " + _FLOATS) and is_array(b, "i8 " + _FLOATS) and a.dtype == b.dtype


def _are_vectors(a: Any, b: Any) -> bool:
    return is_like(a, NUMBERS, 1) and is_like(b, NUMBERS, 1)


@in_language
def _as_both(a: Any, v: Any) -> Any:
    """The first array in the dtype that the two have together."""
    return a if a.dtype == v.dtype else a.astype(joined_dtype(a, v))


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
    result = numpy.empty(last - first, a.dtype)
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


def _has_outer(a: Any, b: Any, out: Any) -> bool:
    if not is_like(a, ALL) or not is_like(b, ALL):
        return False
    if is_none(out):
        return True
    both = numpy.result_type(a.as_array().dtype, b.as_array().dtype)
    return out.is_array and out.ndim == 2 and numpy.can_cast(both, out.dtype, "same_kind")


@stands_for("numpy.outer", alike=_has_outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    first, second = flat_of(a), flat_of(b)
    if out is None:
        return first.reshape((-1, 1)) * second
    if out.shape[0] != len(first) or out.shape[1] != len(second):
        raise ValueError("non-broadcastable output operand")
    out[...] = first.reshape((-1, 1)) * second
    return out


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


@in_language
def _crossed(x: Any, y: Any, row: Any, result: Any) -> None:
    """The product of the vectors of this row, of which one has three elements."""
    wide, other = x.shape[1], y.shape[1]
    last, behind = type(x[row, 0])(0), type(y[row, 0])(0)
    if wide == 3:
        last = x[row, 2]
    if other == 3:
        behind = y[row, 2]
    if wide == 2:
        result[row, 0] = x[row, 1] * behind
        result[row, 1] = -(x[row, 0] * behind)
    elif other == 2:
        result[row, 0] = -(last * y[row, 1])
        result[row, 1] = last * y[row, 0]
    else:
        result[row, 0] = x[row, 1] * behind - last * y[row, 1]
        result[row, 1] = last * y[row, 0] - x[row, 0] * behind
    result[row, 2] = x[row, 0] * y[row, 1] - x[row, 1] * y[row, 0]


@in_language
def _check_widths(wide: Any, other: Any) -> None:
    if wide < 2 or wide > 3 or other < 2 or other > 3:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if wide == 2 and other == 2:
        raise ValueError(
            "numpy.cross of two vectors of two elements in a compiled function: write a[0] * b[1] - a[1] * b[0]"
        )


@stands_for("numpy.cross", "numpy.linalg.cross", alike=_are_vectors)
def cross(a: Any, b: Any) -> Any:
    x, y = as_array(a), as_array(b)
    wide, other = x.shape[x.ndim - 1], y.shape[y.ndim - 1]
    _check_widths(wide, other)
    if x.ndim == 1 and y.ndim == 1:
        result = numpy.empty((1, 3), joined_dtype(x, y))
        _crossed(x.reshape((1, -1)), y.reshape((1, -1)), 0, result)
        return result.reshape(3)
    shape = joined_shape(without(x.shape, x.ndim - 1), without(y.shape, y.ndim - 1))
    left, right = repeated(x, (*shape, wide)).reshape((-1, wide)), repeated(y, (*shape, other)).reshape((-1, other))
    result = numpy.empty((len(left), 3), joined_dtype(x, y))
    for row in range(len(left)):
        _crossed(left, right, row, result)
    return result.reshape((*shape, 3))
