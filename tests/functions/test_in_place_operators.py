"""Operators that change their first operand, as statements and as functions of the module operator, beside NumPy's."""

import operator

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import TypingError

from tessera import njit

_NAMES = "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split()
_SIGNS = dict(zip(_NAMES, "+= -= *= /= //= %= **= &= |= ^= <<= >>=".split()))


def _function(text):
    made = {"operator": operator}
    exec(text, made)
    return njit(made["function"], source=text)


_BY_NAME = {name: _function(f"def function(a, b):\n    return operator.{name}(a, b)\n") for name in _NAMES}
_STATEMENTS = {name: _function(f"def function(a, b):\n    a {_SIGNS[name]} b\n    return a\n") for name in _NAMES}


@pytest.mark.parametrize("name", _NAMES)
@settings(deadline=None, max_examples=25)
@given(
    data=st.data(),
    dtype=st.sampled_from(["int64", "int32", "float64", "float32", "bool"]),
    other=st.sampled_from(["int64", "float64", "float32", "int", "float"]),
)
def test_arrays_are_changed_in_place(name, data, dtype, other):
    changed = numpy.array(data.draw(st.lists(st.integers(1, 5), min_size=4, max_size=4))).astype(dtype)
    number = data.draw(st.integers(1, 3))
    value = {"int": number, "float": float(number)}.get(other)
    if value is None:
        value = numpy.full(4, number, other)
    expected = changed.copy()
    try:
        getattr(operator, name)(expected, value)
    except TypeError:  # UFuncTypeError: the result is of another kind
        expected = None
    for functions in (_BY_NAME, _STATEMENTS):
        got = changed.copy()
        if expected is None:
            with pytest.raises(TypingError):
                functions[name](got, value)
            continue
        result = functions[name](got, value)
        assert numpy.shares_memory(result, got)
        numpy.testing.assert_allclose(got, expected, rtol=1e-6)


def test_numbers_are_not_changed():
    assert njit(lambda n: (operator.iadd(n, 2), operator.imul(2.5, n), n))(3) == (5, 7.5, 3)
