"""overload and its siblings: functions chosen by types, in compiled functions."""

import inspect

import numpy
import pytest
from tessera.errors import TypingError
from tessera.extending import overload, overload_attribute, overload_classmethod, overload_method, register_jitable

import tessera
from tessera import njit, types, vectorize


def length_of(x, scale=1):
    raise NotImplementedError


@overload(length_of)
def _length_of_number(x, scale=1):
    if isinstance(x, types.Integer):
        return lambda x, scale=1: 1 * scale
    if isinstance(x, types.Float):
        return lambda x, scale=1: x * scale
    return None


@overload(length_of)
def _length_of_array(x, scale=1):
    if isinstance(x, types.Array) and x.ndim == 1:

        def of_one_axis(x, scale=1):
            return len(x) * scale

        return of_one_axis
    if isinstance(x, types.Array):

        def of_more(x, scale=1):
            total = 0.0
            for k in range(x.shape[0]):
                total += length_of(x[k], scale)
            return total

        return of_more
    return None


def test_the_function_follows_the_types():
    @njit
    def f(x):
        return length_of(x)

    assert f(5) == 1 and f(2.5) == 2.5 and f(numpy.ones(7)) == 7 and f(numpy.ones((2, 3))) == 6.0


def test_default_values_and_names():
    @njit
    def f(x):
        return length_of(x, 3), length_of(x, scale=2), length_of(scale=5, x=x)

    assert f(numpy.ones(4)) == (12, 8, 20)


def test_no_implementation_is_told_with_types():
    @njit
    def f(x):
        return length_of((x, x))

    with pytest.raises(TypingError, match=r"length_of has no implementation for \(tuple\(int64, int64\)\)"):
        f(1)


def test_arguments_are_evaluated_once():
    counts = numpy.zeros(1)

    @njit
    def count(c):
        c[0] += 1
        return 2.0

    @njit
    def f(c):
        return length_of(count(c), scale=count(c))

    assert f(counts) == 4.0 and counts[0] == 2


def test_tuples_texts_and_none():
    def kind(x, y=None):
        raise NotImplementedError

    seen = []

    @overload(kind)
    def _kind(x, y=None):
        seen.append((x, y))
        if isinstance(x, types.UniTuple):
            count = x.count
            return lambda x, y=None: count
        if isinstance(x, types.BaseTuple):
            return lambda x, y=None: -len(x)
        if isinstance(x, types.NoneType):
            return lambda x, y=None: 0
        if isinstance(x, types.UnicodeType):
            return lambda x, y=None: 100
        return lambda x, y=None: 1000

    @njit
    def f(a, b, text):
        return kind((a, a)), kind((a, b)), kind(None), kind(text), kind(a, b)

    assert f(1, 2.0, "mean") == (2, -2, 0, 100, 1000)
    assert (types.int64, types.float64) in seen and (types.UniTuple(types.int64, 2), None) in seen


def test_a_function_of_numpy_and_its_own_meaning():
    @overload(numpy.clip)
    def _clip(a, a_min, a_max):
        if isinstance(a, types.Integer):
            return lambda a, a_min, a_max: -1
        return None

    try:

        @njit
        def f(a):
            return numpy.clip(a, 0, 2)

        assert f(7) == -1
        numpy.testing.assert_array_equal(f(numpy.arange(5.0)), [0, 1, 2, 2, 2])
    finally:
        from tessera.functions import extending

        del extending._OF_FUNCTIONS[id(numpy.clip)]


