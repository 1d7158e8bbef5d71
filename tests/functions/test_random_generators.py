"""numpy.random.Generator and RandomState in compiled functions: NumPy's numbers, and states that go on as NumPy's."""

import collections
import threading

import numpy
import pytest
from tessera.errors import CompileError, UnsupportedError

from tessera import njit, prange

# Methods with their arguments; each is called for one number, and for arrays of a size that is given by place or by name.
DISTRIBUTIONS = {
    "beta": "2.0, 3.0",
    "binomial": "10, 0.3",
    "chisquare": "3.0",
    "exponential": "2.0",
    "f": "3.0, 5.0",
    "gamma": "2.0, 3.0",
    "geometric": "0.3",
    "gumbel": "0.0, 2.0",
    "hypergeometric": "10, 5, 7",
    "laplace": "1.0, 2.0",
    "logistic": "1.0, 2.0",
    "lognormal": "1.0, 0.5",
    "logseries": "0.4",
    "negative_binomial": "5, 0.4",
    "noncentral_chisquare": "3.0, 2.0",
    "noncentral_f": "3.0, 5.0, 2.0",
    "normal": "1.0, 2.0",
    "pareto": "3.0",
    "poisson": "4.0",
    "power": "3.0",
    "rayleigh": "2.0",
    "standard_gamma": "2.0",
    "standard_t": "4.0",
    "triangular": "0.0, 1.0, 4.0",
    "uniform": "1.0, 3.0",
    "vonmises": "0.0, 2.0",
    "wald": "1.0, 2.0",
    "weibull": "2.0",
    "zipf": "3.0",
}
CALLS = [
    *(f"rng.{name}({given})" for name, given in DISTRIBUTIONS.items()),
    *(f"rng.{name}({given}, size=3)" for name, given in DISTRIBUTIONS.items()),
    *(f"rng.{name}({given}, (2, 3))" for name, given in DISTRIBUTIONS.items()),
]
OF_GENERATORS = """
rng.random() | rng.random(4) | rng.random(size=(2, 2)) | rng.random(3, dtype=np.float32) | rng.standard_normal() | rng.standard_normal(size=3)
rng.standard_exponential(2) | rng.standard_exponential(method="inv") | rng.standard_cauchy() | rng.normal() | rng.normal(size=3) | rng.normal(scale=2.0)
rng.uniform(high=3.0) | rng.integers(10) | rng.integers(3, 9) | rng.integers(0, 5, size=4) | rng.integers(5, size=2, dtype=np.int32)
rng.integers(1, 7, endpoint=True) | rng.choice(10, size=3) | rng.choice(x) | rng.choice(x, 3, replace=False) | rng.permutation(5) | rng.permutation(x)
rng.permuted(x) | rng.multinomial(5, [0.2, 0.8]) | rng.dirichlet([1.0, 2.0])
"""
OF_STATES = "rng.rand() | rng.rand(3) | rng.randn(2, 2) | rng.randint(5) | rng.randint(1, 9, size=4) | rng.random_sample(2) | rng.normal() | rng.choice(x, 2)"


def split(text):
    return [one.strip() for line in text.strip().splitlines() for one in line.split(" | ")]


def compare(text, made, wanted):
    source = f"def function(rng, x):\n    return {text}\n"
    names = {"np": numpy}
    exec(source, names)
    x = numpy.arange(6.0)
    got = njit(names["function"], source=source)(made, x)
    expected = names["function"](wanted, x)
    numpy.testing.assert_array_equal(got, expected)
    assert numpy.asarray(got).dtype == numpy.asarray(expected).dtype


@pytest.mark.parametrize("text", CALLS + split(OF_GENERATORS))
def test_numbers_and_states_of_generators(text):
    made, wanted = numpy.random.default_rng(7), numpy.random.default_rng(7)
    for _ in range(2):
        compare(text, made, wanted)
    assert made.bit_generator.state == wanted.bit_generator.state


