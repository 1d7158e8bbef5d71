"""Orders of rows by one or several keys."""

from __future__ import annotations

import numpy as np
import pandas

from tessera._core import frames as core
from tessera.pandas import internals, keys, report, settings


def lexsort_indexer(columns, orders=None, na_position="last", key=None, codes_given=False):
    """Stands for pandas.core.sorting.lexsort_indexer."""
    names = list(columns)
    ascending = [orders] * len(names) if isinstance(orders, bool) else orders or [True] * len(names)
    result = None
    if key is None and not codes_given and na_position in ("first", "last"):
        result = _order("sort_values", names, [bool(each) for each in ascending], na_position)
    if result is None:
        return internals.sorting.lexsort_indexer(names, orders, na_position, key, codes_given)
    return result


_KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def nargsort(items, kind="quicksort", ascending=True, na_position="last", key=None, mask=None):
    """Stands for pandas.core.sorting.nargsort. Equal elements keep their order, whatever `kind` says."""
    result = None
    if (
        kind in _KINDS
        and key is None
        and mask is None
        and na_position in ("first", "last")
        and isinstance(ascending, (bool, int))
    ):
        result = _order("sort_values", [items], [bool(ascending)], na_position)
    if result is None:
        return internals.sorting.nargsort(items, kind, ascending, na_position, key, mask)
    return result


def _order(name: str, columns: list, ascending: list[bool], na_position: str) -> np.ndarray | None:
    rows = len(columns[0]) if columns else 0
    if rows < settings.native_rows:
        return None
    wanted = []
    for column, rising in zip(columns, ascending):
        found = _sort_key(column, rising, na_position == "first", len(columns) > 1)
        if isinstance(found, str):
            report.refused(name, found)
            return None
        wanted.append(found)
    report.native(name)
    return core.sort_rows(wanted, rows)


def _sort_key(column, rising: bool, nulls_first: bool, among_others: bool) -> tuple | str:
    """(values, times, falling, nulls first) for the engine."""
    values = column._values if isinstance(column, (pandas.Index, pandas.Series)) else column
    if isinstance(values, internals.Categorical):
        codes, count = values.codes.astype(np.int64), len(values.categories)
    else:
        key = keys.key_of(column)
        if isinstance(key, str):
            return key
        if among_others and nulls_first and key.texts is None and key.values.dtype.kind == "f":
            # Among several keys, pandas puts NaN where the infinite number is that comes first.
            return np.where(np.isnan(key.values), -np.inf if rising else np.inf, key.values), False, not rising, False
        if key.texts is None:
            return key.values, key.times, not rising, nulls_first
        codes, first = key.factorize(True, False)
        count = len(first)
    ranks = codes if rising else count - 1 - codes
    return np.where(codes < 0, -1 if nulls_first else count, ranks), False, False, False


def rank(values, axis=0, method="average", na_option="keep", ascending=True, pct=False, mask=None):
    """Stands for pandas.core.algorithms.rank."""
    if not _may_rank(values, axis, mask):
        if len(values) >= settings.native_rows:
            report.refused("rank", f"elements of dtype {values.dtype}, or along columns")
        return internals.algorithms.rank(values, axis, method, na_option, ascending, pct, mask)
    report.native("rank")
    columns = values[:, None] if values.ndim == 1 else values
    result = np.empty(columns.shape[::-1])
    for column, out in zip(columns.T, result):
        key = keys.key_of(column)
        core.rank(key.values, key.times, not ascending, na_option, method, bool(pct), out)
    return result[0] if values.ndim == 1 else result.T


def _may_rank(values, axis, mask) -> bool:
    numbers = isinstance(values, np.ndarray) and values.dtype.kind in "biufmM" and values.dtype.isnative
    if not numbers or mask is not None or values.ndim == 2 and axis != 0 or values.dtype == np.float16:
        return False
    return len(values) >= settings.native_rows and values.flags.aligned and values.dtype.itemsize <= 8
