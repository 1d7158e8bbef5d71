"""Operations on the elements of whole blocks by the engine, in the place of pandas' array functions and block methods."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

import tessera.numpy as tn
from tessera._core import frames as core
from tessera.pandas import arithmetic, engine_columns, internals, report, settings

_TABLES = {
    internals.array_ops.arithmetic_op: (arithmetic.ARITHMETIC, "iuf"),
    internals.array_ops.comparison_op: (arithmetic.COMPARISONS, "iuf"),
    internals.array_ops.logical_op: (arithmetic.LOGICAL, "b"),
}


def _is_large(values: Any, kinds: str) -> bool:
    """Whether the engine computes with the elements: of one or two axes, next to each other along the rows."""
    return (
        isinstance(values, np.ndarray)
        and values.dtype.kind in kinds
        and engine_columns.is_engines(values.dtype)
        and values.flags.aligned
        and values.size > 0
        and values.shape[-1] >= settings.native_rows
    )


def _owner(values) -> str:
    return "DataFrame" if values.ndim == 2 else "Series"


def _computed(name: str, values: np.ndarray, compute: Callable) -> np.ndarray:
    """What `compute` makes of the elements as an array of the engine."""
    report.native(f"{_owner(values)}.{name}")
    with tn.errstate(all="ignore"):
        return np.asarray(compute(core.constant_array(values)))


@internals.as_pandas_code
def binary(array_op: Callable) -> Callable:
    """pandas' operation of two operands, by the engine where it has it."""
    found = _TABLES.get(getattr(array_op, "func", None))
    if not isinstance(array_op, functools.partial) or found is None or set(array_op.keywords) != {"op"}:
        return array_op
    table, kinds = found
    name = array_op.keywords["op"].__name__
    if name not in table:
        return array_op

    def native(left, right):
        if not _is_large(left, kinds):
            return array_op(left, right)
        if isinstance(right, np.ndarray):
            if not _is_large(right, kinds) or right.shape != left.shape or name in arithmetic.BY_NUMBERS:
                return array_op(left, right)
            return _computed(name.strip("_"), left, lambda array: table[name](array, core.constant_array(right)))
        if arithmetic.scalar_problem(left.dtype, right) or arithmetic.number_problem(name, left.dtype, right):
            return array_op(left, right)
        return _computed(name.strip("_"), left, lambda array: table[name](array, right))

    return native


def _absolute(values):
    return _computed("abs", values, tn.abs) if _is_large(values, "iuf") else None


def _missing(values):
    if _is_large(values, "f"):
        return _computed("isna", values, tn.isnan)
    return _computed("isna", values, lambda array: tn.zeros(array.shape, bool)) if _is_large(values, "biu") else None


def _filled(values, value, limit, inplace):
    plain = limit is None and not inplace and type(value) in (int, float)
    if not plain or values.dtype != np.float64 or not _is_large(values, "f"):
        return None
    return _computed("fillna", values, lambda array: tn.where(tn.isnan(array), float(value), array))


def _rounded(values, decimals):
    if values.dtype != np.float64 or not _is_large(values, "f"):
        return None
    return _computed("round", values, lambda array: tn.round(array, decimals))


def moved(array, periods: int):
    """The rows moved up by this many places, or down, with NaN where nothing comes from."""
    count = array.shape[-1]
    result, most = tn.full(array.shape, np.nan), min(abs(periods), count)
    if most < count:
        if periods >= 0:
            result[..., most:] = array[..., : count - most]
        else:
            result[..., : count - most] = array[..., most:]
    return result


def _shifted(values, periods, fill_value):
    plain = fill_value is None or isinstance(fill_value, float) and np.isnan(fill_value)
    if not plain or values.dtype != np.float64 or not _is_large(values, "f"):
        return None
    return _computed("shift", values, lambda array: moved(array, int(periods)))


def _differences(values, n):
    if values.dtype != np.float64 or not _is_large(values, "f") or not n:
        return None
    return _computed("diff", values, lambda array: array - moved(array, int(n)))


def _chosen(values, other, cond):
    """`other` where the condition, with frames' axes, is false."""
    if other is internals.lib.no_default:
        other = np.nan
    plain = type(other) in (int, float, np.float64)
    if not plain or values.dtype != np.float64 or not _is_large(values, "f"):
        return None
    if not isinstance(cond, np.ndarray) or cond.dtype != np.bool_ or cond.T.shape != values.shape:
        return None
    return _computed("where", values, lambda array: tn.where(core.constant_array(cond.T), array, float(other)))


def _cast(values, dtype, errors):
    """To floating numbers, and from booleans and smaller integers: nothing is lost that pandas would look for."""
    if errors != "raise" or not isinstance(dtype, (str, type, np.dtype)) or not _is_large(values, "biuf"):
        return None
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        return None
    if not engine_columns.is_engines(wanted) or wanted == values.dtype or wanted.kind == "b":
        return None
    if wanted.kind != "f" and not np.can_cast(values.dtype, wanted, "safe"):
        return None
    return _computed("astype", values, lambda array: array.astype(wanted))


