"""Grids of indices and coordinates: meshgrid, mgrid, ix_, r_ and their kin."""

from __future__ import annotations

import inspect
import math
import sys

import numpy

from tessera import _core as core
from tessera import _fallback
from tessera.numpy._dispatch import Foreign, as_array, keeps_any_class, native, ndarray
from tessera.numpy.creation import native_dtype
from tessera.numpy.manipulation import broadcast_arrays
from tessera.numpy.matrices import bmat

__all__ = ["broadcast", "c_", "indices", "ix_", "meshgrid", "mgrid", "ndenumerate", "ogrid", "r_"]


@keeps_any_class
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays from coordinate vectors.

    Shapes: (n, m, ...) by "ij", (m, n, ...) by "xy", for vectors of n, m, ...; sparse ones 1 along the other axes. Dtypes:
    each its own. Errors: ValueError for another `indexing`.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.meshgrid([1, 2], [3, 4])[0]
    array([[1, 2],
           [1, 2]])
    """
    n = len(xi)
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    grids = [as_array(x).reshape((1,) * k + (-1,) + (1,) * (n - 1 - k)) for k, x in enumerate(xi)]
    if indexing == "xy" and n > 1:
        grids[0] = grids[0].reshape((1, -1) + (1,) * (n - 2))
        grids[1] = grids[1].reshape((-1, 1) + (1,) * (n - 2))
    if not sparse:
        grids = broadcast_arrays(*grids)
    return tuple([grid.copy() for grid in grids]) if copy else tuple(grids)


@native
def indices(dimensions, dtype=int, sparse=False):
    """The index of every element of a shape, one array an axis.

    Shapes: (axes, *dimensions), sparse a tuple of arrays, 1 along the other axes. Dtypes: int64, or `dtype`. Errors:
    ValueError for a negative length; TypeError for what is none.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.indices((2, 2))[0]
    array([[0, 0],
           [1, 1]])
    """
    dimensions = tuple(dimensions)
    n = len(dimensions)
    dtype = native_dtype(dtype)
    axes = []
    for k, extent in enumerate(dimensions):
        axes.append(core.arange(0, extent, 1, dtype).reshape((1,) * k + (extent,) + (1,) * (n - k - 1)))
    if sparse:
        return tuple(axes)
    result = core.empty((n,) + dimensions, dtype)
    for k, axis in enumerate(axes):
        result[k] = axis
    return result


@native
def ix_(*args):
    """An open grid from 1-D indices, for taking a sub-matrix.

    Shapes: (n,) each to n along an axis of its own, 1 along the others. Dtypes: integers; booleans give the places of True.
    Errors: ValueError for other than one dimension.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.arange(9).reshape(3, 3)[np.ix_([0, 2], [1])]
    array([[1],
           [7]])
    """
    n = len(args)
    grids = []
    for k, given in enumerate(args):
        index = as_array(given)
        if not isinstance(given, (ndarray, numpy.ndarray)) and index.size == 0:
            index = index.astype(numpy.intp)
        if index.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if index.dtype.char == "?":
            index = core.nonzero(index)[0]
        grids.append(index.reshape((1,) * k + (index.size,) + (1,) * (n - k - 1)))
    return tuple(grids)


class _Grid:
    """What mgrid and ogrid are: indexed by slices, they give the grid the slices span."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key):
        if not isinstance(key, (tuple, list)):
            return _values(key)
        spans = [_span(part) for part in key]
        dtype = numpy.result_type(0, *[number for _, _, numbers in spans for number in numbers])
        n = len(spans)
        axes = []
        for k, (count, step, (start, *_)) in enumerate(spans):
            axis, before, behind = core.arange(0, count, 1, dtype), k, n - k - 1
            if self.sparse:  # places of arrays are added to the axis alone, else to the grid
                axes.append((axis * step + start)[(None,) * before + (slice(None),) + (None,) * behind])
            else:
                axes.append(axis.reshape((1,) * before + (-1,) + (1,) * behind) * step + start)
        if self.sparse:
            return tuple(axes)
        result = core.empty((n,) + tuple([count for count, _, _ in spans]), dtype)
        for k, axis in enumerate(axes):
            result[k] = axis
        return result

    def __len__(self):
        return 0


