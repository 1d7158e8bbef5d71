"""What compiled functions do with calls of functions that are not compiled, by the names of `numba.extending`.

Types of one's own are not there: what registers them is, so that packages can be imported, and a value of such a type is no argument.
"""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

from tessera.functions.extending import overload, overload_attribute, overload_method, register_jitable
from tessera.functions.instructions import intrinsic
from tessera.functions.unavailable import Registrations, Unavailable

__all__ = [
    "NativeValue",
    "box",
    "get_cython_function_address",
    "infer_getattr",
    "intrinsic",
    "is_jitted",
    "lower_builtin",
    "lower_cast",
    "lower_constant",
    "lower_getattr",
    "lower_setattr",
    "make_attribute_wrapper",
    "models",
    "overload",
    "overload_attribute",
    "overload_classmethod",
    "overload_method",
    "register_jitable",
    "register_model",
    "reflect",
    "type_callable",
    "typeof_impl",
    "unbox",
]

_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_INSTEAD = "arrays, tuples, named tuples and records: there are no types of one's own"

typeof_impl = Registrations("typeof_impl")
register_model = Registrations("register_model")
box = Registrations("box")
unbox = Registrations("unbox")
reflect = Registrations("reflect")
type_callable = Registrations("type_callable")
lower_builtin = Registrations("lower_builtin")
lower_cast = Registrations("lower_cast")
lower_constant = Registrations("lower_constant")
lower_getattr = Registrations("lower_getattr")
lower_setattr = Registrations("lower_setattr")
overload_classmethod = Registrations("overload_classmethod")
NativeValue = Unavailable("extending.NativeValue", _INSTEAD)


def infer_getattr(template: Any) -> Any:
    """How Numba finds the types of attributes; the class is returned as it is."""
    return template


def make_attribute_wrapper(kind: Any, field: str, attribute: str) -> None:
    """An attribute of a type of one's own."""


class models:
    """The classes from which the layouts of types of one's own derive."""

    class DataModel:
        """A layout in memory."""

        def __init__(self, manager: Any, kind: Any, members: Any = ()) -> None:
            raise NotImplementedError(f"extending.models is not there; instead: {_INSTEAD}")

    class OpaqueModel(DataModel):
        """Of a pointer to something."""

    class PrimitiveModel(DataModel):
        """Of a number."""

    class StructModel(DataModel):
        """Of several members."""

    class TupleModel(DataModel):
        """Of a tuple."""


def is_jitted(function: Any) -> bool:
    """Whether compiled functions call it as one of theirs."""
    return hasattr(function, "_kernel_function")


def get_cython_function_address(module: str, name: str) -> int:
    """The address of a function that a Cython module exports: `ctypes.CFUNCTYPE(...)(address)` is called in compiled functions.

    Raises ImportError where there is no such module, ValueError where it exports no such function.
    """
    exported = getattr(importlib.import_module(module), "__pyx_capi__", {})
    if name not in exported:
        raise ValueError(f"No function {name!r} found in __pyx_capi__ of {module!r}")
    address: int = _pointer_of(exported[name], _name_of(exported[name]))
    return address


def __getattr__(name: str) -> Any:
    raise AttributeError(f"tessera.extending has no {name}; functions have no such name of Numba's")
