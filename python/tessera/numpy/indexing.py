"""Choosing and writing elements by indices, masks and conditions."""

from __future__ import annotations

import math
import operator

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import (
    _NoValue,
    as_array,
    as_target,
    gives_plain,
    keeps_any_class,
    keeps_array_class,
    keeps_class,
    native,
    ndarray,
    show_signature_of,
)
from tessera.numpy.ranges import arange

__all__ = [
    "argwhere",
    "choose",
    "compress",
    "count_nonzero",
    "diag_indices",
    "diag_indices_from",
    "diagonal",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "nonzero",
    "piecewise",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "unravel_index",
    "where",
]


@keeps_class
def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at the indices, along an axis or of the flattened array.

    Shapes: `indices`' in place of the axis; `out` has the result's. Dtypes: `a`'s; `indices` are integers. Errors:
    IndexError for an index that is not there, unless `mode` is wrap or clip; AxisError; TypeError for other indices
    than integers; ValueError for an unknown mode or an `out` of another shape.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.take([10, 20, 30], [2, 0])
    array([30, 10])
    """
    if out is None and mode == "raise":
        return core.take(a, indices, axis)
    return core.take(a, indices, axis, out, mode)


def put(a, ind, v, mode="raise"):
    """Writes values at flat positions.

    Shapes: any; values are repeated where they are fewer than the positions. Dtypes: `v` is cast to `a`'s. Errors:
    TypeError where `a` is no array; IndexError for a position that is not there, unless `mode` is wrap or clip;
    ValueError for a read-only array.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.zeros(3)
    >>> np.put(a, [0, 2], [5, 6])
    >>> a
    array([5., 0., 6.])
    """
    if not isinstance(a, (ndarray, numpy.ndarray)):
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(a)}")
    if isinstance(ind, (list, tuple, float)):
        ind = numpy.array(ind, numpy.intp)  # NumPy cuts floats in lists
    return core.put(a, ind, v, mode)


@keeps_array_class
def take_along_axis(arr, indices, axis=-1):
    """Matching elements: result[..., i, ...] = arr[..., indices[..., i, ...], ...].

    Shapes: `arr` and `indices` have as many axes and broadcast but for the axis; with None `arr` is flattened. Dtypes:
    `arr`'s; `indices` are integers. Errors: IndexError for an index that is not there or is no integer; ValueError for
    another number of axes; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.take_along_axis(np.array([[3, 1]]), np.array([[1, 0]]), axis=1)
    array([[1, 3]])
    """
    return core.take_along_axis(as_array(arr), as_array(indices), axis)


@native
def put_along_axis(arr, indices, values, axis):
    """Writes values at matching positions along an axis.

    Shapes: `arr` and `indices` have as many axes and broadcast but for the axis; `values` broadcast to `indices`.
    Dtypes: `values` are cast to `arr`'s. Errors: IndexError for an index that is not there or is no integer; ValueError
    for another number of axes or a read-only array; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.zeros((2, 2))
    >>> np.put_along_axis(a, np.array([[1], [0]]), 9, axis=1)
    >>> a
    array([[0., 9.],
           [9., 0.]])
    """
    core.put_along_axis(as_target(arr), as_array(indices), values, axis)


@show_signature_of(numpy.where)
def where(condition, x=_NoValue, y=_NoValue, /):
    """Elements of x where the condition holds, else of y; with the condition alone, its nonzero positions.

    Shapes: the common one; 1-D for positions. Dtypes: the promoted one of x and y; intp for positions. Errors:
    ValueError for shapes that do not broadcast, one of x and y alone, or positions of a 0-D condition.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.where([True, False], [1, 2], [10, 20])
    array([ 1, 20])
    """
    if y is _NoValue:
        if x is _NoValue:
            return core.nonzero(condition) if type(condition) is ndarray and condition.ndim else nonzero(condition)
        raise ValueError("either both or neither of x and y should be given")
    return core.where(condition, x, y)


@native
def nonzero(a):
    """The indices of the nonzero elements, one array an axis.

    Shapes: 1-D, as long as there are nonzero elements. Dtypes: intp. Errors: ValueError for 0-D arrays. Waits for the
    elements, whose number is not known before.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.nonzero([0, 5, 0, 7])
    (array([1, 3]),)
    """
    a = as_array(a)
    if a.ndim == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    return core.nonzero(a)


@native
def flatnonzero(a):
    """The flat positions of the nonzero elements.

    Shapes: 1-D, as long as there are nonzero elements. Dtypes: intp. Errors: none. Waits for the elements, whose number
    is not known before.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.flatnonzero([0, 5, 0, 7])
    array([1, 3])
    """
    return core.nonzero(as_array(a).ravel())[0]


@native
def argwhere(a):
    """The indices of the nonzero elements, one row an element.

    Shapes: as many rows as there are nonzero elements, a column for each axis. Dtypes: intp. Errors: none. Waits for
    the elements, whose number is not known before.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.argwhere([0, 5, 0, 7])
    array([[1],
           [3]])
    """
    a = as_array(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    found = core.nonzero(a)
    result = core.empty((found[0].size, a.ndim), numpy.intp, "F")
    for k, column in enumerate(found):
        result[:, k] = column
    return result


@native
def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not zero, in all or along axes.

    Shapes: `a`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: intp; an integer for all.
    Errors: AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.count_nonzero([[0, 1], [2, 3]], axis=0)
    array([1, 2])
    """
    if type(a) is not ndarray:
        a = as_array(a)
    if axis is None and not keepdims:
        return core.count_nonzero(a)
    return core.add.reduce(a if a.dtype.char == "?" else a != 0, axis, numpy.intp, None, keepdims)


