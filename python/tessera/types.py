"""Types in the signatures of kernels: `float32`, `int64[:, :]`, `void(float32[:], int32)`; called in a kernel they convert."""

from __future__ import annotations

import collections.abc
import sys
from typing import Any
from typing import NamedTuple as NamedTupleBase

import numpy

from tessera._core import types as _made
from tessera._core.kernels import add_class
from tessera._numbers import is_number, is_of_time
from tessera._record_layouts import layout_number, layout_of

__all__ = [
    "Array",
    "ArrayCompatible",
    "BaseTuple",
    "Boolean",
    "BooleanLiteral",
    "BoundFunction",
    "Buffer",
    "Bytes",
    "CPointer",
    "Callable",
    "CharSeq",
    "Class",
    "ClassInstance",
    "Complex",
    "DeferredType",
    "DType",
    "DictType",
    "Dummy",
    "EllipsisType",
    "FunctionType",
    "EnumMember",
    "Float",
    "Function",
    "Generator",
    "Integer",
    "IntegerLiteral",
    "List",
    "ListType",
    "Literal",
    "NamedTuple",
    "NestedArray",
    "NPDatetime",
    "NPTimedelta",
    "Module",
    "NoneType",
    "Number",
    "NumberClass",
    "Omitted",
    "Opaque",
    "Optional",
    "PyObject",
    "RangeType",
    "Record",
    "Scalar",
    "Sequence",
    "Set",
    "Signature",
    "Slice",
    "SliceType",
    "StarArgTuple",
    "StarArgUniTuple",
    "StringLiteral",
    "StructRef",
    "Tuple",
    "Type",
    "TypeRef",
    "UniTuple",
    "UnicodeCharSeq",
    "UnicodeType",
    "VarArg",
    "WrapperAddressProtocol",
    "as_dtype",
    "deferred_type",
    "from_dtype",
    "literal",
    "typeof",
    "unicode_type",
    "unliteral",
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

    def as_type(self) -> FunctionType:
        """The type of functions with this signature."""
        return FunctionType(self)


class Type(_made.Type):
    """What all types have in common; calling one with types makes a signature. Types are equal where compiled functions do not tell
    them apart."""

    # The arguments that make an equal one.
    _fields: tuple[str, ...] = ("_name",)
    _name: str | None = None

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_made.other(str(name)))
        self._name = name

    @property
    def name(self) -> str:
        """The type as Numba names it."""
        return str(self) if self._name is None else self._name

    @property
    def key(self) -> Any:
        """What tells it from others of its class."""
        return self.name

    def __getitem__(self, index: Any) -> Array:
        """The type of an array of such elements: `t[:]`, `t[:, ::1]`."""
        axes = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(axis, slice) for axis in axes):
            raise TypeError(f"types: {self!r}[{index!r}] is no type of arrays; write {self!r}[:] or {self!r}[:, :]")
        layout = "C" if axes[-1].step == 1 else "F" if axes[0].step == 1 else "A"
        return Array(self, len(axes), layout)

    def __call__(self, *arguments: Any) -> Any:
        return Signature(self, arguments)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self._name is None else self._name})"

    def __str__(self) -> str:
        return repr(self) if self._name is None else self._name

    def __reduce__(self) -> Any:
        if type(self).__module__ == __name__ or type(self)._fields is not Type._fields:
            return type(self), tuple(getattr(self, field) for field in self._fields)
        # A package's own: its attributes say what it is, and types of one key are one object in a process.
        _pickled.setdefault((type(self), self.key), self)
        return _unpickled, (type(self), self.__getstate__())


class OwnTypes:
    """What is known of types of packages' own, and of objects of such types. There are none until `tessera.functions.own_types` is there."""

    def is_own(self, kind: Any) -> bool:
        return False

    def form_of(self, kind: Any) -> Any:
        """What the compiler has in place of the type, others as they are."""
        return kind

    def of_fields(self, fields: tuple[str, ...]) -> Any:
        """The type whose form is a tuple with these fields."""
        return None

    def has_type(self, value: Any) -> bool:
        """Whether a package says of which type the object is."""
        return False

    def type_of(self, value: Any) -> Any:
        """The type of such an object, as the compiler has it, None for others."""
        return None

    def native_of(self, value: Any) -> Any:
        """What functions take in the object's place; others as they are."""
        return value

    def unboxed(self, kind: Any, value: Any) -> Any:
        """The object taken apart."""
        return value

    def boxed(self, form: Any, *elements: Any) -> Any:
        """The object that is made of these."""
        return elements


_own = OwnTypes()


def own_types() -> OwnTypes:
    return _own


def set_own(known: OwnTypes) -> None:
    global _own
    _own = known


def form_of(kind: Any) -> Any:
    """A type of a package's own as the compiler has it, others as they are."""
    return _own.form_of(kind)


