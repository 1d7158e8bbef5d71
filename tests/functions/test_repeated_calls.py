"""Calls like those before them take a short way to the code; each test calls often enough to be on it, then differs."""

import gc
import sys
import threading

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import jit

scale = 2.0


def add(a, b):
    return a + b


def test_numbers_of_other_types_are_told_apart():
    function = jit(add)
    for a, b in [(1, 2), (1.0, 2), (True, 2), (1j, 2), (1.0, 2.0), (2**62, 5), (np.float32(1.5), 2), (True, False)] * 3:
        expected = add(int(a), int(b)) if isinstance(a, bool) and isinstance(b, bool) else add(a, b)
        result = function(a, b)
        assert result == expected
        assert isinstance(result, (int, float, complex))


def test_scalars_of_numpy_are_told_apart():
    function = jit(add)
    dtypes = "bBhHiIlLqQfdFD?e"
    for _ in range(3):
        for first in dtypes:
            a, b = np.dtype(first).type(3), 4
            expected = jit(add)(a, b)
            assert [function(a, b) for _ in range(3)] == [expected] * 3
            assert type(function(a, b)) is type(expected)


def test_integers_beyond_int64_raise_as_in_the_first_call():
    function = jit(_plus_one)
    assert [function(k) for k in range(5)] == [1, 2, 3, 4, 5]
    expected = _outcome(jit(_plus_one), 2**70)
    assert _outcome(function, 2**70) == expected
    assert function(7) == 8


def _plus_one(a):
    return a + 1


def _outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error)


def total(x):
    t = 0.0
    for i in range(x.shape[0]):
        t += x[i]
    return t


def test_arrays_may_change_their_extents_and_strides():
    function = jit(total)
    base = np.arange(64.0)
    for _ in range(3):
        for array in (
            base,
            base[:5],
            base[::2],
            base[::-1],
            base[:0],
            base[:1],
            np.broadcast_to(base[3], (4,)),
            base[10:],
        ):
            assert function(array) == total(array)


def test_arrays_of_other_dtypes_axes_and_orders_are_told_apart():
    def first(x):
        return x[0]

    function = jit(first)
    arrays = [np.array([3, 4], dtype) for dtype in "bBhHiIlLfd?"]
    for array in (arrays + [np.array([3, 4], ">i8"), np.array([2.5, 3.5], ">f8")]) * 3:
        assert function(array) == array[0]
    unaligned = np.frombuffer(b"x" + np.array([2.5, 3.5]).tobytes(), dtype="u1")[1:].view(float)
    for _ in range(3):
        assert function(unaligned) == 2.5
        assert function(np.ones((2, 3)))[1] == 1
        assert function(tnp.array([7.0, 8.0])) == 7


def shift(a, b):
    for i in range(1, a.shape[0]):
        a[i] = b[i - 1] + 1
    return a


def test_arrays_that_share_memory_are_written_in_order():
    function = jit(shift)
    for _ in range(3):
        a, b = np.zeros(40), np.arange(40.0)
        assert function(a, b) is a
        np.testing.assert_array_equal(a[1:], b[:-1] + 1)
    for make in (
        lambda x: (x, x),
        lambda x: (x[1:], x[:-1]),
        lambda x: (x[:-1], x[1:]),
        lambda x: (x[::-1], x),
        lambda x: (x[:20], x[20:]),
    ):
        own, expected = np.arange(40.0), np.arange(40.0)
        function(*make(own))
        shift(*make(expected))
        np.testing.assert_array_equal(own, expected)


def test_arrays_that_are_read_only_are_refused():
    function = jit(shift)
    a, b = np.zeros(8), np.ones(8)
    for _ in range(3):
        function(a, b)
    b.flags.writeable = False
    function(a, b)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        function(a, b)


def checked(x, i):
    if x[i] < 0:
        raise ValueError("negative", i)
    return x[i]


def test_failures_are_told_each_time_and_leave_nothing_behind():
    function = jit(boundscheck=True)(checked)
    x = np.array([1.0, -2.0, 3.0])
    for _ in range(3):
        assert function(x, 0) == 1
        with pytest.raises(ValueError) as raised:
            function(x, 1)
        assert raised.value.args == ("negative", 1)
        with pytest.raises(IndexError):
            function(x, 3)
        assert function(x, -1) == 3


