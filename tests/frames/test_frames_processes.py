"""Frames in other processes, of Arrow tables in chunks, and joins that no memory holds."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os

import numpy as np
import pandas
import pandas.testing
import pyarrow
import pytest
import tessera.pandas as ours


def _plain(seed: int, rows: int = 20_000) -> pandas.DataFrame:
    draw = np.random.default_rng(seed)
    return pandas.DataFrame({"k": draw.integers(0, 50, rows), "v": draw.normal(size=rows)})


def _same(answer, expected) -> None:
    ours.testing.assert_frame_equal(answer, ours.DataFrame(expected))


def _counts(frame):
    return frame.groupby("k")["v"].agg(["count", "max"])


def _counts_of_sent(frame) -> pandas.DataFrame:
    return _counts(ours.DataFrame(frame))


def _counts_of_seed(seed: int) -> pandas.DataFrame:
    return _counts(ours.DataFrame(_plain(seed)))


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_pools_send_and_return_frames(start):
    frames = [ours.DataFrame(_plain(seed)) for seed in range(3)]
    _counts(frames[0])
    context = multiprocessing.get_context(start)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        sent = list(pool.map(_counts_of_sent, frames, timeout=120))
        made = list(pool.map(_counts_of_seed, range(3), timeout=120))
    for seed in range(3):
        expected = _counts(_plain(seed))
        for answer in (sent[seed], made[seed]):
            assert type(answer) is pandas.DataFrame  # Pickles have pandas' classes.
            pandas.testing.assert_frame_equal(answer, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_child_computes_with_its_parents_frame():
    frame = ours.DataFrame(_plain(7))
    expected = _counts(_plain(7))
    _counts(frame)
    child = multiprocessing.get_context("fork").Process(target=_write_and_compare, args=(frame, expected))
    child.start()
    child.join(120)
    assert child.exitcode == 0
    _same(_counts(frame), expected)


def _write_and_compare(frame, expected) -> None:
    _same(_counts(frame), expected)
    frame["v"] = 0.0
    assert frame["v"].sum() == 0.0


@pytest.mark.parametrize("sizes", [[5, 0, 3], [1, 1, 1], [0], [4096, 1, 777]])
def test_chunked_arrow_input_equals_pandas(sizes):
    parts = [_plain(number, size) for number, size in enumerate(sizes)]
    table = pyarrow.concat_tables(pyarrow.Table.from_pandas(part, preserve_index=False) for part in parts)
    assert table.column("k").num_chunks == len(sizes)
    expected = pandas.DataFrame.from_arrow(table)
    frame = ours.DataFrame.from_arrow(table)
    assert type(frame) is ours.DataFrame
    _same(frame, expected)
    _same(_counts(frame), _counts(expected))
    _same(frame[frame.v > 0], expected[expected.v > 0])


def test_join_larger_than_memory_raises_and_leaves_the_program_whole():
    rows = 4_000_000
    left = ours.DataFrame({"k": np.zeros(rows, dtype=np.int64), "v": np.arange(rows)})
    right = ours.DataFrame({"k": np.zeros(rows, dtype=np.int64), "w": np.arange(rows)})
    with pytest.raises(MemoryError):
        left.merge(right, on="k")
    assert left.v.sum() == rows * (rows - 1) // 2
    small = left.head(3).merge(right.head(2), on="k")
    assert small.v.tolist() == [0, 0, 1, 1, 2, 2]
    assert small.w.tolist() == [0, 1, 0, 1, 0, 1]
