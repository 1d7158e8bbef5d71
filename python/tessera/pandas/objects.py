"""DataFrame, Series and group-bys: subclasses of pandas', whose methods run natively where they can."""

from __future__ import annotations

import copyreg
import types

import pandas

from tessera import _core
from tessera.pandas import (
    arithmetic,
    block_ops,
    blocks,
    calls,
    engine_columns,
    group_pairs,
    grouping,
    internals,
    joins,
    methods,
    report,
    selecting,
    settings,
    sorting,
    windows,
)


def _plain(method):
    """Marks a method whose results are of our classes already."""
    method._adopts = True
    return method


_UNSET = pandas.api.extensions.no_default


def _ufunc_of_both(ufunc, method, inputs, kwargs):
    """A NumPy ufunc of a frame and a column: pandas tells them apart by their classes."""
    plain = (
        each.__class__.__mro__[1]._from_mgr(each._mgr, each.axes) if type(each) in (DataFrame, Series) else each
        for each in inputs
    )
    return calls.adopt(getattr(ufunc, method)(*plain, **kwargs))


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    kinds = set(map(type, inputs))
    if DataFrame in kinds and Series in kinds:
        return _ufunc_of_both(ufunc, method, inputs, kwargs)
    return pandas.Series.__array_ufunc__(self, ufunc, method, *inputs, **kwargs)  # that of frames, too


def _over_manager(cls, mgr, axes):
    """What pandas' `_from_mgr` and `__init__` do, in one call: most operations on small frames make objects twice."""
    result = cls.__new__(cls)
    state = result.__dict__
    state["_mgr"] = blocks.adopt(mgr)
    state["_attrs"] = {}
    state["_flags"] = internals.Flags(result, allows_duplicate_labels=True)
    return result


class _Kind(type):
    """pandas' own objects count as instances of our classes, whose methods count as code of pandas."""

    def __new__(mcs, name, bases, namespace):
        for member in namespace.values():
            if isinstance(member, types.FunctionType):
                internals.as_pandas_code(member)
        return super().__new__(mcs, name, bases, namespace)

    def __repr__(cls):
        """What programs print of a class is what they print with pandas."""
        plain = cls.__mro__[1]
        return repr(plain) if calls.OURS.get(plain) is cls else super().__repr__()

    def __instancecheck__(cls, instance):
        return type.__instancecheck__(cls, instance) or (
            cls in calls.OURS.values() and type.__instancecheck__(cls.__mro__[1], instance)
        )


def _pickled(self, protocol):
    """Pickles are pandas' own: they load where tessera is not installed. Classes of the user's stay theirs."""
    plain = type(self).__mro__[1]
    if calls.OURS.get(plain) is not type(self):
        return object.__reduce_ex__(self, protocol)
    return copyreg._reconstructor, (plain, object, None), self.__getstate__()


# Functions of pandas in which what looks at the elements is the engine's.
_ALGORITHMS = internals.Instead(internals.algorithms, isin=block_ops.contained, rank=sorting.rank)
_RANK = _plain(internals.relinked(pandas.Series.rank, algos=_ALGORITHMS))
_ACCUMULATE = internals.relinked(
    pandas.Series._accum_func, nanops=internals.Instead(internals.nanops, na_accum_func=block_ops.accumulated)
)