@keeps_any_class
def extract(condition, arr):
    """The elements of the array, flattened, where the condition holds.

    Shapes: 1-D; both are flattened. Dtypes: `arr`'s. Errors: IndexError where the condition holds behind the array's
    end. Waits for the condition.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.extract([True, False, True], [1, 2, 3])
    array([1, 3])
    """
    return core.take(as_array(arr).ravel(), core.nonzero(as_array(condition).ravel())[0])


@keeps_any_class
def compress(condition, a, axis=None, out=None):
    """The slices along an axis for which the condition holds.

    Shapes: `a`'s with as many along the axis as the 1-D condition has true elements; without `axis` `a` is flattened.
    Dtypes: `a`'s. Errors: ValueError where the condition is not 1-D; IndexError where it holds behind the axis' end;
    AxisError. Waits for the condition.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.compress([True, False, True], [1, 2, 3])
    array([1, 3])
    """
    condition = as_array(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return core.take(as_array(a), core.nonzero(condition)[0], axis, out, "raise")


@native
def place(arr, mask, vals):
    """Writes the values, repeated in turn, where the mask holds.

    Shapes: `mask` has as many elements as `arr`. Dtypes: arrays among `vals` cast safely to `arr`'s. Errors: TypeError
    where `arr` is no array or `vals` do not cast; ValueError for a mask of another size, or no values where the mask
    holds.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.arange(4)
    >>> np.place(a, a > 1, [7])
    >>> a
    array([0, 1, 7, 7])
    """
    if not isinstance(arr, (ndarray, numpy.ndarray)):
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(arr).__name__}")
    arr, mask = as_target(arr), as_array(mask)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    positions = core.nonzero(mask.ravel())[0]
    values = _values_for(arr, vals)
    if values.size == 0:
        if positions.size == 0:
            return
        raise ValueError("Cannot insert from an empty array!")
    core.put(arr, positions, values, "raise")


