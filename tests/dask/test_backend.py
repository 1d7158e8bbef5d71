"""Dask with tessera's chunks: one line switches them, and each operation keeps them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy
import pytest

dask = pytest.importorskip("dask")

import dask.array as da  # noqa: E402
import tessera.numpy as np  # noqa: E402
from dask.base import tokenize  # noqa: E402
from dask.sizeof import sizeof  # noqa: E402


@pytest.fixture(autouse=True)
def backend():
    with dask.config.set({"array.backend": "tessera", "scheduler": "sync"}):
        yield


def chunks_of(x):
    return dask.compute(*[block for block in x.to_delayed().ravel()])


def same(x, expected):
    """Every chunk and the meta are tessera's, and the values are these."""
    assert type(x._meta) is np.ndarray and {type(each) for each in chunks_of(x)} == {np.ndarray}
    result = x.compute()
    assert type(result) is np.ndarray and result.dtype == x.dtype == numpy.asarray(expected).dtype
    numpy.testing.assert_allclose(numpy.asarray(result), numpy.asarray(expected), rtol=1e-12, atol=1e-12)
    return True


def run(program):
    """A program in a process of its own that has imported nothing."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, env=os.environ
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_one_line_switches_programs_that_do_not_import_tessera():
    program = """
        import sys
        import dask
        dask.config.set({"array.backend": "tessera"})
        import dask.array as da
        x = da.random.random((20, 4), chunks=(5, 4))
        print(type(da.linalg.svd(x)[1].compute()).__module__, type(x._meta).__module__)
    """
    assert run(program).split() == ["tessera.numpy"] * 2


@pytest.mark.parametrize("order", ["dask.array, tessera.numpy", "tessera.numpy, dask.array"])
def test_arrays_are_known_whichever_is_imported_first(order):
    program = f"""
        import {order}
        x = dask.array.from_array(tessera.numpy.arange(10.0), chunks=4)
        print(type(dask.array.concatenate([x, x])[::2].compute()).__module__)
    """
    assert run(program).split() == ["tessera.numpy"]


@pytest.mark.parametrize("name", ["ones", "zeros", "empty"])
def test_creation_gives_tessera_chunks(name):
    x = getattr(da, name)((6, 5), chunks=(4, 2), dtype="f4")
    assert type(x._meta) is np.ndarray and {type(each) for each in chunks_of(x)} == {np.ndarray}
    assert x.dtype == "f4" and x.compute().shape == (6, 5)


def test_filled_and_ranged_arrays():
    x = numpy.arange(24.0).reshape(6, 4)
    lent = da.from_array(np.asarray(x), chunks=(4, 3))
    assert same(da.full((4, 3), 7, chunks=2), numpy.full((4, 3), 7))
    assert same(da.arange(2, 11, 3, chunks=2), numpy.arange(2, 11, 3))
    assert same(lent, x) and same(da.asarray(np.asarray(x)), x)
    for like in ("ones_like", "zeros_like"):
        assert same(getattr(da, like)(lent), getattr(numpy, like)(x))
    assert same(da.full_like(lent, 3.0), numpy.full_like(x, 3.0))


def test_conversion_to_and_from_numpy():
    x = numpy.arange(24.0).reshape(6, 4)
    with dask.config.set({"array.backend": "numpy"}):
        theirs = da.from_array(x, chunks=(4, 3)) + 1
    assert type(theirs.compute()) is numpy.ndarray
    assert same(theirs.to_backend("tessera"), x + 1)
    assert type(theirs.to_backend("tessera").to_backend("numpy").compute()) is numpy.ndarray


def test_random_numbers_are_those_of_the_seed_whatever_the_order():
    with dask.config.set({"array.backend": "numpy"}):
        expected = da.random.default_rng(5).normal(size=(40, 30), chunks=(7, 11)).compute()
        legacy = da.random.RandomState(5).uniform(size=(40,), chunks=7).compute()
    rng = da.random.default_rng(5).normal(size=(40, 30), chunks=(7, 11))
    assert same(rng, expected) and same(da.random.RandomState(5).uniform(size=(40,), chunks=7), legacy)
    backwards = [block.compute() for block in rng.to_delayed().ravel()[::-1]]
    for mine, theirs in zip(backwards[::-1], chunks_of(rng)):
        assert (mine == theirs).all()


def test_random_choices_and_permutations():
    rng = da.random.default_rng(1)
    assert sorted(rng.permutation(da.arange(20, chunks=20)).compute().tolist()) == list(range(20))
    assert set(rng.choice(5, size=30, chunks=10).compute().tolist()) <= set(range(5))
    state = da.random.RandomState(1)
    assert sorted(state.permutation(20).compute().tolist()) == list(range(20))
    assert set(state.choice(5, size=30, chunks=10, p=[0.2] * 5).compute().tolist()) <= set(range(5))


def test_sizes_count_elements_that_exist():
    assert sizeof(np.ones((10, 10))) == 800 and sizeof(np.broadcast_to(np.ones(1), (10, 10))) == 8
    assert sizeof(np.ones(0)) == 0 and sizeof(np.array(1.0)) == 8


def test_names_depend_on_elements_dtype_and_shape():
    x = np.arange(24.0).reshape(4, 6)
    y = x.copy()
    y[3, 5] += 1
    names = [tokenize(each) for each in (x, y, x.T, x.reshape(6, 4), x.astype("f4"), x.view("i8"), x[:, ::2], x[::2])]
    assert len(set(names)) == len(names)
    assert tokenize(x) == tokenize(np.asarray(numpy.asarray(x))) == tokenize(np.ascontiguousarray(x.T).T)
    swapped = x.copy()
    swapped[0, 0], swapped[0, 1] = x[0, 1], x[0, 0]
    assert tokenize(swapped) != tokenize(x)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_every_dtype_has_a_name(dtype):
    for shape in ((0,), (), (7,), (3, 5)):
        assert tokenize(np.ones(shape, dtype)) == tokenize(np.ones(shape, dtype))
        assert np.ones(shape, dtype).size == 0 or tokenize(np.ones(shape, dtype)) != tokenize(np.zeros(shape, dtype))


def test_names_are_the_same_on_a_device():
    import tessera

    values = numpy.random.default_rng(0).random((200, 300))
    on_host = tokenize(np.asarray(values))
    with tessera.device("simulated"):
        x = np.asarray(values) * 1
        tessera.reset_counters()
        assert tokenize(x) == on_host
        copied = tessera.counters()
    assert copied.get("bytes_from_device", 0) < 1000


def test_arithmetic_reductions_and_products():
    x = numpy.random.default_rng(2).normal(size=(30, 20))
    d = da.from_array(np.asarray(x), chunks=(7, 6))
    assert same((d + 1)[::2, ::2] * d[::2, ::2].mean(axis=0), (x + 1)[::2, ::2] * x[::2, ::2].mean(axis=0))
    assert same(d.std(axis=1), x.std(axis=1)) and same(da.nanmean(d, axis=0), numpy.nanmean(x, axis=0))
    assert same(d.argmax(axis=0), x.argmax(axis=0)) and same(d.cumsum(axis=1), x.cumsum(axis=1))
    assert same(d @ d.T, x @ x.T) and same(da.einsum("ij,kj->ik", d, d), x @ x.T)
    assert same(da.tensordot(d, d, axes=((0,), (0,))), x.T @ x)
    assert same(da.take(d, [3, 1, 9], axis=1), x[:, [3, 1, 9]])
    assert same(da.percentile(d[:, 0].rechunk(-1), [10, 50]), numpy.percentile(x[:, 0], [10, 50]))
    assert float(d.sum().compute()) == pytest.approx(x.sum())


def test_metas_and_chunks_are_tesseras_where_dask_would_assume_numpys():
    x = numpy.random.default_rng(2).normal(size=(30, 20))
    d = da.from_array(np.asarray(x), chunks=(7, 20))
    assert same(da.fft.fft(d), numpy.fft.fft(x)) and same(da.nanargmin(d, axis=1), numpy.nanargmin(x, axis=1))
    assert same(da.histogram(d, bins=5, range=(-2, 2))[0], numpy.histogram(x, bins=5, range=(-2, 2))[0])
    assert same(da.histogram2d(d[:, 0], d[:, 1], bins=3, range=((-2, 2),) * 2)[0],
                numpy.histogram2d(x[:, 0], x[:, 1], bins=3, range=((-2, 2),) * 2)[0])  # fmt: skip
    assert same(d[d > 0].compute_chunk_sizes(), x[x > 0]) and same(da.zeros_like(d[d > 0]), numpy.zeros_like(x[x > 0]))
    assert same(da.topk(d, 3, axis=1), numpy.sort(x, axis=1)[:, :-4:-1])
    assert same(da.median(d, axis=1), numpy.median(x, axis=1)) and same(
        da.coarsen(numpy.sum, d, {1: 5}), x.reshape(30, 4, 5).sum(2)
    )


def test_functions_of_creation_without_a_backend_give_tessera_chunks():
    assert same(da.linspace(0, 1, 9, chunks=4), numpy.linspace(0, 1, 9)) and same(da.eye(5, chunks=2), numpy.eye(5))
    assert same(da.tri(4, chunks=2), numpy.tri(4)) and same(
        da.indices((3, 4), chunks=(2, 2))[1], numpy.indices((3, 4))[1]
    )
    assert same(da.asarray([1, 2, 3]), numpy.array([1, 2, 3])) and same(
        da.diag(np.arange(4)), numpy.diag(numpy.arange(4))
    )
    assert same(da.from_delayed(dask.delayed(numpy.ones)(3), (3,), dtype="f8"), numpy.ones(3))
    kept = da.from_array(numpy.array(["a", "b"]))
    assert type(kept.compute()) is numpy.ndarray and type(da.from_array(numpy.ones(3)).compute()) is numpy.ndarray
    with dask.config.set({"array.backend": "numpy"}):
        assert type(da.linspace(0, 1, 9, chunks=4).compute()) is numpy.ndarray


def test_matrices_that_scipy_factorises_come_back_as_tesseras():
    x = numpy.random.default_rng(3).normal(size=(8, 8))
    x = x @ x.T + 8 * numpy.eye(8)
    d = da.from_array(np.asarray(x), chunks=4)
    p, lower, upper = da.linalg.lu(d)
    assert same(p @ lower @ upper, x) and same(da.linalg.cholesky(d, lower=True), numpy.linalg.cholesky(x))
    assert same(da.linalg.inv(d), numpy.linalg.inv(x)) and same(da.linalg.solve(d, d[:, :2]), numpy.eye(8)[:, :2])
    q, r = da.linalg.qr(d.rechunk((4, 8)))
    assert same(q @ r, x)
    q, r = da.linalg.sfqr(d[:4].rechunk((4, 4)))
    assert same(q @ r, x[:4])
    u, s, v = da.linalg.svd(d.rechunk((4, 8)))
    assert same((u * s) @ v, x) and same(da.linalg.lstsq(d.rechunk((4, 8)), d[:, 0].rechunk(4))[0], numpy.eye(8)[0])
    assert same(da.linalg.svd_compressed(d, 8, seed=1)[1], numpy.linalg.svd(x, compute_uv=False))


def test_an_array_is_cut_into_views_and_later_writes_do_not_reach_it():
    x = np.arange(10.0)
    d = da.from_array(x, chunks=4)
    x[:] = -1
    assert same(d, numpy.arange(10.0)) and len(d.dask) == 3
