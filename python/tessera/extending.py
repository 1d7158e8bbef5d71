"""What compiled functions do with calls of functions that are not compiled, by the names of `numba.extending`."""

from tessera.functions.extending import overload, overload_attribute, overload_method, register_jitable

__all__ = ["overload", "overload_attribute", "overload_method", "register_jitable"]
