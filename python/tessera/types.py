"""Types in the signatures of kernels: `float32`, `int64[:, :]`, `void(float32[:], int32)`; called in a kernel they convert."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["Array", "Number", "Signature", "Tuple", "Type", "UniTuple", "typeof", "void"]


class Signature:
    """The types of a kernel's arguments, such as `void(float32[:], int32)`."""

    def __init__(self, result: Any, arguments: tuple[Any, ...]) -> None:
        self.result = self.return_type = result
        self.arguments = self.args = arguments

    def __repr__(self) -> str:
        return f"{self.result}({', '.join(map(repr, self.arguments))})"


class Type:
    """What all types have in common; calling one with types makes a signature."""

    @property
    def name(self) -> str:
        """The type as a signature writes it."""
        return repr(self)

    def __call__(self, *arguments: Any) -> Any:
        return Signature(self, arguments)


class Void(Type):
    """What kernels return."""

    def __repr__(self) -> str:
        return "void"


class Number(Type):
    """The type of a number. Indexing with colons makes an array's; calling it converts a number or makes a signature."""

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

    def __getitem__(self, index: Any) -> Array:
        axes = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(axis, slice) for axis in axes):
            raise TypeError(f"types: {self!r}[{index!r}] is no type of arrays; write {self!r}[:] or {self!r}[:, :]")
        return Array(self.dtype, len(axes))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return str(self.dtype)


class Array(Type):
    """The type of an array: its dtype and its number of axes."""

    def __init__(self, dtype: Any, ndim: int, layout: str = "A") -> None:
        self.dtype = dtype.dtype if isinstance(dtype, Number) else numpy.dtype(dtype)
        self.ndim = ndim
        self.layout = layout

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and (other.dtype, other.ndim) == (self.dtype, self.ndim)

    def __hash__(self) -> int:
        return hash((self.dtype, self.ndim))

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(':' * self.ndim)}]"


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


def UniTuple(dtype: Any, count: int) -> Tuple:
    """The type of a tuple of `count` elements of one type."""
    return Tuple([dtype] * count)


def typeof(value: Any) -> Any:
    """The type that compiled functions give a value; raises TypeError for what they do not take."""
    from tessera.functions import signatures

    return signatures.type_of(signatures.kind_of(value))


void = Void()
none = void

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

_NUMBERS = [name for name, value in list(globals().items()) if isinstance(value, Number)]
__all__ += [*_NUMBERS, "none"]


def named() -> dict[str, Any]:
    """The names that signatures in strings may use."""
    return {name: globals()[name] for name in [*_NUMBERS, "void", "none", "Array", "Tuple", "UniTuple"]}
