"""Functions of each element."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import has_host, in_language, on_host, stands_for
from tessera.functions.numpy_library.conditions import is_any_array, is_array, is_number

_MOST = 4096  # elements; NumPy searches for more of them quicker
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


def _are_near(a: Any, b: Any, rtol: Any, atol: Any) -> bool:
    are_known = is_any_array(a, "f8") and (is_any_array(b, "f8") or is_number(b, "f8"))
    return are_known and all(one is None or is_number(one, "f8 i8") for one in (rtol, atol))


@stands_for("numpy.isclose", alike=_are_near)
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08) -> Any:
    return (a == b / 1) | ((numpy.abs(a - b / 1) <= atol + rtol * numpy.abs(b / 1)) & numpy.isfinite(b / 1))


@stands_for("numpy.allclose", alike=_are_near)
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08) -> Any:
    return ((a == b / 1) | ((numpy.abs(a - b / 1) <= atol + rtol * numpy.abs(b / 1)) & numpy.isfinite(b / 1))).all()


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
        return x * 0
    value = x * 0 + p[0]
    for k in range(1, len(p)):
        value = value * x + p[k]
    return value


@in_language
def _interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    count = len(xp)
    if x != x:  # noqa: PLR0124
        return x / 1.0
    if x < xp[0]:
        return left
    if x > xp[count - 1]:
        return right
    low, high = 0, count
    while low < high:  # the last point that is not above x
        middle = (low + high) >> 1
        if xp[middle] <= x:
            low = middle + 1
        else:
            high = middle
    k = low - 1
    if k == count - 1 or xp[k] == x:
        return fp[k] / 1.0
    slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
    value = slope * (x - xp[k]) + fp[k]
    if value != value:  # noqa: PLR0124
        value = slope * (x - xp[k + 1]) + fp[k + 1]
        if value != value and fp[k] == fp[k + 1]:  # noqa: PLR0124
            value = fp[k] / 1.0
    return value


@stands_for(
    "numpy.interp",
    alike=lambda x, xp, fp: (is_any_array(x) or is_number(x)) and is_array(xp, "f8") and is_array(fp, "f8"),
)
def interp(x: Any, xp: Any, fp: Any) -> Any:
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    left, right = fp[0] / 1.0, fp[len(fp) - 1] / 1.0
    if isinstance(x, (int, float)):
        return _interpolated(x, xp, fp, left, right)
    if has_host() and x.size > _MOST:
        return _numpys_interp(x, xp, fp)
    flat = x.ravel()
    result = numpy.empty(len(flat), numpy.float64)
    for k in range(len(flat)):
        result[k] = _interpolated(flat[k], xp, fp, left, right)
    return result.reshape(x.shape)
