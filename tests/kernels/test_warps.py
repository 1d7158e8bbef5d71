"""Votes, shuffles, counts, fences, atomics and integer functions against NumPy."""

import numpy as np
import pytest

from tessera import cuda

INTEGERS = ["int32", "uint32", "int64", "uint64"]


@cuda.jit
def integer_functions(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i, 0] = cuda.popc(a[i])
        out[i, 1] = cuda.clz(a[i])
        out[i, 2] = cuda.ffs(a[i])
        out[i, 3] = cuda.brev(a[i])
        cuda.nanosleep(10)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_functions_count_the_bits_as_they_are(dtype):
    bits = 8 * np.dtype(dtype).itemsize
    values = [0, 1, 2, 5, 96, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2**bits - 1, 0x12345678]
    a = np.array(values, f"uint{bits}").astype(dtype)
    out = np.zeros((len(values), 4), np.uint64)
    integer_functions[1, 32](a, out)
    for got, value in zip(out.tolist(), values):
        text = format(value, f"0{bits}b")
        lowest = 0 if value == 0 else (value & -value).bit_length()
        assert got == [text.count("1"), bits - value.bit_length(), lowest, int(text[::-1], 2)]


@cuda.jit
def shuffles(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[0, i] = cuda.shfl_sync(0xFFFFFFFF, x, 3)
    out[1, i] = cuda.shfl_sync(0xFFFFFFFF, x, (i * 7) % 32)
    out[2, i] = cuda.shfl_up_sync(0xFFFFFFFF, x, 5)
    out[3, i] = cuda.shfl_down_sync(0xFFFFFFFF, x, 2)
    out[4, i] = cuda.shfl_xor_sync(0xFFFFFFFF, x, 21)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
@pytest.mark.parametrize("block", [32, 64, 256])
def test_shuffles_take_values_of_the_warp(dtype, block):
    n = 2 * block
    a = (np.arange(n) * 3 + 1).astype(dtype)
    out = np.zeros((5, n), dtype)
    shuffles[2, block](a, out)
    i = np.arange(n)
    lane, first = i % 32, i // 32 * 32
    np.testing.assert_array_equal(out[0], a[first + 3])
    np.testing.assert_array_equal(out[1], a[first + (i * 7) % 32])
    np.testing.assert_array_equal(out[2], a[np.where(lane >= 5, i - 5, i)])
    np.testing.assert_array_equal(out[3], a[np.where(lane + 2 < 32, i + 2, i)])
    np.testing.assert_array_equal(out[4], a[i ^ 21])


@cuda.jit
def sum_by_shuffles(a, out):
    i = cuda.grid(1)
    partial = cuda.shared.array(32, np.float64)
    x = a[i]
    d = 16
    while d > 0:
        x += cuda.shfl_down_sync(0xFFFFFFFF, x, d)
        d //= 2
    if cuda.laneid == 0:
        partial[cuda.threadIdx.x // 32] = x
    cuda.syncthreads()
    if cuda.threadIdx.x < 32:
        y = partial[cuda.threadIdx.x] if cuda.threadIdx.x < cuda.blockDim.x // 32 else 0.0
        for k in (16, 8, 4, 2, 1):
            y += cuda.shfl_down_sync(0xFFFFFFFF, y, k)
        if cuda.threadIdx.x == 0:
            out[cuda.blockIdx.x] = y


@pytest.mark.parametrize("block", [32, 128, 1024])
def test_a_block_is_summed_by_shuffles_of_one_warp(block):
    a = np.arange(3 * block, dtype=np.float64)
    out = np.zeros(3)
    sum_by_shuffles[3, block](a, out)
    np.testing.assert_array_equal(out, a.reshape(3, block).sum(1))


@cuda.jit
def votes(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[0, i] = cuda.ballot_sync(0xFFFFFFFF, x > 2)
    out[1, i] = cuda.all_sync(0xFFFFFFFF, x > 2)
    out[2, i] = cuda.any_sync(0xFFFFFFFF, x > 2)
    out[3, i] = cuda.eq_sync(0xFFFFFFFF, x > 2)
    out[4, i] = cuda.match_any_sync(0xFFFFFFFF, x)
    same, agree = cuda.match_all_sync(0xFFFFFFFF, x)
    out[5, i] = same
    out[6, i] = agree
    out[7, i] = cuda.lanemask_lt()


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
@pytest.mark.parametrize("block", [16, 32, 48, 96])
def test_votes_ask_the_lanes_of_the_warp(dtype, block):
    a = np.concatenate([np.arange(block) % 5, np.full(block, 4), np.full(block, 1)]).astype(dtype)
    out = np.zeros((8, 3 * block), np.int64)
    votes[3, block](a, out)
    for i in range(3 * block):
        start = i // block * block
        first = start + (i - start) // 32 * 32
        warp = a[first : min(first + 32, start + block)]
        above = [int(x > 2) for x in warp]
        same = sum(int(x == a[i]) << k for k, x in enumerate(warp))
        full = (1 << len(warp)) - 1
        agree = same == full
        wanted = [sum(v << k for k, v in enumerate(above)), all(above), any(above), len(set(above)) == 1, same]
        assert out[:, i].tolist() == [*wanted, full if agree else 0, agree, (1 << (i - first)) - 1]


@cuda.jit
def votes_of_some_warps(a, out):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if t // 32 % 2 == 0:
        out[0, i] = cuda.ballot_sync(0xFFFFFFFF, a[i] > 10)
        out[1, i] = cuda.shfl_xor_sync(0xFFFFFFFF, a[i], 1)
    else:
        out[0, i] = -1
        k = 0
        while k < t // 32:
            out[1, i] += cuda.shfl_down_sync(0xFFFFFFFF, a[i], k)
            k += 1


def test_warps_of_a_block_may_differ():
    a = np.arange(256, dtype=np.int32) % 23
    out = np.zeros((2, 256), np.int64)
    votes_of_some_warps[2, 128](a, out)
    for i in range(256):
        warp, first = i % 128 // 32, i // 32 * 32
        if warp % 2 == 0:
            assert out[0, i] == sum(int(x > 10) << k for k, x in enumerate(a[first : first + 32]))
            assert out[1, i] == a[i ^ 1]
        else:
            assert out[0, i] == -1
            assert out[1, i] == sum(a[i + k if i % 32 + k < 32 else i] for k in range(warp))


@cuda.jit
def votes_of_some_lanes(a, out):
    i = cuda.grid(1)
    if cuda.laneid < 16:
        out[i] = cuda.ballot_sync(0xFFFF, a[i] > 10)
    else:
        out[i] = cuda.ballot_sync(0xFFFF0000, a[i] > 10)


def test_masks_name_the_lanes_that_vote():
    a = np.arange(64, dtype=np.int32) * 5 % 23
    out = np.zeros(64, np.int64)
    votes_of_some_lanes[1, 64](a, out)
    for i in range(64):
        part = i // 16 * 16
        assert out[i] == sum(int(x > 10) << (part % 32 + k) for k, x in enumerate(a[part : part + 16]))


@cuda.jit
def counts(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[0, i] = cuda.syncthreads_count(x > 2)
    out[1, i] = cuda.syncthreads_and(x > 2)
    out[2, i] = cuda.syncthreads_or(x > 2)


def test_barriers_count_the_block():
    a = np.concatenate([np.arange(100) % 5, np.full(100, 4), np.full(100, 1)])
    out = np.zeros((3, 300), np.int64)
    counts[3, 100](a, out)
    above = (a.reshape(3, 100) > 2).sum(1)
    for block in range(3):
        part = out[:, 100 * block : 100 * block + 100]
        assert (part[0] == above[block]).all()
        assert (part[1] == (above[block] == 100)).all()
        assert (part[2] == (above[block] > 0)).all()


@cuda.jit
def through_fences(a, out):
    t = cuda.threadIdx.x
    s = cuda.shared.array(64, np.int64)
    s[t] = a[t]
    cuda.threadfence_block()
    cuda.syncwarp()
    out[t] = s[t ^ 1]
    cuda.threadfence()
    cuda.syncwarp(0xFFFFFFFF)
    cuda.threadfence_system()
    out[t] += s[t ^ 2]


def test_a_warp_sees_its_stores_after_its_barrier():
    a, out = np.arange(64) ** 2, np.zeros(64, np.int64)
    through_fences[1, 64](a, out)
    i = np.arange(64)
    np.testing.assert_array_equal(out, a[i ^ 1] + a[i ^ 2])


@cuda.jit
def count_around(up, down, most):
    cuda.atomic.inc(up, 0, most)
    cuda.atomic.dec(down, (cuda.threadIdx.x % 2,), most)


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_increments_and_decrements_go_around(dtype):
    up, down = np.zeros(1, dtype), np.zeros(2, dtype)
    count_around[3, 32](up, down, 6)
    assert up[0] == 96 % 7
    assert down.tolist() == [(7 - 48 % 7) % 7] * 2


@cuda.jit
def extremes(a, out):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.nanmax(out, (0, 0), a[i])
        cuda.atomic.nanmin(out, (0, np.uint32(1)), a[i])
        cuda.atomic.max(out, (1, 0), a[i])
        cuda.atomic.min(out, (1, 1), a[i])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_leave_nan_out(dtype):
    a = np.linspace(-3, 5, 100).astype(dtype)
    a[::7] = np.nan
    out = np.array([[np.nan, np.nan], [0, 0]], dtype)
    extremes[2, 64](a, out)
    wanted = [np.nanmax(a), np.nanmin(a)]
    np.testing.assert_array_equal(out, np.array([wanted, wanted], dtype))
