"""A Monte Carlo estimate by cuda.random: how far walkers of unit steps are from where they began.

python examples/kernels/random_walks.py
"""

import math

import numpy
from tessera.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64

from tessera import cuda

STEPS = 400


@cuda.jit
def walk(states, distances):
    i = cuda.grid(1)
    if i < distances.size:
        x = y = 0.0
        for _ in range(STEPS):
            angle = 2 * math.pi * xoroshiro128p_uniform_float64(states, i)
            x += math.cos(angle)
            y += math.sin(angle)
        distances[i] = x * x + y * y


walkers = 8192
states = create_xoroshiro128p_states(walkers, seed=1)
distances = cuda.device_array(walkers, numpy.float64)
walk.forall(walkers)(states, distances)
print("mean square distance:", float(distances.mean()), " expected:", STEPS)
