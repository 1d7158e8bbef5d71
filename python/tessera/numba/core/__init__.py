"""numba.core: types, errors and settings, which programs import from here; Numba's compiler is not there."""

from __future__ import annotations

from typing import Any

from tessera import types
from tessera.functions import settings as config
from tessera.functions.unavailable import Unavailable
from tessera.numba.core import cgutils, datamodel, errors, extending, imputils, pythonapi, typing

__all__ = [
    "cgutils",
    "config",
    "datamodel",
    "errors",
    "extending",
    "imputils",
    "pythonapi",
    "serialize",
    "types",
    "typing",
]

_INSTEAD = "a function in Python with extending.overload, which says what a call means"


# Packages import it to pickle what is not compiled.
serialize = Unavailable("numba.core.serialize", "pickle, which takes compiled functions as they are")


def __getattr__(name: str) -> Any:
    raise AttributeError(f"tessera.numba.core has no {name}; instead: {_INSTEAD}")
