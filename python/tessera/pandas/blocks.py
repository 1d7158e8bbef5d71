"""Block managers of which the engine takes rows, on all threads."""

from __future__ import annotations

import inspect

import numpy as np
import pandas
import pyarrow

from tessera._core import frames as core
from tessera.pandas import block_ops, engine_columns, internals, keys, report, settings


def taken(values, rows: np.ndarray, may_miss: bool):
    """The rows of an array of pandas, in its last axis; a row of -1 is missing. None where pandas takes them."""
    if isinstance(values, internals.ArrowStringArray):
        return _taken_texts(values, rows, may_miss)
    elements = getattr(values, "_ndarray", values)
    if isinstance(values, internals.Categorical):
        missing = -1
    elif isinstance(values, (np.ndarray, internals.DatetimeArray, internals.TimedeltaArray)):
        missing = {"f": np.nan, "m": "NaT", "M": "NaT"}.get(elements.dtype.kind)
    else:
        return None
    if may_miss and missing is None:
        return None  # the dtype changes
    result = _taken_elements(elements, rows, np.array([missing], elements.dtype) if may_miss else None)
    if result is None or elements is values:
        return result
    return values._from_backing_data(result)


def _table(values: np.ndarray) -> np.ndarray | None:
    """The elements as unsigned integers, a row for each column, if the engine takes such elements."""
    if values.dtype.kind not in "biufmM" or values.dtype.itemsize > 8 or values.ndim > 2:
        return None
    if not values.flags.aligned or not values.shape[-1] or values.strides[-1] != values.dtype.itemsize:
        return None
    table = values if values.ndim == 2 else values[None, :]
    return table.view(f"u{values.dtype.itemsize}")


def _taken_elements(values: np.ndarray, rows: np.ndarray, missing: np.ndarray | None) -> np.ndarray | None:
    table = _table(values)
    if table is None:
        return None
    result = engine_columns.empty((table.shape[0], len(rows)), values.dtype)
    words = table.dtype
    core.gather_elements(table, rows, None if missing is None else missing.view(words), result.view(words))
    return result if values.ndim == 2 else result[0]


def _taken_texts(values, rows: np.ndarray, may_miss: bool):
    if not len(values):
        return None
    buffers = keys.text_buffers(values._pa_array)
    offsets, data, bits = core.gather_texts(*buffers, rows, may_miss)
    shown = [pyarrow.py_buffer(each) for each in (offsets, data)]
    valid = None if bits is None else pyarrow.py_buffer(bits)
    return values._from_pyarrow_array(pyarrow.LargeStringArray.from_buffers(len(rows), *shown, valid))


def _worth(rows) -> bool:
    return (
        isinstance(rows, np.ndarray) and rows.dtype == np.int64 and rows.ndim == 1 and len(rows) >= settings.native_rows
    )


@internals.as_pandas_code
def _native_apply(kind: type):
    """`apply` of pandas' class, by the engine where it has the operation."""

    def apply(self, f, align_keys=None, **kwargs):
        blocks = None
        if len(self.axes[-1]) >= settings.native_rows:
            blocks = block_ops.blocks_of(self, f, align_keys, kwargs)
        if blocks is None:
            return kind.apply(self, f, align_keys, **kwargs)
        return type(self).from_blocks(blocks, [axis.view() for axis in self.axes])

    return apply


