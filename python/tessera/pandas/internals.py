"""Every private name of pandas that the package relies on, so that a pandas that changed one is refused at import."""

from __future__ import annotations

import functools
import os
import types

import pandas

if not pandas.__version__.startswith("3."):
    raise ImportError(f"tessera.pandas is made for pandas 3; this is pandas {pandas.__version__}")

try:
    from pandas._libs import lib
    from pandas._libs.properties import cache_readonly
    from pandas._libs.window import aggregations as window_aggregations
    from pandas.compat import CHAINED_WARNING_DISABLED
    from pandas.compat._constants import REF_COUNT_METHOD
    from pandas.core import algorithms, nanops, sorting
    from pandas.core.arrays.categorical import Categorical
    from pandas.core.arrays.datetimes import DatetimeArray
    from pandas.core.arrays.string_arrow import ArrowStringArray
    from pandas.core.arrays.timedeltas import TimedeltaArray
    from pandas.core.common import is_local_in_caller_frame
    from pandas.core.dtypes.missing import isna
    from pandas.core.flags import Flags
    from pandas.core.groupby.generic import DataFrameGroupBy, SeriesGroupBy
    from pandas.core.groupby.groupby import GroupBy
    from pandas.core.groupby.grouper import Grouping
    from pandas.core.groupby.ops import BaseGrouper, BinGrouper, WrappedCythonOp
    from pandas.core.indexers.objects import FixedWindowIndexer
    from pandas.core.internals.blocks import BlockPlacement
    from pandas.core.internals.managers import BlockManager, SingleBlockManager
    from pandas.core.ops import array_ops, get_op_result_name
    from pandas.core.reshape import merge as merging
    from pandas.core.window.ewm import ExponentialMovingWindow, ExponentialMovingWindowGroupBy
    from pandas.core.window.expanding import Expanding, ExpandingGroupBy
    from pandas.core.window.rolling import Rolling, RollingGroupBy
    from pandas.errors.cow import _chained_assignment_method_msg as CHAINED
    from pandas.errors.cow import _chained_assignment_method_update_msg as CHAINED_UPDATE
    from pandas.util._exceptions import find_stack_level

    MergeOperation = merging._MergeOperation
    _needed = {
        pandas.Series: (
            "_arith_method",
            "_cmp_method",
            "_logical_method",
            "_accum_func",
            "_from_mgr",
            "_constructor_from_mgr",
        ),
        pandas.DataFrame: ("_from_mgr", "_constructor_from_mgr", "_constructor_sliced_from_mgr"),
        Grouping: ("_codes_and_uniques", "_passed_categorical"),
        BaseGrouper: ("_ob_index_and_ids", "_cython_operation", "result_index_and_ids"),
        WrappedCythonOp: ("_get_cython_function", "cython_operation"),
        MergeOperation: ("_get_join_indexers", "get_result"),
        Rolling: ("_apply", "_apply_columnwise", "_apply_tablewise", "_check_window_bounds", "_get_window_indexer"),
        SingleBlockManager: ("from_array", "get_rows_with_mask", "reindex_indexer"),
        BlockManager: ("reindex_indexer", "from_blocks", "take", "apply", "operate_blockwise"),
        ArrowStringArray: ("_from_pyarrow_array",),
    }
    for _owner, _names in _needed.items():
        for _name in _names:
            getattr(_owner, _name)
except (ImportError, AttributeError) as error:
    raise ImportError(
        f"tessera.pandas relies on a part of pandas that pandas {pandas.__version__} does not have ({error}): "
        "use pandas 3.1, or a newer tessera"
    ) from error

# Code that calls pandas is said to be in pandas' folder: pandas attributes its warnings to the first frame outside.
_FOLDER = os.path.dirname(pandas.__file__)


def _moved(code: types.CodeType) -> types.CodeType:
    inner = tuple(_moved(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=os.path.join(_FOLDER, "_called_by_tessera.py"), co_consts=inner)


def as_pandas_code(function):
    """The function, and those in it, as far as pandas' search for the caller's line goes of pandas."""
    function.__code__ = _moved(function.__code__)
    return function


class Instead:
    """A module of pandas with some names that mean something else."""

    def __init__(self, module, **names):
        self._module = module
        self.__dict__.update(names)

    def __getattr__(self, name):
        return getattr(self._module, name)


def _names_in(code: types.CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*map(_names_in, inner))


def relinked(function, **replaced):
    """A copy of a function of pandas in which these names of its module mean something else."""
    missing = set(replaced) - _names_in(function.__code__) | set(replaced) - set(function.__globals__)
    if missing:
        raise ImportError(
            f"tessera.pandas: pandas {pandas.__version__}'s {function.__qualname__} has no {sorted(missing)}"
        )
    names = {**function.__globals__, **replaced}
    copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return functools.wraps(function)(copy)


def block_of(series):
    """The only block of a Series."""
    return series._mgr.blocks[0]
