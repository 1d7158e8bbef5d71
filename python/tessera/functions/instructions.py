"""extending.intrinsic: a function's code, written in LLVM's instructions by way of llvmlite's builder, becomes a function in Python.

What a package's code asks of the builder is noted as statements of Python, which are compiled where the intrinsic is called, as any other
function is: in parallel loops, ufuncs and kernels, too. There are numbers, tuples of them and what computes with them, variables in memory, blocks under conditions and loops; basic
blocks, pointers to elsewhere and calls of Python are not there.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tessera import types
from tessera.errors import TypingError, UnsupportedError
from tessera.functions.extending import overload
from tessera.functions.function import Function
from tessera.functions.intrinsic import Intrinsic

_popcount = Intrinsic("number.bit_count", "The number of bits that are set.")
_leading_zeros = Intrinsic("cuda.clz", "The number of zeros before the highest bit that is set.")
_lowest_bit = Intrinsic("cuda.ffs", "The place of the lowest bit that is set, from 1.")
_reversed_bits = Intrinsic("cuda.brev", "The bits in reverse.")
_fused = Intrinsic("cuda.fma", "a * b + c, rounded once.")
_NAMES = {
    "numpy": numpy,
    "math": math,
    "_leading_zeros": _leading_zeros,
    "_lowest_bit": _lowest_bit,
    "_reversed_bits": _reversed_bits,
    "_fused": _fused,
}
_INSTEAD = "extending.overload, with a function in Python"
# LLVM's functions of floats as those of math.
_OF_FLOATS = {
    **{name: f"math.{name}({{0}})" for name in ("sqrt", "sin", "cos", "exp", "log", "log2", "log10")},
    **{name: f"numpy.{name}({{0}})" for name in ("floor", "ceil", "trunc")},
    "fabs": "abs({0})",
    "pow": "{0} ** {1}",
    "copysign": "math.copysign({0}, {1})",
    "fma": "_fused({0}, {1}, {2})",
    "fmuladd": "_fused({0}, {1}, {2})",
    "minnum": "numpy.fmin({0}, {1})",
    "maxnum": "numpy.fmax({0}, {1})",
    "rint": "numpy.rint({0})",
}
_INTEGERS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "and_": "{0} & {1}",
    "or_": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "shl": "{0} << {1}",
    "lshr": "{0} >> {1}",
    "udiv": "{0} // {1}",
    "urem": "{0} % {1}",
}
_OF_BITS = {"add": "{0} != {1}", "sub": "{0} != {1}", "mul": "{0} and {1}"}  # of one bit, which carries nothing
_FLOATS = {
    "fadd": "{0} + {1}",
    "fsub": "{0} - {1}",
    "fmul": "{0} * {1}",
    "fdiv": "{0} / {1}",
    "frem": "math.fmod({0}, {1})",
}
_ORDERS = {"eq": "==", "ne": "!=", "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Kind:
    """A type of LLVM's: integers without signs, floats, tuples of them."""

    def __init__(self, name: str, width: int = 0, elements: tuple[Kind, ...] = ()) -> None:
        self.name = name
        self.width = width
        self.elements = elements

    @property
    def unsigned(self) -> str:
        """What converts to the number that holds it."""
        return "bool" if self.width == 1 else f"numpy.uint{self.width}"

    @property
    def signed(self) -> str:
        """The same with a sign."""
        return f"numpy.int{self.width}"

    @property
    def converter(self) -> str:
        """What makes any number one of this kind; nothing for what is no number."""
        if self.name == "value":
            return ""
        return self.unsigned if self.name == "int" else f"numpy.float{self.width}"

    def __call__(self, value: Any) -> Value:
        """A constant."""
        return _constant(self, value)

    def __eq__(self, other: object) -> bool:
        found = _kind_of(other)
        return found is not None and (found.name, found.width, found.elements) == (self.name, self.width, self.elements)

    def __hash__(self) -> int:
        return hash((self.name, self.width, self.elements))

    def __repr__(self) -> str:
        return f"i{self.width}" if self.name == "int" else self.name


class Value:
    """The value of an expression, under a name."""

    def __init__(self, kind: Kind, text: str) -> None:
        self.type = kind
        self.text = text


def _constant(kind: Kind, value: Any) -> Value:
    if kind.name == "int":
        return Value(kind, f"{kind.unsigned}({int(value) % (1 << kind.width)})")
    if kind.name == "tuple":
        return Value(kind, f"({''.join(_constant(k, one).text + ', ' for k, one in zip(kind.elements, value))})")
    written = repr(float(value)) if math.isfinite(value) else f"float({str(float(value))!r})"
    return Value(kind, f"{kind.converter}({written})")


def value_of(value: Value) -> Any:
    """The value of a constant."""
    return eval(value.text, {"numpy": numpy})


def type_of_kind(one: Any) -> Any:
    """The type of numbers that llvmlite's type stands for; integers have a sign."""
    kind = _needed_kind(one)
    return types.Scalar(f"int{kind.width}" if kind.name == "int" else f"float{kind.width}")


def _refuse(what: str) -> Any:
    raise UnsupportedError(f"an intrinsic uses {what}, which is not there\n  instead: {_INSTEAD}")


def _kind_of(one: Any) -> Kind | None:
    """Of a type of llvmlite's, or of tessera's."""
    if isinstance(one, Kind):
        return one
    if isinstance(one, types.Boolean):
        return Kind("int", 1)
    if isinstance(one, types.Integer):
        return Kind("int", one.bitwidth)
    if isinstance(one, types.Float):
        return Kind("float", one.bitwidth)
    if isinstance(one, types.BaseTuple):
        elements = tuple(_kind_of(element) for element in one.types)
        return None if None in elements else Kind("tuple", 0, elements)  # type: ignore[arg-type]
    if isinstance(one, types.Type):
        return Kind("value")  # passed on as it is
    name = type(one).__name__
    if name == "IntType":
        return Kind("int", one.width)
    return {"FloatType": Kind("float", 32), "DoubleType": Kind("float", 64), "HalfType": Kind("float", 16)}.get(name)


def _needed_kind(one: Any) -> Kind:
    return _kind_of(one) or _refuse(f"values of {one}")


class Declared:
    """A function of LLVM's by its name, such as "llvm.ctpop.i8"."""

    def __init__(self, name: str) -> None:
        self.name = name


class Module:
    """Where functions are declared."""

    def declare_intrinsic(self, name: str, kinds: Any = (), function: Any = None) -> Declared:
        """One of LLVM's."""
        return Declared(name)


class Cell:
    """A variable in memory: what `alloca` gives, for `store` and `load`. Of which kind it is the first store may say."""

    def __init__(self, name: str, kind: Kind | None) -> None:
        self.text, self.kind = name, kind


