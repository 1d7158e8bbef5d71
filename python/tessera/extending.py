"""What compiled functions do with calls of functions that are not compiled, by the names of `numba.extending`."""

from __future__ import annotations

from typing import Any

from tessera.functions.extending import overload, overload_attribute, overload_method, register_jitable

__all__ = ["is_jitted", "overload", "overload_attribute", "overload_method", "register_jitable"]

# What programs import that is not there, and what they can write.
_INSTEAD = {
    "intrinsic": "overload, with a function in Python",
    "get_cython_function_address": "scipy.special's functions, which compiled functions call by their names",
    "overload_classmethod": "a function, and overload of it",
    "type_callable": "overload",
    "lower_builtin": "overload",
    "typeof_impl": "arrays, tuples and numbers: there are no types of one's own",
    "register_model": "arrays, tuples and numbers: there are no types of one's own",
    "models": "arrays, tuples and numbers: there are no types of one's own",
    "box": "arrays, tuples and numbers: there are no types of one's own",
    "unbox": "arrays, tuples and numbers: there are no types of one's own",
    "NativeValue": "arrays, tuples and numbers: there are no types of one's own",
    "make_attribute_wrapper": "named tuples",
}


def is_jitted(function: Any) -> bool:
    """Whether compiled functions call it as one of theirs."""
    return hasattr(function, "_kernel_function")


def __getattr__(name: str) -> Any:
    instead = _INSTEAD.get(name)
    text = "functions have no such name of Numba's" if instead is None else f"instead: {instead}"
    raise AttributeError(f"tessera.extending has no {name}; {text}")
