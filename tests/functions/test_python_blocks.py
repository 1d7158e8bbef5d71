"""objmode: blocks that Python runs, what they read and return, and what they raise."""

import gc
import weakref

import numpy
import pytest
from tessera.errors import UnsupportedError
from tessera.functions.python_blocks import objmode

from tessera import njit, types

FACTOR = 3


@njit
def scaled(x):
    with objmode(y="float64"):
        y = float(sum(x.tolist())) * FACTOR
    return y + 1


def test_a_block_computes_with_pythons_objects():
    global FACTOR
    assert scaled(numpy.arange(3.0)) == 10.0
    FACTOR = 4
    try:
        assert scaled(numpy.arange(3.0)) == 13.0
    finally:
        FACTOR = 3


def test_arrays_come_back_and_what_a_block_writes_is_there():
    @njit
    def function(x, n):
        total = 0.0
        for i in range(n):
            with objmode(z="float64[:]", m="int64"):
                z = numpy.array([float(str(i))] * 3)[::-1] + x
                m = len(str(i))
                x[0] += 1
            total += z.sum() * m
        return total, x[0]

    x, y = numpy.arange(3.0), numpy.arange(3.0)
    assert function(x, 4) == function.py_func(y, 4) == (36.0, 4.0)
    assert x[0] == 4


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int8", 5),
        (types.complex128, 1 + 2j),
        ("boolean", True),
        ("UniTuple(int64, 2)", (1, 2)),
        (types.Tuple((types.float32, types.int64[:, :])), (numpy.float32(0.5), numpy.ones((2, 3), "i8").T)),
        ("optional(float64)", None),
        ("optional(float64)", 2.5),
    ],
)
def test_results_of_each_kind(kind, value):
    @njit
    def function():
        with objmode(result=kind):
            result = value
        return result

    got = function()
    if isinstance(value, tuple):
        assert len(got) == len(value) and all(numpy.array_equal(a, b) for a, b in zip(got, value))
    else:
        assert got == value and (got is None) == (value is None)


def test_a_block_that_returns_nothing(capsys):
    @njit
    def function(n):
        with objmode():
            print("seen", [n, 2])
        with objmode:
            print("again")
        return n

    assert function(1) == 1
    assert capsys.readouterr().out == "seen [1, 2]\nagain\n"


def test_what_is_read_and_changed_in_place():
    @njit
    def function(n):
        count = n * 2
        with objmode(count="int64", last="int64"):
            count += 1
            for last in range(count):
                if last > 2:
                    break
        return count, last

    assert function(3) == (7, 3)


def test_closures_and_methods():
    def outer(w):
        @njit
        def inner(x):
            with objmode(y="int64"):
                y = w + x
            return y

        return inner

    first, second = outer(5), outer(7)
    assert (first(2), second(1)) == (7, 8)

    @njit
    def both(x):
        return first(x) + second(x)

    assert both(0) == 12


def test_exceptions_arrive():
    @njit
    def function(x):
        with objmode(y="int64"):
            y = int("a" * x)
        return y

    with pytest.raises(ValueError, match="invalid literal"):
        function(1)

    @njit
    def handled(x):
        y = 0
        try:
            with objmode(y="int64"):
                y = int("a" * x)
        except ValueError:
            y = -1
        return y

    assert handled(1) == -1


def test_values_of_other_types_are_refused():
    @njit
    def number(x):
        with objmode(y="float64[:]"):
            y = x
        return y

    with pytest.raises(TypeError, match=r"objmode\(y=float64\[:\]\): the block computed an array of int64 of 0 axes"):
        number(1)

    @njit
    def pair(x):
        with objmode(y="UniTuple(int64, 2)"):
            y = x
        return y

    with pytest.raises(TypeError, match="the block computed 1"):
        pair(1)


def test_what_blocks_are_not():
    @njit
    def returns(x):
        with objmode(y="int64"):
            return x

    @njit
    def leaves(x):
        for i in range(x):
            with objmode():
                break
        return i

    @njit
    def named(x):
        with objmode(y="unicode_type"):
            y = "a"  # noqa: F841
        return x

    @njit
    def listed(x):
        with objmode(y=types.List(types.int64)):
            y = [1]  # noqa: F841
        return x

    @njit(parallel=True)
    def parallel(x):
        from_each = numpy.zeros(x)
        for i in range(x):
            with objmode(y="int64"):
                y = 1
            from_each[i] = y
        return from_each

    with pytest.raises(UnsupportedError, match="return in a block with objmode"):
        returns(1)
    with pytest.raises(UnsupportedError, match="break in a block with objmode"):
        leaves(1)
    with pytest.raises(UnsupportedError, match="unicode_type"):
        named(1)
    with pytest.raises(UnsupportedError, match=r"objmode\(y=list\(int64\)\)"):
        listed(1)
    assert parallel(3).tolist() == [1, 1, 1]


def test_a_block_in_prange_is_refused():
    from tessera import prange

    @njit(parallel=True)
    def function(x):
        total = 0
        for i in prange(x):
            with objmode(y="int64"):
                y = 1
            total += y
        return total

    with pytest.raises(UnsupportedError, match="in prange"):
        function(3)


def test_functions_with_blocks_are_collected():
    def made():
        @njit
        def function(x):
            with objmode(y="int64"):
                y = x + 1
            return y

        assert function(1) == 2
        return weakref.ref(function.py_func)

    gone = made()
    gc.collect()
    assert gone() is None


def test_variables_that_are_changed_and_not_named_are_refused():
    @njit
    def changed(n):
        a = 1
        with objmode(y="int64"):
            a = 5
            y = a
        return y, a

    @njit
    def endless(n):
        while True:
            with objmode(done="boolean"):
                n -= 1
                done = n < 0
            if done:
                return n

    for function, name in ((changed, "a"), (endless, "n")):
        with pytest.raises(UnsupportedError, match=f"{name} is changed in a block with objmode and read outside of it"):
            function(3)


@njit
def factorial(n):
    with objmode(y="int64"):
        y = 1 if n == 0 else n * factorial(n - 1)
    return y


def test_a_block_calls_its_own_function():
    assert factorial(5) == 120


def test_numbers_that_are_none_or_do_not_fit():
    @njit
    def text(n):
        with objmode(y="float64"):
            y = "2.5"
        return y

    @njit
    def large(n):
        with objmode(y="int8"):
            y = numpy.int64(300)
        return y

    with pytest.raises(TypeError, match="the block computed '2.5'"):
        text(1)
    with pytest.raises(OverflowError):
        large(1)


def test_blocks_that_assign_under_a_condition_and_define_functions():
    @njit
    def function(n):
        y = 4
        with objmode(y="int64", z="int64"):

            def twice(x):
                for k in range(x):
                    if k == x:
                        break
                return 2 * x

            if n > 10:
                y = 1
            z = twice(n)
        return y, z

    assert (function(1), function(11)) == ((4, 2), (1, 22))

    @njit
    def leaves(n):
        for k in range(n):
            with objmode(y="int64"):
                for y in range(3):
                    pass
                else:
                    break
        return y

    with pytest.raises(UnsupportedError, match="break in a block"):
        leaves(3)


def test_a_block_in_a_nested_function():
    @njit
    def function(n):
        def added(z):
            with objmode(y="int64"):
                y = z + n
            return y

        return added(1) + added(10)

    assert function(5) == 21
