"""Running totals, differences, repetition and shifts of arrays of one axis."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array, flat_of, joined_dtype, place_of
from tessera.functions.numpy_library.axes import parts_along
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_array,
    is_axis,
    is_dtype,
    is_flag,
    is_like,
    is_none,
    is_number,
    is_whole,
    one_of_any_axes,
)
from tessera.functions.numpy_library.order import argsort


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
        is_like(one, NUMBERS) and numpy.can_cast(one.as_array().dtype, ary.as_array().dtype, "same_kind")
        for one in ends
    )


@stands_for("numpy.ediff1d", alike=_are_steps)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    flat = flat_of(ary)
    if to_end is None and to_begin is None:
        return flat[1:] - flat[:-1]
    steps = max(len(flat) - 1, 0)
    first = 0 if to_begin is None else flat_of(to_begin).size
    result = numpy.empty(first + steps + (0 if to_end is None else flat_of(to_end).size), flat.dtype)
    if to_begin is not None:
        result[:first] = flat_of(to_begin)
    for k in range(steps):
        result[first + k] = flat[k + 1] - flat[k]
    if to_end is not None:
        result[first + steps :] = flat_of(to_end)
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


@stands_for("numpy.roll", alike=lambda a, shift: is_like(a, ALL) and is_number(shift, "i8 b1"))
def roll(a: Any, shift: Any) -> Any:
    if not isinstance(shift, int):
        raise NotImplementedError("numpy.roll by several shifts in prange or a kernel; call it outside of the loop")
    array = as_array(a)
    flat = flat_of(array)
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


def _is_deleted(arr: Any, obj: Any, axis: Any) -> bool:
    if not is_any_array(arr, ALL) or not is_none(axis) or obj is None:
        return False
    return bool(obj.is_slice or is_number(obj, "i8") or is_array(obj, "i8 i4 i2 i1 u4 u2 u1"))


@stands_for("numpy.delete", alike=_is_deleted)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    flat = arr.ravel()
    if isinstance(obj, slice):
        start, stop, step = obj.indices(len(flat))
        return _without_places(flat, numpy.arange(start, stop, step))
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


def _is_inserted(arr: Any, obj: Any, values: Any, axis: Any) -> bool:
    if not is_any_array(arr, ALL) or not is_none(axis) or not is_like(values, ALL):
        return False
    is_place = is_number(obj, "i8") or is_array(obj, "i8 i4 i2 i1 u4 u2 u1")
    return is_place and values.as_array().ndim <= 1 and (arr.is_of("c16 c8") or not values.as_array().is_of("c16 c8"))


@in_language
def _inserted_at(flat: Any, place: Any, given: Any) -> Any:
    count = len(flat)
    at = place + count if place < 0 else place
    if at < 0 or at > count:
        raise IndexError(f"index {place} is out of bounds for axis 0 with size {count}")
    result = numpy.empty(count + len(given), flat.dtype)
    result[:at] = flat[:at]
    result[at : at + len(given)] = given
    result[at + len(given) :] = flat[at:]
    return result


@stands_for("numpy.insert", alike=_is_inserted)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    flat, given = flat_of(arr), flat_of(values)
    if isinstance(obj, int):
        return _inserted_at(flat, obj, given)
    if len(obj) == 1:
        return _inserted_at(flat, int(obj[0]), given)
    count = len(flat)
    places = obj.astype(numpy.int64)
    for k in range(len(places)):
        if places[k] < -count or places[k] > count:
            raise IndexError(f"index {places[k]} is out of bounds for axis 0 with size {count}")
        places[k] += count if places[k] < 0 else 0
    if len(given) != len(obj) and len(given) != 1:
        raise ValueError(
            f"shape mismatch: value array of shape ({len(given)},) could not be broadcast to indexing result of shape ({len(obj)},)"
        )
    order = argsort(places, kind="stable")
    result = numpy.empty(count + len(obj), flat.dtype)
    taken, written = 0, 0
    for k in range(len(order)):
        while taken < places[order[k]]:
            result[written] = flat[taken]
            taken += 1
            written += 1
        result[written] = given[order[k] if len(given) > 1 else 0]
        written += 1
    result[written:] = flat[taken:]
    return result


def _is_checked(a: Any, dtype: Any) -> bool:
    return is_like(a, ALL, 1) and is_dtype(dtype, ALL)


@stands_for("numpy.asarray_chkfinite", alike=_is_checked)
def asarray_chkfinite(a: Any, dtype: Any = None) -> Any:
    array = as_array(a) if dtype is None else as_array(a).astype(dtype)
    if (array.dtype.kind == "f" or array.dtype.kind == "c") and not numpy.isfinite(array).all():
        raise ValueError("array must not contain infs or NaNs")
    return array


def _is_trimmed(filt: Any, trim: Any) -> bool:
    return is_array(filt, ALL) and (trim is None or trim.is_text)


@stands_for("numpy.trim_zeros", alike=_is_trimmed)
def trim_zeros(filt: Any, trim: Any = "fb") -> Any:
    first, last = 0, len(filt)
    letters = trim.lower()
    if "f" in letters:
        while first < last and filt[first] == 0:
            first += 1
    if "b" in letters:
        while last > first and filt[last - 1] == 0:
            last -= 1
    return filt[first:last]


def _has_turns(p: Any, discont: Any, axis: Any, period: Any) -> bool:
    are_numbers = (is_none(discont) or is_number(discont)) and (period is None or is_number(period))
    is_last = axis is None or (
        is_any_array(p)
        and axis.value in (-1, p.ndim - 1)
        or p is not None
        and p.is_array
        and p.ndim == 1
        and is_axis(axis, 1)
    )
    return are_numbers and is_last and is_any_array(p, "f8 i8")


@stands_for("numpy.unwrap", alike=_has_turns)
def unwrap(p: Any, discont: Any = None, axis: Any = -1, period: Any = 6.283185307179586) -> Any:
    place_of(axis, p.ndim)
    rows = p.reshape((-1, p.shape[p.ndim - 1])) if p.size > 0 else p.reshape((0, p.shape[p.ndim - 1]))
    limit = period / 2 if discont is None else discont
    is_whole = isinstance(period, int) and rows.dtype.kind == "i"
    result = rows.copy() if is_whole else rows.astype(numpy.float64)
    high = _half(period, is_whole)
    low = -high
    for row in range(len(rows)):
        total = type(result[:0, 0].sum())(0)
        for k in range(1, rows.shape[1]):
            step = rows[row, k] - rows[row, k - 1]
            turned = (step - low) % period + low
            if turned == low and step > 0 and (not is_whole or period % 2 == 0):
                turned = high
            correction = type(total)(turned - step)
            total += type(total)(0) if abs(step) < limit else correction
            result[row, k] += total
    return result.reshape(p.shape)


@in_language
def _half(period: Any, is_whole: Any) -> Any:
    return period // 2 if is_whole else period / 2


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


def _has_powers(x: Any, N: Any, increasing: Any) -> bool:
    is_known = is_like(x, NUMBERS + " b1", 1) and x.as_array().ndim == 1
    return is_known and (is_none(N) or is_number(N, "i8")) and is_flag(increasing)


@stands_for("numpy.vander", alike=_has_powers)
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    values = as_array(x)
    count = len(values) if N is None else N
    if count < 0:
        raise ValueError("negative dimensions are not allowed")
    result = numpy.ones((len(values), count), joined_dtype(values, numpy.empty(0, numpy.int64)))
    for row in range(len(values)):
        for k in range(1, count):
            column = k if increasing else count - 1 - k
            result[row, column] = result[row, column - 1 if increasing else column + 1] * values[row]
    return result
