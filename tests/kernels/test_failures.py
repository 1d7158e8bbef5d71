"""assert and raise in kernels: the host raises what a thread raised, at its next wait."""

import contextlib
import types

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import cuda, errors


class OutOfReach(Exception):
    def __init__(self, text, *values):
        super().__init__(text, *values)
        self.values = values


@cuda.jit
def asserting(a, limit):
    i = cuda.grid(1)
    assert i < a.size, "no such element"
    a[i] = 1
    assert a[i] < limit
    a[i] = 2


@cuda.jit
def raising(a, wrong):
    i = cuda.grid(1)
    if i == wrong:
        raise IndexError("wrong", i, a[i], i > 2, np.uint64(2**64 - 1))
    a[i] = i


def test_an_assertion_that_holds():
    a = cuda.to_device(np.zeros(4))
    asserting[1, 4](a, 5)
    np.testing.assert_array_equal(a.copy_to_host(), 2)


def test_a_message_says_where():
    a = cuda.to_device(np.zeros(7))
    asserting[2, 4](a, 5)
    with pytest.raises(AssertionError) as caught:
        cuda.synchronize()
    line = asserting.py_func.__code__.co_firstlineno + 3
    assert str(caught.value) == (
        f"In function 'asserting', file {__file__}, line {line}, tid=[3, 0, 0] ctaid=[1, 0, 0]: no such element"
    )
    np.testing.assert_array_equal(a.copy_to_host(), 2)


def test_an_assertion_without_a_message():
    a = cuda.to_device(np.zeros(1))
    asserting[1, 1](a, 0)
    with pytest.raises(AssertionError, match=r"ctaid=\[0, 0, 0\]$"):
        cuda.synchronize()


def test_raise_ends_the_thread_alone():
    a = cuda.to_device(np.full(8, -1.5))
    raising[2, 4](a, 6)
    with pytest.raises(IndexError) as caught:
        a.copy_to_host()
    assert "tid=[2, 0, 0] ctaid=[1, 0, 0]: wrong" in caught.value.args[0]
    assert caught.value.args[1:] == (6, -1.5, True, 2**64 - 1)
    np.testing.assert_array_equal(a.copy_to_host(), [0, 1, 2, 3, 4, 5, -1.5, 7])


def test_the_first_failure_of_many_is_raised_once():
    a = cuda.to_device(np.zeros(4))
    asserting[8, 32](a, 5)
    asserting[8, 32](a, 5)
    with pytest.raises(AssertionError, match="no such element"):
        cuda.synchronize()
    cuda.synchronize()
    asserting[1, 4](a, 5)
    cuda.synchronize()


@pytest.mark.parametrize("read", [np.asarray, lambda a: a.copy().tolist(), repr, lambda a: a.tolist()])
def test_reads_raise(read):
    a = tnp.zeros(4)
    raising[1, 4](a, 2)
    with pytest.raises(IndexError):
        read(a)
    read(a)


def test_arrays_of_numpys_are_waited_for():
    a = np.zeros(4)
    with pytest.raises(IndexError):
        raising[1, 4](a, 2)


def test_debug_waits_for_each_launch():
    @cuda.jit(debug=True)
    def kernel(a):
        raise ValueError

    with pytest.raises(ValueError, match=r"tid=\[0, 0, 0\]"):
        kernel[1, 1](tnp.zeros(1))


def test_a_class_of_the_users():
    @cuda.jit
    def kernel(a):
        if cuda.grid(1) == 1:
            raise OutOfReach("too far", 3)

    with pytest.raises(OutOfReach, match="too far") as caught:
        kernel[1, 2](np.zeros(1))
    assert caught.value.values == (3,)


@cuda.jit(device=True)
def checked(x):
    if x < 0:
        raise ValueError("negative", x)
    return 2 * x


@cuda.jit(device=True)
def twice_checked(x):
    y = checked(x)
    return checked(y - 10)


def run_guarded(kernel, n, *more):
    a, x = cuda.to_device(np.zeros(n)), cuda.to_device(np.arange(n) - 3.0)
    kernel[1, n](a, x, *more)
    with pytest.raises(ValueError, match="In function 'checked'.*negative"):
        cuda.synchronize()
    return a.copy_to_host()


def test_a_device_function_ends_the_thread():
    @cuda.jit
    def kernel(a, x):
        i = cuda.grid(1)
        y = twice_checked(x[i])
        a[i] = 1
        if y > 0:
            a[i] = y

    np.testing.assert_array_equal(run_guarded(kernel, 10), [0, 0, 0, 0, 0, 0, 0, 0, 1, 4])


def test_a_device_function_in_a_condition():
    @cuda.jit
    def kernel(a, x):
        i = cuda.grid(1)
        if checked(x[i]) > 4:
            a[i] = 1
        else:
            a[i] = 2
        a[i] += 10

    np.testing.assert_array_equal(run_guarded(kernel, 7), [0, 0, 0, 12, 12, 12, 11])


def test_a_device_function_in_a_conditional_expression():
    @cuda.jit
    def kernel(a, x):
        i = cuda.grid(1)
        y = checked(x[i]) if i % 2 == 0 else 5
        a[i] = y + 1

    np.testing.assert_array_equal(run_guarded(kernel, 6), [0, 6, 0, 6, 3, 6])


