"""One-axis arrays as Arrow's: pyarrow, polars and DuckDB read them, without a copy from host memory."""

import gc

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core as core

pyarrow = pytest.importorskip("pyarrow")

DTYPES = ("bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 1000])
def test_pyarrow_reads_the_elements(dtype, size):
    expected = (numpy.arange(size) % 5).astype(dtype)
    found = pyarrow.array(np.asarray(expected))
    assert found.type == pyarrow.from_numpy_dtype(expected.dtype) and found.null_count == 0
    found.validate(full=True)
    assert found.to_pylist() == expected.tolist()


def test_host_memory_is_not_copied():
    x = np.asarray(numpy.arange(1000.0))
    found = pyarrow.array(x)
    assert found.buffers()[1].address == numpy.asarray(x).__array_interface__["data"][0]
    x[0] = 5.0
    assert found[0].as_py() == 5.0


def test_the_memory_outlives_the_array():
    found = pyarrow.array(np.asarray(numpy.arange(100_000.0)))
    gc.collect()
    assert [np.full(100_000, 7.0)[0] for _ in range(5)] == [7.0] * 5
    assert found[99_999].as_py() == 99_999.0


def test_capsules_that_nobody_takes_give_the_memory_back():
    x = np.asarray(numpy.arange(100_000.0))
    for _ in range(3):
        x.__arrow_c_array__(), x.__arrow_c_stream__(), x.__arrow_c_schema__()
    y = x.copy()
    del x
    gc.collect()
    assert y[99_999] == 99_999.0


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::3],
        lambda x: x[::-1],
        lambda x: x[5:50],
        lambda x: x * 2 + 1,
        lambda x: np.broadcast_to(x[:1], (9,)),
    ],
    ids=["strided", "backwards", "slice", "recorded", "broadcast"],
)
@pytest.mark.parametrize("where", ["cpu", "simulated"])
def test_views_recorded_and_device_arrays(view, where):
    with tessera.device(where):
        x = view(np.asarray(numpy.arange(60_000.0)))
        assert pyarrow.array(x).to_pylist() == x.tolist()


def test_a_stream_has_one_chunk():
    found = pyarrow.chunked_array(np.asarray([1, 2, 3]))
    assert found.num_chunks == 1 and found.to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("method", ["__arrow_c_array__", "__arrow_c_stream__", "__arrow_c_schema__"])
def test_what_arrow_lacks_is_refused(method):
    with pytest.raises(ValueError, match="have one axis; this one has 2"):
        getattr(np.zeros((2, 2)), method)()
    with pytest.raises(TypeError, match="Arrow has no complex128"):
        getattr(np.zeros(2, complex), method)()
    with pytest.raises(TypeError):
        getattr(np.zeros(2), method)(1, 2)


def test_polars_reads_arrays():
    polars = pytest.importorskip("polars")
    x = np.asarray(numpy.arange(1000.0))
    frame = polars.DataFrame({"x": polars.Series("x", x), "whole": polars.Series(np.arange(1000))})
    assert frame["x"].to_list() == x.tolist() and frame["whole"].sum() == 499_500


def test_duckdb_reads_arrays():
    duckdb = pytest.importorskip("duckdb")
    records = pyarrow.table({"x": np.asarray(numpy.arange(1000.0)), "odd": np.arange(1000) % 2 == 1})
    relation = duckdb.from_arrow(records)
    assert relation.filter("odd").sum("x").fetchall() == [(250_000.0,)]
    assert core.is_own(np.asarray(relation.fetchnumpy()["x"]))
