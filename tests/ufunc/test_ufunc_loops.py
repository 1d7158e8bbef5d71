"""Every loop of every ufunc against NumPy: types, layouts, attributes and drawn operands."""

import pickle

import numpy
import pytest
import tessera.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from ufunc_samples import CODES, NAMES, check, loops_of, native, operands, outcome

from tessera import _core

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


shapes = st.sampled_from([(), (1,), (3,), (4, 3), (1, 3), (4, 1), (2, 4, 3), (0,), (2, 0), (700, 1, 3), (700, 4, 1)])


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([n for n in NAMES if getattr(numpy, n).nin == 2]),
    st.sampled_from(CODES),
    st.sampled_from(CODES),
    shapes,
    shapes,
    st.integers(0, 100),
)
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
@given(
    st.sampled_from(
        ["add", "multiply", "maximum", "minimum", "fmax", "logical_and", "bitwise_or", "subtract", "hypot"]
    ),
    st.sampled_from(CODES),
    st.sampled_from([(5,), (4, 3), (2, 3, 4), (1, 4), (300, 3), (3, 300), (6000,), (200, 30), (30, 200), (10, 20, 30)]),
    st.data(),
)
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
