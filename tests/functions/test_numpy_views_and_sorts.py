"""Views along other axes, sums along axes that are known when they run, sorts and seeds in @jit: compiled, and as NumPy's."""

import linecache
import random

import numpy
import pytest

from tessera import _core, njit, prange

VIEWS = """
np.swapaxes(a, 0, k) | np.moveaxis(a, k, 0) | np.moveaxis(a, 0, k) | np.expand_dims(a, k) | np.expand_dims(a, 0) | np.transpose(a) | np.transpose(a, (1, 0, 2)) | np.transpose(a, p)
a.transpose(2, 0, 1) | a.transpose(p) | a.transpose(p[0], p[1], p[2]) | np.diagonal(a[0]) | np.diagonal(a[0], k) | a[1].diagonal() | np.broadcast_to(a, (2, 2, 3, 4))
np.broadcast_to(a[:1], a.shape) | np.broadcast_to(a[0, 0], (5, 4)) | np.broadcast_to(a[0, 0, 0], 3) | np.broadcast_arrays(a, a[:1])[1] | np.broadcast_arrays(a[0], a[0, 0])[1] | np.atleast_3d(a[0])
np.atleast_2d(a[0, 0]) | np.atleast_3d(a[0, 0]) | np.atleast_1d(a) | np.atleast_3d(a[0], a)[0] | np.lib.stride_tricks.sliding_window_view(a, 2, k)
np.argwhere(a) | np.lib.stride_tricks.sliding_window_view(a, (2, 2), (0, 2)) | np.lib.stride_tricks.sliding_window_view(a, (2, 2, 2)) | np.lib.stride_tricks.as_strided(a, (2, 2), a.strides[1:])
"""
SUMS = """
np.sum(a, axis=k) | a.sum(k) | np.sum(a, k, keepdims=True) | np.sum(a, axis=(0, k)) | np.sum(a, axis=(0, 1)) | np.sum(a, k, np.float64) | a.sum(dtype=np.float32) | a.sum(k, np.int32) | a.sum(k, dtype='i2') | np.sum(a, dtype=np.bool_) | np.sum(a, axis=k, dtype=np.bool_) | np.cumsum(a, k, np.int32) | np.cumsum(a, dtype='i2') | np.prod(a, axis=k) | np.mean(a, axis=k)
np.max(a, axis=k) | a.min(axis=k) | np.argmax(a, axis=k) | a.argmin(axis=k) | np.any(a > 2, axis=k) | np.count_nonzero(a, axis=k) | np.var(a, axis=k) | np.std(a, axis=k, ddof=1)
"""
SORTS = """
np.sort(x) | np.sort(x, axis=k) | np.sort(x, axis=None) | np.sort(x, kind="stable") | np.argsort(x, kind="stable") | np.argsort(x, axis=k, kind="stable") | np.argsort(x, axis=None, kind="mergesort")
x.argsort(k, "stable") | np.partition(x, 0)[..., 0] | np.partition(x, (0, -1))[..., -1] | np.take_along_axis(x, np.argpartition(x, -1), -1)[..., -1]
"""


