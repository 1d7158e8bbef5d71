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
random() | random(700) | uniform(-1.0, 2.0) | uniform(-1.0, 2.0, 300) | normal() | normal(1.0, 2.0, 311) | exponential(2.0) | exponential(2.0, 300) | rand(3, 2) | randn(400)
randint(7) | randint(1) | randint(-3, 900) | randint(0, 2**31) | randint(0, 2**32) | randint(0, 2**32 + 1) | randint(0, 2**40) | randint(-(2**62), 2**62) | randint(-(2**63), 2**63 - 1)
randint(5, size=(3, 2)) | randint(0, 10, 700) | randint(3, 4, 5) | randint(0, 2**35, 300) | randint(0) | randint(3, 3) | randint(4, 3, 2) | randint(-5, size=2) | normal(0.0, -1.0, 3)
vonmises(0, -1) | gamma(np.nan) | poisson(np.nan) | choice(np.zeros(0)) | gamma(-0.0)
"""
OF_PYTHON = """
normalvariate(0.5, 2.0) | lognormvariate(0.0, 1.0) | gammavariate(2.5, 1.5) | gammavariate(1.0, 2.0) | gammavariate(0.4, 2.0) | betavariate(2.0, 3.0) | paretovariate(3.0)
weibullvariate(1.0, 2.0) | triangular() | triangular(1, 4, 2) | triangular(1.0, 1.0, 1.0) | vonmisesvariate(0.5, 2.0) | vonmisesvariate(0.5, 0.0) | getrandbits(5) | getrandbits(33)
random() | uniform(-1.0, 3.0) | gauss(1.0, 2.0) | randint(0, 9) | randint(-5, -5) | randint(0, 2**31 - 1) | randint(0, 2**32 - 1) | randint(0, 2**32) | randint(0, 2**61)
randrange(7) | randrange(3, 30, 4) | randrange(30, 3, -4) | randrange(0) | expovariate(2.0)
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


@pytest.mark.parametrize("used", range(600, 626))
def test_draws_meet_the_end_of_the_streams_words(used):
    """Both streams are refilled between and within numbers."""

    def draws():
        total = 0.0
        for _ in range(400):
            total += numpy.random.random() + numpy.random.randint(0, 5) + random.random() + random.randint(0, 9)
        return total, numpy.random.normal(), random.gauss(0.0, 1.0)

    found = []
    for run in (draws, jit(draws)):
        numpy.random.seed(3)
        random.seed(3)
        for _ in range(used):
            numpy.random.randint(0, 2**32, dtype=numpy.uint32)
            random.getrandbits(32)
        found.append((run(), numpy.random.random(), random.random()))
    assert found[0] == found[1]


def test_draws_of_another_bit_generator_are_its_own():
    def draws():
        return numpy.random.random(), numpy.random.normal(), numpy.random.randint(0, 1000), numpy.random.random(5)

    compiled = jit(draws)
    before = numpy.random.get_bit_generator()
    found = []
    try:
        for run in (draws, compiled):
            numpy.random.set_bit_generator(numpy.random.PCG64(11))
            found.append(numpy.concatenate([numpy.ravel(one) for one in run()]))
    finally:
        numpy.random.set_bit_generator(before)
    assert (found[0] == found[1]).all()


def test_functions_that_call_themselves_draw():
    def tree(depth):
        if depth == 0:
            return numpy.random.random() + random.random() + numpy.random.randint(0, 4)
        return tree(depth - 1) + numpy.random.normal() + tree(depth - 1) + random.gauss(0.0, 1.0)

    plain = tree
    found = []
    for run in (plain, None):
        numpy.random.seed(5)
        random.seed(5)
        if run is None:
            tree = jit(plain)
            run = tree
        found.append((run(6), numpy.random.random(), random.random()))
    assert found[0] == found[1]


def test_generators_draw_between_other_draws():
    def draws(n):
        for _ in range(n):
            yield numpy.random.random() + random.randint(0, 9)
            yield numpy.random.normal()

    found = []
    for make in (draws, jit(draws)):
        numpy.random.seed(2)
        random.seed(2)
        found.append([(one, numpy.random.normal(), random.random()) for one in make(5)])
    assert found[0] == found[1]
