"""What pandas says of dates, infinities, overflowing sums and windows that all lie alike about their rows."""

import warnings

import numpy as np
import pandas
import pytest
import tessera.pandas as pd


def outcome(call, package):
    """The result as text of full precision, or the error, and the warnings' categories and texts."""
    with warnings.catch_warnings(record=True) as found, pandas.option_context("display.precision", 12):
        warnings.simplefilter("always")
        try:
            result = str(call(package))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, [(each.category, str(each.message)) for each in found]


def with_dates(package):
    days = package.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    return package.DataFrame({"k": [1, 1, 2], "d": days, "v": [1.0, 2.0, 3.0]})


def with_infinities(package):
    columns = {"a": [1.0, np.inf, 3.0, 4.0], "b": [2.0, 1.0, np.nan, -np.inf], "c": [1.0, 2.0, 3.0, 5.0]}
    return package.DataFrame(columns)


@pytest.mark.parametrize(
    "call",
    [
        lambda package: with_dates(package).cov(),
        lambda package: with_dates(package).corr(),
        lambda package: with_dates(package).cov(numeric_only=True),
        lambda package: with_dates(package).groupby("k").cov(),
        lambda package: with_dates(package).groupby("k").corr(),
        lambda package: with_dates(package).iloc[:1].pivot_table(index="k", values="d", aggfunc="count"),
        lambda package: with_infinities(package).corr(),
        lambda package: with_infinities(package).cov(),
        lambda package: with_infinities(package)[["a", "c"]].cov(),
        lambda package: with_infinities(package).assign(k=[0, 0, 1, 1]).groupby("k").cov(),
        lambda package: with_infinities(package).assign(k=[0, 0, 0, 0]).groupby("k").corr(),
        lambda package: package.DataFrame({"a": [1e154, 3e154], "b": [1.0, 2.0]}).corr(),
        lambda package: package.Series([1e308, 1e308]).sum(),
        lambda package: package.Series([1e308, np.inf]).sum(),
        lambda package: package.Series([1e308, 1e308]).mean(),
        lambda package: package.DataFrame({"a": [1e308, 1e308], "b": [1.0, 2.0]}).sum(),
        lambda package: package.DataFrame(np.eye(3)).iloc[np.zeros((2, 2, 2), int)],
    ],
)  # fmt: skip
def test_results_errors_and_warnings_are_those_of_pandas(call):
    assert outcome(call, pd) == outcome(call, pandas)


CHANGES_OF_COPIES = {
    "fillna": lambda frame: frame["a"].fillna(0, inplace=True),
    "ffill": lambda frame: frame["a"].ffill(inplace=True),
    "replace": lambda frame: frame["a"].replace(1.0, 2.0, inplace=True),
    "interpolate": lambda frame: frame["a"].interpolate(inplace=True),
    "update": lambda frame: frame["a"].update(pandas.Series([5.0])),
    "clip": lambda frame: frame["a"].clip(0, 2, inplace=True),
    "mask": lambda frame: frame["a"].mask([True] * 3, inplace=True),
    "fillna of frames": lambda frame: frame[["a"]].fillna(0, inplace=True),
    "replace of frames": lambda frame: frame[["a"]].replace(1.0, 2.0, inplace=True),
}


@pytest.mark.parametrize("change", CHANGES_OF_COPIES)
def test_changes_that_are_lost_are_warned_of(change):
    def changed(package):
        frame = package.DataFrame({"a": [1.0, np.nan, 3.0]})
        CHANGES_OF_COPIES[change](frame)
        return frame

    found = outcome(changed, pd)
    assert found == outcome(changed, pandas) and found[1]


def test_changes_of_columns_with_names_are_not_warned_of():
    def changed(package):
        column = package.DataFrame({"a": [1.0, np.nan, 3.0]})["a"]
        column.fillna(0, inplace=True)
        column.replace(1.0, 2.0, inplace=True)
        column.update(pandas.Series([5.0]))
        return column

    found = outcome(changed, pd)
    assert found == outcome(changed, pandas) and not found[1]


@pytest.mark.parametrize("name", ["var", "std", "sem"])
def test_variances_of_columns_with_infinities_are_missing(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = (getattr(with_infinities(each), name)() for each in (pd, pandas))
    pandas.testing.assert_series_equal(pandas.Series(found), expected)


def test_correlations_keep_the_attributes_of_the_frame():
    frame = pd.DataFrame(np.eye(3))
    frame.attrs["unit"] = "m"
    assert frame.corr().attrs == frame.cov().attrs == {"unit": "m"}


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "var", "std"])
@pytest.mark.parametrize("closed", [None, "left", "both", "neither"])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("width", [0, 1, 2, 7, 60, 200])
def test_windows_by_rows_are_those_of_pandas(name, closed, center, width):
    values = np.random.default_rng(width).normal(size=100)
    values[[3, 4, 50, 99]] = np.nan
    found, expected = (
        getattr(package.Series(values).rolling(width, center=center, closed=closed, min_periods=min(width, 2)), name)()
        for package in (pd, pandas)
    )
    pandas.testing.assert_series_equal(pandas.Series(found), expected, rtol=1e-9, atol=1e-12)


def test_windows_of_tables_and_with_steps_are_those_of_pandas():
    values = np.random.default_rng(1).normal(size=(50, 3))
    for call in (lambda frame: frame.rolling(5, step=3).sum(), lambda frame: frame.rolling(4).mean()):
        found, expected = (call(package.DataFrame(values)) for package in (pd, pandas))
        pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected, rtol=1e-9)


def test_frames_equal_those_of_pandas_in_assertions():
    frame, plain = (package.DataFrame({"a": [1, 2], "b": ["x", "y"]}) for package in (pd, pandas))
    pd.testing.assert_frame_equal(frame, plain)
    pd.testing.assert_frame_equal(plain, frame)
    pd.testing.assert_series_equal(frame.a, plain.a)
    assert type(frame) is pd.DataFrame and type(plain) is pandas.DataFrame and type(plain.a) is pandas.Series
    with pytest.raises(AssertionError):
        pd.testing.assert_frame_equal(frame, plain + plain)
    with pytest.raises(AssertionError):
        pd.testing.assert_series_equal(frame.a, plain.a.rename("c"))


@pytest.mark.parametrize("degrees", [0, 1, 2, 30])
def test_covariances_with_missing_elements_take_one_degree_of_freedom_as_in_pandas(degrees):
    first = np.arange(20.0) % 7
    second = np.where(np.arange(20) % 5, first * 2, np.nan)
    for columns in ({"a": first, "b": second}, {"a": first, "b": first[::-1].copy()}):
        found, expected = (package.DataFrame(columns) for package in (pd, pandas))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pandas.testing.assert_frame_equal(pandas.DataFrame(found.cov(ddof=degrees)), expected.cov(ddof=degrees))
            keys = np.arange(20) % 2
            grouped = found.assign(k=keys).groupby("k").cov(ddof=degrees)
            pandas.testing.assert_frame_equal(
                pandas.DataFrame(grouped), expected.assign(k=keys).groupby("k").cov(ddof=degrees)
            )
