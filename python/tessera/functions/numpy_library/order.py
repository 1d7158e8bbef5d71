"""Sorting and searching. NaN comes last, as in NumPy; all sorts are stable (merge sort, bottom up, from sorted runs of 16)."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import (
    has_host,
    has_routines,
    in_language,
    on_host,
    routine,
    stands_for,
)
from tessera.functions.numpy_library.arrays import as_array, flat_of, in_joined_dtype, place_of
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_array,
    is_axis,
    is_flag,
    is_left_out,
    is_like,
    is_none,
    is_number,
)
from tessera.functions.numpy_library.views import swapaxes

_RUN = 16
_FEW = 256  # elements; more of them are partitioned, not sorted
_MOST_SEARCHED = 4096
_SORT, _ORDER, _PARTITION, _PARTITION_ORDER = 13, 14, 15, 16
_numpys_searchsorted = on_host(numpy.searchsorted)
_KINDS = ("quicksort", "stable", "mergesort", "heapsort")


def _is_sorted(a: Any, axis: Any, kind: Any) -> bool:
    return is_like(a, ALL, 1) and (axis is None or is_axis(axis, a.as_array().ndim)) and is_left_out(kind, *_KINDS)


def _is_sorted_in_place(values: Any, axis: Any, kind: Any) -> bool:
    return is_any_array(values, ALL) and _is_sorted(values, axis, kind)


def _is_flattened(a: Any, axis: Any, kind: Any) -> bool:
    """Along one axis, or all elements."""
    if axis is not None and axis.is_none:
        return is_like(a, ALL) and is_left_out(kind, *_KINDS)
    return _is_sorted(a, axis, kind)


def _are_places(a: Any, kth: Any, axis: Any) -> bool:
    if not is_like(a, ALL, 1) or not is_left_out(axis, -1, a.as_array().ndim - 1):
        return False
    return is_like(kth, "i8 i4 i2 i1 u4 u2 u1") and kth.as_array().ndim <= 1


def _is_found_here(a: Any, v: Any, side: Any = None) -> bool:
    if not is_array(a, ALL) or not is_left_out(side, "left", "right"):
        return False
    if a.dtype.kind == "c":
        return (is_any_array(v, ALL) or is_number(v, ALL)) and numpy.result_type(a.dtype, v.dtype) == a.dtype
    if a.dtype.kind == "b":
        return False
    is_known = is_any_array(v, NUMBERS) or is_number(v, NUMBERS)
    return is_known and (a.dtype == v.dtype or (a.dtype.kind == "f" and v.is_of("f8 i8") and a.is_of("f8")))


@in_language
def _is_complex_before(x: Any, y: Any) -> Any:
    """By real parts and then by imaginary ones, each with NaN behind."""
    has_nan, others = x.imag != x.imag, y.imag != y.imag  # noqa: PLR0124
    if x.real < y.real:
        return not has_nan or others
    if x.real > y.real:
        return others and not has_nan
    if x.real == y.real or (x.real != x.real and y.real != y.real):  # noqa: PLR0124
        return x.imag < y.imag or (others and not has_nan)
    return y.real != y.real  # noqa: PLR0124


@in_language
def is_before(x: Any, y: Any) -> Any:
    if isinstance(x, complex):
        return _is_complex_before(x, y)
    return x < y or (y != y and x == x)  # noqa: PLR0124


@in_language
def insert_in_order(values: Any, first: Any, last: Any) -> None:
    for k in range(first + 1, last):
        value = values[k]
        place = k
        while place > first and is_before(value, values[place - 1]):
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@in_language
def _merge(values: Any, into: Any, first: Any, middle: Any, last: Any) -> None:
    left, right = first, middle
    for k in range(first, last):
        if left < middle and (right >= last or not is_before(values[right], values[left])):
            into[k] = values[left]
            left += 1
        else:
            into[k] = values[right]
            right += 1


@in_language
def _sort_rows(rows: Any) -> None:
    """Of a matrix in C order."""
    if rows.dtype.kind == "c":
        if rows.size > 0:
            routine(_SORT, rows)
    elif rows.shape[1] > _RUN and has_routines():
        routine(_SORT, rows)
    else:
        for row in range(rows.shape[0]):
            _sort_in_steps(rows[row])


@in_language
def sort_in_place_1d(values: Any) -> None:
    if values.dtype.kind == "c" or (len(values) > _RUN and has_routines()):
        other = values.copy()
        if len(other) > 0:
            routine(_SORT, other)
        values[:] = other
    else:
        _sort_in_steps(values)


@in_language
def _sort_in_steps(values: Any) -> None:
    count = len(values)
    for first in range(0, count, _RUN):
        insert_in_order(values, first, min(first + _RUN, count))
    if not has_routines() and count > _RUN:
        other = numpy.empty_like(values)
        width = _RUN
        while width < count:
            for first in range(0, count, 2 * width):
                _merge(values, other, first, min(first + width, count), min(first + 2 * width, count))
            values[:] = other
            width *= 2


@stands_for("array.sort", alike=_is_sorted_in_place)
def sort_in_place(values: Any, axis: Any = -1, kind: Any = None) -> None:
    if values.ndim == 1:
        place_of(axis, 1)
        sort_in_place_1d(values)
    else:
        turned = swapaxes(values, axis, -1)
        copied = turned.copy()
        if copied.size > 0:
            _sort_rows(copied.reshape((-1, copied.shape[copied.ndim - 1])))
        turned[:] = copied


@stands_for("numpy.sort", alike=_is_flattened)
def sort(a: Any, axis: Any = -1, kind: Any = None) -> Any:
    if axis is None:
        flat = flat_of(a).copy()
        _sort_rows(flat.reshape((1, -1)))
        return flat
    result = as_array(a).copy()
    if result.ndim == 1:
        place_of(axis, 1)
        _sort_rows(result.reshape((1, len(result))))
    else:
        sort_in_place(result, axis)
    return result


@in_language
def _order_rows(rows: Any) -> Any:
    """The indices that sort each row of a matrix in C order."""
    order = numpy.empty(rows.shape, numpy.int64)
    if rows.dtype.kind == "c":
        if rows.size > 0:
            routine(_ORDER, rows, order)
    elif rows.shape[1] > _RUN and has_routines():
        routine(_ORDER, rows, order)
    else:
        for row in range(rows.shape[0]):
            _order_in_steps(rows[row], order[row])
    return order


@in_language
def _order_in_steps(a: Any, order: Any) -> None:
    count = len(a)
    for k in range(count):
        order[k] = k
    for first in range(0, count, _RUN):
        for k in range(first + 1, min(first + _RUN, count)):
            place = order[k]
            at = k
            while at > first and is_before(a[place], a[order[at - 1]]):
                order[at] = order[at - 1]
                at -= 1
            order[at] = place
    if not has_routines() and count > _RUN:
        other = numpy.empty_like(order)
        width = _RUN
        while width < count:
            for first in range(0, count, 2 * width):
                middle, last = min(first + width, count), min(first + 2 * width, count)
                left, right = first, middle
                for k in range(first, last):
                    if left < middle and (right >= last or not is_before(a[order[right]], a[order[left]])):
                        other[k] = order[left]
                        left += 1
                    else:
                        other[k] = order[right]
                        right += 1
            order[:] = other
            width *= 2


@stands_for("numpy.argsort", "array.argsort", alike=_is_flattened)
def argsort(a: Any, axis: Any = -1, kind: Any = None) -> Any:
    if axis is None:
        return _order_rows(flat_of(a).copy().reshape((1, -1))).ravel()
    array = as_array(a)
    if array.ndim == 1:
        place_of(axis, 1)
        return _order_rows(array.copy().reshape((1, len(array))))[0]
    turned = swapaxes(array, axis, -1).copy()
    if turned.size == 0:
        return numpy.empty(array.shape, numpy.int64)
    order = _order_rows(turned.reshape((-1, turned.shape[turned.ndim - 1]))).reshape(turned.shape)
    return swapaxes(order, axis, -1).copy()


@in_language
def _places(kth: Any, count: Any) -> Any:
    """In order, each once."""
    places = numpy.asarray(kth).reshape(-1).astype(numpy.int64)
    for k in range(len(places)):
        if places[k] >= count or places[k] < -count:
            raise ValueError("kth out of bounds")
        if places[k] < 0:
            places[k] += count
    sort_in_place_1d(places)
    number = 0
    for k in range(len(places)):
        if k == 0 or places[k] != places[k - 1]:
            places[number] = places[k]
            number += 1
    return places[:number]


@stands_for("numpy.partition", alike=_are_places)
def partition(a: Any, kth: Any, axis: Any = -1) -> Any:
    array = as_array(a)
    count = array.shape[array.ndim - 1]
    if array.size == 0:
        return array.copy()
    places = _places(kth, count)
    if count <= _FEW or len(places) == 0 or not has_routines():
        return sort(array)
    rows = array.copy().reshape((-1, count))
    result = numpy.empty(rows.shape, array.dtype)
    routine(_PARTITION, rows, places, result)
    return result.reshape(array.shape)


@stands_for("numpy.argpartition", alike=_are_places)
def argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    array = as_array(a)
    count = array.shape[array.ndim - 1]
    if array.size == 0:
        return numpy.empty(array.shape, numpy.int64)
    places = _places(kth, count)
    if count <= _FEW or len(places) == 0 or not has_routines():
        return argsort(array)
    rows = array.copy().reshape((-1, count))
    order = numpy.empty(rows.shape, numpy.int64)
    routine(_PARTITION_ORDER, rows, places, order)
    return order.reshape(array.shape)


@in_language
def first_not_before(a: Any, value: Any) -> Any:
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) >> 1
        if is_before(a[middle], value):
            low = middle + 1
        else:
            high = middle
    return low


@in_language
def first_behind(a: Any, value: Any) -> Any:
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) >> 1
        if is_before(value, a[middle]):
            high = middle
        else:
            low = middle + 1
    return low


@in_language
def _place_of(a: Any, value: Any, side: Any) -> Any:
    if side == "left":
        return first_not_before(a, value)
    if side == "right":
        return first_behind(a, value)
    raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")


@in_language
def _places_left(a: Any, flat: Any, places: Any) -> None:
    """As NumPy searches: from where the value before was found, which shows where the array is not sorted."""
    count = len(a)
    low, high = 0, count
    for k in range(len(flat)):
        value = flat[k]
        if is_before(flat[max(k - 1, 0)], value):
            high = count
        else:
            low = 0
            high = high + 1 if high < count else count
        while low < high:
            middle = low + ((high - low) >> 1)
            if is_before(a[middle], value):
                low = middle + 1
            else:
                high = middle
        places[k] = low


@in_language
def _places_right(a: Any, flat: Any, places: Any) -> None:
    count = len(a)
    low, high = 0, count
    for k in range(len(flat)):
        value = flat[k]
        if not is_before(value, flat[max(k - 1, 0)]):
            high = count
        else:
            low = 0
            high = high + 1 if high < count else count
        while low < high:
            middle = low + ((high - low) >> 1)
            if not is_before(value, a[middle]):
                low = middle + 1
            else:
                high = middle
        places[k] = low


@stands_for("numpy.searchsorted", "array.searchsorted", alike=_is_found_here)
def searchsorted(a: Any, v: Any, side: Any = "left") -> Any:
    if isinstance(v, (int, float, complex)):
        return _place_of(a, a.dtype.type(v) if a.dtype.kind == "c" else v, side)
    if a.dtype.kind == "c" and v.dtype != a.dtype:
        return searchsorted(a, v.astype(a.dtype), side)
    if has_host() and v.size > _MOST_SEARCHED:
        return _numpys_searchsorted(a, v, side)
    flat = v.ravel()
    places = numpy.empty(len(flat), numpy.int64)
    if side == "left":
        _places_left(a, flat, places)
    elif side == "right":
        _places_right(a, flat, places)
    else:
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    return places.reshape(v.shape)


@in_language
def _direction(bins: Any) -> Any:
    """1 where they rise or are equal, -1 where they fall, else 0, as NumPy sees it where there is NaN."""
    count = len(bins)
    first = 1
    while first < count and bins[first] == bins[0]:
        first += 1
    if first >= count:
        return 1
    if bins[0] < bins[first]:
        for k in range(first + 1, count):
            if bins[k - 1] > bins[k]:
                return 0
        return 1
    for k in range(first + 1, count):
        if bins[k - 1] < bins[k]:
            return 0
    return -1


@stands_for(
    "numpy.digitize",
    alike=lambda x, bins, right: _is_found_here(bins, x) and is_flag(right),
)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    direction = _direction(bins)
    if direction == 0:
        raise ValueError("bins must be monotonically increasing or decreasing")
    if isinstance(x, (int, float)):
        if direction > 0:
            return first_not_before(bins, x) if right else first_behind(bins, x)
        turned = bins[::-1]
        return len(bins) - (first_not_before(turned, x) if right else first_behind(turned, x))
    flat = x.ravel()
    places = numpy.empty(len(flat), numpy.int64)
    in_order = bins if direction > 0 else bins[::-1]
    if right:
        _places_left(in_order, flat, places)
    else:
        _places_right(in_order, flat, places)
    if direction < 0:
        for k in range(len(flat)):
            places[k] = len(bins) - places[k]
    return places.reshape(x.shape)


@stands_for("numpy.unique", alike=lambda ar: is_like(ar, NUMBERS + " b1"))
def unique(ar: Any) -> Any:
    flat = flat_of(ar).copy()
    _sort_rows(flat.reshape((1, -1)))
    count = 0
    for k in range(len(flat)):
        # All NaNs are one value.
        if k == 0 or not (flat[k] == flat[k - 1] or (flat[k] != flat[k] and flat[k - 1] != flat[k - 1])):  # noqa: PLR0124
            flat[count] = flat[k]
            count += 1
    return flat[:count].copy()


def _are_compared(one: Any, other: Any) -> bool:
    """Numbers of two dtypes that are compared in one that holds both."""
    if not is_like(one, NUMBERS) or not is_like(other, NUMBERS):
        return False
    dtypes = {one.as_array().dtype, other.as_array().dtype}
    return len(dtypes) == 1 or all(dtype.kind in "if" and dtype.itemsize == 8 for dtype in dtypes)


def _is_in(element: Any, test: Any, assume_unique: Any, invert: Any, kind: Any) -> bool:
    is_table = is_left_out(kind, "table") and kind is not None
    if is_table and _are_compared(element, test):
        return element.as_array().is_of("i8") and test.as_array().is_of("i8")
    is_known = is_table or is_none(kind) or is_left_out(kind, "sort")
    are_numbers = is_like(element, NUMBERS + " b1") and is_like(test, NUMBERS + " b1")
    return is_known and are_numbers and is_flag(assume_unique) and is_flag(invert)


@stands_for("numpy.isin", alike=_is_in)
def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, kind: Any = None) -> Any:
    array, others = as_array(element), as_array(test_elements)
    known = in_joined_dtype(others, array).copy()
    sort_in_place_1d(known)
    flat = in_joined_dtype(array, others)
    found = numpy.empty(len(flat), numpy.bool_)
    for k in range(len(flat)):
        place = first_not_before(known, flat[k])
        found[k] = (place < len(known) and known[place] == flat[k]) != invert
    return found.reshape(array.shape)


@stands_for("numpy.union1d", alike=_are_compared)
def union1d(ar1: Any, ar2: Any) -> Any:
    first, second = as_array(ar1), as_array(ar2)
    return unique(numpy.concatenate((in_joined_dtype(first, second), in_joined_dtype(second, first))))


def _are_sets(ar1: Any, ar2: Any, assume_unique: Any) -> bool:
    return _are_compared(ar1, ar2) and is_flag(assume_unique)


@in_language
def _elements(one: Any, other: Any, assume_unique: Any) -> Any:
    """In the dtype of both, each once unless they are so."""
    flat = in_joined_dtype(as_array(one), as_array(other))
    return flat.copy() if assume_unique else unique(flat)


@stands_for("numpy.intersect1d", alike=_are_sets)
def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    both = numpy.concatenate((_elements(ar1, ar2, assume_unique), _elements(ar2, ar1, assume_unique)))
    sort_in_place_1d(both)
    count = 0
    for k in range(len(both) - 1):
        if both[k] == both[k + 1]:
            both[count] = both[k]
            count += 1
    return both[:count].copy()


@stands_for("numpy.setxor1d", alike=_are_sets)
def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    both = numpy.concatenate((_elements(ar1, ar2, assume_unique), _elements(ar2, ar1, assume_unique)))
    sort_in_place_1d(both)
    count = 0
    last = both[:0].sum()
    for k in range(len(both)):
        # What is there once; NaN differs from itself.
        value = both[k]
        differs = k == 0 or value != last
        last = value
        if differs and (k == len(both) - 1 or value != both[k + 1]):
            both[count] = value
            count += 1
    return both[:count].copy()


@stands_for("numpy.setdiff1d", alike=_are_sets)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    first = as_array(ar1).ravel() if assume_unique else unique(ar1)
    return first[numpy.logical_not(isin(first, ar2))]
