"""numba.core.typing: what packages import to give types of their own a meaning."""

from __future__ import annotations

from tessera.functions.unavailable import Registrations
from tessera.types import typeof

__all__ = ["typeof", "typeof_impl"]

typeof_impl = Registrations("typeof_impl")
