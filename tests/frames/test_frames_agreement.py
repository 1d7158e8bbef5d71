"""Results of frames against pandas' own: values, dtypes, order, names and errors."""

import numpy as np
import pandas
import pytest
from frame_samples import DTYPES, NUMBERS, SETTINGS, agree, columns, frames
from hypothesis import given, settings
from hypothesis import strategies as st

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


@pytest.mark.parametrize("how", ["sum", "mean", "min", "max", "prod", "first", "last", "var", "std", "sem", "median"])
@given(data=st.data(), sort=st.booleans(), dropna=st.booleans())
@settings(**SETTINGS)
def test_groups_reduce_as_in_pandas(how, data, sort, dropna):
    values = ("float64",) if how in ("var", "std", "sem", "prod") else NUMBERS
    frame = data.draw(frames(keys=data.draw(st.integers(1, 2)), values=values))
    if how in ("var", "std", "sem", "prod", "mean", "sum"):
        frame = frame.replace([float("inf"), float("-inf")], 1.0)
    keys = [name for name in frame if name.startswith("k")]
    agree(lambda f: getattr(f.groupby(keys, sort=sort, dropna=dropna), how)(), frame, rtol=1e-6, atol=1e-6)


@given(data=st.data(), sort=st.booleans(), dropna=st.booleans())
@settings(**SETTINGS)
def test_groups_are_counted_as_in_pandas(data, sort, dropna):
    frame = data.draw(frames(keys=2))
    grouped = lambda f: f.groupby(["k0", "k1"], sort=sort, dropna=dropna)
    agree(lambda f: grouped(f).size(), frame)
    agree(lambda f: grouped(f).count(), frame)
    agree(lambda f: grouped(f).v1.nunique(), frame)
    agree(
        lambda f: f.groupby("k0", sort=sort, dropna=dropna).agg(a=("v1", "sum"), b=("v4", "max"), c=("v0", "count")),
        frame,
    )


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@given(data=st.data(), sort=st.booleans())
@settings(**SETTINGS)
def test_merges_have_the_rows_of_pandas_in_its_order(how, data, sort):
    dtype = data.draw(st.sampled_from(DTYPES))
    kinds = (dtype, "int8")[: data.draw(st.integers(1, 2))]
    sides = []
    for name in ("left", "right"):
        rows = data.draw(st.integers(0, 20))
        sides.append(pandas.DataFrame({f"k{at}": data.draw(columns(kind, rows)) for at, kind in enumerate(kinds)}))
        sides[-1][name] = range(rows)
    left, right = sides
    keys = list(left.columns[:-1])
    agree(lambda f: f.merge(type(f)(right), on=keys, how=how, sort=sort, indicator=True), left)


@given(data=st.data(), na_position=st.sampled_from(["first", "last"]))
@settings(**SETTINGS)
def test_rows_are_sorted_as_in_pandas(data, na_position):
    frame = data.draw(frames(keys=3, values=("int64",)))
    rising = data.draw(st.lists(st.booleans(), min_size=3, max_size=3))
    agree(lambda f: f.sort_values(["k0", "k1", "k2"], ascending=rising, na_position=na_position), frame)
    agree(lambda f: f.sort_values("k0", ascending=rising[0], na_position=na_position, kind="stable"), frame)
    agree(lambda f: f.k0.sort_values(ascending=rising[0], na_position=na_position, kind="stable"), frame)


@given(data=st.data(), keep=st.sampled_from(["first", "last", False]))
@settings(**SETTINGS)
def test_duplicates_are_those_of_pandas(data, keep):
    frame = data.draw(frames(keys=2, values=("int8",)))
    agree(lambda f: f.duplicated(["k0", "k1"], keep=keep), frame, native=["DataFrame.duplicated"])
    agree(lambda f: f.drop_duplicates(keep=keep), frame)
    agree(lambda f: f.k0.duplicated(keep=keep), frame)


@given(data=st.data(), normalize=st.booleans(), dropna=st.booleans(), sort=st.booleans(), ascending=st.booleans())
@settings(**SETTINGS)
def test_values_are_counted_as_in_pandas(data, normalize, dropna, sort, ascending):
    frame = data.draw(frames(keys=1, values=()))
    agree(
        lambda f: f.k0.value_counts(normalize=normalize, dropna=dropna, sort=sort, ascending=ascending),
        frame,
        native=["Series.value_counts"],
    )


