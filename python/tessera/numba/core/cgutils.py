"""numba.core.cgutils: what intrinsics use of it beside the builder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tessera.functions import boxing
from tessera.functions.instructions import Builder, Declared, Kind, Value
from tessera.functions.lowered import create_struct_proxy as create_struct_proxy
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


def is_not_null(builder: Any, value: Any) -> Any:
    """Whether it is not zero."""
    if isinstance(builder, boxing.Evaluation):
        return boxing.is_set(value)
    return builder.icmp_unsigned("!=", value, builder.of(value).type(0))


is_true = is_not_null


def is_null(builder: Any, value: Any) -> Any:
    """Whether it is zero."""
    if isinstance(builder, boxing.Evaluation):
        return not boxing.is_set(value)
    return builder.icmp_unsigned("==", value, builder.of(value).type(0))


is_false = is_null


def alloca_once(builder: Any, kind: Any, size: Any = None, name: str = "", zfill: bool = False) -> Any:
    """A variable in memory, which is zero where the function begins and, with `zfill`, wherever this runs."""
    if isinstance(builder, Builder):
        return builder.alloca(kind, is_once=not zfill)
    return builder.alloca(kind)


def alloca_once_value(builder: Any, value: Any, name: str = "", zfill: bool = False) -> Any:
    """The same with a value."""
    cell = builder.alloca(None)
    builder.store(value, cell)
    return cell


class Loop:
    """A loop that is being built."""

    def __init__(self, builder: Builder, index: Value) -> None:
        self._builder, self.index = builder, index

    def do_break(self) -> None:
        """Ends it."""
        self._builder._write("break")


@contextlib.contextmanager
def for_range(builder: Builder, count: Any, start: Any = None, intp: Any = None) -> Iterator[Loop]:
    """A loop whose index counts from `start`, or 0, up to `count`."""
    index = Value(intp_t, f"k{len(builder.lines)}")
    first = "0" if start is None else f"numpy.int64({builder.of(start).text})"
    with builder.block(f"for {index.text}s in range({first}, numpy.int64({builder.of(count).text})):"):
        builder._write(f"{index.text} = numpy.uint64({index.text}s)")
        yield Loop(builder, index)


@contextlib.contextmanager
def for_range_slice(
    builder: Builder, start: Any, stop: Any, step: Any, intp: Any = None, inc: bool = True
) -> Iterator[tuple[Value, Value]]:
    """A loop whose index runs as those of `range(start, stop, step)`: the index, and how many iterations there were before. `inc` says
    whether it counts up."""
    index, count = Value(intp_t, f"k{len(builder.lines)}"), Value(intp_t, f"k{len(builder.lines)}n")
    bounds = ", ".join(f"numpy.int64({builder.of(bound).text})" for bound in (start, stop, step))
    builder._write(f"{count.text} = numpy.uint64(0)")
    with builder.block(f"for {index.text}s in range({bounds}):"):
        builder._write(f"{index.text} = numpy.uint64({index.text}s)")
        yield index, count
        builder._write(f"{count.text} = numpy.uint64({count.text} + numpy.uint64(1))")


def if_zero(builder: Builder, value: Any, likely: bool = False) -> Any:
    """A branch that runs where it is zero."""
    return builder.if_then(is_null(builder, value), likely=likely)


def if_unlikely(builder: Any, condition: Any) -> Any:
    """A branch."""
    return builder.if_then(condition, likely=False)


def if_likely(builder: Any, condition: Any) -> Any:
    """A branch."""
    return builder.if_then(condition, likely=True)


@contextlib.contextmanager
def early_exit_if(builder: Any, stack: contextlib.ExitStack, condition: Any) -> Iterator[None]:
    """A branch whose condition ends what the stack surrounds."""
    then, otherwise = stack.enter_context(builder.if_else(condition, likely=False))
    with then:
        yield
    stack.enter_context(otherwise)


def early_exit_if_null(builder: Any, stack: contextlib.ExitStack, value: Any) -> Any:
    """The same for what is zero."""
    return early_exit_if(builder, stack, is_null(builder, value))


def unpack_tuple(builder: Builder, value: Any, count: int | None = None) -> list[Value]:
    """The elements of a tuple."""
    return [builder.extract_value(value, k) for k in range(count or len(value.type.elements))]


__all__ = [name for name in dir() if not name.startswith("_")]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Unavailable(f"numba.core.cgutils.{name}", _INSTEAD)
