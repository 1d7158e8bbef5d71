"""Chunks are what their collection says: NumPy's arrays that functions return become tessera's where the collection is."""

from __future__ import annotations

import pickle

import numpy
import pytest

dask = pytest.importorskip("dask")

import dask.array as da  # noqa: E402
import tessera.numpy as np  # noqa: E402
from tessera.dask.results import ToTessera  # noqa: E402


@pytest.fixture(autouse=True)
def tessera_backend():
    with dask.config.set({"array.backend": "tessera", "scheduler": "sync"}):
        yield


VALUES = numpy.arange(18.0).reshape(6, 3)


def known(block):
    """Also runs on the empty arrays that Dask tries it on."""
    return numpy.asarray(block) * 2


def unknown(block):
    """Fails on these."""
    if block.size < 2:
        raise ValueError("too few")
    return numpy.asarray(block) * 2


def made():
    return numpy.asarray(VALUES)


def source():
    return da.from_array(np.asarray(VALUES), chunks=(3, 3))


def with_block_id(block, block_id=None):
    return unknown(block) + block_id[0]


def plus_one(x):
    return x + 1


COLLECTIONS = {
    "map_blocks": (lambda: source().map_blocks(unknown, dtype=float), VALUES * 2),
    "map_blocks_said": (lambda: source().map_blocks(known, meta=np.empty((0, 0))), VALUES * 2),
    "map_blocks_checked": (lambda: source().map_blocks(unknown, dtype=float, enforce_ndim=True), VALUES * 2),
    "map_blocks_id": (
        lambda: source().map_blocks(with_block_id, dtype=float),
        VALUES * 2 + [[0], [0], [0], [1], [1], [1]],
    ),
    "map_blocks_without": (
        lambda: da.map_blocks(lambda block_info=None: numpy.ones((3, 3)), chunks=((3, 3), (3,)), meta=np.empty((0, 0))),
        numpy.ones((6, 3)),
    ),
    "vectorize": (
        lambda: source().map_blocks(numpy.vectorize(plus_one, otypes=[float]), meta=np.empty((0, 0))),
        VALUES + 1,
    ),
    "blockwise": (lambda: da.blockwise(unknown, "ij", source(), "ij", dtype=float), VALUES * 2),
    "map_overlap": (lambda: da.map_overlap(unknown, source(), depth=1, dtype=float, boundary="none"), VALUES * 2),
    "from_delayed": (lambda: da.from_delayed(dask.delayed(made)(), (6, 3), dtype=float), VALUES),
    "from_delayed_said": (lambda: da.from_delayed(dask.delayed(made)(), (6, 3), meta=np.empty((0, 0))), VALUES),
    "graph": (lambda: da.Array({("given", 0, 0): (made,)}, "given", ((6,), (3,)), dtype=float), VALUES),
    "gufunc": (
        lambda: da.apply_gufunc(lambda a: numpy.asarray(a).max(-1), "(i)->()", source(), output_dtypes=float),
        VALUES.max(-1),
    ),
    "reduction": (
        lambda: da.reduction(
            source(),
            lambda a, axis, keepdims: numpy.asarray(a).sum(axis=axis, keepdims=keepdims),
            lambda a, axis, keepdims: numpy.asarray(a).sum(axis=axis, keepdims=keepdims),
            axis=0,
            dtype=float,
        ),
        VALUES.sum(0),
    ),
}


def types_of_chunks(collection):
    found = set()
    collection.map_blocks(lambda block: (found.add(type(block)), block)[1], meta=collection._meta).compute()
    return found


@pytest.mark.parametrize("name", COLLECTIONS)
def test_what_is_said_to_be_tessera_s_is(name):
    make, expected = COLLECTIONS[name]
    collection = make()
    assert type(collection._meta) is np.ndarray
    assert types_of_chunks(collection) == {np.ndarray}
    numpy.testing.assert_array_equal(numpy.asarray(collection.compute()), expected)


def test_what_is_known_to_be_numpy_s_is_said_to_be():
    for collection in (source().map_blocks(known), da.blockwise(known, "ij", source(), "ij", dtype=float)):
        assert type(collection._meta) is numpy.ndarray
        assert types_of_chunks(collection) == {numpy.ndarray}


def test_under_numpy_s_backend_nothing_changes():
    with dask.config.set({"array.backend": "numpy"}):
        for make in (
            lambda: da.from_array(VALUES, chunks=(3, 3)).map_blocks(unknown, dtype=float),
            lambda: da.from_delayed(dask.delayed(made)(), (6, 3), dtype=float),
            lambda: da.Array({("given", 0, 0): (made,)}, "given", ((6,), (3,)), dtype=float),
        ):
            assert type(make()._meta) is numpy.ndarray
            assert types_of_chunks(make()) == {numpy.ndarray}


def test_names_stay_deterministic():
    first, second = (source().map_blocks(unknown, dtype=float).name for _ in range(2))
    assert first == second and first.startswith("unknown-")
    assert first != source().map_blocks(known, dtype=float, meta=np.empty((0, 0))).name
    assert da.from_delayed(dask.delayed(made)(), (6, 3), dtype=float, name="here").name == "here"


def test_a_converting_function_travels():
    function = pickle.loads(pickle.dumps(ToTessera(known)))
    assert type(function(VALUES)) is np.ndarray and function.__name__ == "known"


def test_objects_stay_numpy_s():
    collection = da.from_delayed(dask.delayed(lambda: numpy.array(["a", None], dtype=object))(), (2,), dtype=object)
    assert type(collection._meta) is numpy.ndarray and types_of_chunks(collection) == {numpy.ndarray}
