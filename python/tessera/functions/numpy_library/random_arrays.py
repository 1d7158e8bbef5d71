"""Arrays of random numbers, drawn one after another as NumPy's legacy functions draw them."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import has_host, on_host, stands_for
from tessera.functions.numpy_library.conditions import is_number, is_size

_MOST = 256  # numbers; more of them NumPy draws quicker
_random, _uniform, _normal = on_host(numpy.random.random), on_host(numpy.random.uniform), on_host(numpy.random.normal)
_exponential, _randint = on_host(numpy.random.exponential), on_host(numpy.random.randint)


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
    if has_host() and result.size > _MOST:
        return _random(size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.random()
    return result


@stands_for("numpy.random.uniform", alike=lambda size, low, high: _are_parameters(size, low, high))
def uniform(size: Any, low: Any = 0.0, high: Any = 1.0) -> Any:
    result = numpy.empty(size)
    if has_host() and result.size > _MOST:
        return _uniform(low, high, size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.uniform(low, high)
    return result


@stands_for("numpy.random.normal", alike=lambda size, loc, scale: _are_parameters(size, loc, scale))
def normal(size: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    if scale < 0:
        raise ValueError("scale < 0")
    result = numpy.empty(size)
    if has_host() and result.size > _MOST:
        return _normal(loc, scale, size)
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
    if has_host() and result.size > _MOST:
        return _exponential(scale, size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.exponential(scale)
    return result


@stands_for("numpy.random.standard_exponential", alike=lambda size: is_size(size))
def standard_exponential(size: Any) -> Any:
    return exponential(size)


@stands_for(
    "numpy.random.randint",
    alike=lambda low, size, high: is_size(size) and low.is_whole() and (high is None or high.is_whole()),
)
def randint(low: Any, size: Any, high: Any = None) -> Any:
    result = numpy.empty(size, numpy.int64)
    if has_host() and result.size > _MOST:
        return _randint(low, high, size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.random.randint(low, high)
    return result


@stands_for("numpy.random.rand", alike=lambda d0, d1: is_number(d0, "i8") and (d1 is None or is_number(d1, "i8")))
def rand(d0: Any, d1: Any = None) -> Any:
    return random(d0) if d1 is None else random((d0, d1))


@stands_for("numpy.random.randn", alike=lambda d0, d1: is_number(d0, "i8") and (d1 is None or is_number(d1, "i8")))
def randn(d0: Any, d1: Any = None) -> Any:
    return normal(d0) if d1 is None else normal((d0, d1))
