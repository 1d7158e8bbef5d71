"""Arrays with other shapes and axis orders: views wherever NumPy gives views."""

from __future__ import annotations

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tessera import _core as core
from tessera.numpy._dispatch import (
    Foreign,
    as_array,
    as_target,
    cast_source,
    foreign_reason,
    in_class,
    in_foremost_class,
    is_native_dtype,
    keeps_class,
    native,
    ndarray,
    normalize_axes,
)

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "copyto",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
]


def ndim(a):
    """The number of axes.

    Shapes: any. Dtypes: any. Errors: ValueError for ragged sequences.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.ndim([[1, 2]])
    2
    """
    try:
        return a.ndim
    except AttributeError:
        return core.asarray(a).ndim


def shape(a):
    """The extents of the axes.

    Shapes: any; a tuple of integers. Dtypes: any. Errors: ValueError for ragged sequences.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.shape([[1, 2, 3]])
    (1, 3)
    """
    try:
        return a.shape
    except AttributeError:
        return core.asarray(a).shape


def size(a, axis=None):
    """The number of elements, in all or along the given axes.

    Shapes: any. Dtypes: any. Errors: AxisError; ValueError for an axis twice or ragged sequences.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.size([[1, 2, 3]])
    3
    """
    if axis is None:
        try:
            return a.size
        except AttributeError:
            return core.asarray(a).size
    extents = shape(a)
    count = 1
    for k in normalize_axes(axis, len(extents)):
        count *= extents[k]
    return count


@native
def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements in another shape; a view when the memory allows it.

    Shapes: any with as many elements; a length of -1 is found from the others. Dtypes: `a`'s. Errors: ValueError for
    another number of elements, several lengths of -1, an unknown order, or `copy=False` where a copy is needed.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.reshape(np.arange(4), (2, 2))
    array([[0, 1],
           [2, 3]])
    """
    if type(a) is not ndarray:
        a = as_array(a)
    if copy is None:
        return a.reshape(shape, order=order)
    return a.reshape(shape, order=order, copy=copy)


@native
def ravel(a, order="C"):
    """The elements in one axis; a view when the memory allows it.

    Shapes: any to 1-D. Dtypes: `a`'s. Errors: ValueError for an unknown order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.ravel([[1, 2], [3, 4]])
    array([1, 2, 3, 4])
    """
    return (a if type(a) is ndarray else as_array(a)).ravel(order)


@native
def transpose(a, axes=None):
    """A view with the axes permuted, reversed by default.

    Shapes: `a`'s with its axes in that order. Dtypes: `a`'s. Errors: ValueError for other axes than each once;
    AxisError for one that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    if type(a) is not ndarray:
        a = as_array(a)
    return a.transpose() if axes is None else a.transpose(axes)


permute_dims = transpose


@native
def matrix_transpose(x, /):
    """A view with the last two axes swapped.

    Shapes: two axes or more. Dtypes: `x`'s. Errors: ValueError for fewer axes.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.matrix_transpose([[5, 6], [7, 8]])
    array([[5, 7],
           [6, 8]])
    """
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