def _values_for(a, values):
    """Flat values of a's dtype; arrays must cast safely, as NumPy wants."""
    if not isinstance(values, (ndarray, numpy.ndarray, numpy.generic)):
        return core.array(values, dtype=a.dtype).ravel()
    values = as_array(values)
    if not numpy.can_cast(values.dtype, a.dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    return values.astype(a.dtype, copy=False).ravel()


@native
def putmask(a, /, mask, values):
    """Writes values[i % len(values)] at each flat position i where the mask holds.

    Shapes: `mask` has as many elements as `a`. Dtypes: arrays among `values` cast safely to `a`'s. Errors: TypeError
    where `a` is no array or `values` do not cast; ValueError for a mask of another size.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.arange(4)
    >>> np.putmask(a, a > 1, 7)
    >>> a
    array([0, 1, 7, 7])
    """
    if not isinstance(a, (ndarray, numpy.ndarray)):
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(a).__name__}")
    a, mask = as_target(a), as_array(mask).ravel()
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = _values_for(a, values)
    if values.size == 0:
        return
    if values.size == 1:
        core.copyto(a, values.reshape(()), "unsafe", mask.astype(bool, copy=False).reshape(a.shape))
        return
    positions = core.nonzero(mask)[0]
    core.put(a, positions, core.take(values, positions % values.size), "raise")


@keeps_class
def choose(a, choices, out=None, mode="raise"):
    """Each element taken from the array that `a` names at its place.

    Shapes: the common one of `a` and the choices. Dtypes: the promoted one of the choices; `a` has integers or
    booleans. Errors: ValueError for an element of `a` without a choice, unless `mode` is wrap or clip, no choices, or
    more than 63; TypeError for other elements of `a`, or an `out` of another shape.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])
    array([ 1, 20,  3])
    """
    a = as_array(a)
    if isinstance(choices, (ndarray, numpy.ndarray)):
        choices = list(as_array(choices))
    numbers = [c if type(c) in (int, float, complex) else None for c in choices]
    choices = [as_array(c) for c in choices]
    if not choices:
        raise ValueError("0-length sequence.")
    if len(choices) > 63:
        raise ValueError("Need at least 0 and at most 64 array objects.")
    count = len(choices)
    if a.dtype.kind not in "biu":
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to dtype('int64') according to the rule 'safe'")
    which = a.astype(numpy.intp)
    if mode == "raise":
        if which.size and (which.min() < 0 or which.max() >= count):
            raise ValueError("invalid entry in choice array")
    elif mode == "wrap":
        which = which % count
    else:
        which = core.minimum(core.maximum(which, 0), count - 1)
    dtype = numpy.result_type(*[c.dtype if number is None else number for c, number in zip(choices, numbers)])
    shape = numpy.broadcast_shapes(which.shape, *[c.shape for c in choices])
    result = core.empty(shape, dtype) if out is None else out if core.is_own(out) else as_target(out)
    if out is not None and (out.shape != shape or out.dtype != dtype):
        if out.shape != shape:
            raise TypeError("choose: invalid shape for output array.")
        result = core.empty(shape, dtype)
    for k, choice in enumerate(choices):
        core.copyto(result, choice, "unsafe", which == k)
    if out is not None and result is not out:
        core.copyto(as_target(out), result, "unsafe")
        return out
    return result if shape or out is not None else result[()]


