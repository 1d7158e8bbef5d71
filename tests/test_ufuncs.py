"""Every ufunc against NumPy's: dtypes, layouts, arguments, methods, errors and warnings."""

import pickle
import warnings

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tessera.numpy
from tessera import _core

GENERALIZED = {"matmul", "vecdot", "matvec", "vecmat"}
NAMES = sorted({f.__name__ for f in vars(numpy).values() if isinstance(f, numpy.ufunc)} - GENERALIZED - {"isnat"})
CODES = "?bBhHiIlLefdFD"
# Exactly rounded or bit operations; the others may differ from the C library in the last places.
EXACT = set(
    "add subtract multiply divide negative positive absolute fabs sign square floor_divide remainder fmod divmod maximum minimum "
    "fmax fmin equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not bitwise_and "
    "bitwise_or bitwise_xor invert left_shift right_shift bitwise_count gcd lcm floor ceil trunc rint copysign nextafter spacing "
    "modf frexp ldexp heaviside isnan isinf isfinite signbit conjugate sqrt reciprocal".split()
)
TOLERANCE = {"e": 2e-3, "f": 1e-6, "d": 4e-15, "F": 5e-6, "D": 1e-14}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 7.25, 1e-3, 100.0, numpy.inf, -numpy.inf, numpy.nan, 1e30, -1e-30, 3.0]


def native(name):
    return getattr(_core, name)


def sample(code, size, seed=0):
    """Values that reach the corners of a dtype, repeated to `size`."""
    dtype = numpy.dtype(code)
    rng = numpy.random.default_rng(seed + ord(code))
    if dtype.kind == "b":
        values = rng.integers(0, 2, size)
    elif dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        corners = [0, 1, 2, 3, 5, 7, info.max, info.min, info.max - 1, info.min + 1]
        values = numpy.resize(numpy.array(corners, dtype), size)
        rng.shuffle(values)
    else:
        values = numpy.resize(numpy.array(SPECIAL), size)
        rng.shuffle(values)
        if dtype.kind == "c":
            imaginary = values.copy()
            rng.shuffle(imaginary)
            values = values + 0j
            values.imag = imaginary
    with numpy.errstate(all="ignore"):
        return values.astype(dtype)


def operands(f, loop, size):
    """One array an operand of a loop; exponents and shift counts stay in range."""
    arrays = [sample(code, size, seed) for seed, code in enumerate(loop.split("->")[0])]
    if f.__name__ == "power" and arrays[1].dtype.kind in "iu":
        arrays[1] = (arrays[1] % 5).astype(arrays[1].dtype)
    if f.__name__ == "ldexp":
        arrays[1] = (arrays[1] % 12).astype(arrays[1].dtype)
    return arrays


def check(actual, expected, name, *, loose=False):
    """Same type, dtype, shape and values; NaNs are equal, zeros have signs where the result is exact."""
    actuals = actual if isinstance(actual, tuple) else (actual,)
    expecteds = expected if isinstance(expected, tuple) else (expected,)
    assert len(actuals) == len(expecteds)
    for a, e in zip(actuals, expecteds):
        assert a.dtype == e.dtype, name
        assert a.shape == e.shape, name
        a = numpy.asarray(a)
        code = e.dtype.char
        if name in EXACT - {"absolute"} and not loose and code not in "FD":
            numpy.testing.assert_array_equal(a, e, err_msg=name, strict=False)
        elif code in TOLERANCE:
            rtol = TOLERANCE[code]
            numpy.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * 1e-3, err_msg=name)
        else:
            numpy.testing.assert_array_equal(a, e, err_msg=name)


def loops_of(f):
    texts = [t.replace("q", "l").replace("Q", "L") for t in f.types]
    return list(dict.fromkeys(t for t in texts if all(c in CODES + "->" for c in t)))


ALL_LOOPS = [(name, loop) for name in NAMES for loop in loops_of(getattr(numpy, name))]
# Where C libraries disagree about special values of complex functions only finite, moderate ones are compared.
MODERATE = [0.5, -0.5, 1.5, -2.0, 0.25, 3.0, -1.25, 0.75]


def moderate(arrays):
    result = []
    for seed, a in enumerate(arrays):
        if a.dtype.kind != "c":
            result.append(a)
            continue
        rng = numpy.random.default_rng(seed)
        values = rng.choice(MODERATE, a.shape) + 1j * rng.choice(MODERATE, a.shape)
        result.append(values.astype(a.dtype))
    return result


@pytest.mark.parametrize("size", [40, 5000])
@pytest.mark.parametrize("name,loop", ALL_LOOPS)
def test_every_loop_gives_the_values_of_numpy(name, loop, size):
    f = getattr(numpy, name)
    arrays = operands(f, loop, size)
    if "F" in loop or "D" in loop:
        arrays = moderate(arrays)
    with numpy.errstate(all="ignore"):
        expected = f(*arrays)
        actual = native(name)(*[_core.asarray(a) for a in arrays])
        check(actual, expected, name)


