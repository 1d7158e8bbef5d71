"""Random numbers under PyCUDA's names, by tessera's generators, which give the same numbers on every device."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.numpy import random
from tessera.pycuda.gpuarray import GPUArray


def rand(shape: Any, dtype: Any = numpy.float32, stream: Any = None) -> Any:
    """Uniform numbers from 0 to 1; of int32 and uint32 all values."""
    dtype = numpy.dtype(dtype)
    generator = random.default_rng()
    if dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True).view(GPUArray)
    return generator.random(shape, dtype=dtype).view(GPUArray)


def get_curand_version() -> None:
    """None: the numbers are not cuRAND's."""
    return None


def seed_getter_uniform(count: int) -> Any:
    return rand((count,), numpy.int32)


seed_getter_unique = seed_getter_uniform


class XORWOWRandomNumberGenerator:
    """A generator of PyCUDA's name; its numbers are those of tessera's default generator."""

    def __init__(self, seed_getter: Any = None, offset: int = 0) -> None:
        if offset:
            raise NotImplementedError("offset=: give a seed of its own to each generator")
        self._generator = random.default_rng(None if seed_getter is None else numpy.asarray(seed_getter(1)).tolist())

    def gen_uniform(self, shape: Any, dtype: Any, stream: Any = None) -> Any:
        return self._generator.random(shape, dtype=numpy.dtype(dtype)).view(GPUArray)

    def gen_normal(self, shape: Any, dtype: Any, stream: Any = None) -> Any:
        return self._generator.standard_normal(shape, dtype=numpy.dtype(dtype)).view(GPUArray)

    def fill_uniform(self, data: Any, stream: Any = None) -> None:
        data[...] = self.gen_uniform(data.shape, data.dtype)

    def fill_normal(self, data: Any, stream: Any = None) -> None:
        data[...] = self.gen_normal(data.shape, data.dtype)


XORWOWGenerator = XORWOWRandomNumberGenerator
