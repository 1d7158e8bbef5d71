"""Rows chosen by masks, which are recorded: values, labels, dtypes and errors of pandas, and what is written between."""

import numpy as np
import pandas
import pytest
import tessera.pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.pandas import engine_columns


def as_pandas(series):
    return pandas.Series(series._mgr.array, index=series.index, name=series.name)


WORK = {
    "rows": lambda column, mask: column[mask],
    "product": lambda column, mask: column[mask] * 2,
    "sum": lambda column, mask: column[mask].sum(),
    "sum of products": lambda column, mask: (column[mask] * 2 + 1).sum(),
    "two columns": lambda column, mask: column[mask] + column[mask],
    "one mask": lambda column, mask: (lambda rows: (rows * rows).sum())(column[mask]),
    "comparison": lambda column, mask: column[mask] > 1,
    "mask of rows": lambda column, mask: (lambda rows: rows[rows > 1].sum())(column[mask]),
    "mean": lambda column, mask: column[mask].mean(),
    "least": lambda column, mask: column[mask].min(),
    "missing": lambda column, mask: column[mask].isna(),
    "running sums": lambda column, mask: column[mask].cumsum(),
    "quotient": lambda column, mask: (1 / column[mask]).sum(),
    "labels": lambda column, mask: column[mask].index.to_series(),
    "length": lambda column, mask: len(column[mask]),
    "with whole": lambda column, mask: column[mask] + column,
    "type": lambda column, mask: str(column[mask].dtype) == str(column.dtype),
}


@pytest.mark.filterwarnings("ignore")
@settings(deadline=None, max_examples=25)
@given(
    elements=st.lists(st.one_of(st.just(np.nan), st.floats(-9, 9, width=16), st.just(np.inf)), min_size=1, max_size=30),
    seed=st.integers(0, 99),
    dtype=st.sampled_from(["f8", "f4", "i8", "i2", "u4", "?"]),
    labels=st.sampled_from([None, "texts", "numbers"]),
)
def test_rows_of_masks_are_those_of_pandas(elements, seed, dtype, labels):
    values = np.nan_to_num(elements, posinf=8).astype(dtype) if dtype[0] not in "f" else np.array(elements, dtype)
    mask = np.random.default_rng(seed).random(len(values)) < [0.0, 0.5, 0.8, 1.0][seed % 4]
    index = {"texts": [f"r{at}" for at in range(len(values))], "numbers": range(5, 5 + len(values))}.get(labels)
    for name, work in WORK.items():
        outcomes = []
        for package in (pd, pandas):
            column = package.Series(values, index=index, name="v")
            try:
                outcomes.append(work(column, package.Series(mask, index=column.index)))
            except Exception as error:
                outcomes.append(type(error).__name__)
        found, expected = outcomes
        if isinstance(expected, pandas.Series):
            pandas.testing.assert_series_equal(as_pandas(found), expected, obj=name, rtol=1e-6)
        elif isinstance(expected, (str, bool, int)):
            assert found == expected, name
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=name)
            assert type(found) is type(expected), name


def test_rows_of_a_mask_keep_the_values_they_saw():
    column = pd.Series([1.0, 2.0, 3.0, 4.0])
    mask = column > 1
    rows = column[mask]
    column.iloc[1] = 50.0
    mask.iloc[3] = False
    assert rows.tolist() == [2.0, 3.0, 4.0] and rows.index.tolist() == [1, 2, 3]


def test_rows_of_a_mask_may_be_written_to():
    column = pd.Series([1.0, 2.0, 3.0, 4.0])
    rows = column[column > 1]
    rows.iloc[0] = 9.0
    rows[5] = 1.0
    assert rows.tolist() == [9.0, 3.0, 4.0, 1.0] and column.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_rows_of_a_mask_are_not_taken_until_they_are_read():
    column = pd.Series(np.arange(8.0))
    rows = column[column > 3] * 2
    assert engine_columns.selected(rows) is not None and rows.sum() == 44.0
    assert engine_columns.selected(rows) is not None and rows.tolist() == [8.0, 10.0, 12.0, 14.0]


def test_masks_with_other_labels_are_refused_or_aligned():
    column = pd.Series([1.0, 2.0, 3.0])
    assert column[pd.Series([True, False, True], index=[2, 1, 0])].tolist() == [1.0, 3.0]
    with pytest.raises(pandas.errors.IndexingError):
        column[pd.Series([True, False], index=[0, 1])]


@pytest.mark.filterwarnings("ignore")
@settings(deadline=None, max_examples=40)
@given(
    elements=st.lists(st.one_of(st.sampled_from([np.nan, np.inf, -0.0]), st.floats(-99, 99)), min_size=1, max_size=20),
    other=st.one_of(st.integers(-5, 5), st.sampled_from([0.5, -2.5, 1.0, 2.0, np.nan, np.inf, 0.0])),
    dtype=st.sampled_from(["f8", "f4", "i8", "i4", "u8"]),
    name=st.sampled_from(["__floordiv__", "__mod__", "__pow__"]),
)
def test_quotients_remainders_and_powers_are_those_of_pandas(elements, other, dtype, name):
    values = np.array(elements, "f8") if dtype[0] == "f" else np.nan_to_num(elements, posinf=8)
    values = np.abs(values).astype(dtype) if dtype[0] == "u" else values.astype(dtype)
    for make in (lambda package: package.Series(values), lambda package: package.DataFrame({"a": values, "b": values})):
        outcomes = []
        for package in (pd, pandas):
            try:
                outcomes.append(getattr(make(package), name)(other))
            except Exception as error:
                outcomes.append(str(error))
        found, expected = outcomes
        if isinstance(expected, str):
            assert found == expected
        elif isinstance(expected, pandas.Series):
            pandas.testing.assert_series_equal(as_pandas(found), expected, rtol=1e-15)
        else:
            pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected, rtol=1e-15)


@pytest.mark.filterwarnings("ignore")
def test_quotients_of_two_columns_with_the_rows_of_one_mask_know_zeros_as_pandas_does():
    for dtype in ("i8", "f8", "i4"):
        for compute in (
            lambda rows: rows // (rows + 1),
            lambda rows: rows % (rows + 1),
            lambda rows: rows // rows,
            lambda rows: (rows * 0 + 2) ** (rows + 3),
        ):
            found, expected = (
                compute(column[column < 3])
                for column in (package.Series((np.arange(40) % 7 - 3).astype(dtype)) for package in (pd, pandas))
            )
            pandas.testing.assert_series_equal(as_pandas(found), expected)


def test_masks_that_take_no_row_keep_the_dtype_in_arithmetic():
    column = pd.Series(np.arange(50.0))
    rows = column[column < 0]
    for found in (rows + column.iloc[:0], rows * column[np.zeros(50, bool)], rows - column[column < -1], rows + rows):
        assert found.dtype == np.float64 and not len(found)
