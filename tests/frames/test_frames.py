"""Frames as objects: whose class they are, what they share, how they are pickled, counted and forbidden."""

import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pandas
import pytest
import tessera.numpy as tn
import tessera.pandas as pd
from tessera.pandas import report, settings

import tessera


def sample(rows=6):
    return pd.DataFrame({"k": ["a", "b", "a"] * (rows // 3), "v": np.arange(rows) / 2, "n": np.arange(rows)})


def test_frames_are_pandas_frames_and_pandas_frames_count_as_ours():
    frame = sample()
    assert isinstance(frame, pandas.DataFrame) and isinstance(frame.v, pandas.Series)
    assert isinstance(pandas.DataFrame({"x": [1]}), pd.DataFrame) and isinstance(pandas.Series([1]), pd.Series)
    assert not isinstance(pandas.DataFrame({"x": [1]}), pd.Series) and not isinstance(1, pd.Series)


def test_what_methods_return_is_of_our_classes():
    frame = sample()
    for result in (frame.head(), frame[["v"]], frame.groupby("k").sum(), frame.describe(), frame.T, pd.concat([frame, frame]),
                   frame.pivot_table(index="k", values="v"), frame.loc[1:2], frame.v.to_frame(), frame.melt(id_vars="k")):  # fmt: skip
        assert type(result) is pd.DataFrame
    for result in (frame.v, frame.v + 1, frame.v.cumsum(), frame.sum(numeric_only=True), frame.iloc[0], frame.k.str.upper(),
                   frame.groupby("k").v.sum(), frame.dtypes, frame.v.rolling(2).sum(), frame.k.value_counts()):  # fmt: skip
        assert type(result) is pd.Series


def test_pandas_frames_stay_as_they_are():
    plain = pandas.DataFrame({"k": [1, 1], "v": [1.0, 2.0]})
    assert type(plain.groupby("k").v.sum()) is pandas.Series and type(plain + 1) is pandas.DataFrame


def test_pickles_load_without_tessera(tmp_path):
    path = tmp_path / "pickled"
    path.write_bytes(pickle.dumps((sample(), sample().v * 2)))
    code = f"import sys; sys.modules['tessera'] = None; import pickle; f, s = pickle.load(open({str(path)!r}, 'rb')); "
    code += "print(type(f).__module__.partition('.')[0], s.tolist())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.stdout.split(" ", 1) == ["pandas", "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]\n"], found.stderr


def test_tessera_does_not_import_pandas():
    code = "import sys, tessera; tessera.numpy; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_arithmetic_is_recorded_until_it_is_read():
    frame = sample()
    product = frame.v * 2 + frame.n
    assert "_pending" in vars(product) and product.dtype == "float64" and len(product) == 6
    assert product.index.equals(frame.index) and "_pending" in vars(product)
    assert product.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0] and "_pending" not in vars(product)


def test_recorded_arithmetic_keeps_the_values_it_saw():
    frame = sample()
    before, column = frame.v * 2, frame.v
    frame.loc[0, "v"] = 100.0
    assert before[0] == 0.0 and column[0] == 0.0 and frame.v[0] == 100.0
    doubled = frame.n * 2
    later = doubled + 1
    doubled[0] = 50
    assert later[0] == 1 and doubled[0] == 50


def test_engines_arrays_become_columns_and_columns_arrays():
    frame = pd.DataFrame({"v": tn.arange(5.0)})
    assert frame.v.tolist() == [0, 1, 2, 3, 4]
    assert isinstance(tn.asarray(frame["v"]), tn.ndarray) and isinstance(tn.asarray(frame.v * 2), tn.ndarray)


def test_calls_without_native_form_are_counted_with_their_line():
    frame = sample()
    frame.melt(id_vars="k")
    record = report.records()["DataFrame.melt"]
    assert record.pandas == 1 and next(iter(record.lines)).startswith(__file__)
    frame.groupby("k").v.agg(lambda part: part.max())
    assert report.records()["SeriesGroupBy.agg"].reasons == {"a Python function": 1}


def test_an_error_is_raised_where_falling_back_is_forbidden():
    previous = tessera.set_fallback_mode("error")
    try:
        frame = sample()
        assert frame.groupby("k").n.sum().to_dict() == {"a": 10, "b": 5}
        with pytest.raises(pd.PandasFallbackError, match="DataFrame.melt would run in pandas: there is no native form"):
            frame.melt(id_vars="k")
        with pytest.raises(pd.PandasFallbackError, match="a column of dtype object"):
            pd.DataFrame({"k": [1, 2], "v": pd.Series([1, 2], dtype=object)}).groupby("k").sum()
    finally:
        tessera.set_fallback_mode(previous)


def test_small_frames_run_in_pandas_and_are_not_counted(monkeypatch):
    monkeypatch.setattr(settings, "native_rows", 100)
    sample().melt(id_vars="k")
    (sample().v + 1).sum()
    assert not report.records()


def test_frames_without_rows_are_left_to_pandas():
    text = (
        "import numpy as np, tessera.pandas as pd\n"
        "frame = pd.DataFrame({'k': np.arange(5), 'v': np.arange(5) / 2})\n"
        "print(frame[frame.v > 9].shape, frame.take([]).shape, frame.merge(frame + 9, on='k').shape)\n"
    )
    environment = os.environ | {"TESSERA_PANDAS_ROWS": "0"}
    ended = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False)
    assert ended.stdout == "(0, 2) (0, 2) (0, 3)\n", ended.stderr


