"""extending.intrinsic: code that builds LLVM's instructions is compiled where it is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tessera.errors import CompileError
from tessera.extending import intrinsic
from tessera.numba.core import cgutils

from tessera import jit, prange, types, vectorize


class FunctionType:
    """As llvmlite's."""

    def __init__(self, result: Any, parameters: Any) -> None:
        self.args = parameters


@intrinsic
def count_bits(typingctx: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        [value] = given
        of = FunctionType(value.type, [value.type])
        return builder.call(cgutils.get_or_insert_function(builder.module, of, "llvm.ctpop.i8"), [value])

    return types.uint8(types.uint8), code


@intrinsic
def of_integers(typingctx: Any, x: Any, y: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        x, y = given
        one = context.get_constant(signature.args[0], 1)
        divisor = builder.or_(y, one)
        made = [
            builder.add(x, y),
            builder.mul(x, y),
            builder.sdiv(x, divisor),
            builder.srem(x, divisor),
            builder.udiv(x, divisor),
            builder.lshr(x, one),
            builder.ashr(x, one),
            builder.select(builder.icmp_signed("<", x, y), x, y),
            builder.select(builder.icmp_unsigned("<", x, y), x, y),
            builder.neg(x),
            builder.not_(x),
        ]
        return context.make_tuple(builder, signature.return_type, made)

    return types.UniTuple(x, 11)(x, y), code


@jit
def call_of_integers(x: Any, y: Any) -> Any:
    return of_integers(x, y)


@settings(deadline=None, max_examples=100)
@given(some.integers(-128, 127) | some.sampled_from([-128, 127, -1]), some.integers(-128, 127))
def test_integers_of_eight_bits_wrap_as_llvms(x: int, y: int) -> None:
    divisor = (y | 1) if (y | 1) else 1
    quotient = abs(x) // abs(divisor) * (1 if (x < 0) == (divisor < 0) else -1)
    expected = [
        x + y,
        x * y,
        quotient,
        x - quotient * divisor,
        (x & 255) // (divisor & 255),
        (x & 255) >> 1,
        x >> 1,
        min(x, y),
        x if x & 255 < y & 255 else y,
        -x,
        ~x,
    ]
    wrapped = [(one + 128) % 256 - 128 for one in expected]
    assert list(call_of_integers(np.int8(x), np.int8(y))) == wrapped


def test_bits_are_counted_in_loops_ufuncs_and_threads() -> None:
    @jit(parallel=True)
    def total(x: Any) -> Any:
        sum_ = 0
        for k in prange(len(x)):
            sum_ += count_bits(x[k])
        return sum_

    x = np.arange(256, dtype=np.uint8)
    assert total(x) == np.unpackbits(x).sum()
    counted = vectorize(lambda one: count_bits(one))(x)
    assert (counted == [bin(k).count("1") for k in range(256)]).all()


def test_bits_of_floats_are_integers() -> None:
    @intrinsic
    def bits(typingctx: Any, x: Any) -> Any:
        if not isinstance(x, types.Float):
            return None

        def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            return builder.bitcast(given[0], context.get_value_type(signature.return_type))

        return (types.int32 if x == types.float32 else types.int64)(x), code

    @jit
    def seen(x: Any) -> Any:
        return bits(x)

    assert seen(-1.5) == np.float64(-1.5).view("i8") and seen(np.float32(2.5)) == np.float32(2.5).view("i4")
    with pytest.raises(CompileError):
        seen(3)


def test_what_is_not_there_is_named() -> None:
    @intrinsic
    def address(typingctx: Any, x: Any) -> Any:
        return x(x), lambda context, builder, signature, given: builder.load(given[0])

    with pytest.raises(Exception, match="builder.load"):
        jit(lambda x: address(x))(3)
    with pytest.raises(NotImplementedError, match="compiled functions call it"):
        address(3)


@intrinsic
def collatz(typingctx: Any, start: Any, most: Any) -> Any:
    """Steps until 1, in memory, loops and branches."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        start, most = given
        one, three = context.get_constant(types.int64, 1), context.get_constant(types.int64, 3)
        with cgutils.if_unlikely(builder, builder.icmp_signed("<", start, one)):
            context.call_conv.return_user_exc(builder, ValueError, ("below 1",))
        value, steps = cgutils.alloca_once_value(builder, start), cgutils.alloca_once(builder, one.type)
        with cgutils.for_range(builder, most) as loop:
            with builder.if_then(builder.icmp_unsigned("==", builder.load(value), one)):
                loop.do_break()
            odd = builder.and_(builder.load(value), one)
            with builder.if_else(cgutils.is_not_null(builder, odd)) as (then, otherwise):
                with then:
                    builder.store(builder.add(builder.mul(builder.load(value), three), one), value)
                with otherwise:
                    builder.store(builder.lshr(builder.load(value), one), value)
            builder.store(builder.add(builder.load(steps), one), steps)
        return builder.load(steps)

    return types.int64(types.int64, types.int64), code


@settings(deadline=None, max_examples=60)
@given(start=some.integers(-3, 100), most=some.integers(-2, 130))
def test_memory_branches_and_loops(start: int, most: int) -> None:
    def steps(value: int) -> int:
        count = 0
        for _ in range(most):
            if value == 1:
                break
            value = 3 * value + 1 if value % 2 else value // 2
            count += 1
        return count

    if start < 1:
        with pytest.raises(ValueError, match="below 1"):
            _COLLATZ(start, most)
    else:
        assert _COLLATZ(start, most) == steps(start)


@intrinsic
def first_of_each_turn(typingctx: Any, count: Any) -> Any:
    """What a variable of a loop's body holds when each iteration begins, and what the loop counts."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        one = context.get_constant(types.int64, 1)
        total = cgutils.alloca_once_value(builder, context.get_constant(types.int64, 0))
        with cgutils.for_range(builder, given[0]):
            kept, cleared = cgutils.alloca_once(builder, one.type), cgutils.alloca_once(builder, one.type, zfill=True)
            builder.store(builder.add(builder.load(kept), one), kept)
            builder.store(builder.add(builder.load(cleared), one), cleared)
            builder.store(
                builder.add(builder.load(total), builder.mul(builder.load(kept), builder.load(cleared))), total
            )
        return builder.load(total)

    return types.int64(types.int64), code


def test_variables_of_loops_are_there_once() -> None:
    counted = jit(lambda n: first_of_each_turn(n))
    assert [counted(n) for n in range(5)] == [n * (n + 1) // 2 for n in range(5)]


@intrinsic
def weighted(typingctx: Any, start: Any, stop: Any, step: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        total = cgutils.alloca_once_value(builder, context.get_constant(types.int64, 0))
        with cgutils.for_range_slice(builder, *given, inc=True) as (index, count):
            product = builder.mul(index, builder.add(count, context.get_constant(types.int64, 1)))
            builder.store(builder.add(builder.load(total), product), total)
        return builder.load(total)

    return types.int64(types.int64, types.int64, types.int64), code


@settings(deadline=None, max_examples=30)
@given(start=some.integers(-9, 9), stop=some.integers(-9, 20), step=some.integers(1, 4))
def test_loops_over_slices(start: int, stop: int, step: int) -> None:
    assert _WEIGHTED(start, stop, step) == sum(k * (n + 1) for n, k in enumerate(range(start, stop, step)))


_WEIGHTED = jit(lambda start, stop, step: weighted(start, stop, step))


@pytest.mark.parametrize("op", ["add", "sub", "mul", "xor", "and_", "or_"])
def test_arithmetic_of_one_bit(op: str) -> None:
    @intrinsic
    def one_bit(typingctx: Any, x: Any, y: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            zero = context.get_constant(types.int64, 0)
            bits = [builder.icmp_signed("!=", value, zero) for value in given]
            return builder.zext(getattr(builder, op)(*bits), zero.type)

        return types.int64(types.int64, types.int64), code

    exact = {"add": lambda x, y: x ^ y, "sub": lambda x, y: x ^ y, "mul": lambda x, y: x & y}
    exact |= {"xor": exact["add"], "and_": exact["mul"], "or_": lambda x, y: x | y}
    got = jit(lambda x, y: one_bit(x, y))
    for x in (0, 1):
        for y in (0, 1):
            assert got(x, y) == exact[op](x, y)


_COLLATZ = jit(lambda start, most: collatz(start, most))


@pytest.mark.parametrize("x, y", [(-(2**63), 2), (-(2**63), 3), (2**63 - 1, -2), (-7, 2), (7, -2), (-8, 2), (0, -5)])
def test_divisions_of_the_least_integers(x: int, y: int) -> None:
    @intrinsic
    def divided(typing_context, a, b):
        def code(context, builder, signature, arguments):
            return builder.sdiv(*arguments)

        return types.int64(types.int64, types.int64), code

    @intrinsic
    def left_over(typing_context, a, b):
        def code(context, builder, signature, arguments):
            return builder.srem(*arguments)

        return types.int64(types.int64, types.int64), code

    ratio = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    assert jit(lambda a, b: divided(a, b))(x, y) == ratio
    assert jit(lambda a, b: left_over(a, b))(x, y) == x - ratio * y
