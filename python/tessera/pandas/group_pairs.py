"""Correlations and covariances of the columns of each group."""

from __future__ import annotations

import numpy as np
import pandas

import tessera.numpy as tn
from tessera._core import frames as core
from tessera.pandas import calls, grouping, report, settings


def of_frame(grouped, how: str, min_periods, degrees: int, numeric_only: bool, problem: str):
    """The frame that pandas gives, or None where it computes it."""
    if len(grouped.obj) < settings.native_rows:
        return None
    frame = grouped._obj_with_exclusions
    problem = problem or _dates(frame, how)
    if numeric_only and isinstance(frame, pandas.DataFrame):
        frame = frame._get_numeric_data()
    problem = problem or _problem(grouped, frame, min_periods, how, degrees)
    if problem:
        report.refused(f"DataFrameGroupBy.{how}", problem)
        return None
    report.native(f"DataFrameGroupBy.{how}")
    columns = [frame._get_column_array(at) for at in range(frame.shape[1])]
    ids = grouping.codes_of(grouped._grouper)
    least = 1 if min_periods is None else min_periods
    matrices = _pairs_of(columns, ids, grouped._grouper.ngroups, how == "corr", least, degrees)
    return calls.OURS[pandas.DataFrame](
        matrices.reshape(-1, len(columns)), index=_labels(grouped._grouper, frame.columns), columns=frame.columns
    )


def of_whole_frame(frame, how: str, min_periods, degrees: int, numeric_only: bool, problem: str):
    """The matrix of a frame's columns, or None where pandas computes it."""
    if len(frame) < settings.native_rows:
        return None
    whole, problem = frame, problem or _dates(frame, how)
    if numeric_only:
        frame = frame._get_numeric_data()
    problem = problem or _column_problem(frame, how, degrees)
    if min_periods is not None and type(min_periods) is not int:
        problem = "these arguments"
    if problem:
        report.refused(f"DataFrame.{how}", problem)
        return None
    report.native(f"DataFrame.{how}")
    columns = [frame._get_column_array(at) for at in range(frame.shape[1])]
    ids = np.zeros(len(frame), np.int32)
    least = 1 if min_periods is None else min_periods
    matrix = _pairs_of(columns, ids, 1, how == "corr", least, degrees)[0]
    result = type(frame)(matrix, index=frame.columns.copy(), columns=frame.columns, copy=False)
    return result.__finalize__(whole, method=how)


def _dates(frame, how: str) -> str:
    """Columns that pandas refuses, also where only numbers are asked for."""
    dated = how == "cov" and isinstance(frame, pandas.DataFrame) and any(each.kind in "mM" for each in frame.dtypes)
    return "columns of dates" if dated else ""


def _column_problem(frame, how: str, degrees: int) -> str:
    if any(not isinstance(dtype, np.dtype) or dtype.kind not in "iuf" for dtype in frame.dtypes):
        return "columns that are no numbers"
    columns = list(map(frame._get_column_array, range(frame.shape[1]))) if how == "cov" else []
    if how == "cov" and degrees not in (0, 1):
        return "these degrees of freedom"  # there may be fewer rows
    if degrees != 1 and any(_has(tn.isnan, column) for column in columns):
        return "missing elements"  # with which pandas takes one degree of freedom, whatever is asked for
    if any(_has(tn.isinf, column) for column in columns):
        return "infinite elements"  # which pandas leaves out where one is missing, and takes with it where none is
    return "" if frame.shape[1] else "no columns"


def _has(test, column: np.ndarray) -> bool:
    return column.dtype.kind == "f" and bool(test(core.constant_array(column)).any())


def _problem(grouped, frame, min_periods, how: str, degrees: int) -> str:
    if not isinstance(frame, pandas.DataFrame) or not frame.shape[1] or not frame.columns.is_unique:
        return "no frame of columns with names of their own"
    if isinstance(frame.columns, pandas.MultiIndex):
        return "columns of several levels"
    if problem := _column_problem(frame, how, degrees):
        return problem
    if not grouped.as_index or not grouped.group_keys or min_periods is not None and type(min_periods) is not int:
        return "these arguments"
    grouper = grouped._grouper
    if any(grouping._passed_categorical for grouping in grouper.groupings):
        return "categorical keys"
    if len(grouper.groupings) > 1 and not grouper.dropna:
        return "several keys that may be missing"  # which pandas does not find among its labels, and raises
    return "" if grouper.ngroups else "no groups"


def _pairs_of(columns: list, ids: np.ndarray, groups: int, correlation: bool, least: int, degrees: int) -> np.ndarray:
    """[group, row, column]."""
    count = len(columns)
    result = np.empty((groups, count, count))
    complete = [column.dtype.kind != "f" for column in columns]  # no element is missing
    done = set()
    for at in range(count):
        for other in range(at):
            found = np.empty((3, groups))
            core.group_pairs(columns[at], columns[other], ids, max(least, 1), correlation, degrees, found)
            result[:, at, other] = result[:, other, at] = found[0]
            for own, partner, values in ((at, other, found[1]), (other, at, found[2])):
                if complete[partner]:  # the pair has all rows that the column has
                    result[:, own, own] = values
                    done.add(own)
    for at in set(range(count)) - done:
        found = np.empty((3, groups))
        core.group_pairs(columns[at], columns[at], ids, max(least, 1), correlation, degrees, found)
        result[:, at, at] = found[0]
    return result


def _labels(grouper, columns: pandas.Index) -> pandas.MultiIndex:
    groups, width = grouper.result_index, len(columns)
    several = isinstance(groups, pandas.MultiIndex)
    codes = groups.codes if several else [np.arange(len(groups))]
    return pandas.MultiIndex(
        levels=[*(groups.levels if several else [groups]), columns],
        codes=[*(np.repeat(each, width) for each in codes), np.tile(np.arange(width), len(groups))],
        names=[*groups.names, columns.name],
        verify_integrity=False,
    )
