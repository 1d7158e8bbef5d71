"""Columns as keys: what groups, joins, sorts and searches for duplicates compare rows by."""

from __future__ import annotations

import numpy as np
import pandas

from tessera._core import frames as core
from tessera.pandas import engine_columns, internals

_NUMBERS = frozenset("biuf")


def _codes(rows: int) -> np.ndarray:
    return engine_columns.empty(rows, np.int32 if rows < 2**31 else np.int64)


def as_codes(codes: np.ndarray) -> np.ndarray:
    """The codes as the engine takes them."""
    return np.ascontiguousarray(codes, codes.dtype if codes.dtype in (np.int32, np.int64) else np.int64)


class Key:
    """A column whose elements can be numbered."""

    __slots__ = ("values", "times", "texts", "nullable")

    def __init__(self, values: np.ndarray | None, times: bool = False, texts: tuple | None = None) -> None:
        self.values, self.times, self.texts = values, times, texts
        self.nullable = texts[2] is not None if texts is not None else times or values.dtype.kind == "f"

    def codes(self) -> np.ndarray:
        """Room for a code for each row."""
        return _codes(len(self.values) if self.texts is None else len(self.texts[0]) - 1)

    def factorize(self, sort: bool, keep_null: bool) -> tuple[np.ndarray, np.ndarray]:
        """Codes by row, and the row in which each code is first."""
        if self.texts is not None:
            offsets, data, valid, first_bit = self.texts
            codes = self.codes()
            return codes, core.factorize_texts(offsets, data, valid, first_bit, keep_null, sort, codes)
        codes = self.codes()
        return codes, core.factorize(self.values, self.times, keep_null, sort, codes)


def key_of(values) -> Key | str:
    """The key of an array or index of pandas, or why there is none."""
    if isinstance(values, (pandas.Index, pandas.Series)):
        if isinstance(values, pandas.MultiIndex):
            return "keys are tuples"
        values = values._values
    if isinstance(values, np.ndarray):
        return _of_numbers(values)
    if isinstance(values, (internals.DatetimeArray, internals.TimedeltaArray)):
        return Key(values._ndarray.view("i8"), times=True)
    if isinstance(values, internals.ArrowStringArray):
        return Key(None, texts=text_buffers(values._pa_array))
    return f"keys of dtype {values.dtype}"


def _of_numbers(values: np.ndarray) -> Key | str:
    dtype = values.dtype
    if values.ndim != 1 or not dtype.isnative or not values.flags.aligned:
        return "keys in an unusual layout"
    if dtype.kind in "mM":
        return Key(values.view("i8"), times=True)
    if dtype.kind in _NUMBERS and dtype not in (np.float16, np.longdouble):
        return Key(values)
    return f"keys of dtype {dtype}"


def text_buffers(chunks) -> tuple:
    """Offsets, bytes, validity bits (None where none is missing) and the first bit of Arrow's texts."""
    chunk = chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()
    if hasattr(chunk, "chunks"):  # of no chunks, some versions give a chunked array again
        chunk = chunk.chunk(0)
    validity, offsets, data = chunk.buffers()
    count, first = len(chunk), chunk.offset
    wide = str(chunk.type).startswith("large")
    if offsets is None or not count:
        return np.zeros(count + 1, np.int64), np.zeros(0, np.uint8), None, 0
    numbers = np.frombuffer(offsets, np.int64 if wide else np.int32)[first : first + count + 1].astype(
        np.int64, copy=False
    )
    letters = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    bits = np.frombuffer(validity, np.uint8) if validity is not None and chunk.null_count else None
    return numbers, letters, bits, first


def number_rows(keys: list[Key], sort: bool = False) -> tuple[np.ndarray, np.ndarray] | str:
    """Codes of rows by several keys, missing ones as a value of their own, and the first row of each code."""
    if len(keys) == 1:
        return keys[0].factorize(sort, True)
    numbered = [key.factorize(sort, True) for key in keys]
    sizes = [max(len(first), 1) for _, first in numbered]
    return combine([codes for codes, _ in numbered], sizes, sort)


def combine(codes: list[np.ndarray], sizes: list[int], sort: bool) -> tuple[np.ndarray, np.ndarray] | str:
    """Codes of several keys as one; -1 where any is."""
    total = 1
    for size in sizes:
        total *= int(size)
    if total >= 2**63:
        return "the keys' values have too many combinations"
    result = _codes(len(codes[0]))
    dense = [as_codes(each) for each in codes]
    return result, core.factorize_codes(dense, [max(int(size), 1) for size in sizes], sort, result)
