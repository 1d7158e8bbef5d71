"""numba.experimental: classes of compiled functions, by Numba's names."""

from __future__ import annotations

from tessera.functions.jitclass import jitclass
from tessera.functions.unavailable import Unavailable

__all__ = ["jitclass", "structref"]


structref = Unavailable("numba.experimental.structref", "a class with @jitclass, or named tuples")
