"""Types by their names in C++, and arguments of generated kernels: what pycuda.tools has of them."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.cuda.source.parameters import c_type
from tessera.pycuda import _errors

_registered: dict[Any, str] = {}


def register_dtype(dtype: Any, name: Any) -> Any:
    """Makes a structure of C++ known by its dtype, so that kernels' arguments and results can be of it."""
    dtype = numpy.dtype(dtype)
    if isinstance(name, (list, tuple)):
        name = name[0]
    if _registered.get(dtype, name) != name:
        raise _errors.RuntimeError(f"register_dtype: {dtype} is registered as {_registered[dtype]}, not as {name}")
    _registered[dtype] = name
    return dtype


def get_or_register_dtype(c_names: Any, dtype: Any = None) -> Any:
    """The dtype of a name, which is registered for it if one is given."""
    name = c_names if isinstance(c_names, str) else c_names[0]
    if dtype is not None:
        return register_dtype(dtype, name)
    for known, known_name in _registered.items():
        if known_name == name:
            return known
    raise _errors.LogicError(f"get_or_register_dtype: no dtype is registered for {name}")


def dtype_to_ctype(dtype: Any) -> str:
    """What C++ calls elements of a dtype."""
    dtype = numpy.dtype(dtype)
    if dtype in _registered:
        return _registered[dtype]
    if dtype.names:
        raise _errors.LogicError(f"dtype_to_ctype: {dtype} has no name in C++: register_dtype gives it one")
    return c_type(dtype)


class Argument:
    """An argument of a generated kernel, as `get_elwise_module` takes it."""

    def __init__(self, dtype: Any, name: str) -> None:
        self.dtype, self.name = numpy.dtype(dtype), name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """A pointer to elements."""

    struct_char = "P"

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A number."""

    @property
    def struct_char(self) -> str:
        return "P" if self.dtype.names else self.dtype.char

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


def declarations(arguments: Any) -> str:
    """The text of arguments that are a text already, or a list."""
    return arguments if isinstance(arguments, str) else ", ".join(one.declarator() for one in arguments)
