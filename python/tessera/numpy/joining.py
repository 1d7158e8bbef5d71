"""Joining arrays, splitting them, and changing single rows."""

from __future__ import annotations

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tessera import _core as core
from tessera.numpy._dispatch import as_array, in_foremost_class, keeps_class, native, ndarray, warn
from tessera.numpy.manipulation import _three_axes, moveaxis

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "insert",
    "row_stack",
    "split",
    "stack",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
]


@native
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """The arrays one after another along an existing axis.

    Shapes: alike but for the axis, along which lengths add up; flattened with None. Dtypes: `dtype`, else the promoted
    one. Errors: ValueError for no arrays, 0-D ones or other shapes; AxisError; TypeError where `casting` forbids
    `dtype`, or both it and `out` are given.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.concatenate(([1, 2], [3]))
    array([1, 2, 3])
    """
    if casting != "same_kind" and casting not in ("no", "equiv", "safe", "unsafe"):
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got {casting!r})")
    if out is not None:
        return core.concatenate(arrays, axis, out, dtype=dtype, casting=casting)
    result = (
        core.concatenate(arrays, axis)
        if dtype is None
        else core.concatenate(arrays, axis, None, dtype=dtype, casting=casting)
    )
    for a in arrays:
        if type(a) is not ndarray and core.is_own(a):
            return in_foremost_class(arrays, result)
    return result


concat = concatenate


def _sequence(arrays):
    if isinstance(arrays, (tuple, list, ndarray, numpy.ndarray)):
        return [a if type(a) is ndarray else as_array(a) for a in arrays]
    if hasattr(arrays, "__getitem__"):
        return [as_array(a) for a in arrays]
    raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')


@native
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """The arrays one after another along a new axis.

    Shapes: all alike; the result has one axis more, as long as there are arrays. Dtypes: `dtype`, else the promoted
    one. Errors: ValueError for no arrays or several shapes; AxisError; TypeError for what is no sequence, or where
    `casting` forbids `dtype`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.stack(([1, 2], [3, 4]), axis=1)
    array([[1, 3],
           [2, 4]])
    """
    arrays = _sequence(arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    extents = arrays[0].shape
    for a in arrays:
        if a.shape != extents:
            raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, len(extents) + 1)
    at = (slice(None),) * axis + (None,)
    return concatenate([a[at] for a in arrays], axis, out, dtype=dtype, casting=casting)


@native
def vstack(tup, *, dtype=None, casting="same_kind"):
    """The arrays one below another.

    Shapes: alike but for the first axis; 1-D arrays are rows. Dtypes: `dtype`, else the promoted one. Errors:
    ValueError for no arrays or other shapes; TypeError for what is no sequence, or where `casting` forbids `dtype`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.vstack(([1, 2], [3, 4]))
    array([[1, 2],
           [3, 4]])
    """
    arrays = [a if a.ndim > 1 else a[None, :] if a.ndim else a.reshape(1, 1) for a in _sequence(tup)]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


@native
def row_stack(tup, *, dtype=None, casting="same_kind"):
    """The arrays one below another, by vstack's older name.

    Shapes: alike but for the first axis; 1-D arrays are rows. Dtypes: `dtype`, else the promoted one. Errors:
    ValueError for no arrays or other shapes; TypeError for what is no sequence, or where `casting` forbids `dtype`.
    Warns that it is deprecated.
    """
    warn("`row_stack` alias is deprecated. Use `np.vstack` directly.", DeprecationWarning)
    return vstack(tup, dtype=dtype, casting=casting)


@native
def hstack(tup, *, dtype=None, casting="same_kind"):
    """The arrays side by side: along the second axis, or the first of 1-D ones.

    Shapes: alike but for that axis; scalars have one element. Dtypes: `dtype`, else the promoted one. Errors:
    ValueError for no arrays or other shapes; TypeError for what is no sequence, or where `casting` forbids `dtype`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.hstack(([1, 2], [3]))
    array([1, 2, 3])
    """
    arrays = [a if a.ndim else a.reshape(1) for a in _sequence(tup)]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@native
