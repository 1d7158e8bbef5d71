"""Group-bys: pandas' groupers, with keys numbered and groups reduced by the engine."""

from __future__ import annotations

import functools

import numpy as np
import pandas

from tessera._core import frames as core
from tessera.pandas import engine_columns, internals, keys, report, selecting, settings

_cache_readonly = internals.cache_readonly
# Operations by pandas' names, and the fewest elements that give a result.
_LEAST = {name: 1 for name in ("mean", "median", "min", "max", "first", "last", "var", "std", "sem")}
_LEAST |= {"sum": 0, "prod": 0}
_OF_FLOATS = frozenset(("mean", "median", "var", "std", "sem"))
_TRUTH = {"any": "max", "all": "min"}  # of truth values
_TIMES = frozenset(("min", "max", "first", "last"))


def reduce_groups(
    how: str,
    out: np.ndarray,
    counts: np.ndarray,
    values: np.ndarray,
    labels: np.ndarray,
    min_count: int = -1,
    mask: np.ndarray | None = None,
    result_mask: np.ndarray | None = None,
    is_datetimelike: bool = False,
    initial: object = 0,
    ddof: int = 1,
    name: str = "",
    skipna: bool = True,
) -> None:
    """Stands for the functions of pandas._libs.groupby: columns of `values`, one result row a group."""
    least = max(_LEAST[how], min_count)
    labels = keys.as_codes(labels)
    for column in range(values.shape[1]):
        missing = None if mask is None else np.ascontiguousarray(mask[:, column]).view(np.uint8)
        result = np.empty(len(out), out.dtype)
        core.group_reduce(how, values[:, column], labels, least, ddof, is_datetimelike, missing, result, counts)
        out[:, column] = result


def reduce_truth(
    how: str, out: np.ndarray, values: np.ndarray, labels: np.ndarray, mask: np.ndarray, skipna: bool, **_: object
) -> None:
    """Stands for pandas._libs.groupby.group_any_all."""
    labels, counts = keys.as_codes(labels), np.zeros(len(out), np.int64)
    for column in range(values.shape[1]):
        missing = np.ascontiguousarray(mask[:, column]).view(np.uint8) if skipna else None
        result = np.empty(len(out), np.int8)
        core.group_reduce(_TRUTH[how], values[:, column], labels, 0, 1, False, missing, result, counts)
        out[:, column] = np.where(counts > 0, result, how == "all")


class CythonOp(internals.WrappedCythonOp):
    """pandas' checks, casts and results around the engine's operations."""

    @classmethod
    def _get_cython_function(cls, kind, how, dtype, is_numeric):
        return functools.partial(reduce_truth if how in _TRUTH else reduce_groups, how)

    # The engine reads integers as floating numbers where pandas makes an array of those.
    def _get_cython_vals(self, values, uses_mask=False):
        return values if self._reads_integers(values.dtype) else super()._get_cython_vals(values, uses_mask)

    def _get_out_dtype(self, dtype):
        return np.dtype(np.float64) if self._reads_integers(dtype) else super()._get_out_dtype(dtype)

    def _reads_integers(self, dtype) -> bool:
        return dtype.kind in "iu" and self.how in _OF_FLOATS


class Grouping(internals.Grouping):
    """One key, numbered by the engine."""

    @_cache_readonly
    def numbered(self) -> tuple | None:
        """The engine's codes, the distinct keys, and whether a code may be -1; None where pandas numbers the key."""
        key = self._key()
        if isinstance(key, str):
            if key:
                report.refused("GroupBy keys", key)
            return None
        codes, first = key.factorize(bool(self._sort), not self._dropna)
        report.native("GroupBy keys")
        return codes, self.grouping_vector.take(first), self._dropna and key.nullable

    @_cache_readonly
    def _codes_and_uniques(self):
        if self.numbered is None:
            return internals.Grouping._codes_and_uniques.__get__(self)
        codes, uniques, _ = self.numbered
        return codes.astype(np.intp, copy=False), uniques

    @property
    def uniques(self):
        return super().uniques if self.numbered is None else self.numbered[1]

    def _key(self) -> keys.Key | str:
        """The key, or why pandas numbers it; nothing to say of it where that costs little."""
        vector = self.grouping_vector
        if self._passed_categorical or isinstance(vector, internals.BaseGrouper) or self._uniques is not None:
            return ""
        return keys.key_of(vector) if len(vector) >= settings.native_rows else ""


class _Native:
    """What pandas' groupers compute, by the engine where it can."""

    def _cython_operation(self, values, how, axis, min_count=-1, **kwargs):
        reason = self._problem(values, how, kwargs)
        if reason:
            if len(self.axis) >= settings.native_rows:
                report.refused(f"GroupBy.{how}", reason)
            return super()._cython_operation(values, how, axis, min_count, **kwargs)
        report.native(f"GroupBy.{how}")
        if how == "mean" and values.dtype == np.float32 and self.is_monotonic and (self.ids >= 0).any():
            # Means of float32 are float64 in pandas where the groups are runs of rows without NaN.
            values = values if np.isnan(values).any() else values.astype(np.float64)
        return CythonOp(how=how, has_dropped_na=self.has_dropped_na).cython_operation(
            values=values, axis=axis, min_count=min_count, comp_ids=codes_of(self), ngroups=self.ngroups, **kwargs
        )

    def _problem(self, values, how: str, options: dict) -> str:
        if len(self.axis) < settings.native_rows:
            return "few rows"
        if how not in _LEAST and how not in _TRUTH:
            return "there is no native form of it"
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
            return f"a column of dtype {values.dtype}"
        if values.dtype in (np.float16, np.longdouble) or not values.dtype.isnative:
            return f"a column of dtype {values.dtype}"
        if not options.get("skipna", True) and how not in _TRUTH:
            return "skipna=False"
        if options.get("initial", 0) != 0:
            return "a first value"
        return ""


