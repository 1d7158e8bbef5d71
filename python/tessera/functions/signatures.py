"""Types of arguments: from values, from signatures in strings, from objects of tessera.types."""

from __future__ import annotations

import _ctypes
import collections
import dataclasses
import enum
import sys
from typing import Any

import numpy

from tessera import _core, types
from tessera._numbers import is_number, is_of_time
from tessera.errors import TypingError
from tessera.functions import enums, records

# Types of arguments, which are objects of tessera.types.
Types = tuple[types.Type, ...]

_LONGEST_NAME = 64  # of texts for which functions are compiled; bind/kernel/calls/call_arguments.cpp has the same
_PYTHON = {bool: types.boolean, int: types.int64, float: types.float64, complex: types.complex128}


# The class of named tuples that was last seen with these fields: results are of it.
_NAMED: dict[tuple[str, ...], Any] = {}


def note_named(kind: Any) -> None:
    """Functions return tuples with the fields of this class as objects of it."""
    _NAMED.setdefault(kind._fields, kind) if "'" in "".join(kind._fields) else _NAMED.update({kind._fields: kind})


def note_maker(fields: tuple[str, ...], make: Any) -> None:
    """What makes results of tuples with these fields."""
    _NAMED[fields] = make


def is_frozen(value: Any) -> bool:
    """Whether it is a frozen dataclass, or an object of one, which functions have as a named tuple."""
    parameters = getattr(value, "__dataclass_params__", None)
    return bool(getattr(parameters, "frozen", False)) and dataclasses.is_dataclass(value)


def note_frozen(kind: Any) -> tuple[str, ...]:
    """The fields of a frozen dataclass, whose objects functions return."""
    names = tuple(field.name for field in dataclasses.fields(kind))
    _NAMED[names] = kind
    return names


def tuple_of_frozen(value: Any) -> Any:
    """The named tuple that stands for an object of a frozen dataclass."""
    names = note_frozen(type(value))
    return _FROZEN.setdefault(names, type(type(value).__name__, (tuple,), {"_fields": names}))(
        getattr(value, name) for name in names
    )


def make_named(names: tuple[str, ...], elements: tuple[Any, ...]) -> Any:
    """A named tuple with these fields."""
    return (_NAMED.get(names) or collections.namedtuple("Tuple", names))(*elements)


# Stand for frozen dataclasses, by their fields.
_FROZEN: dict[tuple[str, ...], Any] = {}
# The classes of random generators by the field of the named tuples that stand for them (tessera.functions.generators).
# No program can write these fields.
_GENERATORS = {"numpy'generator": "Generator", "numpy'random_state": "RandomState"}
_TUPLES = {field: type("Generator", (tuple,), {"_fields": (field,)}) for field in _GENERATORS}


def generators() -> dict[str, Any]:
    """The classes themselves; none where nothing has loaded numpy.random."""
    module = sys.modules.get("numpy.random")
    return {} if module is None else {field: getattr(module, name) for field, name in _GENERATORS.items()}


def is_generator(value: Any) -> bool:
    """Whether it is one of NumPy's random generators."""
    return isinstance(value, tuple(generators().values()))


def tuple_of_generator(value: Any) -> Any:
    """The named tuple that stands for a generator in a call: its address. Results with its field are the generator itself."""
    field = next(field for field, kind in generators().items() if isinstance(value, kind))
    _NAMED[(field,)] = _ctypes.PyObj_FromPtr
    return _TUPLES[field]((id(value),))


def field_of_generator(kind: Any) -> str | None:
    """The field of the named tuples of this type, if they stand for generators."""
    is_one = isinstance(kind, types.NamedTuple) and len(kind.fields) == 1 and kind.fields[0] in _GENERATORS
    return kind.fields[0] if is_one else None


def read(text: str) -> Any:
    """What a signature in a string stands for."""
    try:
        return eval(text, {"__builtins__": {}}, types.named())
    except Exception as error:
        raise TypeError(f"{text!r} is no signature ({error}); write 'void(float32[:], int32)'") from None


def parse(signature: Any) -> Types:
    """The types of the arguments that a signature lists: "void(float32[:], int32)", a Signature, a tuple of types."""
    return parse_with_result(signature)[0]


def parse_of_c(signature: types.Signature) -> tuple[Types, types.Type | None]:
    """The same of a function in C: arguments may be pointers."""
    result = None if isinstance(signature.result, types.Void) else _of_argument(signature.result)
    return tuple(_of_argument(one, True) for one in signature.arguments), result


