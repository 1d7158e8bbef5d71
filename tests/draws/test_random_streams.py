"""Streams that several generators, modules and threads share: NumPy's generators and ours take turns."""

import pickle
import threading

import numpy as np
import tessera.numpy as tnp
from random_bits import assert_same


def test_module_functions_share_one_legacy_stream():
    calls = [
        lambda m: m.rand(3, 2),
        lambda m: m.randn(5),
        lambda m: m.randint(0, 10, 7),
        lambda m: m.random_sample(3),
        lambda m: m.uniform(1, 2, 4),
        lambda m: m.normal(0, 2, 3),
        lambda m: m.choice(5, 3),
        lambda m: m.permutation(6),
        lambda m: m.random((2, 2)),
        lambda m: m.standard_normal(3),
        lambda m: m.rand(),
        lambda m: m.randint(5),
        lambda m: m.exponential(size=2),
        lambda m: m.ranf(2),
        lambda m: m.sample(2),
    ]

    def drawn(m, seed):
        m.seed(seed)
        return [call(m) for call in calls]

    for seed in (11, [1, 2, 3], 2**32 - 1):
        for ours, theirs in zip(drawn(tnp.random, seed), drawn(np.random, seed)):
            assert_same(ours, theirs)
    state = np.random.get_state()
    theirs = np.random.randn(3)
    tnp.random.set_state(state)
    assert_same(tnp.random.randn(3), theirs)


def test_generators_mix_with_numpys():
    ours, theirs = tnp.random.PCG64(9), np.random.PCG64(9)
    assert np.random.Generator(ours).normal() == np.random.Generator(theirs).normal()
    assert_same(tnp.random.Generator(theirs).normal(size=5), np.random.Generator(ours).normal(size=5))
    assert isinstance(tnp.random.default_rng(1), np.random.Generator)
    assert isinstance(tnp.random.RandomState(1), np.random.RandomState)
    assert tnp.random.default_rng(1).bytes(11) == np.random.default_rng(1).bytes(11)
    assert tnp.random.RandomState(1).bytes(11) == np.random.RandomState(1).bytes(11)
    again = pickle.loads(pickle.dumps(tnp.random.default_rng(4)))
    assert again.random() == np.random.default_rng(4).random()


def test_numpys_own_module_functions_draw_from_the_same_stream():
    def draws(a, b):
        a.random.seed(5)
        return [
            *a.random.random_sample(3),
            *b.random.standard_normal(2),
            *a.random.randint(0, 9, 2),
            *b.random.rand(700),
            a.random.rand(),
        ]

    expected = draws(np, np)
    assert draws(tnp, np) == expected
    assert draws(np, tnp) == expected
    state = tnp.random.get_state()
    drawn = np.random.rand()
    tnp.random.set_state(state)
    assert tnp.random.rand() == drawn
    tnp.random.seed()
    assert np.random.get_state()[1].tolist() == tnp.random.get_state()[1].tolist()


def test_a_copy_of_the_modules_generator_has_a_stream_of_its_own():
    tnp.random.seed(5)
    copy = pickle.loads(pickle.dumps(tnp.random.mtrand._rand))
    drawn = copy.rand()
    assert tnp.random.rand() == drawn


def test_threads_that_draw_from_numpys_stream_and_ours_take_turns():
    size, rounds, drawn = 100_000, 12, []

    def draw(module):
        drawn.extend(np.asarray(module.random.rand(size)) for _ in range(rounds))

    np.random.seed(4)
    threads = [threading.Thread(target=draw, args=(module,)) for module in (np, tnp)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.random.seed(4)
    assert np.array_equal(np.sort(np.concatenate(drawn)), np.sort(np.random.rand(2 * rounds * size)))


def test_numpys_generator_and_ours_take_turns_over_one_bit_generator():
    bits, alone = tnp.random.PCG64(5), np.random.PCG64(5)
    ours, theirs = tnp.random.Generator(bits), np.random.Generator(bits)
    drawn, errors = [], []

    def draw(generator):
        try:
            for _ in range(40):
                drawn.append(np.asarray(generator.random(20_000)))
        except Exception as error:  # pragma: no cover
            errors.append(error)

    threads = [threading.Thread(target=draw, args=(g,)) for g in (ours, theirs, ours)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.random.Generator(alone).random(120 * 20_000)
    assert not errors
    np.testing.assert_array_equal(np.sort(np.concatenate(drawn)), np.sort(expected))


def test_another_bit_generator_behind_the_module_functions():
    before = np.random.get_bit_generator()
    own = tnp.random.get_bit_generator()
    try:
        tnp.random.set_bit_generator(tnp.random.PCG64(3))
        ours = tnp.random.rand(4)
        tnp.random.seed(3)
        assert (tnp.random.rand(4) == ours).all() and tnp.random.get_state(legacy=False)["bit_generator"] == "PCG64"
        tnp.random.seed(3)
        assert (np.random.rand(4) == np.asarray(ours)).all()  # libraries draw from the same stream
    finally:
        tnp.random.set_bit_generator(own)
        np.random.set_bit_generator(before)