def dstack(tup):
    """The arrays one behind another along the third axis.

    Shapes: alike but for the third axis; 1-D arrays are rows, 2-D ones planes. Dtypes: the promoted one. Errors:
    ValueError for no arrays or other shapes; TypeError for what is no sequence.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.dstack(([1, 2], [3, 4])).shape
    (1, 2, 2)
    """
    return concatenate([_three_axes(a) for a in _sequence(tup)], 2)


@native
def column_stack(tup):
    """1-D arrays as the columns of a 2-D array.

    Shapes: 1-D ones of one length, 2-D ones as they are. Dtypes: the promoted one. Errors: ValueError for no arrays or
    other lengths; TypeError for what is no sequence.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.column_stack(([1, 2], [3, 4]))
    array([[1, 3],
           [2, 4]])
    """
    arrays = [a if a.ndim > 1 else a.reshape(-1, 1) for a in _sequence(tup)]
    return concatenate(arrays, 1)


@native
def unstack(x, /, *, axis=0):
    """A tuple of views, one for each index along an axis.

    Shapes: `x`'s without the axis. Dtypes: `x`'s. Errors: ValueError for 0-D arrays; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> [list(map(int, row)) for row in np.unstack(np.array([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = normalize_axis_index(axis, x.ndim)
    return tuple(x if axis == 0 else x.transpose([axis] + [k for k in range(x.ndim) if k != axis]))


@native
def append(arr, values, axis=None):
    """The array with values joined to its end.

    Shapes: alike but for the axis; both are flattened without one. Dtypes: the promoted one. Errors: ValueError for
    other shapes or another number of axes; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.append([1, 2], [3])
    array([1, 2, 3])
    """
    if axis is None:
        return core.concatenate((as_array(arr).ravel(), as_array(values).ravel()), 0)
    return core.concatenate((as_array(arr), values), axis)


@native
def array_split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts, which need not be of one size.

    Shapes: `ary`'s but for the axis, cut before the given indices or into a number of parts, the first of them longer
    by one where they are unequal. Dtypes: `ary`'s. Errors: ValueError for no parts; IndexError for an axis that is not
    there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> [list(map(int, part)) for part in np.array_split(np.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    ary = as_array(ary)
    total = ary.shape[axis]
    try:
        bounds = [0, *indices_or_sections, total]
    except TypeError:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.") from None
        each, extras = divmod(total, sections)
        bounds = [0]
        for k in range(sections):
            bounds.append(bounds[-1] + each + (k < extras))
    before = (slice(None),) * (axis if axis >= 0 else axis + ary.ndim)
    return [ary[before + (slice(first, last),)] for first, last in zip(bounds, bounds[1:])]


@native
def split(ary, indices_or_sections, axis=0):
    """Views of consecutive parts, all of one size when a number is given.

    Shapes: `ary`'s but for the axis, cut before the given indices or into a number of parts. Dtypes: `ary`'s. Errors:
    ValueError where the parts would be unequal; IndexError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> [list(map(int, part)) for part in np.split(np.arange(6), 3)]
    [[0, 1], [2, 3], [4, 5]]
    """
    if not hasattr(indices_or_sections, "__len__"):
        sections = indices_or_sections
        if as_array(ary).shape[axis] % sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@native
def hsplit(ary, indices_or_sections):
    """`split` along the second axis, or the first of a 1-D array.

    Shapes: one axis or more. Dtypes: `ary`'s. Errors: ValueError for 0-D arrays, or where the parts would be unequal.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> [part.shape for part in np.hsplit(np.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    ary = as_array(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@native
