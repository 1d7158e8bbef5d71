"""Arrays of random numbers, drawn one after another as NumPy's legacy functions draw them."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.intrinsic import Intrinsic
from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.conditions import is_none, is_number, is_size

_word = Intrinsic("builtins.numpy_word", "The next 32 bits of NumPy's global stream.")
_bit_length = Intrinsic("builtins.bit_length", "How many bits an integer has.")


def _are_parameters(size: Any, *parameters: Any) -> bool:
    return is_size(size) and all(one is None or is_number(one) for one in parameters)


@stands_for(
    "numpy.random.random",
    "numpy.random.random_sample",
    "numpy.random.ranf",
    "numpy.random.sample",
    alike=lambda size: is_size(size),
)
def random(size: Any) -> Any:
    result = numpy.empty(size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.random()
    return result


@stands_for("numpy.random.uniform", alike=lambda size, low, high: _are_parameters(size, low, high))
def uniform(size: Any, low: Any = 0.0, high: Any = 1.0) -> Any:
    result = numpy.empty(size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.uniform(low, high)
    return result


@stands_for("numpy.random.normal", alike=lambda size, loc, scale: _are_parameters(size, loc, scale))
def normal(size: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    if scale < 0:
        raise ValueError("scale < 0")
    result = numpy.empty(size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.normal(loc, scale)
    return result


@stands_for("numpy.random.standard_normal", alike=lambda size: is_size(size))
def standard_normal(size: Any) -> Any:
    return normal(size)


@stands_for("numpy.random.exponential", alike=lambda size, scale: _are_parameters(size, scale))
def exponential(size: Any, scale: Any = 1.0) -> Any:
    if scale < 0:
        raise ValueError("scale < 0")
    result = numpy.empty(size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.exponential(scale)
    return result


@stands_for("numpy.random.standard_exponential", alike=lambda size: is_size(size))
def standard_exponential(size: Any) -> Any:
    return exponential(size)


@in_language
def _up_to(most: Any) -> Any:
    """An integer from 0 on, by as few bits as the greatest one has, until they are no more than that."""
    bits = _bit_length(most)
    if bits <= 32:
        mask = (1 << bits) - 1
        value = _word() & mask
        while value > most:
            value = _word() & mask
        return value
    mask = numpy.uint64(0xFFFFFFFFFFFFFFFF) >> numpy.uint64(64 - bits)
    while True:
        high, low = _word(), _word()
        wide = (numpy.uint64(high) << numpy.uint64(32) | numpy.uint64(low)) & mask
        if wide <= numpy.uint64(most):
            return numpy.int64(wide)


def _are_whole(low: Any, high: Any, size: Any) -> bool:
    return low.is_whole() and (is_none(high) or high.is_whole()) and (is_none(size) or is_size(size))


@stands_for("numpy.random.randint", alike=_are_whole)
def randint(low: Any, high: Any = None, size: Any = None) -> Any:
    if high is None:
        if low <= 0:
            raise ValueError("high <= 0")
        return _drawn(0, low - 1, size)
    if low >= high:
        raise ValueError("low >= high")
    return _drawn(low, high - 1 - low, size)


@in_language
def _drawn(low: Any, most: Any, size: Any) -> Any:
    """Integers from `low` on."""
    if size is None:
        return numpy.int64(low) + (_up_to(most) if most != 0 else 0)
    result = numpy.empty(size, numpy.int64)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = low + (_up_to(most) if most != 0 else 0)
    return result


@stands_for("numpy.random.rand", alike=lambda d0, d1: is_number(d0, "i8") and (d1 is None or is_number(d1, "i8")))
def rand(d0: Any, d1: Any = None) -> Any:
    return random(d0) if d1 is None else random((d0, d1))


@stands_for("numpy.random.randn", alike=lambda d0, d1: is_number(d0, "i8") and (d1 is None or is_number(d1, "i8")))
def randn(d0: Any, d1: Any = None) -> Any:
    return normal(d0) if d1 is None else normal((d0, d1))
