"""NumPy's functions in the language of compiled functions: everywhere where they compute what NumPy does, and for `prange` and kernels, where NumPy cannot be called.

A module for each family; what they have not (other dimensions, options) NumPy computes, and in `prange` is refused when the function is compiled, or raises."""

from __future__ import annotations

import importlib
import random
from typing import Any

from tessera.functions.numpy_library import _registry
from tessera.functions.numpy_library._names import FAMILIES

_FAMILY_OF = {name: family for family, text in FAMILIES.items() for name in text.split()}
# The generator of Python's module random, whose methods are its functions.
_pythons_stream = getattr(random, "_inst", random)


def find(name: str) -> Any:
    """The function of this name, such as "numpy.ptp" or "array.sort", as the compiler takes it; None if there is none."""
    return _registry.functions[name]._kernel_function() if _load_of(name) else None


def computes_alike(name: str, described: list[tuple[Any, ...]], names: list[str]) -> bool:
    """Whether it computes what NumPy's does for arguments that are described so (see `sampled`), the last ones by these names."""
    return _load_of(name) and _registry.computes_alike(name, described, names)


def names() -> set[str]:
    """Of NumPy's functions that are compiled everywhere, for some arguments."""
    return {name for name in _FAMILY_OF if _load_of(name) and _registry.is_everywhere(name)}


def _load_of(name: str) -> bool:
    """Imports the module of the function, where there is one: most programs call a few of them."""
    if name in _registry.functions:
        return True
    family = _FAMILY_OF.get(name)
    if family is None:
        return False
    importlib.import_module(f"{__name__}.{family}")
    return True


def name_of(function: Any) -> str:
    """The name of a function of NumPy here: its module and its own name; "" for what is none of NumPy's."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if getattr(function, "__self__", None) is _pythons_stream:
        return f"random.{name}"
    is_numpys = isinstance(module, str) and module.partition(".")[0] == "numpy" and isinstance(name, str)
    return f"{module}.{name}" if is_numpys else ""
