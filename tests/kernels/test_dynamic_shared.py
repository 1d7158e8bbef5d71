"""Dynamic shared memory: cuda.shared.array(0, dtype), sized by the launch."""

import numpy as np
import pytest
import tessera.numpy as tnp
from tessera.errors import TypingError

from tessera import cuda


@cuda.jit
def mirror(a, out):
    shared = cuda.shared.array(0, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    shared[t] = a[i]
    cuda.syncthreads()
    out[i] = shared[shared.size - 1 - t]


def test_the_launch_gives_the_size():
    for block in (32, 64, 256):
        a = np.arange(512, dtype=np.float32)
        out = np.zeros_like(a)
        mirror[512 // block, block, 0, 4 * block](a, out)
        np.testing.assert_array_equal(out, a.reshape(-1, block)[:, ::-1].ravel())


def test_tessera_arrays_and_lone_axis():
    @cuda.jit
    def turned(a):
        shared = cuda.shared.array(shape=(0,), dtype=np.int64)
        t = cuda.threadIdx.x
        shared[t] = a[t]
        cuda.syncthreads()
        a[t] = shared[-1 - t] + shared.shape[0]

    a = tnp.arange(40)
    turned[1, 40, 0, 40 * 8](a)
    np.testing.assert_array_equal(np.asarray(a), np.arange(40)[::-1] + 40)


def test_sizes_are_whole_elements():
    @cuda.jit
    def sizes(out):
        out[0] = cuda.shared.array(0, np.float64).size
        out[1] = cuda.shared.array(0, np.int8).size
        out[2] = len(cuda.shared.array(0, np.complex128))

    out = np.zeros(3, np.int64)
    sizes[1, 1, 0, 100](out)
    np.testing.assert_array_equal(out, [12, 100, 6])
    sizes[1, 1](out)
    np.testing.assert_array_equal(out, [0, 0, 0])


def test_arrays_of_several_types_begin_at_the_same_place():
    @cuda.jit
    def bits(a, out):
        floats = cuda.shared.array(0, np.float32)
        words = cuda.shared.array(0, np.uint32)
        t = cuda.threadIdx.x
        floats[t] = a[t]
        cuda.syncthreads()
        out[t] = words[t]

    a = np.linspace(-3, 7, 64).astype(np.float32)
    out = np.zeros(64, np.uint32)
    bits[1, 64, 0, 256](a, out)
    np.testing.assert_array_equal(out, a.view(np.uint32))


def test_one_memory_is_cut_by_slices():
    @cuda.jit
    def cut(a, out, n):
        floats = cuda.shared.array(0, np.float64)[:n]
        counts = cuda.shared.array(0, np.int32)[2 * n : 3 * n]
        t = cuda.threadIdx.x
        floats[t] = a[t]
        counts[t] = t
        cuda.syncthreads()
        out[t] = floats[n - 1 - t] + counts[n - 1 - t]

    a = np.arange(32) / 4
    out = np.zeros(32)
    cut[1, 32, 0, 32 * 12](a, out, 32)
    np.testing.assert_array_equal(out, (a + np.arange(32))[::-1])


def test_beside_arrays_of_stated_sizes():
    @cuda.jit
    def both(a, out):
        stated = cuda.shared.array(64, np.int32)
        dynamic = cuda.shared.array(0, np.int32)
        t = cuda.threadIdx.x
        stated[t] = a[t]
        dynamic[t] = 10 * a[t]
        cuda.syncthreads()
        out[t] = stated[63 - t] + dynamic[(t + 1) % 64]

    a = np.arange(64, dtype=np.int32)
    out = np.zeros_like(a)
    both[1, 64, 0, 256](a, out)
    np.testing.assert_array_equal(out, a[::-1] + 10 * np.roll(a, -1))


def test_more_than_48_kib():
    @cuda.jit
    def spread(out):
        shared = cuda.shared.array(0, np.float64)
        for k in range(cuda.threadIdx.x, shared.size, cuda.blockDim.x):
            shared[k] = k
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            total = 0.0
            for k in range(shared.size):
                total += shared[k]
            out[0] = total

    out = np.zeros(1)
    spread[1, 128, 0, 64 << 10](out)
    assert out[0] == sum(range(8192))


def test_as_much_as_the_device_says():
    most = cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    a = np.arange(64, dtype=np.float32)

    @cuda.jit
    def last(out):
        shared = cuda.shared.array(0, np.int32)
        shared[shared.size - 1] = 7
        out[0] = shared[shared.size - 1]

    last[1, 1, 0, most](a)
    assert a[0] == 7
    with pytest.raises(ValueError, match=f"limit is {most}"):
        last[1, 1, 0, most + 4](a)


def test_atomics():
    @cuda.jit
    def count(a, out):
        counts = cuda.shared.array(0, np.int32)
        t = cuda.threadIdx.x
        if t < counts.size:
            counts[t] = 0
        cuda.syncthreads()
        cuda.atomic.add(counts, a[cuda.grid(1)], 1)
        cuda.syncthreads()
        if t < counts.size:
            cuda.atomic.add(out, t, counts[t])

    a = np.arange(1024) * 7 % 10
    out = np.zeros(10, np.int32)
    count[8, 128, 0, 40](a, out)
    np.testing.assert_array_equal(out, np.bincount(a, minlength=10))


def test_limits_are_named():
    a = np.zeros(32, np.float32)
    with pytest.raises(ValueError, match="launch of mirror: 10000000 bytes of dynamic shared memory.* limit is"):
        mirror[1, 32, 0, 10_000_000](a, a)
    with pytest.raises(ValueError, match="-4 bytes of dynamic shared memory"):
        mirror[1, 32, 0, -4](a, a)
    with pytest.raises(TypeError, match="size of the shared memory is 'x'"):
        mirror[1, 32, 0, "x"]


def test_only_shared_memory_has_no_extent():
    @cuda.jit
    def local(a):
        a[0] = cuda.local.array(0, np.int32).size

    @cuda.jit
    def two(a):
        a[0] = cuda.shared.array((0, 4), np.int32).size

    for kernel in (local, two):
        with pytest.raises(TypingError, match="has an extent of 0"):
            kernel[1, 1](np.zeros(1))
