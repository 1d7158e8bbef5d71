"""numba.typed: containers by Numba's names, which Python and compiled functions share."""

from __future__ import annotations

from tessera.functions.typed_containers import Dict, List

__all__ = ["Dict", "List"]
