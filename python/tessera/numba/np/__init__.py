"""numba.np: conversions between dtypes and types, which programs import from here."""

from __future__ import annotations

from typing import Any

from tessera.numba.np import linalg, numpy_support, ufunc

__all__ = ["linalg", "numpy_support", "ufunc"]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"tessera.numba.np has no {name}: compiled functions call NumPy's functions by NumPy's names")
