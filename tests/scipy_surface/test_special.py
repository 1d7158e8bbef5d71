"""tessera.scipy.special against SciPy."""

import warnings

import numpy
import pytest
import scipy.special
import tessera.numpy as tnp
import tessera.scipy.special as special

import tessera

ONE = [
    "erf",
    "erfc",
    "gamma",
    "gammaln",
    "expit",
    "ndtr",
    "log_expit",
    "logit",
    "expm1",
    "log1p",
    "cbrt",
    "exp2",
    "exp10",
    "entr",
]


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_native_functions(name, dtype):
    x = numpy.linspace(-5, 5, 83).astype(dtype)
    x = numpy.concatenate((x, numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 0.5, 30, -30], dtype)))
    if name == "gammaln":
        x = x[x != -numpy.inf]  # the limit is inf, as C's lgamma has it; SciPy says -inf
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("error", tessera.FallbackWarning)
        actual = getattr(special, name)(tnp.asarray(x))
        expected = getattr(scipy.special, name)(x)
    assert actual.dtype == expected.dtype
    numpy.testing.assert_allclose(numpy.asarray(actual), expected, rtol=2e-5 if dtype == "f4" else 1e-11, atol=1e-30)


def test_other_functions_fall_back():
    with pytest.warns(tessera.FallbackWarning, match="scipy.special.jv"):
        result = special.jv(1, tnp.linspace(0, 1, 5))
    assert isinstance(result, tnp.ndarray)
    numpy.testing.assert_allclose(numpy.asarray(result), scipy.special.jv(1, numpy.linspace(0, 1, 5)))


def test_composed_functions():
    a = numpy.random.default_rng(0).normal(size=(3, 4)) * 5
    for axis in (None, 0, 1):
        numpy.testing.assert_allclose(
            numpy.asarray(special.softmax(tnp.array(a), axis)), scipy.special.softmax(a, axis), rtol=1e-13
        )
        numpy.testing.assert_allclose(
            numpy.asarray(special.logsumexp(tnp.array(a), axis)), scipy.special.logsumexp(a, axis), rtol=1e-13
        )
    numpy.testing.assert_allclose(numpy.asarray(special.sinc(tnp.array(a))), numpy.sinc(a))