LAYOUTS = {
    "strided": lambda a: a[::2],
    "reversed": lambda a: a[::-1],
    "two axes": lambda a: a[:36].reshape(6, 6),
    "transposed": lambda a: a[:36].reshape(6, 6).T,
    "inner slice": lambda a: a[:36].reshape(6, 6)[1:-1, 2:5],
    "empty": lambda a: a[:0],
    "0-d": lambda a: a[3:4].reshape(()),
    "broadcast": lambda a: a[:6, None] if a.ndim == 1 else a,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", NAMES)
def test_every_layout_gives_the_values_of_numpy(name, layout):
    f = getattr(numpy, name)
    loop = next(t for t in loops_of(f) if t[0] in "dl")
    arrays = operands(f, loop, 40)
    view = LAYOUTS[layout]
    with numpy.errstate(all="ignore"):
        expected = f(*[view(a) for a in arrays])
        actual = native(name)(*[view(_core.asarray(a)) for a in arrays])
        check(actual, expected, name)
        if f.nin == 2:
            short = [view(arrays[0]), arrays[1].reshape(-1)[2]]
            check(native(name)(view(_core.asarray(arrays[0])), short[1]), f(*short), name)


@pytest.mark.parametrize("name", NAMES)
def test_ufuncs_have_the_attributes_of_numpy(name):
    f, g = getattr(numpy, name), native(name)
    assert repr(g) == repr(f)
    assert (g.__name__, g.nin, g.nout, g.nargs, g.signature) == (f.__name__, f.nin, f.nout, f.nargs, f.signature)
    assert g.identity == f.identity and type(g.identity) is type(f.identity)
    assert (g.types, g.ntypes) == (f.types, f.ntypes)  # the loops that the engine lacks run in NumPy
    assert g.__doc__.startswith(f"{name}(") and "Parameters\n----------" in g.__doc__


def test_ufuncs_pickle_by_name():
    pytest.importorskip("tessera.numpy")
    assert pickle.loads(pickle.dumps(_core.add)) is _core.add


def outcome(call):
    """The result, or the exception's type and words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception as error:
        kind = type(error)
        return (TypeError if issubclass(kind, TypeError) else kind, str(error).strip())


def same_outcome(call):
    """`call(numpy functions, array maker)` does the same with both."""
    expected = outcome(lambda: call(numpy, numpy.array))
    actual = outcome(lambda: call(_core, lambda *a, **k: _core.asarray(numpy.array(*a, **k))))
    if isinstance(expected, tuple) and expected and isinstance(expected[0], type):
        assert actual == expected
    elif expected is None:
        assert actual is None
    else:
        check(actual, expected, "call", loose=True)


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
    (lambda np, x: np.divide(x([1.0, 0.0]), 0.0), ["divide by zero encountered in divide", "invalid value encountered in divide"]),
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


shapes = st.sampled_from([(), (1,), (3,), (4, 3), (1, 3), (4, 1), (2, 4, 3), (0,), (2, 0), (700, 1, 3), (700, 4, 1)])


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([n for n in NAMES if getattr(numpy, n).nin == 2]), st.sampled_from(CODES), st.sampled_from(CODES),
       shapes, shapes, st.integers(0, 100))
def test_any_pair_of_operands_does_what_it_does_in_numpy(name, left, right, left_shape, right_shape, seed):
    def make(code, shape):
        values = numpy.random.default_rng(seed).integers(0, 5, shape)
        return values.astype(code)

    a, b = make(left, left_shape), make(right, right_shape)
    with numpy.errstate(all="ignore"):
        expected = outcome(lambda: getattr(numpy, name)(a, b))
        actual = outcome(lambda: native(name)(_core.asarray(a), _core.asarray(b)))
    if isinstance(expected, tuple) and expected and isinstance(expected[0], type):
        assert isinstance(actual, tuple) and actual[0] is expected[0]
    else:
        check(actual, expected, name)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["add", "multiply", "maximum", "minimum", "fmax", "logical_and", "bitwise_or", "subtract", "hypot"]),
       st.sampled_from(CODES), st.sampled_from([(5,), (4, 3), (2, 3, 4), (1, 4), (300, 3), (3, 300), (6000,), (200, 30), (30, 200), (10, 20, 30)]), st.data())
def test_any_reduction_does_what_it_does_in_numpy(name, code, shape, data):
    axis = data.draw(st.sampled_from([None, 0, -1] + ([(0, 1)] if len(shape) > 1 else [])))
    keepdims = data.draw(st.booleans())
    a = numpy.random.default_rng(1).integers(1, 4, shape).astype(code)
    with numpy.errstate(all="ignore"):
        expected = outcome(lambda: getattr(numpy, name).reduce(a, axis=axis, keepdims=keepdims))
        actual = outcome(lambda: native(name).reduce(_core.asarray(a), axis=axis, keepdims=keepdims))
    if isinstance(expected, tuple) and isinstance(expected[0], type):
        assert isinstance(actual, tuple) and actual[0] is expected[0]
    else:
        check(actual, expected, name, loose=code in "ef")


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


@pytest.mark.parametrize("compile", ["never", "before_baseline", "before_quick", "before_full"])
@pytest.mark.parametrize("dtype", ["i8", "u4", "?"])
def test_extremes_of_signalling_nans_and_integers_are_nan(dtype, compile):
    signalling = numpy.full((900, 1), 0x7FF0000000000001, numpy.uint64).view(numpy.float64)
    nans = tessera.numpy.broadcast_to(tessera.numpy.asarray(signalling), (900, 5))
    ones = tessera.numpy.asarray(numpy.ones((900, 10), dtype))[:, ::2]
    before = _core.options()
    _core.options(compile=compile, cache_folder="")
    try:
        for op in (tessera.numpy.maximum, tessera.numpy.minimum):
            assert numpy.isnan(numpy.asarray(op(nans, ones))).all() and numpy.isnan(numpy.asarray(op(ones, nans))).all()
    finally:
        _core.options(**before)
