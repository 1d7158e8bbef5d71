"""literally: functions that are compiled for the values of arguments."""

import numpy
import pytest
from tessera.extending import overload
from tessera.numba import literally

from tessera import errors, jit, njit, types


def test_a_function_is_compiled_for_each_value():
    @njit
    def same(x, y):
        return literally(x) + y

    for x in (3, 7, 3, -(2**63), 2**62):
        assert same(x, 1) == x + 1
    assert same(numpy.int32(7), 1) == 8
    assert [one[0] for one in same.signatures] == [types.literal(v) for v in (3, 7, -(2**63), 2**62)]
    assert all(one[1] == types.int64 for one in same.signatures)


def test_values_of_several_arguments_and_functions_within():
    @njit
    def inner(x, y):
        return x + literally(y)

    @njit
    def outer(a, b, c):
        return inner(a, b) * 10 + inner(b, c)

    assert outer(1, 2, 3) == 35 and outer(1, 2, 4) == 36 and outer(a=1, b=5, c=4) == 69
    assert outer.signatures[0] == (types.int64, types.literal(2), types.literal(3))


def test_texts_constants_and_bools():
    @njit
    def same(x):
        return literally(x)

    assert same("abc") == "abc" and same("cb") == "cb" and same(None) is None
    assert same(True) is True and same(1) == 1 and same(False) is False

    @njit
    def constant(a):
        v = 1000
        return a + literally(v)

    assert constant(1) == 1001 and constant.signatures == [(types.int64,)]


def test_a_value_chooses_among_tuples():
    @njit
    def picked(values, k):
        return values[literally(k)]

    values = (1, 2.5, (3, "text"))
    assert [picked(values, k) for k in range(3)] == list(values)


def test_python_has_it_too():
    assert literally(3) == 3


def test_what_is_no_argument_is_refused():
    with pytest.raises(errors.TypingError, match="literally of int64"):
        njit(lambda x: literally(x + 1))(1)
    with pytest.raises(errors.TypingError, match="literally of array"):
        njit(lambda x: literally(x))(numpy.ones(2))
    with pytest.raises(errors.TypingError, match="an element of an argument"):
        njit(lambda x: literally(x[0]))((1, 2))
    with pytest.raises(errors.TypingError, match="signatures"):
        jit("int64(int64)")(lambda x: literally(x))


def chosen(x, y):
    return x + y


@overload(chosen)
def _chosen(x, y):
    if isinstance(x, types.Integer):
        return lambda x, y: literally(x) + y


def test_overloads_ask_for_values():
    @njit
    def outer(a, b):
        return chosen(a, b)

    assert outer(123, 321) == 444
    assert outer.signatures == [(types.literal(123), types.int64)]


@pytest.mark.parametrize("value", [slice(1, 4, 2), slice(1), slice(None), slice(None, None, 1), slice(-3, None)])
def test_a_function_is_compiled_for_each_slice(value):
    @njit
    def same(x):
        return literally(x)

    @njit
    def parts(x):
        s = literally(x)
        return s.start, s.stop, s.step

    for x in (value, slice(2, 5), value):
        assert same(x) == x
        assert parts(x) == (x.start, x.stop, x.step)
    assert len(same.signatures) == 2


def test_the_bounds_of_a_literal_slice_are_constants():
    @njit
    def first(a, s):
        return a[literally(s)][0]

    a = numpy.arange(9)
    assert [first(a, slice(k, None, 2)) for k in (1, 4, 1)] == [1, 4, 1]
