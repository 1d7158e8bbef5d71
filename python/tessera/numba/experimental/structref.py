"""numba.experimental.structref: structures that are passed by reference."""

from __future__ import annotations

from tessera.functions.structref import (
    StructRefProxy,
    define_attributes,
    define_boxing,
    define_constructor,
    define_proxy,
    new,
    register,
)

__all__ = [
    "StructRefProxy",
    "define_attributes",
    "define_boxing",
    "define_constructor",
    "define_proxy",
    "new",
    "register",
]