def _span(part: slice):
    """Count and step of a slice start:stop:step, an imaginary step being a count; and the numbers that took part."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, (complex, numpy.complexfloating)):
        step = abs(step)
        count = int(step)
        width = (part.stop - start) / float(count - 1) if count != 1 else count
        return count, width, (start, part.stop, step)
    return max(math.ceil((part.stop - start) / step), 0), step, (start, part.stop, step)


def _values(part: slice):
    start = 0 if part.start is None else part.start
    if isinstance(part.step, (complex, numpy.complexfloating)):
        count, width, numbers = _span(part)
        return core.arange(0, count, 1, numpy.result_type(*numbers)) * width + start
    start, stop = (0, start) if part.stop is None else (start, part.stop)  # as NumPy reads it
    return core.arange(start, stop, 1 if part.step is None else part.step)


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)


class _Joiner:
    """What r_ and c_ are: indexed by pieces, they give the pieces joined along an axis."""

    def __init__(self, axis: int = 0, ndmin: int = 1, trans1d: int = -1) -> None:
        self.axis, self.ndmin, self.trans1d = axis, ndmin, trans1d

    def __getitem__(self, key):
        if isinstance(key, str):  # a matrix of blocks, which are the caller's variables
            caller = sys._getframe(1)
            return bmat(key, caller.f_locals, caller.f_globals)
        try:
            return self._join(key)
        except Foreign as foreign:
            name = "r_" if self.axis == 0 else "c_"
            return _fallback.call_function(getattr(numpy, name).__getitem__, name, (key,), {}, str(foreign))

    def _join(self, key):
        pieces = key if isinstance(key, tuple) else (key,)
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        arrays, weak = [], []
        for position, piece in enumerate(pieces):
            if isinstance(piece, str):
                if position:
                    raise ValueError("special directives must be the first entry.")
                axis, ndmin, trans1d = self._directive(piece)
                continue
            arrays.append(self._piece(piece, ndmin, trans1d))
            weak.append(piece if type(piece) in (int, float, complex) else None)
        kinds = [a.dtype if scalar is None else scalar for a, scalar in zip(arrays, weak)]
        dtype = numpy.result_type(*kinds)
        if dtype.kind in "iu":
            for scalar in weak:
                if scalar is not None:
                    dtype.type(scalar)  # a Python integer must fit
        return core.concatenate([a.astype(dtype, copy=False) for a in arrays], axis)

    def _directive(self, text):
        if text in ("r", "c"):
            raise Foreign("matrix is NumPy's deprecated subclass")
        try:
            numbers = [int(part) for part in text.split(",")]
        except ValueError as error:
            raise ValueError(f"unknown special directive {text!r}") from error
        defaults = (self.axis, self.ndmin, self.trans1d)
        return tuple(numbers) + defaults[len(numbers) :]

    @staticmethod
    def _piece(piece, ndmin, trans1d):
        if isinstance(piece, slice):
            a = _arange_of(piece)
        else:
            a = as_array(piece)
        missing = ndmin - a.ndim
        if missing <= 0:
            return a
        before = trans1d if trans1d >= 0 else missing + trans1d + 1
        before = min(max(before, 0), missing)
        return a.reshape((1,) * before + a.shape + (1,) * (missing - before))

    def __len__(self):
        return 0


def _arange_of(part: slice):
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, (complex, numpy.complexfloating)):
        from tessera.numpy.ranges import linspace

        return linspace(start, part.stop, num=int(abs(step)))
    return core.arange(*((0, start) if part.stop is None else (start, part.stop)), step)


r_ = _Joiner()
c_ = _Joiner(axis=-1, ndmin=2, trans1d=0)


class ndenumerate:
    """Pairs of index and element, in C order.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> [(k, float(x)) for k, x in np.ndenumerate(np.ones((1, 2)))]
    [((0, 0), 1.0), ((0, 1), 1.0)]
    """

    def __init__(self, arr):
        a = as_array(arr)
        self._pairs = zip(numpy.ndindex(a.shape), a.flat)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._pairs)


class broadcast:
    """The common shape of several arrays, and an iterator over tuples of their elements.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.broadcast(np.ones((2, 1)), np.ones(3)).shape
    (2, 3)
    """

    def __init__(self, *arrays, **refused):
        if refused:
            raise ValueError("keyword arguments not accepted.")
        self._arrays = []
        for a in arrays:
            self._arrays += a._arrays if isinstance(a, broadcast) else [core.asarray(a)]
        if len(self._arrays) > 64:
            raise ValueError("Need at least 0 and at most 64 array objects.")
        self.shape = numpy.broadcast(*[numpy.broadcast_to(numpy.empty((), bool), a.shape) for a in self._arrays]).shape
        self.index = 0

    __signature__ = inspect.Signature([inspect.Parameter("arrays", inspect.Parameter.VAR_POSITIONAL)])
    nd = ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    numiter = property(lambda self: len(self._arrays))
    iters = property(lambda self: tuple([_stretched(a, self.shape).flat for a in self._arrays]))

    def reset(self, /):
        """Start again from the first element."""
        self.index = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.size:
            raise StopIteration
        at = _index_of(self.index, self.shape)
        self.index += 1
        return tuple([_stretched(a, self.shape)[at] for a in self._arrays])


def _stretched(a, shape):
    if a.shape == shape:
        return a
    return core.broadcast_to(a, shape) if core.is_own(a) else numpy.broadcast_to(a, shape)


def _index_of(flat, shape):
    index = []
    for extent in reversed(shape):
        flat, part = divmod(flat, extent)
        index.append(part)
    return tuple(reversed(index))
