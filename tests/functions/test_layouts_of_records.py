"""Records that functions return lie in memory as those of which they were made, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tessera import jit, types

PACKED = np.dtype([("a", "i1"), ("b", "f8")])
ALIGNED = np.dtype([("a", "i1"), ("b", "f8")], align=True)
SPREAD = np.dtype({"names": ["a", "b"], "formats": ["i1", "f8"], "offsets": [8, 0], "itemsize": 24})
NESTED = np.dtype([("inner", ALIGNED), ("n", "i4")], align=True)


def filled(dtype: np.dtype[Any], count: int = 4) -> Any:
    records = np.zeros(count, dtype)
    records["a"], records["b"] = np.arange(count), np.arange(count) * 0.5
    return records


@jit
def copied(x: Any) -> Any:
    return x.copy()


@jit
def masked(x: Any) -> Any:
    return x[x["a"] > 1]


@jit
def stored(x: Any) -> Any:
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = x[len(x) - 1 - i]
    return y


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from([copied, masked, stored]), st.sampled_from([PACKED, ALIGNED, SPREAD])), min_size=1
    )
)
def test_layouts_in_any_order(calls: list[tuple[Any, np.dtype[Any]]]) -> None:
    for function, dtype in calls:
        x = filled(dtype)
        result, expected = function(x), function.py_func(x)
        assert result.dtype == dtype and result.dtype.itemsize == dtype.itemsize
        assert result.tolist() == expected.tolist()


def test_several_layouts_in_a_call() -> None:
    @jit
    def both(x: Any, y: Any) -> Any:
        return x.copy(), y[::2].copy(), x[1]

    for first, second in ((PACKED, SPREAD), (SPREAD, PACKED), (ALIGNED, PACKED)):
        results = both(filled(first), filled(second))
        assert [one.dtype for one in results] == [first, second, first]
        assert results[1].tolist() == filled(second)[::2].tolist()


def test_arrays_that_are_made_of_a_dtype() -> None:
    @jit
    def made(n: int) -> Any:
        x = np.zeros(n, SPREAD)
        x[0]["a"] = 3
        return x

    copied(filled(PACKED))
    assert made(2).dtype == SPREAD and made(2).tolist() == [(3, 0.0), (0, 0.0)]


def test_nested_records() -> None:
    x = np.zeros(2, NESTED)
    x["inner"]["b"] = 2.5
    result = copied(x)
    assert result.dtype == NESTED and result.tolist() == x.tolist()


@pytest.mark.parametrize("which", [True, False])
def test_one_layout_or_another(which: bool) -> None:
    @jit
    def chosen(x: Any, y: Any, which: bool) -> Any:
        return x.copy() if which else y.copy()

    result = chosen(filled(PACKED), filled(SPREAD, 3), which)
    assert result.dtype.names == ("a", "b")
    assert result.tolist() == filled(PACKED, 4 if which else 3).tolist()


def test_types_of_records_are_apart_by_layout() -> None:
    assert types.Record(PACKED) == types.Record(np.dtype(PACKED.descr))
    assert types.Record(PACKED) != types.Record(ALIGNED)
    checked = jit([types.int64(types.Record(PACKED)[:])])(lambda x: x[1]["a"])
    assert checked(filled(PACKED)) == 1
    assert checked(filled(SPREAD)) == 1


def test_types_of_uniform_tuples() -> None:
    pair = types.Tuple((types.int64, types.int64))
    assert isinstance(pair, types.UniTuple) and not isinstance(pair, types.Tuple)
    assert isinstance(types.Tuple((types.int64, types.float64)), types.Tuple)
    assert isinstance(pair, types.BaseTuple) and pair.dtype == types.int64
    named = types.NamedTuple((types.int64, types.int64), ("x", "y"))
    assert isinstance(named, types.BaseTuple) and not isinstance(named, types.BaseAnonymousTuple)
