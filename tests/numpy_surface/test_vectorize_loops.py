"""vectorize over functions of floats: compiled loops give what NumPy's loop gives, bit for bit, and all else stays NumPy's loop."""

import math
import warnings

import numpy
import pytest
import tessera.numpy as np
from tessera.numpy import _pure_loops

rng = numpy.random.default_rng(3)
FACTOR, LIMIT, DEEP = 0.75, 30, 3.5


@pytest.fixture(autouse=True)
def compiles_at_once(monkeypatch):
    monkeypatch.setattr(_pure_loops, "_WORTH_COMPILING", 1)


def has_loop(function):
    known = _pure_loops._known.get(function)
    return known is not None and known.loop is not None


def affine(x, y):
    """A docstring."""
    return FACTOR * x - y / 3


def clipped(x, y):
    return min(max(x, -y, y), 1.0)


def escapes(x, y):
    a, b, n = 0.0, 0.0, 0
    for k in range(LIMIT):
        if a * a + b * b > 4:
            return k
        a, b = a * a - b * b + x, 2 * a * b + y
    return n


def iterations(x, y):
    a = 0.0
    b = 0.0
    k = 0
    while k < LIMIT and a * a + b * b < 4:
        c = a * a - b * b + x
        b = 2 * a * b + y
        a = c
        k += 1
    return k


def distance(x, y):
    return math.sqrt(x * x + y * y) + abs(x) + math.fabs(y) + math.pi


def inside(x, y):
    return -1 < x < 1 and not y > 0.5 or x == y


def halves(x, y):
    total = 0.0
    for k in range(2, 9):
        if k == 5:
            continue
        total += float(k) * x
        if total > y * 20:
            break
    return total if total < 1e300 else -total


def branches(x, y):
    if x < y:
        z = 1.0
    else:
        z = -x
    return z * DEEP


COMPILED = [affine, clipped, escapes, iterations, distance, inside, halves, branches]


def operands(shape=(40, 50)):
    x, y = rng.normal(size=shape), rng.normal(size=shape)
    x.flat[:8] = 0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e-310, 1e308, -1e308
    y.flat[:6] = -0.0, 0.0, numpy.nan, 2.0, numpy.inf, 1e-300
    return x, y


def same(own, theirs):
    own = numpy.asarray(own)
    assert own.dtype == theirs.dtype and own.shape == theirs.shape
    numpy.testing.assert_array_equal(own.view(numpy.uint8 if own.dtype == bool else numpy.int64),
                                     theirs.view(numpy.uint8 if own.dtype == bool else numpy.int64))  # fmt: skip


@pytest.mark.parametrize("function", COMPILED, ids=lambda f: f.__name__)
def test_a_loop_gives_numpys_bits(function):
    x, y = operands()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = numpy.vectorize(function)(numpy.abs(x) + 1, y)
        own = np.vectorize(function)(numpy.abs(x) + 1, y)
    assert type(own) is np.ndarray and has_loop(function)
    own = numpy.asarray(own)
    assert own.dtype == theirs.dtype and own.shape == theirs.shape
    assert numpy.array_equal(own, theirs, equal_nan=own.dtype.kind == "f")
    if own.dtype.kind == "f":
        finite = ~numpy.isnan(own)
        assert numpy.array_equal(numpy.signbit(own[finite]), numpy.signbit(theirs[finite]))


@pytest.mark.parametrize("otypes", [None, "d", [float]])
def test_operands_broadcast_and_may_be_numbers_or_our_own(otypes):
    def weighted(x, y, z):
        return x * y + z

    row, column = rng.normal(size=(1, 60)), rng.normal(size=(50, 1))
    theirs = numpy.vectorize(weighted, otypes=otypes)(row, column, 2.5)
    same(np.vectorize(weighted, otypes=otypes)(row, np.asarray(column), 2.5), theirs)
    assert has_loop(weighted)


