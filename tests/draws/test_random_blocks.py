"""Long seeded draws, which several threads make in blocks: NumPy's numbers and state on any number of threads."""

import copy
import pickle
import random
import threading

import numpy as np
import pytest
import tessera.numpy as tnp
from random_bits import assert_same
from test_random import CASES

from tessera import _core

# Runs of more than 32,768 numbers, of named distributions more than 8,192, are drawn in blocks of 1,024 words and more.
LONG = 40_003
THREADS = [1, 2, 3, 7]
BLOCK_GENERATORS = ["PCG64", "PCG64DXSM", "MT19937", "Philox"]


@pytest.fixture(autouse=True)
def thread_count():
    before = _core.cpus()
    yield
    _core.set_cpus(before)


def state_of(generator):
    if isinstance(generator, np.random.RandomState):
        return str(generator.get_state(legacy=False))
    return str(generator.bit_generator.state)


def make_pair(name, seed=42, legacy=False):
    """Ours and NumPy's over generators of one kind."""
    if legacy:
        return tnp.random.RandomState(getattr(tnp.random, name)(seed)), np.random.RandomState(
            getattr(np.random, name)(seed)
        )
    return (tnp.random.Generator(getattr(tnp.random, name)(seed)), np.random.Generator(getattr(np.random, name)(seed)))


def compare(make, calls, threads=THREADS):
    """Runs the calls one after the other on NumPy's generator and, for each number of threads, on ours."""
    _, theirs = make()
    expected = [(call(theirs), state_of(theirs)) for call in calls]
    for count in threads:
        _core.set_cpus(count)
        ours, _ = make()
        for call, (wanted, state) in zip(calls, expected):
            assert_same(call(ours), wanted)
            assert state_of(ours) == state


def take_half(g):
    return g.random(1, dtype="f4")


STANDARD = [
    lambda g, n: g.random(n),
    lambda g, n: g.random(n, dtype="f4"),
    lambda g, n: g.standard_normal(n),
    lambda g, n: g.standard_normal(n, dtype="f4"),
    lambda g, n: g.standard_exponential(n),
    lambda g, n: g.standard_exponential(n, dtype="f4"),
    lambda g, n: g.standard_exponential(n, method="inv"),
    lambda g, n: g.standard_exponential(n, dtype="f4", method="inv"),
    lambda g, n: g.normal(3, 2, n),
    lambda g, n: g.uniform(-1, 5, n),
    lambda g, n: g.exponential(3, n),
    lambda g, n: g.standard_gamma(1.5, n, dtype="f4"),
    lambda g, n: g.standard_gamma(0.5, n, dtype="f4"),
]


@pytest.mark.parametrize("name", BLOCK_GENERATORS + ["SFC64"])
@pytest.mark.parametrize("call", STANDARD)
def test_standard_draws_in_blocks(name, call):
    compare(
        lambda: make_pair(name),
        [lambda g: call(g, LONG), take_half, lambda g: call(g, LONG), lambda g: call(g, (3, 20_001))],
    )


