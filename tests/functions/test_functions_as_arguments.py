"""Functions that are passed to compiled functions, isinstance, and Python's module random, against Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tessera.errors import CompileError, UnsupportedError

from tessera import cuda, jit

STEP = 3


@jit
def doubled(x: Any) -> Any:
    return x * 2


@jit
def stepped(x: Any) -> Any:
    return x + STEP


@jit
def apply(function: Any, x: Any) -> Any:
    return function(x) + 1


def test_a_version_for_each_function() -> None:
    assert [apply(doubled, 5), apply(stepped, 5), apply(doubled, 5), apply(doubled, 0.25)] == [11, 9, 11, 1.5]
    assert len(apply.signatures) == 3


def test_functions_in_tuples() -> None:
    @jit
    def both(functions: Any, x: Any) -> Any:
        return functions[0](functions[1](x))

    assert both((doubled, stepped), 2) == 10
    assert both((stepped, doubled), 2) == 7


def test_names_that_a_passed_function_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert apply(stepped, 1) == 5
    monkeypatch.setitem(globals(), "STEP", 10)
    assert apply(stepped, 1) == 12


def test_functions_that_kernels_get() -> None:
    @cuda.jit
    def kernel(function: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < len(out):
            out[i] = function(i)

    out = np.zeros(4)
    kernel[1, 32](doubled, out)
    assert out.tolist() == [0, 2, 4, 6]
    kernel[1, 32](stepped, out)
    assert out.tolist() == [3, 4, 5, 6]


def test_functions_that_are_not_compiled() -> None:
    with pytest.raises(TypeError, match="function"):
        apply(lambda x: x, 1)


@pytest.mark.parametrize(
    "value", [1, 2.5, True, 3j, "text", (1, 2), np.float32(1), np.int8(3), np.zeros(3), None], ids=repr
)
def test_isinstance(value: Any) -> None:
    @jit
    def which(x: Any) -> Any:
        found = 0
        if isinstance(x, bool):
            found += 1
        if isinstance(x, float):
            found += 2
        if isinstance(x, (tuple, complex)):
            found += 4
        if isinstance(x, str):
            found += 8
        if isinstance(x, np.ndarray):
            found += 16 + x.ndim
        if isinstance(x, np.float32):
            found += 32
        return found

    # Numbers of NumPy's other types are floats and integers in compiled functions, as for Numba.
    expected = which.py_func(value) + (2 if isinstance(value, np.float32) else 0)
    assert which(value) == expected


def test_only_the_side_that_fits_is_compiled() -> None:
    @jit
    def length(x: Any) -> Any:
        if isinstance(x, (int, float)):
            return 1
        else:
            return len(x)

    assert [length(3), length(0.5), length((1, 2)), length(np.zeros(7))] == [1, 1, 2, 7]


def test_classes_that_are_not_known() -> None:
    with pytest.raises(UnsupportedError, match="isinstance with"):
        jit(lambda x: isinstance(x, abs))(1)
    with pytest.raises(CompileError, match="empty tuple"):
        jit(lambda x: max(()))(1)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: random.random(),
        lambda: random.uniform(2, 5),
        lambda: random.gauss(1.0, 2.0),
        lambda: random.normalvariate(1.0, 2.0),
        lambda: random.expovariate(1.5),
        lambda: random.gammavariate(2.0, 0.5),
        lambda: random.betavariate(2.0, 3.0),
        lambda: random.vonmisesvariate(0.5, 1.0),
        lambda: random.triangular(1.0, 4.0, 2.0),
        lambda: random.randint(3, 90),
        lambda: random.randrange(1, 100, 7),
        lambda: random.getrandbits(17),
    ],
)
def test_draws_of_pythons_random(draw: Any) -> None:
    @jit
    def total(count: int) -> Any:
        sum = 0.0
        for _ in range(count):
            sum += draw_once()
        return sum

    global draw_once
    draw_once = jit(draw)
    random.seed(3)
    expected = total.py_func(20)
    random.seed(3)
    assert total(20) == expected


draw_once: Any = None


def test_seeds_and_shuffles() -> None:
    @jit
    def shuffle(x: Any) -> Any:
        random.seed(11)
        random.shuffle(x)
        return random.random()

    mine, pythons = np.arange(20), np.arange(20)
    assert shuffle(mine) == shuffle.py_func(pythons)
    np.testing.assert_array_equal(mine, pythons)


@pytest.mark.parametrize(
    "function",
    [
        lambda: np.sort((3, 1, 2)),
        lambda: np.partition((3, 1.5, 2), 1),
        lambda: np.argpartition([3, 1, 2, 0], 2),
        lambda: np.cross((1, 2, 3), (4, 5, 6.5)),
        lambda: np.interp((1.5, 2.5), (1, 2, 3), (10, 20, 30)),
        lambda: np.roll([1, 2, 3], 1),
        lambda: np.diff(((1, 4, 9), (2, 3, 5))),
        lambda: np.concatenate((np.arange(3), np.arange(2))),
    ],
)
def test_numpys_functions_of_tuples_and_lists(function: Any) -> None:
    found, expected = jit(function)(), function()
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


def test_functions_that_are_returned_are_called_unless_they_read_variables_of_their_own_function():
    @jit
    def adder():
        def add(x, y=1.5):
            return x + y

        return add

    @jit
    def reader(n):
        def add(x):
            return x + n

        return add

    @jit
    def use(x):
        return adder()(x), adder()(x, 2)

    @jit
    def use_reader(x):
        return reader(1)(x)

    assert use(4) == (5.5, 6.0)
    with pytest.raises(Exception, match="add is called outside of reader"):
        use_reader(4)
