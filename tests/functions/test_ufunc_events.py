"""Floating-point events in users' ufuncs, beside those of NumPy's ufuncs."""

import math
import warnings

import numpy
import pytest
import tessera.numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tessera import vectorize

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e200, -1e200, 1e-200, math.inf, -math.inf, math.nan, 710.0, -3.0]


def divided(a, b):
    return a / b


def floored(a, b):
    return a // b


def remainder(a, b):
    return a % b


def power(a, b):
    return a**b


def chained(a, b):
    return 1.0 / (1.0 / (a * b))


def functions(a, b):
    return math.sqrt(a) + math.exp(b)


def guarded(a, b):
    if b == 0.0:
        return a
    return a / b


def chosen(a, b):
    return a / b if b != 0.0 else a


def looped(a, b):
    total = 0.0
    for k in range(3):
        total += a / (b + k)
    return total


def both(a, b):
    return a / b, a * b


PAIRS = [
    (divided, numpy.divide),
    (floored, numpy.floor_divide),
    (remainder, numpy.remainder),
    (power, numpy.float_power),
    (chained, lambda a, b: numpy.divide(1.0, numpy.divide(1.0, numpy.multiply(a, b)))),
    (functions, lambda a, b: numpy.sqrt(a) + numpy.exp(b)),
    (guarded, lambda a, b: numpy.divide(a, b, out=numpy.array(a), where=b != 0.0)),
    (chosen, lambda a, b: numpy.divide(a, b, out=numpy.array(a), where=b != 0.0)),
    (looped, lambda a, b: 0.0 + a / (b + 0) + a / (b + 1) + a / (b + 2)),
    (both, lambda a, b: (numpy.divide(a, b), numpy.multiply(a, b))),
]
UFUNCS = {function.__name__: vectorize(function) for function, _ in PAIRS}


def events(function, *arguments):
    """The kinds of warnings, and what was computed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
        values = [numpy.asarray(one).copy() for one in (result if isinstance(result, tuple) else (result,))]
    assert all(one.category is RuntimeWarning for one in caught)
    return {str(one.message).split(" encountered")[0] for one in caught}, values


@pytest.mark.parametrize("function, expected", PAIRS, ids=[function.__name__ for function, _ in PAIRS])
@settings(deadline=None, max_examples=40)
@given(
    values=st.lists(st.tuples(st.sampled_from(SPECIAL), st.sampled_from(SPECIAL)), min_size=1, max_size=6),
    copies=st.sampled_from([1, 1, 700]),
    own=st.booleans(),
)
def test_warnings_are_numpys(function, expected, values, copies, own):
    a, b = (numpy.array(side * copies) for side in zip(*values))
    told, wanted = events(expected, a, b)
    given_ = [np.asarray(one) if own else one for one in (a, b)]
    found, results = events(UFUNCS[function.__name__], *given_)
    assert found == told
    for one, other in zip(results, wanted):
        numpy.testing.assert_allclose(one, other, rtol=1e-12)


def test_integers_are_divided_as_floats():
    assert events(UFUNCS["divided"], numpy.array([5, 6, 0]), numpy.array([1, 0, 0]))[0] == {
        "divide by zero",
        "invalid value",
    }
    assert events(UFUNCS["floored"], numpy.array([5, 6]), numpy.array([1, 0]))[0] == set()


def test_single_numbers_and_states_of_errors():
    assert events(UFUNCS["divided"], 1.0, 0.0)[0] == {"divide by zero"}
    for size in (3, 5000):
        ones, zeros = numpy.ones(size), numpy.zeros(size)
        with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            numpy.asarray(UFUNCS["divided"](ones, zeros))
        with numpy.errstate(all="ignore"):
            assert events(UFUNCS["divided"], ones, zeros)[0] == set()
        with numpy.errstate(divide="ignore"):
            assert events(UFUNCS["divided"], numpy.append(ones, 0.0), numpy.append(zeros, 0.0))[0] == {"invalid value"}


def test_several_operations_in_a_row_tell_once_each():
    ufunc = UFUNCS["divided"]
    x = np.arange(3000.0)
    found, _ = events(lambda: ufunc(x + 1.0, x) * 2.0 - ufunc(x, x))
    assert found == {"divide by zero", "invalid value"}


def test_reductions_and_methods():
    ufunc = UFUNCS["divided"]
    values = numpy.array([[4.0, 2.0], [0.0, 1.0]])
    assert events(ufunc.reduce, values)[0] == {"divide by zero"}
    assert events(ufunc.accumulate, values)[0] == {"divide by zero"}
    assert events(ufunc.outer, values[0], values[1])[0] == {"divide by zero"}