@pytest.mark.parametrize("n", [32_767, 32_768, 32_769, 65_535, 65_536, 65_537, 131_072, 300_001])
def test_sizes_at_the_edges_of_blocks(n):
    calls = [
        lambda g: g.standard_normal(n),
        take_half,
        lambda g: g.integers(0, 1000, n),
        lambda g: g.random(n),
        lambda g: g.random(n, dtype="f4"),
        lambda g: g.standard_exponential(n, dtype="f4"),
    ]
    compare(lambda: make_pair("PCG64"), calls, [2, 5])
    compare(lambda: make_pair("MT19937"), calls, [2, 5])


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("name", BLOCK_GENERATORS)
def test_integers_in_blocks(name, dtype):
    info = np.iinfo(dtype) if dtype != "?" else None
    least, most = (0, 1) if info is None else (int(info.min), int(info.max))
    ranges = [
        (0, most),
        (least, most),
        (1, 1),
        (0, most // 2),
        (least // 2, most // 3),
        (0, min(most, 100)),
        (0, min(most, 2**32)),
        (0, min(most, 3 * 2**31)),
        (0, min(most, 2**32 - 1)),
        (5 % (most + 1), most),
    ]
    calls = []
    for low, high in ranges:
        calls += [lambda g, low=low, high=high: g.integers(low, high, LONG, dtype=dtype, endpoint=True), take_half]
    calls.append(lambda g: g.integers(least, most, 7, dtype=dtype, endpoint=True))
    compare(lambda: make_pair(name), calls, [2, 7])


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8"])
@pytest.mark.parametrize("name", BLOCK_GENERATORS)
def test_legacy_integers_in_blocks(name, dtype):
    highs = [1] if dtype == "?" else [1, 2, 3, 100, 127, int(np.iinfo(dtype).max)]
    calls = [lambda g, high=high: g.randint(0, high, LONG, dtype=dtype) for high in highs]
    compare(lambda: make_pair(name, legacy=True), calls, [2, 7])


def test_raw_words_and_bytes_in_blocks():
    for name in BLOCK_GENERATORS:
        for count in (2, 3):
            _core.set_cpus(count)
            ours, theirs = getattr(tnp.random, name)(3), getattr(np.random, name)(3)
            for n in (LONG, 100_000):
                assert_same(ours.random_raw(n), theirs.random_raw(n))
                assert str(ours.state) == str(theirs.state)
            assert tnp.random.Generator(ours).bytes(200_003) == np.random.Generator(theirs).bytes(200_003)
            assert str(ours.state) == str(theirs.state)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_distributions_in_blocks(case):
    name, args = case
    call = lambda g: getattr(g, name)(*args, size=LONG)  # noqa: E731
    compare(lambda: make_pair("PCG64"), [call, take_half, call], [2, 3])
    compare(lambda: make_pair("MT19937"), [call], [3])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_legacy_distributions_in_blocks(case):
    name, args = case
    call = lambda g: getattr(g, name)(*args, size=20_001)  # noqa: E731
    compare(lambda: make_pair("MT19937", legacy=True), [call, lambda g: g.standard_normal(1), call], [2, 3])


def test_legacy_normals_keep_the_second_of_a_pair():
    for n in (LONG, LONG + 1):
        compare(
            lambda: make_pair("MT19937", legacy=True),
            [
                lambda g: g.standard_normal(n),
                lambda g: g.random_sample(n),
                lambda g: g.standard_normal(1),
                lambda g: g.normal(2, 3, n),
            ],
        )
    compare(
        lambda: make_pair("PCG64", legacy=True),
        [lambda g: g.standard_normal(LONG), lambda g: g.standard_exponential(LONG)],
    )


def test_vectors_in_blocks():
    for call in (
        lambda g: g.dirichlet([0.5, 1.0, 3.0], size=LONG),
        lambda g: g.multinomial(20, [0.2, 0.3, 0.5], size=LONG),
        lambda g: g.choice(1000, LONG),
        lambda g: g.choice(5, LONG, p=[0.1, 0.2, 0.3, 0.2, 0.2]),
        lambda g: g.permutation(LONG),
    ):
        compare(lambda: make_pair("PCG64"), [call], [2])


# What random programs are made of: long and short draws of every kind, and what reads or sets the state between them.
DRAWS = [
    lambda g, n: g.random(n),
    lambda g, n: g.random(n, dtype="f4"),
    lambda g, n: g.standard_normal(n),
    lambda g, n: g.standard_normal(n, dtype="f4"),
    lambda g, n: g.standard_exponential(n),
    lambda g, n: g.standard_exponential(n, dtype="f4"),
    lambda g, n: g.integers(0, 10**6, n),
    lambda g, n: g.integers(0, 2**40, n),
    lambda g, n: g.integers(0, 200, n, dtype="u1"),
    lambda g, n: g.integers(-5, 9000, n, dtype="i2"),
    lambda g, n: g.integers(0, 1, n, dtype="?", endpoint=True),
    lambda g, n: g.gamma(0.7, 2, n),
    lambda g, n: g.beta(0.5, 0.5, n),
    lambda g, n: g.poisson(4, n),
    lambda g, n: g.binomial(100, 0.4, n),
    lambda g, n: g.hypergeometric(15, 5, 8, n),
    lambda g, n: g.standard_gamma(2, n, dtype="f4"),
    lambda g, n: g.permutation(min(n, 100)),
    lambda g, n: g.vonmises(0, 2, n),
]
LEGACY_DRAWS = [
    lambda g, n: g.random_sample(n),
    lambda g, n: g.randn(n),
    lambda g, n: g.randint(0, 10**6, n),
    lambda g, n: g.randint(0, 200, n, dtype="u1"),
    lambda g, n: g.randint(0, 2**40, n),
    lambda g, n: g.gamma(0.7, 2, n),
    lambda g, n: g.chisquare(3, n),
    lambda g, n: g.poisson(20, n),
    lambda g, n: g.lognormal(0, 1, n),
    lambda g, n: g.wald(1, 2, n),
    lambda g, n: g.standard_cauchy(n),
    lambda g, n: g.exponential(2, n),
    lambda g, n: g.shuffle(list(range(9))),
]


def between_draws(step, g):
    """What a program does with its generator besides drawing; the generator it goes on with."""
    if isinstance(g, np.random.RandomState):
        if step == 0:
            g.set_state(g.get_state())
        elif step == 1:
            return pickle.loads(pickle.dumps(g))
        return g
    bits = g.bit_generator
    if step == 0:
        bits.state = bits.state
    elif step == 1:
        return pickle.loads(pickle.dumps(g))
    elif step == 2 and hasattr(bits, "advance"):
        bits.advance(12345)
    elif step == 3 and hasattr(bits, "jumped"):
        bits.state = bits.jumped().state
    elif step == 4:
        return copy.deepcopy(g)
    elif step == 5:
        return g.spawn(2)[1]
    return g


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("legacy", [False, True], ids=["generator", "legacy"])
def test_random_programs_of_draws(seed, legacy):
    chooser = random.Random(seed)
    name = "MT19937" if legacy else BLOCK_GENERATORS[seed % 4]
    ours, theirs = make_pair(name, seed, legacy)
    for _ in range(50):
        _core.set_cpus(chooser.randint(1, 7))
        draw = chooser.choice(LEGACY_DRAWS if legacy else DRAWS)
        n = chooser.choice([1, 2, 7, 1000, 9_000, 33_000, 40_001])
        got, wanted = draw(ours, n), draw(theirs, n)
        if wanted is not None:
            assert_same(got, wanted)
        step = chooser.randrange(9)
        ours, theirs = between_draws(step, ours), between_draws(step, theirs)
        assert state_of(ours) == state_of(theirs)


def test_two_generators_of_one_stream_take_turns():
    for name in BLOCK_GENERATORS:
        bits, alone = getattr(tnp.random, name)(9), np.random.Generator(getattr(np.random, name)(9))
        a, b, c = tnp.random.Generator(bits), tnp.random.Generator(bits), np.random.Generator(bits)
        for g in (a, b, c, b, a):
            assert_same(tnp.asarray(g.standard_normal(LONG)), alone.standard_normal(LONG))
            assert_same(tnp.asarray(g.random(LONG, dtype="f4")), alone.random(LONG, dtype="f4"))
        assert str(bits.state) == str(alone.bit_generator.state)


def test_threads_that_share_a_generator_draw_each_number_once():
    g, drawn = tnp.random.default_rng(5), []

    def draw():
        for _ in range(8):
            drawn.append(np.asarray(g.random(LONG)))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.random.default_rng(5).random(32 * LONG)
    np.testing.assert_array_equal(np.sort(np.concatenate(drawn)), np.sort(expected))


def test_module_functions_share_numpys_state_in_blocks():
    tnp.random.seed(8)
    for call in (lambda m: m.rand(LONG), lambda m: m.randint(0, 10**6, LONG), lambda m: m.rand(LONG)):
        np.random.set_state(state := tnp.random.get_state())
        theirs = call(np.random)
        tnp.random.set_state(state)
        assert_same(call(tnp.random), theirs)
        assert np.random.get_state()[2] == tnp.random.get_state()[2]
