"""Distributions of numpy.random and random in @jit: the numbers of NumPy's and Python's streams, and NumPy's errors, without calls of the host."""

import linecache
import random

import numpy
import pytest

from tessera import _core, jit, njit, prange

DRAWS = """
standard_gamma(2.5) | standard_gamma(0.3) | standard_gamma(1) | gamma(2.5, 3.0) | gamma(0.5) | beta(0.5, 0.6) | beta(2.0, 0.6) | chisquare(3) | noncentral_chisquare(3.0, 2.0)
noncentral_chisquare(0.5, 2.0) | noncentral_chisquare(3.0, 0.0) | f(2.0, 3.0) | gumbel() | gumbel(1.0, 2.0) | laplace(0.5, 2.0) | logistic(1.0) | lognormal(0.1, 0.5) | pareto(3.0)
power(2.5) | rayleigh(2.0) | standard_cauchy() | standard_t(4) | triangular(0, 1, 3) | vonmises(0.5, 2.0) | vonmises(0.5, 1e-6) | vonmises(3.0, 1e-9) | wald(1.0, 2.0) | weibull(2.0)
weibull(0.0) | binomial(10, 0.3) | binomial(10, 0.8) | binomial(1000, 0.3) | binomial(1000, 0.8) | binomial(100000, 0.5) | binomial(0, 0.5) | binomial(5, 0.0) | binomial(5, 1.0)
geometric(0.5) | geometric(0.1) | hypergeometric(10, 5, 7) | hypergeometric(100, 50, 70) | hypergeometric(5, 100, 20) | logseries(0.6) | logseries(0.99) | negative_binomial(5, 0.3)
poisson(3.0) | poisson(30.5) | poisson(0) | poisson(1e5) | zipf(2.5) | zipf(1.1) | permutation(7) | permutation(np.arange(5.0)) | choice(10) | choice(np.arange(5.0)) | choice(10, 4)
choice(np.arange(5.0), (2, 3)) | choice(10, 4, replace=False) | choice(np.arange(5.0), 3, False) | choice(4, 5, p=np.array([0.1, 0.2, 0.3, 0.4])) | choice(4, p=np.array([0.1, 0.9, 0, 0]))
multinomial(10, np.array([0.2, 0.3, 0.5])) | multinomial(1000, np.array([0.2, 0.3, 0.5]), 4) | multinomial(100, np.array([0.2, 0.8]), (2, 3)) | dirichlet(np.array([1.0, 2.0, 0.5]))
dirichlet(np.array([1.0, 2.0]), 3) | standard_exponential(5) | poisson(3.0, (2, 3)) | gumbel(0.0, 1.0, 5) | gamma(2.0, 1.0, (3, 2)) | binomial(10, 0.5, size=5) | standard_cauchy(4)
gamma(-1.0) | beta(0.0, 1.0) | chisquare(0.0) | f(0, 1) | laplace(0.0, -1.0) | pareto(0) | weibull(-1) | triangular(3, 2, 1) | triangular(1, 1, 1) | wald(0, 1) | binomial(-1, 0.5)
binomial(5, 1.5) | geometric(0.0) | negative_binomial(0, 0.5) | hypergeometric(1, 1, 5) | hypergeometric(-1, 5, 1) | logseries(1.0) | poisson(-1) | poisson(1e30) | zipf(1.0) | choice(0)
choice(3, 5, replace=False) | choice(3, p=np.array([0.5, 0.5])) | choice(2, p=np.array([0.5, 0.6])) | multinomial(5, np.array([0.8, 0.8, 0.1])) | dirichlet(np.array([0.0, 1.0]))
vonmises(0, -1) | gamma(np.nan) | poisson(np.nan) | choice(np.zeros(0)) | gamma(-0.0)
"""
OF_PYTHON = """
normalvariate(0.5, 2.0) | lognormvariate(0.0, 1.0) | gammavariate(2.5, 1.5) | gammavariate(1.0, 2.0) | gammavariate(0.4, 2.0) | betavariate(2.0, 3.0) | paretovariate(3.0)
weibullvariate(1.0, 2.0) | triangular() | triangular(1, 4, 2) | triangular(1.0, 1.0, 1.0) | vonmisesvariate(0.5, 2.0) | vonmisesvariate(0.5, 0.0) | getrandbits(5) | getrandbits(33)
getrandbits(64) | getrandbits(32) | getrandbits(0) | gammavariate(-1.0, 1.0) | getrandbits(-1)
"""


def texts(block, prefix):
    return [prefix + text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


def function(text):
    source = f"def f(times):\n    for _ in range(times - 1):\n        {text}\n    return {text}\n"
    file = f"<drawn {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    made = {"np": numpy, "random": random}
    exec(compile(source, file, "exec"), made)
    return made["f"]


def outcome(call, seed):
    """The last of some draws or the error, and what the streams give next."""
    numpy.random.seed(seed)
    random.seed(seed)
    try:
        found = numpy.asarray(call(40))
    except Exception as error:
        return type(error), str(error)
    return found, numpy.random.normal(), numpy.random.random(), random.random()


@pytest.mark.parametrize("text", texts(DRAWS, "np.random.") + texts(OF_PYTHON, "random."))
def test_numbers_are_those_of_the_stream(text):
    plain = function(text)
    compiled = jit(plain)
    for seed in (1, 7, 12):
        expected = outcome(plain, seed)
        _core.kernels.count_host_calls(True)
        found = outcome(compiled, seed)
        on_host = _core.kernels.host_call_counts()
        _core.kernels.count_host_calls(False)
        assert not on_host
        assert len(found) == len(expected)
        if len(expected) == 2:
            assert found == expected
            continue
        assert found[0].dtype == expected[0].dtype and found[0].shape == expected[0].shape
        # Logarithms of Python's own are the C library's.
        numpy.testing.assert_allclose(found[0], expected[0], rtol=1e-13 if text.startswith("random.") else 0)
        assert found[1:] == expected[1:]


def test_an_array_is_shuffled_in_place():
    def shuffled(values):
        np_random_shuffle(values)
        return values[0]

    np_random_shuffle = numpy.random.shuffle
    compiled = jit(shuffled)
    for values in (numpy.arange(9), numpy.arange(18.0)[::2], numpy.arange(1), numpy.arange(0.0)):
        if len(values) == 0:
            continue
        own, expected = values.copy(), values.copy()
        numpy.random.seed(4)
        numpy.random.shuffle(expected)
        numpy.random.seed(4)
        compiled(own)
        numpy.testing.assert_array_equal(own, expected)


def test_threads_of_a_parallel_loop_draw_apart():
    @njit(parallel=True)
    def means(count):
        totals = numpy.zeros(4)
        for i in prange(4):
            for _ in range(count):
                totals[i] += numpy.random.gamma(3.0, 2.0) if i < 2 else numpy.random.poisson(6.0)
        return totals / count

    found = means(20_000)
    assert (abs(found - 6.0) < 0.3).all()
    assert len(set(found)) == 4
