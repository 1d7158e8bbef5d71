"""Serves the public NumPy names that tessera.numpy does not define, by running NumPy on the host."""

from __future__ import annotations

import importlib
import types
from typing import Any

import numpy

from tessera import _fallback

DEFAULT_REASON = "the engine has no native form of it"

REASONS = {
    "busday_count": "datetime arrays stay NumPy arrays",
    "busday_offset": "datetime arrays stay NumPy arrays",
    "is_busday": "datetime arrays stay NumPy arrays",
    "datetime_as_string": "datetime arrays stay NumPy arrays",
    "datetime_data": "datetime arrays stay NumPy arrays",
    "asmatrix": "matrix is NumPy's deprecated subclass",
    "nditer": "iterators over several arrays visit host elements one by one",
    "nested_iters": "iterators over several arrays visit host elements one by one",
    "char": "string arrays stay NumPy arrays",
    "strings": "string arrays stay NumPy arrays",
    "ma": "masked arrays are NumPy's",
    "rec": "structured arrays stay NumPy arrays",
    "polynomial": "polynomial classes are NumPy's own Python code",
}

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(numpy.sum), numpy.ufunc)


def find(name: str, owner: Any = numpy, prefix: str = "") -> Any:
    """What `tessera.numpy.<prefix><name>` is when the package does not define it; AttributeError as NumPy raises it."""
    if name.startswith("__") and name != "__config__":
        raise AttributeError(f"module 'tessera.numpy' has no attribute {name!r}")
    value = getattr(owner, name)
    qualified = prefix + name
    if isinstance(value, types.ModuleType):
        return FallbackModule(value, qualified)
    if prefix and value is getattr(numpy, name, None):
        return getattr(importlib.import_module("tessera.numpy"), name)
    if isinstance(value, type) or not isinstance(value, _FUNCTIONS):
        return value  # objects such as numpy.ma.add have methods besides
    return _fallback.wrap(qualified, value, reason(qualified))


def reason(name: str) -> str:
    """Why a public name is not native."""
    return REASONS.get(name) or REASONS.get(name.partition(".")[0], DEFAULT_REASON)


def _import_part(module: types.ModuleType, name: str) -> None:
    """Imports a submodule that NumPy loads only when it is asked for, such as numpy.ma.testutils."""
    try:
        importlib.import_module(f"{module.__name__}.{name}")
    except ModuleNotFoundError:
        pass


class FallbackModule(types.ModuleType):
    """A NumPy submodule whose functions run on the host and hand back tessera arrays."""

    def __init__(self, module: types.ModuleType, name: str) -> None:
        super().__init__(f"tessera.numpy.{name}", module.__doc__)
        self.__dict__["_module"] = module
        self.__dict__["_name"] = name
        self.__dict__["__tessera_fallback__"] = reason(name)
        if name == "_core.umath":  # private, but programs list its functions
            self.__dict__.update({each: find(each, module, f"{name}.") for each in dir(module) if each[0] != "_"})

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self._module.__all__
        if not hasattr(self._module, name) and not name.startswith("__"):
            _import_part(self._module, name)
        value = find(name, self._module, f"{self._name}.")
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return dir(self._module)
