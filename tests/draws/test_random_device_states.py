"""States of generators whose numbers a device draws: pairs of normals, draws that wait, counters that carry, forks."""

import os
import random

import numpy as np
import pytest
import tessera.numpy as tnp
from random_bits import assert_same
from test_random_blocks import between_draws, make_pair, state_of, take_half

import tessera
from tessera import _core

LONG = 40_003
GENERATORS = ["PCG64", "PCG64DXSM", "Philox", "MT19937"]


@pytest.fixture(autouse=True)
def on_device():
    with tessera.device("simulated"):
        yield


def same_draws(pair, calls):
    ours, theirs = pair
    for call in calls:
        assert_same(call(ours), call(theirs))
        assert state_of(ours) == state_of(theirs)


@pytest.mark.parametrize("name", GENERATORS)
def test_normals_of_pairs(name):
    calls = [
        lambda g: g.randn(LONG),
        lambda g: g.normal(3, 2, LONG),  # begins with the normal that the odd number before left
        lambda g: g.randn(3),
        lambda g: g.standard_normal(LONG),
        lambda g: g.random_sample(LONG),
        lambda g: g.normal(-1, 0.5, (3, 20_001)),
        lambda g: g.randn(2, 17, 1000),
        lambda g: g.standard_gamma(2, 10),
    ]
    same_draws(make_pair(name, 5, legacy=True), calls)


@pytest.mark.parametrize("n", [32_768, 32_769, 36_864, 36_865, 65_536, 65_537])
def test_sizes_of_pairs_at_the_edges_of_blocks(n):
    calls = [lambda g: g.randn(n), lambda g: g.randn(n + 1), lambda g: g.randn(n), lambda g: g.randn()]
    same_draws(make_pair("MT19937", n, legacy=True), calls)


def test_normals_of_pairs_stay_on_the_device():
    drawn = tnp.random.RandomState(1).randn(LONG)
    assert tessera.layout(drawn) == {"simulated": drawn.nbytes}


def test_logarithms_that_the_host_computes():
    # Of a million some thirty thousand are too near the middle between two doubles.
    same_draws(make_pair("MT19937", 7, legacy=True), [lambda g: g.randn(1_000_003), lambda g: g.normal(5, 1e-3, LONG)])


@pytest.mark.parametrize("name", GENERATORS[:3])
def test_the_state_is_known_before_numbers_are_drawn(name):
    ours, theirs = make_pair(name, 3)
    g = tnp.random.Generator(getattr(tnp.random, name)(3))
    g.random(LONG).sum()  # everything is compiled
    launches = _core.counters()["device_launches"]
    draws = []
    for draw in (
        lambda g: g.random(LONG),
        take_half,
        lambda g: g.random(LONG, dtype="f4"),
        lambda g: g.random(LONG + 1, dtype="f4"),
        lambda g: g.uniform(2, 3, LONG),
    ):
        draws.append((draw(ours), draw(theirs)))
        assert state_of(ours) == state_of(theirs)
    assert _core.counters()["device_launches"] == launches
    for got, wanted in reversed(draws):
        assert_same(got, wanted)


def test_draws_that_nothing_reads_move_the_state():
    ours, theirs = make_pair("PCG64", 4)
    for g in (ours, theirs):
        g.random(LONG)
        g.random(LONG, dtype="f4")
    same_draws((ours, theirs), [lambda g: g.standard_normal(LONG)])


def test_draws_without_memory_leave_the_state():
    for draw in (lambda g: g.random(2**45), lambda g: g.uniform(1, 2, 2**45), lambda g: g.random((2**40, 2**40))):
        ours, theirs = make_pair("PCG64", 4)
        for g in (ours, theirs):
            with pytest.raises((MemoryError, ValueError)):
                draw(g)
        assert state_of(ours) == state_of(theirs)


