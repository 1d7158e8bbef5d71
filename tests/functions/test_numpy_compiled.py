"""NumPy's functions in @jit, compiled from functions in the language where they compute what NumPy does: results, dtypes and errors against NumPy's."""

import linecache
import random
import resource
import types

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy
from tessera.cli import compiled_names
from tessera.functions import numpy_library

import tessera
from tessera import njit, prange

# Expressions of an array x of one axis.
OF_ONE_AXIS = """
np.diag(x) | np.append(x, 1.0) | np.append(x, 2) | np.append(x, x) | np.concatenate((x, x[1:])) | np.stack((x, x)) | np.vstack((x, x)) | np.hstack((x, x[:1]))
np.column_stack((x, x)) | np.repeat(x, 2) | np.repeat(x, 0) | np.tile(x, 3) | np.flip(x) | np.flipud(x) | np.roll(x, 1) | np.roll(x, -7) | np.delete(x, 1) | np.delete(x, -1)
np.round(x, 2) | np.round(x) | x.round(1) | np.diff(x) | np.ediff1d(x) | np.cumsum(x) | x.cumsum() | np.cumprod(x) | np.nancumsum(x) | np.ptp(x) | np.median(x)
np.percentile(x, 30) | np.quantile(x, 0.7) | np.nanmedian(x) | np.nanpercentile(x, 60) | np.nanquantile(x, 0.2) | np.nanvar(x) | np.nanstd(x, ddof=1)
np.nanargmin(x) | np.nanargmax(x) | np.argmin(x) | np.argmax(x) | np.average(x) | np.nonzero(x)[0] | np.flatnonzero(x) | np.argwhere(x) | np.unique(x) | np.sort(x)
np.argsort(x, kind="stable") | np.searchsorted(np.sort(x), x) | np.searchsorted(np.sort(x), x, side="right") | np.searchsorted(np.sort(x), x[0])
np.partition(x, 1)[1] | np.trapezoid(x) | np.trapezoid(x, x) | np.trapezoid(x, dx=0.5) | np.isin(x, x[:2]) | np.union1d(x, x[1:]) | np.intersect1d(x, x[1:])
np.isclose(x, x[::-1]) | np.allclose(x, x) | np.allclose(x, x[::-1]) | np.nan_to_num(x) | np.interp(x, np.arange(4.0), np.arange(4.0)) | np.outer(x, x)
np.polyval(x, x) | np.convolve(x, x) | np.correlate(x, x[:2], "same") | np.vdot(x, x) | np.kron(x, x) | np.cross(x[:3], x[1:4]) | np.histogram(x, 4)[0] | np.histogram(x, 4)[1]
np.isclose(x, 2) | np.isclose(2.0, x) | np.allclose(x, x, equal_nan=True) | np.interp(x, x, x) | np.interp(x, np.sort(x), x, left=-1.0) | np.searchsorted(x, x[::-1])
np.digitize(x, np.sort(x)) | np.digitize(x, np.sort(x)[::-1], right=True) | np.cross(x[:3], x[1:3]) | np.cross(x[:2], x[1:4]) | np.nancumprod(x) | np.setxor1d(x, x[1:]) | np.diff(x, 2) | np.diff(x, n=3) | np.array_equal(x, x[::-1])
np.array_equal(x, x.copy()) | np.size(x) | np.percentile(x, 75.5) | np.nanmean(x) | np.sum(x, axis=0)
np.linalg.norm(x) | np.take(x, np.array([0, -1])) | x[x > 1] | np.dot(x, x) | np.vander(x)
"""
# Expressions of a matrix m.
OF_TWO_AXES = """
np.sum(m, axis=0) | np.sum(m, axis=1) | m.sum(axis=-1) | np.mean(m, axis=0) | m.mean(axis=1) | np.max(m, axis=0) | m.min(axis=1) | np.flip(m) | np.fliplr(m)
np.flipud(m) | np.rot90(m) | np.triu(m) | np.tril(m, -1) | np.triu(m, 1) | np.trace(m) | np.concatenate((m, m)) | np.vstack((m, m)) | np.cumsum(m) | np.median(m)
np.sum(m, axis=0, keepdims=True) | np.prod(m, axis=1) | m.prod(0) | m.var(axis=0) | np.std(m, axis=1, ddof=1) | np.argmax(m, axis=0) | m.argmin(axis=-1) | np.any(m > 3, axis=0)
np.all(m > 1, axis=1) | np.count_nonzero(m, axis=0) | np.cumsum(m, axis=0) | m.cumprod(axis=1) | np.max(m, axis=-2, keepdims=True) | np.sum(m.reshape((1, m.shape[0], m.shape[1])), axis=1)
np.triu_indices_from(m)[0] | np.tril_indices_from(m, 1)[1] | np.array_equal(m, m.copy()) | np.shape(m)[1] | np.tri(m.shape[0], m.shape[1], 1) | np.tri(m.shape[1], k=-1)
np.triu_indices(m.shape[0], -1, m.shape[1])[1] | np.tril_indices(m.shape[0], 1)[0]
np.nonzero(m)[1] | np.roll(m, 2) | np.kron(m, m) | np.linalg.norm(m) | np.ptp(m) | np.round(m, 1) | np.argmin(m) | np.append(m, m) | m @ m.T | np.dot(m.T, m) | np.unique(m)
"""
# Expressions of a regular matrix a, a vector b and a positive matrix p.
OF_SYSTEMS = """
np.linalg.solve(a, b) | np.linalg.solve(a, a.T) | np.linalg.inv(a) | np.linalg.det(a) | np.linalg.slogdet(a)[0] | np.linalg.slogdet(a)[1] | np.linalg.cholesky(p)
np.linalg.qr(a)[0] | np.linalg.qr(a)[1] | np.linalg.eigh(p)[0] | np.linalg.eigh(p)[1] | np.linalg.svd(a)[0] | np.linalg.svd(a)[1] | np.linalg.svd(a)[2]
np.linalg.svd(a[:, :2], full_matrices=False)[0] | np.linalg.lstsq(a[:, :2], b)[0] | np.linalg.lstsq(a[:, :2], b)[1] | np.linalg.lstsq(a[:, :2], b)[2] | np.linalg.lstsq(a, a)[3]
np.linalg.qr(a[:, :2])[1] | np.linalg.qr(a[:2])[0] | a @ b | a @ a | np.linalg.svd(a).S | np.linalg.eigh(p).eigenvalues
"""


