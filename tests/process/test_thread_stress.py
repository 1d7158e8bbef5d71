"""Any number of threads get the bits of one thread, on arrays of their own and on shared ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera

SIZE = 4_000  # more than runs at once


def program(shared, seed, turns):
    """Expressions, writes in place, known loops, routines and reads, in an order that depends on the seed."""
    own = shared * seed + 1
    columns = own.reshape(40, 100)
    found = []
    for turn in range(turns):
        kind = (seed * 7 + turn) % 6
        if kind == 0:
            own[1:-1] = (own[:-2] + own[2:]) * 0.5
        elif kind == 1:
            own = tnp.sqrt(own * own + shared)
            columns = own.reshape(40, 100)
        elif kind == 2:
            found.append(float((own * 2).sum()))
        elif kind == 3:
            found.append(np.asarray(columns.sum(axis=0)).tobytes())
        elif kind == 4:
            found.append(np.asarray(tnp.sort(-own)[:50]).tobytes())
        else:
            x = own
            for _ in range(12):
                x = x * 0.5 + shared
            found.append(float(x[turn]))
    return found, np.asarray(own).tobytes()


@pytest.mark.parametrize("device", ["cpu", "simulated"])
@pytest.mark.parametrize("threads", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("is_shared", [False, True])
def test_threads_get_the_bits_of_one_thread(device, threads, is_shared, request):
    turns = 12
    values = np.linspace(0, 5, SIZE)
    with tessera.device(device):
        expected = [program(tnp.array(values), seed, turns) for seed in range(threads)]
        shared = tnp.array(values) * 1.0

    def work(seed, barrier):
        with tessera.device(device):
            barrier.wait()
            return program(shared if is_shared else tnp.array(values), seed, turns)

    with ThreadPoolExecutor(threads) as pool:
        for _ in range(request.config.getoption("--thread-runs")):
            barrier = Barrier(threads)
            assert list(pool.map(work, range(threads), [barrier] * threads)) == expected
