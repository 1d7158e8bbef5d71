"""What calls of ufuncs do as in NumPy: arguments, methods, errors, warnings and overriding."""

import warnings

import numpy
import pytest
import tessera.numpy as np
from ufunc_samples import check, native, same_outcome

from tessera import _core

CALLS = [
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([0.0, 0.0])),
    lambda np, array: np.add(array([1.0, 2.0]), 1, array([0.0, 0.0])),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=(array([0.0, 0.0]),)),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=(None,)),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([0, 0])),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([0, 0]), casting="unsafe"),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([0.0, 0.0, 0.0])),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([[0.0, 0.0], [1.0, 1.0]])),
    lambda np, array: np.add(array([1.0, 2.0]), array([1.0, 2.0, 3.0])),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([9.0, 9.0]), where=array([True, False])),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([9.0, 9.0]), where=[False, True]),
    lambda np, array: np.add(array([1.0, 2.0]), 1, out=array([9.0, 9.0]), where=array([1, 0])),
    lambda np, array: np.add(array([1, 2]), 1, dtype=numpy.float32),
    lambda np, array: np.add(array([1, 2]), 1, dtype="f4", casting="safe"),
    lambda np, array: np.add(array([1.5, 2]), 1, dtype=int),
    lambda np, array: np.add(array([1.5, 2]), 1, dtype=int, casting="unsafe"),
    lambda np, array: np.add(array([1.5, 2]), 1, signature="ff->f"),
    lambda np, array: np.add(array([1.5, 2]), 1, sig=(None, None, "f4")),
    lambda np, array: np.add(array([1.5, 2]), 1, sig="d->d"),
    lambda np, array: np.add(array([1.5, 2]), 1, sig="dd->d", dtype=float),
    lambda np, array: np.add(array([1.5, 2]), 1, sig="dd->d", signature="dd->d"),
    lambda np, array: np.add(array([1.5, 2]), 1, casting="nonsense"),
    lambda np, array: np.add(array([1.5, 2]), 1, order="Q"),
    lambda np, array: np.add(array([[1.5, 2], [3, 4]]), 1, order="F"),
    lambda np, array: np.add(array([1.5, 2])),
    lambda np, array: np.add(array([1.5, 2]), 1, 2, 3),
    lambda np, array: np.add(array([1.5, 2]), 1, axis=0),
    lambda np, array: np.add(array([1.5, 2]), 1, out=3),
    lambda np, array: np.add(array([1.5, 2]), 1, out=()),
    lambda np, array: np.add(array([1.5, 2]), 1, array([0.0, 0.0]), out=array([0.0, 0.0])),
    lambda np, array: np.modf(array([1.5, 2.25])),
    lambda np, array: np.modf(array([1.5, 2.25]), out=(array([0.0, 0.0]), None)),
    lambda np, array: np.modf(array([1.5, 2.25]), out=array([0.0, 0.0])),
    lambda np, array: np.divmod(array([7, -7]), 2),
    lambda np, array: np.power(array([2, 3]), array([-1, 1])),
    lambda np, array: np.power(array([2, 3]), -1),
    lambda np, array: np.add(array([1, 2], numpy.int8), 300),
    lambda np, array: np.less(array([1, 2], numpy.int8), 300),
    lambda np, array: np.greater_equal(array([1, 2], numpy.uint64), -1),
    lambda np, array: np.equal(array([1, 2], numpy.uint8), -1),
    lambda np, array: np.add(1, 2),
    lambda np, array: np.add(1.5, 2j),
    lambda np, array: np.add(True, True),
    lambda np, array: np.subtract(array([True]), array([False])),
    lambda np, array: np.negative(array([True])),
    lambda np, array: np.gcd(array([1.5]), 2.0),
    lambda np, array: np.invert(array([1.5])),
    lambda np, array: np.positive(array([True])),
    lambda np, array: np.sin(array([1, 2], numpy.int8)),
    lambda np, array: np.sin(array([1, 2], numpy.uint16)),
    lambda np, array: np.divide(array([1, 2], numpy.int8), array([2, 0], numpy.int8)),
    lambda np, array: np.less(array([-1, 5]), array([3, 5], numpy.uint64)),
    lambda np, array: np.logical_and(array([1.5, 0]), array([1, 1], numpy.int8)),
    lambda np, array: np.add([1, 2], [3, 4]),
    # reduce
    lambda np, array: np.add.reduce(array([1, 2, 3], numpy.int8)),
    lambda np, array: np.add.reduce(array([1, 2, 3], numpy.uint8)),
    lambda np, array: np.add.reduce(array([True, True])),
    lambda np, array: np.add.reduce(array([[1.0, 2.0], [3.0, 4.0]])),
    lambda np, array: np.add.reduce(array([[1.0, 2.0], [3.0, 4.0]]), axis=None),
    lambda np, array: np.add.reduce(array([[1.0, 2.0], [3.0, 4.0]]), axis=-1, keepdims=True),
    lambda np, array: np.add.reduce(array([[1.0, 2.0], [3.0, 4.0]]), axis=(0, 1), keepdims=True),
    lambda np, array: np.add.reduce(array([[1.0, 2.0], [3.0, 4.0]]), axis=()),
    lambda np, array: np.add.reduce(array([[1.0, 2.0], [3.0, 4.0]]), axis=(0, 0)),
    lambda np, array: np.add.reduce(array([1.0, 2.0]), axis=1),
    lambda np, array: np.add.reduce(array([1.0, 2.0]), axis="x"),
    lambda np, array: np.add.reduce(array([1.0, 2.0]), initial=10),
    lambda np, array: np.add.reduce(array([1.0, 2.0]), where=array([True, False])),
    lambda np, array: np.add.reduce(array([1.0, 2.0]), dtype="f4"),
    lambda np, array: np.add.reduce(array([1.5, 2.0]), dtype=int),
    lambda np, array: np.add.reduce(array([[1.0, 2.0], [3.0, 4.0]]), out=array([0.0, 0.0])),
    lambda np, array: np.add.reduce(array([1.0, 2.0]), out=array([0.0, 0.0])),
    lambda np, array: np.add.reduce(array([])),
    lambda np, array: np.maximum.reduce(array([])),
    lambda np, array: np.maximum.reduce(array([]), initial=3),
    lambda np, array: np.maximum.reduce(array([1.0, 2.0]), where=array([True, False])),
    lambda np, array: np.maximum.reduce(array([1.0, 2.0]), where=array([True, False]), initial=-5.0),
    lambda np, array: np.subtract.reduce(array([[1.0, 2.0], [3.0, 5.0]])),
    lambda np, array: np.subtract.reduce(array([[1.0, 2.0], [3.0, 5.0]]), axis=None),
    lambda np, array: np.divide.reduce(array([8.0, 2.0, 2.0])),
    lambda np, array: np.divide.reduce(array([8, 2, 2])),
    lambda np, array: np.power.reduce(array([2, 3, 2])),
    lambda np, array: np.arctan2.reduce(array([2.0, 3.0], numpy.float16)),
    lambda np, array: np.hypot.reduce(array([-3.0])),
    lambda np, array: np.hypot.reduce(array([3.0, 4.0, 12.0])),
    lambda np, array: np.logaddexp.reduce(array([1.0, 2.0])),
    lambda np, array: np.logical_and.reduce(array([1.5, 0.0])),
    lambda np, array: np.logical_or.reduce(array([[0, 0], [0, 2]])),
    lambda np, array: np.logical_xor.reduce(array([1, 1, 1])),
    lambda np, array: np.bitwise_xor.reduce(array([1, 3, 7], numpy.int8)),
    lambda np, array: np.gcd.reduce(array([-12, 18])),
    lambda np, array: np.equal.reduce(array([True, False])),
    lambda np, array: np.less.reduce(array([1.0, 2.0])),
    lambda np, array: np.multiply.reduce(array([1 + 2j, 3 - 1j])),
    lambda np, array: np.maximum.reduce(array([1 + 2j, 3 - 1j, 3 + 1j])),
    lambda np, array: np.sin.reduce(array([1.0])),
    lambda np, array: np.divmod.reduce(array([1.0])),
    lambda np, array: np.add.reduce(),
    lambda np, array: np.add.reduce(array([1.0]), foo=3),
    lambda np, array: np.add.reduce(array([[], []]), axis=1),
    lambda np, array: np.maximum.reduce(array([[], []]), axis=0),
    lambda np, array: np.add.reduce(array(3.0)),
    lambda np, array: np.add.reduce(array(3.0), axis=1),
    # accumulate, reduceat, outer, at
    lambda np, array: np.add.accumulate(array([1, 2, 3], numpy.int8)),
    lambda np, array: np.multiply.accumulate(array([[1.0, 2.0], [3.0, 4.0]]), axis=1),
    lambda np, array: np.maximum.accumulate(array([1.0, 3.0, 2.0])),
    lambda np, array: np.subtract.accumulate(array([[1.0, 2.0], [3.0, 4.0]])),
    lambda np, array: np.add.accumulate(array([[1.0, 2.0], [3.0, 4.0]]), axis=2),
    lambda np, array: np.add.accumulate(array(1.0)),
    lambda np, array: np.add.accumulate(array([])),
    lambda np, array: np.add.accumulate(array([1.0, 2.0]), out=array([0.0, 0.0])),
    lambda np, array: np.add.reduceat(array([1.0, 2.0, 3.0, 4.0]), [0, 2, 1]),
    lambda np, array: np.add.reduceat(array([[1.0, 2.0], [3.0, 4.0]]), [0], axis=1),
    lambda np, array: np.subtract.reduceat(array([1.0, 2.0, 3.0, 4.0]), array([0, 2])),
    lambda np, array: np.add.reduceat(array([1.0, 2.0]), [5]),
    lambda np, array: np.add.reduceat(array([1.0, 2.0]), []),
    lambda np, array: np.add.outer(array([1.0, 2.0]), array([[3.0], [4.0]])),
    lambda np, array: np.multiply.outer(array([1, 2]), 3.5),
    lambda np, array: np.less.outer(array([1, 2]), array([1, 2, 3])),
    lambda np, array: np.sin.outer(array([1.0]), array([1.0])),
    lambda np, array: np.add.at(array([1.0]), [0]),
    lambda np, array: np.negative.at(array([1.0]), [0], 1),
    lambda np, array: np.add.at(array([1.0, 2.0]), [5], 1),
    lambda np, array: np.add.at([1.0], [0], 1),
    lambda np, array: np.add.at(array([1, 2]), [0], 1.5),
    lambda np, array: np.power.at(array([2, 3, 4]), [0, 1], array([-1, 2])),
    lambda np, array: np.power.at(array([2, 3, 4]), [0, 1], -1),
    lambda np, array: np.power.at(array([2, 3, 4]), [], -1),
    lambda np, array: np.power.at(array([2.0, 3.0, 4.0]), [0, 1], -1),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls_do_what_they_do_in_numpy(number):
    same_outcome(CALLS[number])


