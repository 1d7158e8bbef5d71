"""structref: structures that are passed by reference, with fields and no methods of their own.

A type of `types.StructRef` with its fields is a class of objects to the compiler, without functions (kernel/values/object/user_class.h). What
methods and attributes objects have beside fields, `overload_method` and `overload_attribute` say; in Python a class that derives from
StructRefProxy stands for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tessera import _core, types
from tessera.functions import extending, jitclass
from tessera.functions import jit as jit_of
from tessera.functions.intrinsic import Intrinsic

__all__ = [
    "StructRefProxy",
    "define_attributes",
    "define_boxing",
    "define_constructor",
    "define_proxy",
    "new",
    "register",
]

# new(struct_type): an object whose fields are zero, in compiled functions.
new = Intrinsic("object.new", "An object of a type of structures, whose fields are zero.")
# The classes in Python of objects, by the class of their types.
_boxes: dict[type, Any] = {}


class StructRefProxy(_core.kernels.object):
    """What objects are in Python. A class that derives from it has properties and methods that call compiled functions."""

    __slots__ = ()

    def __new__(cls, *arguments: Any) -> Any:
        """An object that `cls(*arguments)` makes in a compiled function."""
        make = vars(cls).get("_make")
        if make is None:

            @jit_of.jit
            def make(*arguments: Any) -> Any:
                return cls(*arguments)

            cls._make = make
        return make(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """The type of the object."""
        return types.of_class(_core.kernels.class_of_object(self))


def _check(kind: Any) -> None:
    if kind is types.StructRef or not (isinstance(kind, type) and issubclass(kind, types.StructRef)):
        raise ValueError(f"cannot register {kind}")


def register(kind: Any) -> Any:
    """Lets compiled functions have objects of the types of this class, which derives from `types.StructRef`."""
    _check(kind)
    return kind


def define_attributes(kind: Any) -> None:
    """Gives objects their fields as attributes, which they have anyway."""
    _check(kind)


def define_boxing(kind: Any, proxy: Any) -> None:
    """Says of which class in Python, one that derives from StructRefProxy, objects are."""
    _check(kind)
    if not (isinstance(proxy, type) and issubclass(proxy, StructRefProxy)):
        raise TypeError(f"define_boxing: {proxy!r} does not derive from StructRefProxy")
    _boxes[kind] = proxy
    for one in types.structs():
        _box(one)


def _box(one: Any) -> None:
    proxy = next((_boxes[base] for base in type(one).__mro__ if base in _boxes), None)
    if proxy is not None:
        _core.kernels.set_class(one.number, proxy)


def _note(one: Any) -> None:
    """Tells the compiler the fields of a new type."""
    jitclass.add_fields(one.number, one.field_dict)
    _box(one)


def define_constructor(proxy: Any, kind: Any, fields: Sequence[str]) -> None:
    """Lets compiled functions make objects by `proxy(...)` with a value for each field, whose types the object's type has."""
    _check(kind)
    parameters = ", ".join(fields)
    lines = "".join(f"    made.{name} = {name}\n" for name in fields)
    make = f"def make({parameters}):\n    made = new(struct)\n{lines}    return made\n"

    def function_of(given: list[Any]) -> Any:
        inside = {"new": new, "struct": kind(list(zip(fields, given)))}
        exec(make, inside)
        return extending.Function(inside["make"], make)

    found: dict[str, Any] = {"function_of": function_of}
    exec(f"def choose({parameters}):\n    return function_of([{parameters}])\n", found)
    extending.overload(proxy)(found["choose"])


def define_proxy(proxy: Any, kind: Any, fields: Sequence[str]) -> None:
    """Both: compiled functions make objects by `proxy(...)`, and Python gets them as objects of the class `proxy`."""
    define_constructor(proxy, kind, fields)
    define_boxing(kind, proxy)


types._noted_structs.append(_note)