@native
def select(condlist, choicelist, default=0):
    """For each place the choice of the first condition that holds.

    Shapes: the common one. Dtypes: the promoted one of the choices and the default. Errors: ValueError for no
    conditions, as many choices, or shapes that do not broadcast; TypeError for conditions that are not boolean.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.select([np.array([True, False])], [np.array([1, 2])], default=0)
    array([1, 0])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    conditions = [as_array(c) for c in condlist]
    for k, condition in enumerate(conditions):
        if condition.dtype.char != "?":
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    weak = (int, float, complex)
    choices = [c if type(c) in weak else as_array(c) for c in (*choicelist, default)]
    dtype = numpy.result_type(*[c if type(c) in weak else c.dtype for c in choices])
    result = core.array(choices.pop(), dtype=dtype)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = core.where(condition, core.asarray(choice, dtype), result)
    shape = numpy.broadcast_shapes(
        *[c.shape for c in conditions], *[getattr(c, "shape", ()) for c in choices], result.shape
    )
    return result if result.shape == shape else core.array(core.broadcast_to(result, shape))


@keeps_class
def piecewise(x, condlist, funclist, *args, **kw):
    """A function given by cases: each function on the elements where its condition holds.

    Shapes: `x`'s, which the conditions have, too. Dtypes: `x`'s, to which values are cast. Errors: ValueError unless
    there are as many functions as conditions, or one more for where none holds.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.piecewise(np.array([-1.0, 2.0]), [[True, False]], [0, lambda x: x * 10])
    array([ 0., 20.])
    """
    x = as_array(x)
    count = len(funclist)
    if numpy.isscalar(condlist) or (not isinstance(condlist[0], (list, ndarray, numpy.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    conditions = [as_array(c).astype(bool, copy=False) for c in condlist]
    if len(conditions) == count - 1:
        covered = conditions[0]
        for condition in conditions[1:]:
            covered = covered | condition
        conditions.append(core.logical_not(covered))
    elif len(conditions) != count:
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    result = core.full(x.shape, 0, x.dtype)
    for condition, function in zip(conditions, funclist):
        condition = as_array(condition)
        if not callable(function):
            result[condition] = function
            continue
        chosen = x[condition]
        if chosen.size > 0:
            result[condition] = function(chosen, *args, **kw)
    return result


@native
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A read-only view of a diagonal.

    Shapes: `a`'s without the two axes, then the diagonal's length. Dtypes: `a`'s. Errors: ValueError for fewer than two
    axes or the same axis twice; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.diagonal([[1, 2], [3, 4]])
    array([1, 4])
    """
    return as_array(a).diagonal(offset, axis1, axis2)


@native
def fill_diagonal(a, val, wrap=False):
    """Writes the main diagonal in place.

    Shapes: two axes, or more of one extent. Dtypes: `val` is cast to `a`'s. Errors: ValueError for fewer axes or
    unequal extents of more than two.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> a = np.zeros((2, 2))
    >>> np.fill_diagonal(a, 5)
    >>> a
    array([[5., 0.],
           [0., 5.]])
    """
    a = as_target(a)
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 2:
        rows, columns = a.shape
        step = columns + 1
        end = None if wrap or rows <= columns else columns * columns
    else:
        if len(set(a.shape)) != 1:
            raise ValueError("All dimensions of input must be of equal length")
        extent = a.shape[0]
        step = 1 + sum(extent**k for k in range(1, a.ndim))
        end = None
    a.flat[:end:step] = val


def diag_indices(n, ndim=2):
    """The indices of the main diagonal of an array of ndim axes of extent n.

    Shapes: 1-D, of `n` elements. Dtypes: int64. Errors: TypeError for an `ndim` that is no integer.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.diag_indices(2)
    (array([0, 1]), array([0, 1]))
    """
    return (arange(n),) * ndim


@native
def diag_indices_from(arr):
    """The indices of the main diagonal of the array.

    Shapes: two axes or more of one extent. Dtypes: int64. Errors: ValueError for fewer axes or unequal extents.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.diag_indices_from(np.ones((2, 2)))
    (array([0, 1]), array([0, 1]))
    """
    arr = as_array(arr)
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def _dims(shape):
    return tuple([operator.index(extent) for extent in ((shape,) if numpy.isscalar(shape) else shape)])


