"""Threads that wait for a device let others go on."""

import threading

import numpy
import tessera.numpy as np

import tessera


def test_threads_wait_and_queue_beside_each_other():
    values = numpy.random.default_rng(3).random(50_000)
    results, errors = {}, []

    def work(k):
        try:
            with tessera.device(f"simulated@{k % 2}"):
                a = np.array(values)
                for step in range(20):
                    a = np.sort(a[::-1]) + step
                    tessera.synchronize()
                results[k] = numpy.asarray(a)
        except BaseException as error:  # told by the assertion below
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors
    wanted = numpy.sort(values)
    for step in range(20):
        wanted = wanted + step
    assert set(results) == set(range(4))
    for got in results.values():
        numpy.testing.assert_array_equal(got, wanted)


def test_decompositions_of_threads_do_not_disturb_each_other():
    matrix = numpy.random.default_rng(4).random((24, 24))
    wanted = numpy.linalg.svd(matrix, compute_uv=False)
    errors = []

    def work(k):
        try:
            with tessera.device(f"simulated@{k % 2}"):
                for _ in range(10):
                    numpy.testing.assert_allclose(np.linalg.svd(np.array(matrix), compute_uv=False), wanted)
                    numpy.testing.assert_allclose(np.linalg.eigvalsh(np.array(matrix + matrix.T))[-1] > 0, True)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors
