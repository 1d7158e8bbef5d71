"""Types in the signatures of kernels: `float32`, `int64[:, :]`, `void(float32[:], int32)`; called in a kernel they convert."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy

__all__ = [
    "Array",
    "BaseTuple",
    "Boolean",
    "CPointer",
    "Class",
    "Complex",
    "Float",
    "Integer",
    "List",
    "Literal",
    "NoneType",
    "Number",
    "Optional",
    "Record",
    "Signature",
    "Text",
    "Tuple",
    "Type",
    "UniTuple",
    "as_dtype",
    "from_dtype",
    "typeof",
    "void",
    "voidptr",
]


class Signature:
    """The types of a kernel's arguments, such as `void(float32[:], int32)`."""

    def __init__(self, result: Any, arguments: tuple[Any, ...]) -> None:
        self.result = self.return_type = result
        self.arguments = self.args = arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and (other.result, other.args) == (self.result, self.args)

    def __hash__(self) -> int:
        return hash((self.result, self.args))

    def __repr__(self) -> str:
        return f"{self.result}({', '.join(map(repr, self.arguments))})"


class Type:
    """What all types have in common; calling one with types makes a signature."""

    _name: str | None = None

    def __init__(self, name: str | None = None) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The type as a signature writes it."""
        return repr(self) if self._name is None else self._name

    def __getitem__(self, index: Any) -> Array:
        """The type of an array of such elements: `t[:]`, `t[:, ::1]`."""
        axes = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(axis, slice) for axis in axes):
            raise TypeError(f"types: {self!r}[{index!r}] is no type of arrays; write {self!r}[:] or {self!r}[:, :]")
        layout = "C" if axes[-1].step == 1 else "F" if axes[0].step == 1 else "A"
        return Array(self, len(axes), layout)

    def __call__(self, *arguments: Any) -> Any:
        return Signature(self, arguments)


class Void(Type):
    """What kernels return, and the type of None."""

    def __repr__(self) -> str:
        return "void"


class Number(Type):
    """The type of a number. Indexing with colons makes an array's; calling it converts a number or makes a signature."""

    def __new__(cls, dtype: Any = None) -> Any:
        chosen = _CLASSES.get(numpy.dtype(dtype).kind, Number) if cls is Number else cls
        return object.__new__(chosen)

    def __init__(self, dtype: Any) -> None:
        self.dtype = numpy.dtype(dtype)

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], (bool, int, float, complex, numpy.generic)):
            return self.dtype.type(arguments[0])
        return Signature(self, arguments)

    @property
    def bitwidth(self) -> int:
        """The bits of a number, 8 of a bool."""
        return 8 * self.dtype.itemsize

    @property
    def underlying_float(self) -> Number:
        """The type of the parts of a complex number."""
        return Number(numpy.zeros((), self.dtype).real.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return str(self.dtype)


class Boolean(Number):
    """The type of a bool."""


class Integer(Number):
    """The type of an integer."""

    @property
    def signed(self) -> bool:
        """Whether it has negative numbers."""
        return self.dtype.kind == "i"


class Float(Number):
    """The type of a float."""


class Complex(Number):
    """The type of a complex number."""


_CLASSES = {"b": Boolean, "i": Integer, "u": Integer, "f": Float, "c": Complex}


class Record(Type):
    """The type of a record, an element of a structured array."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = numpy.dtype(dtype)

    @property
    def size(self) -> int:
        """Bytes of a record."""
        return self.dtype.itemsize

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"Record({self.dtype})"


class Array(Type):
    """The type of an array: the type of its elements and its number of axes. Arrays of all layouts are of one type."""

    def __init__(self, dtype: Any, ndim: int, layout: str = "A", readonly: bool = False, aligned: bool = True) -> None:
        self.dtype = dtype if isinstance(dtype, (Number, Record)) else from_dtype(dtype)
        self.ndim = ndim
        self.layout = layout

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and (other.dtype, other.ndim) == (self.dtype, self.ndim)

    def __hash__(self) -> int:
        return hash((self.dtype, self.ndim))

    def __repr__(self) -> str:
        return f"{self.dtype!r}[{', '.join(':' * self.ndim)}]"


class CPointer(Type):
    """The type of a pointer, in signatures of code in C; kernels in Python take arrays, `t[:]`."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CPointer) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(("pointer", self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype!r}*"


class Dispatcher(Type):
    """The type of a compiled function that is passed to another one, which is compiled for it."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dispatcher) and other.dispatcher is self.dispatcher

    def __hash__(self) -> int:
        return id(self.dispatcher)

    def __repr__(self) -> str:
        return f"type of {self.dispatcher.__name__}"


class Slice(Type):
    """The type of a slice: those of its start, stop and step, each none or an integer's."""

    def __init__(self, bounds: Iterable[Any]) -> None:
        self.bounds = tuple(bounds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slice) and other.bounds == self.bounds

    def __hash__(self) -> int:
        return hash(self.bounds)

    def __repr__(self) -> str:
        return f"slice{self.bounds!r}"


class Text(Type):
    """The type of a text, for which a function is compiled by itself."""

    def __init__(self, value: str) -> None:
        self.value = self.literal_value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and other.value == self.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Text({self.value!r})"


class Class(Type):
    """The type of a type of numbers, such as numpy.float32, for which a function is compiled by itself."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = numpy.dtype(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Class) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(("class", self.dtype))

    def __repr__(self) -> str:
        return f"Class({self.dtype})"


class Tuple(Type):
    """The type of a tuple of elements of these types."""

    def __init__(self, types: Any) -> None:
        self.types = tuple(types)

    def __iter__(self) -> Any:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tuple) and other.types == self.types

    def __hash__(self) -> int:
        return hash(self.types)

    def __repr__(self) -> str:
        return f"Tuple({', '.join(map(repr, self.types))})"


class Literal(Type):
    """The type of an integer or bool for whose value a function is compiled, as `literally` asks for."""

    def __init__(self, value: Any) -> None:
        self.literal_value = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Literal)
            and other.literal_value == self.literal_value
            and type(other.literal_value) is type(self.literal_value)
        )

    def __hash__(self) -> int:
        return hash(("literal", self.literal_value))

    def __repr__(self) -> str:
        return f"Literal[{type(self.literal_value).__name__}]({self.literal_value})"


class Optional(Type):
    """The type of a value of another type, or None."""

    def __init__(self, value: Any) -> None:
        self.type = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Optional) and other.type == self.type

    def __hash__(self) -> int:
        return hash(("optional", self.type))

    def __repr__(self) -> str:
        return f"optional({self.type!r})"


class List(Type):
    """The type of a list of elements of one type. What a function adds to a list that is passed, the caller sees."""

    def __init__(self, dtype: Any, reflected: bool = False) -> None:
        self.dtype = dtype
        self.reflected = reflected

    def __eq__(self, other: object) -> bool:
        return isinstance(other, List) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(("list", self.dtype))

    def __repr__(self) -> str:
        return f"{'reflected ' if self.reflected else ''}list({self.dtype!r})"


class UniTuple(Tuple):
    """The type of a tuple of `count` elements of one type."""

    def __init__(self, dtype: Any, count: int) -> None:
        super().__init__([dtype] * count)
        self.dtype = dtype
        self.count = count


def from_dtype(dtype: Any) -> Any:
    """The type of elements of a dtype; of structured ones a Record."""
    dtype = numpy.dtype(dtype)
    if dtype.names is not None:
        return Record(dtype)
    if dtype.kind not in "biufc" and dtype.name != "bfloat16":
        raise TypeError(f"types: compiled functions have no numbers of {dtype}")
    return Number(dtype)


def as_dtype(kind: Any) -> numpy.dtype[Any]:
    """The dtype of a type of numbers or records."""
    return kind.dtype


def typeof(value: Any) -> Any:
    """The type that compiled functions give a value; raises TypeError for what they do not take."""
    from tessera.functions import signatures

    return signatures.type_of(signatures.kind_of(value))


void = Void()
none = void
voidptr = CPointer(void)
NoneType = Void
optional = Optional
BaseTuple = Tuple

# The names of C are those of a 64-bit Linux.
boolean = bool_ = b1 = Number("bool")
int8 = i1 = char = Number("int8")
int16 = i2 = short = Number("int16")
int32 = i4 = intc = Number("int32")
int64 = i8 = intp = int_ = long_ = longlong = Number("int64")
uint8 = u1 = uchar = byte = Number("uint8")
uint16 = u2 = ushort = Number("uint16")
uint32 = u4 = uintc = Number("uint32")
uint64 = u8 = uintp = uint = ulong = ulonglong = Number("uint64")
float16 = f2 = Number("float16")
float32 = f4 = single = Number("float32")
float64 = f8 = double = float_ = Number("float64")
complex64 = c8 = Number("complex64")
complex128 = c16 = Number("complex128")
voidptr = CPointer(void)

signed_domain = frozenset([int8, int16, int32, int64])
unsigned_domain = frozenset([uint8, uint16, uint32, uint64])
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset([float32, float64])
complex_domain = frozenset([complex64, complex128])
number_domain = integer_domain | real_domain | complex_domain

_NUMBERS = [name for name, value in list(globals().items()) if isinstance(value, Number)]
__all__ += [
    *_NUMBERS,
    "none",
    "voidptr",
    "signed_domain",
    "unsigned_domain",
    "integer_domain",
    "real_domain",
    "complex_domain",
    "number_domain",
]


def named() -> dict[str, Any]:
    """The names that signatures in strings may use."""
    names = [
        *_NUMBERS,
        "void",
        "voidptr",
        "none",
        "voidptr",
        "Array",
        "CPointer",
        "List",
        "Tuple",
        "UniTuple",
        "optional",
    ]
    return {name: globals()[name] for name in names}