class Builder:
    """Notes what llvmlite's builder would build, as statements of Python."""

    def __init__(self) -> None:
        self.module = Module()
        self.lines: list[str] = []
        self.first: list[str] = []  # what stands before them
        self._indent = ""
        self.names: dict[str, Any] = dict(_NAMES)  # what the statements name

    def name_for(self, value: Any) -> str:
        """A name for something outside."""
        name = f"outside{len(self.names)}"
        self.names[name] = value
        return name

    def __getattr__(self, name: str) -> Any:
        if name in _INTEGERS:
            return lambda x, y, name="", flags=(), *, op=name: self._integer(
                _OF_BITS.get(op, _INTEGERS[op]) if self.of(x).type.width == 1 else _INTEGERS[op], x, y
            )
        if name in _FLOATS:
            return lambda x, y, name="", flags=(), *, text=_FLOATS[name]: self._put(self.of(x).type, text, x, y)
        return _refuse(f"builder.{name}")

    def of(self, value: Any) -> Value:
        """A value of the function's, or a constant of llvmlite's."""
        if isinstance(value, Value):
            return value
        constant = getattr(value, "constant", None)
        return _refuse(f"{value}") if constant is None else _constant(_needed_kind(value.type), constant)

    def _put(self, kind: Kind, text: str, *operands: Any) -> Value:
        made = Value(kind, f"v{len(self.lines)}")
        written = text.format(*(self.of(operand).text for operand in operands))
        self._write(
            f"{made.text} = {written}"
            if kind.name in ("tuple", "value")
            else f"{made.text} = {kind.converter}({written})"
        )
        return made

    def _write(self, line: str) -> None:
        self.lines.append(self._indent + line)

    @contextlib.contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The statements that are built within it stand in a block under this line."""
        self._write(head)
        count, outer = len(self.lines), self._indent
        self._indent += "    "
        yield
        if len(self.lines) == count:
            self._write("pass")
        self._indent = outer

    def if_then(self, condition: Any, likely: Any = None) -> Any:
        """What runs under a condition."""
        return self.block(f"if {self.of(condition).text}:")

    @contextlib.contextmanager
    def if_else(self, condition: Any, likely: Any = None) -> Iterator[tuple[Any, Any]]:
        """What runs under a condition, and what runs else."""
        yield self.block(f"if {self.of(condition).text}:"), self.block("else:")

    def alloca(self, kind: Any, size: Any = None, name: str = "", *, is_once: bool = False) -> Cell:
        """A variable in memory, zero at first: where the function begins, or wherever this runs."""
        if size is not None:
            _refuse("alloca of several values")
        needed = None if kind is None else _needed_kind(kind)
        cell = Cell(f"m{len(self.lines)}", needed)
        if needed is not None and needed.name != "value":
            zero = f"{cell.text} = {_constant(needed, _zero_of(needed)).text}"
            if not is_once:
                self._write(zero)
                return cell
            self.first.append(zero)
        self._write("pass")  # cells' names are the numbers of lines
        return cell

    def store(self, value: Any, cell: Any, align: Any = None) -> None:
        """Stores in such a variable."""
        if not isinstance(cell, Cell):
            _refuse("builder.store elsewhere than in what alloca gives")
        given = self.of(value)
        cell.kind = cell.kind or given.type
        self._write(f"{cell.text} = {given.text}")

    def load(self, cell: Any, name: str = "", align: Any = None, typ: Any = None) -> Value:
        """What is stored there."""
        if not isinstance(cell, Cell):
            _refuse("builder.load from elsewhere than what alloca gives")
        return self._put(cell.kind or _refuse("builder.load before a store"), cell.text)

    def _integer(self, text: str, *operands: Any) -> Value:
        return self._put(self.of(operands[0]).type, text, *operands)

    def _signed(self, value: Any) -> str:
        value = self.of(value)
        return f"-int({value.text})" if value.type.width == 1 else f"{value.type.signed}({value.text})"

    def neg(self, x: Any, name: str = "") -> Value:
        """-x."""
        return self._integer("0 - {0}", x)

    def fneg(self, x: Any, name: str = "", flags: Any = ()) -> Value:
        """-x of a float."""
        return self._put(self.of(x).type, "-{0}", x)

    def not_(self, x: Any, name: str = "") -> Value:
        """All bits the other way."""
        return self._integer("not {0}" if self.of(x).type.width == 1 else "~{0}", x)

    def ashr(self, x: Any, y: Any, name: str = "", flags: Any = ()) -> Value:
        """Shifts with the sign."""
        return self._put(self.of(x).type, f"{self._signed(x)} >> {{0}}", y)

    def sdiv(self, x: Any, y: Any, name: str = "", flags: Any = ()) -> Value:
        """Divides towards zero."""
        a, b = self._signed(x), self._signed(y)
        inexact = f"{a} % {b} != 0 and ({a} < 0) != ({b} < 0)"
        return self._put(self.of(x).type, f"{a} // {b} + (1 if {inexact} else 0)")

    def srem(self, x: Any, y: Any, name: str = "", flags: Any = ()) -> Value:
        """The rest, of the dividend's sign."""
        ratio = self.sdiv(x, y)
        return self.sub(x, self.mul(ratio, y))

    def icmp_unsigned(self, order: str, x: Any, y: Any, name: str = "") -> Value:
        """Compares without signs."""
        return self._put(Kind("int", 1), f"{{0}} {_ORDERS[order]} {{1}}", x, y)

    def icmp_signed(self, order: str, x: Any, y: Any, name: str = "") -> Value:
        """Compares with signs."""
        return self._put(Kind("int", 1), f"{self._signed(x)} {_ORDERS[order]} {self._signed(y)}")

    def fcmp_ordered(self, order: str, x: Any, y: Any, name: str = "", flags: Any = ()) -> Value:
        """Compares floats; false where one is NaN."""
        if order in ("ord", "!=", "ne"):
            _refuse(f"fcmp_ordered({order!r})")
        return self._put(Kind("int", 1), f"{{0}} {_ORDERS[order]} {{1}}", x, y)

    def fcmp_unordered(self, order: str, x: Any, y: Any, name: str = "", flags: Any = ()) -> Value:
        """Compares floats; true where one is NaN."""
        if order == "uno":
            return self._put(Kind("int", 1), "{0} != {0} or {1} != {1}", x, y)
        if order in ("!=", "ne"):
            return self._put(Kind("int", 1), "{0} != {1}", x, y)
        return self._put(Kind("int", 1), f"{{0}} != {{0}} or {{1}} != {{1}} or {{0}} {_ORDERS[order]} {{1}}", x, y)

    def select(self, condition: Any, x: Any, y: Any, name: str = "", flags: Any = ()) -> Value:
        """One of two."""
        return self._put(self.of(x).type, "{1} if {0} else {2}", condition, x, y)

    def trunc(self, x: Any, kind: Any, name: str = "") -> Value:
        """The lowest bits."""
        wanted = _needed_kind(kind)
        return self._put(wanted, "({0} & 1) != 0" if wanted.width == 1 else "{0}", x)

    def zext(self, x: Any, kind: Any, name: str = "") -> Value:
        """Zeros before it."""
        return self._put(_needed_kind(kind), "{0}", x)

    def sext(self, x: Any, kind: Any, name: str = "") -> Value:
        """Its sign before it."""
        return self._put(_needed_kind(kind), self._signed(x))

    uitofp = fpext = fptrunc = fptoui = zext
    sitofp = sext

    def fptosi(self, x: Any, kind: Any, name: str = "") -> Value:
        """Towards zero."""
        wanted = _needed_kind(kind)
        return self._put(wanted, f"{wanted.signed}({{0}})", x)

    def bitcast(self, x: Any, kind: Any, name: str = "") -> Value:
        """The same bits."""
        value, wanted = self.of(x), _needed_kind(kind)
        if "tuple" in (value.type.name, wanted.name) or value.type.width != wanted.width or wanted.width == 1:
            return value if value.type == wanted else _refuse(f"bitcast of {value.type} as {wanted}")
        return self._put(wanted, f"{{0}}.view({wanted.converter})", value)

    def ctpop(self, x: Any, name: str = "") -> Value:
        """How many bits are set."""
        return self._integer("{0}.bit_count()", x)

    def ctlz(self, x: Any, is_zero_undefined: Any = None, name: str = "") -> Value:
        """Zeros before the highest bit that is set."""
        width = self.of(x).type.width
        return self._integer(f"_leading_zeros(numpy.uint64({{0}})) - {64 - width}", x)

    def cttz(self, x: Any, is_zero_undefined: Any = None, name: str = "") -> Value:
        """Zeros behind the lowest bit that is set."""
        width = self.of(x).type.width
        return self._integer(f"_lowest_bit(numpy.uint64({{0}})) - 1 if {{0}} != 0 else {width}", x)

    def bitreverse(self, x: Any, name: str = "") -> Value:
        """The bits in reverse."""
        return self._integer(f"_reversed_bits(numpy.uint64({{0}})) >> {64 - self.of(x).type.width}", x)

    def bswap(self, x: Any, name: str = "") -> Value:
        """The bytes in reverse."""
        size = self.of(x).type.width // 8
        parts = (f"((({{0}} >> {8 * k}) & 255) << {8 * (size - 1 - k)})" for k in range(size))
        return self._integer(" | ".join(parts), x)

    def fma(self, x: Any, y: Any, z: Any, name: str = "", flags: Any = ()) -> Value:
        """x * y + z, rounded once."""
        return self._put(self.of(x).type, "_fused({0}, {1}, {2})", x, y, z)

    def extract_value(self, x: Any, place: Any, name: str = "") -> Value:
        """An element of a tuple."""
        value = self.of(x)
        for k in place if isinstance(place, (tuple, list)) else (place,):
            if value.type.name != "tuple":
                _refuse(f"extract_value of {value.type}")
            value = self._put(value.type.elements[k], f"{{0}}[{k}]", value)
        return value

    def insert_value(self, x: Any, element: Any, place: Any, name: str = "") -> Value:
        """The tuple with another element."""
        value = self.of(x)
        k = (
            place
            if isinstance(place, int)
            else place[0]
            if len(place) == 1
            else _refuse("insert_value into a tuple in another")
        )
        if value.type.name != "tuple":
            _refuse(f"insert_value into {value.type}")
        parts = [f"{{0}}[{n}]" if n != k else "{1}" for n in range(len(value.type.elements))]
        return self._put(value.type, f"({', '.join(parts)},)", value, element)

    def call(self, function: Any, operands: Any, name: str = "", **_: Any) -> Value:
        """One of LLVM's functions."""
        called = getattr(function, "name", "")
        base = called.removeprefix("llvm.").partition(".")[0]
        if not called.startswith("llvm."):
            _refuse(f"a call of {called or function}")
        if base in ("ctpop", "ctlz", "cttz", "bitreverse", "bswap"):
            found: Value = getattr(self, base)(*operands)
            return found
        if base in _OF_FLOATS:
            return self._put(self.of(operands[0]).type, _OF_FLOATS[base], *operands)
        return _refuse(f"{called}")