@given(data=st.data(), window=st.integers(1, 40), least=st.integers(0, 3), center=st.booleans())
@settings(**SETTINGS)
def test_rolling_windows_are_those_of_pandas(data, window, least, center):
    frame = data.draw(frames(keys=0, values=("float64", "int8"), most=60))
    values = np.abs(frame.to_numpy("float64"))
    largest = values.max(initial=0, where=np.isfinite(values))
    # Of what has left a window, pandas' sums of squares keep rounding errors.
    kept = {"var": {"rtol": 1e-6, "atol": 1e-9 * (1 + largest**2)}, "std": {"rtol": 1e-6, "atol": 1e-6 * (1 + largest)}}
    for how in ("sum", "mean", "min", "max", "var", "std"):
        close = kept.get(how, CLOSE)
        agree(
            lambda f: getattr(f.rolling(window, min_periods=min(least, window), center=center), how)(), frame, **close
        )
        agree(lambda f: getattr(f.v0.expanding(least), how)(), frame, **close)


@given(data=st.data(), number=st.sampled_from([2, -1, 0, 2.5, float("inf"), float("nan"), 300, True]))
@settings(**SETTINGS)
def test_arithmetic_and_comparisons_are_those_of_pandas(data, number):
    frame = data.draw(frames(keys=0, values=("float64", "int64", "int8", "float32", "bool", "float64")))
    names = data.draw(st.lists(st.sampled_from(list(frame)), min_size=2, max_size=2))
    for operation in ("add", "sub", "mul", "truediv", "lt", "le", "eq", "ne", "floordiv", "and", "or"):
        method = f"__{operation}__"
        agree(lambda f: getattr(f[names[0]], method)(f[names[1]]), frame)
        agree(lambda f: getattr(f[names[0]], method)(number), frame)


@given(data=st.data())
@settings(**SETTINGS)
def test_columns_are_reduced_as_in_pandas(data):
    frame = data.draw(frames(keys=0)).replace([float("inf"), float("-inf")], 1.0)
    for name in frame:
        for how in ("sum", "mean", "min", "max", "any", "all"):
            agree(lambda f: getattr(f[name], how)(), frame)
        agree(lambda f: f[name].isna(), frame)


@given(data=st.data(), periods=st.integers(-5, 5), value=st.sampled_from([0, 1.5, float("nan")]))
@settings(**SETTINGS)
def test_columns_are_filled_moved_and_summed_up_as_in_pandas(data, periods, value):
    frame = data.draw(frames(keys=1)).replace([float("inf"), float("-inf")], 1.0)
    for name in ("v0", "v1", "v4", "v5"):
        agree(lambda f: f[name].fillna(value), frame)
        agree(lambda f: f[name].shift(periods), frame)
        agree(lambda f: f[name].diff(periods), frame)
        agree(lambda f: f[name].cumsum(), frame, **CLOSE)
        agree(lambda f: f[name].abs(), frame)
    agree(lambda f: f.k0.drop_duplicates().reset_index(drop=True), frame)
    agree(lambda f: f.k0.nunique(), frame)
    agree(lambda f: type(f)({"u": f.k0.unique()}), frame)


@given(data=st.data())
@settings(**SETTINGS)
def test_filters_take_the_rows_of_pandas(data):
    frame = data.draw(frames(keys=2))
    agree(lambda f: f[(f.v4 > 0) & ~(f.v1 == 1)], frame)
    agree(lambda f: f[f.v4 * 2 <= f.v2].v4.sum(), frame)


@pytest.mark.parametrize("how", ["corr", "cov"])
@given(data=st.data(), sort=st.booleans(), dropna=st.booleans(), least=st.sampled_from([1, 3]))
@settings(**SETTINGS)
def test_pairs_of_columns_in_groups(how, data, sort, dropna, least):
    frame = data.draw(frames(keys=data.draw(st.integers(1, 2)), values=("float64", "int8", "float32")))
    frame = frame.replace([float("inf"), float("-inf")], 1.0)
    keys = [name for name in frame if name.startswith("k")]
    grouped = lambda f: f.groupby(keys, sort=sort, dropna=dropna)
    agree(lambda f: getattr(grouped(f), how)(min_periods=least), frame, rtol=1e-6, atol=1e-6)