class BlockManager(internals.BlockManager):
    """Of frames."""

    __slots__ = ()
    apply = _native_apply(internals.BlockManager)

    def quantile(self, *, qs, interpolation="linear"):
        shares = np.asarray(qs._values)
        found = [block_ops.quantiles(block.values, shares, interpolation) for block in self.blocks]
        if not found or any(each is None for each in found):
            return super().quantile(qs=qs, interpolation=interpolation)
        report.native("DataFrame.quantile")
        blocks = [block.make_block(values) for block, values in zip(self.blocks, found)]
        return type(self)(blocks, [self.axes[0].view(), pandas.Index(qs, dtype=np.float64)])

    def operate_blockwise(self, other, array_op):
        return super().operate_blockwise(other, block_ops.binary(array_op))

    def equals(self, other):
        return super().equals(adopt(other))

    def __reduce_ex__(self, protocol):
        return internals.BlockManager, (self.blocks, self.axes, False)

    def reindex_indexer(self, new_axis, indexer, axis, fill_value=None, allow_dups=False, only_slice=False, *,
                        use_na_proxy=False):  # fmt: skip
        blocks = None
        if axis == 1 and fill_value is None and _worth(indexer):
            if not allow_dups:
                self.axes[axis]._validate_can_reindex(indexer)
            may_miss = bool(indexer.min() < 0)
            blocks = [_block_taken(block, indexer, may_miss) for block in self.blocks]
        if blocks is None:
            return super().reindex_indexer(
                new_axis, indexer, axis, fill_value, allow_dups, only_slice, use_na_proxy=use_na_proxy
            )
        result = type(self).from_blocks(blocks, [self.axes[0].view(), new_axis])
        result._blknos, result._blklocs = self.blknos.copy(), self.blklocs.copy()
        return result


def _block_taken(block, rows: np.ndarray, may_miss: bool):
    values = taken(block.values, rows, may_miss)
    if values is None:
        return block.take_nd(rows, axis=1, fill_value=block.fill_value)
    return block.make_block_same_class(values)


class SingleBlockManager(internals.SingleBlockManager):
    """Of columns."""

    __slots__ = ()
    apply = _native_apply(internals.SingleBlockManager)

    def equals(self, other):
        return super().equals(adopt(other))

    def __reduce_ex__(self, protocol):
        return internals.SingleBlockManager, (self._block, self.index)

    def reindex_indexer(self, new_axis, indexer, axis, fill_value=None, allow_dups=False, *args, **kwargs):
        values = None
        if fill_value is None and _worth(indexer):
            if not allow_dups:
                self.axes[axis]._validate_can_reindex(indexer)
            values = taken(self._block.values, indexer, bool(indexer.min() < 0))
        if values is None:
            return super().reindex_indexer(new_axis, indexer, axis, fill_value, allow_dups, *args, **kwargs)
        return self._of(values, new_axis)

    def get_rows_with_mask(self, indexer):
        values = self._block.values
        is_mask = isinstance(indexer, np.ndarray) and indexer.dtype == np.bool_ and indexer.shape == values.shape
        if not is_mask or len(indexer) < settings.native_rows or indexer.all():
            return super().get_rows_with_mask(indexer)
        kept = None
        if isinstance(values, np.ndarray) and (table := _table(values)) is not None:
            mask = np.ascontiguousarray(indexer).view(np.uint8)
            places = core.places_where(mask)
            kept = engine_columns.empty(int(places[-1]), values.dtype)
            core.compress_elements(table, mask, places, kept.view(table.dtype)[None, :])
        elif isinstance(values, internals.ArrowStringArray):
            kept = taken(values, core.rows_where(np.ascontiguousarray(indexer).view(np.uint8)), False)
        if kept is None:
            return super().get_rows_with_mask(indexer)
        return self._of(kept, self.index[indexer])

    def _of(self, values, index):
        place = internals.BlockPlacement(slice(0, len(values)))
        return type(self)(self._block.make_block_same_class(values, place), index)


for _kind in (BlockManager, SingleBlockManager):
    for _member in list(vars(_kind).values()):
        if inspect.isfunction(_member):
            internals.as_pandas_code(_member)

_OURS = {internals.BlockManager: BlockManager, internals.SingleBlockManager: SingleBlockManager}


def adopt(manager):
    """The manager, whose rows the engine takes from now on."""
    ours = _OURS.get(type(manager))
    if ours is not None:
        manager.__class__ = ours
    return manager


def series_manager(values, index):
    """A manager of one block over an array that nobody else has."""
    return SingleBlockManager.from_array(values, index)
