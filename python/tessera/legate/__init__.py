"""The modules that programs for Legate and cuPyNumeric import: `tessera run --legate prog.py` serves these as `legate`, and
tessera.numpy as `cupynumeric` and `cunumeric`."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any

ARRAYS = ("cupynumeric", "cunumeric")


def stencil_hint(self: Any, low_offsets: Any, high_offsets: Any, low_shape: Any = None, high_shape: Any = None) -> None:
    """Says how far a stencil reaches, as cuPyNumeric's method does. Nothing follows: the engine sees it from the expressions.

    Errors: ValueError for other numbers of offsets than the array has axes.
    """
    for name, offsets in (("low_offsets", low_offsets), ("high_offsets", high_offsets)):
        if len(tuple(offsets)) != self.ndim:
            raise ValueError(
                f"stencil_hint: {name}={offsets!r} for an array of {self.ndim} axes; give one for each axis"
            )


class _Arrays(ModuleType):
    """tessera.numpy by another name."""

    def __init__(self, name: str) -> None:
        import tessera.numpy

        super().__init__(name, tessera.numpy.__doc__)
        self.__path__: list[str] = []
        self.__dict__.update({key: value for key, value in vars(tessera.numpy).items() if not key.startswith("__")})

    def __getattr__(self, name: str) -> Any:
        import tessera.numpy

        return getattr(tessera.numpy, name)

    def __dir__(self) -> list[str]:
        import tessera.numpy

        return dir(tessera.numpy)


class _Loader(importlib.abc.Loader):
    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = _served(name)  # what the import statement then takes


def _served(name: str) -> ModuleType:
    root, _, rest = name.partition(".")
    if root == "legate":
        return importlib.import_module(f"tessera.{name}")
    if not rest:
        return _Arrays(root)
    if rest == "settings":
        return importlib.import_module("tessera.legate._array_settings")
    import tessera.numpy

    value: Any = tessera.numpy
    for part in rest.split("."):
        value = getattr(value, part, None)
    if not isinstance(value, ModuleType):
        raise ModuleNotFoundError(f"No module named {name!r}: tessera.numpy has no module {rest!r}", name=name)
    return value


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        root = name.partition(".")[0]
        if root == "legate" and importlib.util.find_spec(f"tessera.{name}") is None:
            raise ModuleNotFoundError(
                f"No module named {name!r}: tessera serves legate.core, legate.timing and legate.util; kernels of your own are "
                "functions with @tessera.cuda.jit",
                name=name,
            )
        if root == "legate" or root in ARRAYS:
            return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)
        return None


def install() -> None:
    """Serves the modules from now on, also where Legate itself is installed."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