@pytest.mark.parametrize("text", split(OF_STATES))
def test_numbers_and_states_of_random_states(text):
    made, wanted = numpy.random.RandomState(7), numpy.random.RandomState(7)
    for _ in range(2):
        compare(text, made, wanted)
    assert all(numpy.array_equal(one, other) for one, other in zip(made.get_state(), wanted.get_state()))


@pytest.mark.parametrize(
    "bits", [numpy.random.MT19937, numpy.random.Philox, numpy.random.SFC64, numpy.random.PCG64DXSM]
)
def test_other_streams(bits):
    @njit
    def walk(rng, steps):
        place = 0.0
        for _ in range(steps):
            place += rng.normal() if rng.random() < 0.5 else rng.integers(-1, 2)
        return place

    made, wanted = numpy.random.Generator(bits(3)), numpy.random.Generator(bits(3))
    assert walk(made, 50) == walk.py_func(wanted, 50)
    assert made.random() == wanted.random()


def test_generators_that_are_passed_on_returned_and_shuffle():
    @njit
    def draw(rng):
        return rng.random()

    @njit
    def function(rng, x):
        rng.shuffle(x)
        return draw(rng), rng

    made, wanted = numpy.random.default_rng(1), numpy.random.default_rng(1)
    x, y = numpy.arange(9), numpy.arange(9)
    number, same = function(made, x)
    wanted.shuffle(y)
    assert same is made and x.tolist() == y.tolist() and number == wanted.random()


stream = numpy.random.default_rng(5)


@njit
def of_the_module():
    return stream.uniform(), stream.normal(size=2)


def test_generators_that_are_names():
    global stream
    wanted = numpy.random.default_rng(5)
    one, two = of_the_module()
    assert one == wanted.uniform() and (two == wanted.normal(size=2)).all()
    stream = numpy.random.default_rng(9)
    assert of_the_module()[0] == numpy.random.default_rng(9).uniform()


def test_what_is_refused():
    @njit(parallel=True)
    def parallel(rng, n):
        total = 0.0
        for _ in prange(n):
            total += rng.random()
        return total

    @njit
    def unknown(rng):
        return rng.nothing()

    @njit
    def whole(rng):
        return rng.bytes(3)

    with pytest.raises(UnsupportedError, match="Generator.random in prange"):
        parallel(numpy.random.default_rng(), 3)
    for function in (unknown, whole):
        with pytest.raises(CompileError):
            function(numpy.random.default_rng())

    @njit
    def wrong(rng, p):
        return rng.geometric(p)

    with pytest.raises(ValueError, match="p"):
        wrong(numpy.random.default_rng(), 2.0)


def test_threads_with_generators_of_their_own():
    @njit
    def total(rng, n):
        result = 0.0
        for _ in range(n):
            result += rng.random()
        return result

    total(numpy.random.default_rng(0), 1)
    found = {}
    threads = [
        threading.Thread(target=lambda k=k: found.update({k: total(numpy.random.default_rng(k), 2000)}))
        for k in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: total.py_func(numpy.random.default_rng(k), 2000) for k in range(4)}


def test_named_tuples_of_programs_are_none():
    pair = collections.namedtuple("pair", "numpy_generator")

    @njit
    def both(x, generator):
        return generator, x

    made = numpy.random.default_rng(1)
    assert both(pair(8), made) == (made, pair(8))
    with pytest.raises(CompileError, match="no attribute random"):
        njit(lambda x: x.random())(pair(8))


def test_arguments_that_are_wrong_fail_where_they_are_drawn():
    @njit
    def function(rng, n):
        if n > 5:
            return rng.normal(0.0, -1.0)
        if n > 4:
            return rng.random(10**14)[0]
        return rng.geometric(0.5) * 1.0

    made, wanted = numpy.random.default_rng(2), numpy.random.default_rng(2)
    assert function(made, 1) == wanted.geometric(0.5)
    with pytest.raises(ValueError, match="scale"):
        function(made, 6)
    with pytest.raises(MemoryError):
        function(made, 5)
    assert made.bit_generator.state == wanted.bit_generator.state
