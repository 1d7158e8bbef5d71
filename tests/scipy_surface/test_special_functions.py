"""Functions of tessera.scipy.special that are built from the engine's primitives, against SciPy."""

import decimal
import warnings

import numpy
import pytest
import scipy.special

import tessera
import tessera.numpy as tnp
import tessera.scipy.special as special

ANY = numpy.concatenate((numpy.linspace(-30, 30, 1201), [0.0, -0.0, 1e-300, -1e-20, 1e-9, 700.0, -700.0, 1e5]))
POSITIVE = numpy.concatenate((numpy.linspace(0.01, 60, 900), [1e-10, 1e-3, 200.0, 1e6]))
UNIT = numpy.concatenate((numpy.linspace(0, 1, 801), [1e-300, 1e-20, 1e-5, 1 - 1e-10]))
SPECIAL = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, -1.0])

ONE = {
    "ndtri": UNIT,
    "erfinv": numpy.concatenate((2 * UNIT - 1, [1e-30])),
    "erfcinv": 2 * UNIT,
    "erfcx": ANY[ANY > -25],
    "log_ndtr": ANY,
    "digamma": POSITIVE,
    "psi": -POSITIVE[:900] - 0.003,
    "gammasgn": ANY,
    "rgamma": ANY[abs(ANY) < 165],
    "i0": ANY,
    "i0e": ANY,
    "i1": ANY,
    "i1e": ANY,
    "exprel": ANY,
    "cosm1": ANY,
}
TWO = ["betaln", "beta", "rel_entr", "kl_div", "huber", "pseudo_huber", "boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p"]


def native(name, *operands):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("error", tessera.FallbackWarning)
        return numpy.asarray(getattr(special, name)(*(tnp.asarray(x) for x in operands)))


def expect_close(actual, expected, dtype, atol=1e-14):
    assert actual.dtype == expected.dtype
    rtol = 4e-6 if dtype == "f4" else 4e-13
    numpy.testing.assert_allclose(actual, expected, rtol=rtol, atol=1e-6 if dtype == "f4" else atol)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_of_one_operand(name, dtype):
    with numpy.errstate(all="ignore"):
        x = ONE[name].astype(dtype)
        expected = getattr(scipy.special, name)(x)
    finite = numpy.abs(expected) > numpy.finfo(dtype).tiny  # SciPy flushes some results to zero early
    expect_close(native(name, x)[finite], expected[finite], dtype)


@pytest.mark.parametrize("name", [n for n in ONE if n not in ("psi", "gammasgn", "rgamma", "cosm1", "i0", "i1")])
def test_special_values(name):
    with numpy.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(SPECIAL)
    numpy.testing.assert_allclose(native(name, SPECIAL), expected, rtol=1e-14)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_of_two_operands(name, dtype):
    grid = numpy.array([0.0, 1e-3, 0.1, 0.5, 1.0, 1.5, 3.0, 7.25, 20.0, 80.0], dtype)
    with numpy.errstate(all="ignore"):
        x, y = numpy.meshgrid(grid[1:] if name.startswith("beta") else grid, grid[1:] if name.startswith("beta") else grid)
        expected = getattr(scipy.special, name)(x, y)
    expect_close(native(name, x, y), expected, dtype, atol=1e-13)


def test_betaln_of_very_different_arguments():
    a, b = numpy.array([1e10, 1e15, 3e8]), numpy.array([2.5, 1.0, 10.0])
    numpy.testing.assert_allclose(native("betaln", a, b), scipy.special.betaln(a, b), rtol=1e-13)


def exact_normal_tail(x):
    """The normal distribution below -x by the continued fraction of Mills' ratio, in 60 digits."""
    with decimal.localcontext(prec=60):
        x = decimal.Decimal(x)
        ratio = x
        for k in range(400, 0, -1):
            ratio = x + k / ratio
        root_of_2_pi = (2 * decimal.Decimal("3.14159265358979323846264338327950288419716939937510582")).sqrt()
        return float((-x * x / 2).exp() / (root_of_2_pi * ratio))


def test_the_tails_of_the_normal_distribution_keep_their_digits():
    x = numpy.concatenate((numpy.linspace(3, 37.5, 997), [3.0000000000000004, 12.34567890123]))
    exact = numpy.array([exact_normal_tail(float(v)) for v in x])
    got = numpy.asarray(special.ndtr(tnp.asarray(-x)))
    assert numpy.max(abs(got - exact) / exact) < 5e-16
    single = x[x < 12].astype("float32")
    exact = numpy.array([exact_normal_tail(float(v)) for v in single])
    got = numpy.asarray(special.ndtr(tnp.asarray(-single)))
    assert got.dtype == "float32" and numpy.max(abs(got - exact) / exact) < 3e-7


def test_log_gamma_of_both_infinities_is_infinite():
    got = numpy.asarray(special.gammaln(tnp.asarray([-numpy.inf, numpy.inf, 0.0, -3.0])))
    assert numpy.array_equal(got, numpy.full(4, numpy.inf))
