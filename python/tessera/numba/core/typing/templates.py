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
    "make_overload_attribute_template",
    "make_overload_method_template",
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


class _OverloadAttributeTemplate(AttributeTemplate):
    """What those of `make_overload_attribute_template` derive from."""


class _OverloadMethodTemplate(_OverloadAttributeTemplate):
    """The same of methods."""

    is_method = True


def _make(kind: Any, name: str, chooser: Any, base: Any) -> Any:
    members = {"_attr": name, "key": kind, "_overload_func": staticmethod(chooser)}
    return type(f"Template of {name}", (base,), members)


def make_overload_attribute_template(
    kind: Any,
    name: str,
    chooser: Any,
    inline: str = "never",
    prefer_literal: bool = False,
    base: Any = _OverloadAttributeTemplate,
    **options: Any,
) -> Any:
    """What `infer_getattr` takes to let a chooser serve an attribute of objects of a type; a method where `base.is_method`."""
    return _make(kind, name, chooser, base)


def make_overload_method_template(
    kind: Any, name: str, chooser: Any, inline: str = "never", prefer_literal: bool = False, **options: Any
) -> Any:
    """The same for a method."""
    return _make(kind, name, chooser, _OverloadMethodTemplate)


def infer(template: Any) -> Any:
    """Is for what Numba does itself; the class is returned as it is."""
    return template
