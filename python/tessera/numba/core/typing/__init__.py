"""numba.core.typing: what packages import to give types of their own a meaning."""

from __future__ import annotations

from tessera.extending import typeof_impl
from tessera.numba.core.typing import templates, typeof
from tessera.numba.core.typing.templates import signature

__all__ = ["signature", "templates", "typeof", "typeof_impl"]
