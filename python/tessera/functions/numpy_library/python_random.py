"""Functions of Python's module random, which draw from its stream as they do."""

from __future__ import annotations

import math
from typing import Any

from tessera.functions.intrinsic import Intrinsic
from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.conditions import is_number

_next = Intrinsic("builtins.python_uniform", "The next number of the stream, from 0 to 1.")
_bits = Intrinsic("builtins.python_bits", "So many bits of the stream.")
_normal = Intrinsic("builtins.python_normal", "The next normal number of the stream.")


def _are_numbers(*given: Any) -> bool:
    return all(is_number(one, "f8 i8") for one in given)


@in_language
def _below(count: Any) -> Any:
    """An integer from 0 on and below the count: as many bits as that has, until they are below."""
    if count <= 0:
        raise OverflowError("a range of more than 2**63 - 1 integers: draw from a smaller one")
    bits = 0
    rest = count
    while rest > 0:
        bits += 1
        rest >>= 1
    value = _bits(bits)
    while value >= count:
        value = _bits(bits)
    return value


@stands_for("random.random", alike=lambda: True)
def random() -> Any:
    return _next()


@stands_for("random.uniform", alike=_are_numbers)
def uniform(a: Any, b: Any) -> Any:
    return a + (b - a) * _next()


@stands_for(
    "random.randrange", alike=lambda start, stop: is_number(start, "i8") and (stop is None or is_number(stop, "i8"))
)
def randrange(start: Any, stop: Any = None) -> Any:
    if stop is None:
        if start <= 0:
            raise ValueError("empty range for randrange()")
        return _below(start)
    if stop <= start:
        raise ValueError("empty range for randrange()")
    return start + _below(stop - start)


@stands_for("random.randint", alike=lambda a, b: is_number(a, "i8") and is_number(b, "i8"))
def randint(a: Any, b: Any) -> Any:
    if b < a:
        raise ValueError("empty range for randrange()")
    return a + _below(b - a + 1)


@stands_for("random.gauss", alike=lambda mu, sigma: all(one is None or is_number(one, "f8 i8") for one in (mu, sigma)))
def gauss(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + _normal() * sigma


@stands_for("random.expovariate", alike=lambda lambd: lambd is None or is_number(lambd, "f8"))
def expovariate(lambd: Any = 1.0) -> Any:
    return -math.log(1.0 - _next()) / lambd