@gives_plain
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Flat positions for indices given one array an axis.

    Shapes: the common one of the parts. Dtypes: integers; the result is intp. Errors: ValueError for an index outside
    of `dims` unless `mode` is wrap or clip, another number of parts than `dims` has, or an unknown mode or order;
    TypeError for other indices than integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.ravel_multi_index(([0, 1], [1, 2]), (2, 3))
    array([1, 5])
    """
    dims = _dims(dims)
    if isinstance(multi_index, (ndarray, numpy.ndarray)) and multi_index.ndim == 0:
        multi_index = (multi_index,)
    parts = [core.asarray(as_array(part)) for part in multi_index]
    for given, part in zip(multi_index, parts):
        if part.dtype.kind not in "biu":
            _refuse_indices(given, part)
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if len(parts) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    order = _c_or_f(order)
    strides, step = [0] * len(dims), 1
    for k in range(len(dims)) if order == "F" else reversed(range(len(dims))):
        strides[k] = step
        step *= dims[k]
    if step > numpy.iinfo(numpy.intp).max:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.")
    if not dims:
        return numpy.intp(0)
    flat = None
    nothing = math.prod(numpy.broadcast_shapes(*[part.shape for part in parts])) == 0  # then nothing is out of range
    if 0 in dims and not nothing:
        raise ValueError("cannot unravel if shape has zero entries (is empty).")
    for part, extent, rule, stride in zip(parts, dims, modes, strides):
        part = part.astype(numpy.intp, copy=False)
        if rule == "raise":
            if not nothing and (part.min() < 0 or part.max() >= extent):
                raise ValueError("invalid entry in coordinates array")
        elif rule == "wrap":
            part = part % extent if extent else part
        elif rule == "clip":
            part = core.minimum(core.maximum(part, 0), extent - 1)
        else:
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {rule!r})")
        flat = part * stride if flat is None else flat + part * stride
    return flat[()] if core.is_own(flat) and flat.ndim == 0 else flat


@gives_plain
def unravel_index(indices, shape, order="C"):
    """The indices, one array an axis, of flat positions.

    Shapes: `indices`', once for each axis. Dtypes: integers; the result is intp. Errors: ValueError for a position
    outside of the shape or an unknown order; TypeError for other positions than integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unravel_index(5, (2, 3))
    (np.int64(1), np.int64(2))
    """
    dims = _dims(shape)
    order = _c_or_f(order)
    if type(indices) in (int, numpy.int64):
        return _unravel_one(int(indices), dims, order)
    flat = as_array(indices)
    if flat.dtype.kind not in "iu":
        _refuse_indices(indices, flat)
    total = math.prod(dims)
    if total > numpy.iinfo(numpy.intp).max:
        raise ValueError(
            "dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported."
        )
    if not dims and flat.ndim and not (flat > 0).any():
        raise ValueError("multiple indices are not supported for 0d array")
    if flat.size and (flat.min() < 0 or flat.max() >= total):
        wrong = flat[(flat < 0) | (flat >= total)].ravel()[0] if flat.ndim else flat
        raise ValueError(f"index {int(wrong)} is out of bounds for array with size {total}")
    flat = flat.astype(numpy.intp, copy=False)
    parts = [None] * len(dims)
    for k in range(len(dims)) if order == "F" else reversed(range(len(dims))):
        parts[k] = flat % dims[k] if dims[k] else flat
        flat = flat // dims[k] if dims[k] else flat
    return tuple([p[()] if core.is_own(p) and p.ndim == 0 else p for p in parts])


def _c_or_f(order):
    """The order as a capital; what else is given raises what NumPy raises."""
    if order is None:
        return "C"
    name = str(order, "ascii", "replace") if isinstance(order, bytes) else order
    if isinstance(name, str) and name.upper() in ("C", "F"):
        return name.upper()
    numpy.unravel_index(0, (1,), order)
    raise ValueError("only 'C' or 'F' order is permitted")


def _refuse_indices(given, array):
    if array.size or isinstance(given, (ndarray, numpy.ndarray)):
        raise TypeError("only int indices permitted")
    raise TypeError(
        "indices must be integral: the provided empty sequence was inferred as float. "
        "Wrap it with 'np.array(indices, dtype=np.intp)'"
    )


def _unravel_one(flat, dims, order):
    total = math.prod(dims)
    if total > numpy.iinfo(numpy.intp).max:
        raise ValueError(
            "dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported."
        )
    if not 0 <= flat < total:
        raise ValueError(f"index {flat} is out of bounds for array with size {total}")
    parts = []
    for extent in dims if order == "F" else reversed(dims):
        flat, part = divmod(flat, extent)
        parts.append(numpy.intp(part))
    return tuple(parts if order == "F" else reversed(parts))
