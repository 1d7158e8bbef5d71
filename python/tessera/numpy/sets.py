"""Arrays as sets: unique elements, membership, unions and differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tessera import _core as core
from tessera.numpy._dispatch import as_array, gives_plain, in_class, native, ndarray

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAllResult(NamedTuple):
    """What unique_all gives."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What unique_counts gives."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What unique_inverse gives."""

    values: ndarray
    inverse_indices: ndarray


@native
def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    """The distinct elements in order, and where and how often they occur when asked.

    Shapes: (k,), or `ar`'s with k along the axis; positions (k,), inverse `ar`'s, counts (k,). Dtypes: `ar`'s and int64.
    Errors: AxisError for an axis that is not there; TypeError for rows of a dtype without an order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unique([3, 1, 3], return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    a = core.asarray(as_array(ar))
    if axis is None or a.ndim == 1 and normalize_axis_index(axis, 1) == 0:
        found = _unique_flat(a.ravel(), return_index, return_inverse, return_counts, equal_nan)
        inverse_shape = a.shape
    else:
        found = _unique_slices(a, axis, return_index, return_inverse, return_counts, equal_nan)
        shape = [1] * a.ndim
        shape[axis] = a.shape[axis]
        inverse_shape = tuple(shape)
    values, index, inverse, counts = found
    if axis is None:
        values = in_class(ar, values)
    if not (return_index or return_inverse or return_counts):
        return values
    results = [values]
    if return_index:
        results.append(in_class(ar, index) if axis is None else index)
    if return_inverse:
        results.append(inverse.reshape(inverse_shape) if axis is None else inverse)
    if return_counts:
        results.append(counts)
    return tuple(results)


def _starts(ordered, equal_nan):
    """A mask over sorted elements that is true at the first of every run of equals."""
    first = core.full(ordered.shape, True, bool)
    if ordered.size > 1:
        core.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        if equal_nan and ordered.dtype.kind in "fcV" and bool(core.isnan(ordered[-1])):
            # NaNs are sorted to the end: only the first of them starts a run.
            nans = int(core.count_nonzero(core.isnan(ordered)))
            first[ordered.size - nans + 1 :] = False
            first[ordered.size - nans] = True
    return first


def _unique_flat(a, index, inverse, counts, equal_nan):
    if not (index or inverse):
        ordered = core.sort(a, -1, None)
        first = _starts(ordered, equal_nan)
        if not counts:
            return ordered[first], None, None, None
        at = core.nonzero(first)[0]
        return core.take(ordered, at), None, None, _gaps(at, a.size)
    order = core.argsort(a, -1, "stable" if index else None)
    ordered = core.take(a, order)
    first = _starts(ordered, equal_nan)
    at = core.nonzero(first)[0]
    back = None
    if inverse:
        back = core.empty(a.shape, numpy.intp)
        back[order] = core.cumsum(first, 0, numpy.intp) - 1
    return (
        core.take(ordered, at),
        core.take(order, at) if index else None,
        back,
        _gaps(at, a.size) if counts else None,
    )


def _gaps(at, size):
    ends = core.empty(at.shape, at.dtype)
    if at.size:
        ends[:-1] = at[1:]
        ends[-1] = size
    return ends - at


def _unique_slices(a, axis, index, inverse, counts, equal_nan):
    from tessera.numpy.manipulation import moveaxis

    axis = normalize_axis_index(axis, a.ndim)
    slices = moveaxis(a, axis, 0)
    count = slices.shape[0]
    rows = slices.reshape(count, -1) if count and slices.size else slices.reshape(count, slices.size // (count or 1))
    if rows.shape[1] == 0:
        order = core.arange(0, count)
        first = core.arange(0, count) == 0
    else:
        order = core.lexsort([rows[:, k] for k in reversed(range(rows.shape[1]))], -1)
        ordered = core.take(rows, order, 0)
        first = core.full((count,), True, bool)
        if count > 1:
            differ = ordered[1:] != ordered[:-1]
            first[1:] = core.logical_or.reduce(differ, 1)
    at = core.nonzero(first)[0]
    picked = core.take(order, at)
    back = None
    if inverse:
        back = core.empty((count,), numpy.intp)
        back[order] = core.cumsum(first, 0, numpy.intp) - 1
    values = moveaxis(core.take(slices, picked, 0), 0, axis)
    return values, picked, back, _gaps(at, count) if counts else None


@native
def unique_all(x):
    """The distinct elements with first positions, inverse and counts.

    Shapes: any, flattened, to (k,), positions and counts alike, the inverse `x`'s. Dtypes: `x`'s and int64. Errors: TypeError
    for elements without an order. Each NaN counts as one of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unique_all(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@native
def unique_counts(x):
    """The distinct elements and how often each occurs.

    Shapes: any, flattened, to (k,) twice. Dtypes: `x`'s and int64. Errors: TypeError for elements without an order. Each NaN
    counts as one of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unique_counts(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@native
def unique_inverse(x):
    """The distinct elements and the positions that rebuild the array from them.

    Shapes: any, flattened, to (k,) and `x`'s. Dtypes: `x`'s and int64. Errors: TypeError for elements without an order. Each
    NaN counts as one of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unique_inverse(np.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@native
def unique_values(x):
    """The distinct elements.

    Shapes: any, flattened, to (k,). Dtypes: `x`'s. Errors: TypeError for elements without an order. Each NaN counts as one of
    its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    return unique(x, equal_nan=False)


@native
def union1d(ar1, ar2):
    """The distinct elements of either array, in order.

    Shapes: any, flattened, to (k,). Dtypes: what both promote to. Errors: TypeError for elements without an order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.union1d([1, 2], [2, 3])
    array([1, 2, 3])
    """
    return unique(core.concatenate((as_array(ar1).ravel(), as_array(ar2).ravel())))


@native
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The distinct elements of both arrays, in order.

    Shapes: any, flattened, to (k,). Dtypes: what both promote to. Errors: TypeError for elements without an order. With
    `return_indices` the first positions in both, too.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.intersect1d([1, 2, 3], [2, 3, 4])
    array([2, 3])
    """
    a, b = as_array(ar1), as_array(ar2)
    index_a = index_b = None
    if not assume_unique:
        if return_indices:
            a, index_a = unique(a, return_index=True)
            b, index_b = unique(b, return_index=True)
        else:
            a, b = unique(a), unique(b)
    else:
        a, b = a.ravel(), b.ravel()
    both = core.concatenate((a, b))
    if return_indices:
        order = core.argsort(both, -1, "stable")
        both = core.take(both, order)
    else:
        both = core.sort(both, -1, None)
    twice = both[1:] == both[:-1]
    common = both[:-1][twice]
    if not return_indices:
        return common
    at_a = order[:-1][twice]
    at_b = order[1:][twice] - a.size
    if not assume_unique:
        at_a, at_b = index_a[at_a], index_b[at_b]
    return common, at_a, at_b


@native
def setxor1d(ar1, ar2, assume_unique=False):
    """The distinct elements of exactly one of the arrays, in order.

    Shapes: any, flattened, to (k,). Dtypes: what both promote to. Errors: TypeError for elements without an order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.setxor1d([1, 2], [2, 3])
    array([1, 3])
    """
    a, b = as_array(ar1), as_array(ar2)
    if not assume_unique:
        a, b = unique(a), unique(b)
    both = core.concatenate((a.ravel(), b.ravel()))
    if both.size == 0:
        return both
    both = core.sort(both, -1, None)
    change = core.full((both.size + 1,), True, bool)
    change[1:-1] = both[1:] != both[:-1]
    return both[change[1:] & change[:-1]]


@native
def setdiff1d(ar1, ar2, assume_unique=False):
    """The distinct elements of the first array that the second lacks.

    Shapes: any, flattened, to (k,). Dtypes: `ar1`'s. Errors: TypeError for elements without an order. With `assume_unique`
    they keep their order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.setdiff1d([1, 2, 3], [2])
    array([1, 3])
    """
    a, b = as_array(ar1), as_array(ar2)
    if assume_unique:
        a, b = a.ravel(), b.ravel()
    else:
        a, b = unique(a), unique(b)
    return a[_member(a, b, True)]


@gives_plain
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is one of the test elements.

    Shapes: those of `element`. Dtypes: bool. Errors: ValueError for an unknown `kind`, and for "table" where the elements are
    not integers of a range that suits. Source: a table of bits for integers, else a sort of both.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isin([1, 5], [5, 6])
    array([False,  True])
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    a, b = as_array(element), as_array(test_elements)
    if kind == "table" and not (a.dtype.kind in "biu" and b.dtype.kind in "biu"):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )
    if (
        kind == "table"
        and b.size
        and int(b.max()) - int(b.min()) > numpy.iinfo(numpy.uint8 if b.dtype.char == "?" else b.dtype).max
    ):
        raise RuntimeError(
            "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed the maximum "
            "integer of the datatype. Please set `kind` to None or 'sort'."
        )
    return _member(a.ravel(), b.ravel(), invert).reshape(a.shape)


def _member(a, b, invert):
    if b.size == 0:
        return core.full(a.shape, bool(invert), bool)
    if b.size < 10:
        # A few compares, fused into one pass, beat a search.
        compare, combine = (core.not_equal, core.logical_and) if invert else (core.equal, core.logical_or)
        found = compare(a, b[0])
        for k in range(1, b.size):
            found = combine(found, compare(a, b[k]))
        return found
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        found = _by_table(a, b)
        if found is not None:
            return core.logical_not(found) if invert else found
    dtype = numpy.result_type(a.dtype, b.dtype)
    ordered = core.sort(b.astype(dtype, copy=False), -1, None)
    at = core.searchsorted(ordered, a.astype(dtype, copy=False), "left", None)
    at = core.minimum(at, ordered.size - 1)
    compare = core.not_equal if invert else core.equal
    return compare(core.take(ordered, at), a)


def _by_table(a, b):
    """Membership by a table over the range of b, when that range is not much longer than the arrays."""
    low, high = int(b.min()), int(b.max())
    if high - low > 6 * (a.size + b.size) or high > numpy.iinfo(numpy.int64).max:
        return None
    if a.dtype.char == "Q" or b.dtype.char == "Q":
        return None
    table = core.full((high - low + 2,), False, bool)
    table[b.astype(numpy.int64) - low] = True
    wide = a.astype(numpy.int64)
    # The last entry, always false, stands for everything outside the range.
    at = core.where((wide >= low) & (wide <= high), wide - low, high - low + 1)
    return core.take(table, at)
