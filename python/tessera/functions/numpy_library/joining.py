"""Arrays joined to one, in the dtype that they have together."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array, flat_of, joined_dtype, place_of, replaced
from tessera.functions.numpy_library.axes import parts_along
from tessera.functions.numpy_library.conditions import ALL, is_axis, is_like, is_none
from tessera.functions.numpy_library.views import expand_dims


def _are_arrays(given: Any) -> bool:
    parts = [one.as_array() for one in given.elements] if given is not None else []
    return bool(parts) and all(one is not None and one.is_of(ALL) and one.is_array for one in parts)


def _ndims(given: Any) -> set[int]:
    return {one.as_array().ndim for one in given.elements}


def _are_joined(arrays: Any, axis: Any) -> bool:
    if not _are_arrays(arrays):
        return False
    if axis is not None and axis.is_none:
        return True
    return len(_ndims(arrays)) == 1 and (axis is None or is_axis(axis, min(_ndims(arrays))))


@in_language
def _dtype_of_all(arrays: Any) -> Any:
    if len(arrays) == 1:
        return as_array(arrays[0]).dtype
    return _dtype_of_two(numpy.empty(0, _dtype_of_all(arrays[1:])), as_array(arrays[0]))


@in_language
def _dtype_of_two(first: Any, second: Any) -> Any:
    return second.dtype if first.dtype == second.dtype else joined_dtype(first, second)


@in_language
def _check_shapes(first: Any, one: Any, place: Any) -> None:
    if one.ndim != first.ndim:
        raise ValueError("all the input arrays must have same number of dimensions")
    for k in range(one.ndim):
        if k != place and one.shape[k] != first.shape[k]:
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")


@in_language
def _joined_flat(arrays: Any) -> Any:
    count = 0
    for one in arrays:
        count += as_array(one).size
    result = numpy.empty(count, _dtype_of_all(arrays))
    count = 0
    for one in arrays:
        flat = as_array(one).ravel()
        result[count : count + len(flat)] = flat
        count += len(flat)
    return result


@in_language
def _joined_along(arrays: Any, place: Any) -> Any:
    first = as_array(arrays[0])
    count = 0
    for one in arrays:
        _check_shapes(first, as_array(one), place)
        count += as_array(one).shape[place]
    result = numpy.empty(replaced(first.shape, place, count), _dtype_of_all(arrays))
    parts = parts_along(result, place)
    count = 0
    for one in arrays:
        array = as_array(one)
        parts[:, count : count + array.shape[place]] = parts_along(array, place)
        count += array.shape[place]
    return result


@in_language
def _joined_rows(arrays: Any) -> Any:
    """Along the first axis."""
    first = as_array(arrays[0])
    count = 0
    for one in arrays:
        _check_shapes(first, as_array(one), 0)
        count += as_array(one).shape[0]
    result = numpy.empty((count, *first.shape[1:]), _dtype_of_all(arrays))
    count = 0
    for one in arrays:
        array = as_array(one)
        result[count : count + array.shape[0]] = array
        count += array.shape[0]
    return result


@stands_for("numpy.concatenate", alike=_are_joined)
def concatenate(arrays: Any, axis: Any = 0) -> Any:
    if axis is None:
        return _joined_flat(arrays)
    if axis == 0:
        return _joined_rows(arrays)
    return _joined_along(arrays, place_of(axis, as_array(arrays[0]).ndim))


@stands_for("numpy.hstack", alike=lambda tup: _are_arrays(tup) and len(_ndims(tup)) == 1)
def hstack(tup: Any) -> Any:
    return _joined_rows(tup) if as_array(tup[0]).ndim == 1 else _joined_along(tup, 1)


@in_language
def _with_number(flat: Any, value: Any, dtype: Any) -> Any:
    result = numpy.empty(len(flat) + 1, dtype)
    result[:-1] = flat
    result[len(flat)] = value
    return result


def _is_appended(arr: Any, values: Any, axis: Any) -> bool:
    if not is_like(arr, ALL) or not is_like(values, ALL):
        return False
    if is_none(axis):
        return True
    return arr.is_array and values.is_array and arr.ndim == values.ndim and is_axis(axis, arr.ndim)


@stands_for("numpy.append", alike=_is_appended)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is not None:
        return concatenate((arr, values), axis)
    flat = flat_of(arr)
    if isinstance(values, bool):
        return _joined_flat((flat, flat_of(values)))
    if isinstance(values, int) and flat.dtype.kind == "u":
        # Signed and unsigned integers of 64 bits are floats together.
        if flat.dtype.itemsize == 8:
            return _with_number(flat, values, numpy.float64)
        return _with_number(flat, values, numpy.int64)
    if isinstance(values, (int, float)):
        return _with_number(flat, values, type(flat[:0].sum() + values))
    return _joined_flat((flat, flat_of(values)))


@in_language
def _with_axis(arrays: Any, axis: Any) -> Any:
    if len(arrays) == 0:
        return ()
    return (expand_dims(as_array(arrays[0]), axis), *_with_axis(arrays[1:], axis))


@in_language
def _check_same_shapes(arrays: Any) -> None:
    for one in arrays:
        if as_array(one).shape != as_array(arrays[0]).shape:
            raise ValueError("all input arrays must have the same shape")


def _are_stacked(arrays: Any, axis: Any) -> bool:
    if not _are_arrays(arrays) or len(_ndims(arrays)) != 1:
        return False
    return axis is None or is_axis(axis, min(_ndims(arrays)) + 1)


@stands_for("numpy.stack", alike=_are_stacked)
def stack(arrays: Any, axis: Any = 0) -> Any:
    _check_same_shapes(arrays)
    if axis == 0:
        result = numpy.empty((len(arrays), *as_array(arrays[0]).shape), _dtype_of_all(arrays))
        row = 0
        for one in arrays:
            result[row] = as_array(one)
            row += 1
        return result
    place = place_of(axis, as_array(arrays[0]).ndim + 1)
    return _joined_along(_with_axis(arrays, place), place)


def _are_evenly_nested(a: Any) -> bool:
    if a is None or not a.is_tuple or not _are_arrays(a):
        return False
    return len(_ndims(a)) == 1 and min(_ndims(a)) > 0 and all(one.is_array for one in a.elements)


@stands_for("numpy.asarray", alike=_are_evenly_nested)
def asarray(a: Any) -> Any:
    return stack(a)


@in_language
def _rows(arrays: Any) -> Any:
    """Arrays of one axis as matrices of one row."""
    if len(arrays) == 0:
        return ()
    array = as_array(arrays[0])
    return (array.reshape((1, -1)) if array.ndim == 1 else array, *_rows(arrays[1:]))


@in_language
def _columns(arrays: Any) -> Any:
    if len(arrays) == 0:
        return ()
    array = as_array(arrays[0])
    return (array.reshape((-1, 1)) if array.ndim == 1 else array, *_columns(arrays[1:]))


@stands_for("numpy.vstack", alike=lambda tup: _are_arrays(tup) and max(_ndims(tup)) <= 2 or _are_joined(tup, None))
def vstack(tup: Any) -> Any:
    return _joined_rows(_rows(tup))


@stands_for("numpy.column_stack", alike=lambda tup: _are_arrays(tup) and max(_ndims(tup)) <= 2)
def column_stack(tup: Any) -> Any:
    return _joined_along(_columns(tup), 1)
