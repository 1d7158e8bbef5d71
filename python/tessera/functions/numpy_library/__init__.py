"""NumPy's functions in the language of compiled functions: for `prange` and kernels, where NumPy cannot be called.

A module for each family; what they have not (other dimensions, options) is refused when the function is compiled, or raises."""

from __future__ import annotations

import importlib
from typing import Any

from tessera.functions.numpy_library._registry import functions

_FAMILIES = ("axes", "indices", "joining", "matrices", "order", "sequences", "signals", "statistics", "values")
_is_loaded = False


def find(name: str) -> Any:
    """The function of this name, such as "numpy.ptp" or "array.sort", as the compiler takes it; None if there is none."""
    global _is_loaded
    if not _is_loaded:
        for family in _FAMILIES:
            importlib.import_module(f"{__name__}.{family}")
        _is_loaded = True
    function = functions.get(name)
    return None if function is None else function._kernel_function()


def name_of(function: Any) -> str:
    """The name of a function of NumPy here: its module and its own name; "" for what is none of NumPy's."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    is_numpys = isinstance(module, str) and module.partition(".")[0] == "numpy" and isinstance(name, str)
    return f"{module}.{name}" if is_numpys else ""