def parse_with_result(signature: Any) -> tuple[Types, types.Type | None]:
    """The types of the arguments, and that of the result where the signature names it."""
    if isinstance(signature, str):
        signature = read(signature)
    result = None
    if isinstance(signature, types.Signature):
        result = None if signature.result is None else _of_argument(signature.result)
        signature = signature.arguments
    if isinstance(signature, types.Type) and not isinstance(signature, types.BaseTuple):
        signature = (signature,)
    return tuple(_of_argument(one) for one in signature), result


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
    operands = signature if isinstance(signature, (tuple, list, types.BaseTuple)) else (signature,)
    results = () if result is None else result if isinstance(result, (tuple, list, types.BaseTuple)) else (result,)
    for one in (*operands, *results):
        if not isinstance(one, types.Scalar):
            raise TypeError(f"{one!r} is no number's type; signatures of ufuncs are written 'float64(float64, int32)'")
    return tuple(one.dtype for one in operands), tuple(one.dtype for one in results)


def _of_argument(one: Any, pointers: bool = False) -> types.Type:
    """The type, if arguments can be of it."""
    if isinstance(one, tuple):
        return types.Tuple(map(_of_argument, one))
    if isinstance(one, types.CPointer) and not pointers:
        raise TypeError(
            f"{one!r}: kernels take arrays, not pointers; write {one.dtype!r}[:], cuda.as_cuda_array makes one"
        )
    one = types.form_of(one)
    if not isinstance(one, types.Type) or type(one) is types.Type:
        raise TypeError(f"{one!r} is no type of an argument; write float32 or float32[:]")
    if isinstance(getattr(one, "dtype", None), types.Record) or isinstance(one, types.Record):
        records.note(one.dtype if isinstance(one, types.Record) else one.dtype.dtype)
    return one


def type_of(value: Any) -> types.Type:
    """The type of an argument of a launch or a call."""
    known = _PYTHON.get(type(value))
    if known is not None:
        return _of_int(value) if type(value) is int else known
    if isinstance(value, types.Type):
        return _of_argument(value)
    if isinstance(value, enum.Enum):
        mark = enums.mark_of(type(value))
        return type_of(value.value) if mark is None else types.EnumMember(mark)
    if isinstance(value, tuple):
        return _of_tuple(value)
    if is_frozen(value) and not isinstance(value, type):
        return type_of(tuple_of_frozen(value))
    if value is None:
        return types.none
    if isinstance(value, slice):
        return types.Slice(map(type_of, (value.start, value.stop, value.step)))
    if "_compiled_as" in vars(type(value)):
        if value._compiled_type is None:
            raise ValueError("an empty list or typed dict has no type yet: make it by List.empty_list or Dict.empty")
        return value._compiled_type
    if isinstance(value, dict) or type(value) in (set, frozenset):
        return _of_table(value)
    if type(value) is list:
        if not value:
            raise ValueError(
                "an empty list has no type of elements; pass an empty array, or make the list in the function"
            )
        return types.List(element_type_of(value[0]), reflected=True)
    if isinstance(value, str) and (len(value) > _LONGEST_NAME or any("\ud800" <= one <= "\udfff" for one in value)):
        return types.unicode_type
    if isinstance(value, str):
        return types.StringLiteral(str(value))
    if isinstance(value, bytes):
        return types.Bytes()
    if is_function(value):
        return types.Dispatcher(value)
    if isinstance(value, _core.kernels.object):
        return types.of_class(_core.kernels.class_of_object(value))
    if isinstance(value, type) and issubclass(value, numpy.generic):
        return types.Class(value)
    if isinstance(value, numpy.dtype) and is_number(value):
        return types.DType(value)
    if value is ...:
        return types.EllipsisType()
    if is_generator(value):
        return type_of(tuple_of_generator(value))
    own = types.own_types().type_of(value)
    return _of_array(value) if own is None else own


def element_type_of(value: Any) -> types.Type:
    """The type of an element of a container: texts are not known when functions are compiled."""
    if isinstance(value, str):
        return types.unicode_type
    if isinstance(value, tuple) and not is_generator(value):
        return _of_tuple(value, element_type_of)
    return type_of(value)


def _of_table(value: Any) -> types.Type:
    """Of a dict or a set of Python's: its first element tells the types."""
    if not value:
        raise ValueError(
            f"an empty {type(value).__name__} has no types of elements; pass numba.typed.Dict.empty(key_type, value_type), or make it "
            "in the function"
        )
    first = next(iter(value))
    if isinstance(value, dict):
        return types.DictType(element_type_of(first), element_type_of(value[first]))
    return types.Set(element_type_of(first), reflected=True, frozen=type(value) is frozenset)


