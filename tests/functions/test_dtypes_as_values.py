"""Dtypes, slices and the ellipsis as values in compiled functions, compared with what Python and NumPy make of the same function."""

import itertools

import numpy as np
import pytest
from tessera.errors import TypingError

from tessera import cfunc, jit

NAMES = "? bool bool_ i1 i4 <i8 int int_ intp u2 uint8 f4 =f8 d float single c8 c16 complex complex128".split()


def check(function, *arguments):
    """Values, dtypes and shapes are those of the Python function."""
    expected, result = function(*arguments), jit(function)(*arguments)
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_names_a_dtype_as_in_numpy(name):
    def made(n):
        return np.zeros(n, name), np.full((n, 2), 3, dtype=name), np.eye(n, dtype=name), np.arange(n).astype(name)

    for result, expected in zip(jit(made)(3), made(3)):
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def test_a_text_that_names_no_dtype_is_refused():
    with pytest.raises(TypingError, match="Invalid NumPy dtype specified: 'f3'"):
        jit(lambda n: np.zeros(n, "f3"))(3)


@pytest.mark.parametrize("dtype", [np.int16, np.dtype("complex64"), float, "u1"])
def test_identity_takes_a_dtype(dtype):
    check(lambda n: np.identity(n, dtype), 3)


def test_a_dtype_is_returned_and_compared():
    @jit
    def described(a):
        return (
            a.dtype,
            np.dtype("int64"),
            a.dtype.type,
            a.dtype == np.float32,
            a.dtype != "f4",
            a.dtype == np.dtype("f8"),
        )

    dtype, of_text, kind, *compared = described(np.ones(2, "f4"))
    assert (dtype, of_text, kind, compared) == (np.dtype("f4"), np.dtype("int64"), np.float32, [True, False, False])
    assert isinstance(dtype, np.dtype)


def test_a_dtype_is_an_argument():
    def made(n, dtype):
        return np.ones(n, dtype)

    compiled = jit(made)
    for dtype in (np.dtype("int8"), np.int8, np.dtype("c8")):
        result = compiled(3, dtype)
        assert result.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(result, made(3, dtype))


def test_ranges_of_complex_numbers_are_numpys():
    check(lambda a, b, n: np.linspace(a, b, n), 1 + 0.5j, 3j, 7)
    check(lambda a, b: np.linspace(a, b), -3j, 2 + 3j)
    check(lambda a: np.clip(a, None, None), np.arange(4))


def test_arrays_are_made_of_tuples_of_lists_and_of_arrays():
    check(lambda t: np.array(t), ([1, 2], [3.5, 4.5]))
    check(lambda a, b: np.array((a, b)), np.arange(3), np.arange(3.0))


def test_the_ellipsis_is_an_argument():
    a = np.arange(24).reshape(2, 3, 4)
    check(lambda a, i: a[i], a, ...)
    check(lambda a, i, k: a[i, k], a, ..., 1)
    assert jit(lambda x, y: (x is y, x is not y))(..., ...) == (True, False)


BOUNDS = [None, -3, -1, 0, 2, 9]


@pytest.mark.parametrize("step", [None, 1, 2, -1, -3])
def test_a_slice_outside_is_used_as_it_is(step):
    values, pair = np.arange(5), (1, 2, 3, 4)
    for start, stop in itertools.product(BOUNDS, BOUNDS):
        part = slice(start, stop, step)
        assert jit(lambda: part)() == part
        np.testing.assert_array_equal(jit(lambda a: a[part])(values), values[part])
        assert jit(lambda: pair[part])() == pair[part]


def test_indices_of_slices_are_pythons():
    compiled = jit(lambda part, n: part.indices(n))
    for start, stop, step, n in itertools.product(BOUNDS, BOUNDS, [None, 1, 2, -1], [0, 1, 5]):
        part = slice(start, stop, step)
        assert compiled(part, n) == part.indices(n)
    with pytest.raises(ValueError, match="length should not be negative"):
        compiled(slice(None), -1)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        compiled(slice(None, None, 0), 3)
    with pytest.raises(TypingError, match="length float64"):
        compiled(slice(None), 1.5)


def test_any_number_may_be_looked_for_in_a_range():
    compiled = jit(lambda x, a, b, c: x in range(a, b, c))
    for x in (True, False, -2, 3, 4, 3.0, 3.5, float("nan"), 3 + 0j, 3 + 1j, np.uint8(4)):
        for bounds in ((0, 5, 1), (4, -3, -2), (1, 9, 3)):
            assert compiled(x, *bounds) == (x in range(*bounds)), (x, bounds)
    assert not jit(lambda: "a" in range(3))()


def test_is_compares_arrays_as_objects():
    def same(a, b):
        return a is b, a is not b

    a = np.arange(6)
    compiled = jit(same)
    for b in (a, a.copy()):
        assert compiled(a, b) == same(a, b)
    assert jit(lambda a: a[:3] is a)(a) is False
    assert compiled(a, np.arange(6.0)) == (False, True)


def test_a_slice_of_step_one_is_replaced_by_any_number_of_elements():
    def replaced(n):
        values = [0, 1, 2, 3]
        values[0:2:1] = [7] * n
        return values

    for n in range(5):
        assert jit(replaced)(n) == replaced(n)


OUTSIDE = np.arange(6.0).reshape(2, 3)


def test_an_array_outside_is_returned_as_a_copy():
    whole, (row, number) = jit(lambda: (OUTSIDE, (OUTSIDE[1], 2)))()
    np.testing.assert_array_equal(whole, OUTSIDE)
    np.testing.assert_array_equal(row, OUTSIDE[1])
    assert number == 2
    whole[0, 0] = 9
    assert OUTSIDE[0, 0] == 0


def test_assembly_names_the_function_and_its_arguments():
    @jit
    def added(a, b):
        return a + b

    added(1, 2)
    added(1.0, 2)
    texts = added.inspect_asm()
    assert list(texts) == added.signatures
    assert all("added(a: " in text and "ret" in text for text in texts.values())
    assert "ret" in cfunc("float64(float64)")(lambda x: x + 1).inspect_asm()


def test_kinds_and_names_of_dtypes():
    @jit
    def described(a):
        if a.dtype.kind == "f":
            return a.dtype.name, 1
        return a.dtype.kind, 2

    for dtype in ("?", "i1", "u8", "f4", "f8", "c16"):
        a = np.zeros(1, dtype)
        assert described(a) == described.py_func(a)
