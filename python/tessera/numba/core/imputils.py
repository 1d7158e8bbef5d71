"""numba.core.imputils: how packages say what calls do, and what they return of it."""

from __future__ import annotations

from typing import Any

from tessera.extending import lower_builtin, lower_cast, lower_constant, lower_getattr, lower_setattr

__all__ = [
    "impl_ret_borrowed",
    "impl_ret_new_ref",
    "impl_ret_untracked",
    "lower_builtin",
    "lower_cast",
    "lower_constant",
    "lower_getattr",
    "lower_setattr",
]


def impl_ret_borrowed(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value; memory is not counted by such code."""
    return value


impl_ret_new_ref = impl_ret_untracked = impl_ret_borrowed
