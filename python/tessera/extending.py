"""What compiled functions do with calls of functions that are not compiled, by the names of `numba.extending`.

A package's own types have models, by which their values are tuples of members; `typeof_impl`, `unbox` and `box` lead from objects to them and back.
"""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

from tessera.functions.boxing import NativeValue
from tessera.functions.extending import (
    overload,
    overload_attribute,
    overload_classmethod,
    overload_method,
    register_jitable,
)
from tessera.functions.instructions import IntrinsicOfUsers as _Intrinsic
from tessera.functions.instructions import intrinsic
from tessera.functions.jit import jit
from tessera.functions.lowered import infer_global, lower_builtin, lower_cast, type_callable
from tessera.functions.own_types import Models as models
from tessera.functions.own_types import box, make_attribute_wrapper, register_model, typeof_impl, unbox
from tessera.functions.unavailable import Registrations

__all__ = [
    "NativeValue",
    "box",
    "get_cython_function_address",
    "_Intrinsic",
    "infer_getattr",
    "infer_global",
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

reflect = Registrations("reflect")
lower_constant = Registrations("lower_constant")
lower_getattr = Registrations("lower_getattr")
lower_setattr = Registrations("lower_setattr")


def infer_getattr(template: Any) -> Any:
    """How Numba finds the types of attributes: lets the chooser of `make_overload_attribute_template` serve it; others have no meaning."""
    chooser = getattr(template, "_overload_func", None)
    if chooser is not None:
        member = overload_method if getattr(template, "is_method", False) else overload_attribute
        member(template.key, template._attr)(chooser)
    return template


def is_jitted(function: Any) -> bool:
    """Whether it is a function with @jit.

    >>> from tessera import jit
    >>> from tessera.extending import is_jitted
    >>> is_jitted(jit(lambda x: x + 1)), is_jitted(abs)
    (True, False)
    """
    return isinstance(function, _compiled_class)


_compiled_class = type(jit(lambda: None))


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
