"""Which methods of pandas compute nothing, and which ask our classes for what they compute; all others are counted."""

from __future__ import annotations

import numpy as np
import pandas

# Labels, shapes, views, conversions, files and text.
FREE = frozenset(
    """add_prefix add_suffix assign copy drop droplevel equals filter first_valid_index get groupby head hist info insert
    isetitem item items iterrows itertuples keys last_valid_index memory_usage pipe plot pop boxplot rename rename_axis
    reorder_levels reset_index resample rolling expanding ewm select_dtypes set_axis set_flags set_index squeeze
    swaplevel tail take to_clipboard to_csv to_dict to_excel to_feather to_frame to_hdf to_html to_iceberg to_json
    to_latex to_list to_markdown to_numpy to_orc to_parquet to_period to_pickle to_records to_sql to_stata to_string
    to_timestamp to_xarray to_xml tolist transpose truncate tz_convert tz_localize xs infer_objects""".split()
)
_SEAMS = """align reindex reindex_like sample sort_index dropna astype quantile median cumsum cumprod cummin cummax describe abs fillna round shift diff where mask clip isna isnull notna notnull prod product var std sem count add sub mul div truediv radd rsub rmul rdiv rtruediv subtract multiply divide eq ne lt le gt ge drop_duplicates
    sum mean min max any all isnull"""
SERIES_SEAMS = frozenset(_SEAMS.split()) | {"between", "nunique"}
FRAME_SEAMS = frozenset(_SEAMS.split()) | {"pivot_table", "join", "query", "eval", "value_counts"}

GROUP_FREE = frozenset("pipe get_group head tail hist boxplot rolling expanding ewm resample plot".split())
# These number the keys and reduce the groups by the engine's operations, or say why not.
GROUP_SEAMS = frozenset(
    "sum mean min max prod first last var std sem median size cumsum cumprod cummin cummax rank cumcount ngroup nunique any all".split()
)


def columns_named(frame, subset) -> list | None:
    """The columns that `subset` of duplicated() names, or None where pandas has more to say."""
    if not frame.columns.is_unique or not len(frame.columns) or isinstance(frame.columns, pandas.MultiIndex):
        return None
    if subset is None:
        return [frame._get_column_array(at) for at in range(frame.shape[1])]
    names = subset if isinstance(subset, (list, pandas.Index)) else [subset] if isinstance(subset, str) else None
    if names is None or not len(names) or any(name not in frame.columns for name in names):
        return None
    return [frame._get_column_array(frame.columns.get_loc(name)) for name in dict.fromkeys(names)]


_NUMPYS = (sum, min, max, np.sum, np.mean, np.min, np.max, np.prod, np.std, np.var, np.median)


def python_function(func, options: dict) -> str:
    """Why a call of agg() calls Python functions, if it does."""
    asked = list(options.values()) if func is None else [func]
    while asked:
        one = asked.pop()
        if isinstance(one, dict):
            asked.extend(one.values())
        elif isinstance(one, (list, tuple)):
            asked.extend(one)
        elif callable(one) and one not in _NUMPYS:
            return "a Python function"
    return ""
