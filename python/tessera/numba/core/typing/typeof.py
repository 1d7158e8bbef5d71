"""numba.core.typing.typeof: how packages say of which type an object is."""

from tessera.extending import typeof_impl
from tessera.types import typeof

__all__ = ["typeof", "typeof_impl"]