def test_methods_and_attributes():
    @overload_method(types.Array, "spread_by")
    def _spread(a, factor=1.0):
        return lambda a, factor=1.0: (a.max() - a.min()) * factor

    @overload_attribute(types.Array, "middle")
    def _middle(a):
        if a.ndim == 1:
            return lambda a: a[a.shape[0] // 2]
        return lambda a: a[a.shape[0] // 2, a.shape[1] // 2]

    @overload_method(types.Float, "squared")
    def _squared(x):
        return lambda x: x * x

    @njit
    def f(a):
        return a.spread_by(), a.spread_by(2.0), a.spread_by(factor=3), a.middle, (a + 1).middle, a.middle.squared()

    assert f(numpy.arange(5.0)) == (4.0, 8.0, 12.0, 2.0, 3.0, 4.0)
    assert f(numpy.arange(6.0).reshape(2, 3))[3] == 4.0

    @njit
    def g(a):
        return a.elsewhere

    with pytest.raises(TypingError, match="has no attribute elsewhere"):
        g(numpy.ones(2))


def test_registered_functions_stay_pythons():
    @register_jitable
    def both(x, y=2):
        return x * y

    @register_jitable(inline="always")
    def other(x):
        return both(x, y=3) + both(x)

    assert both(3) == 6 and other(1) == 5 and both.__name__ == "both"

    @njit
    def f(x):
        return other(x)

    assert f(4) == 20
    ufunc = vectorize(lambda x: other(x))
    numpy.testing.assert_array_equal(ufunc(numpy.arange(3.0)), [0.0, 5.0, 10.0])


def test_a_ufunc_and_a_kernel_call_overloads():
    ufunc = vectorize(lambda x: length_of(x, 2))
    numpy.testing.assert_array_equal(ufunc(numpy.arange(3.0)), [0.0, 2.0, 4.0])


def test_what_a_chooser_raises():
    def odd(x):
        raise NotImplementedError

    @overload(odd)
    def _odd(x):
        if isinstance(x, types.Integer):
            raise ValueError("not of integers")
        if isinstance(x, types.Float):
            raise TypingError("floats are refused")
        return 5

    @njit
    def f(x):
        return odd(x)

    with pytest.raises(TypingError, match="raised ValueError: not of integers"):
        f(1)
    with pytest.raises(TypingError, match="floats are refused"):
        f(1.0)
    with pytest.raises(TypingError, match="returned 5, not a function"):
        f(numpy.ones(1))


def spread(*numbers):
    raise NotImplementedError


@overload(spread)
def of_two(low, high):
    return lambda low, high: high - low


@overload(spread)
def of_three(low, high, step):
    return lambda low, high, step: (high - low) // step


def test_functions_are_chosen_by_how_many_arguments_there_are():
    assert njit(lambda: (spread(1, 9), spread(1, 9, 2)))() == (8, 4)
    with pytest.raises(TypingError, match="no implementation"):
        njit(lambda: spread(1))()

    @njit
    def apply(function, x):
        return function(x, x + 5)

    assert njit(lambda x: apply(spread, x))(2) == 5


def scaled(x, by):
    raise NotImplementedError


@overload(scaled, prefer_literal=True)
def scaled_by(x, by):
    if isinstance(by, types.Literal):
        value = 10 * by.literal_value
        return lambda x, by: x * value
    return lambda x, by: x * by


def test_values_of_constants_are_asked_for_first():
    assert njit(lambda x: scaled(x, 2))(3) == 60
    assert njit(lambda x, by: scaled(x, by))(3, 2) == 6


def test_options_and_names():
    with pytest.raises(TypeError, match="no option inlin"):
        overload(length_of, inlin="always")
    with pytest.raises(TypeError, match="no type"):
        overload_method(int, "x")
    assert tessera.numba.extending.overload is overload and "overload" in inspect.getsource(tessera.extending)


def test_what_else_numba_has_there():
    assert tessera.extending.is_jitted(njit(lambda x: x)) and not tessera.extending.is_jitted(
        register_jitable(lambda x: x)
    )
    assert not tessera.extending.is_jitted(length_of)
    with pytest.raises(ImportError, match="nothing_like_this"):
        from tessera.extending import nothing_like_this  # noqa: F401


def test_overloads_for_the_values_of_constants():
    def named(x):
        return x

    @overload(named)
    def _named(x):
        if isinstance(x, types.Literal):
            value = x.literal_value
            if value == 7:
                return lambda x: "seven"
            return lambda x: "another"

    @njit
    def texts(n):
        return named(7), named(8), named(True)

    assert texts(1) == ("seven", "another", "another")
    with pytest.raises(TypingError, match="no implementation"):
        njit(lambda n: named(n))(7)


def test_the_next_overload_is_taken_where_one_does_not_compile():
    def called(x):
        raise NotImplementedError

    @overload(called)
    def refusing(x):
        raise TypingError("not mine")

    @overload(called)
    def of_matrices(x):
        return lambda x: x[0, 0] * 2.0

    @overload(called)
    def general(x):
        return lambda x: x + 1

    @overload(called)
    def never(x):
        return lambda x: x + 2

    function = njit(lambda x: called(x))
    assert function(3) == 4 and function(numpy.full((2, 2), 5.0)) == 10


def test_what_the_last_chooser_raises_is_told():
    def called(x):
        raise NotImplementedError

    @overload(called)
    def refusing(x):
        raise TypingError("wants an array")

    with pytest.raises(TypingError, match="wants an array"):
        njit(lambda x: called(x))(3)


def test_a_literal_that_is_refused_is_asked_for_by_its_type():
    def called(x):
        raise NotImplementedError

    @overload(called, prefer_literal=True)
    def chooser(x):
        if not isinstance(x, tessera.types.IntegerLiteral):
            return lambda x: x * 100
        if x.literal_value == 1:
            return lambda x: 7
        raise TypingError("another value")

    assert njit(lambda x: (called(1), called(2), called(x)))(3) == (7, 200, 300)


def test_the_function_has_the_choosers_parameters():
    def called(x, y=1):
        raise NotImplementedError

    @overload(called)
    def chooser(x, y=1):
        return lambda a, y=1: a

    with pytest.raises(TypingError, match="parameters"):
        njit(lambda x: called(x))(3)

    def loose(x):
        raise NotImplementedError

    @overload(loose, strict=False)
    def other(x):
        return lambda a: a

    assert njit(lambda x: loose(x))(3) == 3


def test_choosers_with_any_named_arguments():
    def called(a, by=None):
        raise NotImplementedError

    @overload(called)
    def chooser(a, **named):
        return lambda a, by=10: a

    with pytest.raises(TypingError, match="VAR_KEYWORD"):
        njit(lambda a: called(a, by=11))(1)


def test_a_function_that_does_not_compile_for_a_value_is_passed_over():
    def called(x, y):
        raise NotImplementedError

    @overload(called, prefer_literal=True)
    def of_arrays(x, y):
        return lambda x, y: x.sum() + y

    @overload(called)
    def of_numbers(x, y):
        return (lambda x, y: x * y) if isinstance(y, types.Integer) else None

    function = njit(lambda x: called(x, 3))
    assert function(numpy.arange(3.0)) == 6.0 and function(2.5) == 7.5


def test_lambdas_in_a_line_that_differ_in_a_number_are_told_apart():
    def chosen(x):
        raise NotImplementedError

    @overload(chosen)
    def choose(x):
        return (lambda x: 100) if isinstance(x, types.Integer) else (lambda x: 200)

    @overload(chosen)
    def choose_other(x):
        return lambda x: 300

    ask = njit(lambda x: chosen(x))
    assert ask(7) == 100 and ask(7.5) == 200
    one, two, three = (lambda x: x + 1), (lambda x: x + 1.0), (lambda x: x + True)
    assert [njit(one)(1), njit(two)(1), njit(three)(1)] == [2, 2.0, 2]


class Buffers(types.Array):
    pass


class SmallBuffers(Buffers):
    pass


@overload_classmethod(Buffers, "filled")
def _filled(cls, count, value=2.0):
    assert isinstance(cls, types.TypeRef) and cls.instance_type is Buffers
    if isinstance(count, types.Integer):
        return lambda cls, count, value=2.0: numpy.full(count, value)
    return None


def test_methods_of_classes_of_types():
    @njit
    def function(n):
        return Buffers.filled(n), Buffers.filled(2, value=3.0), SmallBuffers.filled(1)

    whole, two, one = function(3)
    assert whole.tolist() == [2.0, 2.0, 2.0] and two.tolist() == [3.0, 3.0] and one.tolist() == [2.0]
    with pytest.raises(TypingError, match="there is no"):
        njit(lambda n: types.Array.filled(n))(3)
    with pytest.raises(TypingError, match="has no implementation for"):
        njit(lambda n: Buffers.filled(n))(3.0)
    with pytest.raises(NotImplementedError, match="in compiled functions"):
        Buffers.filled(3)
    with pytest.raises(TypeError, match="a key of its own"):
        overload_classmethod(Buffers, "key")
