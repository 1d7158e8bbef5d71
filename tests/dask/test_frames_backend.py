"""Dask's data frames with partitions of tessera.pandas."""

import numpy as np
import pandas
import pytest

pytest.importorskip("dask.dataframe")
import dask  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import tessera.pandas as ours  # noqa: E402
from tessera.dask.frames_backend import TesseraFrameBackend  # noqa: E402
from tessera.pandas import report, settings  # noqa: E402

FRAME = pandas.DataFrame({"k": np.arange(100) % 7, "v": np.arange(100.0), "t": [f"a{i % 5}" for i in range(100)]})
QUESTIONS = {
    "groups": lambda c: c.groupby("k").v.sum(),
    "several keys": lambda c: c.groupby(["k", "t"]).agg({"v": ["mean", "max"]}),
    "filter": lambda c: c[c.v > 50],
    "merge": lambda c: c.merge(c.groupby("k").v.sum().reset_index(), on="k"),
    "sort": lambda c: c.sort_values("v", ascending=False),
    "duplicates": lambda c: c.drop_duplicates("t"),
}


@pytest.fixture(autouse=True)
def every_partition_is_large(monkeypatch):
    monkeypatch.setattr(settings, "native_rows", 1)
    report.reset()


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_those_of_pandas_and_stay_ours(question, scheduler):
    ask = QUESTIONS[question]
    plain = dd.from_pandas(FRAME, npartitions=4)
    found = ask(TesseraFrameBackend.to_backend(plain)).compute(scheduler=scheduler)
    expected = ask(plain).compute(scheduler="sync")
    assert type(found) in (ours.DataFrame, ours.Series)
    found = type(expected)(found).sort_index()
    expected = expected.sort_index()
    if isinstance(expected, pandas.DataFrame):
        columns = list(expected.columns)
        found, expected = found.sort_values(columns), expected.sort_values(columns)
        if question == "merge":
            found, expected = found.reset_index(drop=True), expected.reset_index(drop=True)
        pandas.testing.assert_frame_equal(found, expected)
    else:
        pandas.testing.assert_series_equal(found, expected)
    assert any(record.native for record in report.records().values())


def test_creation_gives_our_partitions():
    with dask.config.set({"dataframe.backend": "tessera"}):
        made = dd.from_dict({"k": [1, 2, 1, 2], "v": [1.0, 2.0, 3.0, 4.0]}, npartitions=2)
    assert type(made._meta) is ours.DataFrame
    assert made.partitions[0].compute(scheduler="sync").__class__ is ours.DataFrame
    assert made.groupby("k").v.sum().compute(scheduler="sync").to_dict() == {1: 4.0, 2: 6.0}
    assert made.to_backend("tessera") is not None and TesseraFrameBackend.to_backend(made) is made