@pytest.mark.parametrize("name,values", [("add", 5), ("multiply", 2.0), ("maximum", 6), ("negative", None)])
def test_at_counts_repeated_indices(name, values):
    expected = numpy.arange(12.0).reshape(3, 4)
    actual = _core.asarray(expected)
    arguments = () if values is None else (values,)
    for index in ([0, 0, 2], (slice(None), [1, 1, 3]), (0, [2, 2, 2])):
        getattr(numpy, name).at(expected, index, *arguments)
        native(name).at(actual, index, *arguments)
    check(actual, expected, name)


def test_at_converts_elements_of_other_types():
    expected = numpy.zeros(4, numpy.float32)
    actual = _core.asarray(expected)
    numpy.add.at(expected, [0, 0, 3], [1, 2, 3])
    _core.add.at(actual, [0, 0, 3], [1, 2, 3])
    check(actual, expected, "add")


WARNINGS = [
    (
        lambda np, x: np.divide(x([1.0, 0.0]), 0.0),
        ["divide by zero encountered in divide", "invalid value encountered in divide"],
    ),
    (lambda np, x: np.log(x([0.0, -1.0])), ["divide by zero encountered in log", "invalid value encountered in log"]),
    (lambda np, x: np.sqrt(x([-1.0])), ["invalid value encountered in sqrt"]),
    (lambda np, x: np.exp(x([1000.0])), ["overflow encountered in exp"]),
    (lambda np, x: np.multiply(x([1e308]), 10.0), ["overflow encountered in multiply"]),
    (lambda np, x: np.floor_divide(x([1]), 0), ["divide by zero encountered in floor_divide"]),
    (lambda np, x: np.remainder(x([1.0]), 0.0), ["invalid value encountered in remainder"]),
    (lambda np, x: np.add.reduce(x([1e308, 1e308])), ["overflow encountered in reduce"]),
    (lambda np, x: np.add.accumulate(x([1e308, 1e308])), ["overflow encountered in accumulate"]),
    (lambda np, x: np.power(x([0.0]), -1.0), ["divide by zero encountered in power"]),
    (lambda np, x: np.arctanh(x([1.0])), ["divide by zero encountered in arctanh"]),
    (lambda np, x: np.add(x([1.0]), numpy.nan), []),
]


