"""Functions of elements, under PyCUDA's names."""

from __future__ import annotations

from typing import Any

from tessera import numpy as tn

_NAMES = {
    "fabs": "fabs", "ceil": "ceil", "floor": "floor", "exp": "exp", "log": "log", "log10": "log10", "sqrt": "sqrt",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "fmod": "fmod",
}  # fmt: skip
_OF_TWO = ("fmod",)

__all__ = sorted([*_NAMES, "frexp", "ldexp", "modf"])


def _make(name: str) -> Any:
    function = getattr(tn, _NAMES[name])

    count = 2 if name in _OF_TWO else 1

    def call(*arrays: Any, out: Any = None, stream: Any = None) -> Any:
        for given in arrays[count:]:  # a stream changes nothing
            out = given if hasattr(given, "dtype") else out
        return function(*arrays[:count]) if out is None else function(*arrays[:count], out=out)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{_NAMES[name]} of each element."
    return call


globals().update({name: _make(name) for name in _NAMES})


def ldexp(significand: Any, exponent: Any, stream: Any = None) -> Any:
    """significand * 2**exponent; the exponents are cut to integers."""
    return tn.ldexp(significand, exponent.astype("int32"))


def modf(arg: Any, stream: Any = None) -> Any:
    """Fractions and whole parts."""
    return tn.modf(arg)


def frexp(arg: Any, stream: Any = None) -> Any:
    """Significands and exponents, in the arrays' dtype."""
    significand, exponent = tn.frexp(arg)
    return significand, exponent.astype(arg.dtype)
