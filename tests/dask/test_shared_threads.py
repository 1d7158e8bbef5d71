"""Tasks share the cores with the engine's threads, and end with what they recorded."""

from __future__ import annotations

import threading

import numpy
import pytest

dask = pytest.importorskip("dask")

import dask.array as da  # noqa: E402
import tessera.numpy as np  # noqa: E402
from tessera.dask import threads  # noqa: E402

from tessera import _core as core  # noqa: E402


@pytest.fixture(autouse=True)
def four_cores():
    before = core.cpus()
    core.set_cpus(4)
    with dask.config.set({"array.backend": "tessera"}):
        yield
    core.set_cpus(before)


@pytest.mark.parametrize("workers", [1, 2, 4, 8])
def test_tasks_and_the_engine_use_no_more_than_the_cores(workers):
    together = threading.Barrier(workers, timeout=10)

    def look(_):
        together.wait()
        seen = core.cpus()
        together.wait()
        return seen

    seen = dask.compute(*[dask.delayed(look)(k) for k in range(workers)], scheduler="threads", num_workers=workers)
    assert set(seen) == {max(1, 4 // workers)}
    assert core.cpus() == 4


def test_a_failing_task_gives_its_cores_back():
    def fail():
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        dask.delayed(fail)().compute(scheduler="threads", num_workers=2)
    assert core.cpus() == 4 and threads._budget._running == 0


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_a_task_runs_what_it_recorded(scheduler):
    pending = []

    def work(x):
        y = x * 2.0 + 1.0
        pending.append(y)
        return y

    x = da.ones(100_000, chunks=50_000) + 1.0
    y = x.map_blocks(work, dtype=float, meta=np.empty(0))
    pending.clear()
    result = y.persist(scheduler=scheduler)
    assert len(pending) == 2
    # Nothing is left of the tasks: the chunks are there before anybody reads them.
    core.reset_counters()
    assert [float(numpy.asarray(each)[0]) for each in pending] == [5.0, 5.0]
    assert core.counters()["kernels_interpreted"] + core.counters()["kernels_native"] == 0
    assert type(result._meta) is np.ndarray


def test_threads_of_two_tasks_give_the_bits_of_one():
    x = da.from_array(np.asarray(numpy.random.default_rng(3).random((300, 400))), chunks=(100, 400))
    y = np.sqrt(x * x.mean(axis=1, keepdims=True)).sum(axis=0)
    assert numpy.array_equal(y.compute(scheduler="sync"), y.compute(scheduler="threads", num_workers=4))


def test_blas_gets_its_threads_back():
    before = core.blas_threads()
    x = da.from_array(np.asarray(numpy.random.default_rng(3).random((300, 400))), chunks=(100, 400))
    (x @ x.T).compute(scheduler="threads", num_workers=4)
    assert core.blas_threads() == before


def test_chunks_of_different_devices_meet():
    import tessera

    values = numpy.arange(12.0).reshape(4, 3)
    with tessera.device("simulated"):
        there = tessera.to_device(np.asarray(values[:2]) * 1.0)
    here = np.asarray(values[2:])
    x = da.concatenate([da.from_array(each, chunks=-1) for each in (there, here)])
    for scheduler in ("sync", "threads"):
        assert numpy.array_equal((x * 2 + x.sum(axis=0)).compute(scheduler=scheduler), values * 2 + values.sum(axis=0))


def test_the_device_of_a_block_is_that_of_dask_s_threads():
    import tessera

    def look(_):
        return core.device()

    def devices():
        return set(dask.compute(*[dask.delayed(look)(k) for k in range(4)], scheduler="threads", num_workers=2))

    before = devices()
    with tessera.device("simulated"):
        assert devices() == {core.device()}
    assert devices() == before == {core.device()}
