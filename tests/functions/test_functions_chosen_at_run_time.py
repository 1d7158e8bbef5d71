"""Functions that variables, tuples, lists, dicts and results are one or another of, against Python."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import CompileError, UnsupportedError

from tessera import cfunc, jit, types


@jit
def plus(x: Any) -> Any:
    return x + 1


@jit
def times(x: Any) -> Any:
    return x * 3


@jit
def raising(x: Any) -> Any:
    if x > 5:
        raise ValueError("too large")
    return x - 1


TABLE = (plus, times, raising)
OF_INTEGERS = types.FunctionType(types.int64(types.int64))


@pytest.mark.parametrize("which", [True, False])
def test_a_variable_is_one_function_or_another(which: bool) -> None:
    @jit
    def called(which: bool, x: int) -> int:
        if which:
            f = plus
        else:
            f = times
        return f(x) + (times if which else plus)(x)

    assert called(which, 4) == called.py_func(which, 4)


def test_tuples_that_are_passed_and_global_ones() -> None:
    @jit
    def called(functions: Any, n: int) -> int:
        x = 1
        for i in range(n):
            x = (functions[i % 3](x) + TABLE[(i + 1) % 2](x)) % 7 - 2
        return x

    assert called(TABLE, 3) == called.py_func(TABLE, 3)
    with pytest.raises(ValueError, match="too large"):
        jit(lambda functions, k: functions[k](9))(TABLE, 2)


def test_lists_and_dicts_of_functions() -> None:
    @jit
    def called(n: int) -> tuple[int, int]:
        functions = [plus, times]
        functions.append(raising)
        functions[0] = functions[n % 2]
        by_number = {0: times, 1: plus}
        by_number[2] = raising
        x = 1
        for f in functions:
            x = f(x) % 5
        return by_number[n](x), len(functions)

    assert [called(n) for n in range(3)] == [called.py_func(n) for n in range(3)]


def test_functions_that_are_returned_are_those_of_the_program() -> None:
    @jit
    def pick(k: int) -> Any:
        if k == 0:
            return None
        return (plus, times)[k - 1], k

    @jit
    def same(f: Any) -> Any:
        f(3)
        return f

    @jit
    def inside(k: int) -> Any:
        def local(x: int) -> int:
            return x + k

        return local

    assert pick(0) is None
    assert pick(1)[0] is plus and pick(2)[0] is times
    assert same(raising) is raising
    with pytest.raises(CompileError, match="returns device function local"):
        inside(3)


def test_none_or_a_function() -> None:
    @jit
    def called(k: int, x: int) -> int:
        f = None
        if k == 1:
            f = plus
        elif k == 2:
            f = times
        if f is None:
            return -1
        return f(x)

    assert [called(k, 5) for k in range(3)] == [-1, 6, 15]


@pytest.mark.parametrize("which", [True, False])
def test_comparisons_of_functions(which: bool) -> None:
    @jit
    def called(which: bool, f: Any, g: Any) -> Any:
        h = f if which else g
        return h is f, h == g, h is not g, h != f, h is None, f is g, bool(h)

    for second in (times, plus):
        assert called(which, plus, second) == called.py_func(which, plus, second)


def test_functions_with_the_same_name_have_variables_of_their_own() -> None:
    @jit
    def called(k: int, x: float) -> float:
        f = (lambda y: y * 2 + x) if k == 0 else (lambda y: (y, x)[0] - x) if k == 1 else (lambda y: float(int(y)))
        return f(2.5)

    assert [called(k, 0.25) for k in range(3)] == [called.py_func(k, 0.25) for k in range(3)]


def test_functions_of_numpy_math_and_c() -> None:
    absolute = ctypes.CDLL(None).labs
    absolute.argtypes, absolute.restype = [ctypes.c_long], ctypes.c_long

    @jit
    def called(k: int, x: float) -> float:
        return (math.sin, np.cos, plus)[k](x)

    @jit
    def of_c(k: int, x: int) -> int:
        f = absolute if k else plus
        return f(x)

    assert [called(k, 0.5) for k in range(3)] == [math.sin(0.5), np.cos(0.5), 1.5]
    assert [of_c(k, -4) for k in range(2)] == [-3, 4]


def test_a_choice_in_recursion() -> None:
    @jit
    def step(n: int, f: Any, g: Any, x: int) -> int:
        if n == 0:
            return x
        h = f if n % 2 else g
        return step(n - 1, g, h, h(x) % 1000)

    expected, f, g = 2, plus, times
    for n in range(9, 0, -1):
        h = f if n % 2 else g
        expected, f, g = h(expected) % 1000, g, h
    assert step(9, plus, times, 2) == expected


def test_a_function_inside_that_one_that_calls_itself_calls() -> None:
    @jit
    def repeat(n: int, f: Any, x: int) -> int:
        if n <= 0:
            return x
        return repeat(n - 1, f, f(x))

    @jit
    def reading(a: int) -> int:
        def inside(x: int) -> int:
            return x + a

        return repeat(2, inside, 5)

    @jit
    def plain() -> int:
        return repeat(2, lambda x: x + 4, 5)

    assert plain() == 13
    with pytest.raises(UnsupportedError, match="a of reading is read by a function in it"):
        reading(4)


def test_arguments_by_name_are_refused_where_the_function_is_chosen_at_run_time() -> None:
    @jit
    def called(k: int) -> int:
        f = plus if k else times
        return f(x=1)

    with pytest.raises(UnsupportedError, match="first-class function call cannot use keyword arguments"):
        called(1)


class TestSignaturesWithFunctions:
    def test_arguments_and_results_become_numbers_of_the_signature(self) -> None:
        @jit(types.float64(types.FunctionType(types.float64(types.int64)), types.float64))
        def called(f: Any, x: float) -> float:
            return f(x) / 2

        @jit
        def outside(x: float) -> float:
            return called(times, x)

        assert called(times, 2.75) == 3.0
        assert outside(2.75) == 3.0
        own = jit(lambda x: x)
        assert called(own, 2.75) == 1.0
        assert own.nopython_signatures == [types.float64(types.int64)]

    def test_tuples_of_functions(self) -> None:
        @jit(types.int64(types.UniTuple(OF_INTEGERS, 2), types.int64))
        def called(functions: Any, x: int) -> int:
            total = 0
            for i in range(4):
                total += functions[i % 2](x)
            return total

        assert called((plus, times), 5) == 2 * 6 + 2 * 15

    def test_one_of_several_signatures(self) -> None:
        of_arrays = types.FunctionType(types.float64(types.float64[:]))

        @jit([types.int64(OF_INTEGERS, types.int64), types.float64(of_arrays, types.float64[:])])
        def called(f: Any, x: Any) -> Any:
            return f(x)

        total = jit(lambda x: x.sum())
        assert called(plus, 3) == 4
        assert called(total, np.ones(3)) == 3.0
        with pytest.raises(TypeError, match="match no signature"):
            called(3, 3)

    def test_types(self) -> None:
        assert OF_INTEGERS == types.int64(types.int64).as_type()
        assert OF_INTEGERS != types.FunctionType(types.int64(types.float64))
        assert OF_INTEGERS.key == "int64(int64)"
        with pytest.raises(TypeError, match="is no signature"):
            types.FunctionType(types.int64)  # type: ignore[arg-type]


class TestFunctionsOfC:
    def test_types_that_c_has_not(self) -> None:
        @cfunc("int64(int64[:], float64[:])")
        def first(x: Any, y: Any) -> Any:
            return x[0] + y[0]

        @cfunc("int64(int64[:], float64[:])")
        def second(x: Any, y: Any) -> Any:
            return x[0] - y[0]

        @jit
        def called(f: Any, g: Any, k: int) -> Any:
            h = f if k == 0 else g
            return h(np.array([10]), np.array([12.5]))

        assert [called(first, second, k) for k in range(2)] == [22, -2]
        with pytest.raises(TypeError, match="it has no address"):
            first.address  # noqa: B018

    def test_arguments_become_those_of_the_signature(self) -> None:
        half = cfunc("float64(int64)")(lambda x: x / 2)
        assert jit(lambda f, x: f(x))(half, 5.9) == 2.5

    def test_objects_at_addresses(self) -> None:
        callback = cfunc("int64(int64)")(lambda x: x + 7)

        class At(types.WrapperAddressProtocol):
            def __init__(self, address: int) -> None:
                self.number = address

            def __wrapper_address__(self) -> int:
                return self.number

            def signature(self) -> Any:
                return types.int64(types.int64)

        there, null = At(callback.address), At(0)
        assert jit(lambda f, k: (f if k else plus)(3))(there, 1) == 10
        assert jit(lambda f: f)(there) is there
        assert jit(lambda: there)() is there
        with pytest.raises(ValueError, match="must be a positive number"):
            jit(lambda f: f(3))(null)
        with pytest.raises(RuntimeError, match="At function address is null"):
            jit(lambda: null(3))()

    def test_addresses_are_no_part_of_the_code(self) -> None:
        callbacks = [cfunc("int64(int64)")(lambda x: x + 1), cfunc("int64(int64)")(lambda x: x + 2)]
        texts = []
        for callback in callbacks:
            function = callback.ctypes

            @jit
            def called(x: int, function: Callable[[int], int] = function) -> int:
                return function(x)

            texts.append((called(3), next(iter(called.inspect_ir().values()))))
        assert [result for result, _ in texts] == [4, 5]
        assert texts[0][1] == texts[1][1]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=12), st.integers(-50, 50))
def test_any_order_of_functions(order: list[int], x: int) -> None:
    expected = x
    for k in order:
        expected = (plus, times, plus)[k].py_func(expected)
    assert _in_order(np.array(order), x) == expected


@jit
def _in_order(order: Any, x: int) -> int:
    functions = [plus, times]
    functions.append(plus)
    for k in order:
        x = functions[k](x)
    return x
