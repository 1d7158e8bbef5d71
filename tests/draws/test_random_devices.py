"""Long seeded draws on a device: NumPy's numbers and state, and what may happen between them."""

import random
import threading

import numpy as np
import pytest
import tessera.numpy as tnp
from hypothesis import given, settings
from hypothesis import strategies as st
from random_bits import assert_same
from test_random_blocks import DRAWS, LEGACY_DRAWS, between_draws, make_pair, state_of, take_half

import tessera

GENERATORS = ["PCG64", "PCG64DXSM", "Philox", "MT19937"]
LONG = 40_003

CALLS = [
    lambda g, n: g.random(n),
    lambda g, n: g.random(n, dtype="f4"),
    lambda g, n: g.uniform(-1, 5, n),
    lambda g, n: g.standard_normal(n),
    lambda g, n: g.standard_normal(n, dtype="f4"),
    lambda g, n: g.normal(3, 2, n),
    lambda g, n: g.normal(size=n),
    lambda g, n: g.standard_exponential(n),
    lambda g, n: g.standard_exponential(n, dtype="f4"),
    lambda g, n: g.exponential(3, n),
    lambda g, n: g.integers(0, 10**6, n),
    lambda g, n: g.integers(-7, 3 * 2**30, n),
    lambda g, n: g.integers(0, 2**32, n),
    lambda g, n: g.integers(5, 2**62 * 3, n, dtype="u8"),
    lambda g, n: g.integers(0, 2**64, n, dtype="u8"),
    lambda g, n: g.integers(-(2**63), 2**63, n),
    lambda g, n: g.integers(-9, 2**30 * 3 // 2, n, dtype="i4"),
    lambda g, n: g.integers(0, 2**32, n, dtype="u4"),
    lambda g, n: g.integers(3, 4, n),
    lambda g, n: g.integers(0, 200, n, dtype="u1"),
]


@pytest.fixture(autouse=True)
def on_device():
    with tessera.device("simulated"):
        yield


def same_draws(make, calls):
    ours, theirs = make()
    for call in calls:
        assert_same(call(ours), call(theirs))
        assert state_of(ours) == state_of(theirs)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("call", range(len(CALLS)))
def test_draws_and_states(name, call):
    draw = CALLS[call]
    calls = [lambda g: draw(g, LONG), take_half, lambda g: draw(g, LONG), lambda g: draw(g, (3, 20_001))]
    same_draws(lambda: make_pair(name), calls)


@pytest.mark.parametrize("n", [32_768, 36_863, 36_864, 36_865, 40_960, 65_535, 65_536, 65_537, 262_144])
def test_sizes_at_the_edges_of_blocks(n):
    calls = [
        lambda g: g.random(n),
        lambda g: g.random(n, dtype="f4"),
        take_half,
        lambda g: g.random(n, dtype="f4"),
        lambda g: g.integers(0, 1000, n),
        lambda g: g.integers(0, 2**40, n),
        take_half,
        lambda g: g.standard_normal(n, dtype="f4"),
        lambda g: g.standard_exponential(n),
    ]
    for name in GENERATORS:
        same_draws(lambda name=name: make_pair(name, n), calls)


@pytest.mark.parametrize("name", GENERATORS)
def test_draws_that_the_host_decides(name):
    # Of a million draws of float32 some come so near a density that only the host's exp tells whether they are taken.
    same_draws(
        lambda: make_pair(name, 3),
        [lambda g: g.standard_exponential(1_000_003, dtype="f4"), lambda g: g.standard_normal(1_000_003, dtype="f4")],
    )


@pytest.mark.parametrize("n", [3, 311, 312, 313, 624])
def test_the_twister_jumps(n):
    # From every part of its state, over segments and their ends.
    calls = [
        lambda g: g.random_sample(n),
        lambda g: g.random_sample(1_000_003),
        lambda g: g.randint(0, 10**6, LONG),
        lambda g: g.randint(0, 2**40, LONG + n),
        lambda g: g.randint(-5, 2**31 - 6, 16_384 * 5 - n, dtype="i4"),
        lambda g: g.uniform(-1, 3, 8_192 * 5),
        lambda g: g.randn(LONG),
    ]
    same_draws(lambda: make_pair("MT19937", n, legacy=True), calls)


def test_states_that_draws_do_not_leave():
    ours, theirs = make_pair("MT19937", legacy=True)
    for g in (ours, theirs):
        name, key, *rest = g.get_state()
        g.set_state((name, key, 0, *rest[1:]))  # the first word, of which only a bit counts otherwise, is next
    same_draws(lambda: (ours, theirs), [lambda g: g.random_sample(LONG), lambda g: g.random_sample(LONG)])


def test_any_words_may_be_left_of_philox():
    for taken in range(9):
        calls = [lambda g: g.random(taken), take_half, lambda g: g.random(LONG), lambda g: g.normal(0, 3, LONG)]
        same_draws(lambda: make_pair("Philox", taken), calls)
    ours, theirs = make_pair("Philox")
    for g in (ours, theirs):
        g.random(2)
        state = g.bit_generator.state
        state["buffer"] = np.arange(4, dtype=np.uint64)  # not the counter's
        g.bit_generator.state = state
    same_draws(lambda: (ours, theirs), [lambda g: g.random(LONG), lambda g: g.standard_normal(LONG)])


def test_counters_carry():
    ours, theirs = make_pair("Philox")
    for g in (ours, theirs):
        state = g.bit_generator.state
        state["state"]["counter"] = np.array([2**64 - 100, 2**64 - 1, 5, 0], np.uint64)
        g.bit_generator.state = state
    same_draws(lambda: (ours, theirs), [lambda g: g.random(LONG)])


def test_numbers_stay_on_the_device():
    g = tnp.random.default_rng(1)
    with tessera.copy_guard(to_device="error", from_device="error"):
        z = g.standard_normal(1_000_000)
        assert tessera.layout(z) == {"simulated": z.nbytes}
        pay = tnp.maximum(100 * tnp.exp(-0.02 + 0.2 * z) - 100, 0).mean()
        z = g.integers(0, 100, 1_000_000) + g.random(1_000_000)
    for drawn in (tnp.random.RandomState(1).random_sample(LONG), tnp.random.RandomState(1).randint(0, 9, LONG)):
        assert tessera.layout(drawn) == {"simulated": drawn.nbytes}
    z = np.random.default_rng(1).standard_normal(1_000_000)
    assert abs(float(pay) - np.maximum(100 * np.exp(-0.02 + 0.2 * z) - 100, 0).mean()) < 1e-10


@given(st.integers(0, 2**32), st.sampled_from(GENERATORS))
@settings(deadline=None, max_examples=12)
def test_random_programs_of_draws(seed, name):
    chooser = random.Random(seed)
    ours, theirs = make_pair(name, seed)
    for _ in range(50):
        draw = chooser.choice(DRAWS + CALLS)
        n = chooser.choice([1, 2, 7, 1000, 32_768, 33_000, 40_001])
        assert_same(draw(ours, n), draw(theirs, n))
        step = chooser.randrange(9)
        ours, theirs = between_draws(step, ours), between_draws(step, theirs)
        if chooser.random() < 0.3:
            assert state_of(ours) == state_of(theirs)
    assert state_of(ours) == state_of(theirs)


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_of_legacy_draws(seed):
    chooser = random.Random(seed)
    ours, theirs = make_pair("MT19937" if seed else "PCG64", seed, legacy=True)
    for _ in range(30):
        draw, n = chooser.choice(LEGACY_DRAWS), chooser.choice([1, 1000, 33_000, 40_001])
        got, wanted = draw(ours, n), draw(theirs, n)
        if wanted is not None:
            assert_same(got, wanted)
        step = chooser.randrange(4)
        ours, theirs = between_draws(step, ours), between_draws(step, theirs)
        assert state_of(ours) == state_of(theirs)


def test_two_generators_of_one_stream_take_turns():
    for name in GENERATORS:
        bits, alone = getattr(tnp.random, name)(9), np.random.Generator(getattr(np.random, name)(9))
        a, b, c = tnp.random.Generator(bits), tnp.random.Generator(bits), np.random.Generator(bits)
        for g in (a, b, c, b, a):
            assert_same(tnp.asarray(g.standard_normal(LONG)), alone.standard_normal(LONG))
            assert_same(tnp.asarray(g.random(LONG, dtype="f4")), alone.random(LONG, dtype="f4"))
        assert str(bits.state) == str(alone.bit_generator.state)


def test_threads_that_share_a_generator_draw_each_number_once():
    g, drawn = tnp.random.default_rng(5), []

    def draw():
        with tessera.device("simulated"):
            for _ in range(4):
                drawn.append(np.asarray(g.random(LONG)))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.random.default_rng(5).random(16 * LONG)
    assert np.array_equal(np.sort(np.concatenate(drawn)), np.sort(expected))
