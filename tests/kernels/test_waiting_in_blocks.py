"""Threads of one block that wait for each other by atomics, in kernels that have barriers or shared arrays."""

import numpy as np
import pytest
import tessera.numpy as tn

from tessera import cuda

BLOCKS, THREADS = 5, 96


@pytest.fixture(autouse=True)
def lanes_run(device):
    if device == "simulated":
        pytest.skip("the simulated device runs a block's threads together")


@cuda.jit
def first_waits_for_all(out):
    s = cuda.shared.array(2, np.int32)
    t = cuda.threadIdx.x
    if t < 2:
        s[t] = 0
    cuda.syncthreads()
    if t == 0:
        while cuda.atomic.add(s, 0, 0) != cuda.blockDim.x - 1:
            pass
        s[1] = 7
    else:
        cuda.atomic.add(s, 0, 1)
    cuda.syncthreads()
    out[cuda.grid(1)] = s[1] + t


@cuda.jit
def each_waits_for_the_next(out, turns):
    s = cuda.shared.array(0, np.float64)
    t, b = cuda.threadIdx.x, cuda.blockIdx.x
    while cuda.atomic.add(turns, b, 0) != cuda.blockDim.x - 1 - t:
        pass
    s[t] = turns[b]
    cuda.threadfence()
    cuda.atomic.add(turns, b, 1)
    cuda.syncthreads()
    out[cuda.grid(1)] = s[cuda.blockDim.x - 1 - t]


@cuda.jit
def lock(out, x):
    held = cuda.shared.array(1, np.int32)
    total = cuda.shared.array((1, 2), np.float64)
    t = cuda.threadIdx.x
    if t == 0:
        held[0] = 0
        total[0, 0] = total[0, 1] = 0
    cuda.syncthreads()
    while cuda.atomic.cas(held, 0, 0, 1) != 0:
        pass
    total[0, 1] += x[cuda.grid(1)]
    cuda.threadfence()
    cuda.atomic.exch(held, 0, 0)
    cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = total[0, 1]


@cuda.jit
def some_return(out):
    s = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        s[0] = 0
    cuda.syncthreads()
    if t % 3 == 0:
        out[cuda.grid(1)] = -1
        return
    own = cuda.local.array(2, np.int32)
    own[0] = own[1] = t
    cuda.atomic.add(s, 0, 1)
    for _ in range(2):
        while cuda.atomic.max(s, 0, 0) < 2 * cuda.blockDim.x // 3:
            pass
        cuda.syncthreads()
    out[cuda.grid(1)] = s[0] + own[1]


@pytest.mark.parametrize("times", [1, 30])
def test_one_thread_waits_for_the_others(times):
    out = tn.zeros(BLOCKS * THREADS, np.int32)
    for _ in range(times):
        first_waits_for_all[BLOCKS, THREADS](out)
    np.testing.assert_array_equal(np.asarray(out), np.tile(7 + np.arange(THREADS), BLOCKS))


def test_each_thread_waits_for_the_next_one():
    out, turns = tn.zeros(BLOCKS * THREADS), tn.zeros(BLOCKS, np.int64)
    each_waits_for_the_next[BLOCKS, THREADS, 0, 8 * THREADS](out, turns)
    np.testing.assert_array_equal(np.asarray(turns), [THREADS] * BLOCKS)
    np.testing.assert_array_equal(np.asarray(out), np.tile(np.arange(THREADS), BLOCKS))


@pytest.mark.parametrize("block", [THREADS, (8, 4, 3)])
def test_a_lock_in_shared_memory(block):
    x = np.arange(BLOCKS * THREADS, dtype=np.float64)
    out = tn.zeros(BLOCKS)
    if block == THREADS:
        lock[BLOCKS, block](out, tn.array(x))
        np.testing.assert_array_equal(np.asarray(out), x.reshape(BLOCKS, -1).sum(axis=1))
    else:
        lock[(BLOCKS, 1, 1), block](out, tn.array(np.ones_like(x)))
        np.testing.assert_array_equal(np.asarray(out), [THREADS] * BLOCKS)


def test_threads_that_have_returned_are_not_waited_for():
    out = tn.zeros(BLOCKS * THREADS, np.int32)
    some_return[BLOCKS, THREADS](out)
    t = np.arange(THREADS)
    np.testing.assert_array_equal(np.asarray(out), np.tile(np.where(t % 3 == 0, -1, 64 + t), BLOCKS))
