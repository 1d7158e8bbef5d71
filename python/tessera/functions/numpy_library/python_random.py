"""Functions of Python's module random, which draw from its stream as they do."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera.functions.intrinsic import Intrinsic
from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.conditions import is_number

_next = Intrinsic("builtins.python_uniform", "The next number of the stream, from 0 to 1.")
_word = Intrinsic("builtins.python_word", "The next 32 bits of the stream.")
_bit_length = Intrinsic("builtins.bit_length", "How many bits an integer has.")
_normal = Intrinsic("builtins.python_normal", "The next normal number of the stream.")
_LOG_4 = math.log(4.0)
_GAMMA = 1.0 + math.log(4.5)
_seed = Intrinsic("builtins.python_seed", "Seeds the stream by an integer.")
_NORMAL = 4 * math.exp(-0.5) / math.sqrt(2.0)


def _are_numbers(*given: Any) -> bool:
    return all(is_number(one, "f8 i8") for one in given)


@in_language
def _bits(count: Any) -> Any:
    """So many bits, at most 63."""
    if count <= 32:
        return _word() >> (32 - count) if count > 0 else 0
    low = _word()
    return _word() >> (64 - count) << 32 | low


@in_language
def _below(count: Any) -> Any:
    """An integer from 0 on and below the count: as many bits as that has, until they are below."""
    if count <= 0:
        raise OverflowError("a range of more than 2**63 - 1 integers: draw from a smaller one")
    bits = _bit_length(count)
    if bits <= 32:
        value = _word() >> (32 - bits)
        while value >= count:
            value = _word() >> (32 - bits)
        return value
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


_WHOLE = "i8 i4 i2 i1 u4 u2 u1"


def _are_ends(*ends: Any) -> bool:
    return is_number(ends[0], _WHOLE) and all(one is None or is_number(one, _WHOLE) for one in ends)


@stands_for("random.randrange", alike=_are_ends)
def randrange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    if stop is None:
        if start <= 0:
            raise ValueError("empty range for randrange()")
        return _below(start)
    if step == 0:
        raise ValueError("zero step for randrange()")
    width = stop - start
    count = (width + step - 1) // step if step > 0 else (width + step + 1) // step
    if count <= 0:
        raise ValueError("empty range for randrange()")
    return start + step * _below(count)


@stands_for("random.randint", alike=_are_ends)
def randint(a: Any, b: Any) -> Any:
    if b < a:
        raise ValueError("empty range for randrange()")
    return a + _below(b - a + 1)


@stands_for("random.gauss", alike=lambda mu, sigma: all(one is None or is_number(one, "f8 i8") for one in (mu, sigma)))
def gauss(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + _normal() * sigma


@stands_for("random.getrandbits", alike=lambda k: is_number(k, "i8"))
def getrandbits(k: Any) -> Any:
    if k < 0:
        raise ValueError("number of bits must be non-negative")
    if k > 64:
        raise OverflowError("random.getrandbits of more than 64 bits in a compiled function")
    low = numpy.uint64(_bits(min(k, 32)))
    return low | (numpy.uint64(_bits(k - 32)) << numpy.uint64(32)) if k > 32 else low


@stands_for("random.normalvariate", alike=lambda mu, sigma: all(one is None or is_number(one) for one in (mu, sigma)))
def normalvariate(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    while True:
        u = _next()
        v = 1.0 - _next()
        z = _NORMAL * (u - 0.5) / v
        if z * z / 4.0 <= -math.log(v):
            return mu + z * sigma


@stands_for("random.lognormvariate", alike=lambda mu, sigma: all(one is None or is_number(one) for one in (mu, sigma)))
def lognormvariate(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return math.exp(normalvariate(mu, sigma))


@stands_for("random.gammavariate", alike=_are_numbers)
def gammavariate(alpha: Any, beta: Any) -> Any:
    if alpha <= 0.0 or beta <= 0.0:
        raise ValueError("gammavariate: alpha and beta must be > 0.0")
    if alpha > 1.0:
        root = math.sqrt(2.0 * alpha - 1.0)
        while True:
            u = _next()
            if not 1e-7 < u < 0.9999999:
                continue
            other = 1.0 - _next()
            v = math.log(u / (1.0 - u)) / root
            x = alpha * math.exp(v)
            z = u * u * other
            r = alpha - _LOG_4 + (alpha + root) * v - x
            if r + _GAMMA - 4.5 * z >= 0.0 or r >= math.log(z):
                return x * beta
    if alpha == 1.0:
        return -math.log(1.0 - _next()) * beta
    while True:
        b = (math.e + alpha) / math.e
        p = b * _next()
        x = p ** (1.0 / alpha) if p <= 1.0 else -math.log((b - p) / alpha)
        u = _next()
        if u <= x ** (alpha - 1.0) if p > 1.0 else u <= math.exp(-x):
            return x * beta


@stands_for("random.betavariate", alike=_are_numbers)
def betavariate(alpha: Any, beta: Any) -> Any:
    y = gammavariate(alpha, 1.0)
    return y / (y + gammavariate(beta, 1.0)) if y != 0 else 0.0


@stands_for("random.paretovariate", alike=_are_numbers)
def paretovariate(alpha: Any) -> Any:
    return (1.0 - _next()) ** (-1.0 / alpha)


@stands_for("random.weibullvariate", alike=_are_numbers)
def weibullvariate(alpha: Any, beta: Any) -> Any:
    return alpha * (-math.log(1.0 - _next())) ** (1.0 / beta)


@stands_for(
    "random.triangular", alike=lambda low, high, mode: all(one is None or is_number(one) for one in (low, high, mode))
)
def triangular(low: Any = 0.0, high: Any = 1.0, mode: Any = None) -> Any:
    u = _next()
    if mode is None:
        share = 0.5
    else:
        if high == low:
            return low / 1
        share = (mode - low) / (high - low)
    if u > share:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - share))
    return low + (high - low) * math.sqrt(u * share)


@stands_for("random.vonmisesvariate", alike=_are_numbers)
def vonmisesvariate(mu: Any, kappa: Any) -> Any:
    if kappa <= 1e-6:
        return 2.0 * math.pi * _next()
    s = 0.5 / kappa
    r = s + math.sqrt(1.0 + s * s)
    z = 0.0
    while True:
        z = math.cos(math.pi * _next())
        d = z / (r + z)
        u = _next()
        if u < 1.0 - d * d or u <= (1.0 - d) * math.exp(d):
            break
    q = 1.0 / r
    f = (q + z) / (1.0 + q * z)
    angle = math.acos(f)
    return (mu + angle) % (2.0 * math.pi) if _next() > 0.5 else (mu - angle) % (2.0 * math.pi)


@stands_for("random.expovariate", alike=lambda lambd: lambd is None or is_number(lambd, "f8"))
def expovariate(lambd: Any = 1.0) -> Any:
    return -math.log(1.0 - _next()) / lambd


@stands_for("random.seed", alike=lambda a: is_number(a, "i8"))
def seed(a: Any) -> None:
    _seed(a)