def test_a_device_function_in_loops():
    @cuda.jit
    def kernel(a, x):
        i = cuda.grid(1)
        for k in range(5):
            a[i] += 1
            if k == 2:
                checked(x[i])
        a[i] += 10
        n = 0
        while checked(x[i] - n + 3) > 0:
            n += 1
            a[i] += 100
            if n > 5:
                break
        for k in range(int(checked(1.0 - x[i]))):
            a[i] += 1000

    a, x = cuda.to_device(np.zeros(6)), cuda.to_device(np.array([-1.0, 0.0, 1.0, 2.0, 0.5, -2.0]))
    kernel[1, 6](a, x)
    with pytest.raises(ValueError, match="negative"):
        cuda.synchronize()
    # -1 and -2 fail in the first loop, 0.5 in the while, 2 at the last range.
    np.testing.assert_array_equal(a.copy_to_host(), [3, 2315, 415, 515, 415, 3])


def test_a_barrier_after_a_failure():
    @cuda.jit
    def kernel(a, bad):
        held = cuda.shared.array(32, np.int64)
        i = cuda.threadIdx.x
        held[i] = i
        if i == bad:
            raise RuntimeError("bad")
        cuda.syncthreads()
        a[i] = held[31 - i]

    a = cuda.to_device(np.zeros(32, int))
    kernel[1, 32](a, 5)
    with pytest.raises(RuntimeError, match=r"tid=\[5, 0, 0\]"):
        cuda.synchronize()
    expected = np.arange(32)[::-1].copy()
    expected[5] = 0
    np.testing.assert_array_equal(a.copy_to_host(), expected)


def test_failures_beside_constant_arrays():
    table = np.array([1, 2, 3])

    @cuda.jit
    def kernel(a):
        i = cuda.grid(1)
        held = table
        a[i] = held[i]
        assert a[i] != 2, "two"

    a = np.zeros(3)
    with pytest.raises(AssertionError, match=r"tid=\[1, 0, 0\].*two"):
        kernel[1, 3](a)


def test_kernels_without_failures_take_no_more_arguments():
    @cuda.jit
    def kernel(a):
        a[0] = 1

    kernel[1, 1](np.zeros(1))
    assert kernel.inspect_ir()[kernel.signatures[0]].count("buffer") == 1


@cuda.jit(device=True)
def first(x):
    if x % 5 == 3:
        raise ValueError("f")
    return x + 1


@cuda.jit(device=True)
def second(x):
    s = 0
    for k in range(3):
        if first(x + k) % 2 == 0:
            s += 1
            continue
        if k == 2:
            break
        s += 10
    else:
        s += 100
    return s


@cuda.jit(device=True)
def third(x):
    for t in (1, 2.5, 4):
        if t > x:
            return first(int(t) + x)
        y = first(x)
        if y == 2:
            assert x != 1, "one"
    n = x
    while first(n) < 12:
        n += 1
        if n == 7:
            raise KeyError("seven", n)
    return n


@cuda.jit
def leaving(a, which):
    i = cuda.grid(1)
    a[i] = 1
    if which == 0:
        r = first(i)
    elif which == 1:
        r = second(i)
    elif which == 2:
        r = third(i)
    elif which == 3:
        r = second(i) + third(i)
    else:
        r = 0
        for j in range(second(i)):
            r += 1
            if j == 3 and first(i) > 2:
                a[i] += 7
                break
            while r < 5 and first(r) > 0:
                r += 1
        else:
            r -= 1
    a[i] += 100
    if first(i + 1) > 3:
        a[i] += r
    else:
        a[i] -= r
    assert i != 17
    a[i] += 1000


def thread_by_thread(which, n):
    """What Python does with the same functions, each thread by itself."""
    a = np.zeros(n, int)
    for thread in range(n):
        names = {**globals(), "cuda": types.SimpleNamespace(grid=lambda _, thread=thread: thread)}
        for function in (first, second, third, leaving):
            names[function.__name__] = types.FunctionType(function.py_func.__code__, names)
        with contextlib.suppress(ValueError, KeyError, AssertionError):
            names["leaving"](a, which)
    return a


@pytest.mark.parametrize("which", range(5))
def test_threads_end_where_pythons_do(which):
    a = cuda.to_device(np.zeros(64, int))
    leaving[2, 32](a, which)
    with pytest.raises((ValueError, KeyError, AssertionError), match=r"tid=\[\d+, 0, 0\]"):
        cuda.synchronize()
    np.testing.assert_array_equal(a.copy_to_host(), thread_by_thread(which, 64))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise", "outside of except"),
        ("raise a", "no class of exceptions"),
        ("raise ValueError('x') from None.x", "raise ... from"),
        ("raise ValueError(a)", "cannot be reported to the host"),
    ],
)
def test_what_is_not_raised(body, words):
    source = f"def kernel(a):\n    {body}\n"
    names = {}
    exec(source, names)
    with pytest.raises((errors.UnsupportedError, errors.TypingError)) as caught:
        cuda.jit(source=source)(names["kernel"])[1, 1](np.zeros(3))
    assert words in str(caught.value)
