"""cuda.random: xoroshiro128+, with a state for each thread."""

import math

import numpy as np
import pytest
from tessera.cuda import random

from tessera import cuda

MASK = 2**64 - 1
JUMP = 0xD86B048B86AA9922BEAC0467EBA5FACB


def rotated(x, k):
    return (x << k | x >> (64 - k)) & MASK


def step(s0, s1):
    s1 ^= s0
    return rotated(s0, 55) ^ s1 ^ (s1 << 14 & MASK), rotated(s1, 36)


def jumped(s0, s1):
    t0 = t1 = 0
    for bit in range(128):
        if JUMP >> bit & 1:
            t0, t1 = t0 ^ s0, t1 ^ s1
        s0, s1 = step(s0, s1)
    return t0, t1


def seeded(seed):
    z = (seed + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return (z ^ z >> 31,) * 2


class Generator:
    def __init__(self, state):
        self.state = state

    def unit(self):
        drawn = sum(self.state) & MASK
        self.state = step(*self.state)
        return (drawn >> 11) * 2.0**-53


@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
def test_states_are_2_to_the_64_steps_apart(seed):
    states = random.create_xoroshiro128p_states(5, seed).copy_to_host()
    expected = seeded(seed)
    for state in states:
        assert tuple(map(int, state)) == expected
        expected = jumped(*expected)
    later = random.create_xoroshiro128p_states(3, seed, subsequence_start=2).copy_to_host()
    np.testing.assert_array_equal(later, states[2:])


@cuda.jit
def draw(states, u32, u64, n32, n64):
    i = cuda.grid(1)
    if i < u32.shape[0]:
        for k in range(u32.shape[1]):
            u32[i, k] = random.xoroshiro128p_uniform_float32(states, i)
            u64[i, k] = random.xoroshiro128p_uniform_float64(states, i)
            n32[i, k] = random.xoroshiro128p_normal_float32(states, i)
            n64[i, k] = random.xoroshiro128p_normal_float64(states, i)


def test_numbers():
    threads, count = 7, 20
    states = random.create_xoroshiro128p_states(threads, 3)
    generators = [Generator(tuple(map(int, state))) for state in states.copy_to_host()]
    u32, n32 = np.zeros((2, threads, count), np.float32)
    u64, n64 = np.zeros((2, threads, count))
    draw[1, 32](states, u32, u64, n32, n64)
    for i, generator in enumerate(generators):
        for k in range(count):
            assert u32[i, k] == np.float32(generator.unit())
            assert u64[i, k] == generator.unit()
            first, second = np.float32(generator.unit()), np.float32(generator.unit())
            angle = float(np.float32(2 * math.pi) * second)
            expected = math.sqrt(-2 * math.log(first)) * math.cos(angle)
            assert abs(n32[i, k] - expected) < 1e-6 * max(1, abs(expected))
            first, second = np.float32(generator.unit()), np.float32(generator.unit())
            # As Numba's: the logarithm of a float32 is one.
            radius = math.sqrt(-2 * float(np.log(first)))
            expected = radius * math.cos(2 * math.pi * float(second))
            assert abs(n64[i, k] - expected) <= 2 * float(np.spacing(np.float32(radius)))
        assert tuple(map(int, states.copy_to_host()[i])) == generator.state