_FLOATS_OF_LLVM: dict[int, Callable[[Any], Any]] = {
    16: lambda llvm: llvm.HalfType(),
    32: lambda llvm: llvm.FloatType(),
    64: lambda llvm: llvm.DoubleType(),
}


class Counts:
    """Numba's counts of who holds memory, which functions here do not have."""

    def incref(self, builder: Any, kind: Any, value: Any) -> None:
        """Nothing is counted."""

    decref = incref


class Raising:
    """How code raises."""

    def return_user_exc(
        self, builder: Builder, error: Any, arguments: Any = None, loc: Any = None, func_name: Any = None
    ) -> None:
        """Raises an exception of this class with constant arguments."""
        listed = ", ".join(map(repr, arguments or ()))
        builder._write(f"raise {builder.name_for(error)}({listed})")


class Context:
    """What of Numba's context intrinsics ask for."""

    nrt = Counts()
    call_conv = Raising()

    def get_value_type(self, one: Any) -> Any:
        """LLVM's type of a type's values: llvmlite's, where the code may have that."""
        kind = _needed_kind(one)
        llvm = sys.modules.get("llvmlite.ir")
        if llvm is None or kind.name not in ("int", "float"):
            return kind
        return llvm.IntType(kind.width) if kind.name == "int" else _FLOATS_OF_LLVM[kind.width](llvm)

    get_data_type = get_argument_type = get_value_type

    def get_constant(self, one: Any, value: Any) -> Value:
        """A number."""
        return _constant(_needed_kind(one), value)

    def get_constant_generic(self, builder: Builder, one: Any, value: Any) -> Value:
        """The same, of tuples and other values too."""
        kind = _needed_kind(one)
        return Value(kind, builder.name_for(value)) if kind.name == "value" else _constant(kind, value)

    def get_constant_null(self, one: Any) -> Value:
        """Zero."""
        kind = _needed_kind(one)
        return _refuse(f"the null of {one}") if kind.name == "value" else _constant(kind, _zero_of(kind))

    def get_dummy_value(self) -> Value:
        """What stands for objects without contents."""
        return _constant(Kind("int", 64), 0)

    def compile_internal(self, builder: Builder, function: Any, signature: Any, operands: Any) -> Value:
        """A call of a function in Python."""
        result = _needed_kind(signature.return_type)
        given = (signed_text(of, builder.of(one).text) for of, one in zip(signature.args, operands))
        text = f"{builder.name_for(Function(function, None))}({', '.join(given)})"
        return builder._put(result, _received(signature.return_type, text).replace("{", "{{").replace("}", "}}"))

    def make_tuple(self, builder: Builder, one: Any, values: Any) -> Value:
        """A tuple of these."""
        parts = "".join(f"{{{k}}}, " for k in range(len(values)))
        return builder._put(_needed_kind(one), f"({parts})", *values)

    def cast(self, builder: Builder, value: Any, of: Any, to: Any) -> Value:
        """A number as one of another type."""
        text = signed_text(of, builder.of(value).text)
        return builder._put(_needed_kind(to), text)

    def __getattr__(self, name: str) -> Any:
        return _refuse(f"context.{name}")


