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
    "device",
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


class device:
    """Where the work of a `with` block runs: `with tessera.device("gpu:0"): ...`; "cpu", "gpu", "gpu:N" or "auto".

    Arrays go where they are needed; each copy is counted. Without a `with` block the environment variable TESSERA_DEVICE decides;
    without that it is "auto": what is done sooner on the first GPU goes there, if there is one.
    """

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> device:
        from tessera import _core

        self._outer = _core.device()
        _core.set_device(self.where)
        return self

    def __exit__(self, *_: object) -> None:
        from tessera import _core

        _core.set_device(self._outer)


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