class BaseGrouper(_Native, internals.BaseGrouper):
    """By the values of keys."""

    @_cache_readonly
    def numbered(self) -> tuple | None:
        """The groups' labels, the engine's codes, and whether rows are in no group; None where pandas numbers them."""
        pings = self.groupings
        if len(self.axis) < settings.native_rows or any(type(ping) is not Grouping for ping in pings):
            return None
        if any(ping._passed_categorical for ping in pings) or len({bool(ping._sort) for ping in pings}) != 1:
            return None
        if len(pings) == 1 and pings[0].numbered is None:
            return None
        levels = [pandas.Index._with_infer(ping.uniques, copy=False) for ping in pings]
        if len(pings) == 1:
            codes, _, nullable = pings[0].numbered
            levels[0].name = self.names[0]
            return levels[0], codes, bool(nullable and len(codes) and codes.min() < 0)
        codes = [ping.codes if ping.numbered is None else ping.numbered[0] for ping in pings]
        found = keys.combine(codes, [len(level) for level in levels], bool(pings[0]._sort))
        if isinstance(found, str):
            report.refused("GroupBy keys", found)
            return None
        ids, first = found
        index = pandas.MultiIndex(
            levels=levels, codes=[each.take(first) for each in codes], names=self.names, verify_integrity=False
        )
        may_drop = any(ping.numbered is None or ping.numbered[2] for ping in pings)
        return index, ids, bool(may_drop and len(ids) and ids.min() < 0)

    @_cache_readonly
    def result_index_and_ids(self):
        if self.numbered is None:
            return internals.BaseGrouper.result_index_and_ids.__get__(self)
        index, codes, _ = self.numbered
        return index, codes.astype(np.intp, copy=False)

    @property
    def result_index(self):
        return super().result_index if self.numbered is None else self.numbered[0]

    @_cache_readonly
    def has_dropped_na(self):
        if self.numbered is None:
            return internals.BaseGrouper.has_dropped_na.__get__(self)
        return self.numbered[2]

    def size(self):
        if self.numbered is None:
            return super().size()
        report.native("GroupBy.size")
        index, codes, _ = self.numbered
        counts = np.empty(len(index), np.int64)
        core.count_by_group(codes, counts)
        return pandas.Series(counts, index=index, dtype="int64", copy=False)


class BinGrouper(_Native, internals.BinGrouper):
    """By runs of rows, as of resample()."""

    @property
    def axis(self):
        return range(int(self.bins[-1]) if len(self.bins) else 0)


def codes_of(grouper) -> np.ndarray:
    """The group of each row, -1 for none, as the engine takes it."""
    numbered = getattr(grouper, "numbered", None)
    return keys.as_codes(grouper.ids) if numbered is None else numbered[1]


def numbers_within(grouper, ascending: bool) -> np.ndarray | None:
    """How many rows of its group stand before each row, or behind it; None where pandas counts them."""
    if len(grouper.axis) < settings.native_rows:
        return None
    ids = codes_of(grouper)
    numbers = engine_columns.empty(len(ids), np.int64)
    core.number_within_groups(ids, grouper.ngroups, not ascending, numbers)
    return np.where(ids < 0, np.nan, numbers) if grouper.has_dropped_na else numbers


def _count_by_label(present, labels, max_bin):
    """Stands for pandas._libs.lib.count_level_2d."""
    if present.shape[1] < settings.native_rows:
        return internals.lib.count_level_2d(present, labels, max_bin)
    report.native("GroupBy.count")
    counts = [np.bincount(labels[row], minlength=max_bin) for row in present]
    return np.array(counts, np.int64).reshape(len(present), max_bin)


count = internals.relinked(
    internals.GroupBy.count, lib=internals.Instead(internals.lib, count_level_2d=_count_by_label)
)


def _distinct(ids, keep):
    """Stands for pandas.core.algorithms.duplicated."""
    return (
        selecting.duplicated(ids, [ids], keep)
        if len(ids) >= settings.native_rows
        else internals.algorithms.duplicated(ids, keep)
    )


nunique = internals.relinked(
    internals.SeriesGroupBy.nunique,
    algorithms=internals.Instead(internals.algorithms, factorize=selecting.factorize),
    duplicated=_distinct,
)


_CLASSES = {
    internals.BaseGrouper: BaseGrouper,
    internals.BinGrouper: BinGrouper,
    internals.Grouping: Grouping,
}


def adopt_grouper(grouper) -> None:
    """pandas' grouper computes by the engine from now on, unless its rows are few."""
    kind = _CLASSES.get(type(grouper))
    if kind is None or kind is BaseGrouper and len(grouper.axis) < settings.native_rows:
        return
    grouper.__class__ = kind
    for grouping in getattr(grouper, "_groupings", ()):
        if type(grouping) in _CLASSES:
            grouping.__class__ = _CLASSES[type(grouping)]
