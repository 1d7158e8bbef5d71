"""Rolling and expanding windows: pandas' bounds, reduced by the engine."""

from __future__ import annotations

import functools

import numpy as np

from tessera._core import frames as core
from tessera.pandas import engine_columns, internals, report, settings

_OPERATIONS = {
    internals.window_aggregations.roll_sum: "sum",
    internals.window_aggregations.roll_mean: "mean",
    internals.window_aggregations.roll_min: "min",
    internals.window_aggregations.roll_max: "max",
}


@internals.as_pandas_code
def _native_apply(kind: type):
    """`_apply` of pandas' class, with its functions of windows swapped for the engine's."""
    plain = kind._apply

    def _apply(self, func, name, numeric_only=False, numba_args=(), **kwargs):
        if len(self.obj) < settings.native_rows:
            return plain(self, func, name, numeric_only, numba_args, **kwargs)
        operation, degrees = _OPERATIONS.get(func), 1
        if name in ("var", "std"):
            operation, degrees = name, _degrees(func)
        if numba_args or kwargs or degrees is None:
            operation = None
        label = f"{kind.__name__}.{name}"
        if operation is None:
            with report.InPandas(label, "there is no native form of it"):
                return plain(self, func, name, numeric_only, numba_args, **kwargs)
        report.native(label)
        apply = self._apply_columnwise if self.method == "single" else self._apply_tablewise
        return apply(_reduction(self, operation, degrees), name, numeric_only)

    return _apply


def _degrees(func) -> int | None:
    """The degrees of freedom that pandas' function of a variance, or of its root, takes off."""
    if isinstance(func, functools.partial):
        return func.keywords.get("ddof")
    if "ddof" not in func.__code__.co_freevars:
        return None
    found = func.__closure__[func.__code__.co_freevars.index("ddof")].cell_contents
    return found if type(found) is int else None


def _reduction(window, operation: str, degrees: int):
    """The operation on one column, as pandas calls its functions of elements."""
    indexer = window._get_window_indexer()
    least = indexer.window_size if window.min_periods is None else window.min_periods
    fixed = _fixed(window, indexer)

    def reduce(values):
        if values.size == 0:
            return values.copy()
        values, rows = np.ascontiguousarray(values), len(values)
        # A sum of no elements is 0 where none is asked for.
        count = least if operation == "sum" else max(1, least)
        if fixed is not None:
            out = engine_columns.empty(rows, np.float64)
            core.fixed_window_reduce(operation, values, *fixed, count, degrees, out)
            return out
        start, end = indexer.get_window_bounds(rows, least, window.center, window.closed, window.step)
        window._check_window_bounds(start, end, rows)
        if operation in ("min", "max"):
            _check_order(start, end)
        out = engine_columns.empty(len(start), np.float64)
        core.window_reduce(operation, values, start, end, count, degrees, out)
        return out

    return internals.as_pandas_code(reduce)


def _fixed(window, indexer) -> tuple[int, int] | None:
    """Where windows begin and end beside their rows, if all do alike: those of pandas' FixedWindowIndexer."""
    if type(indexer) is not internals.FixedWindowIndexer or window.step not in (None, 1):
        return None
    width = indexer.window_size
    last = 1 + (width - 1) // 2 if window.center or width == 0 else 1
    first = last - width - (window.closed in ("left", "both"))
    return first, max(first, last - (window.closed in ("left", "neither")))


def _check_order(start: np.ndarray, end: np.ndarray) -> None:
    """pandas refuses least and largest elements of windows whose ends move backward, or whose starts do at one end."""
    backward = (end[1:] < end[:-1]) | (end[1:] == end[:-1]) & (start[1:] < start[:-1])
    if backward.any():
        raise ValueError(f"Start/End ordering requirement is violated at index {int(backward.argmax()) + 1}")


class Rolling(internals.Rolling):
    __doc__ = internals.Rolling.__doc__
    __module__ = "tessera.pandas"
    _apply = _native_apply(internals.Rolling)


class Expanding(internals.Expanding):
    __doc__ = internals.Expanding.__doc__
    __module__ = "tessera.pandas"
    _apply = _native_apply(internals.Expanding)


def _computed_by_pandas(kind: type) -> type:
    """A class of our own whose windows pandas computes."""
    return type(kind.__name__, (kind,), {"__doc__": kind.__doc__, "__module__": "tessera.pandas"})


ExponentialMovingWindow = _computed_by_pandas(internals.ExponentialMovingWindow)
_OF_GROUPS = (internals.RollingGroupBy, internals.ExpandingGroupBy, internals.ExponentialMovingWindowGroupBy)
KINDS = (Rolling, Expanding, ExponentialMovingWindow, *map(_computed_by_pandas, _OF_GROUPS))
