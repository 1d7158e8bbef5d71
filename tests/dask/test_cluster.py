"""Workers in processes of their own: arrays travel, cores are shared, a worker's death costs its chunks only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import numpy
import pytest

distributed = pytest.importorskip("distributed")

import dask  # noqa: E402
import dask.array as da  # noqa: E402
import tessera.numpy as np  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph", "ignore:.*port.*already in use")


@pytest.fixture(scope="module")
def client():
    options = {"array.backend": "tessera", "distributed.worker.multiprocessing-method": "spawn"}
    with dask.config.set(options):
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0, silence_logs=50
        )
        with cluster, distributed.Client(cluster) as client:
            yield client


def test_chunks_travel_between_workers_and_stay_tessera_s(client):
    values = numpy.random.default_rng(0).random((600, 60))
    x = da.from_array(np.asarray(values), chunks=(100, 60))
    u, s, v = da.linalg.svd(x)
    found = (u * s @ v).rechunk((600, 10)).compute()
    assert type(found) is np.ndarray
    numpy.testing.assert_allclose(numpy.asarray(found), values)


def test_chunks_are_made_on_the_workers(client):
    x = da.random.default_rng(3).normal(size=(400, 30), chunks=(100, 30))
    chunks = distributed.futures_of(client.persist(x))
    assert set(client.gather(client.map(lambda block: type(block).__module__, chunks))) == {"tessera.numpy"}
    with dask.config.set(scheduler="sync"):
        expected = x.sum().compute()
    assert x.sum().compute() == expected


def test_a_worker_of_one_thread_leaves_the_other_cores_alone(client):
    def cpus():
        from tessera import _core

        return _core.cpus()

    assert set(client.gather([client.submit(cpus, pure=False) for _ in range(4)])) == {1}


def test_errors_that_depend_on_elements_are_the_task_s(client):
    def solve(block):
        return np.linalg.inv(block)

    future = client.submit(solve, np.zeros((3, 3)))
    assert isinstance(future.exception(), numpy.linalg.LinAlgError) and future.status == "error"


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x[::2, ::3],
        lambda x: x.T,
        lambda x: np.broadcast_to(x[:1], (9, 40)),
        lambda x: x[:0],
        lambda x: x * 2 + 1,
    ],
    ids=["strided", "transposed", "broadcast", "zero size", "recorded"],
)
def test_arrays_of_any_layout_are_scattered_and_gathered(client, make):
    x = make(np.asarray(numpy.arange(40_000.0).reshape(1000, 40)))
    back = client.gather(client.submit(lambda each: each, client.scatter(x)))
    assert type(back) is np.ndarray and back.shape == x.shape and np.array_equal(back, x)


def test_masks_and_unknown_sizes(client):
    values = numpy.random.default_rng(1).random(1000)
    x = da.from_array(np.asarray(values), chunks=100)
    assert float(x[x > 0.5].sum().compute()) == pytest.approx(values[values > 0.5].sum())
    assert x[x > 0.9].compute().shape == (numpy.count_nonzero(values > 0.9),)


def test_a_killed_worker_s_chunks_are_computed_again(client):
    x = client.persist(da.ones((800, 50), chunks=(100, 50)) * 3 + 1)
    distributed.wait(x)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    assert float(x.sum().compute()) == 800 * 50 * 4
    client.wait_for_workers(2, timeout=30)


def test_workers_that_are_forked_compute_too():
    """Of a process that has computed before; dask's own loop starts after the fork, as its threads are not made for one."""
    program = """
        import asyncio, os
        import distributed, numpy
        import tessera.numpy as np

        assert float((np.arange(300_000.0) * 2 + 1).sum()) == 300_000.0**2
        read, write = os.pipe()
        workers = []
        for _ in range(2):
            workers.append(os.fork())
            if workers[-1] == 0:
                async def serve():
                    async with distributed.Worker(os.read(read, 100).decode().strip(), nthreads=1) as worker:
                        await worker.finished()

                asyncio.run(serve())
                os._exit(0)

        import dask.array as da

        with distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
            for _ in workers:
                os.write(write, cluster.scheduler_address.ljust(100).encode())
            client.wait_for_workers(2, timeout=60)
            x = da.from_array(np.asarray(numpy.arange(100_000.0)), chunks=25_000)
            assert float(client.compute((x * x).sum()).result()) == float((numpy.arange(100_000.0) ** 2).sum())
            assert set(client.run(os.getpid).values()) == set(workers)
            client.retire_workers()
        for worker in workers:
            assert os.waitpid(worker, 0)[1] == 0
        print("done")
    """
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", textwrap.dedent(program)],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert result.stdout == "done\n", result.stderr


def test_arrays_spill_on_workers(tmp_path):
    limits = {"distributed.worker.memory.target": 0.02, "distributed.worker.memory.spill": False}
    with dask.config.set(limits | {"distributed.worker.memory.pause": False}):
        cluster = distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=50_000_000,
            local_directory=str(tmp_path),
        )  # fmt: skip
        with cluster, distributed.Client(cluster) as client:
            arrays = [client.submit(lambda k=k: np.full(50_000, float(k))[::-1], pure=False) for k in range(8)]
            distributed.wait(arrays)
            worker = next(iter(cluster.workers.values()))
            assert len(worker.data.slow) >= 4
            assert [float(each[0]) for each in client.gather(arrays)] == list(range(8))