@native
def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged.

    Shapes: `a`'s with the two exchanged. Dtypes: `a`'s. Errors: AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.swapaxes(np.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return (a if type(a) is ndarray else as_array(a)).swapaxes(axis1, axis2)


@native
def moveaxis(a, source, destination):
    """A view with some axes at new places, the others in their order.

    Shapes: `a`'s with its axes in that order. Dtypes: `a`'s. Errors: ValueError for an axis twice, or as many sources
    as destinations not given; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    a = as_array(a)
    n = a.ndim
    source = normalize_axis_tuple(source, n, "source")
    destination = normalize_axis_tuple(destination, n, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(n) if axis not in source]
    for at, axis in sorted(zip(destination, source)):
        order.insert(at, axis)
    return a.transpose(order)


@native
def rollaxis(a, axis, start=0):
    """A view with one axis moved in front of another.

    Shapes: `a`'s with its axes in that order. Dtypes: `a`'s. Errors: AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = as_array(a)
    n = a.ndim
    axis = normalize_axis_index(axis, n)
    if start < 0:
        start += n
    if not 0 <= start < n + 1:
        raise numpy.exceptions.AxisError(f"'start' arg requires {-n} <= start < {n + 1}, but {start} was passed in")
    if axis < start:
        start -= 1
    order = [k for k in range(n) if k != axis]
    order.insert(start, axis)
    return a.transpose(order)


@native
def expand_dims(a, axis):
    """A view with axes of extent one inserted.

    Shapes: `a`'s with 1 at the axes, counted in the result. Dtypes: `a`'s. Errors: AxisError; ValueError for an axis
    twice.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.expand_dims([1, 2], 0).shape
    (1, 2)
    """
    a = as_array(a)
    if type(axis) is int:
        return a[(slice(None),) * normalize_axis_index(axis, a.ndim + 1) + (None,)]
    axes = axis if type(axis) in (tuple, list) else (axis,)
    n = a.ndim + len(axes)
    axes = normalize_axis_tuple(axes, n)
    extents = iter(a.shape)
    return a.reshape([1 if k in axes else next(extents) for k in range(n)])


@native
def squeeze(a, axis=None):
    """A view without the axes of extent one.

    Shapes: `a`'s without the axes given, or all of extent one. Dtypes: `a`'s. Errors: ValueError for an axis of another
    extent; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.squeeze(np.ones((1, 3, 1))).shape
    (3,)
    """
    if type(a) is not ndarray:
        a = as_array(a)
    return a.squeeze(axis)


@native
def broadcast_to(array, shape, subok=False):
    """A read-only view repeated to the shape without copying.

    Shapes: any to `shape`. Dtypes: `array`'s. Errors: ValueError where it does not broadcast to the shape, or a length is
    negative.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.broadcast_to([1, 2], (2, 2))
    array([[1, 2],
           [1, 2]])
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any([extent < 0 for extent in shape]):
        raise ValueError("all elements of broadcast shape must be non-negative")
    array = as_array(array)
    return core.broadcast_to(array if subok or type(array) is ndarray else array.view(ndarray), shape)


@native
def broadcast_arrays(*args, subok=False):
    """Views of all arrays in their common shape.

    Shapes: any to their common one. Dtypes: each its own. Errors: ValueError where the shapes do not broadcast.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> [each.shape for each in np.broadcast_arrays(np.ones((2, 1)), np.ones(3))]
    [(2, 3), (2, 3)]
    """
    arrays = [as_array(a) if subok else core.asarray(as_array(a)) for a in args]
    common = numpy.broadcast_shapes(*[a.shape for a in arrays])
    return tuple([a if a.shape == common else core.broadcast_to(a, common, warns_on_write=True) for a in arrays])


@native
def copyto(dst, src, casting="same_kind", where=True):
    """Writes one array's elements into another, broadcast and cast.

    Shapes: `src` and `where` broadcast to `dst`'s. Dtypes: `src` casts to `dst`'s by the rule `casting`; `where` is
    boolean. Errors: TypeError where `dst` is no array or the rule forbids the cast; ValueError for shapes that do not
    broadcast, an unknown rule, or a read-only array.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.zeros(3)
    >>> np.copyto(a, [1, 2, 3])
    >>> a
    array([1., 2., 3.])
    """
    if not isinstance(dst, (ndarray, numpy.ndarray)):
        raise TypeError(f"copyto() argument 1 must be numpy.ndarray, not {type(dst).__name__}")
    dst = as_target(dst)
    if isinstance(src, (numpy.ndarray, numpy.generic)) and not is_native_dtype(src.dtype):
        raise Foreign(foreign_reason(src.dtype))
    if type(src) in (bool, int, float, complex) and casting != "unsafe":
        _check_scalar_cast(src, dst.dtype, casting)
    src = cast_source(src, dst.dtype)
    if type(where) in (int, float, complex):
        where = bool(where)
    elif isinstance(where, (list, tuple)):
        where = numpy.array(where, bool)  # any numbers in lists; of arrays only booleans
    if where is True:
        return core.copyto(dst, src, casting)
    if isinstance(src, (ndarray, numpy.ndarray)) and numpy.can_cast(src.dtype, dst.dtype, casting):
        if not numpy.can_cast(src.dtype, dst.dtype):  # the cast must not see what the mask leaves out
            mask = core.broadcast_to(as_array(where), dst.shape)
            dst[mask] = core.broadcast_to(as_array(src), dst.shape)[mask]
            return None
    return core.copyto(dst, src, casting, where)


def _check_scalar_cast(value, dtype, casting):
    """A Python number goes where promotion leaves the dtype as it is."""
    if casting in ("safe", "same_kind") and numpy.result_type(dtype, value) == dtype:
        return
    own = numpy.asarray(value).dtype
    if not numpy.can_cast(own, dtype, casting):
        raise TypeError(f"Cannot cast scalar from {own!r} to {dtype!r} according to the rule '{casting}'")


def _at_least(make):
    def at_least(arrays):
        results = tuple([make(as_array(a)) for a in arrays])
        return results[0] if len(results) == 1 else results

    return at_least


_at_least_1d = _at_least(lambda a: a if a.ndim else a.reshape(1))
_at_least_2d = _at_least(lambda a: a if a.ndim > 1 else a[None, :] if a.ndim else a.reshape(1, 1))


def _three_axes(a):
    if a.ndim == 0:
        return a.reshape(1, 1, 1)
    if a.ndim == 1:
        return a[None, :, None]
    return a[:, :, None] if a.ndim == 2 else a


_at_least_3d = _at_least(_three_axes)


@native
def atleast_1d(*arys):
    """Each argument as an array of one axis or more.

    Shapes: any; scalars have one element. Dtypes: each its own. Errors: ValueError for ragged sequences. A tuple for
    several arguments.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.atleast_1d(5.0)
    array([5.])
    """
    return _at_least_1d(arys)


@native
def atleast_2d(*arys):
    """Each argument as an array of two axes or more.

    Shapes: any; 1-D arrays are rows. Dtypes: each its own. Errors: ValueError for ragged sequences. A tuple for several
    arguments.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.atleast_2d([1, 2])
    array([[1, 2]])
    """
    return _at_least_2d(arys)


@native
def atleast_3d(*arys):
    """Each argument as an array of three axes or more.

    Shapes: any; 1-D arrays become (1, n, 1), 2-D ones (m, n, 1). Dtypes: each its own. Errors: ValueError for ragged
    sequences. A tuple for several arguments.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.atleast_3d([1, 2]).shape
    (1, 2, 1)
    """
    return _at_least_3d(arys)


@native
def flip(m, axis=None):
    """A view with the elements along some axes in reverse.

    Shapes: `m`'s. Dtypes: `m`'s. Errors: AxisError; ValueError for an axis twice.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.flip([1, 2, 3])
    array([3, 2, 1])
    """
    m = as_array(m)
    if axis is None:
        return m[(slice(None, None, -1),) * m.ndim]
    axes = normalize_axes(axis, m.ndim)
    return m[tuple([slice(None, None, -1 if k in axes else None) for k in range(m.ndim)])]


@native
def flipud(m):
    """A view with the rows in reverse.

    Shapes: one axis or more. Dtypes: `m`'s. Errors: ValueError for 0-D arrays.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.flipud([[1, 2], [3, 4]])
    array([[3, 4],
           [1, 2]])
    """
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


@native
def fliplr(m):
    """A view with the columns in reverse.

    Shapes: two axes or more. Dtypes: `m`'s. Errors: ValueError for fewer axes.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fliplr([[1, 2], [3, 4]])
    array([[2, 1],
           [4, 3]])
    """
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


@native
def rot90(m, k=1, axes=(0, 1)):
    """The array turned by k quarter turns in the plane of two axes.

    Shapes: two axes or more, those of the plane exchanged for odd `k`. Dtypes: `m`'s. Errors: ValueError for other axes
    than two different ones that are there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.rot90([[1, 2], [3, 4]])
    array([[2, 4],
           [1, 3]])
    """
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = as_array(m)
    n = m.ndim
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == n:
        raise ValueError("Axes must be different.")
    if not all(-n <= axis < n for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={n}.")
    k %= 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    if k == 1:
        return flip(m, axes[1]).swapaxes(*axes)
    return flip(m.swapaxes(*axes), axes[1])


@keeps_class
def roll(a, shift, axis=None):
    """The elements moved along axes, those that leave at one end entering at the other.

    Shapes: `a`'s; without an axis elements move in the flattened array. Dtypes: `a`'s. Errors: AxisError; ValueError
    where shifts and axes do not broadcast to one axis.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.roll([1, 2, 3, 4], 1)
    array([4, 1, 2, 3])
    """
    a = as_array(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    if type(axis) is int and type(shift) is int:
        return _roll_one(a, shift, normalize_axis_index(axis, a.ndim))
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    pairs = numpy.broadcast(shift, axes)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = dict.fromkeys(axes, 0)
    for amount, k in pairs:
        shifts[int(k)] += int(amount)
    result = core.empty(a.shape, a.dtype) if a.ndim < 2 else _like(a)
    moves = [((), ())]
    for k in range(a.ndim):
        offset = shifts.get(k, 0) % (a.shape[k] or 1)
        if offset:
            parts = ((slice(None, -offset), slice(offset, None)), (slice(-offset, None), slice(None, offset)))
        else:
            parts = _whole
        moves = [(source + (s,), target + (t,)) for source, target in moves for s, t in parts]
    for source, target in moves:
        result[target] = a[source]
    return result


def _roll_one(a, shift, axis):
    before = (slice(None),) * axis
    offset = shift % (a.shape[axis] or 1)
    if not offset:
        return a.copy("K")
    return core.concatenate((a[before + (slice(-offset, None),)], a[before + (slice(None, -offset),)]), axis)


_whole = ((slice(None), slice(None)),)


def _like(a):
    from tessera.numpy.creation import _empty_like

    return _empty_like(a, None, "K", None)


@keeps_class
def tile(A, reps):
    """The array repeated as a block along each axis.

    Shapes: each extent times its count; the shorter of both is filled up with ones in front. Dtypes: `A`'s. Errors:
    TypeError for counts that are no integers; ValueError for negative ones.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.tile([1, 2], 3)
    array([1, 2, 1, 2, 1, 2])
    """
    counts = tuple([operator.index(r) for r in reps]) if numpy.iterable(reps) else (operator.index(reps),)
    a = as_array(A)
    if all(count == 1 for count in counts):
        return core.array(a, copy=True, ndmin=len(counts))
    n = max(a.ndim, len(counts))
    if a.ndim == 1 and n == 1 and 0 < counts[0] <= 8:
        return core.concatenate((a,) * counts[0])
    counts = (1,) * (n - len(counts)) + counts
    extents = (1,) * (n - a.ndim) + a.shape
    spread = a.reshape([extent for pair in zip((1,) * n, extents) for extent in pair])
    repeated = core.broadcast_to(spread, [extent for pair in zip(counts, extents) for extent in pair])
    result = core.empty(tuple([count * extent for count, extent in zip(counts, extents)]), a.dtype)
    result.reshape(repeated.shape)[...] = repeated
    return result


@keeps_class
def repeat(a, repeats, axis=None):
    """Each element repeated, along an axis or flattened.

    Shapes: `a`'s, longer along the axis; `repeats` is a number or one for each index. Dtypes: `a`'s. Errors: ValueError
    for negative counts or as many as do not fit; TypeError for counts that are no integers; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.repeat([1, 2], [3, 1])
    array([1, 1, 1, 2])
    """
    if isinstance(repeats, (list, float)):
        repeats = numpy.array(repeats, numpy.intp)  # NumPy cuts floats in lists
    if type(repeats) is int and repeats < 0 and not numpy.size(a):
        repeats = 0  # nothing is repeated, so nobody minds
    return core.repeat(a, repeats, axis)


@native
def resize(a, new_shape):
    """A new array of the shape, filled with repeated copies of the elements.

    Shapes: any to `new_shape`; of an empty array zeros. Dtypes: `a`'s. Errors: ValueError for a negative length;
    TypeError for lengths that are no integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.resize([1, 2, 3], (2, 2))
    array([[1, 2],
           [3, 1]])
    """
    new_shape = [operator.index(extent) for extent in (new_shape if numpy.ndim(new_shape) else (new_shape,))]
    flat = as_array(a).ravel()
    count = 1
    for extent in new_shape:
        count *= extent
        if extent < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    if flat.size == 0 or count == 0:
        return in_class(a, core.full(new_shape, 0, flat.dtype))
    copies = -(-count // flat.size)
    flat = in_foremost_class((flat,), core.concatenate((flat,) * copies))
    return flat[:count].reshape(new_shape)
