"""numpy.random: the bits of NumPy for the same seeds, through every generator and distribution."""

import pickle

import numpy as np
import pytest
import tessera.numpy as tnp
from random_bits import assert_same

GENERATORS = ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"]

CONTINUOUS = {
    "beta": [(0.5, 0.3), (2.0, 3.0), (1e-200, 1e-200), (0.01, 0.02)],
    "chisquare": [(0.5,), (3.0,)],
    "exponential": [(2.0,)],
    "f": [(3.0, 5.0)],
    "gamma": [(0.3, 2.0), (1.0, 1.0), (7.5, 0.5), (0.0, 1.0)],
    "gumbel": [(1.0, 2.0)],
    "laplace": [(1.0, 2.0)],
    "logistic": [(1.0, 2.0)],
    "lognormal": [(0.5, 1.5)],
    "noncentral_chisquare": [(3.0, 2.0), (0.5, 2.0), (3.0, 0.0)],
    "noncentral_f": [(3.0, 5.0, 2.0)],
    "normal": [(1.0, 2.0)],
    "pareto": [(3.0,)],
    "power": [(3.0,)],
    "rayleigh": [(2.0,)],
    "standard_cauchy": [()],
    "standard_gamma": [(2.5,)],
    "standard_t": [(4.0,)],
    "triangular": [(-1.0, 0.5, 3.0)],
    "uniform": [(-1.0, 3.0)],
    "vonmises": [(0.5, 2.0), (0.5, 1e-9), (0.5, 1e-6)],
    "wald": [(1.0, 2.0)],
    "weibull": [(1.5,), (0.0,)],
}

DISCRETE = {
    "binomial": [(10, 0.3), (1000, 0.4), (50, 0.9), (1000000, 0.7), (0, 0.5)],
    "geometric": [(0.5,), (0.01,)],
    "hypergeometric": [(15, 5, 8), (5, 5, 2), (100, 200, 150), (4, 1000, 30), (30, 2, 31)],
    "logseries": [(0.6,), (0.99,)],
    "negative_binomial": [(5, 0.4), (0.7, 0.1)],
    "poisson": [(0.0,), (3.0,), (10.0,), (500.0,)],
    "zipf": [(2.0,), (1.2,)],
}

CASES = [(name, args) for table in (CONTINUOUS, DISCRETE) for name, rows in table.items() for args in rows]


def both(call, seed=42):
    ours, theirs = tnp.random.default_rng(seed), np.random.default_rng(seed)
    assert_same(call(ours), call(theirs))
    assert ours.bit_generator.state == theirs.bit_generator.state


def legacy(call, seed=42):
    ours, theirs = tnp.random.RandomState(seed), np.random.RandomState(seed)
    assert_same(call(ours), call(theirs))
    assert_same(call(ours), call(theirs))
    for mine, their in zip(ours.get_state(), theirs.get_state()):
        np.testing.assert_array_equal(mine, their)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("seed", [0, 12345, [1, 2, 3]])
def test_bit_generators_give_numpys_words_and_states(name, seed):
    ours, theirs = getattr(tnp.random, name)(seed), getattr(np.random, name)(seed)
    assert_same(ours.random_raw(1000), theirs.random_raw(1000))
    assert str(ours.state) == str(theirs.state)
    assert ours.random_raw() == theirs.random_raw()
    a, b = tnp.random.Generator(ours), np.random.Generator(theirs)
    for dtype in ("f4", "f8"):
        assert_same(a.random(101, dtype=dtype), b.random(101, dtype=dtype))
        assert_same(a.standard_normal(1001, dtype=dtype), b.standard_normal(1001, dtype=dtype))
        assert_same(a.standard_exponential(1001, dtype=dtype), b.standard_exponential(1001, dtype=dtype))
    assert str(ours.state) == str(theirs.state)


@pytest.mark.parametrize("name", GENERATORS)
def test_states_go_both_ways(name):
    ours, theirs = getattr(tnp.random, name)(1), getattr(np.random, name)(2)
    np.random.Generator(theirs).random(3, dtype="f4")
    ours.state = theirs.state
    assert_same(tnp.random.Generator(ours).random(5, dtype="f4"), np.random.Generator(theirs).random(5, dtype="f4"))
    again = pickle.loads(pickle.dumps(ours))
    assert str(again.state) == str(ours.state)
    if name != "SFC64":
        assert str(ours.jumped(3).state) == str(theirs.jumped(3).state)
    if hasattr(theirs, "advance"):
        assert str(ours.advance(10**30).state) == str(theirs.advance(10**30).state)
    assert [str(g.state) for g in getattr(tnp.random, name)(3).spawn(2)] == [
        str(g.state) for g in getattr(np.random, name)(3).spawn(2)
    ]


def test_rare_branches_of_the_ziggurat_are_numpys():
    both(lambda g: g.standard_normal(2_000_000))
    both(lambda g: g.standard_exponential(2_000_000))
    both(lambda g: g.standard_normal(2_000_000, dtype="f4"))
    both(lambda g: g.standard_exponential(2_000_000, dtype="f4"))
    both(lambda g: g.standard_exponential(1000, method="inv"))


