"""Functions of each element."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_array,
    is_flag,
    is_like,
    is_none,
    is_number,
    is_whole,
)

_NEAR = 8  # points
_WHOLE = "i8 i4 i2 i1 u8 u4 u2 u1"
_REAL = NUMBERS + " b1"


def _is_rounded_here(a: Any, decimals: Any, out: Any) -> bool:
    if not is_whole(decimals):
        return False
    if is_none(out):
        return is_any_array(a, NUMBERS + " c16 c8") or is_number(a, NUMBERS + " c16 c8")
    return is_any_array(a, "f8 f4 c16 c8") and is_any_array(out, "f8 f4 c16 c8") and a.dtype.kind == out.dtype.kind


@in_language
def _shifted(a: Any, decimals: Any) -> Any:
    """Of floats: what is rounded to integers."""
    if decimals > 0:
        return a * _as_its_type(a, 10.0**decimals)
    return a / _as_its_type(a, 10.0**-decimals) if decimals < 0 else a


@in_language
def _as_its_type(a: Any, value: Any) -> Any:
    return type(a)(value) if isinstance(a, float) else a.dtype.type(value)


@in_language
def _shifted_back(a: Any, decimals: Any) -> Any:
    if decimals > 0:
        return a / _as_its_type(a, 10.0**decimals)
    return a * _as_its_type(a, 10.0**-decimals) if decimals < 0 else a


@in_language
def _rounded(a: Any, decimals: Any) -> Any:
    if decimals == 0:
        return numpy.rint(a)
    return _shifted_back(numpy.rint(_shifted(a, decimals)), decimals)


@in_language
def _rounded_parts(a: Any, decimals: Any) -> Any:
    flat = a.ravel()
    real, imaginary = _rounded(flat.real.copy(), decimals), _rounded(flat.imag.copy(), decimals)
    result = numpy.empty(len(flat), a.dtype)
    for k in range(len(flat)):
        result[k] = complex(real[k], imaginary[k])
    return result.reshape(a.shape)


@in_language
def _rounded_integers(a: Any, decimals: Any) -> Any:
    if decimals >= 0:
        return a.copy()
    return _rounded(a.astype(numpy.float64), decimals).astype(a.dtype)


@stands_for("numpy.round", "numpy.around", "array.round", alike=_is_rounded_here)
def round_to(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    if isinstance(a, int):
        return a if decimals >= 0 else int(_rounded(float(a), decimals))
    if isinstance(a, float):
        return _rounded(a, decimals)
    if isinstance(a, complex):
        return type(a)(complex(_rounded(a.real, decimals), _rounded(a.imag, decimals)))
    if a.dtype.kind == "i" or a.dtype.kind == "u":
        return _rounded_integers(a, decimals)
    if out is None:
        return _rounded_parts(a, decimals) if a.dtype.kind == "c" else _rounded(a, decimals)
    if a.dtype.kind == "c":
        out[...] = _rounded_parts(a, decimals)
    else:
        out[...] = _shifted_back(numpy.rint(_shifted(a, decimals).astype(out.dtype)), decimals)
    return out


def _are_near(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: Any) -> bool:
    are_known = all(one is not None and (is_any_array(one) or is_number(one)) for one in (a, b))
    are_limits = all(one is None or is_number(one, "f8 i8 b1") for one in (rtol, atol))
    return are_known and are_limits and (is_flag(equal_nan) or is_number(equal_nan, "i8"))


@in_language
def _near(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: Any) -> Any:
    """Of arrays or numbers, the second of floats."""
    near = (a == b) | ((numpy.abs(a - b) <= atol + rtol * numpy.abs(b)) & numpy.isfinite(b))
    return near | (numpy.isnan(a / 1) & numpy.isnan(b) & bool(equal_nan))


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


def _is_made_finite(x: Any, copy: Any, nan: Any, posinf: Any, neginf: Any) -> bool:
    are_numbers = all(is_none(one) or is_number(one, NUMBERS) for one in (nan, posinf, neginf))
    is_known = is_any_array(x, ALL) or is_number(x, "f8 f4 i8 c16")
    return are_numbers and is_known and (nan is None or not nan.is_none) and is_flag(copy)


@in_language
def _finite(value: Any, nan: Any, most: Any, least: Any) -> Any:
    """A float, in whose place these stand where it is NaN or infinite."""
    if value != value:  # noqa: PLR0124
        return type(value)(nan)
    if value == numpy.inf:
        return type(value)(most)
    return type(value)(least) if value == -numpy.inf else value


@in_language
def _finite_number(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    if isinstance(x, complex):
        return type(x)(
            complex(_finite_number(x.real, nan, posinf, neginf), _finite_number(x.imag, nan, posinf, neginf))
        )
    most = numpy.finfo(type(x)).max if posinf is None else posinf
    least = -numpy.finfo(type(x)).max if neginf is None else neginf
    return _finite(x, nan, most, least)


@stands_for("numpy.nan_to_num", alike=_is_made_finite)
def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if isinstance(x, int):
        return x
    if isinstance(x, (float, complex)):
        return _finite_number(x, nan, posinf, neginf)
    if x.dtype.kind != "f" and x.dtype.kind != "c":
        return x.copy() if copy else x
    flat = x.ravel()
    result = numpy.empty(len(flat), x.dtype)
    for k in range(len(flat)):
        result[k] = _finite_number(flat[k], nan, posinf, neginf)
    if copy:
        return result.reshape(x.shape)
    x[...] = result.reshape(x.shape)
    return x


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
def _at(x: Any, xp: Any, fp: Any, slopes: Any, k: Any, left: Any, right: Any) -> Any:
    """The value at x, which is in the interval k; slopes of all intervals, if there are any."""
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
    slope = slopes[k] if len(slopes) > 0 else numpy.divide(fp[k + 1] - fp[k], xp[k + 1] - xp[k])
    value = slope * (x - xp[k]) + fp[k]
    if value != value:  # noqa: PLR0124
        value = slope * (x - xp[k + 1]) + fp[k + 1]
        if value != value and fp[k] == fp[k + 1]:  # noqa: PLR0124
            value = fp[k]
    return value


def _is_interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> bool:
    is_complex = fp is not None and fp.as_array() is not None and fp.as_array().is_of("c16 c8")
    are_ends = all(is_none(one) or is_number(one, NUMBERS) for one in (left, right))
    are_ends = are_ends and (not is_complex or (is_none(left) and is_none(right)))
    are_points = is_like(xp, _REAL) and is_like(fp, ALL) and xp.as_array().ndim == fp.as_array().ndim == 1
    return are_ends and are_points and is_like(x, _REAL)


@in_language
def _interpolated(flat: Any, xp: Any, fp: Any, by_reciprocals: Any, left: Any, right: Any) -> Any:
    count = len(xp)
    has_slopes = by_reciprocals or 1 < count <= len(flat)
    slopes = numpy.empty(count - 1 if has_slopes else 0)
    for n in range(len(slopes)):
        if by_reciprocals:
            slopes[n] = (fp[n + 1] - fp[n]) * numpy.divide(1.0, xp[n + 1] - xp[n])
        else:
            slopes[n] = numpy.divide(fp[n + 1] - fp[n], xp[n + 1] - xp[n])
    first = fp[0] if left is None else float(left)
    last = fp[count - 1] if right is None else float(right)
    result = numpy.empty(len(flat), numpy.float64)
    k = 0
    for n in range(len(flat)):
        value = flat[n]
        if count > 1 and value == value:  # noqa: PLR0124
            k = _interval(value, xp, k)
        result[n] = _at(value, xp, fp, slopes, k, first, last)
    return result


@in_language
def _interpolated_parts(flat: Any, xp: Any, fp: Any) -> Any:
    real = _interpolated(flat, xp, fp.real.astype(numpy.float64), True, None, None)
    imaginary = _interpolated(flat, xp, fp.imag.astype(numpy.float64), True, None, None)
    result = numpy.empty(len(flat), numpy.complex128)
    for k in range(len(flat)):
        result[k] = complex(real[k], 0.0 if flat[k] != flat[k] else imaginary[k])  # noqa: PLR0124
    return result


@in_language
def _as_doubles(a: Any) -> Any:
    return a if a.dtype == numpy.float64 else a.astype(numpy.float64)


@stands_for("numpy.interp", alike=_is_interpolated)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    places, values = as_array(xp), as_array(fp)
    if len(places) == 0:
        raise ValueError("array of sample points is empty")
    if len(places) != len(values):
        raise ValueError("fp and xp are not of the same length.")
    points = _as_doubles(places)
    if isinstance(x, (int, float)) and values.dtype.kind != "c":
        doubles = _as_doubles(values)
        at = float(x)
        place = 0
        if len(points) > 1 and at == at:  # noqa: PLR0124
            place = _interval(at, points, 0)
        first = doubles[0] if left is None else float(left)
        last = doubles[len(doubles) - 1] if right is None else float(right)
        return _at(at, points, doubles, doubles[:0], place, first, last)
    array = as_array(x)
    flat = _as_doubles(array.ravel())
    if values.dtype.kind == "c":
        result = _interpolated_parts(flat, points, values)
    else:
        result = _interpolated(flat, points, _as_doubles(values), False, left, right)
    return result[0] if array.ndim == 0 else result.reshape(array.shape)
