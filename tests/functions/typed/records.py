"""Records: fields are arrays."""

import numpy

from tessera import cuda, types

PARTICLE = types.from_dtype(numpy.dtype([("mass", "f4"), ("at", "f8", 3)]))


@cuda.jit((PARTICLE[:], types.float32))
def function(particles, g):
    i = cuda.grid(1)
    one = particles[i]
    one.at[0] += one["mass"] * g
    particles[i].mass = one.at[1] + 1j.real


# prints
# function(particles: 1d array of records(mass: array(float32, 1d), at: array(float64, 2d)), g: float32) -> None
#   i: int64
#   one: record(mass: array(float32, 0d), at: array(float64, 1d))
#   i = cuda.grid(1)
#       cuda.grid(1): int64
#   one = particles[i]
#       particles[i]: record(mass: array(float32, 0d), at: array(float64, 1d))
#   one.at[0] += one["mass"] * g
#       one.at: array(float64, 1d)
#       one["mass"] * g: float32
#         one["mass"]: float32
#   particles[i].mass = one.at[1] + 1j.real
#       particles[i]: record(mass: array(float32, 0d), at: array(float64, 1d))
#       one.at[1] + 1j.real: float64
#         one.at[1]: float64
#           one.at: array(float64, 1d)
#         1j.real: float64
