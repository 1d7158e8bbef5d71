"""Blocks of which some lanes do something between barriers, and short loops of a lane; run until their code is native."""

import numpy as np
import pytest

from tessera import cuda

BLOCKS, THREADS = 2000, 48
LIMITS = [-(2**63), -1, 0, 1, 17, THREADS - 1, THREADS, THREADS + 1, 2**63 - 1]
TESTS = {
    "t < u": lambda t, u: t < u,
    "t <= u": lambda t, u: t <= u,
    "t > u": lambda t, u: t > u,
    "t >= u": lambda t, u: t >= u,
    "t == u": lambda t, u: t == u,
    "t != u": lambda t, u: t != u,
    "u < t": lambda t, u: u < t,
    "u <= t": lambda t, u: u <= t,
    "u > t": lambda t, u: u > t,
    "u >= t": lambda t, u: u >= t,
    "u == t": lambda t, u: u == t,
}


def make(test):
    text = f"""
def kernel(x, u):
    s = cuda.shared.array(64, np.int64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i]
    cuda.syncthreads()
    if {test}:
        s[t] += 1000
    cuda.syncthreads()
    x[i] = s[t]
"""
    names = {"cuda": cuda, "np": np}
    exec(text, names)
    return cuda.jit(source=text)(names["kernel"])


@pytest.mark.parametrize("test", TESTS)
def test_only_lanes_that_pass_a_test_change_anything(test):
    kernel = make(test)
    lanes = np.arange(THREADS)
    for limit in LIMITS:
        for _ in range(3):
            x = cuda.to_device(np.tile(lanes, BLOCKS))
            kernel[BLOCKS, THREADS](x, np.int64(limit))
        expected = lanes + 1000 * np.array([TESTS[test](int(t), limit) for t in lanes])
        np.testing.assert_array_equal(x.copy_to_host().reshape(BLOCKS, THREADS), np.tile(expected, (BLOCKS, 1)))


def test_trees_of_sums_in_blocks_of_two_axes():
    @cuda.jit
    def sums(x, out):
        s = cuda.shared.array((4, 32), np.int64)
        t, row = cuda.threadIdx.x, cuda.threadIdx.y
        s[row, t] = x[cuda.blockIdx.x, row, t]
        cuda.syncthreads()
        step = 16
        while step > 0:
            if t < step:
                s[row, t] += s[row, t + step]
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x, row] = s[row, 0]

    x = np.random.default_rng(0).integers(-1000, 1000, (BLOCKS, 4, 32))
    out = cuda.to_device(np.zeros((BLOCKS, 4), np.int64))
    for _ in range(5):
        sums[BLOCKS, (32, 4)](cuda.to_device(x), out)
    np.testing.assert_array_equal(out.copy_to_host(), x.sum(axis=2))


def test_short_loops_between_barriers():
    @cuda.jit
    def steps(x, out):
        s = cuda.shared.array(64, np.int64)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        total, last = 0, t
        for k in range(3):
            s[t] = x[i] + k
            cuda.syncthreads()
            for j in range(2, 30, 3):
                total += s[j] * (t - j)
                last = total ^ j
            for j in range(0):
                total += 1
            for j in range(5, 0, -1):
                total -= j * s[t]
            cuda.syncthreads()
        out[i] = total + last

    x = np.random.default_rng(1).integers(-99, 99, BLOCKS * 48)
    out = cuda.to_device(np.zeros_like(x))
    for _ in range(5):
        steps[BLOCKS, 48](cuda.to_device(x), out)
    rows, t = x.reshape(BLOCKS, 48), np.arange(48)
    total = np.zeros_like(rows)
    for k in range(3):
        for j in range(2, 30, 3):
            total += (rows[:, j : j + 1] + k) * (t - j)
            last = total ^ j
        total -= 15 * (rows + k)
    np.testing.assert_array_equal(out.copy_to_host(), (total + last).ravel())