@pytest.mark.parametrize("call,expected", WARNINGS)
def test_floating_point_events_warn_in_the_words_of_numpy(call, expected):
    for np, make in ((numpy, numpy.array), (_core, lambda v: _core.asarray(numpy.array(v)))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            repr(call(np, make))
        assert [str(w.message) for w in caught] == expected


@pytest.mark.parametrize("size", [3, 5000])
def test_errstate_decides_what_events_do(size):
    zero = _core.asarray(numpy.zeros(size))
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError, match="^divide by zero encountered in log$"):
        _core.log(zero)
    calls = []
    with numpy.errstate(divide="call", call=lambda kind, flag: calls.append((kind, flag))):
        _core.log(zero)
    assert calls == [("divide by zero", 1)]

    class Log:
        text = ""

        def write(self, message):
            self.text += message

    log = Log()
    with numpy.errstate(divide="log", call=log):
        _core.log(zero)
    assert log.text == "Warning: divide by zero encountered in log\n"
    with numpy.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        repr(_core.log(zero))


def test_operands_that_override_ufuncs_are_asked():
    class Quantity:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc, method, inputs, kwargs

    q, a = Quantity(), _core.asarray(numpy.arange(3.0))
    assert _core.add(a, q) == (_core.add, "__call__", (a, q), {})
    assert _core.add(q, a, a) == (_core.add, "__call__", (q, a), {"out": (a,)})
    assert _core.add.reduce(q, 1) == (_core.add, "reduce", (q,), {"axis": 1})
    assert _core.add(a, a, out=q) == (_core.add, "__call__", (a, a), {"out": (q,)})
    assert (a + q)[1] == "__call__"