def scaled(x):
    return x * scale


def test_global_names_that_change_are_seen(monkeypatch):
    function = jit(scaled)
    assert [function(k * 1.0) for k in range(4)] == [0, 2, 4, 6]
    monkeypatch.setitem(globals(), "scale", 10.0)
    assert [function(k * 1.0) for k in range(4)] == [0, 10, 20, 30]


def test_results_are_numbers_tuples_of_them_none_and_arguments():
    def several(a, b, flag):
        return a + b, a / b, flag, complex(a, b)

    def nothing(a):
        a + 1

    def second(x, y):
        return y

    def maybe(a):
        if a > 0:
            return a

    def pair(x):
        return x.shape

    several, nothing, second, maybe, pair = map(jit, (several, nothing, second, maybe, pair))
    x, y = np.ones(3), np.zeros(2)
    for _ in range(3):
        assert several(3, 4, True) == (7, 0.75, True, 3 + 4j)
        assert nothing(1) is None
        assert second(x, y) is y and second(y, x) is x
        assert maybe(2) == 2 and maybe(-2) is None
        assert pair(np.ones((2, 5))) == (2, 5)


def test_results_do_not_outlive_or_leak():
    function = jit(shift)
    a, b = np.zeros(8), np.ones(8)
    descriptor = a.dtype
    function(a, b)
    before = sys.getrefcount(a), sys.getrefcount(descriptor)
    for _ in range(100):
        function(a, b)
    assert (sys.getrefcount(a), sys.getrefcount(descriptor)) == before
    del function
    gc.collect()


def test_a_collection_that_calls_the_function_again_changes_no_result():
    def halves(a):
        return a, a / 2, a / 4

    function = jit(halves)
    for k in range(3):
        function(float(k))

    class Cycle:
        def __init__(self):
            self.own = self

        def __del__(self):
            assert function(1024.0) == (1024.0, 512.0, 256.0)

    threshold = gc.get_threshold()
    gc.set_threshold(3)
    try:
        for k in range(200):
            Cycle()
            assert function(float(k)) == (k, k / 2, k / 4)
    finally:
        gc.set_threshold(*threshold)


def test_threads_that_call_one_function_get_their_own_results():
    function = jit(total)
    failures = []

    def work(number):
        array = np.full(50, float(number))
        for _ in range(2000):
            if function(array) != 50.0 * number:
                failures.append(number)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_signature_converts_in_each_call():
    function = jit("float64(float64, float64)")(add)
    for _ in range(3):
        assert function(1, 2) == 3.0 and isinstance(function(1, 2), float)
        assert function(1.5, True) == 2.5


def test_functions_that_ask_the_host_or_print_are_called_as_before(capsys):
    def made(n):
        return np.ones(n)

    def printed(n):
        print("n", n)
        return n

    made, printed = jit(made), jit(printed)
    for k in range(3):
        np.testing.assert_array_equal(made(k), np.ones(k))
        assert printed(k) == k
    assert capsys.readouterr().out == "n 0\nn 1\nn 2\n"


def test_tesseras_arrays_and_numpys_alternate():
    function = jit(total)
    for _ in range(3):
        assert function(tnp.arange(5.0)) == 10.0
        assert function(np.arange(5.0)) == 10.0


def test_views_that_overlap_themselves_after_others_that_do_not():
    def add_row(d, k):
        n = d.shape[0]
        for i in range(n):
            for j in range(n):
                d[i, j] = d[i, j] + d[k, j]

    compiled = jit(add_row)
    for _ in range(3):
        compiled(np.ones((4, 4)), 0)
        compiled(np.ones((4, 4), order="F"), 0)
    for function in (compiled, add_row):
        b = np.arange(1.0, 10)
        function(np.lib.stride_tricks.sliding_window_view(b, 5, writeable=True), 0)
        assert b.tolist() == [2, 6, 14, 28, 52, 82, 93, 86, 61]