class Series(pandas.Series, metaclass=_Kind):
    __doc__ = pandas.Series.__doc__
    __module__ = "tessera.pandas"
    _mgr = engine_columns.Manager(blocks.series_manager)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        blocks.adopt(self._mgr)

    _from_mgr = classmethod(_over_manager)

    @property
    def _constructor(self):
        return Series

    @property
    def _constructor_expanddim(self):
        return DataFrame

    def _constructor_from_mgr(self, mgr, axes):
        if type(self) is not Series:
            return super()._constructor_from_mgr(mgr, axes)
        result = _over_manager(Series, mgr, axes)
        result.__dict__["_name"] = None
        return result

    def _constructor_expanddim_from_mgr(self, mgr, axes):
        if type(self) is not Series:
            return super()._constructor_expanddim_from_mgr(mgr, axes)
        return DataFrame._from_mgr(mgr, axes=axes)

    __reduce_ex__ = _pickled

    __array_ufunc__ = _array_ufunc

    # What a Series says of itself needs no elements.
    def _get_index(self):
        state = self.__dict__
        return state["_pending"].index if "_pending" in state else self._mgr.axes[0]

    def _set_index(self, labels):
        pandas.Series.index.__set__(self, labels)

    index = property(_get_index, _set_index, doc=pandas.Series.index.__doc__)

    @property
    def dtype(self):
        """The column's dtype."""
        pending = self.__dict__.get("_pending")
        return self._mgr.dtype if pending is None else pending.dtype

    @property
    def array(self):
        """pandas' array of the elements. It may be written to, so what was recorded of them is computed first."""
        _core.synchronize()
        return pandas.Series.array.fget(self)

    def __len__(self):
        return len(self.index)

    def __getitem__(self, key):
        if type(key) is Series:
            result = arithmetic.filtered(self, key)
            if result is not None:
                return result
        return super().__getitem__(key)

    def _arith_method(self, other, op):
        result = arithmetic.arithmetic(self, other, op)
        return super()._arith_method(other, op) if result is None else result

    def _cmp_method(self, other, op):
        result = arithmetic.comparison(self, other, op)
        return super()._cmp_method(other, op) if result is None else result

    def _logical_method(self, other, op):
        result = arithmetic.logical(self, other, op)
        return super()._logical_method(other, op) if result is None else result

    def _reduce(self, op, name, *, axis=0, skipna=True, numeric_only=False, filter_type=None, **kwds):
        rows = arithmetic.rows_of(self)
        if rows >= settings.native_rows:
            result = arithmetic.reduction(self, name, skipna, kwds) if axis in (0, None, "index") else None
            if result is not None:
                return result[0]
            op = block_ops.reduction(op, name, rows)
        return super()._reduce(
            op,
            name,
            axis=axis,
            skipna=skipna,
            numeric_only=numeric_only,
            filter_type=filter_type,
            **kwds,
        )

    def isna(self):
        if len(self.index) < settings.native_rows:
            return super().isna()
        result = arithmetic.missing(self)
        return super().isna() if result is None else result

    def duplicated(self, keep="first"):
        found = selecting.duplicated(self, [self._values], keep)
        if found is None:
            return super().duplicated(keep)
        return self._constructor(found, index=self.index, copy=False).__finalize__(self, method="duplicated")

    def value_counts(self, normalize=False, sort=True, ascending=False, bins=None, dropna=True):
        result = None
        if bins is None:
            result = selecting.value_counts(self, sort, ascending, normalize, dropna)
        return super().value_counts(normalize, sort, ascending, bins, dropna) if result is None else result

    def unique(self):
        if len(self.index) < settings.native_rows:
            return super().unique()
        found = selecting.unique(self)
        return super().unique() if found is None else found

    def fillna(self, value, *, axis=None, inplace=False, limit=None):
        result = arithmetic.filled(self, value) if axis is None and inplace is False and limit is None else None
        return super().fillna(value, axis=axis, inplace=inplace, limit=limit) if result is None else result

    def shift(self, periods=1, freq=None, axis=0, fill_value=_UNSET, suffix=None):
        plain = freq is None and axis == 0 and fill_value is _UNSET and suffix is None
        result = arithmetic.shifted(self, periods) if plain and len(self.index) >= settings.native_rows else None
        return super().shift(periods, freq, axis, fill_value, suffix) if result is None else result

    def diff(self, periods=1):
        if len(self.index) < settings.native_rows:
            return super().diff(periods)
        result = arithmetic.differences(self, periods)
        return super().diff(periods) if result is None else result

    def abs(self):
        if len(self.index) < settings.native_rows:
            return super().abs()
        result = arithmetic.absolute(self)
        return super().abs() if result is None else result

    def _accum_func(self, name, func, axis=None, skipna=True, *args, **kwargs):
        if len(self.index) < settings.native_rows:
            return super()._accum_func(name, func, axis, skipna, *args, **kwargs)
        plain = axis in (None, 0) and not args and not kwargs
        result = arithmetic.cumulated(self, name, skipna) if plain else None
        return _ACCUMULATE(self, name, func, axis, skipna, *args, **kwargs) if result is None else result

    describe = calls.adopting(pandas.Series.describe)
    quantile = calls.adopting(pandas.Series.quantile)
    dt = calls.Accessor("dt")
    cat = calls.Accessor("cat")

    sort_values = _plain(internals.relinked(pandas.Series.sort_values, nargsort=sorting.nargsort))
    isin = calls.adopting(internals.relinked(pandas.Series.isin, algorithms=_ALGORITHMS))
    rank = _RANK


