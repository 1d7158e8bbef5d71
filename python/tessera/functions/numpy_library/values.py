"""Functions of each element."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import has_host, in_language, on_host, stands_for
from tessera.functions.numpy_library.arrays import as_array
from tessera.functions.numpy_library.conditions import ALL, is_any_array, is_array, is_flag, is_like, is_number

_MOST = 4096  # elements; NumPy searches for more of them quicker
_NEAR = 8  # points
_numpys_interp = on_host(numpy.interp)


@in_language
def _check_decimals(decimals: Any) -> None:
    if decimals < 0:
        raise NotImplementedError("numpy.round of integers to tens in prange or a kernel; call it outside of the loop")


def _is_rounded_here(a: Any, decimals: Any) -> bool:
    places = 0 if decimals is None else decimals.value
    if type(places) is not int or not 0 <= places <= 22:
        return False
    return is_any_array(a, "f8 i8 i4 i2 i1 u8 u4 u2 u1") or is_number(a, "f8")


@stands_for("numpy.round", "numpy.around", "array.round", alike=_is_rounded_here)
def round_to(a: Any, decimals: Any = 0) -> Any:
    if isinstance(a, int):
        _check_decimals(decimals)
        return a
    if not isinstance(a, (float, complex)) and (a.dtype.kind == "i" or a.dtype.kind == "u"):
        _check_decimals(decimals)
        return a.copy()
    if decimals == 0:
        return numpy.rint(a)
    if decimals > 0:
        up = 10.0**decimals
        return numpy.rint(a * up) / up
    down = 10.0**-decimals
    return numpy.rint(a / down) * down


def _are_near(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: Any) -> bool:
    are_known = all(one is not None and (is_any_array(one) or is_number(one)) for one in (a, b))
    are_limits = all(one is None or is_number(one, "f8 i8") for one in (rtol, atol))
    return are_known and are_limits and is_flag(equal_nan)


@in_language
def _near(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: Any) -> Any:
    """Of arrays or numbers, the second of floats."""
    near = (a == b) | ((numpy.abs(a - b) <= atol + rtol * numpy.abs(b)) & numpy.isfinite(b))
    return near | (numpy.isnan(a / 1) & numpy.isnan(b) & equal_nan)


@stands_for("numpy.isclose", alike=_are_near)
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    return _near(a, b / 1, rtol, atol, equal_nan)


@stands_for("numpy.allclose", alike=_are_near)
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _near(a, b / 1, rtol, atol, equal_nan)
    return _near(a, b / 1, rtol, atol, equal_nan).all()


@stands_for("numpy.array_equal", alike=lambda a1, a2: is_like(a1, ALL) and is_like(a2, ALL))
def array_equal(a1: Any, a2: Any) -> Any:
    return _are_equal(as_array(a1), as_array(a2))


@in_language
def _are_equal(a1: Any, a2: Any) -> Any:
    if a1.ndim != a2.ndim:
        return False
    if a1.shape != a2.shape:
        return False
    return (a1 == a2).all()


@stands_for("numpy.size", alike=lambda a: is_like(a, ALL))
def size(a: Any) -> Any:
    return as_array(a).size


@stands_for("numpy.shape", alike=lambda a: is_like(a, ALL))
def shape(a: Any) -> Any:
    return as_array(a).shape


@stands_for("numpy.nan_to_num", alike=lambda x: is_any_array(x, "f8"))
def nan_to_num(x: Any) -> Any:
    largest = numpy.finfo(x.dtype).max
    return numpy.where(numpy.isnan(x), 0.0, numpy.where(numpy.isinf(x), numpy.copysign(largest, x), x))


@stands_for(
    "numpy.polyval",
    alike=lambda p, x: is_array(p) and (is_any_array(x) or is_number(x)) and (p.is_of("i8") or x.is_of("f8")),
)
def polyval(p: Any, x: Any) -> Any:
    if len(p) == 0:
        nothing = x * 0 + p[:0].sum()
        return type(nothing)(0) if isinstance(x, (int, float)) else numpy.zeros_like(nothing)
    value = x * 0 + p[0]
    for k in range(1, len(p)):
        value = value * x + p[k]
    return value


@in_language
def _interval(x: Any, xp: Any, guess: Any) -> Any:
    """The last point that is not above x, -1 before the first and their number behind the last, as NumPy searches: from where the value before was found."""
    count = len(xp)
    if x > xp[count - 1]:
        return count
    if x < xp[0]:
        return -1
    if count <= 4:
        k = 1
        while k < count and x >= xp[k]:
            k += 1
        return k - 1
    low, high = 0, count
    near = max(min(guess, count - 3), 1)
    if x < xp[near]:
        if not x < xp[near - 1]:  # also where there is NaN
            return near - 1
        high = near - 1
        if near > _NEAR and x >= xp[near - _NEAR]:
            low = near - _NEAR
    elif x < xp[near + 1]:
        return near
    elif x < xp[near + 2]:
        return near + 1
    else:
        low = near + 2
        if near < count - _NEAR - 1 and x < xp[near + _NEAR]:
            high = near + _NEAR
    while low < high:
        middle = low + ((high - low) >> 1)
        if x >= xp[middle]:
            low = middle + 1
        else:
            high = middle
    return low - 1


@in_language
def _at(x: Any, xp: Any, fp: Any, k: Any, left: Any, right: Any) -> Any:
    """The value at x, which is in the interval k."""
    count = len(xp)
    if count == 1:
        return left if x < xp[0] else (right if x > xp[0] else fp[0])
    if x != x:  # noqa: PLR0124
        return x
    if k == -1:
        return left
    if k == count:
        return right
    if k == count - 1 or xp[k] == x:
        return fp[k]
    slope = numpy.divide(fp[k + 1] - fp[k], xp[k + 1] - xp[k])
    value = slope * (x - xp[k]) + fp[k]
    if value != value:  # noqa: PLR0124
        value = slope * (x - xp[k + 1]) + fp[k + 1]
        if value != value and fp[k] == fp[k + 1]:  # noqa: PLR0124
            value = fp[k]
    return value


def _is_interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> bool:
    are_ends = all(one is None or one.is_none or is_number(one) for one in (left, right))
    return are_ends and (is_any_array(x) or is_number(x)) and is_array(xp) and is_array(fp)


@stands_for("numpy.interp", alike=_is_interpolated)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    first = fp[0] / 1 if left is None else left / 1
    last = fp[len(fp) - 1] / 1 if right is None else right / 1
    points = xp if xp.dtype == numpy.float64 else xp / 1
    values = fp if fp.dtype == numpy.float64 else fp / 1
    if isinstance(x, (int, float)):
        at = x / 1
        place = 0
        if len(points) > 1 and at == at:  # noqa: PLR0124
            place = _interval(at, points, 0)
        return _at(at, points, values, place, first, last)
    if has_host() and x.size > _MOST:
        return _numpys_interp(x, xp, fp, left, right)
    flat = x.ravel()
    result = numpy.empty(len(flat), numpy.float64)
    k = 0
    for n in range(len(flat)):
        value = flat[n] / 1
        if len(points) > 1 and value == value:  # noqa: PLR0124
            k = _interval(value, points, k)
        result[n] = _at(value, points, values, k, first, last)
    return result.reshape(x.shape)