def quantiles(values, shares: np.ndarray, interpolation: str) -> np.ndarray | None:
    """[column, share], or None where pandas computes them."""
    if values.ndim != 2 or not _is_large(values, "iuf") or values.dtype == np.float32:
        return None
    if values.dtype.kind != "f" and interpolation not in ("linear", "midpoint"):
        return None  # the results are integers
    result = np.full((len(values), len(shares)), np.nan)
    for column, out in zip(values, result):
        present = column if column.dtype.kind != "f" else column[~np.isnan(column)]
        if len(present):
            found = tn.percentile(tn.asarray(present), shares * 100.0, method=interpolation)
            out[:] = np.asarray(found)
    return result


_METHODS = {
    "astype": _cast,
    "fillna": _filled,
    "round": _rounded,
    "shift": _shifted,
    "diff": _differences,
    "where": _chosen,
}


@internals.as_pandas_code
def _of_scalar(native: Callable) -> Callable:
    def compute(values, right):
        return native(values, right) if _is_large(values, "biuf") else None

    return compute


def method(function, keywords: dict) -> Callable | None:
    """What computes new elements of a block from its elements and these arguments of BlockManager.apply(); None where
    the engine has no such operation. It gives None for elements that pandas computes with."""
    if function is np.abs and not keywords:
        return _absolute
    if function == "apply" and keywords.get("func") is internals.isna and len(keywords) == 1:
        return lambda values, func: _missing(values)
    if isinstance(function, functools.partial) and set(keywords) == {"right"}:
        native = binary(function)
        return None if native is function else _of_scalar(native)
    return _METHODS.get(function) if isinstance(function, str) else None


def _present(array, axis):
    """How many elements count."""
    count = array.size if axis is None else array.shape[axis]
    return count - tn.isnan(array).sum(axis=axis) if array.dtype.kind == "f" else count


def _kept(array, neutral: float):
    return tn.where(tn.isnan(array), neutral, array) if array.dtype.kind == "f" else array


def _sum(array, axis, **_):
    result = _kept(array, 0.0).sum(axis=axis)
    arithmetic.warn_of_overflow(array, result)
    return result


def _product(array, axis, **_):
    return _kept(array, 1.0).prod(axis=axis)


def _mean(array, axis, **_):
    return _kept(array, 0.0).sum(axis=axis, dtype="f8") / _present(array, axis)


def _variance(array, axis, ddof=1, **_):
    count = _present(array, axis)
    mean = _kept(array, 0.0).sum(axis=axis, dtype="f8") / count
    if axis is not None:
        mean = tn.expand_dims(mean, axis)
    squares = (mean - array) ** 2
    squares = (tn.where(tn.isnan(array), 0.0, squares) if array.dtype.kind == "f" else squares).sum(axis=axis)
    return tn.where(tn.asarray(count) > ddof, squares / (count - ddof), np.nan)


def _deviation(array, axis, ddof=1, **_):
    return tn.sqrt(_variance(array, axis, ddof))


def _standard_error(array, axis, ddof=1, **_):
    return _deviation(array, axis, ddof) / tn.sqrt(tn.asarray(_present(array, axis)))


def _median(array, axis, **_):
    rows = array if axis is not None else array[None, :]
    found = tn.asarray([_middle(row) for row in rows])
    return found if axis is not None else found[0]


def _middle(row) -> float:
    present = row[~tn.isnan(row)] if row.dtype.kind == "f" else row
    return float(tn.median(present)) if present.size else np.nan


def _extreme(name: str, neutral: float):
    def reduce(array, axis, **_):
        found = getattr(_kept(array, neutral), name)(axis=axis)
        if array.dtype.kind != "f":
            return found
        return tn.where(tn.asarray(_present(array, axis)) > 0, found, np.nan)

    return reduce


def _any(array, axis, **_):
    return array.any(axis=axis)


def _all(array, axis, **_):
    return array.all(axis=axis)


_CUMULATIVE = {
    np.cumsum: (tn.cumsum, 0.0, "cumsum"),
    np.cumprod: (tn.cumprod, 1.0, "cumprod"),
    np.minimum.accumulate: (tn.minimum.accumulate, np.inf, "cummin"),
    np.maximum.accumulate: (tn.maximum.accumulate, -np.inf, "cummax"),
}


@internals.as_pandas_code
def accumulated(values, function, *, skipna):
    """Stands for pandas.core.nanops.na_accum_func; elements have frames' axes."""
    rows = values.T
    if not skipna or not _is_large(rows, "iuf") or rows.dtype not in (np.float64, np.int64, np.uint64):
        if len(values) >= settings.native_rows:
            report.refused(f"{_owner(values)}.{_CUMULATIVE[function][2]}", f"a block of dtype {values.dtype}")
        return internals.nanops.na_accum_func(values, function, skipna=skipna)
    compute, neutral, name = _CUMULATIVE[function]

    def run(array):
        if array.dtype.kind != "f":
            return compute(array, axis=array.ndim - 1)
        lost = tn.isnan(array)
        return tn.where(lost, np.nan, compute(tn.where(lost, neutral, array), axis=array.ndim - 1))

    return _computed(name, rows, run).T


