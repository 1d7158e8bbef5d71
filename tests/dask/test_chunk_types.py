"""What Dask computes by SciPy, pandas, numpy.ma or loops in Python gives tessera's chunks again."""

from __future__ import annotations

import numpy
import pytest

dask = pytest.importorskip("dask")

import dask.array as da  # noqa: E402
import tessera.numpy as np  # noqa: E402

VALUES = numpy.random.default_rng(5).integers(0, 9, (12, 12)).astype(float)


@pytest.fixture(autouse=True)
def backend():
    with dask.config.set({"array.backend": "tessera", "scheduler": "sync"}):
        yield


def collection():
    return da.from_array(np.asarray(VALUES), chunks=(4, 12))


def agree(found, expected):
    assert type(found._meta) is np.ndarray
    blocks = dask.compute(*found.to_delayed().ravel())
    assert {type(each) for each in blocks} == {np.ndarray}
    numpy.testing.assert_allclose(numpy.asarray(found.compute()), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "fft2"])
def test_transforms_of_scipy(name):
    fft = pytest.importorskip("scipy.fft")
    whole = collection().rechunk((12, 12))
    agree(da.fft.fft_wrap(getattr(fft, name))(whole), getattr(fft, name)(VALUES))


def test_sets():
    x = collection().ravel()
    values, counts = da.unique(x, return_counts=True)
    expected = numpy.unique(VALUES, return_counts=True)
    agree(values, expected[0])
    agree(counts, expected[1])
    agree(da.union1d(x, x), expected[0])


@pytest.mark.parametrize("limits", [[0, 9], "delayed"])
def test_histograms(limits):
    x = collection()
    found, _ = da.histogram(x, bins=6, range=[x.min(), x.max()] if limits == "delayed" else limits)
    expected, _ = numpy.histogram(VALUES, bins=6, range=(VALUES.min(), VALUES.max()) if limits == "delayed" else limits)
    agree(found, expected)


def test_masked_arrays_that_are_filled():
    masked = da.ma.masked_greater(collection(), 5)
    agree(da.ma.filled(masked, 0), numpy.where(VALUES > 5, 0, VALUES))
    agree(da.ma.getdata(masked), VALUES)
    agree(da.ma.getmaskarray(masked), VALUES > 5)


def test_every_factor_of_lu():
    values = VALUES @ VALUES.T + 40 * numpy.eye(12)
    permutation, lower, upper = da.linalg.lu(da.from_array(np.asarray(values), chunks=4))
    assert {type(dask.compute(*each.to_delayed().ravel())[0]) for each in (permutation, lower, upper)} == {np.ndarray}
    agree(permutation @ lower @ upper, values)


def test_loops_in_python():
    found = da.apply_gufunc(
        lambda row: row.max() - row[0], "(i)->()", collection(), vectorize=True, output_dtypes=float
    )
    agree(found, VALUES.max(axis=1) - VALUES[:, 0])


@pytest.mark.parametrize("value", [3.5, [1, 2, 3], [[1.0], [2.0]], numpy.float32(2), True])
def test_numbers_and_lists(value):
    agree(da.from_array(value), numpy.asarray(value))


def test_functions_without_arguments():
    agree(da.map_blocks(lambda: np.ones((2, 2)), chunks=((2, 2), (2,)), dtype=float), numpy.ones((4, 2)))


def test_blocks_by_a_list():
    agree(collection().blocks[np.asarray([0, 2])], VALUES[[0, 1, 2, 3, 8, 9, 10, 11]])
    with pytest.raises(ValueError, match="single list"):
        da.ones((4, 4), chunks=2).blocks[np.asarray([0, 1]), [0, 1]]


def test_data_frames_there_and_back():
    frames = pytest.importorskip("dask.dataframe")
    frame = frames.from_dask_array(collection()[:, :2], columns=["a", "b"])
    assert frame["a"].sum().compute() == VALUES[:, 0].sum()
    back = frame.to_dask_array(lengths=True)
    agree(back, VALUES[:, :2])


def test_other_backends_keep_numpy_s():
    with dask.config.set({"array.backend": "numpy"}):
        for found in (da.from_array([1, 2]), da.unique(da.ones(3, chunks=2)), da.ma.filled(da.ones(3, chunks=2))):
            assert type(found._meta) is numpy.ndarray and type(found.compute()) is numpy.ndarray
