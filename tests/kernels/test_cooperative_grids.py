"""Barriers of the whole grid, and threads that wait for each other by atomics."""

import numpy as np
import pytest

import tessera
from tessera import _core, cuda


@pytest.fixture(params=["never", "before_full"])
def compiling(request):
    outer = _core.options()["compile"]
    _core.options(compile=request.param)
    yield request.param
    _core.options(compile=outer)


@cuda.jit
def rows(m):
    column = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for row in range(1, m.shape[0]):
        m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
        grid.sync()


def test_each_row_sees_the_one_before(compiling):
    m = np.zeros((40, 256), np.int32)
    rows[8, 32](m)
    np.testing.assert_array_equal(m, np.arange(40)[:, None] + np.zeros(256))


def test_a_grid_of_three_axes_with_shared_memory_keeps_what_threads_have(compiling):
    @cuda.jit
    def kernel(parts, out):
        grid = cuda.cg.this_grid()
        held = cuda.shared.array(6, np.float64)
        t = cuda.threadIdx.x + 3 * cuda.threadIdx.y
        b = cuda.blockIdx.x + 2 * cuda.blockIdx.y + 6 * cuda.blockIdx.z
        mine = t * 0.5 + b
        held[t] = mine
        cuda.syncthreads()
        if t == 0:
            total = 0.0
            for k in range(6):
                total += held[k]
            parts[b] = total
        assert grid.sync() == 1
        out[b, t] = parts[(b + 5) % 24] + mine

    parts, out = np.zeros(24), np.zeros((24, 6))
    kernel[(2, 3, 4), (3, 2)](parts, out)
    b, t = np.arange(24.0)[:, None], np.arange(6.0)
    np.testing.assert_array_equal(parts, (6 * b + 7.5)[:, 0])
    np.testing.assert_array_equal(out, parts[(np.arange(24) + 5) % 24][:, None] + t * 0.5 + b)


def test_blocks_that_have_ended_are_not_waited_for():
    @cuda.jit
    def kernel(out):
        if cuda.blockIdx.x % 2:
            return
        cuda.cg.this_grid().sync()
        out[cuda.blockIdx.x] = 1

    if "gpu" in tessera._core.device():
        pytest.skip("a device waits for all blocks")
    out = np.zeros(6)
    kernel[6, 1](out)
    assert out.tolist() == [1, 0, 1, 0, 1, 0]


def test_cooperative_kernels_say_so():
    @cuda.jit
    def plain(a):
        a[0] = 1

    a = np.zeros((2, 32), np.int32)
    rows[1, 32](a)
    plain[1, 1](np.zeros(1))
    of_grid, of_threads = (next(iter(kernel.overloads.values())) for kernel in (rows, plain))
    assert of_grid.cooperative and not of_threads.cooperative
    most = of_grid.max_cooperative_grid_blocks(256)
    assert most == of_grid.max_cooperative_grid_blocks((16, 16)) == of_grid.max_cooperative_grid_blocks(256, 0) > 1


def test_too_many_blocks_are_refused():
    with pytest.raises(ValueError, match="cooperative launch of rows"):
        rows[100_000, 32](np.zeros((2, 3_200_000), np.int8))


def test_threads_wait_for_later_ones(compiling):
    @cuda.jit
    def relay(turn, order):
        i = cuda.grid(1)
        while cuda.atomic.add(turn, 0, 0) != cuda.gridsize(1) - 1 - i:
            pass
        order[i] = turn[0]
        cuda.threadfence()
        cuda.atomic.add(turn, 0, 1)

    turn, order = np.zeros(1, np.int64), np.zeros(96, np.int64)
    relay[12, 8](turn, order)
    np.testing.assert_array_equal(order, np.arange(96)[::-1])


def test_a_lock_is_held_by_one_thread_at_a_time(compiling):
    @cuda.jit
    def locked(lock, total):
        done = False
        while not done:
            if cuda.atomic.cas(lock, 0, 0, 1) == 0:
                total[0] = total[0] + cuda.grid(1)
                cuda.threadfence()
                cuda.atomic.exch(lock, 0, 0)
                done = True
            else:
                cuda.nanosleep(20)

    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int64)
    locked[16, 32](lock, total)
    assert total[0] == 512 * 511 // 2


def test_blocks_with_barriers_wait_for_a_flag(compiling):
    @cuda.jit
    def chain(flags, sums):
        b = cuda.blockIdx.x
        if cuda.threadIdx.x == 0:
            if b > 0:
                while cuda.ldcv(flags, b - 1) == 0:
                    pass
                sums[b] = sums[b - 1] + b
            cuda.threadfence()
            flags[b] = 1
        cuda.syncthreads()

    flags, sums = np.zeros(20, np.int32), np.zeros(20, np.int64)
    chain[20, 32](flags, sums)
    np.testing.assert_array_equal(sums, np.cumsum(np.arange(20)))


def test_a_failure_of_a_block_that_others_wait_for_is_raised():
    @cuda.jit(debug=True)
    def kernel(a, k):
        cuda.cg.this_grid().sync()
        a[cuda.blockIdx.x + k] = 1

    with pytest.raises(IndexError):
        kernel[4, 1](np.zeros(4), 1)
