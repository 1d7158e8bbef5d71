"""Random numbers in kernels: the generator xoroshiro128+ with a state for each thread, under numba.cuda's names.

`states = create_xoroshiro128p_states(threads, seed=1)` makes the states; in a kernel `xoroshiro128p_uniform_float32(states, cuda.grid(1))`
draws a number. Uniform numbers are Numba's to the bit; normal ones differ by at most 2 ulp, from the functions of math.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera import types
from tessera.cuda._arrays import device_array
from tessera.cuda._jit import jit as _kernel_jit
from tessera.functions.jit import jit as _host_jit

__all__ = [
    "create_xoroshiro128p_states",
    "init_xoroshiro128p_states",
    "xoroshiro128p_dtype",
    "xoroshiro128p_next",
    "xoroshiro128p_normal_float32",
    "xoroshiro128p_normal_float64",
    "xoroshiro128p_type",
    "xoroshiro128p_uniform_float32",
    "xoroshiro128p_uniform_float64",
]

xoroshiro128p_dtype = numpy.dtype([("s0", numpy.uint64), ("s1", numpy.uint64)], align=True)
xoroshiro128p_type = types.from_dtype(xoroshiro128p_dtype)

_UNIT = 2.0**-53
_TURN_32 = numpy.float32(2 * math.pi)


@_host_jit
def _fill(first, second, seed, start):
    """A state for each element, 2**64 steps apart; `start` of them are left out before the first."""
    # SplitMix64 makes the state of a seed.
    z = seed + numpy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    z = z ^ (z >> numpy.uint64(31))
    s0 = z
    s1 = z
    for place in range(-start, first.size):
        if place >= 0:
            first[place] = s0
            second[place] = s1
        t0 = numpy.uint64(0)
        t1 = numpy.uint64(0)
        for word in range(2):
            jump = numpy.uint64(0xBEAC0467EBA5FACB) if word == 0 else numpy.uint64(0xD86B048B86AA9922)
            for bit in range(64):
                if (jump >> numpy.uint64(bit)) & numpy.uint64(1) != numpy.uint64(0):
                    t0 ^= s0
                    t1 ^= s1
                s1 ^= s0
                s0 = ((s0 << numpy.uint64(55)) | (s0 >> numpy.uint64(9))) ^ s1 ^ (s1 << numpy.uint64(14))
                s1 = (s1 << numpy.uint64(36)) | (s1 >> numpy.uint64(28))
        s0 = t0
        s1 = t1


def init_xoroshiro128p_states(states: Any, seed: int, subsequence_start: int = 0, stream: Any = 0) -> None:
    """Stores the states of generators 2**64 steps apart, from the `subsequence_start`-th on, in an array of xoroshiro128p_dtype.

    >>> from tessera import cuda
    >>> from tessera.cuda.random import create_xoroshiro128p_states, init_xoroshiro128p_states, xoroshiro128p_dtype
    >>> states = cuda.device_array(2, xoroshiro128p_dtype)
    >>> init_xoroshiro128p_states(states, seed=1)
    >>> bool((states.copy_to_host() == create_xoroshiro128p_states(2, seed=1).copy_to_host()).all())
    True
    """
    host = numpy.empty(states.shape, xoroshiro128p_dtype)
    first, second = numpy.empty(states.shape, numpy.uint64), numpy.empty(states.shape, numpy.uint64)
    _fill(first, second, numpy.uint64(seed % 2**64), int(subsequence_start))
    host["s0"], host["s1"] = first, second
    states.copy_to_device(host, stream=stream)


def create_xoroshiro128p_states(n: int, seed: int, subsequence_start: int = 0, stream: Any = 0) -> Any:
    """The states of n generators in an array for kernels; see init_xoroshiro128p_states.

    >>> import numpy
    >>> from tessera import cuda
    >>> from tessera.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_uniform_float64(states, i)
    >>> out = numpy.empty(3)
    >>> draw.forall(3)(create_xoroshiro128p_states(3, seed=7), out)
    >>> out
    array([0.7796595 , 0.09631481, 0.97113137])
    """
    states = device_array(n, xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


@_kernel_jit(device=True)
def xoroshiro128p_next(states, index):
    """The next uint64 of a generator, which is moved on.

    >>> import numpy
    >>> from tessera import cuda
    >>> from tessera.cuda.random import create_xoroshiro128p_states, xoroshiro128p_next
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_next(states, i)
    >>> out = numpy.empty(3, "u8")
    >>> draw.forall(3)(create_xoroshiro128p_states(3, seed=7), out)
    >>> out
    array([14382179201784748974,  1776694608361580957, 17914211927874207265],
          dtype=uint64)
    """
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 ^= s0
    states[index]["s0"] = ((s0 << numpy.uint64(55)) | (s0 >> numpy.uint64(9))) ^ s1 ^ (s1 << numpy.uint64(14))
    states[index]["s1"] = (s1 << numpy.uint64(36)) | (s1 >> numpy.uint64(28))
    return result


@_kernel_jit(device=True)
def xoroshiro128p_uniform_float64(states, index):
    """A float64 between 0, included, and 1.

    >>> import numpy
    >>> from tessera import cuda
    >>> from tessera.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_uniform_float64(states, i)
    >>> out = numpy.empty(3, "f8")
    >>> draw.forall(3)(create_xoroshiro128p_states(3, seed=7), out)
    >>> out
    array([0.7796595 , 0.09631481, 0.97113137])
    """
    return numpy.float64(xoroshiro128p_next(states, index) >> numpy.uint64(11)) * _UNIT


@_kernel_jit(device=True)
def xoroshiro128p_uniform_float32(states, index):
    """A float32 from 0 to 1: a float64 rounded.

    >>> import numpy
    >>> from tessera import cuda
    >>> from tessera.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_uniform_float32(states, i)
    >>> out = numpy.empty(3, "f4")
    >>> draw.forall(3)(create_xoroshiro128p_states(3, seed=7), out)
    >>> out
    array([0.7796595 , 0.09631481, 0.9711314 ], dtype=float32)
    """
    return numpy.float32(xoroshiro128p_uniform_float64(states, index))


@_kernel_jit(device=True)
def xoroshiro128p_normal_float32(states, index):
    """A float32 of the standard normal distribution, from two steps of the generator.

    >>> import numpy
    >>> from tessera import cuda
    >>> from tessera.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float32
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_normal_float32(states, i)
    >>> out = numpy.empty(3, "f4")
    >>> draw.forall(3)(create_xoroshiro128p_states(3, seed=7), out)
    >>> out
    array([0.6197288 , 2.0382018 , 0.05266961], dtype=float32)
    """
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(numpy.float32(-2.0) * math.log(u1)) * math.cos(_TURN_32 * u2)


@_kernel_jit(device=True)
def xoroshiro128p_normal_float64(states, index):
    """A float64 of the standard normal distribution, from two steps of the generator.

    >>> import numpy
    >>> from tessera import cuda
    >>> from tessera.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_normal_float64(states, i)
    >>> out = numpy.empty(3, "f8")
    >>> draw.forall(3)(create_xoroshiro128p_states(3, seed=7), out)
    >>> out
    array([0.61972869, 2.03820189, 0.05266952])
    """
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-2.0 * math.log(u1)) * math.cos((2 * math.pi) * u2)
