"""NumPy's functions in the language of compiled functions: everywhere where they compute what NumPy does, and for `prange` and kernels, where NumPy cannot be called.

A module for each family; what they have not (other dimensions, options) NumPy computes, and in `prange` is refused when the function is compiled, or raises."""

from __future__ import annotations

import importlib
import random
from typing import Any

from tessera.functions.numpy_library import _registry

_FAMILIES = (
    "axes",
    "distributions",
    "eigenvalues",
    "elements",
    "indices",
    "joining",
    "linear_algebra",
    "matrices",
    "order",
    "python_random",
    "random_arrays",
    "ranges",
    "sequences",
    "signals",
    "statistics",
    "values",
    "views",
)
# The generator of Python's module random, whose methods are its functions.
_pythons_stream = getattr(random, "_inst", random)
_is_loaded = False


def find(name: str) -> Any:
    """The function of this name, such as "numpy.ptp" or "array.sort", as the compiler takes it; None if there is none."""
    _load()
    function = _registry.functions.get(name)
    return None if function is None else function._kernel_function()


def computes_alike(name: str, described: list[tuple[Any, ...]], names: list[str]) -> bool:
    """Whether it computes what NumPy's does for arguments that are described so (see `sampled`), the last ones by these names."""
    _load()
    return _registry.computes_alike(name, described, names)


def names() -> set[str]:
    """Of NumPy's functions that are compiled everywhere, for some arguments."""
    _load()
    return {name for name in _registry.functions if _registry.is_everywhere(name)}


def _load() -> None:
    global _is_loaded
    if not _is_loaded:
        for family in _FAMILIES:
            importlib.import_module(f"{__name__}.{family}")
        _is_loaded = True


def name_of(function: Any) -> str:
    """The name of a function of NumPy here: its module and its own name; "" for what is none of NumPy's."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if getattr(function, "__self__", None) is _pythons_stream:
        return f"random.{name}"
    is_numpys = isinstance(module, str) and module.partition(".")[0] == "numpy" and isinstance(name, str)
    return f"{module}.{name}" if is_numpys else ""