def texts(block):
    return [text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


_made = {}


def function(text, parameters):
    """The expression as a function, plain and compiled."""
    if (text, parameters) not in _made:
        source = f"def f({parameters}):\n    return {text}\n"
        file = f"<compiled {text}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        made = {"np": numpy}
        exec(compile(source, file, "exec"), made)
        _made[text, parameters] = made["f"], njit(made["f"])
    return _made[text, parameters]


def outcome(call, arguments):
    with numpy.errstate(all="ignore"):
        try:
            return numpy.asarray(call(*arguments)), None
        except Exception as error:
            return None, error


def compare(text, parameters, *arguments):
    plain, compiled = function(text, parameters)
    expected, error = outcome(plain, arguments)
    found, own = outcome(compiled, arguments)
    if error is not None:
        assert own is not None, f"{text}: NumPy raises {error!r}"
        assert isinstance(own, type(error)) or isinstance(error, type(own)), (text, error, own)
        return
    assert own is None, f"{text}: {own!r}"
    assert found.shape == expected.shape, text
    if expected.ndim:  # numbers are Python's
        assert found.dtype == expected.dtype, text
    if expected.dtype.kind in "fc":
        # Sums are not added up in NumPy's order.
        scale = numpy.max(numpy.abs(expected), initial=0, where=numpy.isfinite(expected))
        limit = 1e-4 if expected.dtype == numpy.float32 else 1e-9
        numpy.testing.assert_allclose(found, expected, rtol=limit, atol=limit * scale)
    else:
        numpy.testing.assert_array_equal(found, expected)


def layouts(values):
    """The elements as arrays that lie differently in memory."""
    spread = numpy.repeat(values, 2, axis=0)[::2]
    yield values
    yield spread
    yield numpy.ascontiguousarray(values[::-1])[::-1]
    if values.ndim == 2:
        yield numpy.asfortranarray(values)


@pytest.mark.parametrize("text", texts(OF_ONE_AXIS))
@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "i4", "u1", "i2", "u8", "?", "c16"])
def test_functions_of_one_axis_give_what_numpy_gives(text, dtype):
    rng = numpy.random.default_rng(7)
    for count in (7, 4, 1, 0, 40):
        values = (rng.random(count) * 6).astype(dtype) if dtype != "?" else rng.random(count) > 0.5
        try:
            with numpy.errstate(all="ignore"):
                eval(text, {"np": numpy}, {"x": values})
        except Exception as error:
            if count == 7 and not isinstance(error, (ValueError, IndexError)):
                return  # NumPy has it not for this dtype
        if count == 0 and ("x[0]" in text or ")[1]" in text):
            continue  # indices that are numbers are not checked
        for x in layouts(values):
            compare(text, "x", x)


