"""Arithmetic, comparisons and reductions of columns, recorded by the engine."""

from __future__ import annotations

import warnings

import numpy as np
import pandas

import tessera.numpy as tn
from tessera.pandas import calls, engine_columns, internals, report, settings

ARITHMETIC = {
    "add": lambda a, b: a + b,
    "radd": lambda a, b: b + a,
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: b - a,
    "mul": lambda a, b: a * b,
    "rmul": lambda a, b: b * a,
    "truediv": lambda a, b: a / b,
    "rtruediv": lambda a, b: b / a,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
}
COMPARISONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
LOGICAL = {"and_": lambda a, b: a & b, "or_": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
LOGICAL |= {"rand_": LOGICAL["and_"], "ror_": LOGICAL["or_"], "rxor": LOGICAL["xor"]}
# Of these dtypes pandas computes by Arrow, or by what the dtype's author wrote.
_SPECIAL = (pandas.StringDtype, pandas.ArrowDtype)


def _may_be_native(series) -> bool:
    """Classes of the user's have methods of their own; small columns are pandas'."""
    return rows_of(series) >= settings.native_rows and type(series) is calls.OURS[pandas.Series]


def rows_of(series) -> int:
    """How many rows are computed with: of a column whose rows are chosen by a mask that is not computed yet all of them."""
    chosen = engine_columns.selected(series)
    return len(series.index) if chosen is None else len(chosen.selection)


def filtered(series, mask):
    """The rows that a column of booleans takes, recorded; None where pandas takes them."""
    if not _may_be_native(series) or type(mask) is not type(series) or mask.dtype != np.bool_:
        return None
    if not engine_columns.is_engines(series.dtype) or engine_columns.selected(series) is not None:
        return None
    if mask.index is not series.index and not mask.index.equals(series.index):
        return None
    whole, chosen = engine_columns.kept_array(series), engine_columns.kept_array(mask)
    if whole is None or chosen is None:
        return None
    report.native("Series.__getitem__")
    pending = engine_columns.Selected(lambda: whole, engine_columns.Selection(chosen, series.index), 1)
    return engine_columns.series_of(type(series), pending, series.name).__finalize__(series)


@internals.as_pandas_code
def arithmetic(series, other, op):
    """The result, or None where pandas computes it."""
    return _binary(series, other, op, ARITHMETIC, "iuf")


@internals.as_pandas_code
def comparison(series, other, op):
    return _binary(series, other, op, COMPARISONS, "iuf")


@internals.as_pandas_code
def logical(series, other, op):
    return _binary(series, other, op, LOGICAL, "b")


@internals.as_pandas_code
def _binary(series, other, op, table: dict, kinds: str):
    if not _may_be_native(series):
        return None
    if isinstance(other, pandas.Series) and not _share_rows(series, other) and len(series.index) < settings.native_rows:
        return None
    reason = _problem(series, other, op.__name__, table, kinds)
    if reason:
        if not isinstance(series.dtype, _SPECIAL):
            report.refused(f"Series.{op.__name__.strip('_')}", reason)
        return None
    pending = _combined(series, other, table[op.__name__])
    report.native(f"Series.{op.__name__.strip('_')}")
    name = internals.get_op_result_name(series, other)
    result = engine_columns.series_of(type(series), pending, name)
    result = result.__finalize__(series)
    if isinstance(other, pandas.Series):
        result = result.__finalize__(other)
    result._name = name
    return result


def _combined(series, other, compute):
    """What `compute` makes of both operands' elements."""
    mine = engine_columns.selected(series)
    if mine is not None and isinstance(other, pandas.Series):
        theirs = engine_columns.selected(other)
        mine = mine if theirs is not None and theirs.selection is mine.selection else None
    if mine is not None:
        first, second = mine.record, theirs.record if isinstance(other, pandas.Series) else lambda: other
        steps = mine.steps + (theirs.steps if isinstance(other, pandas.Series) else 0) + 1

        def record():
            with tn.errstate(all="ignore"):
                return compute(first(), second())

        return engine_columns.Selected(record, mine.selection, steps)
    with tn.errstate(all="ignore"):
        operand = engine_columns.engine_array(other) if isinstance(other, pandas.Series) else other
        return engine_columns.Pending(compute(engine_columns.engine_array(series), operand), series.index)


def _share_rows(series, other) -> bool:
    """Whether both have the rows of one mask."""
    mine, theirs = engine_columns.selected(series), engine_columns.selected(other)
    return mine is not None and theirs is not None and mine.selection is theirs.selection


@internals.as_pandas_code
def _problem(series, other, name: str, table: dict, kinds: str) -> str:
    if name not in table:
        return "there is no native form of it"
    if not engine_columns.is_engines(series.dtype) or series.dtype.kind not in kinds:
        return f"a column of dtype {series.dtype}"
    if isinstance(other, pandas.Series):
        if not engine_columns.is_engines(other.dtype) or other.dtype.kind not in kinds:
            return f"a column of dtype {other.dtype}"
        if not (_share_rows(series, other) or other.index is series.index or series.index.equals(other.index)):
            return "labels that are not aligned"
        return "a column that may have zeros" if name in BY_NUMBERS else ""
    return scalar_problem(series.dtype, other) or number_problem(name, series.dtype, other)


BY_NUMBERS = frozenset(("floordiv", "mod", "pow"))


def number_problem(name: str, dtype: np.dtype, other) -> str:
    """Why pandas divides with a remainder, or raises to a power: it has results of its own for zeros."""
    if name not in BY_NUMBERS:
        return ""
    if dtype.kind == "u" or dtype.itemsize < 8 or type(other) not in (int, float):
        return "a column or a number of another kind"
    if name == "pow":
        plain = other in (1, 2, 3) if type(other) is int else dtype.kind == "f" and other in (0.5, 1.0, 2.0)
        return "" if plain else "this power"
    return "" if other and abs(other) < 2**53 else "division by nothing or infinity"


def scalar_problem(dtype: np.dtype, other) -> str:
    if dtype.kind == "b":
        return "" if type(other) is bool else f"an operand of type {type(other).__name__}"
    if type(other) is int:
        fits = dtype.kind == "f" or np.iinfo(dtype).min <= other <= np.iinfo(dtype).max
        return "" if fits and abs(other) < 2**53 else "a number that the column's dtype does not hold"
    if type(other) is float or type(other) is np.float64 and dtype.itemsize == 8:
        return ""
    return f"an operand of type {type(other).__name__}"


_REDUCTIONS = frozenset(("sum", "mean", "min", "max", "any", "all"))


def reduction(series, name: str, skipna: bool, options: dict):
    """(the result,) of a column that may only be recorded yet, or None."""
    if not _may_be_native(series) or name not in _REDUCTIONS or not _may_reduce(series.dtype, name, skipna):
        return None
    if options.get("min_count", 0) > 0 or set(options) - {"min_count"}:
        return None
    chosen = engine_columns.selected(series)
    if chosen is not None and name == "sum":
        report.native(f"Series.{name}")
        return (_sum_of(chosen.record, chosen.selection.mask),)
    if chosen is not None and not len(series.index):
        return None
    report.native(f"Series.{name}")
    return (_reduce(engine_columns.engine_array(series), name),)


def _sum_of(record, mask):
    """The sum of the elements that a mask takes."""
    if record().dtype.kind != "f":
        result = tn.where(mask, record(), 0).sum()
        return result.dtype.type(result)
    with tn.errstate(all="ignore"):
        array = record()
        total = tn.where(mask & ~tn.isnan(array), array, 0.0).sum()
        del array  # so that it is not stored
        total = float(total)
    if np.isinf(total):
        warn_of_overflow(tn.where(mask, record(), 0.0), total)
    return np.float64(total)


def _may_reduce(dtype, name: str, skipna: bool) -> bool:
    if not engine_columns.is_engines(dtype) or dtype == np.float32:
        return False
    return dtype.kind != "f" or skipna and name not in ("any", "all")


def _reduce(array, name: str):
    if array.dtype.kind != "f":
        if name == "mean":
            return np.float64(float(array.sum(dtype="f8")) / array.size)
        result = getattr(array, name)()
        kind = np.bool_ if name in ("any", "all") else result.dtype.type
        return kind(result)
    with tn.errstate(all="ignore"):
        missing = tn.isnan(array)
        if name in ("min", "max"):
            lost = np.inf if name == "min" else -np.inf
            result = float(getattr(tn.where(missing, lost, array), name)())
            return np.float64(np.nan if result == lost and bool(missing.all()) else result)
        total = float(tn.where(missing, 0.0, array).sum())
        warn_of_overflow(array, total)
        if name == "sum":
            return np.float64(total)
        count = array.size - int(missing.sum())
        return np.float64(total / count) if count else np.nan


def warn_of_overflow(array, totals) -> None:
    """NumPy's warning, where sums of finite elements are infinite."""
    if array.dtype.kind == "f" and np.isinf(totals).any() and not bool(tn.isinf(array).any()):
        warnings.warn("overflow encountered in reduce", RuntimeWarning, stacklevel=internals.find_stack_level())


def _recorded(series, name: str, method: str, compute):
    """A Series of what `compute` makes of the column's array."""
    report.native(f"Series.{name}")
    with tn.errstate(all="ignore"):
        array = compute(engine_columns.engine_array(series))
    index = series.index if method == "isna" else series.index.view()  # as pandas: names of a view are its own
    result = engine_columns.pending_series(type(series), array, index, series.name)
    return result.__finalize__(series, method=method)


def _runs(series, name: str, dtypes: tuple[str, ...], problem: str = "") -> bool:
    """Whether the column is computed natively; counts that it is not."""
    if not _may_be_native(series):
        return False
    if series.dtype not in dtypes:
        problem = f"a column of dtype {series.dtype}"
    if problem:
        report.refused(f"Series.{name}", problem)
    return not problem


def missing(series):
    """Which elements are missing, or None where pandas says it."""
    if not _may_be_native(series) or not engine_columns.is_engines(series.dtype):
        return None
    none = lambda array: tn.isnan(array) if array.dtype.kind == "f" else tn.zeros(array.shape, bool)
    return _recorded(series, "isna", "isna", none)


def filled(series, value):
    """Missing elements replaced, or None."""
    problem = "" if type(value) in (int, float) else f"a value of type {type(value).__name__}"
    if not _runs(series, "fillna", ("float64",), problem):
        return None
    return _recorded(series, "fillna", "fillna", lambda array: tn.where(tn.isnan(array), float(value), array))


def _moved(array, periods: int):
    """The array moved up by this many places, or down, with NaN where nothing comes from."""
    result, most = tn.full(array.shape, np.nan), min(abs(periods), array.size)
    if most < array.size:
        if periods >= 0:
            result[most:] = array[: array.size - most]
        else:
            result[: array.size - most] = array[most:]
    return result


def _moves(periods) -> str:
    """Why pandas moves the elements itself: by nothing at all its result is a copy."""
    return "" if type(periods) is int and 0 < abs(periods) < 2**62 else "these arguments"


def shifted(series, periods):
    problem = _moves(periods)
    if not _runs(series, "shift", ("float64",), problem):
        return None
    return _recorded(series, "shift", "shift", lambda array: _moved(array, periods))


def differences(series, periods):
    problem = _moves(periods)
    if not _runs(series, "diff", ("float64",), problem):
        return None
    return _recorded(series, "diff", "diff", lambda array: array - _moved(array, periods))


def cumulated(series, name: str, skipna: bool):
    """The running sums, or None."""
    problem = "" if name == "cumsum" else "there is no native form of it"
    if not _runs(series, name, ("float64", "int64", "uint64"), problem or ("" if skipna else "skipna=False")):
        return None

    def compute(array):
        if array.dtype.kind != "f":
            return tn.cumsum(array)
        lost = tn.isnan(array)
        return tn.where(lost, np.nan, tn.cumsum(tn.where(lost, 0.0, array)))

    return _recorded(series, name, name, compute)


def absolute(series):
    return _recorded(series, "abs", "abs", tn.abs) if _runs(series, "abs", ("float64", "int64", "float32")) else None
