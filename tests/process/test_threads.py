"""Several Python threads may work on shared and on their own arrays at once."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera

SIZE = 20_000


def program(xp, shared, seed):
    """Elementwise work, views, in-place writes, indexing and reductions on a thread's own arrays."""
    own = shared * seed + 1
    total = 0.0
    for turn in range(20):
        own[1:-1] = (own[:-2] + own[2:]) / 2
        own += shared * 0.5
        part = own[own > turn]
        own[::7] = turn
        own[[3, 5, 8]] = own[[8, 3, 5]]
        total += float(part.sum()) + float(own[turn]) + float(xp.sqrt(xp.abs(own)).max())
    return total


def test_threads_get_the_results_of_one_thread():
    values = np.linspace(0, 5, SIZE)
    shared = tnp.array(values)
    expected = [program(np, values, seed) for seed in range(1, 5)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            results = list(pool.map(lambda seed: program(tnp, shared, seed), range(1, 5)))
            np.testing.assert_allclose(results, expected, rtol=1e-12)


def test_pending_work_of_one_thread_is_seen_by_another():
    with ThreadPoolExecutor(1) as pool:
        a = tnp.ones(SIZE)
        b = a * 3 + 1
        assert pool.submit(lambda: float(b[SIZE - 1])).result() == 4
        c = pool.submit(lambda: b * 2).result()
        assert float((c + b)[0]) == 12
        pool.submit(lambda: b.__iadd__(1)).result()
        assert float(b[5]) == 5


def test_exported_memory_outlives_its_array_in_another_thread():
    def export():
        return np.asarray(tnp.arange(0, SIZE, 1) * 2)

    with ThreadPoolExecutor(3) as pool:
        for view in pool.map(lambda _: export(), range(20)):
            assert view[SIZE - 1] == 2 * (SIZE - 1)


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_threads_read_and_write_the_same_arrays(device):
    def work(seed):
        chooser = random.Random(seed)
        with tessera.device(device):
            for _ in range(200):
                a = shared[chooser.randrange(4)]
                choice = chooser.randrange(5)
                if choice == 0:
                    assert a[7] == 7
                elif choice == 1:
                    assert np.asarray(a)[100] == 100
                elif choice == 2:
                    a[5:10] = a[5:10] * 1
                elif choice == 3:
                    assert float((a + 0).max()) == 59_999
                else:
                    assert a[3:8].tolist() == [3, 4, 5, 6, 7]

    with tessera.device(device):
        shared = [tnp.arange(60_000.0) * 1 for _ in range(4)]
        tessera.synchronize()
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    for a in shared:
        np.testing.assert_array_equal(np.asarray(a), np.arange(60_000.0))