@pytest.mark.parametrize("text", [one for one in texts(OF_ONE_AXIS) if "polyval" not in one and "histogram" not in one])
def test_nan_and_infinity_go_where_numpy_puts_them(text):
    for values in (
        [1.0, numpy.nan, -2.0, 5.0],
        [numpy.nan] * 4,
        [numpy.inf, 1.0, -numpy.inf, 2.0],
        [-0.0, 0.0, -0.0, 1.0],
        [3.0, 2.0, 1.0, numpy.nan],
    ):
        compare(text, "x", numpy.array(values))


@pytest.mark.parametrize("text", texts(OF_TWO_AXES))
@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "i2"])
def test_functions_of_two_axes_give_what_numpy_gives(text, dtype):
    rng = numpy.random.default_rng(8)
    for shape in ((3, 4), (1, 5), (2, 0), (0, 3), (70, 80)):
        if shape == (70, 80) and "kron" in text:
            continue
        for m in layouts((rng.random(shape) * 6).astype(dtype)):
            compare(text, "m", m)


@pytest.mark.parametrize(
    "text",
    [
        "x.min()",
        "x.max()",
        "np.argmin(x)",
        "np.argmax(x)",
        "np.ptp(x)",
        "np.median(x)",
        "np.nanmedian(x)",
        "np.nanmin(x)",
        "np.nanargmax(x)",
    ],
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_extremes_of_few_and_many_elements(text, dtype):
    rng = numpy.random.default_rng(9)
    for count in (1, 2, 3, 8, 15, 16, 17, 33, 100, 1023, 1025, 3000):
        for values in (rng.random(count) * 200, rng.integers(-2, 3, count) * -0.0, numpy.sort(rng.random(count))[::-1]):
            x = numpy.abs(values).astype(dtype) if dtype == "u1" else values.astype(dtype)
            for one in layouts(x):
                compare(text, "x", one)
            if dtype[0] == "f":
                x[rng.integers(count)] = numpy.nan
                compare(text, "x", x)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_signs_of_zeros_that_are_extremes(dtype):
    """The least of zeros is -0.0 if there is one, the greatest 0.0."""
    least, greatest = function("x.min()", "x")[1], function("x.max()", "x")[1]
    for count in (2, 15, 16, 40, 200):
        x = numpy.zeros(count, dtype)
        assert not numpy.signbit(least(x)) and not numpy.signbit(greatest(x))
        x[count // 2] = -0.0
        assert numpy.signbit(least(x)) and not numpy.signbit(greatest(x))
        x[:] = -0.0
        assert numpy.signbit(least(x)) and numpy.signbit(greatest(x))


@pytest.mark.parametrize(
    "text",
    [
        "x.min()",
        "np.max(x)",
        "np.nanmin(x)",
        "np.nanmax(x)",
        "x.var()",
        "np.std(x)",
        "np.nanvar(x)",
        "np.nanstd(x, ddof=1)",
    ],
)
def test_complex_numbers_are_ordered_as_numpy_orders_them(text):
    rng = numpy.random.default_rng(10)
    for count in (0, 1, 2, 5, 30):
        for share in (0, 0, 0.3, 1):
            x = rng.integers(-2, 3, count) + 1j * rng.integers(-2, 3, count)
            x.real[rng.random(count) < share / 2] = numpy.nan
            x.imag[rng.random(count) < share / 2] = numpy.nan
            compare(text, "x", x)


def test_searches_go_on_from_the_value_before_as_numpys():
    """Which shows where the array is not sorted."""
    rng = numpy.random.default_rng(11)
    for _ in range(60):
        a, v = rng.integers(0, 9, rng.integers(1, 20)) / 2, rng.integers(0, 9, 12) / 2
        a[rng.random(len(a)) < 0.2], v[rng.random(12) < 0.2] = numpy.nan, numpy.nan
        for text in (
            "np.searchsorted(a, v)",
            "np.searchsorted(a, v, 'right')",
            "np.digitize(v, a)",
            "np.digitize(v, a[::-1], True)",
            "np.interp(v, a, a)",
            "np.interp(v[0], a, a)",
        ):
            compare(text, "a, v", a, v)


@pytest.mark.parametrize("text", texts(OF_SYSTEMS))
@pytest.mark.parametrize("count", [2, 3, 5, 8, 9, 20, 60])
def test_linear_algebra_of_small_and_large_matrices(text, count):
    rng = numpy.random.default_rng(count)
    a = rng.random((count, count)) + numpy.eye(count)
    for one in layouts(a):
        compare(text, "a, b, p", one, rng.random(count), a @ a.T)


@pytest.mark.parametrize("count", [3, 20])
def test_matrices_without_result_raise_what_numpy_raises(count):
    for text in ("np.linalg.inv(a)", "np.linalg.solve(a, b)", "np.linalg.cholesky(p)", "np.linalg.det(a)"):
        compare(text, "a, b, p", numpy.zeros((count, count)), numpy.ones(count), -numpy.eye(count))
        compare(text, "a, b, p", numpy.zeros((count, count + 1)), numpy.ones(count), numpy.zeros((2, 3)))

    @njit
    def caught(a):
        try:
            return np_inv(a)[0, 0]
        except Exception:
            return -1.0

    assert caught(numpy.zeros((count, count))) == -1.0


np_inv = numpy.linalg.inv


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([one for one in texts(OF_ONE_AXIS) if "vander" not in one]), st.data())
def test_random_arrays(text, data):
    dtype = data.draw(st.sampled_from([numpy.float64, numpy.int64]))
    wide = dtype is numpy.float64
    elements = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3)) if wide else st.integers(-50, 50)
    x = data.draw(hypothesis_numpy.arrays(dtype, data.draw(st.integers(0, 40)), elements=elements))
    if "polyval" in text or "cumprod" in text:
        x = (x % 3).astype(dtype)
    compare(text, "x", data.draw(st.sampled_from(list(layouts(x)))))