def test_draws_that_no_memory_has_room_for_fail_at_the_call():
    tessera.synchronize()
    limits = {"cpu": _core.memory_statistics("cpu")["bytes_in_use"] + 3_000_000, "simulated": 2_000_000}
    ours, theirs = make_pair("Philox", 4)
    for where, nbytes in limits.items():
        tessera.set_memory_limit(nbytes, where)
    try:
        for draw in (
            lambda g: g.random(500_000),
            lambda g: g.uniform(1, 2, (1000, 500)),
            lambda g: g.random(10**6, dtype="f4"),
        ):
            with pytest.raises(MemoryError):
                draw(ours)
            assert state_of(ours) == state_of(theirs)
        fits = ours.random(200_000)
        assert state_of(ours) != state_of(theirs)
    finally:
        for where in limits:
            tessera.set_memory_limit(0, where)
    assert_same(fits, theirs.random(200_000))


@pytest.mark.parametrize("shape", [(2**62, 4), (2**32, 2**32), (2**61,), (2**40, 0, 2**40)])
def test_shapes_beyond_all_counts_are_refused_as_numpy_does(shape):
    ours, theirs = make_pair("PCG64", 4)
    said = []
    for g in (ours, theirs):
        try:
            said.append(g.random(shape).shape)
        except (MemoryError, ValueError) as error:
            said.append(type(error))
    assert said[0] == said[1] or {said[0], said[1]} <= {MemoryError, ValueError}
    assert state_of(ours) == state_of(theirs)


@pytest.mark.parametrize("name", GENERATORS[:3])
@pytest.mark.parametrize("before", [2**32, 2**33, 2**64, 2**66])
def test_counters_beyond_32_and_64_bits(name, before):
    def begin():
        pair = make_pair(name, 6)
        for g in pair:
            # Philox counts four words at a time.
            g.bit_generator.advance(before - 20_000 if name != "Philox" else before // 4 - 5_000)
        return pair

    same_draws(
        begin(),
        [
            lambda g: g.random(LONG),
            lambda g: g.standard_normal(LONG),
            lambda g: g.random(LONG, dtype="f4"),
            lambda g: g.integers(0, 1000, LONG),
        ],
    )
    same_draws(begin(), [lambda g: g.standard_exponential(LONG, dtype="f4"), lambda g: g.integers(0, 2**40, LONG)])


def drawn_in_child(draw):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(write, np.asarray(draw())[-1000:].tobytes())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return np.frombuffer(told)


@pytest.mark.parametrize("legacy", [False, True], ids=["generator", "legacy"])
def test_both_sides_of_a_fork_continue_the_stream(legacy):
    ours, theirs = make_pair("MT19937" if legacy else "PCG64", 8, legacy)
    for draw in (
        lambda g: g.uniform(0, 1, LONG),
        lambda g: g.normal(0, 1, LONG),
        lambda g: g.uniform(0, 2, LONG),
        lambda g: g.normal(3, 2, 100),
    ):
        with tessera.device("cpu"):
            in_child = drawn_in_child(lambda draw=draw: draw(ours))
        wanted = draw(theirs)
        assert np.array_equal(in_child, wanted[-1000:])
        assert_same(draw(ours), wanted)
        assert state_of(ours) == state_of(theirs)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_of_pairs(seed):
    chooser = random.Random(seed)
    ours, theirs = make_pair(chooser.choice(GENERATORS), seed, legacy=True)
    for _ in range(30):
        draw = chooser.choice(
            [
                lambda g, n: g.randn(n),
                lambda g, n: g.normal(1, 3, n),
                lambda g, n: g.random_sample(n),
                lambda g, n: g.randint(0, 999, n),
                lambda g, n: g.exponential(2, n),
            ]
        )
        n = chooser.choice([1, 2, 999, 33_000, 33_001])
        assert_same(draw(ours, n), draw(theirs, n))
        ours, theirs = (between_draws(1 if chooser.random() < 0.2 else 9, g) for g in (ours, theirs))
        assert state_of(ours) == state_of(theirs)
