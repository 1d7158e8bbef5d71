"""tessera: array programs, lazily recorded, fused and compiled. `import tessera.numpy as np` is where to start."""

from __future__ import annotations

import importlib
from typing import Any

from tessera._fallback import FallbackError, FallbackWarning, fallback_mode, fallback_statistics, set_fallback_mode

__version__ = "0.1.0"

__all__ = [
    "FallbackError",
    "FallbackWarning",
    "__version__",
    "asnumpy",
    "fallback_mode",
    "fallback_statistics",
    "numpy",
    "scipy",
    "set_fallback_mode",
    "synchronize",
]

_SUBMODULES = ("numpy", "scipy", "cli")


def synchronize() -> None:
    """Run everything this thread has recorded and wait for it."""
    from tessera import _core

    _core.synchronize()


def asnumpy(array: Any) -> Any:
    """The NumPy array that shares `array`'s memory; anything else as `numpy.asarray` reads it."""
    import numpy

    return numpy.asarray(array)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"tessera.{name}")
    raise AttributeError(f"module 'tessera' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_SUBMODULES))