@pytest.mark.parametrize("name,args", CASES)
def test_distributions_give_numpys_bits(name, args):
    both(lambda g: getattr(g, name)(*args, size=2000))
    both(lambda g: getattr(g, name)(*args))
    if args:
        both(lambda g: getattr(g, name)(*[np.array([[x], [x]]) for x in args], size=(2, 3)))
        both(lambda g: getattr(g, name)(np.full(7, args[0]), *args[1:]))


@pytest.mark.parametrize("name,args", CASES)
def test_legacy_distributions_give_numpys_bits(name, args):
    legacy(lambda g: getattr(g, name)(*args, size=501))
    legacy(lambda g: getattr(g, name)(*args))
    if args:
        legacy(lambda g: getattr(g, name)(np.full(7, args[0]), *args[1:]))


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_integers_give_numpys_bits(dtype):
    info = np.iinfo(dtype) if dtype != "?" else None
    low, high = (0, 1) if info is None else (info.min, info.max)
    both(lambda g: g.integers(low, high, size=100, dtype=dtype, endpoint=True))
    both(lambda g: g.integers(0, high, size=101, dtype=dtype, endpoint=True))
    both(lambda g: g.integers(0, 1, size=7, dtype=dtype))
    both(lambda g: g.integers(0, 1, dtype=dtype, endpoint=True))
    legacy(lambda g: g.randint(0, high, size=101, dtype=dtype))
    legacy(lambda g: g.randint(low, high, size=101, dtype=dtype))
    if info:
        both(lambda g: g.integers([0, 1, 2], [[100], [50]], dtype=dtype))
        both(lambda g: g.integers(0, [3, 77, 100], size=(4, 3), dtype=dtype, endpoint=True))
        both(lambda g: g.integers(3, 100, size=1001, dtype=dtype))
        legacy(lambda g: g.randint(3, 100, size=1001, dtype=dtype))


def test_large_uniform_arrays_are_the_sequential_stream():
    for name in GENERATORS:
        ours, theirs = (
            tnp.random.Generator(getattr(tnp.random, name)(7)),
            np.random.Generator(getattr(np.random, name)(7)),
        )
        assert_same(ours.random((3, 100_001)), theirs.random((3, 100_001)))
        assert_same(ours.uniform(-2, 5, 200_003), theirs.uniform(-2, 5, 200_003))
        assert_same(ours.random(5), theirs.random(5))


def test_integers_name_their_bounds():
    for make in (tnp.random.default_rng, np.random.default_rng):
        g = make(0)
        for args, kwargs, message in [
            ((300,), {"dtype": "u1"}, "high is out of bounds for uint8"),
            ((-1, 3), {"dtype": "u1"}, "low is out of bounds for uint8"),
            ((0,), {}, "high <= 0"),
            ((5, 3), {}, "low >= high"),
            ((5, 3), {"endpoint": True}, "low > high"),
            (([5, 1], [3, 3]), {}, "low >= high"),
            (([0, 1], 300), {"dtype": "u1"}, "high is out of bounds for uint8"),
        ]:
            with pytest.raises(ValueError, match=message):
                g.integers(*args, **kwargs)


def test_parameters_are_refused_in_numpys_words():
    calls = [
        lambda g: g.normal(0, -1),
        lambda g: g.normal(0, [1, -1]),
        lambda g: g.beta(0, 1),
        lambda g: g.binomial(5, 1.5),
        lambda g: g.binomial(5, [1.5]),
        lambda g: g.binomial(-1, 0.5),
        lambda g: g.poisson(-1),
        lambda g: g.poisson(1e30),
        lambda g: g.zipf(1),
        lambda g: g.geometric(0),
        lambda g: g.logseries(1),
        lambda g: g.uniform(0, np.inf),
        lambda g: g.hypergeometric(1, 1, 5),
        lambda g: g.triangular(3, 2, 1),
        lambda g: g.normal(size=(-1,)),
        lambda g: g.normal([1, 2], 1, size=3),
        lambda g: g.gamma(-1),
        lambda g: g.wald(0, 1),
        lambda g: g.dirichlet([-1.0, 1.0]),
        lambda g: g.multinomial(5, [0.9, 0.9, 0.1]),
        lambda g: g.choice(0),
        lambda g: g.choice(5, 10, replace=False),
        lambda g: g.choice([1, 2], p=[0.5, 0.6]),
        lambda g: g.choice(3, p=[1.0]),
    ]
    for i, call in enumerate(calls):
        failures = []
        for g in (tnp.random.default_rng(0), np.random.default_rng(0)):
            with pytest.raises(Exception) as failure:
                call(g)
            failures.append((failure.type, str(failure.value)))
        assert failures[0] == failures[1], i


