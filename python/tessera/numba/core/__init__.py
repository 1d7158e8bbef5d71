"""numba.core: types, errors and settings, which programs import from here; Numba's compiler is not there."""

from __future__ import annotations

from typing import Any

from tessera import types
from tessera.functions import settings as config
from tessera.functions.unavailable import Unavailable
from tessera.numba.core import cgutils, errors, typing

__all__ = ["cgutils", "config", "errors", "imputils", "types", "typing"]

_INSTEAD = "a function in Python with extending.overload, which says what a call means"

# Types of one's own are written with these.
imputils = Unavailable("numba.core.imputils", _INSTEAD)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"tessera.numba.core has no {name}; instead: {_INSTEAD}")
