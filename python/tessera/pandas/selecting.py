"""Duplicates, distinct values and their counts."""

from __future__ import annotations

import numpy as np
import pandas

from tessera._core import frames as core
from tessera.pandas import internals, keys, report, settings


def duplicated(frame, columns: list, keep) -> np.ndarray | None:
    """Whether each row has the values of another; None where pandas computes it. `columns`: arrays of pandas."""
    if len(frame) < settings.native_rows:
        return None
    reason = "" if keep in ("first", "last") or keep is False else f"keep={keep!r}"
    found = [keys.key_of(column) for column in columns]
    reason = next((each for each in found if isinstance(each, str)), reason) or ("" if found else "no columns")
    numbered = reason or keys.number_rows(found)
    if isinstance(numbered, str):
        report.refused(f"{type(frame).__name__}.duplicated", numbered)
        return None
    report.native(f"{type(frame).__name__}.duplicated")
    codes, first = numbered
    if keep is False:
        return _counts(codes, len(first))[codes] > 1
    kept = first
    if keep == "last":
        kept = np.empty(len(first), np.int64)
        kept[codes] = np.arange(len(codes))
    result = np.ones(len(codes), bool)
    result[kept] = False
    return result


def _counts(codes: np.ndarray, groups: int) -> np.ndarray:
    counts = np.empty(groups, np.int64)
    core.count_by_group(codes, counts)
    return counts


def rows_of_mask(frame, key) -> np.ndarray | None:
    """The rows that a mask takes; None where pandas finds them."""
    if len(frame) < settings.native_rows or len(key) != len(frame):
        return None
    if isinstance(key, pandas.Series):
        if key.dtype != np.bool_ or key.index is not frame.index and not key.index.equals(frame.index):
            return None
        key = key._values
    if not isinstance(key, np.ndarray) or key.dtype != np.bool_ or key.ndim != 1 or key.all():
        return None
    return core.rows_where(np.ascontiguousarray(key).view(np.uint8))


def value_counts(series, sort: bool, ascending: bool, normalize: bool, dropna: bool):
    """The counts as pandas gives them, or None."""
    if len(series) < settings.native_rows:
        return None
    key = keys.key_of(series)
    if not isinstance(key, str) and getattr(series.dtype, "na_value", None) is pandas.NA:
        key = f"keys of dtype {series.dtype}"  # whose counts are nullable
    if isinstance(key, str):
        report.refused("Series.value_counts", key)
        return None
    report.native("Series.value_counts")
    codes, first = key.factorize(False, not dropna)
    counts = _counts(codes, len(first))
    index = pandas.Index(series._values.take(first), dtype=series.dtype, name=series.name, copy=False)
    result = series._constructor(counts, index=index, name="proportion" if normalize else "count", copy=False)
    if sort:
        result = result.sort_values(ascending=ascending, kind="stable")
    return result / result.sum() if normalize else result


def unique(series):
    """The distinct values in the order in which they appear, or None."""
    if len(series) < settings.native_rows:
        return None
    key = keys.key_of(series)
    if isinstance(key, str):
        report.refused("Series.unique", key)
        return None
    report.native("Series.unique")
    return series._values.take(key.factorize(False, True)[1])


def factorize(values, sort=False, use_na_sentinel=True, size_hint=None):
    """Stands for pandas.factorize."""
    if len(values) < settings.native_rows:
        return internals.algorithms.factorize(values, sort, use_na_sentinel, size_hint)
    key = keys.key_of(values)
    if isinstance(key, str):
        report.refused("factorize", key)
        return internals.algorithms.factorize(values, sort, use_na_sentinel, size_hint)
    report.native("factorize")
    codes, first = key.factorize(sort, not use_na_sentinel)
    return codes.astype(np.intp, copy=False), (values._values if isinstance(values, pandas.Series) else values).take(
        first
    )