def _known(values, others) -> np.ndarray | None:
    """What the elements are looked for among, as an array of their dtype, if they are plain numbers."""
    if not isinstance(values, np.ndarray) or values.dtype not in (np.int64, np.float64):
        return None
    if isinstance(others, (list, tuple, set)):
        wanted = int if values.dtype.kind == "i" else float
        if all(type(each) is wanted and (wanted is float or abs(each) < 2**63) for each in others):
            others = np.array(list(others), values.dtype)
    plain = isinstance(others, np.ndarray) and others.ndim == 1 and others.dtype == values.dtype and len(others)
    return np.ascontiguousarray(others) if plain else None


@internals.as_pandas_code
def contained(values, others):
    """Stands for pandas.core.algorithms.isin."""
    if len(values) < settings.native_rows:
        return internals.algorithms.isin(values, others)
    known = _known(values, others)
    if known is None or not _is_large(values, "if"):
        report.refused("isin", f"elements of dtype {values.dtype}, or these values")
        return internals.algorithms.isin(values, others)
    report.native("isin")
    found = np.asarray(tn.isin(core.constant_array(values), core.constant_array(known)))
    if known.dtype.kind == "f" and np.isnan(known).any():
        found = found | np.isnan(values)
    return found


# Of which dtypes, and with which options.
_REDUCTIONS: dict[str, tuple[Callable, str, frozenset[str]]] = {
    "sum": (_sum, "biuf", frozenset(("min_count",))),
    "prod": (_product, "biuf", frozenset(("min_count",))),
    "mean": (_mean, "biuf", frozenset()),
    "var": (_variance, "biuf", frozenset(("ddof",))),
    "std": (_deviation, "biuf", frozenset(("ddof",))),
    "sem": (_standard_error, "biuf", frozenset(("ddof",))),
    "min": (_extreme("min", np.inf), "iuf", frozenset()),
    "max": (_extreme("max", -np.inf), "iuf", frozenset()),
    "median": (_median, "iuf", frozenset()),
    "any": (_any, "b", frozenset()),
    "all": (_all, "b", frozenset()),
}


@internals.as_pandas_code
def reduction(op: Callable, name: str, rows: int) -> Callable:
    """pandas' reduction of blocks of so many rows, by the engine where it has it."""
    found = _REDUCTIONS.get(name)
    if found is None or rows < settings.native_rows:
        return op
    compute, kinds, options = found

    def native(values, *, axis=None, skipna=True, **keywords):
        problem = "" if skipna else "skipna=False"
        if not set(keywords) <= options or keywords.get("min_count", 0) > 0 or type(keywords.get("ddof", 1)) is not int:
            problem = "these arguments"
        if not _is_large(values, kinds) or values.dtype == np.float32:
            problem = f"a block of dtype {values.dtype}"
        if axis not in (None, values.ndim - 1):
            problem = "along columns"
        if problem:
            if values.size >= settings.native_rows:
                report.refused(f"{_owner(values)}.{name}", problem)
            return op(values, axis=axis, skipna=skipna, **keywords)
        keywords.pop("min_count", None)
        result = _computed(name, values, lambda array: compute(array, axis, **keywords))
        return result[()] if result.ndim == 0 else result

    return native


@internals.as_pandas_code
def blocks_of(manager, function, align_keys, keywords: dict) -> list | None:
    """The blocks of BlockManager.apply(), or None where the engine has no such operation."""
    compute = method(function, keywords)
    if compute is None:
        return None
    if align_keys and not (function == "where" and _is_aligned(keywords)):
        return None
    blocks = []
    for block in manager.blocks:
        own = _arguments_of(block, keywords) if align_keys else keywords
        values = compute(block.values, **own)
        if values is not None:
            made = block.make_block_same_class(values) if values.dtype == block.dtype else block.make_block(values)
        elif callable(function):
            made = block.apply(function, **own)
        else:
            made = getattr(block, function)(**own)
        blocks.extend(made if isinstance(made, list) else [made])
    return blocks


def _is_aligned(keywords: dict) -> bool:
    """Whether only the condition has a value for each element."""
    other = keywords["other"]
    return not isinstance(other, (pandas.Series, pandas.DataFrame, pandas.Index, np.ndarray, list)) and isinstance(
        keywords["cond"], (pandas.Series, pandas.DataFrame)
    )


def _arguments_of(block, keywords: dict) -> dict:
    condition = keywords["cond"]
    own = condition._values if condition.ndim == 1 else condition.iloc[:, block.mgr_locs.indexer]._values
    return {**keywords, "cond": own}
