"""Views of arrays along other axes: nothing is copied, and what is written into one is in the array."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.intrinsic import Intrinsic
from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array, place_of, replaced
from tessera.functions.numpy_library.conditions import ALL, is_axis, is_dtype, is_like, is_none, is_number

_permuted = Intrinsic("builtins.permuted", "The array with its axes in another order.")
repeated = Intrinsic("builtins.repeated", "The array with axes of one element and new ones before them repeated.")
_strided = Intrinsic("builtins.strided", "Elements from the array's first on, so many bytes apart.")


_reinterpreted = Intrinsic("builtins.reinterpreted", "The array's memory from a byte on as elements of another dtype.")


def _are_whole(given: Any) -> bool:
    """A tuple of integers."""
    return bool(given is not None and given.is_tuple and all(one.is_whole() for one in given.elements))


def _is_shape(shape: Any) -> bool:
    return _are_whole(shape) or (shape is not None and shape.is_whole())


def _is_array(a: Any, least: int = 0) -> bool:
    return bool(a is not None and a.is_array and a.is_of(ALL) and a.ndim >= least)


@in_language
def _places_of(axes: Any, ndim: Any) -> Any:
    if len(axes) == 0:
        return ()
    return (place_of(axes[0], ndim), *_places_of(axes[1:], ndim))


@in_language
def _check_permutation(places: Any) -> None:
    for k in range(len(places)):
        for n in range(k):
            if places[k] == places[n]:
                raise ValueError("repeated axis in transpose")


@in_language
def _transposed(a: Any, axes: Any) -> Any:
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    places = _places_of(axes, a.ndim)
    _check_permutation(places)
    return _permuted(a, places)


def _is_order(a: Any, axes: Any) -> bool:
    return _is_array(a) and (is_none(axes) or (_are_whole(axes) and len(axes.elements) == a.ndim))


@stands_for("numpy.transpose", "numpy.permute_dims", alike=_is_order)
def transpose(a: Any, axes: Any = None) -> Any:
    return a.T if axes is None else _transposed(a, axes)


def _are_axes(a: Any, *axes: Any) -> bool:
    if axes[0] is not None and (axes[0].is_none or axes[0].is_tuple):
        return all(one is None for one in axes[1:]) and _is_order(a, axes[0])
    given = [one for one in axes if one is not None]
    return _is_array(a) and len(given) == a.ndim and all(one.is_whole() for one in given)


@stands_for("array.transpose", alike=_are_axes)
def transposed(a: Any, axes: Any = None, second: Any = None, third: Any = None, fourth: Any = None) -> Any:
    if axes is None:
        return a.T
    if not isinstance(axes, int):
        return _transposed(a, axes)
    if second is None:
        return _transposed(a, (axes,))
    if third is None:
        return _transposed(a, (axes, second))
    if fourth is None:
        return _transposed(a, (axes, second, third))
    return _transposed(a, (axes, second, third, fourth))


@in_language
def _swapped(left: Any, k: Any, first: Any, second: Any) -> Any:
    """The order of axes from the k-th on, as many as the tuple is long, where two have changed places."""
    if len(left) == 0:
        return ()
    return (second if k == first else (first if k == second else k), *_swapped(left[1:], k + 1, first, second))


def _are_swapped(a: Any, axis1: Any, axis2: Any) -> bool:
    if not is_like(a, ALL, 1):
        return False
    return all(is_axis(one, a.as_array().ndim) for one in (axis1, axis2))


@stands_for("numpy.swapaxes", "array.swapaxes", alike=_are_swapped)
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    array = as_array(a)
    first, second = place_of(axis1, array.ndim), place_of(axis2, array.ndim)
    return _permuted(array, _swapped(array.shape, 0, first, second))


@in_language
def _moved(left: Any, k: Any, source: Any, destination: Any) -> Any:
    """The same where that one has moved."""
    if len(left) == 0:
        return ()
    if k == destination:
        place = source
    else:
        other = k if k < destination else k - 1
        place = other if other < source else other + 1
    return (place, *_moved(left[1:], k + 1, source, destination))


@in_language
def _rank_of(k: Any, taken: Any) -> Any:
    """How many of those before k are not taken."""
    rank = k
    for one in taken:
        rank -= 1 if one < k else 0
    return rank


@in_language
def _nth_left(rank: Any, taken: Any, ndim: Any) -> Any:
    """The axis of this rank among those that are not taken."""
    left = rank
    for axis in range(ndim):
        is_taken = False
        for one in taken:
            is_taken = is_taken or one == axis
        if not is_taken:
            if left == 0:
                return axis
            left -= 1
    return 0


@in_language
def _place_moved(k: Any, sources: Any, destinations: Any, ndim: Any) -> Any:
    for n in range(len(destinations)):
        if destinations[n] == k:
            return sources[n]
    return _nth_left(_rank_of(k, destinations), sources, ndim)


@in_language
def _all_moved(left: Any, k: Any, sources: Any, destinations: Any, ndim: Any) -> Any:
    if len(left) == 0:
        return ()
    place = _place_moved(k, sources, destinations, ndim)
    return (place, *_all_moved(left[1:], k + 1, sources, destinations, ndim))


@in_language
def _check_moved(places: Any, name: Any) -> None:
    for k in range(len(places)):
        for n in range(k):
            if places[k] == places[n]:
                raise ValueError(f"repeated axis in `{name}` argument")


def _is_moved(a: Any, source: Any, destination: Any) -> bool:
    if not _is_array(a, 1):
        return False
    if is_axis(source, a.ndim) and is_axis(destination, a.ndim):
        return True
    are_tuples = _are_whole(source) and _are_whole(destination)
    return are_tuples and len(source.elements) == len(destination.elements) > 0


@stands_for("numpy.moveaxis", alike=_is_moved)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    if isinstance(source, int):
        return _permuted(a, _moved(a.shape, 0, place_of(source, a.ndim), place_of(destination, a.ndim)))
    sources, destinations = _places_of(source, a.ndim), _places_of(destination, a.ndim)
    _check_moved(sources, "source")
    _check_moved(destinations, "destination")
    return _permuted(a, _all_moved(a.shape, 0, sources, destinations, a.ndim))


@stands_for("numpy.asfortranarray", alike=lambda a: _is_array(a) or is_number(a, ALL))
def asfortranarray(a: Any) -> Any:
    if isinstance(a, numpy.ndarray) and a.ndim == 0:
        return a.reshape((1,))
    if isinstance(a, (int, float, complex)):
        return numpy.array((a,))
    if a.flags.f_contiguous:
        return a
    return a.copy() if a.ndim == 1 else a.T.copy().T


def _is_viewed(a: Any, dtype: Any) -> bool:
    return _is_array(a, 1) and dtype is not None and not dtype.is_none and is_dtype(dtype)


@in_language
def _other_extent(last: Any, size: Any, other: Any) -> Any:
    """Of the last axis, which is contiguous, as elements of another size."""
    if other > size:
        if last * size % other != 0:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array."
            )
    elif size % other != 0:
        raise ValueError("When changing to a smaller dtype, its size must be a divisor of the size of original dtype")
    return last * size // other


@stands_for("array.view", alike=_is_viewed)
def view(a: Any, dtype: Any) -> Any:
    size, other = a.itemsize, numpy.dtype(dtype).itemsize
    last = a.ndim - 1
    if size == other:
        return _reinterpreted(a, dtype, 0, a.shape, a.strides)
    if a.strides[last] != size and a.shape[last] != 1 and a.size > 0:
        raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
    shape = replaced(a.shape, last, _other_extent(a.shape[last], size, other))
    return _reinterpreted(a, dtype, 0, shape, replaced(a.strides, last, other))


def _is_buffer(buffer: Any, dtype: Any, count: Any, offset: Any) -> bool:
    are_whole = all(one is None or one.is_whole() for one in (count, offset))
    return _is_array(buffer, 1) and is_dtype(dtype) and not (dtype is not None and dtype.is_none) and are_whole


@stands_for("numpy.frombuffer", alike=_is_buffer)
def frombuffer(buffer: Any, dtype: Any = numpy.float64, count: Any = -1, offset: Any = 0) -> Any:
    if not buffer.flags.c_contiguous:
        raise ValueError("ndarray is not C-contiguous")
    size, total = numpy.dtype(dtype).itemsize, buffer.size * buffer.itemsize
    if offset < 0 or offset > total:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({total})")
    if count < 0 and (total - offset) % size != 0:
        raise ValueError("buffer size must be a multiple of element size")
    if count >= 0 and count * size > total - offset:
        raise ValueError("buffer is smaller than requested size")
    extent = count if count >= 0 else (total - offset) // size
    return _reinterpreted(buffer, dtype, offset, (extent,), (size,))


@stands_for("numpy.expand_dims", alike=lambda a, axis: _is_array(a) and is_axis(axis, a.ndim + 1))
def expand_dims(a: Any, axis: Any) -> Any:
    place = place_of(axis, a.ndim + 1)
    # A new axis before all others, which moves to its place.
    return _permuted(repeated(a, (1, *a.shape)), _moved((1, *a.shape), 0, 0, place))


@in_language
def _check_shape(shape: Any) -> None:
    for extent in shape:
        if extent < 0:
            raise ValueError("all elements of broadcast shape must be non-negative")


@in_language
def _broadcast(a: Any, shape: Any) -> Any:
    _check_shape(shape)
    if a.ndim > len(shape):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    for k in range(a.ndim):
        extent = shape[len(shape) - a.ndim + k]
        if a.shape[k] != extent and a.shape[k] != 1:
            raise ValueError("operands could not be broadcast together with remapped shapes")
    return repeated(a, shape)


@stands_for("numpy.broadcast_to")  # NumPy's view may not be written to
def broadcast_to(array: Any, shape: Any, subok: Any = False) -> Any:
    if isinstance(shape, int):
        return _broadcast(as_array(array), (shape,))
    return _broadcast(as_array(array), shape)


@in_language
def joined_shape(left: Any, right: Any) -> Any:
    """The shape to which both are broadcast."""
    if len(left) < len(right):
        return joined_shape(right, left)
    if len(left) > len(right):
        return (left[0], *joined_shape(left[1:], right))
    if len(left) == 0:
        return ()
    if left[0] != right[0] and left[0] != 1 and right[0] != 1:
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return (right[0] if left[0] == 1 else left[0], *joined_shape(left[1:], right[1:]))


@in_language
def _shape_of_all(shapes: Any) -> Any:
    if len(shapes) == 0:
        return ()
    if len(shapes) == 1:
        return shapes[0]
    return _shape_of_all((joined_shape(shapes[0], shapes[1]), *shapes[2:]))


@in_language
def _as_shapes(given: Any) -> Any:
    if len(given) == 0:
        return ()
    if isinstance(given[0], int):
        return ((given[0],), *_as_shapes(given[1:]))
    return (given[0], *_as_shapes(given[1:]))


@stands_for("numpy.broadcast_shapes", alike=lambda args: args is not None and all(map(_is_shape, args.elements)))
def broadcast_shapes(*args: Any) -> Any:
    shapes = _as_shapes(args)
    for shape in shapes:
        for extent in shape:
            if extent < 0:
                raise ValueError("negative dimensions are not allowed")
    return _shape_of_all(shapes)


@in_language
def _arrays_of(given: Any) -> Any:
    if len(given) == 0:
        return ()
    return (as_array(given[0]), *_arrays_of(given[1:]))


@in_language
def _shapes_of(arrays: Any) -> Any:
    if len(arrays) == 0:
        return ()
    return (arrays[0].shape, *_shapes_of(arrays[1:]))


@in_language
def _all_broadcast(arrays: Any, shape: Any) -> Any:
    if len(arrays) == 0:
        return ()
    return (repeated(arrays[0], shape), *_all_broadcast(arrays[1:], shape))


@stands_for(
    "numpy.broadcast_arrays",
    alike=lambda args: bool(args is not None and args.elements and all(is_like(one, ALL) for one in args.elements)),
)
def broadcast_arrays(*args: Any) -> Any:
    arrays = _arrays_of(args)
    return _all_broadcast(arrays, _shape_of_all(_shapes_of(arrays)))


@in_language
def _with_axes(a: Any, least: Any) -> Any:
    """With new axes before the others, so that there are so many at least; NumPy's third is behind them."""
    if a.ndim >= least:
        return a
    if a.ndim == 0:
        return a.reshape(1) if least == 1 else (a.reshape((1, 1)) if least == 2 else a.reshape((1, 1, 1)))
    if a.ndim == 1:
        rows = repeated(a, (1, *a.shape))
        return rows if least == 2 else expand_dims(rows, 2)
    return expand_dims(a, 2)


