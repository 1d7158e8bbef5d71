"""Python's own functions and operators in functions with @jit, as in CPython."""

import array
import collections
import io
import operator
import traceback
from contextlib import redirect_stdout

import numpy
import pytest
from tessera.numba import literal_unroll

from tessera import jit, njit

Pair = collections.namedtuple("Pair", ("x", "y"))


def check(function, *arguments):
    assert njit(function)(*arguments) == function(*arguments)


def test_map_and_zip():
    def mapped(values):
        def scaled(x):
            return x * 2 + len(values)

        return [y for y in map(scaled, values)], list(map(abs, (-1, 2))), [a + b for a, b in zip(values, (1, 2, 3))]

    check(mapped, [1, 2, 3, 4])

    def nothing():
        count = 0
        for _ in zip():
            count += 1
        return count

    check(nothing)


def test_several_sequences_are_mapped():
    def together(n):
        return list(map(max, range(n), range(5, 0, -1)))

    check(together, 4)


def test_functions_inside_have_default_values():
    def outer(x):
        z = x + 1

        def inner(x, factor=7, *rest, last=1.5):
            total = x + z * factor + last
            for one in rest:
                total += one
            return total

        return inner(x), inner(x, 2), inner(x, 2, 3, 4), inner(x, last=2.5), (lambda a, b=2: a * b)(x)

    check(outer, 10)


def test_comprehensions_in_functions_with_signatures():
    def total(n):
        values = [i for i in range(n)]
        s = 0
        for one in values:
            s += one
        return s

    compiled = njit("int64(int32)")(total)
    for n in (5, 0, -1):
        assert compiled(n) == total(n)


def test_comprehensions_see_what_a_variable_is_there():
    def retyped(n):
        x = n
        first = [x + k for k in range(2)]
        x = 2.5
        second = [x + k for k in range(2)]
        x = "text"
        return first, second, x

    check(retyped, 3)


def test_a_variable_is_another_one_behind_a_branch():
    def raised(a):
        if a == 0:
            value = numpy.int64(-7)
            raise ValueError(value)
        value = numpy.uint64(2**63)
        raise ValueError(value)

    for a, expected in [(0, -7), (1, 2**63)]:
        with pytest.raises(ValueError) as caught:
            njit(raised)(a)
        assert caught.value.args == (expected,)


def test_isinstance_of_classes_that_functions_lack():
    def asks(x):
        return (
            isinstance(x, (dict, set)),
            isinstance(x, bytes),
            isinstance(x, frozenset),
            isinstance(range(x), range),
            isinstance(x, int),
        )

    check(asks, 3)


def test_tuples():
    def looked_up(values, x):
        return values.index(x), values.count(x), tuple(), values[x - 2]

    check(looked_up, (2, 3, 2, 4), 2)
    check(looked_up, (2, 3, 2, 4), 4)
    with pytest.raises(ValueError, match="not in tuple"):
        njit(looked_up)((2, 3), 5)
    for k in (-3, -2, 1, 2):
        assert_alike(lambda t, k: t[k], (5, 6), k)

    def made(pair, x):
        return type(pair)(x, pair.x)

    check(made, Pair(1, 2.5), 3)


def assert_alike(function, *arguments):
    """The same result, or the same class of exception."""
    try:
        expected = function(*arguments)
    except Exception as error:
        with pytest.raises(type(error)):
            njit(function)(*arguments)
    else:
        assert njit(function)(*arguments) == expected


def test_calls_without_a_result_are_none():
    def says(n):
        def nothing(k):
            k += 1

        x = nothing(n)
        return x, x is None

    check(says, 3)


@pytest.mark.parametrize("a", [0, 1, 200])
def test_unsigned_integers_keep_their_bits(a):
    for dtype in (numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64):
        x = dtype(a)
        with numpy.errstate(over="ignore"):
            expected = int(-x), int(~x)
        assert njit(lambda x: (-x, ~x))(x) == expected


def test_integers_of_both_kinds_stay_integers():
    def results(a, b):
        return a + b, a - b, a * b, a // b, a % b

    for a in (7, -7):
        found = njit(results)(numpy.int64(a), numpy.uint64(3))
        assert found == results(a, 3) and all(type(one) is int for one in found)


