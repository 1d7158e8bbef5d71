"""pandas.testing: what a library makes of pandas' own classes equals a column or frame of ours."""

from __future__ import annotations

import functools
from collections.abc import Callable

from pandas import testing as _testing
from pandas.testing import assert_extension_array_equal, assert_index_equal

from tessera.pandas import calls, internals

__all__ = ["assert_extension_array_equal", "assert_frame_equal", "assert_index_equal", "assert_series_equal"]


def _as_pandas(one):
    """The same memory as an object of pandas' own class, if it is of ours."""
    plain = type(one).__mro__[1]
    if calls.OURS.get(plain) is not type(one):
        return one
    result = plain._from_mgr(one._mgr, axes=one._mgr.axes)
    if one.ndim == 1:
        result._name = one.name
    return result.__finalize__(one)


def _of_either_class(function: Callable) -> Callable:
    @functools.wraps(function)
    @internals.as_pandas_code
    def check(left, right, *args, **kwargs):
        if type(left) is not type(right):
            left, right = _as_pandas(left), _as_pandas(right)
        return function(left, right, *args, **kwargs)

    return check


assert_frame_equal = _of_either_class(_testing.assert_frame_equal)
assert_series_equal = _of_either_class(_testing.assert_series_equal)
