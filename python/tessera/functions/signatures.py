"""Types of arguments: from values, from signatures in strings, from objects of tessera.types."""

from __future__ import annotations

import collections
import enum
from typing import Any

import numpy

from tessera import _core, types
from tessera.errors import TypingError
from tessera.functions import records

Kind = tuple[Any, ...]

_PYTHON = {bool: ("scalar", numpy.dtype("bool")), int: ("scalar", numpy.dtype("int64"))}
_PYTHON |= {float: ("scalar", numpy.dtype("float64")), complex: ("scalar", numpy.dtype("complex128"))}


# The class of named tuples that was last seen with these fields: results are of it.
_NAMED: dict[tuple[str, ...], Any] = {}


def note_named(kind: Any) -> None:
    """Functions return tuples with the fields of this class as objects of it."""
    _NAMED[kind._fields] = kind


def make_named(names: tuple[str, ...], elements: tuple[Any, ...]) -> Any:
    """A named tuple with these fields."""
    return (_NAMED.get(names) or collections.namedtuple("Tuple", names))(*elements)


def read(text: str) -> Any:
    """What a signature in a string stands for."""
    try:
        return eval(text, {"__builtins__": {}}, types.named())
    except Exception as error:
        raise TypeError(f"{text!r} is no signature ({error}); write 'void(float32[:], int32)'") from None


def parse(signature: Any) -> tuple[Kind, ...]:
    """The types of the arguments that a signature lists: "void(float32[:], int32)", a Signature, a tuple of types."""
    return parse_with_result(signature)[0]


def parse_of_c(signature: types.Signature) -> tuple[tuple[Kind, ...], Kind | None]:
    """The same of a function in C: arguments may be pointers."""
    result = None if isinstance(signature.result, types.Void) else _kind(signature.result)
    return tuple(_kind(one, True) for one in signature.arguments), result


def parse_with_result(signature: Any) -> tuple[tuple[Kind, ...], Kind | None]:
    """The types of the arguments, and that of the result where the signature names it."""
    if isinstance(signature, str):
        signature = read(signature)
    result = None
    if isinstance(signature, types.Signature):
        result = None if signature.result is None else _kind(signature.result)
        signature = signature.arguments
    if isinstance(signature, types.Type) and not isinstance(signature, types.Tuple):
        signature = (signature,)
    return tuple(_kind(one) for one in signature), result


