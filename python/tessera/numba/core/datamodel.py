"""numba.core.datamodel: the classes from which models of types derive."""

from tessera.extending import models, register_model

__all__ = ["models", "register_model"]

register_default = register_model
