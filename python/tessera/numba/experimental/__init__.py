"""numba.experimental: classes and structures of compiled functions, by Numba's names."""

from __future__ import annotations

from tessera.functions.jitclass import jitclass
from tessera.numba.experimental import structref

__all__ = ["jitclass", "structref"]
