"""Memory that another library changes while a routine reads it."""

import threading

import numpy
import tessera.numpy as np


def test_memory_that_numpy_changes_meanwhile_is_read_once():
    shared = numpy.zeros(300_000, "int64")
    mask = numpy.zeros(300_000, "bool")
    ours, chosen = np.from_dlpack(shared), np.from_dlpack(mask)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            for value in (0, 40):
                shared[:] = value
                mask[:] = value > 0

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(60):
            assert np.nonzero(ours)[0].size <= 300_000
            assert int(np.bincount(ours).sum()) == 300_000
            assert np.ones(300_000)[chosen].size <= 300_000
            assert np.repeat(np.ones(300_000, "int8"), ours).size <= 40 * 300_000
    finally:
        stop.set()
        thread.join()