class DataFrame(pandas.DataFrame, metaclass=_Kind):
    __doc__ = pandas.DataFrame.__doc__
    __module__ = "tessera.pandas"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        blocks.adopt(self._mgr)

    _from_mgr = classmethod(_over_manager)

    __array_ufunc__ = _array_ufunc

    def _getitem_bool_array(self, key):
        rows = selecting.rows_of_mask(self, key)
        if rows is None:
            return super()._getitem_bool_array(key)
        manager = self._mgr.take(rows, axis=1, verify=False)
        return self._constructor_from_mgr(manager, axes=manager.axes).__finalize__(self, method="take")

    @property
    def _constructor(self):
        return DataFrame

    _constructor_sliced = Series

    def _constructor_from_mgr(self, mgr, axes):
        if type(self) is not DataFrame:
            return super()._constructor_from_mgr(mgr, axes)
        return _over_manager(DataFrame, mgr, axes)

    def _constructor_sliced_from_mgr(self, mgr, axes):
        if type(self) is not DataFrame:
            return super()._constructor_sliced_from_mgr(mgr, axes)
        result = _over_manager(Series, mgr, axes)
        result.__dict__["_name"] = None
        return result

    __reduce_ex__ = _pickled

    def _reduce(self, op, name, **kwargs):
        return calls.adopt(super()._reduce(block_ops.reduction(op, name, len(self.index)), name, **kwargs))

    describe = calls.adopting(pandas.DataFrame.describe)
    quantile = calls.adopting(pandas.DataFrame.quantile)
    value_counts = calls.adopting(pandas.DataFrame.value_counts)

    @classmethod
    def from_arrow(cls, data):
        return calls.adopt(super().from_arrow(data))

    def merge(self, right, how="inner", on=None, left_on=None, right_on=None, left_index=False, right_index=False,
              sort=False, suffixes=("_x", "_y"), copy=_UNSET, indicator=False,
              validate=None):  # fmt: skip
        return joins.merge(self, right, how=how, on=on, left_on=left_on, right_on=right_on, left_index=left_index,
                           right_index=right_index, sort=sort, suffixes=suffixes, copy=copy, indicator=indicator,
                           validate=validate)  # fmt: skip

    def duplicated(self, subset=None, keep="first"):
        columns = methods.columns_named(self, subset)
        found = None if columns is None else selecting.duplicated(self, columns, keep)
        if found is None:
            return super().duplicated(subset, keep)
        return self._constructor_sliced(found, index=self.index, copy=False).__finalize__(self, method="duplicated")

    isin = calls.adopting(internals.relinked(pandas.DataFrame.isin, algorithms=_ALGORITHMS))
    rank = _RANK
    _accum_func = _ACCUMULATE

    def corr(self, method="pearson", min_periods=1, numeric_only=False):
        problem = "" if method == "pearson" else f"method={method!r}"
        found = group_pairs.of_whole_frame(self, "corr", min_periods, 1, numeric_only, problem)
        return super().corr(method, min_periods, numeric_only) if found is None else found

    def cov(self, min_periods=None, ddof=1, numeric_only=False):
        problem = "" if type(ddof) is int else f"ddof={ddof!r}"
        found = group_pairs.of_whole_frame(self, "cov", min_periods, ddof, numeric_only, problem)
        return super().cov(min_periods, ddof, numeric_only) if found is None else found

    sort_values = _plain(
        internals.relinked(
            pandas.DataFrame.sort_values, nargsort=sorting.nargsort, lexsort_indexer=sorting.lexsort_indexer
        )
    )