@given(data=st.data())
@settings(**SETTINGS)
def test_rows_of_every_dtype_are_taken(data):
    frame = data.draw(frames(keys=0, values=(*DTYPES, "float64")))
    frame["c"] = pandas.Categorical(frame["v8"]) if "v8" in frame else 0
    count = len(frame)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool)
    rows = data.draw(st.lists(st.integers(0, max(count - 1, 0)), max_size=40 if count else 0))
    labels = data.draw(st.lists(st.integers(-2, count + 1), max_size=20, unique=True))
    agree(lambda f: f[mask], frame)
    agree(lambda f: f[pandas.Series(mask, index=f.index)], frame)
    agree(lambda f: f.take(rows), frame)
    agree(lambda f: f.iloc[rows], frame)
    agree(lambda f: f.reindex(labels), frame)
    for name in frame:
        agree(lambda f, name=name: f[name][mask], frame)
        agree(lambda f, name=name: f[name].iloc[rows], frame)
        agree(lambda f, name=name: f[name].reindex(labels), frame)


@given(data=st.data(), ascending=st.booleans(), dropna=st.booleans())
@settings(**SETTINGS)
def test_rows_are_numbered_within_groups(data, ascending, dropna):
    frame = data.draw(frames(keys=2, values=("int8",)))
    grouped = lambda f: f.groupby(["k0", "k1"], dropna=dropna)
    agree(lambda f: grouped(f).cumcount(ascending=ascending), frame)
    agree(lambda f: grouped(f).head(2), frame)
    agree(lambda f: grouped(f).tail(1), frame)
    agree(lambda f: grouped(f).nth(1), frame)


def test_classes_print_as_pandas_do():
    import tessera.pandas as ours

    assert str(ours.DataFrame) == str(pandas.DataFrame) and str(ours.Series) == str(pandas.Series)
    assert ours.DataFrame({"a": [1]}).equals(pandas.DataFrame({"a": [1]}))


def test_windows_that_move_backward_are_refused():
    import tessera.pandas as ours

    class Bounds(pandas.api.indexers.BaseIndexer):
        def get_window_bounds(self, num_values=0, min_periods=None, center=None, closed=None, step=None):
            return np.array([0, 1, 0]), np.array([1, 2, 2])

    with pytest.raises(ValueError, match="violated at index 2"):
        ours.Series([1.0, 2.0, 3.0]).rolling(Bounds()).max()


_ELEMENTWISE = {
    "scalar": lambda f: (f * 2, f - 0.5, 1 / f, f > 1, f == 0.0, f != 2),
    "frames": lambda f: (f + f, f * f.abs(), f <= f.shift(1), f.add(f, fill_value=1.0)),
    "missing": lambda f: (f.isna(), f.notna(), f.fillna(0), f.fillna(1.5), f.dropna(), f.count()),
    "moved": lambda f: (f.shift(2), f.shift(-1), f.diff(), f.diff(-3)),
    "chosen": lambda f: (f.where(f > 0), f.mask(f > 0, 7), f.clip(0, 2), f.abs(), f.round(1)),
    "cast": lambda f: (f.astype("float64"), f.astype("float32")),
}


@pytest.mark.parametrize("operations", _ELEMENTWISE)
@given(data=st.data())
@settings(**SETTINGS)
def test_whole_frames_and_columns_elementwise(operations, data):
    frame = data.draw(frames(keys=0, values=("float64", "int8", "float64", "int64")))
    frame["v3"] //= 2**32  # pandas' own results beyond 2^53 follow its shortcuts
    for at in range(len(_ELEMENTWISE[operations](frame))):
        agree(lambda f, at=at: _ELEMENTWISE[operations](f)[at], frame)
        agree(lambda f, at=at: _ELEMENTWISE[operations](f.v0)[at], frame)
        agree(lambda f, at=at: _ELEMENTWISE[operations](f.v1)[at], frame)