def _zero_of(kind: Kind) -> Any:
    return tuple(map(_zero_of, kind.elements)) if kind.name == "tuple" else 0


def signed_text(of: Any, text: str) -> str:
    """The value with the sign that its type has."""
    if isinstance(of, types.Integer) and of.signed:
        return f"numpy.int{of.bitwidth}({text})"
    if isinstance(of, types.BaseTuple):
        return f"({''.join(signed_text(one, f'{text}[{k}]') + ', ' for k, one in enumerate(of.types))})"
    return text


def _received(of: Any, text: str) -> str:
    """An argument as the code has it, first of the type that the signature says."""
    if isinstance(of, types.BaseTuple):
        return f"({''.join(_received(one, f'{text}[{k}]') + ', ' for k, one in enumerate(of.types))})"
    kind = _needed_kind(of)
    if kind.name == "value":
        return text
    return (
        f"{kind.converter}({signed_text(of, text)})"
        if kind.name == "int" and kind.width > 1
        else f"{kind.converter}({text})"
    )


def _written(
    name: str, parameters: list[str], signature: types.Signature, code: Callable[..., Any], *, taken: str = ""
) -> tuple[str, dict[str, Any]]:
    """The function in Python that does what the code builds, and what it names; `taken` are its parameters where they have values."""
    builder = Builder()
    given = [
        builder._put(_needed_kind(of), _received(of, parameter)) for parameter, of in zip(parameters, signature.args)
    ]
    result = code(Context(), builder, signature, tuple(given))
    lines = builder.first + builder.lines
    if isinstance(signature.return_type, types.Void):
        lines.append("return None")
    else:
        if result is None:
            raise TypingError(f"intrinsic {name}: non-void function returns None")
        _needed_kind(signature.return_type)
        text, form = signed_text(signature.return_type, builder.of(result).text), types.form_of(signature.return_type)
        if form is not signature.return_type and builder.of(result).type.name != "value":
            text = f"{builder.name_for(form.raw)}({form.number}, {text})"  # the number is all that its values have
        lines.append(f"return {text}")
    text = f"def {name}({taken or ', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in lines)
    return text, builder.names


