"""Functions of each element."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for


@in_language
def _check_decimals(decimals: Any) -> None:
    if decimals < 0:
        raise NotImplementedError("numpy.round of integers to tens in prange or a kernel; call it outside of the loop")


@stands_for("numpy.round", "numpy.around", "array.round")
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


@stands_for("numpy.isclose")
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08) -> Any:
    near = b / 1
    is_near = numpy.abs(a - near) <= atol + rtol * numpy.abs(near)
    return numpy.logical_or(a == near, numpy.logical_and(is_near, numpy.isfinite(near)))


@stands_for("numpy.allclose")
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08) -> Any:
    return numpy.all(isclose(a, b, rtol, atol))


@stands_for("numpy.nan_to_num")
def nan_to_num(x: Any) -> Any:
    largest = numpy.finfo(x.dtype).max
    plain = numpy.where(numpy.isnan(x), 0.0, x)
    return numpy.where(numpy.isinf(x), numpy.copysign(largest, x), plain)


@stands_for("numpy.polyval")
def polyval(p: Any, x: Any) -> Any:
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
        middle = (low + high) // 2
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


@stands_for("numpy.interp")
def interp(x: Any, xp: Any, fp: Any) -> Any:
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    left, right = fp[0] / 1.0, fp[len(fp) - 1] / 1.0
    if isinstance(x, (int, float)):
        return _interpolated(x, xp, fp, left, right)
    flat = x.ravel()
    result = numpy.empty(len(flat), numpy.float64)
    for k in range(len(flat)):
        result[k] = _interpolated(flat[k], xp, fp, left, right)
    return result.reshape(x.shape)