@pytest.mark.parametrize("how", ["sum", "prod", "mean", "var", "std", "sem", "min", "max", "median", "any", "all"])
@given(data=st.data(), skipna=st.booleans(), axis=st.sampled_from([0, 1]))
@settings(**SETTINGS)
def test_whole_frames_and_columns_are_reduced(how, data, skipna, axis):
    values = ("bool", "bool") if how in ("any", "all") else ("float64", "int8", "float64", "bool")
    frame = data.draw(frames(keys=0, values=values)).replace([float("inf"), float("-inf")], 1.0)
    if how == "prod":
        frame = frame.clip(-3, 3) if len(frame.columns) == 4 else frame
    agree(lambda f: getattr(f, how)(axis=axis, skipna=skipna), frame, rtol=1e-6, atol=1e-6)
    for name in frame:
        agree(lambda f, name=name: getattr(f[name], how)(skipna=skipna), frame, rtol=1e-6, atol=1e-6)


@given(data=st.data(), shares=st.lists(st.floats(0, 1), min_size=1, max_size=4))
@settings(**SETTINGS)
def test_quantiles(data, shares):
    frame = data.draw(frames(keys=0, values=("float64", "int8", "float64")))
    for interpolation in ("linear", "lower", "higher", "nearest", "midpoint"):
        agree(lambda f, i=interpolation: f.quantile(shares, interpolation=i), frame, **CLOSE)
        agree(lambda f, i=interpolation: f.v0.quantile(shares, interpolation=i), frame, **CLOSE)
    agree(lambda f: f.describe(), frame.replace([float("inf"), float("-inf")], 1.0), **CLOSE)


@pytest.mark.parametrize("how", ["any", "all"])
@given(data=st.data(), skipna=st.booleans())
@settings(**SETTINGS)
def test_truth_of_groups(how, data, skipna):
    frame = data.draw(frames(keys=1, values=("bool", "float64", "int8")))
    agree(lambda f: getattr(f.groupby("k0"), how)(skipna=skipna), frame)
    agree(lambda f: getattr(f.groupby("k0").v1, how)(skipna=skipna), frame)
    agree(lambda f: f.groupby("k0").v2.transform("sum"), frame)


@given(
    data=st.data(),
    method=st.sampled_from(["average", "min", "max", "first", "dense"]),
    na_option=st.sampled_from(["keep", "top", "bottom"]),
    ascending=st.booleans(),
    pct=st.booleans(),
)
@settings(**SETTINGS)
def test_ranks(data, method, na_option, ascending, pct):
    frame = data.draw(frames(keys=1, values=NUMBERS, key_dtypes=("datetime64[ns]", "timedelta64[s]")))
    options = {"method": method, "na_option": na_option, "ascending": ascending, "pct": pct}
    agree(lambda f: f[["v1", "v4"]].rank(**options), frame.replace([2**63 - 1, 2**64 - 1], 0))
    for name in frame:
        agree(lambda f, name=name: f[name].rank(**options), frame)


@pytest.mark.parametrize("how", ["cumsum", "cumprod", "cummin", "cummax"])
@given(data=st.data(), skipna=st.booleans())
@settings(**SETTINGS)
def test_running_reductions(how, data, skipna):
    frame = data.draw(frames(keys=0, values=("float64", "int64", "float64", "int8"))).clip(-9, 9)
    agree(lambda f: getattr(f, how)(skipna=skipna), frame, **CLOSE)
    for name in frame:
        agree(lambda f, name=name: getattr(f[name], how)(skipna=skipna), frame, **CLOSE)


@given(data=st.data())
@settings(**SETTINGS)
def test_elements_that_are_among_others(data):
    frame = data.draw(frames(keys=0, values=("int64", "float64", "int8")))
    for values in ([0, 1, 2**62], [0.0, float("nan")], [1.5], [], ["a"], np.array([0, 3]), {1, 2}, range(2)):
        agree(lambda f, values=values: f.isin(values), frame)
        for name in frame:
            agree(lambda f, name=name, values=values: f[name].isin(values), frame)


@pytest.mark.parametrize("how", ["corr", "cov"])
@given(data=st.data(), least=st.sampled_from([1, 4]))
@settings(**SETTINGS)
def test_pairs_of_columns(how, data, least):
    frame = data.draw(frames(keys=0, values=("float64", "int8", "float64"))).replace([np.inf, -np.inf], 1.0)
    agree(lambda f: getattr(f, how)(min_periods=least), frame, rtol=1e-6, atol=1e-6)
