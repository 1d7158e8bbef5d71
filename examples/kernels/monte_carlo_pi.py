"""Pi from random points: each thread has a generator of its own and adds its hits to one counter.

python examples/kernels/monte_carlo_pi.py
"""

import numpy

from tessera import cuda

MULTIPLIER, INCREMENT = numpy.uint32(1664525), numpy.uint32(1013904223)


@cuda.jit
def count_hits(hits, trials):
    state = numpy.uint32(cuda.grid(1) * 7919 + 12345)
    inside = 0
    for _ in range(trials):
        state = numpy.uint32(state * MULTIPLIER + INCREMENT)
        x = state / 2**32
        state = numpy.uint32(state * MULTIPLIER + INCREMENT)
        y = state / 2**32
        if x * x + y * y < 1:
            inside += 1
    cuda.atomic.add(hits, 0, inside)


hits = numpy.zeros(1, numpy.int64)
count_hits[16, 64](hits, 1000)
print("pi is about", 4 * hits[0] / (16 * 64 * 1000))
