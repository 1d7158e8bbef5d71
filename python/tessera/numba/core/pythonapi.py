"""numba.core.pythonapi: how packages take objects of types of their own apart, and make them."""

from tessera.extending import NativeValue, box, unbox

__all__ = ["NativeValue", "box", "unbox"]
