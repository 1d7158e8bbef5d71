"""Threads that wait for a device let others go on."""

import concurrent.futures

import numpy
import tessera.numpy as np

import tessera


def run(work):
    """Four threads, two on each of two devices."""

    def on_device(k):
        with tessera.device(f"simulated@{k % 2}"):
            work(k)

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(on_device, k) for k in range(4)]:
            done.result(timeout=60)


def test_threads_wait_and_queue_beside_each_other():
    values = numpy.random.default_rng(3).random(50_000)
    results = {}

    def work(k):
        a = np.array(values)
        for step in range(20):
            a = np.sort(a[::-1]) + step
            tessera.synchronize()
        results[k] = numpy.asarray(a)

    run(work)
    wanted = numpy.sort(values)
    for step in range(20):
        wanted = wanted + step
    assert set(results) == set(range(4))
    for got in results.values():
        numpy.testing.assert_array_equal(got, wanted)


def test_decompositions_of_threads_do_not_disturb_each_other():
    matrix = numpy.random.default_rng(4).random((24, 24))
    wanted = numpy.linalg.svd(matrix, compute_uv=False)
    wanted_values = numpy.linalg.eigvalsh(matrix + matrix.T)

    def work(k):
        for _ in range(10):
            numpy.testing.assert_allclose(np.linalg.svd(np.array(matrix), compute_uv=False), wanted)
            numpy.testing.assert_allclose(np.linalg.eigvalsh(np.array(matrix + matrix.T)), wanted_values)

    run(work)