def test_operands_may_refuse_ufuncs():
    class Refuses:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    a = _core.asarray(numpy.arange(3.0))
    with pytest.raises(TypeError, match=r"operand 'Refuses' does not support ufuncs \(__array_ufunc__=None\)"):
        _core.add(a, Refuses())
    assert a + Refuses() == "mine"


def test_where_keeps_what_out_held():
    out = _core.asarray(numpy.full(6, -1.0))
    mask = _core.asarray(numpy.array([True, False] * 3))
    result = _core.sqrt(_core.asarray(numpy.arange(6.0)), out=out, where=mask)
    assert result is out
    check(out, numpy.sqrt(numpy.arange(6.0), out=numpy.full(6, -1.0), where=numpy.asarray(mask)), "sqrt")


def test_outputs_may_overlap_operands():
    expected = numpy.arange(20.0)
    actual = _core.asarray(expected)
    numpy.add(expected[:-1], expected[1:], out=expected[1:])
    _core.add(actual[:-1], actual[1:], out=actual[1:])
    check(actual, expected, "add")


@pytest.mark.parametrize("size", [3, 5000])
def test_outputs_may_be_arrays_of_numpy(size):
    a = _core.asarray(numpy.arange(float(size)))
    out = numpy.zeros(size)
    assert _core.add(a, 1, out=out) is out
    numpy.testing.assert_array_equal(out, numpy.arange(1.0, size + 1))
    narrow = numpy.zeros((size, 2), numpy.float32)[:, 1]
    assert _core.sqrt(a, out=narrow) is narrow
    numpy.testing.assert_allclose(narrow, numpy.sqrt(numpy.arange(size)), rtol=1e-6)
    total = numpy.zeros(())
    assert _core.add.reduce(a, out=total) is total
    assert total == numpy.arange(float(size)).sum()
    out.flags.writeable = False
    with pytest.raises(ValueError, match="output array is read-only"):
        _core.add(a, 1, out=out)


