"""What names outside a kernel stand for: constants, types, functions of math and numpy, device functions."""

from __future__ import annotations

import builtins
import enum
import math
from typing import Any

import numpy

from tessera import types
from tessera.cuda._intrinsics import Intrinsic

_PYTHON = ("abs", "min", "max", "len", "int", "float", "bool", "complex", "round", "pow", "divmod", "range", "print")
_MISSING = object()


def _known_functions() -> dict[int, str]:
    known = {id(getattr(builtins, name)): f"builtins.{name}" for name in _PYTHON}
    known |= {id(function): f"math.{name}" for name, function in vars(math).items() if callable(function)}
    return known


_FUNCTIONS = _known_functions()


def lookup(function: Any, dotted: str) -> Any:
    """The value of a dotted name as the function sees it, or _MISSING."""
    root, *attributes = dotted.split(".")
    code = function.__code__
    value: Any = _MISSING
    if root in code.co_freevars:
        try:
            value = function.__closure__[code.co_freevars.index(root)].cell_contents
        except ValueError:
            return _MISSING
    elif root in function.__globals__:
        value = function.__globals__[root]
    else:
        value = getattr(builtins, root, _MISSING)
    for attribute in attributes:
        value = getattr(value, attribute, _MISSING)
    return value


def describe(value: Any) -> tuple[Any, ...]:
    """The same as the compiler reads it."""
    if value is _MISSING:
        return ("missing",)
    if value is None:
        return ("nothing",)
    if isinstance(value, Intrinsic):
        return ("builtin", value.path)
    if isinstance(value, types.Number):
        return ("dtype", value.dtype)
    if hasattr(value, "_kernel_function"):
        if value._is_device:
            return ("function", value._kernel_function())
        return ("other", f"{value.__name__}, a kernel; @cuda.jit(device=True) makes a device function")
    if isinstance(value, enum.Enum) and isinstance(value.value, (bool, int, float)):
        return ("constant", value.value)
    if isinstance(value, (bool, int, float, complex, numpy.generic)):
        return ("constant", value)
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, tuple):
        return ("tuple", [describe(element) for element in value])
    return _describe_callable(value)


def _describe_callable(value: Any) -> tuple[Any, ...]:
    if id(value) in _FUNCTIONS:
        return ("builtin", _FUNCTIONS[id(value)])
    if isinstance(value, numpy.dtype) or (isinstance(value, type) and issubclass(value, numpy.generic)):
        return ("dtype", numpy.dtype(value))
    if type(value).__name__ == "ufunc":
        scipy = "special" in getattr(type(value), "__module__", "") or _is_special(value)
        return ("builtin", f"{'special' if scipy else 'numpy'}.{value.__name__}")
    if isinstance(value, numpy.ndarray) or hasattr(value, "__array_interface__"):
        return ("other", "an array outside the kernel")
    if isinstance(value, type(numpy)):
        return ("other", f"the module {value.__name__}")
    name = getattr(value, "__name__", None)
    return ("other", f"the function {name}" if name and callable(value) else f"an object of {type(value).__name__}")


def _is_special(value: Any) -> bool:
    from tessera.scipy import special

    return getattr(special, value.__name__, None) is value