def test_division_by_zero():
    for function, arguments in [
        (lambda x, y: x / y, (1, 0)),
        (lambda x, y: x / y, (1.5, 0.0)),
        (lambda x, y: x / y, (1j, 0j)),
        (lambda x, y: x // y, (1, 0)),
        (lambda x, y: x // y, (1.5, 0.0)),
        (lambda x, y: x % y, (1, 0)),
        (lambda x, y: x % y, (1.5, 0.0)),
    ]:
        with pytest.raises(ZeroDivisionError, match="by zero"):
            njit(function)(*arguments)


def test_matmul_of_the_operator_module():
    a, b = numpy.arange(6.0).reshape(2, 3), numpy.arange(12.0).reshape(3, 4)
    numpy.testing.assert_array_equal(njit(lambda a, b: operator.matmul(a, b))(a, b), a @ b)


def printed(n, z, values):
    print(n, z, (n, "text", z), "text")
    print(numpy.arange(n), [n, 2], numpy.ones((2, 2)) * n)
    print(values)
    print(numpy.complex64(z), None)


def test_prints():
    expected, found = io.StringIO(), io.StringIO()
    with redirect_stdout(expected):
        printed(3, 1 + 2.5j, [1.5, 2.5])
    with redirect_stdout(found):
        njit(printed)(3, 1 + 2.5j, [1.5, 2.5])
    assert found.getvalue() == expected.getvalue()


def raises(n, pair):
    if n == 1:
        raise ValueError("text", (n, pair, ()), 2j, None)
    return n


def test_exceptions_with_tuples():
    found = []
    for function in (raises, njit(raises)):
        with pytest.raises(ValueError) as caught:
            function(1, (2.5, "b"))
        found.append(caught.value.args)
    assert found[0] == found[1]


def test_tracebacks_end_in_the_function():
    lines = []
    for function in (raises, njit(raises)):
        with pytest.raises(ValueError) as caught:
            function(1, (2.5, "b"))
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        lines.append((last.filename, last.lineno, last.name, last.line))
    assert lines[0] == lines[1]


class NeedsArguments(Exception):
    def __init__(self, first):
        super().__init__(first)


def test_an_exception_that_cannot_be_made():
    @njit
    def careless():
        raise NeedsArguments()

    with pytest.raises(TypeError, match="first"):
        careless()


def test_unrolled_lists():
    def total(n):
        values = [n, 2.5, 3j]
        result = 0
        for one in literal_unroll(values):
            result += one
        return result

    check(total, 2)


def test_optional_parameters_in_signatures():
    def either(x, y):
        return x if y is None else y

    compiled = jit("int64(int64, optional(int64))")(either)
    assert compiled(1, None) == 1 and compiled(1, 2) == 2 and compiled(1, 2.9) == 2

    @jit("float64(optional(float64[:]), float64)")
    def first(a, x):
        return x if a is None else a[0]

    assert first(None, 2.5) == 2.5 and first(numpy.ones(3), 2.5) == 1


def test_compiling_is_over_with_signatures():
    @jit(["(float32,)", "(int32,)"])
    def same(a):
        return a

    with pytest.raises(RuntimeError, match="compilation is disabled"):
        same.compile("(complex64,)")
    assert len(same.signatures) == 2


def test_recompiling_keeps_the_versions():
    @jit
    def increased(x):
        return x + 1

    increased(1), increased(1.5)
    increased.recompile()
    assert len(increased.signatures) == 2 and increased(1) == 2
    assert [str(one.return_type) for one in increased.nopython_signatures] == ["int64", "float64"]


def test_steps_of_zero():
    def counted(first, last, step):
        total = 0
        for k in range(first, last, step):
            total += k
        return total

    for step in (1, -1, 2):
        check(counted, 0, 5, step)
    assert_alike(counted, 0, 5, 0)
    assert_alike(lambda n: len(range(0, n, 0)), 3)
    assert_alike(lambda t, k: t[k], (), 0)


def test_texts_and_floats_are_no_booleans():
    def asks(x):
        count = 0
        for one in literal_unroll(("text", x, 2.5)):
            count += one is False
            count += one is not True
        return count

    check(asks, 3)


def test_buffers_of_python_are_arrays():
    @njit
    def doubled(values):
        for i in range(values.size):
            values[i] *= 2
        return values.sum()

    data = bytearray([1, 2, 3])
    assert doubled(data) == 12 and data == bytearray([2, 4, 6])
    assert doubled(memoryview(data)) == 24 and data == bytearray([4, 8, 12])
    numbers = array.array("d", [1.5, 2.5])
    assert doubled(numbers) == 8 and numbers[1] == 5


def test_flags_of_arrays_that_functions_make():
    def flags(n):
        made = numpy.ones((n, 3))
        turned = made.T
        part = made[:, :2]
        return (
            made.flags.c_contiguous,
            made.flags.f_contiguous,
            turned.flags.c_contiguous,
            turned.flags.f_contiguous,
            part.flags.c_contiguous,
            part.flags.forc,
        )

    check(flags, 4)
    check(flags, 1)