def _checked(name: str, value: Any) -> Any:
    """A type that another is made of."""
    if not isinstance(value, Type):
        raise TypeError(f"types.{name}: {value!r} is no type; write types.int64, types.float32[:] or the like")
    return value


class Void(Type):
    """What kernels return, and the type of None."""

    _fields = ()

    def __init__(self) -> None:
        _made.Type.__init__(self, _made.none())

    def __repr__(self) -> str:
        return "void"

    def __str__(self) -> str:
        return "none"


class Scalar(Type):
    """The type of one element: a number, a bool, a date. Indexing with colons makes an array's; calling it converts a value or makes a
    signature. With a dtype it is one of its classes."""

    _fields = ("dtype",)

    def __new__(cls, *given: Any) -> Any:
        return super().__new__(_CLASSES.get(numpy.dtype(*given).kind, Number) if cls is Scalar else cls)

    def __init__(self, dtype: Any) -> None:
        self.dtype = numpy.dtype(dtype)
        _made.Type.__init__(self, _made.number(self.dtype))

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], (bool, int, float, complex, numpy.generic)):
            return self.dtype.type(arguments[0])
        return Signature(self, arguments)

    @property
    def bitwidth(self) -> int:
        """The bits of a number, 8 of a bool."""
        return 8 * self.dtype.itemsize

    def cast_python_value(self, value: Any) -> Any:
        """The number as one of the type."""
        return self.dtype.type(value)

    @property
    def underlying_float(self) -> Scalar:
        """The type of the parts of a complex number."""
        return Scalar(numpy.zeros((), self.dtype).real.dtype)

    def __repr__(self) -> str:
        return str(self.dtype)


class Boolean(Scalar):
    """The type of a bool, which is no number to choosers, as Numba has it."""


class Number(Scalar):
    """The type of a number."""


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


class _OfTime(Scalar):
    """The type of a date or a span of time, of NumPy's unit."""

    _fields = ("unit",)
    _kind = ""

    def __init__(self, unit: Any) -> None:
        if not isinstance(unit, numpy.dtype):
            unit = numpy.dtype(f"{self._kind}[{unit}]" if unit else self._kind)
        name, step = numpy.datetime_data(unit)
        self.unit = "" if name == "generic" else name
        if step != 1 and self.unit:
            raise TypeError(
                f"compiled functions have units of one step, not {unit}: convert it, as in x.astype('{self._kind}[{name}]')"
            )
        super().__init__(unit)


class NPDatetime(_OfTime):
    """The type of a date, datetime64."""

    _kind = "datetime64"


class NPTimedelta(_OfTime):
    """The type of a span of time, timedelta64."""

    _kind = "timedelta64"


_CLASSES = {"M": NPDatetime, "m": NPTimedelta, "b": Boolean, "i": Integer, "u": Integer, "f": Float, "c": Complex}


def _records(dtype: numpy.dtype[Any], ndim: int) -> Any:
    """Of records with these fields, which compiled functions have as an array for each of them."""
    fields = []
    for name in dtype.names or ():
        field, shape = dtype[name].subdtype or (dtype[name], ())
        axes = ndim + len(shape)
        if field.names:
            fields.append(_records(field, axes))
        else:
            fields.append(
                _made.array(field, axes) if is_number(field) or is_of_time(field) else _made.bytes(field.str, axes + 1)
            )
    return _made.record(fields, list(dtype.names or ()), ndim, layout_number(dtype))


class UnicodeCharSeq(Type):
    """The type of elements of arrays of texts of at most `count` characters; functions have them as texts."""

    _fields = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count
        self.dtype = numpy.dtype(f"U{count}")
        _made.Type.__init__(self, _made.string())

    @property
    def key(self) -> Any:
        """How many characters there are."""
        return self.count

    def __repr__(self) -> str:
        return f"[unichr x {self.count}]"


class CharSeq(UnicodeCharSeq):
    """The same of bytes."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.dtype = numpy.dtype(f"S{count}")
        _made.Type.__init__(self, _made.bytes_value())

    def __repr__(self) -> str:
        return f"[char x {self.count}]"


class RecordField(NamedTupleBase):
    """A field's type, and where it begins, in bytes."""

    type: Any
    offset: int


def _type_of_field(dtype: numpy.dtype[Any]) -> Any:
    element, shape = dtype.subdtype or (dtype, ())
    return NestedArray(from_dtype(element), shape) if shape else from_dtype(element)