def test_choice_gives_numpys_bits():
    p = np.arange(1, 11) / 55
    for call in [
        lambda g: g.choice(10),
        lambda g: g.choice(10, 5),
        lambda g: g.choice(10, (2, 3), replace=False),
        lambda g: g.choice(20000, 1000, replace=False),
        lambda g: g.choice(20000, 100, replace=False, shuffle=False),
        lambda g: g.choice(50, 20, replace=False, shuffle=False),
        lambda g: g.choice(10, 20, p=p),
        lambda g: g.choice(10, 5, replace=False, p=p),
        lambda g: g.choice(np.arange(12.0).reshape(3, 4), 2, axis=1),
        lambda g: g.choice([1.5, 2.5, 3.5], 4),
        lambda g: g.choice([1.5, 2.5]),
    ]:
        both(call)
    for call in [
        lambda g: g.choice(10),
        lambda g: g.choice(10, 5),
        lambda g: g.choice(10, (2, 3), replace=False),
        lambda g: g.choice(10, 20, p=p),
        lambda g: g.choice(10, 5, replace=False, p=p),
        lambda g: g.choice([1.5, 2.5, 3.5], 4),
    ]:
        legacy(call)


def test_orders_are_numpys():
    def shuffled(g, shape, axis):
        x = (tnp if isinstance(g, tnp.random.Generator) else np).arange(int(np.prod(shape))).reshape(shape)
        g.shuffle(x, axis=axis)
        return x

    for shape, axis in [((10,), 0), ((4, 5), 0), ((4, 5), 1), ((3, 4, 5), -1), ((0,), 0)]:
        both(lambda g: shuffled(g, shape, axis))
    both(lambda g: g.permutation(20))
    both(lambda g: g.permutation([3, 1, 2, 9]))
    both(lambda g: g.permutation(np.arange(12).reshape(4, 3), axis=1))
    for axis in (None, 0, 1, -1):
        both(lambda g: g.permuted(np.arange(12.0).reshape(4, 3), axis=axis))
    legacy(lambda g: g.permutation(20))
    legacy(lambda g: g.permutation(np.arange(12).reshape(4, 3)))
    words = ["a", "b", "c", "d", "e"]
    ours, theirs = list(words), list(words)
    tnp.random.default_rng(5).shuffle(ours)
    np.random.default_rng(5).shuffle(theirs)
    assert ours == theirs


def test_vectors_are_numpys():
    both(lambda g: g.multinomial(20, [0.2, 0.3, 0.5], size=10))
    both(lambda g: g.multinomial([[10], [20]], [0.2, 0.3, 0.5], size=(2, 2)))
    both(lambda g: g.multinomial(10, [[0.2, 0.8], [0.5, 0.5]]))
    both(lambda g: g.dirichlet([0.5, 1.0, 3.0], size=20))
    both(lambda g: g.dirichlet([0.05, 0.01, 0.02], size=20))
    for method in ("count", "marginals"):
        both(lambda g: g.multivariate_hypergeometric([5, 10, 20], 12, size=15, method=method))
    legacy(lambda g: g.multinomial(20, [0.2, 0.3, 0.5], size=10))
    legacy(lambda g: g.dirichlet([0.5, 1.0, 3.0], size=20))
    mean, cov = [1.0, -2.0, 0.5], [[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 0.5]]
    for method in ("svd", "eigh", "cholesky"):
        ours = tnp.random.default_rng(3).multivariate_normal(mean, cov, 50, method=method)
        np.testing.assert_allclose(
            ours, np.random.default_rng(3).multivariate_normal(mean, cov, 50, method=method), atol=1e-12
        )
    ours = tnp.random.RandomState(3).multivariate_normal(mean, cov, 50)
    np.testing.assert_allclose(ours, np.random.RandomState(3).multivariate_normal(mean, cov, 50), atol=1e-12)


def test_out_is_filled_and_returned():
    for dtype in ("f4", "f8"):
        for name in ("random", "standard_normal", "standard_exponential"):
            out = tnp.empty((3, 4), dtype)
            result = getattr(tnp.random.default_rng(1), name)(out=out, dtype=dtype)
            assert result is out
            assert_same(out, getattr(np.random.default_rng(1), name)((3, 4), dtype=dtype))
    with pytest.raises(TypeError, match="wrong type"):
        tnp.random.default_rng(1).random(out=tnp.empty(3, "f4"))
    with pytest.raises(ValueError, match="size must match"):
        tnp.random.default_rng(1).random(4, out=tnp.empty(3))


@pytest.mark.parametrize("p", [[0.5, 0.6], [np.nan, 1.0], [np.inf, -np.inf], [1.5, -0.5], [1e308, 1e308]])
def test_choice_refuses_what_is_no_distribution(p):
    with pytest.raises(ValueError) as theirs:
        np.random.choice(2, p=p)
    with pytest.raises(ValueError) as ours:
        tnp.random.choice(2, p=p)
    assert str(ours.value) == str(theirs.value)


def test_choice_of_words_gives_numpys():
    np.random.seed(3)
    expected = [np.random.choice(["a", "bc", "d"]), *np.random.choice(list("abc"), size=4)]
    tnp.random.seed(3)
    drawn = [tnp.random.choice(["a", "bc", "d"]), *tnp.random.choice(list("abc"), size=4)]
    assert drawn == expected
    assert [type(word) for word in drawn] == [type(word) for word in expected]
