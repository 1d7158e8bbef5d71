"""numba.core.cgutils: what intrinsics use of it beside the builder."""

from __future__ import annotations

from typing import Any

from tessera.functions.instructions import Builder, Declared, Kind, Value
from tessera.functions.unavailable import Unavailable

_INSTEAD = "extending.overload, with a function in Python, which says what a call means"

bool_t = Kind("int", 1)
int8_t = Kind("int", 8)
int32_t = Kind("int", 32)
intp_t = Kind("int", 64)
true_bit = bool_t(1)
false_bit = bool_t(0)
true_byte = int8_t(1)
false_byte = int8_t(0)


def get_or_insert_function(module: Any, function_type: Any, name: str) -> Declared:
    """A function of LLVM's by its name."""
    return Declared(name)


insert_pure_function = get_or_insert_function


def is_not_null(builder: Builder, value: Any) -> Value:
    """Whether it is not zero."""
    return builder.icmp_unsigned("!=", value, builder.of(value).type(0))


is_true = is_not_null


def is_null(builder: Builder, value: Any) -> Value:
    """Whether it is zero."""
    return builder.icmp_unsigned("==", value, builder.of(value).type(0))


is_false = is_null


def unpack_tuple(builder: Builder, value: Any, count: int | None = None) -> list[Value]:
    """The elements of a tuple."""
    return [builder.extract_value(value, k) for k in range(count or len(value.type.elements))]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Unavailable(f"numba.core.cgutils.{name}", _INSTEAD)