def vsplit(ary, indices_or_sections):
    """`split` along the first axis.

    Shapes: two axes or more. Dtypes: `ary`'s. Errors: ValueError for fewer axes, or where the parts would be unequal.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> [part.shape for part in np.vsplit(np.ones((4, 2)), 2)]
    [(2, 2), (2, 2)]
    """
    ary = as_array(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@native
def dsplit(ary, indices_or_sections):
    """`split` along the third axis.

    Shapes: three axes or more. Dtypes: `ary`'s. Errors: ValueError for fewer axes, or where the parts would be unequal.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> len(np.dsplit(np.ones((2, 2, 4)), 2))
    2
    """
    ary = as_array(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


@native
def block(arrays):
    """One array from nested lists of blocks: innermost along the last axis, and so on outwards.

    Shapes: alike but for the axis they are joined along; axes of 1 are added in front. Dtypes: the promoted one.
    Errors: ValueError for an empty list, lists of several depths, or shapes that do not fit; TypeError for tuples.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.block([[np.ones((1, 1)), np.zeros((1, 1))]])
    array([[1., 0.]])
    """
    depth, ndim = _block_depth(arrays, "arrays")
    ndim = max(ndim, depth)
    if depth == 0:
        result = as_array(arrays)
        return result.reshape((1,) * (ndim - result.ndim) + result.shape).copy()
    return _join_blocks(arrays, depth, ndim)


def _block_depth(arrays, path):
    if type(arrays) is tuple:
        raise TypeError(
            f"{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
            "conversion from tuple to ndarray."
        )
    if type(arrays) is not list:
        return 0, as_array(arrays).ndim
    if not arrays:
        raise ValueError(f"List at {path} cannot be empty")
    found = [_block_depth(a, f"{path}[{k}]") for k, a in enumerate(arrays)]
    for k, (depth, _) in enumerate(found):
        if depth != found[0][0]:
            raise ValueError(
                "List depths are mismatched. First element was at "
                f"depth {found[0][0] + 1}, but there is an element at depth {depth + 1} ({path}[{k}])"
            )
    return found[0][0] + 1, max(n for _, n in found)


def _join_blocks(arrays, depth, ndim):
    if depth == 0:
        a = as_array(arrays)
        return a.reshape((1,) * (ndim - a.ndim) + a.shape)
    return core.concatenate([_join_blocks(a, depth - 1, ndim) for a in arrays], ndim - depth)


def _as_index(obj, extent):
    """An index object as a NumPy array of integers, or a slice; what `delete` and `insert` share."""
    if isinstance(obj, slice):
        return numpy.arange(*obj.indices(extent))
    return numpy.asarray(obj)


@keeps_class
def delete(arr, obj, axis=None):
    """The array without the rows that an index, slice, list or mask names.

    Shapes: `arr`'s, shorter along the axis; flattened without one. Dtypes: `arr`'s. Errors: IndexError for an index
    that is not there or is no integer; ValueError for a mask of another length; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.delete([1, 2, 3], 1)
    array([1, 3])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel() if arr.ndim != 1 else arr, 0
    else:
        axis = normalize_axis_index(axis, arr.ndim)
    extent = arr.shape[axis]
    before = (slice(None),) * axis
    if isinstance(obj, slice):
        start, stop, step = obj.indices(extent)
        count = len(range(start, stop, step))
        if count <= 0:
            return arr.copy("F" if arr.flags.fnc else "C")
        if step < 0:
            step, start, stop = -step, start + step * (count - 1), start + 1
        if step == 1:
            return _without_run(arr, before, axis, start, start + count)
        doomed = range(start, start + step * count, step)
    elif isinstance(obj, (int, numpy.integer)) and not isinstance(obj, (bool, numpy.bool)):
        doomed = (obj,)
    else:
        given = obj
        obj = numpy.asarray(obj)
        if obj.size == 0 and not isinstance(given, (numpy.ndarray, ndarray)):
            obj = obj.astype(numpy.intp)
        if obj.dtype == bool:
            if obj.shape != (extent,):
                raise ValueError(
                    f"boolean array argument obj to delete must be one dimensional and match the axis length of {extent}"
                )
            return arr[before + (core.asarray(~obj),)]
        if obj.size == 1 and obj.dtype.kind in "ui":
            doomed = (obj.item(),)
        else:
            keep = numpy.ones(extent, bool)
            keep[obj,] = False
            return arr[before + (core.asarray(keep),)]
    if len(doomed) == 1:
        at = operator.index(doomed[0])
        if not -extent <= at < extent:
            raise IndexError(
                f"index {obj if not isinstance(obj, numpy.ndarray) else at} is out of bounds for axis {axis} with size {extent}"
            )
        at += extent if at < 0 else 0
        return _without_run(arr, before, axis, at, at + 1)
    keep = numpy.ones(extent, bool)
    keep[list(doomed)] = False
    return arr[before + (core.asarray(keep),)]


def _without_run(arr, before, axis, start, stop):
    head, tail = arr[before + (slice(None, start),)], arr[before + (slice(stop, None),)]
    return core.concatenate((head, tail), axis)


@keeps_class
def insert(arr, obj, values, axis=None):
    """The array with values inserted before the given positions.

    Shapes: `arr`'s, longer along the axis; flattened without one. `values` broadcast to what is inserted. Dtypes:
    `arr`'s, to which `values` are cast. Errors: IndexError for a position that is not there or is no integer;
    ValueError for positions of several axes, or values that do not broadcast; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.insert([1, 3], 1, 2)
    array([1, 2, 3])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel() if arr.ndim != 1 else arr, 0
    else:
        axis = normalize_axis_index(axis, arr.ndim)
    extent = arr.shape[axis]
    before = (slice(None),) * axis
    if type(obj) is int:
        return _insert_at_one(arr, obj, values, axis, before, 0)
    positions = _as_index(obj, extent)
    if positions.dtype == bool:
        if positions.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        positions = numpy.flatnonzero(positions)
    elif positions.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if positions.size == 1:
        return _insert_at_one(arr, positions.item(), values, axis, before, positions.ndim)
    if positions.size == 0 and not isinstance(obj, (numpy.ndarray, ndarray)):
        positions = positions.astype(numpy.intp)
    positions = numpy.where(positions < 0, positions + extent, positions)
    order = positions.argsort(kind="stable")
    positions[order] += numpy.arange(len(positions))
    keep = numpy.ones(extent + len(positions), bool)
    keep[positions] = False
    result = core.empty(arr.shape[:axis] + keep.shape + arr.shape[axis + 1 :], arr.dtype, "F" if arr.flags.fnc else "C")
    values = core.array(values, ndmin=arr.ndim)
    result[before + (core.asarray(positions),)] = values
    result[before + (core.asarray(keep),)] = arr
    return result


def _insert_at_one(arr, at, values, axis, before, index_ndim):
    extent = arr.shape[axis]
    if not -extent <= at <= extent:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {extent}")
    at += extent if at < 0 else 0
    values = core.array(values, dtype=arr.dtype, ndmin=arr.ndim)
    if index_ndim == 0 and axis:
        # A scalar position takes `values` along its first axis, as a[..., 0, ...] = values does.
        values = moveaxis(values, 0, axis)
    count = values.shape[axis]
    shape = arr.shape[:axis] + (extent + count,) + arr.shape[axis + 1 :]
    result = core.empty(shape, arr.dtype, "F" if arr.flags.fnc else "C")
    result[before + (slice(None, at),)] = arr[before + (slice(None, at),)]
    result[before + (slice(at, at + count),)] = values
    result[before + (slice(at + count, None),)] = arr[before + (slice(at, None),)]
    return result


@native
def trim_zeros(filt, trim="fb", axis=None):
    """The array without the zeros around it.

    Shapes: any; each of the axes (all by default) is cut at the first or last nonzero element. Dtypes: `filt`'s.
    Errors: ValueError for another `trim` than f, b or both; AxisError. Waits for the elements.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.trim_zeros([0, 7, 8, 0])
    [7, 8]
    """
    given, filt = filt, as_array(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    from numpy.lib.array_utils import normalize_axis_tuple

    axes = range(filt.ndim) if axis is None else normalize_axis_tuple(axis, filt.ndim, argname="axis")
    if not len(axes):
        return given
    found = filt.nonzero()
    window = [slice(None)] * filt.ndim
    for k in axes:
        if found[k].size == 0:
            window[k] = slice(0, 0)
        else:
            start = int(found[k].min()) if "f" in trim else None
            stop = int(found[k].max()) + 1 if "b" in trim else None
            window[k] = slice(start, stop)
    window = tuple(window)
    return given[window[0]] if len(window) == 1 and isinstance(given, (list, tuple)) else filt[window]