class Record(Type):
    """The type of a record, an element of a structured array."""

    _fields = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        self.dtype = numpy.dtype(dtype)
        _made.Type.__init__(self, _records(self.dtype, 0))

    @property
    def size(self) -> int:
        """Bytes of a record."""
        return self.dtype.itemsize

    @property
    def fields(self) -> dict[str, RecordField]:
        """Types and places of the fields."""
        named = ((name, self.dtype.fields[name]) for name in self.dtype.names)  # type: ignore[index,union-attr]
        return {name: RecordField(_type_of_field(one[0]), one[1]) for name, one in named}

    @property
    def members(self) -> list[tuple[str, Any]]:
        """Names and types of the fields."""
        return [(name, one.type) for name, one in self.fields.items()]

    def typeof(self, name: str) -> Any:
        """The type of a field."""
        return self.fields[name].type

    def offset(self, name: str) -> int:
        """Where a field begins, in bytes."""
        return self.fields[name].offset

    def __repr__(self) -> str:
        return f"Record({self.dtype})"


_MOST_AXES = 64  # NumPy's
_CHARACTERS = "characters'"  # the field of the records that arrays of texts are to the compiler (values/characters)


class ArrayCompatible(Type):
    """What types of a package's own derive from that wrap an array, and types of arrays."""


class Array(ArrayCompatible):
    """The type of an array: the type of its elements and its number of axes. Arrays of all layouts are of one type."""

    _fields = ("dtype", "ndim", "layout")

    def __init__(self, dtype: Any, ndim: int, layout: str = "A", readonly: bool = False, aligned: bool = True) -> None:
        if not isinstance(ndim, int) or not 0 <= ndim <= _MOST_AXES:
            raise ValueError(f"types.Array: {ndim!r} axes; an array has 0 to {_MOST_AXES}")
        self.dtype = dtype if isinstance(dtype, (Scalar, Record, UnicodeCharSeq)) else from_dtype(dtype)
        self.ndim = ndim
        self.layout = layout
        self.aligned = aligned
        self._readonly: bool | None = readonly
        element = self.dtype.dtype
        if isinstance(self.dtype, UnicodeCharSeq):
            made = _made.record([_made.bytes(element.str, ndim + 1)], [_CHARACTERS], ndim, 0)
        else:
            made = _records(element, ndim) if isinstance(self.dtype, Record) else _made.array(element, ndim)
        _made.Type.__init__(self, made)

    @property
    def mutable(self) -> bool:
        """Whether elements may be stored; of arrays in functions, which are compiled once for both, TypeError."""
        if self._readonly is None:
            raise TypeError(
                "functions are compiled once for arrays that are read-only and others: choosers are not told"
            )
        return not self._readonly

    @property
    def key(self) -> Any:
        """What Numba's key is."""
        return self.dtype, self.ndim, self.layout, not self._readonly, self.aligned

    @property
    def is_c_contig(self) -> bool:
        """Whether its layout is C's, or both with one axis."""
        return self.layout == "C" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_f_contig(self) -> bool:
        """Whether its layout is Fortran's, or both with one axis."""
        return self.layout == "F" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_contig(self) -> bool:
        """Whether elements follow one another."""
        return self.layout in "CF"

    def copy(self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None) -> Array:
        """The same type with what is given in place of its own."""
        return Array(
            self.dtype if dtype is None else dtype,
            self.ndim if ndim is None else ndim,
            self.layout if layout is None else layout,
            bool(self._readonly) if readonly is None else readonly,
            self.aligned,
        )

    def __repr__(self) -> str:
        return f"{self.dtype!r}[{', '.join(':' * self.ndim)}]"

    def __str__(self) -> str:
        text = f"array({self.dtype}, {self.ndim}d, {self.layout})"
        return f"readonly {text}" if self._readonly else text


class NestedArray(Array):
    """The type of an array that is a field of records."""

    _fields = ("dtype", "shape")

    def __init__(self, dtype: Any, shape: tuple[int, ...]) -> None:
        self.shape = tuple(shape)
        super().__init__(dtype, len(self.shape), "C")

    def __str__(self) -> str:
        return f"nestedarray({self.dtype}, {self.shape})"