def test_captured_names_are_read_anew():
    scale = 2.0

    def scaled(x):
        return x * scale

    x = rng.normal(size=300)
    same(np.vectorize(scaled)(x), x * 2.0)
    scale = -3.0
    same(np.vectorize(scaled)(x), x * -3.0)
    assert has_loop(scaled)
    scale = numpy.float32(2)
    assert numpy.array_equal(numpy.asarray(np.vectorize(scaled)(x)), numpy.vectorize(scaled)(x))


def inverse(x):
    return 1 / x


def root(x):
    return math.sqrt(x - 1)


@pytest.mark.parametrize("function", [inverse, root], ids=lambda f: f.__name__)
@pytest.mark.parametrize("at", [0, 100])
def test_what_the_function_raises_is_raised(function, at):
    x = numpy.arange(2.0, 400.0)
    x[at] = 0.0
    raised = []
    for module in (numpy, np):
        with pytest.raises((ZeroDivisionError, ValueError)) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module.vectorize(function)(x)
        raised.append((caught.type, str(caught.value)))
    assert raised[0] == raised[1]


def calls(x):
    seen.append(x)
    return x


def powers(x):
    return x**2


def mixed(x):
    return 1 if x < 0 else x


def maybe_nothing(x):
    if x > 0:
        return x


def maybe_unset(x):
    if x > -100:
        z = x
    return z


def truth(x):
    return x or 1.0


def large(x):
    return x * 2**80


def products(x):
    n = 1
    for k in range(30):
        n = n * 3
    return n + x


def with_numpy(x):
    return numpy.sqrt(x * x)


def with_default(x, y=2.0):
    return x * y


seen = []


@pytest.mark.parametrize(
    "function",
    [calls, powers, mixed, maybe_nothing, maybe_unset, truth, large, products, with_numpy, with_default],
    ids=lambda f: f.__name__,
)
def test_other_functions_stay_numpys(function):
    x = rng.normal(size=60)
    theirs, own = numpy.vectorize(function)(x), np.vectorize(function)(x)
    assert not has_loop(function)
    assert repr(numpy.asarray(own).tolist()) == repr(theirs.tolist()) and numpy.asarray(own).dtype == theirs.dtype


@pytest.mark.parametrize(
    "x", [numpy.arange(50), numpy.ones(50, "f4"), numpy.ones((10, 5), order="F"), numpy.arange(100.0)[::2], numpy.ones(30, complex), [1.0] * 9]
)  # fmt: skip
def test_other_operands_stay_numpys(x):
    def twice(x):
        return x * 2.0

    theirs, own = numpy.vectorize(twice)(x), np.vectorize(twice)(x)
    assert not has_loop(twice)
    assert numpy.array_equal(numpy.asarray(own), theirs) and numpy.asarray(own).dtype == theirs.dtype
    assert numpy.asarray(own).strides == theirs.strides


@pytest.mark.parametrize(
    "options",
    [
        {"cache": True},
        {"otypes": "f"},
        {"otypes": "l"},
        {"otypes": "dd"},
        {"excluded": {1}},
        {"signature": "(),()->()"},
    ],
)
def test_options_mean_what_they_mean(options):
    def difference(x, y):
        return x - y

    x = rng.normal(size=80) * 10
    outcomes = []
    for module in (numpy, np):
        try:
            outcomes.append(numpy.asarray(module.vectorize(difference, **options)(x, 0.5)))
        except Exception as error:
            outcomes.append((type(error), str(error)))
    assert type(outcomes[0]) is type(outcomes[1])
    if isinstance(outcomes[0], tuple):
        assert outcomes[0] == outcomes[1]
    else:
        assert outcomes[0].dtype == outcomes[1].dtype and numpy.array_equal(*outcomes, equal_nan=True)


def test_empty_operands_are_numpys():
    def same_number(x):
        return x + 0.0

    for module in (numpy, np):
        with pytest.raises(ValueError, match="size 0"):
            module.vectorize(same_number)(numpy.ones(0))
    assert np.vectorize(same_number, otypes="d")(numpy.ones((0, 3))).shape == (0, 3)
