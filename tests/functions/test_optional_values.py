"""Variables and results that may be None, ranges and slices as values, and elements in order, against Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tessera.errors import TypingError

from tessera import cuda, jit


def largest(x: Any) -> Any:
    found = None
    for value in x:
        if found is None or value > found:
            found = value
    return found


def returns_none(x: Any) -> Any:
    if x > 2:
        return x * 2.5
    return None


def returns_nothing(x: Any) -> Any:
    if x > 2:
        return x
    if x > 1:
        return


def defaults(x: Any) -> Any:
    step = None
    if x > 3:
        step = 10
    if step is None:
        step = 1
    return x + step


def chosen(x: Any) -> Any:
    value = x if x > 2 else None
    return 0 if value is None else value + 1


def either(x: Any) -> Any:
    first = None
    second = None
    if x > 1:
        first = (x, 0.5)
    if x > 2:
        second = first
    return first, second


def truth(x: Any) -> Any:
    value = None
    if x > 1:
        value = x - 2
    if not value:
        return -1
    return value


def calls(x: Any) -> Any:
    found = helper(x)
    return -1 if found is None else found


@jit
def helper(x: Any) -> Any:
    if x > 2:
        return x * 3
    return None


@pytest.mark.parametrize("function", [returns_none, returns_nothing, defaults, chosen, either, truth, calls])
def test_values_that_may_be_none(function: Any) -> None:
    compiled = jit(function)
    for x in range(6):
        assert compiled(x) == function(x), x


def test_what_is_found_in_a_loop() -> None:
    compiled = jit(largest)
    for values in ([3.0, 7.0, 5.0], [-1.0], []):
        assert compiled(np.array(values)) == largest(values)


def test_arrays_that_may_be_none() -> None:
    def weighted(x: Any, flag: bool) -> Any:
        weights = None
        if flag:
            weights = x * 2
        total = 0.0
        for k in range(len(x)):
            total += x[k] if weights is None else x[k] * weights[k]
        return total

    x = np.arange(5.0)
    for flag in (False, True):
        assert jit(weighted)(x, flag) == weighted(x, flag)


def test_none_where_a_number_is_needed() -> None:
    @jit
    def add(x: Any) -> Any:
        value = None
        if x > 2:
            value = x
        return value + 1

    assert add(3) == 4
    with pytest.raises(TypeError, match="expected int64, got None"):
        add(1)


def test_kernels_have_optional_values() -> None:
    @cuda.jit
    def kernel(x: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i >= len(x):
            return
        found = None
        if x[i] > 2:
            found = x[i] * 2
        if found is None:
            out[i] = -1
        else:
            out[i] = found

    out = np.zeros(5)
    kernel[1, 32](np.arange(5.0), out)
    assert out.tolist() == [-1, -1, -1, 6, 8]


def ranges(n: Any, step: Any) -> Any:
    numbers = range(1, n, step)
    total = 0
    for k in numbers:
        total += k
    inside = 0
    for k in range(-2, n + 2):
        if k in numbers:
            inside += 1
        if k not in range(3):
            inside += 100
    return total, len(numbers), numbers.start, numbers.stop, numbers.step, inside, bool(numbers), numbers


@pytest.mark.parametrize("n, step", [(10, 1), (10, 3), (-9, -2), (1, 1)])
def test_ranges_are_values(n: int, step: int) -> None:
    assert jit(ranges)(n, step) == ranges(n, step)


def test_elements_of_ranges() -> None:
    @jit
    def get(n: int, k: int) -> Any:
        return range(3, n, 2)[k]

    for k in (0, 2, -1, -3):
        assert get(9, k) == range(3, 9, 2)[k]
    with pytest.raises(IndexError, match="range object index out of range"):
        get(9, 3)


@pytest.mark.parametrize("given", [slice(None), slice(2, 7), slice(None, None, 2), slice(-3, None), slice(8, 1, -3)])
def test_slices_are_passed(given: slice) -> None:
    @jit
    def cut(x: Any, where: Any) -> Any:
        return x[where], where, where.start, where.step

    x = np.arange(10.0)
    part, same, start, step = cut(x, given)
    np.testing.assert_array_equal(part, x[given])
    assert (same, start, step) == (given, given.start, given.step)


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (0, 2)])
def test_elements_in_order(shape: Any) -> None:
    def sums(x: Any) -> Any:
        total = 0.0
        for index, value in np.ndenumerate(x):
            total = total * 0.5 + value * (1 + index[0])
        for value in x.flat:
            total = total * 0.25 + value
        for k, value in enumerate(x.flat):
            total += k * value
        return total

    x = np.arange(float(np.prod(shape))).reshape(shape)
    for array in (x, x.T, x[::-1]):
        assert jit(sums)(array) == pytest.approx(sums(array), rel=1e-12)


def test_one_element_in_order() -> None:
    pick = jit(lambda x, k: x.flat[k])
    x = np.arange(6.0).reshape(2, 3).T
    assert [pick(x, k) for k in (0, 3, 5, -1, -6)] == [x.flat[k] for k in (0, 3, 5, -1, -6)]
    with pytest.raises(IndexError, match="index 6 is out of bounds for size 6"):
        pick(x, 6)


def test_views_of_numbers() -> None:
    bits = jit(lambda x: x.view(np.int64))
    assert bits(np.float64(1.5)) == np.float64(1.5).view(np.int64)
    with pytest.raises(TypingError, match="itemsize is unchanged"):
        jit(lambda x: x.view(np.int32))(np.float64(1.5))


def test_functions_print_numbers_as_python_does(capsys: pytest.CaptureFixture[str]) -> None:
    @jit
    def show(x: Any, n: Any) -> None:
        print("x", x, n, x * n)

    show(1.5, 2)
    assert capsys.readouterr().out == "x 1.5 2 3.0\n"