class CPointer(Type):
    """The type of a pointer, in signatures of code in C; kernels in Python take arrays, `t[:]`."""

    _fields = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        # What is at the address of another pointer is the number of a byte.
        pointed = None if isinstance(dtype, Void) else getattr(dtype, "dtype", None)
        _made.Type.__init__(self, _made.pointer(pointed if isinstance(pointed, numpy.dtype) else None))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CPointer) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(("pointer", self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype!r}*"


class Dispatcher(Type):
    """The type of a compiled function that is passed to another one, which is compiled for it."""

    _fields = ("dispatcher",)

    def __init__(self, dispatcher: Any) -> None:
        _made.Type.__init__(self, _made.function(dispatcher))

    @property
    def dispatcher(self) -> Any:
        """The function."""
        return _made.parts(self)[1]

    def __repr__(self) -> str:
        return f"type of {self.dispatcher.__name__}"


class FunctionType(Type):
    """In signatures: the type of functions that take and return these types. A function that is passed is compiled with its caller, and
    its arguments and its result become numbers of these types."""

    _fields = ("signature",)

    def __init__(self, signature: Signature) -> None:
        if not isinstance(signature, Signature) or signature.result is None:
            raise TypeError(
                f"types.FunctionType: {signature!r} is no signature; write types.FunctionType(types.int64(types.int64))"
            )
        self.signature = signature
        self.nargs = len(signature.args)
        super().__init__(f"FunctionType[{signature.result}({', '.join(map(str, signature.args))})]")

    @property
    def key(self) -> Any:
        """The signature, as text."""
        return str(self)[len("FunctionType[") : -1]

    def is_precise(self) -> bool:
        """All types of the signature are known."""
        return True

    def __repr__(self) -> str:
        return str(self)


class Slice(Type):
    """The type of a slice: those of its start, stop and step, each none or an integer's."""

    _fields = ("bounds",)

    def __init__(self, bounds: collections.abc.Iterable[Any]) -> None:
        self.bounds = tuple(bounds)
        _made.Type.__init__(self, _made.slice(self.bounds))

    def __repr__(self) -> str:
        return f"slice{self.bounds!r}"


class EllipsisType(Type):
    """The type of `...`."""

    _fields = ()

    def __init__(self) -> None:
        _made.Type.__init__(self, _made.ellipsis())

    def __repr__(self) -> str:
        return "..."


class Class(Type):
    """The type of a type of numbers, such as numpy.float32, for which a function is compiled by itself."""

    _fields = ("dtype",)
    _is_object = False

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype.dtype if isinstance(dtype, Scalar) else numpy.dtype(dtype)
        _made.Type.__init__(self, _made.class_of(self.dtype, self._is_object))

    @property
    def instance_type(self) -> Any:
        """The type of the numbers."""
        return Scalar(self.dtype)

    @property
    def key(self) -> Any:
        """The type of the numbers."""
        return self.instance_type

    def __repr__(self) -> str:
        return f"class({self.dtype})"


class DType(Class):
    """The type of a dtype, an object."""

    _is_object = True

    def __repr__(self) -> str:
        return f"dtype({self.dtype})"


class Sequence(Type):
    """What types of tuples and lists derive from."""


class BaseTuple(Sequence):
    """What all types of tuples derive from."""

    def _set(self, types: tuple[Any, ...], fields: tuple[str, ...] = ()) -> None:
        self.types = tuple(_checked("Tuple", one) for one in types)
        self.count = len(self.types)
        _made.Type.__init__(self, _made.tuple(tuple(map(form_of, types)), fields))

    def __iter__(self) -> Any:
        return iter(self.types)

    def __getitem__(self, index: Any) -> Any:
        """The type of an element, or of a part; with colons alone that of an array."""
        if isinstance(index, int) or isinstance(index, slice) and (index.start, index.stop) != (None, None):
            return self.types[index]
        return super().__getitem__(index)

    def __len__(self) -> int:
        return len(self.types)

    def __repr__(self) -> str:
        return f"Tuple({', '.join(map(repr, self.types))})"


class BaseAnonymousTuple(BaseTuple):
    """What types of tuples without names derive from."""


class Tuple(BaseAnonymousTuple):
    """The type of a tuple of elements of these types; of elements that are all of one type it makes a UniTuple."""

    _fields = ("types",)

    def __new__(cls, types: Any) -> Any:
        listed = tuple(types)
        alike = bool(listed) and all(one == listed[0] for one in listed)
        if alike and cls is Tuple:
            return UniTuple(listed[0], len(listed))
        made = super().__new__(cls)
        made.types = listed  # of an iterator, which is at its end now
        return made

    def __init__(self, types: Any) -> None:
        self._set(self.types)


class UniTuple(BaseAnonymousTuple):
    """The type of a tuple of `count` elements of one type."""

    _fields = ("dtype", "count")

    def __init__(self, dtype: Any, count: int) -> None:
        self._set((dtype,) * count)
        self.dtype = dtype
        self.count = count

    def __repr__(self) -> str:
        return f"UniTuple({self.dtype!r}, {self.count})"

    def __str__(self) -> str:
        return f"UniTuple({self.dtype} x {self.count})"


class NamedTuple(BaseTuple):
    """The type of a named tuple with these fields."""

    _fields = ("types", "fields")

    def __init__(self, types: Any, fields: Any) -> None:
        self.fields = tuple(getattr(fields, "_fields", fields))
        self._set(tuple(types), self.fields)

    def __repr__(self) -> str:
        named = (f"{name}: {one!r}" for name, one in zip(self.fields, self.types))
        return f"NamedTuple({', '.join(named)})"


class Bytes(Type):
    """The type of bytes."""

    _fields = ()

    def __init__(self, dtype: Any = None, ndim: int = 1, layout: str = "C") -> None:
        _made.Type.__init__(self, _made.bytes_value())
        self.dtype, self.ndim, self.layout = uint8, 1, "C"

    def __repr__(self) -> str:
        return "bytes(uint8, 1d, C)"


class Opaque(Type):
    """What types of a package's own derive from whose values have no members."""


class Dummy(Opaque):
    """The same."""


class Literal:
    """The type of a constant, with its value: `literal(value)` makes one. Choosers are asked for it where they do not take the value's type."""

    # No Type itself, since its classes are types of numbers or of texts.
    literal_value: Any

    def __init__(self, value: Any) -> None:
        raise TypeError("types.Literal cannot be constructed directly; write types.literal(value)")

    @property
    def literal_type(self) -> Any:
        """The type of the value."""
        return _LITERALS[type(self.literal_value)][1]

    def __repr__(self) -> str:
        return f"Literal[{type(self.literal_value).__name__}]({self.literal_value})"

    def __reduce__(self) -> Any:
        return literal, (self.literal_value,)


class IntegerLiteral(Literal, Integer):
    """The type of a constant integer."""

    def __init__(self, value: int) -> None:
        self.literal_value = value
        self.dtype = numpy.dtype("int64")
        _made.Type.__init__(self, _made.literal(value))


class BooleanLiteral(Literal, Boolean):
    """The type of a constant bool."""

    def __init__(self, value: bool) -> None:
        self.literal_value = value
        self.dtype = numpy.dtype("bool")
        _made.Type.__init__(self, _made.literal(value))


class StringLiteral(Literal, Dummy):
    """The type of a text that is known when functions are compiled, for which each is compiled by itself."""

    def __init__(self, value: str) -> None:
        self.literal_value = value
        _made.Type.__init__(self, _made.text(value))


def literal(value: Any) -> Any:
    """The type of a constant: of an integer of 64 bits, a bool or a text."""
    if isinstance(value, Literal):
        raise ValueError(f"the function does not accept a Literal type; got {value} ({type(value)})")
    if type(value) not in _LITERALS:
        from tessera.errors import TypingError

        raise TypingError(f"{type(value)} cannot be used as a literal")
    return _LITERALS[type(value)][0](value)


def unliteral(kind: Any) -> Any:
    """The type without the values of constants in it."""
    if isinstance(kind, Literal):
        return kind.literal_type
    if isinstance(kind, Slice):
        return Slice(map(unliteral, kind.bounds))
    if not isinstance(kind, BaseTuple) or not any(isinstance(one, (Literal, BaseTuple)) for one in kind.types):
        return kind
    elements = tuple(map(unliteral, kind.types))
    if isinstance(kind, NamedTuple):
        return NamedTuple(elements, kind.fields)
    alike = all(one == elements[0] for one in elements)
    return UniTuple(elements[0], len(elements)) if elements and alike else Tuple(elements)


class Optional(Type):
    """The type of a value of another type, or None."""

    _fields = ("type",)

    def __init__(self, value: Any) -> None:
        self.type = _checked("Optional", value)
        _made.Type.__init__(self, _made.optional(form_of(value)))

    def __repr__(self) -> str:
        return f"optional({self.type!r})"


class List(Sequence):
    """The type of a list of elements of one type. What a function adds to a list that is passed, the caller sees."""

    _fields = ("dtype", "reflected")

    def __init__(self, dtype: Any, reflected: bool = False) -> None:
        self.dtype = _checked("List", dtype)
        self.reflected = reflected
        _made.Type.__init__(self, _made.list(form_of(dtype), isinstance(self, ListType)))

    def __repr__(self) -> str:
        return f"{'reflected ' if self.reflected else ''}list({self.dtype!r})"


class EnumMember(Type):
    """The type of members of an enumeration."""

    _fields = ("mark",)

    def __init__(self, mark: str, dtype: Any = None) -> None:
        from tessera.functions import enums

        self.mark = mark
        self.instance_class = enums.class_of(mark)
        _made.Type.__init__(self, _made.member(enums.dtype_of(self.instance_class), mark))

    def __repr__(self) -> str:
        return f"Enum({self.instance_class.__name__})"


def _list_of(element: Any, typed: bool) -> Any:
    return ListType(element) if typed else List(element, reflected=True)


# The types of classes with @jitclass, by number.
_classes: dict[int, Any] = {}


def note_class(number: int, class_type: Any) -> None:
    """Which class the number stands for."""
    _classes[number] = class_type


class ClassInstance(Type):
    """The type of objects of a class with @jitclass."""

    _fields = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number
        _made.Type.__init__(self, _made.object(number))

    @property
    def class_type(self) -> Any:
        """The type of the class."""
        return _classes[self.number]

    @property
    def struct(self) -> Any:
        """The fields' types by name."""
        return self.class_type.struct

    def __repr__(self) -> str:
        return f"instance.{_classes[self.number]!r}"


def of_class(number: int) -> Any:
    """The type of the objects of a class."""
    return _classes[number].instance_type


# Are called with each new type of structures.
_noted_structs: list[collections.abc.Callable[[Any], None]] = []


class StructRef(Type):
    """The type of structures with these fields, pairs of a name and a type, which are passed by reference. Packages' types derive from it."""

    _fields = ("fields",)

    def __init__(self, fields: Any) -> None:
        given = tuple(map(_checked_field, fields))
        # What preprocess_fields says may hold the type itself, so it is asked with the number of each that this one may be.
        for one in structs():
            if type(one) is type(self) and self._tried(one.number, given).fields == one.fields:
                self._set(one.number, one.fields)
                return
        number = add_class(type(self).__qualname__)
        self._set(number, self._tried(number, given).fields)
        _classes[number] = self
        for note in _noted_structs:
            note(self)

    def _tried(self, number: int, given: Any) -> Any:
        """The type if it had this number."""
        probe = type(self).__new__(type(self))
        probe._set(number, given)
        probe.fields = tuple(map(_checked_field, probe.preprocess_fields(given)))
        return probe

    def _set(self, number: int, fields: Any) -> None:
        self.number, self.fields, self.instance_type = number, fields, self
        self._name = f"numba.{type(self).__qualname__}#{number}"  # which its fields may name
        _made.Type.__init__(self, _made.object(number))
        self._name = f"numba.{type(self).__qualname__}{fields}"

    def preprocess_fields(self, fields: Any) -> Any:
        """What a class makes of the fields that it is given."""
        return fields

    @property
    def field_dict(self) -> dict[str, Any]:
        """The fields' types by name."""
        return dict(self.fields)

    @property
    def name(self) -> str:
        """The type as messages write it."""
        return str(self._name)

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self.name


def structs() -> list[Any]:
    """All types of structures."""
    return [one for one in _classes.values() if isinstance(one, StructRef)]


def _checked_field(field: Any) -> tuple[str, Any]:
    name, one = field
    if not isinstance(name, str):
        raise ValueError(f"expecting a str for field name, got {name!r}")
    if not isinstance(one, Type) and one is not Any:  # which preprocess_fields replaces
        raise ValueError(f"expecting a Numba Type for field type, got {one!r}")
    return name, one


# Is called where a deferred type has become known.
_noted: list[Any] = []


class DeferredType(Type):
    """A type that is said later, by `define`: that of objects of a class which has such fields itself."""

    _fields = ()

    def __init__(self) -> None:
        _made.Type.__init__(self, _made.other(f"deferred_type#{id(self)}"))
        self._type: Any = None

    def define(self, one: Any) -> None:
        """Says which type it is."""
        if self._type is not None:
            raise TypeError("deferred type already defined")
        self._type = _checked("DeferredType.define", one)
        for note in _noted:
            note()

    def get(self) -> Any:
        """The type that it is."""
        if self._type is None:
            raise RuntimeError("deferred type not defined")
        return self._type

    def __repr__(self) -> str:
        return f"DeferredType#{id(self)}"


def deferred_type() -> DeferredType:
    """A type that is said later, by its `define`."""
    return DeferredType()


class ListType(List):
    """The type of a typed list, of elements of one type."""

    _fields = ("dtype",)

    def __init__(self, item_type: Any) -> None:
        super().__init__(item_type)

    @property
    def item_type(self) -> Any:
        """The type of the elements."""
        return self.dtype

    def __repr__(self) -> str:
        return f"ListType[{self.dtype!r}]"


class DictType(Type):
    """The type of a dict: the type of its keys and that of its values."""

    _fields = ("key_type", "value_type")

    def __init__(self, key_type: Any, value_type: Any) -> None:
        self.key_type = self.keyty = _checked("DictType", key_type)
        self.value_type = self.valty = _checked("DictType", value_type)
        self.dictvalue = None
        _made.Type.__init__(self, _made.dict(form_of(key_type), form_of(value_type)))

    def __repr__(self) -> str:
        return f"DictType[{self.key_type!r},{self.value_type!r}]"


class Set(Type):
    """The type of a set of elements of one type; `frozen` of one that does not change."""

    _fields = ("dtype", "reflected", "frozen")

    def __init__(self, dtype: Any, reflected: bool = False, frozen: bool = False) -> None:
        self.dtype = _checked("Set", dtype)
        self.reflected = reflected
        self.frozen = frozen
        _made.Type.__init__(self, _made.set(dtype, frozen))

    def __repr__(self) -> str:
        return f"{'frozenset' if self.frozen else 'set'}({self.dtype!r})"


class UnicodeType(Type):
    """The type of texts that are known when a function runs, for all of which it is compiled once."""

    _fields = ()

    def __init__(self, name: str = "unicode_type") -> None:
        _made.Type.__init__(self, _made.string())

    def __repr__(self) -> str:
        return "unicode_type"


class Callable(Opaque):
    """What types of a package's own derive from whose values are called."""


class BoundFunction(Callable):
    """What Numba's templates give for methods."""


class TypeRef(Opaque):
    """A class of types, which choosers of `overload_classmethod` get."""

    def __init__(self, instance_type: Any) -> None:
        self.instance_type = instance_type
        super().__init__(f"typeref[{instance_type!r}]")


class StarArgTuple(Tuple):
    """What Numba passes for further arguments; choosers here get these one by one."""


class StarArgUniTuple(UniTuple):
    """The same of one type."""


class Buffer(ArrayCompatible):
    """The same, with what Numba's types of arrays have."""

    def __init__(self, dtype: Any, ndim: int, layout: str, readonly: bool = False, name: str | None = None) -> None:
        self.dtype, self.ndim, self.layout, self.mutable = dtype, ndim, layout, not readonly
        super().__init__(name or f"{type(self).__name__}({dtype!r}, {ndim}d, {layout})")


class Omitted(Opaque):
    """The type of an argument that is left out, with its default value."""

    def __init__(self, default: Any) -> None:
        self.value = default
        super().__init__(f"omitted(default={default!r})")


class RangeType(Type):
    """The type of a range."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        _made.Type.__init__(self, _made.other("range"))

    def __repr__(self) -> str:
        return f"range_state_{self.dtype}"


class Function(Callable):
    """The type of a function that is not compiled, such as one of NumPy's; its name is that of messages."""


class Generator(Opaque):
    """The type of a generator; what it gives is not known to choosers."""


class Module(Dummy):
    """The type of a module."""

    def __init__(self, module: Any) -> None:
        self.pymod = module
        super().__init__(f"Module({module})")


class VarArg(Type):
    """Any number of arguments of a type, where `lower_builtin` lists them."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"*{dtype!r}")


class PyObject(Type):
    """A Python object's address, as a member of a type of a package's own."""


class WrapperAddressProtocol:
    """An object that compiled functions call: it derives from this class, and says the address of a function in C, and its signature."""

    def __wrapper_address__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__}.__wrapper_address__ is not defined")

    def signature(self) -> Signature:
        """The types of the function."""
        raise NotImplementedError(f"{type(self).__name__}.signature is not defined")


def _tuple_of(elements: tuple[Any, ...], fields: tuple[str, ...]) -> Type:
    own: Type | None = _own.of_fields(fields)
    if own is not None:
        return own
    types = tuple(map(of, elements))
    if fields:
        return NamedTuple(types, fields)
    alike = bool(types) and all(one == types[0] for one in types)
    return UniTuple(types[0], len(types)) if alike else Tuple(types)


def _record_dtype(fields: tuple[Any, ...], names: tuple[str, ...]) -> numpy.dtype[Any]:
    """The dtype of records, without gaps: functions have an array for each field."""
    listed: list[Any] = []
    for name, field in zip(names, fields):
        kind, *parts = _made.parts(field)
        listed.append((name, _record_dtype(parts[0], parts[1]) if kind == "record" else numpy.dtype(parts[0])))
    return numpy.dtype(listed)


def _record_of(fields: tuple[Any, ...], names: tuple[str, ...], ndim: int, layout: int) -> Type:
    if names == (_CHARACTERS,):
        return Array(from_dtype(_made.parts(fields[0])[1]), ndim)
    record = Record(layout_of(layout) or _record_dtype(fields, names))
    return Array(record, ndim) if ndim else record


_MADE_OF: dict[str, Any] = {
    "number": Scalar,
    # Choosers that ask are told of one layout, since functions take all.
    "array": lambda dtype, ndim: _array_of(dtype, ndim),
    "bytes": lambda dtype, ndim: Type(dtype),
    "tuple": _tuple_of,
    "record": _record_of,
    "slice": lambda bounds: Slice(map(of, bounds)),
    "optional": lambda value: Optional(of(value)),
    "list": lambda element, typed: _list_of(void if element is None else of(element), typed),
    "dict": lambda key, value: DictType(of(key), of(value)),
    "set": lambda element, frozen: Set(of(element), reflected=True, frozen=frozen),
    "string": lambda: unicode_type,
    "bytes_value": Bytes,
    "pointer": lambda dtype: CPointer(void if dtype is None else Scalar(dtype)),
    "text": StringLiteral,
    "class": Class,
    "dtype": DType,
    "literal": literal,
    "function": Dispatcher,
    "member": EnumMember,
    "object": of_class,
    "ellipsis": EllipsisType,
    "none": Void,
    "other": lambda name: _other_of(name),
}


def _array_of(dtype: Any, ndim: int) -> Array:
    made = Array(dtype, ndim, "C")
    made._readonly = None
    return made


def _other_of(name: str) -> Type:
    """Of what the compiler names only."""
    if name == "range":
        return range_state64_type
    if name == "generator":
        return Generator(name)
    return Function(name) if name.startswith("function ") else Type(name)


def of(made: Any) -> Any:
    """The type, which the compiler made, as an object of its class here."""
    if isinstance(made, Type):
        return getattr(made, "own", made)
    kind, *parts = _made.parts(made)
    return _MADE_OF[kind](*parts)


def from_dtype(dtype: Any) -> Any:
    """The type of elements of a dtype; of structured ones a Record."""
    dtype = numpy.dtype(dtype)
    if dtype.names is not None:
        return Record(dtype)
    if dtype.kind in "SU" and dtype.itemsize:
        made = UnicodeCharSeq(dtype.itemsize // 4) if dtype.kind == "U" else CharSeq(dtype.itemsize)
        if dtype != made.dtype:
            made.dtype = dtype
        return made
    if dtype.kind not in "biufcmM" and dtype.name != "bfloat16":
        raise TypeError(f"types: compiled functions have no numbers of {dtype}")
    return Scalar(dtype)


def as_dtype(kind: Any) -> numpy.dtype[Any]:
    """The dtype of a type of numbers or records."""
    return kind.dtype


def typeof(value: Any) -> Any:
    """The type that compiled functions give a value; raises TypeError for what they do not take."""
    from tessera.functions import signatures

    made = unliteral(of(signatures.type_of(value)))
    if isinstance(made, Array) and isinstance(value, numpy.ndarray):
        made._readonly = not value.flags.writeable
        made.layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
    return made


void = Void()
unicode_type = string = UnicodeType()
none = void
voidptr = CPointer(void)
NoneType = Void
NumberClass = Class
SliceType = Slice
BaseNamedTuple = NamedTuple
ellipsis = EllipsisType()
undefined = Opaque("undefined")
unknown = Opaque("unknown")
optional = Optional

_pickled: dict[Any, Type] = {}


def _unpickled(kind: type[Type], state: dict[str, Any]) -> Type:
    made = kind.__new__(kind)
    Type.__init__(made, state.get("_name"))
    made.__dict__.update(state)
    return _pickled.setdefault((kind, made.key), made)


# The names of C are those of a 64-bit Linux.
boolean = bool_ = b1 = Scalar("bool")
int8 = i1 = char = Scalar("int8")
int16 = i2 = short = Scalar("int16")
int32 = i4 = intc = Scalar("int32")
int64 = i8 = intp = int_ = long_ = longlong = Scalar("int64")
uint8 = u1 = uchar = byte = Scalar("uint8")
uint16 = u2 = ushort = Scalar("uint16")
uint32 = u4 = uintc = Scalar("uint32")
uint64 = u8 = uintp = uint = ulong = ulonglong = Scalar("uint64")
float16 = f2 = Scalar("float16")
float32 = f4 = single = Scalar("float32")
float64 = f8 = double = float_ = Scalar("float64")
complex64 = c8 = Scalar("complex64")
complex128 = c16 = Scalar("complex128")
voidptr = CPointer(void)
size_t, ssize_t = uint64, int64
pyobject = PyObject("pyobject")
range_state32_type, range_state64_type, unsigned_range_state64_type = map(RangeType, (int32, int64, uint64))
slice2_type, slice3_type = Slice((int64, int64, none)), Slice((int64, int64, int64))
_LITERALS: dict[type, Any] = {
    int: (IntegerLiteral, int64),
    bool: (BooleanLiteral, boolean),
    str: (StringLiteral, unicode_type),
}

signed_domain = frozenset([int8, int16, int32, int64])
unsigned_domain = frozenset([uint8, uint16, uint32, uint64])
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset([float32, float64])
complex_domain = frozenset([complex64, complex128])
number_domain = integer_domain | real_domain | complex_domain

_NUMBERS = [name for name, value in list(globals().items()) if isinstance(value, Scalar)]
__all__ += [
    *_NUMBERS,
    "none",
    "ellipsis",
    "pyobject",
    "range_state32_type",
    "range_state64_type",
    "size_t",
    "slice2_type",
    "slice3_type",
    "ssize_t",
    "undefined",
    "unknown",
    "unsigned_range_state64_type",
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
    return {name: globals()[name] for name in (*__all__, "optional")}


def __getattr__(name: str) -> Any:
    # Numba has its types in these, and packages import them from there.
    if name in ("abstract", "common", "containers", "functions", "iterators", "misc", "npytypes", "scalars"):
        return sys.modules[__name__]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
