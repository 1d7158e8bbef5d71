"""Generators that draw by index: what each number is made of."""

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import _core


def test_index_generators_depend_on_seed_and_index_alone():
    g = tnp.random.index_generator(5)
    for draw in (
        lambda n, start: g.uniform(n, start),
        lambda n, start: g.normal(n, start),
        lambda n, start: g.uniform(n, start, dtype="f4"),
        lambda n, start: g.integers(-3, 9, n, start),
        lambda n, start: g.integers(-3, 3 * 2**61, n, start),
    ):
        whole = np.asarray(draw(100_001, 0))
        for start, count in [(0, 7), (3, 10), (50_001, 50_000)]:
            np.testing.assert_array_equal(draw(count, start), whole[start : start + count])
    uniform, normal = np.asarray(g.uniform((300, 400))), np.asarray(g.normal(120_000))
    assert uniform.shape == (300, 400) and 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.01
    assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02
    integers = np.asarray(g.integers(-3, 9, 10_000))
    assert integers.min() == -3 and integers.max() == 8
    assert not np.array_equal(tnp.random.index_generator(6).uniform(5), g.uniform(5))
    with pytest.raises(ValueError, match="low < high"):
        g.integers(3, 3, 1)


def philox(counter, key, factors, steps, bits):
    """Ten rounds of Salmon's generator in Python's integers."""
    mask, (c0, c1, c2, c3), (k0, k1) = 2**bits - 1, counter, key
    for _ in range(10):
        x, y = factors[0] * c0, factors[1] * c2
        c0, c1, c2, c3 = (y >> bits) ^ c1 ^ k0, y & mask, (x >> bits) ^ c3 ^ k1, x & mask
        k0, k1 = (k0 + steps[0]) & mask, (k1 + steps[1]) & mask
    return c0, c1, c2, c3


def index_words(seed, kind, blocks):
    """Four 32-bit words a block, which differ by what is drawn."""
    low, words = 2**32 - 1, [int(w) for w in np.random.SeedSequence(seed).generate_state(2, np.uint64)]
    key, rest = (words[0] & low, words[0] >> 32), (words[1] & low ^ kind, words[1] >> 32)
    return [
        w
        for k in range(blocks)
        for w in philox((k, 0, *rest), key, (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85), 32)
    ]


def test_integers_of_a_long_range_are_as_likely():
    thirds = np.asarray(tnp.random.index_generator(3).integers(0, 3 * 2**61, 300_000)) % 3
    np.testing.assert_allclose(np.bincount(thirds), 100_000, atol=1500)


def test_index_generators_draw_from_philox_blocks():
    narrow, pairs = index_words(5, 0, 3), index_words(5, 2, 6)
    wide = [low | high << 32 for low, high in zip(pairs[::2], pairs[1::2])]
    g = tnp.random.index_generator(5)
    np.testing.assert_array_equal(g.uniform(12), [(w >> 11) * 2.0**-53 for w in wide])
    np.testing.assert_array_equal(g.uniform(12, dtype="f4"), np.array([(w >> 8) * 2.0**-24 for w in narrow], "f4"))
    np.testing.assert_array_equal(g.integers(-7, 10**6, 12), [-7 + (w * (10**6 + 7) >> 64) for w in wide])
    further = index_words(5, 6, 6)
    long = [w << 64 | low | high << 32 for w, low, high in zip(wide, further[::2], further[1::2])]
    for low, high in ((0, 3 * 2**61), (-(2**63), 2**63 - 1), (-5, 2**32)):
        np.testing.assert_array_equal(g.integers(low, high, 12), [low + (w * (high - low) >> 128) for w in long])
    np.testing.assert_array_equal(
        g.integers(-(2**63), 2**63, 12), [w - 2**63 if w < 2**63 else w - 2**63 for w in wide]
    )


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_index_normals_are_a_radius_and_a_direction(dtype):
    words = np.array(index_words(5, 1 if dtype == "f4" else 3, 100), np.uint64)
    bits, fraction = (32, 23) if dtype == "f4" else (64, 52)
    if bits == 64:
        words = words[::2] | words[1::2] << np.uint64(32)
    first, second = words[::2], words[1::2]
    low = np.uint64(2**fraction - 1)
    u = (first + 0.5) / 2.0**32 if bits == 32 else ((first & low) + 0.5) / 2.0**fraction
    eighth = np.pi / 2 * ((second & low) / 2.0**fraction - 0.5)
    radius = np.sqrt(-2 * np.log(u)) * (1 - 2.0 * (second >> np.uint64(bits - 1)))
    swapped = (second >> np.uint64(bits - 2)) % np.uint64(2) == 1
    pairs = np.where(swapped, np.sin(eighth), np.cos(eighth)), np.where(swapped, np.cos(eighth), np.sin(eighth))
    expected = np.stack([radius * part for part in pairs], axis=1).reshape(-1)
    # The first of a pair is the sine where the direction is swapped.
    drawn = np.asarray(tnp.random.index_generator(5).normal(len(expected), dtype=dtype)).astype("f8")
    np.testing.assert_allclose(
        drawn, expected, rtol=1e-6 if dtype == "f4" else 4e-15, atol=1e-7 if dtype == "f4" else 1e-15
    )


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_index_normals_are_normal(dtype):
    from scipy import stats

    numbers = np.asarray(tnp.random.index_generator(11).normal(2_000_000, dtype=dtype)).astype("f8")
    assert stats.kstest(numbers[:400_000], "norm").pvalue > 1e-3
    assert abs(np.corrcoef(numbers[::2], numbers[1::2])[0, 1]) < 0.01
    assert abs((numbers**4).mean() - 3) < 0.05 and abs((np.abs(numbers) > 3).mean() - 0.0026998) < 3e-4


@pytest.mark.parametrize("dtype", [-(2**62), -1, 3, 99, 2**40])
def test_numbers_that_name_no_dtype_are_refused(dtype):
    for kind in range(4):
        with pytest.raises(TypeError, match="no numbers of dtype"):
            _core.call_routine("index_draw", kind, dtype, 1, 2, 0, 0, 10, [5])
    with pytest.raises(TypeError, match="dtype"):
        _core.call_routine("stream_draw", np.zeros(6, "u8"), 0, 0, dtype, False, 0, 0, [5])
