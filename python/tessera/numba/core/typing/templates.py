"""numba.core.typing.templates: classes that say of which types calls are."""

from __future__ import annotations

from typing import Any

from tessera.extending import infer_getattr, infer_global
from tessera.types import Signature

__all__ = [
    "AbstractTemplate",
    "AttributeTemplate",
    "ConcreteTemplate",
    "infer",
    "infer_getattr",
    "infer_global",
    "signature",
]


def signature(result: Any, *arguments: Any) -> Signature:
    """The signature of a call."""
    return Signature(result, arguments)


class _Template:
    """What all have in common."""

    def __init__(self, context: Any = None) -> None:
        self.context = context


class AbstractTemplate(_Template):
    """Its `generic` finds the signature."""


class ConcreteTemplate(_Template):
    """Its `cases` are the signatures."""


class AttributeTemplate(_Template):
    """Its methods find the types of attributes."""


def infer(template: Any) -> Any:
    """Is for what Numba does itself; the class is returned as it is."""
    return template