def function_of(
    name: str, parameters: list[str], signature: types.Signature, code: Callable[..., Any], *, taken: str = ""
) -> Function:
    """What the code builds, as the compiler takes it."""
    text, made = _written(name, parameters, signature, code, taken=taken)
    exec(compile(text, f"<intrinsic {name}>", "exec"), made)
    return Function(made[name], text)


class IntrinsicOfUsers:
    """A function whose code is LLVM's: it is called in compiled functions only."""

    def __init__(self, described: Callable[..., Any], prefers_values: bool = False) -> None:
        functools.update_wrapper(self, described)
        del self.__wrapped__  # its parameters are the typing function's
        code = described.__code__
        self._described = described
        self._parameters = list(code.co_varnames[1 : code.co_argcount])
        if code.co_flags & 0x04:
            raise TypeError(f"intrinsic {self.__name__}: * is not there; name the parameters")
        text = f"lambda {', '.join(self._parameters)}: choose({', '.join(self._parameters)})"
        overload(self, prefer_literal=prefers_values)(eval(text, {"choose": self._choose}))

    def _choose(self, *given: Any) -> Any:
        found = self._described(Context(), *given)
        if found is None:
            return None
        signature, code = found
        return function_of(self.__name__, self._parameters, signature, code)

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        raise NotImplementedError(f"{self.__name__} is an intrinsic: compiled functions call it, Python does not")

    def __repr__(self) -> str:
        return f"<intrinsic {self.__name__}>"


def intrinsic(*given: Any, **options: Any) -> Any:
    """A function whose code is written in LLVM's instructions: `given[0]` gets Numba's typing context, which is empty, and the arguments' types, and
    returns a signature and what builds the code.

    >>> from tessera import jit, types
    >>> from tessera.extending import intrinsic
    >>> @intrinsic
    ... def shifted(typingctx, x, bits):
    ...     def code(context, builder, signature, arguments):
    ...         return builder.shl(arguments[0], arguments[1])
    ...     return types.int64(types.int64, types.int64), code
    >>> @jit
    ... def times_eight(x):
    ...     return shifted(x, 3)
    >>> times_eight(5)
    40
    """
    for name in options:
        if name not in ("prefer_literal", "support_literals"):
            raise TypeError(f"intrinsic has no option {name}")
    prefers = bool(options.get("prefer_literal"))
    return IntrinsicOfUsers(given[0], prefers) if given else lambda described: IntrinsicOfUsers(described, prefers)