class _GroupBy:
    """What group-bys of frames and of columns have in common."""

    def _gotitem(self, key, ndim, subset=None):
        return calls.adopt(super()._gotitem(key, ndim, subset))

    def _aggregate_checked(self, name, method, func, args, kwargs):
        reason = methods.python_function(func, kwargs)
        if reason and len(self.obj) >= settings.native_rows:
            with report.InPandas(f"{type(self).__name__}.{name}", reason):
                return calls.adopt(method(func, *args, **kwargs))
        return calls.adopt(method(func, *args, **kwargs))

    def aggregate(self, func=None, *args, **kwargs):
        return self._aggregate_checked("agg", super().aggregate, func, args, kwargs)

    def transform(self, func=None, *args, **kwargs):
        return self._aggregate_checked("transform", super().transform, func, args, kwargs)

    count = calls.adopting(grouping.count)

    def _cumcount_array(self, ascending=True):
        found = grouping.numbers_within(self._grouper, ascending)
        return super()._cumcount_array(ascending) if found is None else found

    def agg(self, func=None, *args, **kwargs):
        return self._aggregate_checked("agg", super().aggregate, func, args, kwargs)


for _member in vars(_GroupBy).values():
    if isinstance(_member, types.FunctionType):
        internals.as_pandas_code(_member)
calls.mark_as_ours(_GroupBy)


class DataFrameGroupBy(_GroupBy, internals.DataFrameGroupBy, metaclass=_Kind):
    __doc__ = internals.DataFrameGroupBy.__doc__
    __module__ = "tessera.pandas"

    def corr(self, method="pearson", min_periods=1, numeric_only=False):
        problem = "" if method == "pearson" else f"method={method!r}"
        result = group_pairs.of_frame(self, "corr", min_periods, 1, numeric_only, problem)
        if result is None:
            result = super().corr(method=method, min_periods=min_periods, numeric_only=numeric_only)
        return calls.adopt(result)

    def cov(self, min_periods=None, ddof=1, numeric_only=False):
        problem = "" if type(ddof) is int else f"ddof={ddof!r}"
        result = group_pairs.of_frame(self, "cov", min_periods, ddof, numeric_only, problem)
        if result is None:
            result = super().cov(min_periods=min_periods, ddof=ddof, numeric_only=numeric_only)
        return calls.adopt(result)


class SeriesGroupBy(_GroupBy, internals.SeriesGroupBy, metaclass=_Kind):
    __doc__ = internals.SeriesGroupBy.__doc__
    __module__ = "tessera.pandas"
    nunique = calls.adopting(grouping.nunique)


calls.OURS.update(
    {
        pandas.DataFrame: DataFrame,
        pandas.Series: Series,
        internals.DataFrameGroupBy: DataFrameGroupBy,
        internals.SeriesGroupBy: SeriesGroupBy,
        **{kind.__mro__[1]: kind for kind in windows.KINDS},
    }
)


for _kind in windows.KINDS:
    for _name in ("cov", "corr"):  # of pairs of columns: pandas makes plain frames of them
        setattr(_kind, _name, calls.adopting(getattr(_kind, _name)))


def _rows(frame) -> int:
    return len(frame.index)


def _rows_of_groups(grouped) -> int:
    return len(grouped.obj.index)


for _name in ("mean", "sum", "std", "var", "aggregate", "agg"):
    _method = getattr(windows.ExponentialMovingWindow, _name)
    _method = calls.counted("ExponentialMovingWindow", _name, _method, lambda window: len(window.obj.index))
    setattr(windows.ExponentialMovingWindow, _name, _method)


calls.add_methods(Series, methods.FREE, methods.SERIES_SEAMS, _rows)
calls.add_methods(DataFrame, methods.FREE, methods.FRAME_SEAMS, _rows)
for _kind in (DataFrameGroupBy, SeriesGroupBy):
    calls.add_methods(_kind, methods.GROUP_FREE, methods.GROUP_SEAMS, _rows_of_groups)
