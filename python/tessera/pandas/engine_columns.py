"""Columns as arrays of the engine: of pandas' memory without a copy, and back."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from pandas import Series

from tessera import _core
from tessera.pandas import internals

_DTYPES = frozenset(np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"))


class _Held:
    """Memory of a block that pandas copies before it writes to it, as long as this lives."""

    __slots__ = ("__array_interface__", "block")

    def __init__(self, block, values: np.ndarray) -> None:
        self.block = block.copy(deep=False)
        interface = dict(values.__array_interface__)
        interface["data"] = (interface["data"][0], True)
        self.__array_interface__ = interface


def empty(shape: int | tuple[int, ...], dtype) -> np.ndarray:
    """An array that is not set, in memory that the engine keeps for the next call."""
    shape, dtype = (shape,) if isinstance(shape, int) else shape, np.dtype(dtype)
    return _core.frames.memory(math.prod(shape) * dtype.itemsize).view(dtype).reshape(shape)


def is_engines(dtype) -> bool:
    """Whether the engine computes with columns of this dtype."""
    return isinstance(dtype, np.dtype) and dtype in _DTYPES


def engine_array(series: Series):
    """The column as an array of the engine, or None."""
    pending = series.__dict__.get("_pending")
    if pending is not None:
        return pending.array
    block = internals.block_of(series)
    values = block.values
    if not isinstance(values, np.ndarray) or values.dtype not in _DTYPES or values.ndim != 1:
        return None
    if not values.flags.aligned or not values.dtype.isnative or not len(values):
        return None
    return _core.frames.constant_array(np.asarray(_Held(block, values)))


def kept_array(series: Series):
    """The column as an array of the engine that later writes to the column do not change, or None."""
    array = engine_array(series)
    return array.copy() if "_pending" in series.__dict__ else array


class Pending:
    """What a Series has whose elements the engine has not computed, or that pandas has not asked for."""

    __slots__ = ("array", "index")

    def __init__(self, array, index) -> None:
        self.array, self.index = array, index

    @property
    def dtype(self):
        return self.array.dtype

    def elements(self) -> np.ndarray:
        return np.asarray(self.array)


class Selection:
    """The rows of a mask that is only recorded."""

    __slots__ = ("_index", "labels", "mask")

    def __init__(self, mask, labels) -> None:
        self.mask, self.labels, self._index = mask, labels, None

    def __len__(self) -> int:
        """How many rows there are to choose from: how many are chosen is not known yet."""
        return len(self.labels)

    @property
    def index(self):
        if self._index is None:
            self._index = self.labels[np.asarray(self.mask)]
        return self._index


class Selected:
    """What a Series has whose rows are chosen by a mask: what is computed of it is computed of all rows, until it is read.

    `record` records that computation; an array that nobody holds is not stored. `steps`: how much is recorded anew."""

    __slots__ = ("_array", "record", "selection", "steps")
    _most_steps = 16

    def __init__(self, record: Callable, selection: Selection, steps: int) -> None:
        if steps > self._most_steps:
            held = record()
            record, steps = lambda: held, 1
        self.record, self.selection, self.steps, self._array = record, selection, steps, None

    @property
    def dtype(self):
        return self.record().dtype

    @property
    def index(self):
        return self.selection.index

    @property
    def array(self):
        if self._array is None:
            kept = self.elements()
            self._array = _core.frames.constant_array(kept) if len(kept) else _core.array(kept)
        return self._array

    def elements(self) -> np.ndarray:
        """The chosen rows in memory of their own."""
        if self._array is not None:
            return np.array(self._array)
        values, mask = np.asarray(self.record()), np.asarray(self.selection.mask).view(np.uint8)
        places, words = _core.frames.places_where(mask), f"u{values.dtype.itemsize}"
        kept = empty(int(places[-1]), values.dtype)
        _core.frames.compress_elements(values.view(words)[None, :], mask, places, kept.view(words)[None, :])
        return kept


def selected(series) -> Selected | None:
    """The column as one whose rows are chosen by a mask, if it is one."""
    pending = series.__dict__.get("_pending")
    return pending if type(pending) is Selected else None


class Manager:
    """pandas' block manager, made when it is asked for: then the attribute of the instance hides this one."""

    def __init__(self, make: Callable) -> None:
        self._make = make

    def __get__(self, series, owner=None):
        if series is None:
            return self
        state = series.__dict__
        pending = state.get("_pending")
        if pending is not None:
            made = self._make(pending.elements(), pending.index)
            state.setdefault("_mgr", made)  # another thread may have been quicker
            state.pop("_pending", None)
        if "_mgr" not in state:
            raise AttributeError("_mgr")
        return state["_mgr"]


def pending_series(kind: type, array, index, name) -> Series:
    """A Series over an array of the engine."""
    return series_of(kind, Pending(array, index), name)


def series_of(kind: type, pending: Pending | Selected, name) -> Series:
    series = kind.__new__(kind)
    series.__dict__.update(
        _pending=pending,
        _attrs={},
        _flags=internals.Flags(series, allows_duplicate_labels=True),
        _name=name,
    )
    return series
