"""Sorting, partial sorting and binary search."""

from __future__ import annotations

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tessera import _core as core
from tessera.numpy._dispatch import _NoValue, as_array, keeps_class, native, ndarray

__all__ = ["argpartition", "argsort", "digitize", "lexsort", "partition", "searchsorted", "sort", "sort_complex"]

_kinds = {None: None, "quicksort": None, "heapsort": None, "mergesort": "stable", "stable": "stable"}


def sort_kind(kind, stable=None):
    """None for any sort, "stable" for one that keeps the order of equals."""
    if stable is not None:
        if kind is not None:
            raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
        return "stable" if stable else None
    try:
        return _kinds[kind]
    except KeyError:
        pass
    first = str(kind)[:1].lower()
    if first in ("q", "h", "m", "s"):
        return "stable" if first in "ms" else None
    raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")


def _check_order(order):
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


def _descending(ordered, a, axis, unmirror=lambda result: result):
    """The lines from their largest elements on, equals in their order and NaNs last, made of sorts that ascend: mirrored lines mirrored again."""
    axis = normalize_axis_index(axis, a.ndim)
    mirror = (slice(None),) * axis + (slice(None, None, -1),)
    result = unmirror(ordered(a[mirror], axis, "stable"))[mirror]
    if a.dtype.kind in "fc" and (nans := core.isnan(a).sum(axis, keepdims=True)).any():
        from tessera.numpy.indexing import take_along_axis

        n = a.shape[axis]
        places = core.arange(0, n).reshape((n,) + (1,) * (a.ndim - 1 - axis))
        numbers = take_along_axis(result, (places + nans) % n, axis)
        return core.where(places < n - nans, numbers, ordered(a, axis, "stable"))
    return result.copy()


def _descends(kind, descending):
    if descending is _NoValue or descending is None:
        return False
    if kind is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
    return bool(descending)


@keeps_class
def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=_NoValue):
    """A sorted copy, along an axis or flattened. Descending or not, NaNs come last.

    Shapes: `a`'s, or flat with axis=None. Dtypes: `a`'s. Errors: AxisError for an axis that is not there; ValueError for an
    unknown `kind`, or `kind` beside `stable`. Source: vectorised quicksort (Highway; Blacher et al. 2022), where equal
    elements cannot be told apart.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.sort([9, 1, 5])
    array([1, 5, 9])
    """
    if type(a) is not ndarray:
        a = as_array(a)
    if order is not None:
        _check_order(order)
    if axis is None:
        a, axis = a.ravel(), -1
    if _descends(kind, descending):
        return _descending(core.sort, a, axis)
    return core.sort(a, axis, sort_kind(kind, stable))


@keeps_class
def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=_NoValue):
    """The indices that sort the array, along an axis or flattened. Descending or not, NaNs come last.

    Shapes: `a`'s, or flat with axis=None. Dtypes: int64. Errors: AxisError for an axis that is not there; ValueError for an
    unknown `kind`. Equal elements keep their order, whatever `kind` says.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.argsort([9, 1, 5])
    array([1, 2, 0])
    """
    if type(a) is not ndarray:
        a = as_array(a)
    if order is not None:
        _check_order(order)
    if axis is None or a.ndim == 0 and axis in (0, -1):
        a, axis = a.ravel(), -1
    if _descends(kind, descending):
        return _descending(core.argsort, a, axis, lambda order: a.shape[axis] - 1 - order)
    return core.argsort(a, axis, sort_kind(kind, stable))


def _check_partition(kind):
    if not isinstance(kind, str):
        raise TypeError(f"partition kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ValueError(f"partition kind must be 'introselect' (got {kind!r})")


@keeps_class
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy with the kth elements where sorting would put them, smaller ones before and larger ones after.

    Shapes: `a`'s, or flat with axis=None. Dtypes: `a`'s. Errors: AxisError for an axis that is not there; ValueError where
    kth is outside of it or `kind` is unknown.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> int(np.partition([9, 1, 5], 0)[0])
    1
    """
    a = as_array(a)
    _check_partition(kind)
    _check_order(order)
    if axis is None:
        a, axis = a.ravel(), -1
    return core.partition(a, kth, axis)


@keeps_class
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The indices that partition the array.

    Shapes: `a`'s, or flat with axis=None. Dtypes: int64. Errors: AxisError for an axis that is not there; ValueError where
    kth is outside of it or `kind` is unknown.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> int(np.argpartition([9, 1, 5], 0)[0])
    1
    """
    a = as_array(a)
    _check_partition(kind)
    _check_order(order)
    if axis is None:
        a, axis = a.ravel(), -1
    return core.argpartition(a, kth, axis)


@native
def lexsort(keys, axis=-1):
    """The indices that sort by the last key, then by the one before it, and so on.

    Shapes: those of one key. Dtypes: int64. Errors: TypeError for no keys; ValueError where shapes differ; AxisError for an
    axis that is not there. Equal ones keep their order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.lexsort(([1, 0, 2], [5, 5, 4]))
    array([2, 1, 0])
    """
    axis = operator.index(axis)
    if not isinstance(keys, (ndarray, numpy.ndarray)):
        keys = [as_array(key) for key in keys]
    else:
        keys = as_array(keys)
    ndim = max([key.ndim for key in keys], default=1) if isinstance(keys, list) else keys.ndim - 1
    normalize_axis_index(axis, max(ndim, 1))
    order = core.lexsort(keys, axis)
    return order if ndim else numpy.intp(order)


@native
def sort_complex(a):
    """A sorted copy, complex: by the real part, then by the imaginary part.

    Shapes: `a`'s. Dtypes: complex64 for integers of one or two bytes, complex numbers' own, else complex128. Errors:
    AxisError for an array without dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.sort_complex([2 + 1j, 1 + 2j])
    array([1.+2.j, 2.+1.j])
    """
    a = core.sort(as_array(a), -1, None)
    if a.dtype.kind == "c":
        return a
    return a.astype(numpy.complex64 if a.dtype.char in "bhBH" else numpy.complex128)


def searchsorted(a, v, side="left", sorter=None):
    """Where the values would be inserted to keep the array sorted.

    Shapes: `v`'s. Dtypes: int64. Errors: ValueError where `a` has not one dimension or `side` is unknown; TypeError where
    `sorter` is not of integers. Source: binary search; what `a` is, sorted, is not checked.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.searchsorted([1, 3, 5], [0, 4])
    array([0, 2])
    """
    return core.searchsorted(a, v, side, sorter)


@native
def digitize(x, bins, right=False):
    """The number of the bin that each value lies in.

    Shapes: `x`'s. Dtypes: int64. Errors: ValueError where the edges neither rise nor fall; TypeError for complex values.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.digitize([0.5, 2.5], [0, 1, 2, 3])
    array([1, 3])
    """
    x, bins = as_array(x), as_array(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        raise TypeError(
            "Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'"
        )
    if bins.ndim != 1:
        raise ValueError("object too deep for desired array")
    side = "left" if right else "right"
    # Comparisons with NaN fail: as in NumPy it is out of order nowhere.
    others = core.nonzero(bins != bins[:1])[0]
    if not len(others) or bins[0] < bins[int(others[0])]:
        if core.less(bins[1:], bins[:-1]).any():
            raise ValueError("bins must be monotonically increasing or decreasing")
        return core.searchsorted(bins, x, side, None)
    if core.greater(bins[1:], bins[:-1]).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    return len(bins) - core.searchsorted(bins[::-1], x, side, None)