BIG = numpy.random.default_rng(3).normal(size=(90, 60))
LARGE_CALLS = [
    lambda np, array: np.add(array(BIG)[::2, ::-1], array(BIG)[1::2]),
    lambda np, array: np.multiply(array(BIG).T, array(BIG[:60, :1])),
    lambda np, array: np.subtract(array(BIG)[:, None, :], array(BIG)[None, :3, :]),
    lambda np, array: np.divide(array(BIG), array(numpy.arange(60))),
    lambda np, array: np.add(array(BIG), array(numpy.float32(BIG[0]))),
    lambda np, array: np.add(array(BIG.astype("f4")), 1.5),
    lambda np, array: np.add(array(BIG.astype("f4")), numpy.float64(1.5)),
    lambda np, array: np.add(array(BIG), 1, dtype="f4"),
    lambda np, array: np.add(array(BIG), 1, out=array(numpy.zeros((90, 60), "i4")), casting="unsafe"),
    lambda np, array: np.sqrt(array(abs(BIG)), out=array(numpy.zeros((90, 60), "f4"))),
    lambda np, array: np.add(array(BIG), 1, out=array(BIG * 0), where=array(BIG > 0)),
    lambda np, array: np.add(array(BIG), 1, out=array(BIG * 0), where=array(BIG[0] > 0)),
    lambda np, array: np.modf(array(BIG)),
    lambda np, array: np.divmod(array((BIG * 10).astype(int)), 3),
    lambda np, array: np.frexp(array(BIG)),
    lambda np, array: np.less(array((BIG * 10).astype("i1")), 300),
    lambda np, array: np.less(array((BIG * 10).astype("i8")), array((BIG * 10).astype("u8"))),
    lambda np, array: np.add(array((BIG * 10).astype("i1")), 300),
    lambda np, array: np.power(array((BIG * 10).astype("i8")), array((BIG * 10).astype("i8"))),
    lambda np, array: np.logical_xor(array(BIG), array((BIG * 2).astype(int))),
    lambda np, array: np.invert(array(BIG > 0)),
    lambda np, array: np.add(array(BIG), array(BIG[:4])),
    lambda np, array: np.add(array(BIG), 1, order="F"),
    lambda np, array: np.add.reduce(array(BIG), axis=1, initial=5, where=array(BIG > 0)),
    lambda np, array: np.maximum.reduce(array(BIG), axis=0, initial=-9, where=array(BIG > 0)),
    lambda np, array: np.maximum.reduce(array(BIG), axis=0, keepdims=True),
    lambda np, array: np.logical_and.reduce(array(BIG), axis=0),
    lambda np, array: np.add.reduce(array(BIG > 0), axis=None),
    lambda np, array: np.add.reduce(array((BIG * 10).astype("u1")), axis=1),
    lambda np, array: np.subtract.reduce(array(BIG), axis=1),
    lambda np, array: np.hypot.reduce(array(BIG), axis=0),
    lambda np, array: np.multiply.reduce(array(BIG + 1j * BIG[::-1]), axis=0),
    lambda np, array: np.add.reduce(array(BIG), axis=(1, 0), dtype="f4"),
    lambda np, array: np.add.reduce(array(BIG), axis=0, out=array(numpy.zeros(60, "f4"))),
    lambda np, array: np.add.accumulate(array(BIG), axis=0),
    lambda np, array: np.multiply.accumulate(array(BIG)[::2], axis=1),
    lambda np, array: np.add.reduceat(array(BIG), [0, 7, 3, 50], axis=0),
    lambda np, array: np.add.reduceat(array(BIG.ravel()), [0, 7, 3000, 50]),
    lambda np, array: np.multiply.outer(array(BIG[0]), array(BIG[:, 0])),
]


@pytest.mark.parametrize("number", range(len(LARGE_CALLS)))
def test_large_calls_do_what_they_do_in_numpy(number):
    same_outcome(LARGE_CALLS[number])