@in_language
def _all_with_axes(arrays: Any, least: Any) -> Any:
    if len(arrays) == 0:
        return ()
    return (_with_axes(as_array(arrays[0]), least), *_all_with_axes(arrays[1:], least))


@stands_for("numpy.atleast_1d")
def atleast_1d(*arys: Any) -> Any:
    return _with_axes(as_array(arys[0]), 1) if len(arys) == 1 else _all_with_axes(arys, 1)


@stands_for("numpy.atleast_2d")
def atleast_2d(*arys: Any) -> Any:
    return _with_axes(as_array(arys[0]), 2) if len(arys) == 1 else _all_with_axes(arys, 2)


@stands_for("numpy.atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    return _with_axes(as_array(arys[0]), 3) if len(arys) == 1 else _all_with_axes(arys, 3)


@stands_for(
    "numpy.lib.stride_tricks.as_strided",
    alike=lambda x, shape, strides: (
        _is_array(x, 1)
        and (is_none(shape) or _are_whole(shape))
        and (is_none(strides) or _are_whole(strides))
        and (x.ndim if is_none(shape) else len(shape.elements))
        == (x.ndim if is_none(strides) else len(strides.elements))
    ),
)
def as_strided(x: Any, shape: Any = None, strides: Any = None) -> Any:
    return _strided(x, x.shape if shape is None else shape, x.strides if strides is None else strides)


@in_language
def _axes_from(left: Any, k: Any) -> Any:
    """The axes from the k-th on, as many as the tuple is long."""
    if len(left) == 0:
        return ()
    return (k, *_axes_from(left[1:], k + 1))


@in_language
def _windowed(a: Any, window: Any, axes: Any, shape: Any, strides: Any) -> Any:
    """`shape` is that of the windows' beginnings so far, behind which their own axes stand."""
    if len(window) == 0:
        return _strided(a, shape, strides)
    left = _less(shape, axes[0], window[0] - 1)
    return _windowed(a, window[1:], axes[1:], (*left, window[0]), (*strides, a.strides[axes[0]]))


@in_language
def _less(shape: Any, axis: Any, by: Any) -> Any:
    if len(shape) == 0:
        return ()
    return (shape[0] - by if axis == 0 else shape[0], *_less(shape[1:], axis - 1, by))


def _is_window(x: Any, window_shape: Any, axis: Any) -> bool:
    if not _is_array(x, 1) or not _is_shape(window_shape) or not (is_none(axis) or _is_shape(axis)):
        return False
    count = len(window_shape.elements) if window_shape.is_tuple else 1
    return count == (x.ndim if is_none(axis) else len(axis.elements) if axis.is_tuple else 1)


@stands_for("numpy.lib.stride_tricks.sliding_window_view", alike=_is_window)
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    if isinstance(window_shape, int):
        return _sliding(x, (window_shape,), axis)
    return _sliding(x, window_shape, axis)


@in_language
def _sliding(x: Any, window: Any, axis: Any) -> Any:
    for extent in window:
        if extent < 0:
            raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        return _slid(x, window, _axes_from(x.shape, 0))
    if isinstance(axis, int):
        return _slid(x, window, (axis,))
    return _slid(x, window, axis)


@in_language
def _slid(x: Any, window: Any, axes: Any) -> Any:
    places = _places_of(axes, x.ndim)
    for k in range(len(places)):
        left = x.shape[places[k]]
        for n in range(k):
            if places[n] == places[k]:
                left -= window[n] - 1
        if left < window[k]:
            raise ValueError("window shape cannot be larger than input array shape")
    return _windowed(x, window, places, x.shape, x.strides)


@in_language
def diagonal_of(a: Any, k: Any) -> Any:
    """The k-th diagonal of a matrix."""
    rows, columns = a.shape
    count = max(min(rows, columns - k) if k >= 0 else min(rows + k, columns), 0)
    if count == 0:
        return _strided(a, (0,), (a.strides[0] + a.strides[1],))
    first = a[0:, k:] if k >= 0 else a[-k:, 0:]
    return _strided(first, (count,), (a.strides[0] + a.strides[1],))


@stands_for("numpy.diagonal", "array.diagonal")  # the same
def diagonal(a: Any, offset: Any = 0) -> Any:
    return diagonal_of(a, offset)
