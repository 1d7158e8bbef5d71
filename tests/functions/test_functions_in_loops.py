"""Functions of the math library in loops: vectors of them, single ones and the same over arrays have the same bits."""

import math

import numpy as np
import pytest
import tessera.numpy as tp

from tessera import jit

ONE = "exp expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt exp2".split()
TWO = "power arctan2 hypot fmod remainder floor_divide".split()

VALUES = np.concatenate(
    [
        np.linspace(-4, 4, 41),
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 710.5, -746.2, 1e22, 1e300],
        np.linspace(0, 1, 17),
    ]
)


@jit
def no_function(x, out):
    for i in range(x.size):
        out[i] = x[i]


def loop_of(name):
    source = f"def loop(x, out):\n    for i in range(x.size):\n        out[i] = numpy.{name}(x[i])\n"
    space = {"numpy": np}
    exec(source, space)
    return jit(space["loop"])


def loop_of_two(name):
    source = f"def loop(x, y, out):\n    for i in range(x.size):\n        out[i] = numpy.{name}(x[i], y[i])\n"
    space = {"numpy": np}
    exec(source, space)
    return jit(space["loop"], error_model="numpy")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ONE)
def test_loops_have_the_bits_of_arrays(name, dtype):
    loop = loop_of(name)
    for n in (1, 7, VALUES.size):
        x = VALUES[-n:].astype(dtype)
        out = np.empty_like(x)
        loop(x, out)
        with np.errstate(all="ignore"):
            wanted = np.asarray(getattr(tp, name)(tp.array(x)))
        np.testing.assert_array_equal(
            out.view(f"i{out.itemsize}")[~np.isnan(out)],
            wanted.view(out.view(f"i{out.itemsize}").dtype)[~np.isnan(wanted)],
        )
        np.testing.assert_array_equal(np.isnan(out), np.isnan(wanted))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", TWO)
def test_loops_of_two_operands_have_the_bits_of_arrays(name, dtype):
    loop = loop_of_two(name)
    x, y = (a.ravel().astype(dtype) for a in np.meshgrid(VALUES[::3], VALUES[1::4]))
    out = np.empty_like(x)
    loop(x, y, out)
    with np.errstate(all="ignore"):
        wanted = np.asarray(getattr(tp, name)(tp.array(x), tp.array(y)))
    np.testing.assert_array_equal(out, wanted)


def many_functions(x, out):
    total = 0.0
    for i in range(x.size):
        y = math.exp(-x[i] * x[i]) + math.log(2.0 + math.sin(x[i]))
        if y > 1.0:
            y = math.atan(y) * math.cos(y)
        out[i] = y
        total += y
    return total


def test_conditions_around_functions_and_sums_in_order():
    x = np.linspace(-3, 3, 203)
    out = np.empty_like(x)
    total = jit(many_functions)(x, out)
    one = jit(lambda v: math.exp(-v * v) + math.log(2.0 + math.sin(v)))
    for got, v in zip(out, x):
        y = one(v)
        assert got == (jit_of_rest(y) if y > 1.0 else y)
    assert total == np.cumsum(out)[-1]


@jit
def jit_of_rest(y):
    return math.atan(y) * math.cos(y)


def only_a_sum(x):
    total = 0.0
    for i in range(x.size):
        total += math.exp(x[i])
    return total


def leaves_early(x, out):
    for i in range(x.size):
        y = math.exp(x[i])
        if y > 2.0:
            out[0] += y
            continue
        if y < 0.1:
            return i
        out[i] = y
    return -1


def test_sums_of_functions_are_added_in_order():
    x = np.linspace(-3, 3, 1003)
    assert jit(only_a_sum)(x) == np.cumsum(np.asarray(tp.exp(tp.array(x))))[-1]


def test_loops_that_are_not_vectorised_print_nothing(capfd):
    x = np.linspace(3, -3, 103)
    got, wanted = np.zeros(103), np.zeros(103)
    assert jit(leaves_early)(x, got) == leaves_early(x, wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-15)
    assert capfd.readouterr() == ("", "")