def test_large_work_warns_when_it_is_looked_at():
    zero = _core.asarray(numpy.zeros(5000))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = _core.log(zero)
        repr(result)
    assert [str(w.message) for w in caught] == ["divide by zero encountered in log"]


COMPLEX_NUMBERS = [
    1j,
    complex(2.5, -0.0),
    complex("inf"),
    2,
    -0.0,
    True,
    numpy.complex128(1 - 3j),
    numpy.complex64(2j),
    numpy.float32(1.5),
]


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "equal"])
@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_small_arrays_of_real_and_complex_numbers_meet_at_once(name, dtype):
    real = (numpy.arange(12) - (0 if dtype in "?BHIL" else 5)).astype(dtype)
    calls = [lambda f, array, number=number: f(array(real), number) for number in COMPLEX_NUMBERS]
    calls += [lambda f, array, number=number: f(number, array(real)) for number in COMPLEX_NUMBERS]
    for other in "FD":
        values = (numpy.arange(12) * (1.5 - 1j) - 4).astype(other)
        calls += [
            lambda f, array, values=values: f(array(real), array(values)),
            lambda f, array, values=values: f(array(values)[::2], array(real)[5::-1]),
            lambda f, array, values=values: f(array(values)[:, None], array(real)),
        ]

    def outcomes(f, array):
        for call in calls:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = call(f, array)
            yield result, sorted({str(w.message) for w in caught})

    recorded = _core.counters()["ops_recorded"]
    ours = list(outcomes(getattr(_core, name), _core.asarray))
    assert _core.counters()["ops_recorded"] == recorded
    for (result, said), (expected, should_say) in zip(ours, outcomes(getattr(numpy, name), numpy.array)):
        assert result.dtype == expected.dtype and said == should_say
        numpy.testing.assert_array_equal(numpy.asarray(result), expected)


@pytest.mark.parametrize("count", [13, 13 * 20000])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
@pytest.mark.parametrize("name", ["divide", "log", "sqrt", "sin", "sinh", "exp", "arctanh", "arccosh", "multiply", "add", "floor_divide", "remainder", "power", "reciprocal",
                                  "divmod", "hypot", "logaddexp", "float_power", "tan"])  # fmt: skip
def test_what_where_leaves_out_is_not_told_of(name, dtype, count):
    """Nothing is warned of, or raised for, but what happened in the chosen elements, whose values are those of the call without `where`."""
    ours, numpys = getattr(np, name), getattr(numpy, name)
    values = [numpy.nan, numpy.inf, -numpy.inf, 0.0, -1.0, -0.0, 1e308, -1e308, 5e-324, 1.0, 2.0, -2.5, 0.5]
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        column = (
            numpy.array([0, -1, 1, 2, -(2**31), 127, 0, 5, 3, -7, 0, 1, 9], "i4")
            if dtype == "i4"
            else numpy.array(values).astype(dtype)
        )
    operands = [numpy.resize(numpy.roll(column, 3 * k), count) for k in range(numpys.nin)]
    try:
        with numpy.errstate(all="ignore"):
            results = numpys(*[operand[9:10] for operand in operands])
    except TypeError:
        pytest.skip(f"no loop of {dtype}")
    kinds = [result.dtype for result in (results if isinstance(results, tuple) else (results,))]
    for where in (numpy.zeros(count, bool), numpy.arange(count) % 13 == 9):
        told = []
        for xp, function in ((numpy, numpys), (np, ours)):
            outputs = tuple([xp.zeros(count, kind) for kind in kinds])
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                function(*[xp.array(operand) for operand in operands], out=outputs, where=xp.array(where))
                values = [numpy.array(output) for output in outputs]
            told.append({str(each.message) for each in caught if each.category is RuntimeWarning})
        assert told[1] == told[0] or (name, dtype) == (
            "arctanh",
            "c16",
        )  # of which NumPy says "divide by zero" in other places
        assert all([(value[~where] == 0).all() for value in values])
        with np.errstate(all="raise"):
            ours(
                *[np.array(operand) for operand in operands],
                out=tuple([np.zeros(count, kind) for kind in kinds]),
                where=np.zeros(count, bool),
            )
