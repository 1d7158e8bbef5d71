"""Device functions that call themselves, by way of others or not."""

import numpy as np
import pytest

from tessera import cuda, errors


@cuda.jit(device=True)
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@cuda.jit(device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit(device=True)
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


@cuda.jit(device=True)
def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@cuda.jit
def numbers(out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, 0] = factorial(i % 11)
        out[i, 1] = fibonacci(i % 13)
        out[i, 2] = is_even(i)


def test_threads_call_to_different_depths():
    out = np.zeros((50, 3), np.int64)
    numbers[2, 32](out)
    wanted = [1, 1]
    for _ in range(20):
        wanted.append(wanted[-1] + wanted[-2])
    for i, row in enumerate(out.tolist()):
        assert row == [int(np.prod(range(1, i % 11 + 1))), 0 if i % 13 == 0 else wanted[i % 13 - 1], i % 2 == 0]


@cuda.jit(device=True)
def quicksort(a, low, high):
    if low >= high:
        return
    pivot = a[(low + high) // 2]
    i = low
    j = high
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    quicksort(a, low, j)
    quicksort(a, i, high)


@cuda.jit
def sort_rows(a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        quicksort(a[i], 0, a.shape[1] - 1)


def test_each_thread_sorts_a_row():
    a = np.random.default_rng(3).random((40, 30))
    wanted = np.sort(a, axis=1)
    sort_rows[2, 32](a)
    assert (a == wanted).all()


@cuda.jit(device=True)
def sum_and_depth(tree, values, node):
    if node < 0:
        return 0.0, 0
    left, below = sum_and_depth(tree, values, tree[node, 0])
    right, beside = sum_and_depth(tree, values, tree[node, 1])
    return values[node] + left + right, 1 + max(below, beside)


@cuda.jit
def walk(tree, values, sums, depths):
    i = cuda.grid(1)
    if i < values.size:
        s, d = sum_and_depth(tree, values, i)
        sums[i] = s
        cuda.atomic.add(depths, d, 1)


def test_several_results():
    n = 15
    tree = np.array([[2 * i + 1 if 2 * i + 1 < n else -1, 2 * i + 2 if 2 * i + 2 < n else -1] for i in range(n)])
    values = np.arange(n) / 4
    sums, depths = np.zeros(n), np.zeros(6, np.int64)
    walk[1, 32](tree, values, sums, depths)
    assert sums[0] == values.sum()
    assert sums[6] == values[[6, 13, 14]].sum()
    assert depths.tolist() == [0, 8, 4, 2, 1, 0]


@cuda.jit(device=True)
def endless(n):
    if n < 0:
        return n
    return endless(n + 1)


@cuda.jit
def too_deep(out):
    i = cuda.grid(1)
    out[i] = 1
    out[i] = endless(-1 if i < 3 else 0)


def test_too_deep():
    out = cuda.to_device(np.zeros(4, np.int64))
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        too_deep[1, 4](out)
        cuda.synchronize()
    assert out.copy_to_host().tolist() == [-1, -1, -1, 1]  # nothing is stored after the exception


@cuda.jit(device=True)
def meets(n):
    cuda.syncthreads()
    return 0 if n == 0 else meets(n - 1)


@cuda.jit(device=True)
def shares(n):
    shared = cuda.shared.array(4, np.float64)
    shared[0] = n
    return 0 if n == 0 else shares(n - 1)


@cuda.jit(device=True)
def keeps(n):
    own = cuda.local.array(4, np.float64)
    own[0] = n
    return 0 if n == 0 else keeps(n - 1)


@cuda.jit(device=True)
def of_array(a, n):
    a[n] = n
    return 0 if n == 0 else of_array(a, n - 1)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (meets, "meets calls itself and has barriers or operations of warps"),
        (shares, "shares calls itself and makes shared or local arrays"),
        (keeps, "keeps calls itself and makes shared or local arrays"),
    ],
)
def test_what_such_functions_lack(function, words):
    @cuda.jit
    def kernel(a):
        a[0] = function(3)

    with pytest.raises(errors.UnsupportedError, match=words):
        kernel[1, 1](np.zeros(3))


def test_arrays_of_the_caller():
    @cuda.jit
    def local(a):
        own = cuda.local.array(8, np.float64)
        of_array(own, 7)
        i = cuda.grid(1)
        a[i] = own[i % 8] + i

    a = np.zeros(20)
    local[1, 20](a)
    assert a.tolist() == [i % 8 + i for i in range(20)]

    @cuda.jit
    def shared(a):
        whole = cuda.shared.array(8, np.float64)
        of_array(whole, 7)
        a[0] = whole[0]

    with pytest.raises(errors.UnsupportedError, match="of_array calls itself and accesses shared arrays"):
        shared[1, 1](a)


@cuda.jit
def with_barriers(out):
    shared = cuda.shared.array(64, np.int64)
    t = cuda.threadIdx.x
    shared[t] = fibonacci(t % 9)
    cuda.syncthreads()
    if t < 32:
        shared[t] += shared[t + 32]
    cuda.syncthreads()
    out[cuda.grid(1)] = factorial(t % 5) + shared[t % 32]


def test_calls_between_barriers():
    out = np.zeros(128, np.int64)
    with_barriers[2, 64](out)
    fib = [0, 1, 1, 2, 3, 5, 8, 13, 21]
    fac = [1, 1, 2, 6, 24]
    wanted = [fac[t % 5] + fib[t % 32 % 9] + fib[(t % 32 + 32) % 9] for t in range(64)]
    assert out.tolist() == wanted * 2
