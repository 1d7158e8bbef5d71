"""Running totals, differences, repetition and shifts of arrays of one axis."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array, flat_of
from tessera.functions.numpy_library.axes import parts_along
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_array,
    is_axis,
    is_dtype,
    is_like,
    is_none,
    is_number,
    is_whole,
    one_array,
    one_of_any_axes,
)


def _is_running(a: Any, axis: Any, dtype: Any) -> bool:
    return is_any_array(a, ALL) and (is_none(axis) or is_axis(axis, a.ndim)) and is_dtype(dtype, ALL)


@stands_for("numpy.cumsum", "array.cumsum", alike=_is_running)
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running_sums(a if dtype is None else a.astype(dtype), axis, dtype)


@in_language
def _running_sums(a: Any, axis: Any, dtype: Any) -> Any:
    if axis is not None:
        parts = parts_along(a, axis)
        before, length, behind = parts.shape
        sums = numpy.empty((before, length, behind), type(parts[:0, 0, 0].sum()) if dtype is None else a.dtype)
        for n in range(before):
            for k in range(length):
                for at in range(behind):
                    sums[n, k, at] = parts[n, k, at] if k == 0 else sums[n, k - 1, at] + parts[n, k, at]
        return sums.reshape(a.shape)
    flat = a.ravel()
    total = -flat[:0].sum()  # of floats -0.0, which changes no sign of the first sums
    result = numpy.empty(len(flat), type(total) if dtype is None else a.dtype)
    for k in range(len(flat)):
        total += flat[k]
        result[k] = total
    return result


@stands_for("numpy.cumprod", "array.cumprod", alike=_is_running)
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return _running_products(a if dtype is None else a.astype(dtype), axis, dtype)


@in_language
def _running_products(a: Any, axis: Any, dtype: Any) -> Any:
    if axis is not None:
        parts = parts_along(a, axis)
        before, length, behind = parts.shape
        products = numpy.empty((before, length, behind), type(parts[:0, 0, 0].prod()) if dtype is None else a.dtype)
        for n in range(before):
            for k in range(length):
                for at in range(behind):
                    products[n, k, at] = parts[n, k, at] if k == 0 else products[n, k - 1, at] * parts[n, k, at]
        return products.reshape(a.shape)
    flat = a.ravel()
    product = flat[:0].prod()
    result = numpy.empty(len(flat), type(product) if dtype is None else a.dtype)
    for k in range(len(flat)):
        if k == 0 and a.dtype.kind == "c":
            product = type(product)(flat[k])  # 1 times an infinite number has NaN in it
        else:
            product *= flat[k]
        result[k] = product
    return result


@stands_for("numpy.nancumsum", alike=one_of_any_axes(ALL))
def nancumsum(a: Any) -> Any:
    flat = a.ravel()
    zero = flat[:0].sum()
    total = -zero
    result = numpy.empty(len(flat), type(total))
    for k in range(len(flat)):
        if flat[k] == flat[k]:  # noqa: PLR0124
            total += flat[k]
        else:
            total += zero
        result[k] = total
    return result


@stands_for("numpy.nancumprod", alike=one_of_any_axes(ALL))
def nancumprod(a: Any) -> Any:
    flat = a.ravel()
    product = flat[:0].prod()
    result = numpy.empty(len(flat), type(product))
    for k in range(len(flat)):
        if flat[k] == flat[k]:  # noqa: PLR0124
            product *= flat[k]
        result[k] = product
    return result


@in_language
def check_one_axis(a: Any) -> None:
    if a.ndim != 1:
        raise NotImplementedError(
            "this function of NumPy takes arrays of one axis in prange or a kernel; call it outside of the loop"
        )


@stands_for(
    "numpy.diff",
    alike=lambda a, n: is_any_array(a, NUMBERS + " c16 c8") and is_whole(n) and (n is None or n.value != 0),
)
def diff(a: Any, n: Any = 1) -> Any:
    if n < 0:
        raise ValueError("order must be non-negative")
    if n == 0:
        return a.copy()
    result = a[..., 1:] - a[..., :-1]
    for _ in range(1, n):
        result = result[..., 1:] - result[..., :-1]
    return result


def _are_steps(ary: Any, to_end: Any, to_begin: Any) -> bool:
    ends = [one for one in (to_end, to_begin) if not is_none(one)]
    return is_like(ary, NUMBERS) and all(
        is_like(one, NUMBERS) and one.as_array().dtype == ary.as_array().dtype for one in ends
    )


@stands_for("numpy.ediff1d", alike=_are_steps)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    flat = flat_of(ary)
    if to_end is None and to_begin is None:
        return flat[1:] - flat[:-1]
    begin = flat[:0] if to_begin is None else flat_of(to_begin)
    end = flat[:0] if to_end is None else flat_of(to_end)
    steps = max(len(flat) - 1, 0)
    result = numpy.empty(len(begin) + steps + len(end), flat.dtype)
    result[: len(begin)] = begin
    for k in range(steps):
        result[len(begin) + k] = flat[k + 1] - flat[k]
    result[len(begin) + steps :] = end
    return result


@in_language
def _repeated_each(flat: Any, times: Any) -> Any:
    if len(times) != len(flat) and len(times) != 1:
        raise ValueError("operands could not be broadcast together")
    count = 0
    for k in range(len(flat)):
        each = int(times[k if len(times) > 1 else 0])
        if each < 0:
            raise ValueError("repeats may not contain negative values.")
        count += each
    result = numpy.empty(count, flat.dtype)
    place = 0
    for k in range(len(flat)):
        for _ in range(int(times[k if len(times) > 1 else 0])):
            result[place] = flat[k]
            place += 1
    return result


@stands_for(
    "numpy.repeat",
    "array.repeat",
    alike=lambda a, repeats: (
        is_like(a, ALL) and (is_number(repeats, "i8") or is_array(repeats, "i8 i4 i2 i1 u4 u2 u1"))
    ),
)
def repeat(a: Any, repeats: Any) -> Any:
    flat = flat_of(a)
    if not isinstance(repeats, int):
        return _repeated_each(flat, repeats)
    if repeats < 0 and len(flat) > 0:
        raise ValueError("repeats may not contain negative values.")
    result = numpy.empty(len(flat) * repeats, flat.dtype)
    place = 0
    for k in range(len(flat)):
        value = flat[k]
        for _ in range(repeats):
            result[place] = value
            place += 1
    return result


@stands_for("numpy.tile", alike=lambda A, reps: is_array(A, ALL) and is_number(reps, "i8"))
def tile(A: Any, reps: Any) -> Any:
    check_one_axis(A)
    if reps < 0 and len(A) > 0:
        raise ValueError("negative dimensions are not allowed")
    result = numpy.empty(len(A) * reps, A.dtype)
    for n in range(reps):
        result[n * len(A) : (n + 1) * len(A)] = A
    return result


@stands_for("numpy.roll", alike=lambda a, shift: is_like(a, ALL, 1) and is_number(shift, "i8 b1"))
def roll(a: Any, shift: Any) -> Any:
    if not isinstance(shift, int):
        raise NotImplementedError("numpy.roll by several shifts in prange or a kernel; call it outside of the loop")
    array = as_array(a)
    flat = array.ravel()
    result = numpy.empty_like(flat)
    by = int(shift) % len(flat) if len(flat) > 0 else 0
    result[by:] = flat[: len(flat) - by]
    result[:by] = flat[len(flat) - by :]
    return result.reshape(array.shape)


@in_language
def _without_places(flat: Any, places: Any) -> Any:
    is_left = numpy.ones(len(flat), numpy.bool_)
    count = len(flat)
    for k in range(len(places)):
        place = int(places[k])
        if place < -len(flat) or place >= len(flat):
            raise IndexError(f"index {place} is out of bounds for axis 0 with size {len(flat)}")
        if place < 0:
            place += len(flat)
        count -= 1 if is_left[place] else 0
        is_left[place] = False
    result = numpy.empty(count, flat.dtype)
    count = 0
    for k in range(len(flat)):
        if is_left[k]:
            result[count] = flat[k]
            count += 1
    return result


@stands_for(
    "numpy.delete",
    alike=lambda arr, obj: is_any_array(arr, ALL) and (is_number(obj, "i8") or is_array(obj, "i8 i4 i2 i1 u4 u2 u1")),
)
def delete(arr: Any, obj: Any) -> Any:
    flat = arr.ravel()
    if not isinstance(obj, int):
        return _without_places(flat, obj)
    place = obj
    if place < 0:
        place += len(flat)
    if place < 0 or place >= len(flat):
        raise IndexError(f"index {obj} is out of bounds for axis 0 with size {len(flat)}")
    result = numpy.empty(len(flat) - 1, arr.dtype)
    result[:place] = flat[:place]
    result[place:] = flat[place + 1 :]
    return result


def _has_points(y: Any, x: Any, dx: Any) -> bool:
    return is_array(y, "f8") and (x is None or is_array(x, "f8")) and (dx is None or is_number(dx))


@stands_for("numpy.trapezoid", alike=_has_points)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0) -> Any:
    check_one_axis(y)
    total = 0.0
    if x is None:
        for k in range(1, len(y)):
            total += dx * (y[k] + y[k - 1]) / 2.0
        return total
    if len(x) != len(y):
        raise ValueError("operands could not be broadcast together: x and y have different lengths")
    for k in range(1, len(y)):
        total += (x[k] - x[k - 1]) * (y[k] + y[k - 1]) / 2.0
    return total


@stands_for("numpy.vander", alike=one_array())
def vander(x: Any) -> Any:
    result = numpy.ones((len(x), len(x)), type(x[:0].sum() + 0))
    for row in range(len(x)):
        for column in range(len(x) - 2, -1, -1):
            result[row, column] = result[row, column + 1] * x[row]
    return result
