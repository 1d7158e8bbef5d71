"""numba.core.extending: the names of numba.extending."""

from tessera.extending import *  # noqa: F403
from tessera.extending import __all__ as __all__
