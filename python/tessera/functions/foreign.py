"""Functions in other code that compiled functions call: of ctypes, and at addresses; numbers in, a number or nothing out."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy

from tessera import types
from tessera.functions.intrinsic import Intrinsic
from tessera.functions.outside import Outside

_OF_C = {
    "bool": ctypes.c_bool,
    **{f"int{8 * size}": getattr(ctypes, f"c_int{8 * size}") for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}": getattr(ctypes, f"c_uint{8 * size}") for size in (1, 2, 4, 8)},
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}
_C_DTYPES = {kind: numpy.dtype(kind) for kind in _OF_C.values()}
_FUNCTION = ctypes._CFuncPtr  # what CFUNCTYPE's and a library's functions are objects of


def type_of_c(one: Any, name: str) -> Any:
    """The type of ctypes of an argument or a result. Raises TypeError for what functions in C do not have."""
    if isinstance(one, types.CPointer):
        return ctypes.c_void_p if isinstance(one.dtype, types.Void) else ctypes.POINTER(type_of_c(one.dtype, name))
    if isinstance(one, types.Scalar) and str(one.dtype) in _OF_C:
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
        # One that is not known at first is asked for again, as Numba does.
        return _function_at(value.__wrapper_address__() or value.__wrapper_address__(), value.signature())
    return value if isinstance(value, _FUNCTION) else None


_OF_PYTHON = 4  # the flag of functions that are called with Python's lock
_MOST = {"f": 8, "iub": 6}  # arguments of floats and of integers that are passed in registers
# By address, types and object, with that object; the compiler does not keep them.
_direct: dict[Any, tuple[Any, Any]] = {}
_call_address = Intrinsic("foreign.call_address", "Calls a function in C at an address.")


# Makes a function of the compiler's.
_make: Callable[[Any, str], Any] = lambda function, text: None


def set_make(make: Callable[[Any, str], Any]) -> None:
    """How it is made, once there is such a class."""
    global _make
    _make = make


class _Address:
    """An address, which compiled functions have as an array of this number."""

    def __init__(self, number: int) -> None:
        self._number = number

    def _describe(self) -> tuple[Any, ...]:
        return ("address", self._number)


def is_null(function: Any) -> bool:
    """Whether the address of a function of ctypes is 0."""
    return not ctypes.cast(function, ctypes.c_void_p).value


def make(function: Any, text: str) -> Any:
    """A function of the compiler's."""
    return _make(function, text)


def direct(function: Any, value: Any) -> Any:
    """A function that calls one of ctypes by its address, without Python; None where that takes more than numbers, or is Python's own.
    `value` is what a program has of it."""
    declared, result = function.argtypes, function.restype
    kinds = [_C_DTYPES[one] for one in declared or () if one in _C_DTYPES]
    is_pythons = bool(type(function)._flags_ & _OF_PYTHON) or any(
        "Thunk" in type(one).__name__ for one in (getattr(function, "_objects", None) or {}).values()
    )
    if declared is None or len(kinds) < len(declared) or is_pythons or getattr(function, "errcheck", None):
        return None
    if result is not None and result not in _C_DTYPES:
        return None
    if any(sum(kind.kind in letters for kind in kinds) > most for letters, most in _MOST.items()):
        return None
    address = ctypes.cast(function, ctypes.c_void_p).value
    key = (address, tuple(declared), result, id(value))
    if key not in _direct:
        names = [f"a{k}" for k in range(len(kinds))]
        pairs = "".join(f", t{k}, a{k}" for k in range(len(kinds)))
        called = f"return call_address(result, address[0]{pairs})"
        raised = f"raise RuntimeError({f'{name_of(value)} function address is null'!r})"
        text = f"def called({', '.join(names)}):\n    {called if address else raised}\n"
        made = {f"t{k}": kind.type for k, kind in enumerate(kinds)}
        # The address is no constant of the code, which so is the same in every process.
        made |= {"call_address": _call_address, "address": _Address(address or 0)}
        made["result"] = None if result is None else _C_DTYPES[result].type
        exec(text, made)
        function_made = _make(made["called"], text)
        function_made._stands_for = value
        _direct[key] = function_made, value
    return _direct[key][0]


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