def test_warnings_name_the_line_of_the_caller():
    frame = sample()
    with pytest.warns(UserWarning, match="reindexed") as found:
        frame[pd.Series([True] * 6, index=range(5, -1, -1))]
    assert found[0].filename == __file__


_SAME_BITS = """
import hashlib, numpy as np, tessera, tessera.pandas as pd
draw = np.random.default_rng(0)
rows = 700_000
frame = pd.DataFrame({"k": draw.integers(0, 50, rows), "m": draw.integers(0, 10**6, rows), "v": draw.normal(size=rows)})
frame.loc[::7, "v"] = np.nan
frame["s"] = frame.k.astype("str")
for count in range(1, 8):
    tessera.set_num_threads(count)
    found = [frame.groupby(key).v.agg(how) for key in ("k", "m", ["s", "k"]) for how in ("sum", "mean", "var", "median", "first")]
    found += [frame.v.rolling(1000, min_periods=1).sum(), frame.sort_values(["k", "v"]).index.to_series()]
    found += [frame.merge(frame[:1000], on="m").v_x, frame.v.sum() + frame[["v"]], frame.m.value_counts()]
    print(hashlib.sha256(b"".join(each.to_numpy().tobytes() for each in found)).hexdigest())
"""


def test_results_have_the_same_bits_for_any_number_of_threads():
    environment = {**os.environ, "TESSERA_CPUS": "7"}
    command = [sys.executable, "-c", _SAME_BITS]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert len(found.stdout.split()) == 7 and len(set(found.stdout.split())) == 1, found.stderr


def test_constant_windows_far_from_zero_do_not_drift():
    values = np.r_[1e16, np.ones(1000)]
    assert pd.Series(values).rolling(10).sum().iloc[-1] == 10.0


def test_a_program_runs_unchanged(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(
        "import pandas as pd, sys\nd = pd.DataFrame({'k': [1, 2] * 5000, 'v': 1.0})\nprint(d.groupby('k').v.sum().to_dict(), type(d).__module__)\n"
    )
    command = [sys.executable, "-m", "tessera", "run", "--pandas", "--coverage", str(program)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.stdout == "{1: 5000.0, 2: 5000.0} tessera.pandas\n", found.stderr
    assert "GroupBy.sum" in found.stderr and "native" in found.stderr


def test_results_take_no_memory_of_the_columns_they_are_computed_from():
    values = np.arange(300_000.0)
    frame = pd.DataFrame({"v": values})
    more, twice = frame.v + 1, frame.v * 2  # the array of the column that each reads is gone when it runs
    assert float(more.sum()) == float((values + 1).sum()) and float(twice.sum()) == float((values * 2).sum())
    assert np.array_equal(frame.v.to_numpy(), values)
    rest = frame.v - 1
    del frame
    refilled = [np.full(300_000, -7.0) for _ in range(4)]
    assert float(rest.sum()) == float((values - 1).sum()) and len(refilled) == 4


def test_writes_to_results_leave_their_sources_alone():
    values = np.arange(300_000.0)
    for make in (
        lambda s: s.shift(0),
        lambda s: s.diff(0),
        lambda s: s.fillna(1.0),
        lambda s: s.abs(),
        lambda s: s * 1,
        lambda s: s.cumsum(),
    ):
        source = pd.Series(values)
        result = make(source)
        result.iloc[7] = 77
        assert source.iloc[7] == 7 and result.iloc[7] == 77


def test_threads_read_one_result_that_is_not_computed_yet():
    found = []
    for _ in range(40):
        result = pd.Series(np.arange(100_000.0)) + 1
        threads = [threading.Thread(target=lambda: found.append(result.iloc[3])) for _ in range(4)]  # noqa: B023
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [4.0] * 160


class Marked(pd.Series):
    @property
    def _constructor(self):
        return Marked


def test_classes_of_the_user_stay_theirs():
    column = Marked([1.0, 2.0])
    assert type(pickle.loads(pickle.dumps(column))) is Marked
    for result in (column + 1, column > 1, column.shift(1), column.cumsum(), column.isna(), column.fillna(0.0)):
        assert type(result) is Marked


def test_a_write_to_the_array_of_a_column_does_not_reach_earlier_results():
    column = pd.Series(np.arange(1.0, 3000.0))
    more, large = column + 1, column > 50
    column.array[0] = 99
    assert more[0] == 2 and not large[0]


def test_sorts_know_their_kinds_and_results_have_names_of_their_own():
    column = pd.Series([2.0, 1.0])
    with pytest.raises(ValueError, match="bogus"):
        column.sort_values(kind="bogus")
    total = column.cumsum()
    column.index.name = "k"
    assert total.index.name is None
