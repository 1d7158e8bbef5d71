"""merge: pandas' operation, with rows paired by the engine."""

from __future__ import annotations

import numpy as np
import pandas

from tessera._core import frames as core
from tessera.pandas import internals, keys, report, settings


class MergeOperation(internals.MergeOperation):
    """pandas' checks, names and results around the engine's pairs of rows."""

    def _get_join_indexers(self):
        left, right = self.left_join_keys, self.right_join_keys
        if max(len(left[0]), len(right[0])) < settings.native_rows or not len(left[0]) or not len(right[0]):
            return super()._get_join_indexers()
        found = f"how={self.how!r}"
        if self.how in _KINDS:
            found = _matched_codes(left, right, self.how, self.sort) or _common_codes(left, right, self.sort)
        if isinstance(found, str):
            report.refused("merge", found)
            return super()._get_join_indexers()
        report.native("merge")
        of_left, of_right, groups = found
        rows = core.join(of_left, of_right, groups, self.how, self.sort)
        return tuple(map(_unless_all, rows, (left[0], right[0])))


_KINDS = frozenset(("inner", "left", "right", "outer"))


def _unless_all(rows: np.ndarray | None, key) -> np.ndarray | None:
    """None stands for all rows in their order."""
    return None if rows is None or internals.lib.is_range_indexer(rows, len(key)) else rows


def _matched_codes(left: list, right: list, how: str, sort: bool) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Codes of one key, of which the side that is looked up has a table; None where both are numbered as one."""
    if len(left) != 1 or sort or how == "outer" or left[0].dtype != right[0].dtype:
        return None
    sides = [keys.key_of(side[0]) for side in (left, right)]
    if any(isinstance(side, str) for side in sides):
        return None
    probe, built = reversed(sides) if how == "right" else sides
    codes = probe.codes(), built.codes()
    if probe.texts is not None:
        count = core.match_texts(built.texts, probe.texts, codes[1], codes[0])
    else:
        count = core.match_keys(built.values, probe.values, codes[1], codes[0])
    if count is None:
        return None
    return (*(reversed(codes) if how == "right" else codes), count)


def _common_codes(left: list, right: list, sort: bool) -> tuple[np.ndarray, np.ndarray, int] | str:
    """Codes of both sides' rows that are equal where the keys are, and how many there are."""
    joined = []
    for mine, theirs in zip(left, right):
        if mine.dtype != theirs.dtype:
            return f"keys of dtypes {mine.dtype} and {theirs.dtype}"
        key = keys.key_of(_concatenated(mine, theirs))
        if isinstance(key, str):
            return key
        key.times = False  # NaT is a time like others, before them all
        key.nullable = key.texts is not None and key.nullable or key.texts is None and key.values.dtype.kind == "f"
        joined.append(key)
    found = keys.number_rows(joined, sort)
    if isinstance(found, str):
        return found
    codes, first = found
    return codes[: len(left[0])], codes[len(left[0]) :], len(first)


def _concatenated(mine, theirs):
    mine, theirs = (each._values if isinstance(each, pandas.Index) else each for each in (mine, theirs))
    if isinstance(mine, np.ndarray):
        return np.concatenate([mine, theirs])
    return type(mine)._concat_same_type([mine, theirs])


merge = internals.relinked(internals.merging.merge, _MergeOperation=MergeOperation)