def _of_tuple(value: tuple[Any, ...], of_element: Any = None) -> types.Type:
    elements = tuple(map(of_element or type_of, value))
    if hasattr(value, "_fields"):
        if type(value) not in _TUPLES.values() and type(value) not in _FROZEN.values():
            note_named(type(value))
        return types.NamedTuple(elements, value._fields)
    alike = bool(elements) and all(one == elements[0] for one in elements)
    return types.UniTuple(elements[0], len(elements)) if alike else types.Tuple(elements)


def _of_array(value: Any) -> types.Type:
    dtype = getattr(value, "dtype", None)
    if not isinstance(dtype, numpy.dtype):
        dtype = None
    if dtype is not None and dtype.names is not None:
        records.note(dtype)
        return types.Array(types.Record(dtype), value.ndim) if value.ndim else types.Record(dtype)
    if dtype is not None and dtype.kind in "SU" and dtype.itemsize:
        return types.Array(types.from_dtype(dtype), value.ndim)
    if dtype is not None and not is_number(dtype) and not is_of_time(dtype) and dtype.name != "bfloat16":
        raise TypingError(
            f"compiled functions take numbers of at most 128 bits and arrays of them, not {dtype}: convert it, as in x.astype(float) or "
            "x.view('int64')"
        )
    if isinstance(value, numpy.generic):
        return types.Scalar(dtype)
    if dtype is not None and hasattr(value, "ndim"):
        return types.Array(types.Scalar(dtype), value.ndim)
    for python, made in _PYTHON.items():
        if isinstance(value, python):
            return made
    raise TypingError(f"compiled functions take numbers, arrays and tuples of them, not {type(value).__name__}")


def is_function(value: Any) -> bool:
    """Whether it is compiled with its callers; objects that answer to any name, such as mocks, are not."""
    if isinstance(value, type) or not hasattr(value, "_kernel_function"):
        return False
    return isinstance(value._kernel_function(), _core.kernels.KernelFunction)


def literal_type_of(value: Any) -> types.Type:
    """The type of an argument for whose value a function is compiled."""
    if isinstance(value, (bool, numpy.bool_)):
        return types.literal(bool(value))
    if isinstance(value, (int, numpy.integer)) and -(2**63) <= value < 2**63:
        return types.literal(int(value))
    if isinstance(value, slice):
        return types.Slice(map(literal_type_of, (value.start, value.stop, value.step)))
    return type_of(value)


def name_of(value: Any) -> str:
    """The type of an argument as messages name it: arrays with their dtype."""
    dtype = getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else f"{type(value).__name__} of dtype {dtype}"


def _of_int(value: int) -> types.Type:
    if -(2**63) <= value < 2**63:
        return types.int64
    if not 0 <= value < 2**64:
        raise OverflowError(f"the integer {value} has more than 64 bits; pass a float")
    return types.uint64


def note_functions(listed: Types, captured: Any) -> None:
    """Names that functions among the arguments read are `captured`, too."""
    for one in listed:
        for function in _core.types.functions(one):
            captured.add_function(function._captured)


def write(one: types.Type) -> str:
    """The type as a signature writes it."""
    if isinstance(one, types.Array) and isinstance(one.dtype, types.Record):
        return f"{write(one.dtype)}[{', '.join(':' * one.ndim)}]"
    if isinstance(one, types.Optional):
        return f"optional({write(one.type)})"
    if isinstance(one, types.List):
        return f"List({write(one.dtype)})"
    if isinstance(one, types.BaseTuple):
        return f"({write_all(one.types)})"
    if isinstance(one, types.Record):
        return f"Record({', '.join(f'{name}: {_write_field(one.dtype[name])}' for name in one.dtype.names)})"
    if isinstance(one, types.Class):
        return f"class({one.dtype})"
    if isinstance(one, types.Slice):
        return f"slice({write_all(one.bounds)})"
    if isinstance(one, types.StringLiteral):
        return repr(one.literal_value)
    return "none" if isinstance(one, types.Void) else repr(one)


def _write_field(dtype: numpy.dtype[Any]) -> str:
    return write(types.Record(dtype)) if dtype.names else str(dtype)


def write_all(listed: Types) -> str:
    """The types of a list of arguments, as a signature writes them."""
    return ", ".join(map(write, listed))


class Overload:
    """A version of a function as Numba has it: what was compiled, with the types of its arguments and of its result."""

    def __init__(self, compiled: Any, kinds: tuple[Any, ...]) -> None:
        self._compiled = compiled
        self.signature = types.Signature(types.of(compiled.result_type), kinds)

    def __getattr__(self, name: str) -> Any:
        if name == "_compiled":  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self._compiled, name)