def parse_numbers(signature: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The dtypes of the operands and of the results that a signature of numbers lists: "float64(float64, int32)"."""
    if isinstance(signature, str):
        try:
            signature = eval(signature, {"__builtins__": {}}, types.named())
        except Exception as error:
            raise TypeError(f"{signature!r} is no signature ({error}); write 'float64(float64, int32)'") from None
    result: Any = None
    if isinstance(signature, types.Signature):
        result, signature = signature.result, signature.arguments
    operands = signature if isinstance(signature, (tuple, list, types.Tuple)) else (signature,)
    results = () if result is None else result if isinstance(result, (tuple, list, types.Tuple)) else (result,)
    for one in (*operands, *results):
        if not isinstance(one, types.Number):
            raise TypeError(f"{one!r} is no number's type; signatures of ufuncs are written 'float64(float64, int32)'")
    return tuple(one.dtype for one in operands), tuple(one.dtype for one in results)


def _kind(one: Any, pointers: bool = False) -> Kind:
    if isinstance(one, types.Number):
        return ("scalar", one.dtype)
    if isinstance(one, types.Record):
        return _records_kind(one.dtype, 0)
    if isinstance(one, types.Array) and isinstance(one.dtype, types.Record):
        return _records_kind(one.dtype.dtype, one.ndim)
    if isinstance(one, types.Array):
        return ("array", one.dtype.dtype, one.ndim)
    if isinstance(one, types.Void):
        return ("none",)
    if isinstance(one, types.Slice):
        return ("slice", tuple(map(_kind, one.bounds)))
    if isinstance(one, types.Dispatcher):
        return ("function", one.dispatcher)
    if isinstance(one, types.Text):
        return ("text", one.value)
    if isinstance(one, types.Class):
        return ("dtype", one.dtype)
    if isinstance(one, types.Literal):
        return literal_kind_of(one.literal_value)
    if isinstance(one, types.Optional):
        return ("optional", _kind(one.type))
    if isinstance(one, types.List):
        return ("list", _kind(one.dtype))
    if isinstance(one, (tuple, types.Tuple)):
        return ("tuple", tuple(_kind(element) for element in one))
    if isinstance(one, types.CPointer) and pointers:
        return ("pointer", None if isinstance(one.dtype, types.Void) else one.dtype.dtype)
    if isinstance(one, types.CPointer):
        raise TypeError(
            f"{one!r}: kernels take arrays, not pointers; write {one.dtype!r}[:], cuda.as_cuda_array makes one"
        )
    raise TypeError(f"{one!r} is no type of an argument; write float32 or float32[:]")


def kind_of(value: Any) -> Kind:
    """The type of an argument of a launch."""
    known = _PYTHON.get(type(value))
    if known is not None:
        return _kind_of_int(value) if type(value) is int else known
    if isinstance(value, types.Type):
        return _kind(value)
    if isinstance(value, enum.Enum):
        return kind_of(value.value)
    if isinstance(value, tuple):
        elements = tuple(kind_of(element) for element in value)
        names = getattr(value, "_fields", None)
        if names is not None:
            note_named(type(value))
        return ("tuple", elements) if names is None else ("named", elements, names)
    if value is None:
        return ("none",)
    if isinstance(value, slice):
        return ("slice", tuple(map(kind_of, (value.start, value.stop, value.step))))
    if type(value) is list:
        return ("list", _kind_of_elements(value))
    if isinstance(value, str):
        return ("text", str(value))
    if is_function(value):
        return ("function", value)
    if isinstance(value, type) and issubclass(value, numpy.generic):
        return ("dtype", numpy.dtype(value))
    if isinstance(value, numpy.dtype) and records.is_number(value):
        return ("dtype", value, "object")
    if value is ...:
        return ("ellipsis",)
    dtype = getattr(value, "dtype", None)
    if not isinstance(dtype, numpy.dtype):
        dtype = None
    if dtype is not None and dtype.names is not None:
        return _records_kind(dtype, value.ndim)
    if isinstance(value, numpy.generic):
        return ("scalar", dtype)
    if dtype is not None and hasattr(value, "ndim"):
        return ("array", dtype, value.ndim)
    for python, kind in _PYTHON.items():
        if isinstance(value, python):
            return kind
    raise TypingError(f"compiled functions take numbers, arrays and tuples of them, not {type(value).__name__}")


def is_function(value: Any) -> bool:
    """Whether it is compiled with its callers; objects that answer to any name, such as mocks, are not."""
    if isinstance(value, type) or not hasattr(value, "_kernel_function"):
        return False
    return isinstance(value._kernel_function(), _core.kernels.KernelFunction)


def literal_kind_of(value: Any) -> Kind:
    """The type of an argument for whose value a function is compiled."""
    if isinstance(value, (bool, numpy.bool_)):
        return ("literal", "bool", bool(value))
    if isinstance(value, (int, numpy.integer)) and -(2**63) <= value < 2**63:
        return ("literal", "int", int(value))
    if isinstance(value, slice):
        return ("slice", tuple(map(literal_kind_of, (value.start, value.stop, value.step))))
    return kind_of(value)


def name_of(value: Any) -> str:
    """The type of an argument as messages name it: arrays with their dtype."""
    dtype = getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else f"{type(value).__name__} of dtype {dtype}"


def _kind_of_int(value: int) -> Kind:
    if -(2**63) <= value < 2**63:
        return ("scalar", numpy.dtype("int64"))
    if not 0 <= value < 2**64:
        raise OverflowError(f"the integer {value} has more than 64 bits; pass a float")
    return ("scalar", numpy.dtype("uint64"))


def _kind_of_elements(values: list[Any]) -> Kind:
    if not values:
        raise ValueError("an empty list has no type of elements; pass an empty array, or make the list in the function")
    return kind_of(values[0])


def _records_kind(dtype: numpy.dtype[Any], ndim: int) -> Kind:
    records.note(dtype)
    fields = []
    for name in dtype.names or ():
        field, shape = dtype[name].subdtype or (dtype[name], ())
        axes = ndim + len(shape)
        fields.append(_records_kind(field, axes) if field.names else _field_kind(field, axes))
    return ("records", tuple(fields), dtype.names, ndim)


def _field_kind(dtype: numpy.dtype[Any], axes: int) -> Kind:
    return ("array", dtype, axes) if records.is_number(dtype) else ("bytes", dtype.str, axes + 1)


def note_functions(kinds: tuple[Kind, ...], captured: Any) -> None:
    """Names that functions among the arguments read are `captured`, too."""
    for kind in kinds:
        if kind[0] == "function":
            captured.add_function(kind[1]._captured)
        elif kind[0] in ("tuple", "named"):
            note_functions(kind[1], captured)


def write(kind: Kind) -> str:
    """The type as a signature writes it."""
    if kind[0] == "scalar":
        return str(kind[1])
    if kind[0] == "array":
        return f"{kind[1]}[{', '.join(':' * kind[2])}]"
    if kind[0] == "literal":
        return f"Literal[{kind[1]}]({kind[2]})"
    if kind[0] == "optional":
        return f"optional({write(kind[1])})"
    if kind[0] == "list":
        return f"List({write(kind[1])})"
    if kind[0] in ("tuple", "named"):
        return f"({', '.join(map(write, kind[1]))})"
    if kind[0] == "records":
        fields = (f"{name}: {write(field)}" for name, field in zip(kind[2], kind[1]))
        return f"Record({', '.join(fields)})"
    if kind[0] == "dtype":
        return f"class({kind[1]})"
    if kind[0] == "slice":
        return f"slice({write_all(kind[1])})"
    if kind[0] == "function":
        return f"type of {kind[1].__name__}"
    if kind[0] == "bytes":
        return str(numpy.dtype(kind[1]))
    if kind[0] == "ellipsis":
        return "..."
    return repr(kind[1]) if kind[0] == "text" else "none"


def write_all(kinds: tuple[Kind, ...]) -> str:
    """The types of a list of arguments, as a signature writes them."""
    return ", ".join(map(write, kinds))


def type_of(kind: Kind) -> Any:
    """The type as an object of tessera.types."""
    if kind[0] == "scalar":
        return types.Number(kind[1])
    if kind[0] == "array":
        return types.Array(kind[1], kind[2])
    if kind[0] == "literal":
        return types.Literal(kind[2])
    if kind[0] == "optional":
        return types.Optional(type_of(kind[1]))
    if kind[0] == "list":
        return types.List(type_of(kind[1]), reflected=True)
    if kind[0] in ("tuple", "named"):
        elements = tuple(map(type_of, kind[1]))
        alike = bool(elements) and all(one == elements[0] for one in elements)
        return types.UniTuple(elements[0], len(elements)) if alike else types.Tuple(elements)
    if kind[0] == "records":
        record = types.Record(_record_dtype(kind))
        return types.Array(record, kind[3]) if kind[3] else record
    if kind[0] == "dtype":
        return types.Class(kind[1])
    if kind[0] == "function":
        return types.Dispatcher(kind[1])
    if kind[0] == "other":
        return types.Type(kind[1])
    if kind[0] == "slice":
        return types.Slice(map(type_of, kind[1]))
    return types.Text(kind[1]) if kind[0] == "text" else types.none


def _record_dtype(kind: Kind) -> numpy.dtype[Any]:
    """The dtype of records, without gaps: kernels have an array for each field."""
    _, fields, names, ndim = kind
    listed: list[Any] = []
    for name, field in zip(names, fields):
        nested = field[0] == "records"
        listed.append((name, _record_dtype(field) if nested else numpy.dtype(field[1])))
    return numpy.dtype(listed)