def texts(block):
    return [text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


_made = {}


def functions(text, parameters):
    if text not in _made:
        source = f"def f({parameters}):\n    return {text}\n"
        file = f"<viewed {text}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        made = {"np": numpy}
        exec(compile(source, file, "exec"), made)
        _made[text] = made["f"], njit(made["f"])
    return _made[text]


def outcome(call, arguments):
    with numpy.errstate(all="ignore"):
        try:
            return call(*arguments), None
        except Exception as error:
            return None, error


def compare(text, parameters, *arguments, is_close=False):
    plain, compiled = functions(text, parameters)
    expected, error = outcome(plain, arguments)
    found, own = outcome(compiled, arguments)
    if error is not None:
        # What is known while compiling has the bases of NumPy's class.
        assert isinstance(own, (type(error), type(error).__bases__[0])), (text, error, own)
        return None
    assert own is None, (text, own)
    assert numpy.shape(found) == numpy.shape(expected), text
    if numpy.ndim(expected):
        assert found.dtype == expected.dtype, text
    if is_close:
        limit = 1e-5 if numpy.asarray(expected).dtype == numpy.float32 else 1e-12
        numpy.testing.assert_allclose(found, expected, rtol=limit)
    else:
        numpy.testing.assert_array_equal(found, expected)
    return expected, found


def layouts(values):
    yield values
    yield numpy.repeat(values, 2, axis=0)[::2]
    yield numpy.ascontiguousarray(values[::-1])[::-1]
    if values.ndim > 1:
        yield numpy.asfortranarray(values)


@pytest.mark.parametrize("text", texts(VIEWS))
@pytest.mark.parametrize("dtype", ["f8", "i2", "c16", "?"])
def test_views_lie_where_numpys_do(text, dtype):
    values = (numpy.random.default_rng(3).random((2, 3, 4)) * 9).astype(dtype)
    for a in layouts(values):
        for k in range(-3, 4):
            for p in ((2, 0, 1), (-1, 1, 0), (0, 0, 1)) if "p" in text else ((0, 1, 2),):
                both = compare(text, "a, k, p", a, k, p)
                if both and not (" k" not in text and k > -3):
                    expected, found = both
                    of_more = [s for s, n in zip(expected.strides, expected.shape) if n > 1]
                    assert [s for s, n in zip(found.strides, found.shape) if n > 1] == of_more, text


def test_what_is_written_into_a_view_is_in_the_array():
    @njit
    def write(a, order, k):
        numpy.transpose(a, order)[0, 1] = 7
        numpy.swapaxes(a, 0, k)[2, 0, 1] = 8
        numpy.expand_dims(a, 1)[0, 0, 2] = 5

    found, expected = numpy.zeros((3, 3, 3)), numpy.zeros((3, 3, 3))
    write(found, (1, 2, 0), 2)
    numpy.transpose(expected, (1, 2, 0))[0, 1] = 7
    numpy.swapaxes(expected, 0, 2)[2, 0, 1] = 8
    numpy.expand_dims(expected, 1)[0, 0, 2] = 5
    numpy.testing.assert_array_equal(found, expected)


def test_shapes_to_which_several_are_broadcast():
    for shapes in (
        ((1, 2), (3, 1)),
        ((1, 2), (3,)),
        (2, (3, 1)),
        ((), (3, 1)),
        (5, 5),
        ((2, -1), (2, 1)),
        ((0, 1), (1, 4)),
    ):
        plain, compiled = functions("np.broadcast_shapes(a, b)", "a, b")
        expected, found = outcome(plain, shapes), outcome(compiled, shapes)
        assert found[0] == expected[0] and type(found[1]) is type(expected[1]), shapes


@pytest.mark.parametrize("text", texts(SUMS))
@pytest.mark.parametrize("dtype", ["f8", "i4", "f4", "u2"])
def test_reductions_along_an_axis_that_is_no_constant(text, dtype):
    for shape in ((2, 3, 4), (3, 0), (0, 3), (0, 0), (5,)):
        values = (numpy.random.default_rng(4).random(shape) * 9 + 1).astype(dtype)
        if ("var" in text or "std" in text) and dtype == "f4":
            continue
        for a in layouts(values):
            for k in range(-len(shape) - 1, len(shape) + 1):
                compare(text, "a, k", a, k, is_close=True)


@pytest.mark.parametrize("text", texts(SORTS))
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?", "c16", "c8"])
def test_sorts_of_few_and_many(text, dtype):
    rng = numpy.random.default_rng(5)
    for shape in ((0,), (1,), (7,), (17,), (300,), (5000,), (3, 20), (3, 0), (2, 3, 40)):
        if "[" in text and 0 in shape:
            continue
        values = rng.random(shape) * 9 - (4 if dtype[0] in "fi" else 0)
        values = values.round() + 1j * rng.random(shape) if dtype[0] == "c" else values
        if dtype[0] == "f" and values.size > 5:
            values.flat[3], values.flat[1] = numpy.nan, numpy.inf
        for x in layouts(values.astype(dtype)):
            for k in range(-x.ndim - 1, x.ndim + 1) if " k" in text or "(k" in text else (0,):
                compare(text, "x, k", x, k)


def test_sorts_in_place_of_any_layout():
    @njit
    def sort(x, axis):
        x.sort(axis)

    rng = numpy.random.default_rng(6)
    for shape in ((30,), (5, 40), (3, 4, 20)):
        for x in layouts(rng.random(shape)):
            for axis in range(-len(shape), len(shape)):
                found, expected = x.copy()[::-1], x.copy()[::-1]
                sort(found, axis)
                expected.sort(axis)
                numpy.testing.assert_array_equal(found, expected)
    with pytest.raises(numpy.exceptions.AxisError):
        sort(numpy.zeros((2, 2)), 2)


def test_sorts_in_parallel_loops():
    @njit(parallel=True)
    def rows(m, out):
        for k in prange(len(m)):
            out[k] = numpy.sort(m[k]) + numpy.argsort(m[k]) + numpy.partition(m[k], 3)[3]

    m = numpy.random.default_rng(7).random((40, 3000))
    out = numpy.empty_like(m)
    rows(m, out)
    expected = numpy.sort(m) + numpy.argsort(m) + numpy.sort(m)[:, 3:4]
    numpy.testing.assert_array_equal(out, expected)


def test_views_and_sorts_do_not_call_the_host():
    @njit
    def work(a, k, p):
        m = numpy.sort(numpy.transpose(a, p), axis=k)
        m.sort()
        numpy.random.seed(3)
        return numpy.sum(m, axis=k)[0, 0] + numpy.argsort(a.ravel())[0] + numpy.expand_dims(a, k).shape[0]

    _core.kernels.count_host_calls(True)
    work(numpy.random.default_rng(8).random((20, 20, 10)), 1, (2, 0, 1))
    calls = _core.kernels.host_call_counts()
    _core.kernels.count_host_calls(False)
    assert not calls


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 - 1, 123456789])
def test_seeds_begin_numpys_stream(seed):
    def draw(seed):
        numpy.random.seed(seed)
        return numpy.random.random(), numpy.random.normal(), numpy.random.randint(0, 1000)

    numpy.random.normal()
    expected, rest = draw(seed), numpy.random.normal()
    numpy.random.normal()
    assert njit(draw)(seed) == expected and numpy.random.normal() == rest


@pytest.mark.parametrize("seed", [0, 1, -5, 42, 2**40 + 3, -(2**62), 2**63 - 1])
def test_seeds_begin_pythons_stream(seed):
    def draw(seed):
        random.seed(seed)
        return random.random(), random.gauss(0.0, 1.0), random.getrandbits(20)

    random.gauss(0, 1)
    expected, rest = draw(seed), random.gauss(0, 1)
    random.gauss(0, 1)
    assert njit(draw)(seed) == expected and random.gauss(0, 1) == rest


def test_seeds_out_of_range_raise():
    @njit
    def seed(n):
        numpy.random.seed(n)

    for n in (-1, 2**32):
        with pytest.raises(ValueError, match="Seed must be between 0 and"):
            seed(n)
