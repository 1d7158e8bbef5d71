"""Variables of kernels that hold one array or another, by thread and by iteration."""

import numpy as np

from tessera import cuda


def both(n=4):
    return np.arange(float(n)), np.arange(10.0, 10.0 + n), np.zeros(n)


def test_threads_choose_different_arrays():
    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        x = a if i % 2 else b
        out[i] = x[i]
        x[i] = -i

    a, b, out = both()
    kernel[1, 4](a, b, out)
    assert out.tolist() == [10, 1, 12, 3]
    assert a.tolist() == [0, -1, 2, -3]
    assert b.tolist() == [0, 11, -2, 13]


def test_arrays_swapped_between_barriers():
    @cuda.jit
    def kernel(a, b, out):
        i = cuda.threadIdx.x
        n = cuda.blockDim.x
        for _ in range(3):
            b[i] = a[(i + 1) % n] + 1
            cuda.syncthreads()
            a, b = b, a
        out[i] = a[i] - b[i]

    a, b, out = both()
    kernel[1, 4](a, b, out)
    first = np.arange(4.0)
    second = np.roll(first, -1) + 1
    for _ in range(2):
        first, second = second, np.roll(second, -1) + 1
    assert (out == second - first).all()


def test_shared_arrays_swapped():
    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        x = cuda.shared.array(8, np.float64)
        y = cuda.shared.array(8, np.float64)
        x[i] = i
        for step in range(3):
            cuda.syncthreads()
            y[i] = x[i] + x[i ^ (1 << step)]
            x, y = y, x
        out[i] = x[i]

    out = np.zeros(8)
    kernel[1, 8](out)
    assert out.tolist() == [28] * 8


def test_tuples_indexed_by_thread():
    @cuda.jit(device=True)
    def chosen(arrays, k):
        return arrays[k]

    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        x = chosen((a, b, a[::-1]), i % 3)
        out[i] = x[i]
        chosen((out, b), i // 3)[0] += 100

    a, b, out = both()
    kernel[1, 1](a, b, out)
    assert out.tolist() == [100, 0, 0, 0]
    kernel[1, 4](a, b, out)
    assert out[1:].tolist() == [11, 1, 3]


def test_local_or_global_memory():
    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        own = cuda.local.array(4, np.float64)
        own[0] = 3
        x = own if i % 2 else a
        if i != 2:
            x[0] = x[0] + i
        out[i] = own[0]

    a, b, out = both()
    kernel[1, 4](a, b, out)
    assert out.tolist() == [3, 4, 3, 6]
    assert a[0] == 0


def test_atomics_on_a_chosen_array():
    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        x = a if i % 4 == 0 else b
        cuda.atomic.add(x, i % 2, 1)
        cuda.atomic.max((out, x)[i % 2], 3, i)

    a, b, out = both()
    kernel[2, 32](a, b, out)
    assert a.tolist() == [16, 1, 2, 3]
    assert b.tolist() == [26, 43, 12, 63]
    assert out.tolist() == [0, 0, 0, 62]
