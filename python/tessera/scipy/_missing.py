"""Serves the public SciPy names that a package of tessera.scipy does not define, by running SciPy: on the engine's arrays (`_native`) or on the host."""

from __future__ import annotations

import importlib
import types
from typing import Any

from tessera import _fallback
from tessera.scipy import _native

REASON = "the engine has no native form of it"


def find(module: str, name: str, own: dict[str, Any]) -> Any:
    """What `tessera.scipy.<module>.<name>` is when `own`, the module's names, lacks it; AttributeError where SciPy has none."""
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module 'tessera.scipy.{module}' has no attribute {name!r}")
    try:
        theirs = importlib.import_module(f"scipy.{module}")
    except ImportError:
        raise AttributeError(f"tessera.scipy.{module} has no native {name!r}, and SciPy is not installed") from None
    value = getattr(theirs, name)
    if isinstance(value, types.ModuleType):
        value = own[name] = FallbackModule(f"{module}.{name}", value)
        return value
    if not callable(value) or isinstance(value, type):
        return value
    wrap = _native.wrap if name in _native.FUNCTIONS.get(module, "").split() else _fallback.wrap
    own[name] = wrap(f"scipy.{module}.{name}", value, REASON)
    return own[name]


def names(module: str, own: dict[str, Any]) -> list[str]:
    """The module's names and SciPy's, if SciPy is installed."""
    try:
        return sorted({*own, *dir(importlib.import_module(f"scipy.{module}"))})
    except ImportError:
        return sorted(own)


class FallbackModule(types.ModuleType):
    """A SciPy submodule, such as signal.windows, whose functions run on the host and hand back tessera arrays."""

    def __init__(self, name: str, module: types.ModuleType) -> None:
        super().__init__(f"tessera.scipy.{name}", module.__doc__)
        self.__dict__["_name"] = name
        self.__dict__["__tessera_fallback__"] = REASON

    def __getattr__(self, name: str) -> Any:
        return find(self._name, name, self.__dict__)

    def __dir__(self) -> list[str]:
        return names(self._name, {})
