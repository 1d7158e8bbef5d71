"""Functions in other code that compiled functions call: of ctypes, and at addresses; numbers in, a number or nothing out."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

from tessera import types
from tessera.functions.outside import Outside

_OF_C = {
    "bool": ctypes.c_bool,
    **{f"int{8 * size}": getattr(ctypes, f"c_int{8 * size}") for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}": getattr(ctypes, f"c_uint{8 * size}") for size in (1, 2, 4, 8)},
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}
_FUNCTION = ctypes._CFuncPtr  # what CFUNCTYPE's and a library's functions are objects of


def type_of_c(one: Any, name: str) -> Any:
    """The type of ctypes of an argument or a result. Raises TypeError for what functions in C do not have."""
    if isinstance(one, types.CPointer):
        return ctypes.c_void_p if isinstance(one.dtype, types.Void) else ctypes.POINTER(type_of_c(one.dtype, name))
    if isinstance(one, types.Number) and str(one.dtype) in _OF_C:
        return _OF_C[str(one.dtype)]
    raise TypeError(
        f"{name} takes or returns {one!r}; functions in C take integers, floats, bools, CPointer(t), voidptr"
    )


def _function_at(address: int, signature: types.Signature) -> Any:
    """The function in C of this signature at an address. Raises TypeError for signatures that C has not."""
    result = None if isinstance(signature.result, types.Void) else type_of_c(signature.result, "the function")
    return ctypes.CFUNCTYPE(result, *(type_of_c(one, "the function") for one in signature.args))(address)


def function_of(value: Any) -> Any:
    """The function of ctypes that it is or stands for, or None."""
    if isinstance(value, types.WrapperAddressProtocol):
        return _function_at(value.__wrapper_address__(), value.signature())
    return value if isinstance(value, _FUNCTION) else None


def name_of(value: Any) -> str:
    """How messages call it."""
    is_object = isinstance(value, types.WrapperAddressProtocol)
    return type(value).__name__ if is_object else getattr(value, "__name__", None) or "the function of ctypes"


def called(function: Any, name: str) -> Outside:
    """A function of ctypes as the compiler calls functions outside."""

    def sample(*arguments: Any) -> Any:
        """Raises TypeError where its types are not declared, or not those of numbers."""
        declared = function.argtypes
        if declared is None:
            raise TypeError("its argtypes are not declared")
        if len(arguments) != len(declared):
            raise TypeError(f"it takes {len(declared)} arguments, not {len(arguments)}")
        for kind, value in zip(declared, arguments):
            kind(value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value)
        result = function.restype
        return None if result is None else numpy.dtype(result).type(0)

    return Outside(name, function, sample)
