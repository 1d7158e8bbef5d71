"""Functions of elements, under PyCUDA's names."""

from __future__ import annotations

from typing import Any

from tessera import numpy as tn

_NAMES = {
    "fabs": "fabs", "ceil": "ceil", "floor": "floor", "exp": "exp", "log": "log", "log10": "log10", "sqrt": "sqrt",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "fmod": "fmod", "ldexp": "ldexp",
}  # fmt: skip

__all__ = sorted(_NAMES)


def _make(name: str) -> Any:
    function = getattr(tn, _NAMES[name])

    def call(*arrays: Any, out: Any = None, stream: Any = None) -> Any:
        return function(*arrays) if out is None else function(*arrays, out=out)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{_NAMES[name]} of each element."
    return call


globals().update({name: _make(name) for name in _NAMES})
