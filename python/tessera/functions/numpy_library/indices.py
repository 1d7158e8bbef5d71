"""Indices of elements, and arrays as indices."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array, flat_of, joined_dtype, place_of, product_of, replaced
from tessera.functions.numpy_library.axes import parts_along
from tessera.functions.numpy_library.conditions import (
    ALL,
    is_any_array,
    is_array,
    is_axis,
    is_like,
    is_none,
    is_number,
)
from tessera.functions.numpy_library.sequences import check_one_axis
from tessera.functions.numpy_library.views import joined_shape, repeated


@stands_for("numpy.flatnonzero", alike=lambda a: is_like(a, ALL))
def flatnonzero(a: Any) -> Any:
    flat = flat_of(a)
    places = numpy.empty(numpy.count_nonzero(flat) + 1, numpy.int64)
    count = 0
    for k in range(len(flat)):
        places[count] = k  # the last one is for those behind the last that is true
        count += 1 if flat[k] else 0
    return places[:count]


@in_language
def _places_along(places: Any, shape: Any) -> Any:
    """Of places in C order those along each axis."""
    if len(shape) == 1:
        return (places,)
    each = max(product_of(shape[1:]), 1)
    return (places // each, *_places_along(places % each, shape[1:]))


@stands_for("numpy.nonzero", "array.nonzero", alike=lambda a: is_any_array(a, ALL))
def nonzero(a: Any) -> Any:
    return _places_along(flatnonzero(a), a.shape)


@stands_for("numpy.argwhere", alike=lambda a: is_like(a, ALL))
def argwhere(a: Any) -> Any:
    array = as_array(a)
    places = flatnonzero(array)
    found = numpy.empty((array.ndim, len(places)), numpy.int64)
    for k in range(len(places)):
        left = places[k]
        for axis in range(array.ndim - 1, -1, -1):
            found[axis, k] = left % array.shape[axis]
            left //= array.shape[axis]
    return found.T  # as NumPy's lies in memory


_INDICES = "i8 i4 i2 i1 u4 u2 u1"


@in_language
def _place(index: Any, count: Any) -> Any:
    if index < -count or index >= count:
        raise IndexError(f"index {index} is out of bounds for axis 0 with size {count}")
    return int(index) + count if index < 0 else int(index)


def _is_taken(a: Any, index: Any) -> bool:
    return is_array(a, ALL) and is_array(index, _INDICES + " b1")


@stands_for("array.__getitem__", alike=_is_taken)
def getitem(a: Any, index: Any) -> Any:
    check_one_axis(a)
    if index.dtype == numpy.bool_:
        if len(index) != len(a):
            raise IndexError(
                f"boolean index did not match indexed array along axis 0; size of axis is {len(a)} but size of corresponding boolean axis is {len(index)}"
            )
        count = 0
        for k in range(len(index)):
            if index[k]:
                count += 1
        chosen = numpy.empty(count, a.dtype)
        count = 0
        for k in range(len(index)):
            if index[k]:
                chosen[count] = a[k]
                count += 1
        return chosen
    taken = numpy.empty(len(index), a.dtype)
    for k in range(len(index)):
        taken[k] = a[_place(index[k], len(a))]
    return taken


@stands_for("numpy.take", "array.take", alike=lambda a, indices: is_any_array(a, ALL) and is_like(indices, _INDICES))
def take(a: Any, indices: Any) -> Any:
    if isinstance(indices, int):
        flat = a.ravel()
        return flat[_place(indices, len(flat))]
    places = as_array(indices)
    return getitem(a.ravel(), places.ravel()).reshape(places.shape)


@in_language
def _places_of(a: Any, index: Any) -> Any:
    if index.dtype == numpy.bool_:
        if len(index) != len(a):
            raise IndexError("boolean index did not match indexed array along axis 0")
        return flatnonzero(index)
    places = numpy.empty(len(index), numpy.int64)
    for k in range(len(index)):
        places[k] = _place(index[k], len(a))
    return places


@stands_for("array.__setitem__")
def setitem(a: Any, index: Any, value: Any) -> None:
    check_one_axis(a)
    check_one_axis(index)
    places = _places_of(a, index)
    if isinstance(value, (int, float, complex)):
        for k in range(len(places)):
            a[places[k]] = value
    else:
        check_one_axis(value)
        if len(value) != len(places) and len(value) != 1:
            raise ValueError("shape mismatch: the value could not be broadcast to the indexing result")
        values = value.copy()  # it may share memory with the array
        for k in range(len(places)):
            a[places[k]] = values[0 if len(values) == 1 else k]


@stands_for("numpy.where", alike=lambda condition: is_any_array(condition, ALL))
def where(condition: Any) -> Any:
    return numpy.nonzero(condition)


def _are_taken(arr: Any, indices: Any, axis: Any) -> bool:
    if not is_any_array(arr, ALL) or not is_any_array(indices, "i8 i4 i2 i1 u8 u4 u2 u1"):
        return False
    if is_none(axis):
        return axis is not None and indices.ndim == 1
    return arr.ndim == indices.ndim and is_axis(axis, arr.ndim)


@stands_for("numpy.take_along_axis", alike=_are_taken)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        return take_along_axis(arr.ravel(), indices, 0)
    place = place_of(axis, arr.ndim)
    shape = joined_shape(replaced(arr.shape, place, 1), replaced(indices.shape, place, 1))
    values = parts_along(repeated(arr, replaced(shape, place, arr.shape[place])), place)
    places = parts_along(repeated(indices, replaced(shape, place, indices.shape[place])), place)
    before, count, behind = places.shape
    result = numpy.empty((before, count, behind), arr.dtype)
    for n in range(before):
        for k in range(count):
            for at in range(behind):
                one = numpy.int64(places[n, k, at])
                if one < -values.shape[1] or one >= values.shape[1]:
                    raise IndexError(f"index {one} is out of bounds for axis {place} with size {values.shape[1]}")
                result[n, k, at] = values[n, one + values.shape[1] if one < 0 else one, at]
    return result.reshape(replaced(shape, place, count))


def _parts_of(given: Any) -> list[Any]:
    """Arrays of a tuple, or of a list, which is described as an array of one axis more."""
    if given is None:
        return []
    if given.is_tuple:
        return list(given.elements)
    return [given] if is_any_array(given, ALL) and given.ndim > 1 else []


def _are_selected(condlist: Any, choicelist: Any, default: Any) -> bool:
    conditions, choices = _parts_of(condlist), _parts_of(choicelist)
    are_arrays = all(one.is_array for one in conditions + choices)
    if not conditions or not choices or not are_arrays or not all(one.is_of("b1") for one in conditions):
        return False
    axes = {one.ndim - given.is_array for given in (condlist, choicelist) for one in _parts_of(given)}
    is_known = len({one.dtype for one in choices}) == 1 and choices[0].is_of("f8 i8 c16") and len(axes) == 1
    return is_known and (default is None or is_number(default, "f8 i8"))


@in_language
def _dtype_with(choice: Any, default: Any) -> Any:
    """Of the array, or of both where the default is no integer."""
    return choice.dtype if isinstance(default, int) else joined_dtype(choice, numpy.empty(0))


@stands_for("numpy.select", alike=_are_selected)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    shape = condlist[0].shape
    for k in range(len(condlist)):
        shape = joined_shape(shape, joined_shape(condlist[k].shape, choicelist[k].shape))
    result = numpy.empty(product_of(shape), _dtype_with(choicelist[0], default))
    result[:] = default
    for back in range(len(condlist)):
        k = len(condlist) - 1 - back
        holds, values = repeated(condlist[k], shape).ravel(), repeated(choicelist[k], shape).ravel()
        for n in range(len(result)):
            if holds[n]:
                result[n] = values[n]
    return result.reshape(shape)