def test_what_is_compiled_does_not_call_the_host():
    """The expressions of doubles are those of functions in the language."""
    known = {"numpy.sort", "numpy.cumsum", "numpy.linalg.solve", "numpy.concatenate", "array.cumsum"}
    for name in known:
        assert numpy_library.find(name) is not None
    array = ("array", numpy.dtype("f8"), 1)
    assert numpy_library.computes_alike("numpy.sort", [array], [])
    assert numpy_library.computes_alike("numpy.sort", [("array", numpy.dtype("f8"), 2)], [])
    assert numpy_library.computes_alike("numpy.cumsum", [array, ("constant", 0)], ["axis"])
    assert numpy_library.computes_alike("numpy.cumsum", [array, ("scalar", numpy.dtype("i8"))], ["axis"])
    assert not numpy_library.computes_alike("numpy.cumsum", [array, ("scalar", numpy.dtype("f8"))], ["axis"])


def test_memory_of_arrays_that_an_iteration_makes_is_free_behind_it():
    @njit
    def total(x, n):
        t = 0.0
        for i in range(n):
            x[0] = i
            r = numpy.sort(x)
            t += r[0] + numpy.cumsum(x)[-1] + numpy.median(x)
        return t

    x = numpy.arange(200.0)
    total(x, 10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    total(x, 200_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB; 800 MB pass through


def test_arrays_live_as_long_as_they_are_read():
    @njit
    def kept(n):
        best = numpy.zeros(3)
        rows = numpy.zeros((n, 3))
        for i in range(n):
            made = numpy.array((i, i + 1.0, i + 2.0))
            if i % 3 == 1:
                best = made
            rows[i] = numpy.flip(made)
            other = numpy.sort(made) + best
            rows[i, 0] += other[0]
        return best, rows

    best, rows = kept(50)
    expected, plain = kept.py_func(50)
    numpy.testing.assert_array_equal(best, expected)
    numpy.testing.assert_array_equal(rows, plain)

    @njit
    def first_large(n):
        for i in range(n):
            made = numpy.full(5, i)
            if made[0] > 7:
                return made
        return numpy.zeros(5, numpy.int64)

    assert first_large(20).tolist() == [8] * 5

    @njit
    def swapped(n):
        a, b = numpy.ones(4), numpy.zeros(4)
        for _ in range(n):
            a, b = a + b, numpy.copy(a)
        return a[0]

    assert swapped(30) == swapped.py_func(30)


@pytest.mark.parametrize("count", [1, 3, 300])
@pytest.mark.parametrize(
    "text",
    """np.random.random(n) | np.random.random((2, n)) | np.random.rand(n) | np.random.randn(n) | np.random.normal(1.0, 2.0, n) | np.random.uniform(-1.0, 3.0, n)
    np.random.exponential(2.0, n) | np.random.standard_normal(n) | np.random.randint(0, 10, n) | np.random.randint(5, 2**40, n) | np.random.randint(7, size=n)
    np.random.randint(3, 4) | np.random.randint(10) | np.random.randint(-(2**40), 2**50) | np.random.normal() + np.random.normal() | np.random.random_sample(n)""".replace(
        "\n", " | "
    ).split(" | "),
)
def test_random_arrays_are_drawn_from_numpys_stream(text, count):
    plain, compiled = function(text.strip(), "n")
    numpy.random.seed(11)
    expected, behind = plain(count), numpy.random.normal()
    numpy.random.seed(11)
    found, own_behind = compiled(count), numpy.random.normal()
    numpy.testing.assert_array_equal(numpy.asarray(found), numpy.asarray(expected))
    assert numpy.asarray(found).dtype == numpy.asarray(expected).dtype
    assert own_behind == behind


def test_integers_without_room_raise():
    low = njit(lambda a, b: numpy.random.randint(a, b))
    with pytest.raises(ValueError, match="low >= high"):
        low(3, 3)


def test_threads_of_a_parallel_loop_have_streams_of_their_own():
    @njit(parallel=True)
    def draws(n):
        out = numpy.empty((n, 5))
        for i in prange(n):
            out[i] = numpy.random.random(5)
            out[i, 0] = numpy.random.randint(0, 6)
            out[i, 1] = numpy.random.normal(3.0, 0.5)
        return out

    numpy.random.seed(1)
    expected = numpy.random.random()
    numpy.random.seed(1)
    found = draws(4000)
    assert numpy.random.random() == expected  # NumPy's stream is not drawn from
    assert sorted(set(found[:, 0])) == [0, 1, 2, 3, 4, 5]
    assert abs(found[:, 1].mean() - 3) < 0.1
    assert abs(found[:, 2:].mean() - 0.5) < 0.02
    assert len(set(found[:, 2])) > 3990


def test_linear_algebra_in_parallel_loops():
    @njit(parallel=True)
    def solved(a, b):
        out = numpy.empty_like(b)
        values = numpy.empty((len(a), a.shape[1]))
        for i in prange(len(a)):
            out[i] = numpy.linalg.solve(a[i], b[i])
            values[i] = numpy.linalg.svd(a[i])[1] + numpy.linalg.eigh(a[i] @ a[i].T)[0]
        return out, values

    rng = numpy.random.default_rng(2)
    for count in (4, 30):
        a, b = rng.random((50, count, count)) + numpy.eye(count), rng.random((50, count))
        found, values = solved(a, b)
        numpy.testing.assert_allclose(found, numpy.linalg.solve(a, b[..., None])[..., 0], rtol=1e-7)
        expected = numpy.linalg.svd(a)[1] + numpy.linalg.eigh(a @ a.transpose(0, 2, 1))[0]
        numpy.testing.assert_allclose(values, expected, rtol=1e-8, atol=1e-10)


def test_lines_that_call_the_host_often_are_counted():
    @njit
    def many(x, n):
        t = 0.0
        for _ in range(n):
            t += numpy.gradient(x)[0]
        return t

    x = numpy.arange(5.0)
    many(x, 1)
    with tessera.explain() as told:
        many(x, 500)
    line = many.py_func.__code__.co_firstlineno + 4
    assert f"test_numpy_compiled.py:{line} calls NumPy on the host (gradient) 500 times" in str(told)


def test_what_remains_with_the_host_is_listed():
    states = compiled_names.states()
    assert states["numpy.sort"] == states["numpy.linalg.svd"] == "compiled for some arguments"
    assert states["numpy.empty"] == states["numpy.sqrt"] == "compiled"
    assert states["numpy.gradient"] == states["numpy.fft.fft"] == "host"


@pytest.mark.parametrize(
    "text",
    "random.random() | random.uniform(-1.0, 3.0) | random.randint(0, 9) | random.randint(-5, 2**40) | random.randrange(17) | random.randrange(3, 4) | random.gauss(1.0, 2.0)".split(
        " | "
    ),
)
def test_numbers_of_pythons_module_are_drawn_from_its_stream(text):
    source = f"def f(n):\n    t = 0.0\n    for i in range(n):\n        t = t / 2 + {text}\n    return t\n"
    file = f"<drawn {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    made = {"random": random}
    exec(compile(source, file, "exec"), made)
    compiled = njit(made["f"])
    for count in (1, 3, 2000):
        random.seed(count)
        expected, behind = made["f"](count), (random.random(), random.gauss(0, 1))
        random.seed(count)
        assert compiled(count) == expected
        assert (random.random(), random.gauss(0, 1)) == behind
    with pytest.raises(ValueError, match="empty range"):
        njit(lambda: random.randint(3, 2))()


def test_memory_is_used_again_only_where_nobody_reads_it():
    """Programs in which arrays pass through variables, branches, calls and loops in many ways, against Python's results."""

    def inner(x, k):
        made = numpy.roll(x, k)
        if k % 2:
            made = made + numpy.flip(x)
        return made

    called = njit(inner)

    @njit
    def passes(n):
        kept = numpy.arange(4.0)
        last = kept
        total = 0.0
        for i in range(n):
            part = called(kept, i)
            if i % 5 == 0:
                last = numpy.sort(part)
            else:
                total += numpy.sum(numpy.cumsum(part) * last)
            k = 0
            while k < 3:
                step = numpy.append(part, k)
                if step[0] > 1e6:
                    break
                part = step[1:] * 0.5
                k += 1
            if total > 1e9:
                kept = kept * 0 + 1
            kept = kept * 0.99 + part[:4].mean()
        return kept, last, total

    # The same function, which calls Python's `inner`.
    plain = types.FunctionType(passes.py_func.__code__, globals(), "passes", None, (types.CellType(inner),))
    kept, last, total = passes(200)
    expected = plain(200)
    numpy.testing.assert_allclose(kept, expected[0])
    numpy.testing.assert_allclose(last, expected[1])
    numpy.testing.assert_allclose(total, expected[2])


@pytest.mark.parametrize("text", ["x**2", "x**2.0", "(x - 1) ** 2", "x**3", "np.sum((x - 1) ** 2)", "x.T**2"])
@pytest.mark.parametrize("dtype", ["f8", "i8", "c16"])
def test_squares_of_arrays(text, dtype):
    for x in layouts(numpy.array([1, 2, 3, 0, 5]).astype(dtype)):
        compare(text, "x", x)
    if dtype == "f8":
        compare(text, "x", numpy.array([numpy.nan, -0.0, numpy.inf, -1e200]))
