"""Parameters of NumPy's functions in @jit, beyond those that are used most: compiled, and NumPy's results, dtypes and errors."""

import linecache
import random

import numpy
import pytest

from tessera import _core, njit

# Of an array x of one axis and another one y, which may be of another dtype.
OF_TWO = """
np.concatenate((x, y)) | np.append(x, y) | np.append(x, y, axis=None) | np.hstack((x, y)) | np.vstack((x[:2], y[:2])) | np.stack((x[:2], y[:2])) | np.stack((x[:2], y[:2]), axis=1) | np.stack((x[:2], y[:2]), -1)
np.column_stack((x[:2], y[:2])) | np.concatenate((x, y), axis=None) | np.concatenate((x, y), -1) | np.insert(x, 1, y) | np.insert(x, -1, y[:1]) | np.insert(x, np.array([0, 2]), y[:2]) | np.insert(x, np.array([1]), y)
np.insert(x, np.array([-1, 0, 1]), y[:1]) | np.insert(x, np.array([9]), y) | np.insert(x, 77, y) | np.insert(x, np.array([0, 1, 1]), y[:2])
"""
OF_TWO_REALS = """
np.isin(x, y) | np.isin(x, y, invert=True) | np.isin(x, y, assume_unique=k > 0) | np.isin(x, y, True, k > 0) | np.union1d(x, y) | np.intersect1d(x, y) | np.intersect1d(x, y, k > 0) | np.setxor1d(x, y)
np.setxor1d(x, y, assume_unique=k > 0) | np.setdiff1d(x, y) | np.setdiff1d(x, y, True) | np.average(x, weights=y) | np.average(x, None, y) | np.average(x) | np.ediff1d(x, y) | np.ediff1d(x, None, y[:1]) | np.ediff1d(x, y[:2], y)
np.interp(x, np.sort(y), y) | np.interp(x, np.sort(y), y, -1, 2.5) | np.interp(x, np.sort(y), y * 1j) | np.interp(x, np.sort(y), y * 1j + x[:1].sum()) | np.interp(x[0], np.sort(y), y)
np.cov(x, y) | np.cov(x, y, k > 0) | np.cov(x) | np.cov(x, bias=True) | np.cov(x, y, ddof=0) | np.cov(x, ddof=2) | np.corrcoef(x, y) | np.corrcoef(x)
"""
OF_ONE = """
np.delete(x, slice(0, 2)) | np.delete(x, slice(None, None, 2)) | np.delete(x, slice(5, 0, -2)) | np.delete(x, 0, axis=None) | np.trim_zeros(x) | np.trim_zeros(x, "f") | np.trim_zeros(x, "B") | np.asarray_chkfinite(x)
np.asarray_chkfinite(x, np.float32) | np.nan_to_num(x, nan=2) | np.nan_to_num(x, posinf=7.0) | np.nan_to_num(x, k > 0, 1.5, 2.5, -3.5) | np.round(x, k) | np.round(x, -1) | x.round(-k) | np.around(x, 1) | np.insert(x, k, 3)
np.insert(x, k, True) | np.append(x, 1.5) | np.append(x, True) | np.nan_to_num(x)
"""
OF_ONE_REAL = """
np.vander(x) | np.vander(x, 3) | np.vander(x, 2, k > 0) | np.vander(x, increasing=True) | np.vander(x, -1) | np.unwrap(x) | np.unwrap(x, period=4) | np.unwrap(x, 1) | np.unwrap(x, 3.0, -1, period=5.0)
np.bincount(np.abs(x).astype(np.int64), None, k) | np.histogram(x.astype(np.float64), 4, (0.0, 3.0))[0] | np.histogram(x.astype(np.float64), 3, (1, 1))[1] | np.histogram(x.astype(np.float64), 3, (2.0, 1.0))[1]
np.histogram(x.astype(np.float64), np.array([0.0, 1.0, 1.0, 3.5]))[0] | np.histogram(x.astype(np.float64), np.array([0, 2, 5]))[1] | np.histogram(x.astype(np.float64), np.array([3, 2, 5]))[0] | np.digitize(x, np.sort(x), k > 0)
"""
OF_MATRICES = """
np.concatenate((a, b), 1) | np.concatenate((a, b), axis=-2) | np.append(a, b, axis=1) | np.append(a, b) | np.hstack((a, b)) | np.vstack((a, b)) | np.column_stack((a, b[:, 0])) | np.stack((a, a), axis=2) | np.stack((a, b), -3)
np.vstack((a, b[0])) | np.concatenate((a, b[:2, :1]), 1) | np.concatenate((a, b[:, :1]), 0)
"""
# Of an array m of three axes.
OF_AXES = """
np.swapaxes(m, k, 1) | np.swapaxes(m, -1, k) | m.swapaxes(0, k) | np.rot90(m) | np.rot90(m, k) | np.rot90(m[0], -k) | np.rot90(m, 2) | np.moveaxis(m, (0, 1), (-1, 0)) | np.moveaxis(m, (0, 2), (2, k)) | np.moveaxis(m, (k,), (0,))
np.moveaxis(m, (0, 0), (1, 2)) | np.moveaxis(m, (0, 1), (2, 2)) | np.where(m > 2) | np.where(m)[0] | np.sum(m, axis=(0, k, 2)) | m.sum((k, 0)) | m.sum(axis=()) | np.sum(m, (0, 1, 2), keepdims=True) | m.sum(*())
np.take_along_axis(m, np.argsort(m, k), k) | np.take_along_axis(m, np.array([[[0, -1]]]), 2) | np.take_along_axis(m, np.array([[[0]], [[1]]]), -2) | np.take_along_axis(m, np.array([[[7]]]), 0) | np.take_along_axis(m, np.array([1, 0]), axis=None)
np.select((m < 2, m > 3), (m, m * 2), 7) | np.select((m < 2, m > 3), (m, m + 1), 0.5)
"""
# Of vectors and matrices of two dtypes.
OF_PRODUCTS = """
np.cross(x, y) | np.cross(x[:2], y) | np.cross(m, y) | np.cross(x, m) | np.cross(m, m[::-1]) | np.cross(m[:, :2], y) | np.cross(m[:1], m) | np.cross((1, 2, 3), y) | np.cross(x[:1], y) | np.cross(m[:2], m[:1, :2])
np.outer(x, y) | np.outer(m, y) | np.outer(2, y) | np.outer(x, y, out=np.zeros((3, 3))) | np.outer(x, y, np.zeros((3, 2))) | np.convolve(x, y) | np.convolve(x, m[0], "same") | np.correlate(x, y) | np.correlate(x, y[:2], mode="full")
"""
OF_FLOATS = """
np.dot(m, x, out=np.zeros(3)) | np.dot(m, m, np.zeros((3, 3))) | np.dot(x, m, out=np.zeros(4)) | np.dot(m, m, out=np.zeros((3, 3)).T) | np.linalg.pinv(m) | np.linalg.pinv(m[:2].astype(np.float32)) | np.geomspace(1j, 8j, 4)
np.geomspace(x[1] + 1j, 3, num=5) | np.geomspace(1j, 0, 3) | np.isneginf(-np.inf, np.zeros(2, np.bool_)) | np.isscalar(x) | np.isscalar("a") | np.isscalar(None) | np.isscalar((1, 2)) | np.isscalar(x[0]) | np.allclose(x, x, True, 0.0)
np.isin(m.astype(np.int64), np.array([1, 3]), kind="table") | np.isin(x, x[:1], kind="sort") | np.isin(2.0, x)
"""
OF_DRAWS = """
np.random.permutation(m) | np.random.permutation(m[0]) | np.random.choice(x, 3, k > 0) | np.random.choice(9, (2, 2), replace=k > 0) | np.random.dirichlet((1.0, 2.0), 3) | np.random.dirichlet((1.0, 2.0), (2,)) | np.random.dirichlet((0.5, 2.0))
random.randrange(1, 20, 3) | random.randrange(20, 1, -2) | random.randrange(1, 9, 0) | random.randrange(5, 1, 2) | random.randrange(k + 3)
"""
OF_NUMBERS = """
np.nan_to_num(v) | np.nan_to_num(v, nan=1.0, posinf=2.0, neginf=3) | np.round(v, 1) | np.round(v) | np.append(v, v) | np.append(v, 1)
"""


def texts(block):
    return [text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


_made = {}


def functions(text, parameters):
    if (text, parameters) not in _made:
        source = f"def f({parameters}):\n    return {text}\n"
        file = f"<arguments {text}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        made = {"np": numpy, "random": random}
        exec(compile(source, file, "exec"), made)
        _made[text, parameters] = made["f"], njit(made["f"])
    return _made[text, parameters]


def outcome(call, arguments):
    with numpy.errstate(all="ignore"):
        try:
            return call(*arguments), None
        except Exception as error:
            return None, error


@pytest.fixture(autouse=True)
def nothing_runs_on_the_host(request):
    _core.kernels.count_host_calls(True)
    yield
    names = {name for _, _, name, _, _ in _core.kernels.host_call_counts()}
    _core.kernels.count_host_calls(False)
    assert not names


def compare(text, parameters, *arguments, limit=1e-12):
    plain, compiled = functions(text, parameters)
    expected, error = outcome(plain, arguments)
    found, own = outcome(compiled, arguments)
    if error is not None:
        assert own is not None, f"{text}: NumPy raises {error!r}, not {found!r}"
        assert isinstance(own, type(error)) or isinstance(error, type(own)), (text, error, own)
        return
    assert own is None, (text, own, expected)
    assert numpy.shape(found) == numpy.shape(expected), text
    expected = numpy.asarray(expected)
    if expected.ndim:
        assert numpy.asarray(found).dtype == expected.dtype, text
    if expected.dtype.kind in "fc":
        limit = 1e-5 if expected.dtype.char in "fF" else limit
        scale = numpy.max(numpy.abs(expected), initial=0, where=numpy.isfinite(expected))
        numpy.testing.assert_allclose(found, expected, rtol=limit, atol=limit * scale)
    else:
        numpy.testing.assert_array_equal(found, expected)


def layouts(values):
    yield values
    yield numpy.repeat(values, 2, axis=0)[::2]
    yield numpy.ascontiguousarray(values[::-1])[::-1]
    if values.ndim > 1:
        yield numpy.asfortranarray(values)


def numbers(count, dtype, seed=3):
    rng = numpy.random.default_rng(seed)
    values = rng.integers(0, 5, count) if dtype != "?" else rng.integers(0, 2, count)
    return values.astype(dtype) + (
        numpy.array(0.25).astype(dtype) if dtype in ("f8", "f4", "c16") else numpy.array(0, dtype)
    )


@pytest.mark.parametrize("text", texts(OF_TWO))
@pytest.mark.parametrize("dtypes", ["f8 f8", "i8 f8", "f4 f8", "? i4", "c16 c16", "u1 i2", "f4 f4"])
def test_two_arrays_of_two_dtypes(text, dtypes):
    first, second = dtypes.split()
    for count in (6, 3, 0):
        if "insert" in text and (first, second) in (("f4", "f8"), ("i8", "f8"), ("? i4")):
            continue
        for x in layouts(numbers(count, first)):
            compare(text, "x, y, k", x, numbers(4, second, 4), 1)


@pytest.mark.parametrize("text", texts(OF_TWO_REALS))
@pytest.mark.parametrize("dtypes", ["f8 f8", "i8 f8", "i8 i8", "f4 f4"])
def test_two_arrays_of_real_numbers(text, dtypes):
    first, second = dtypes.split()
    for count, other in ((5, 5), (7, 3), (1, 1), (3, 8), (0, 2)):
        if "[0]" in text and count == 0:
            continue
        for k in (0, 1):
            for x in layouts(numbers(count, first)):
                compare(text, "x, y, k", x, numbers(other, second, 4), k)


@pytest.mark.parametrize("text", texts(OF_ONE))
@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "i4", "c16", "u1"])
def test_one_array(text, dtype):
    for count in (7, 1, 0):
        for k in (0, 1, 2):
            for x in layouts(numbers(count, dtype) * numpy.array([1, 0][count == 7 and k == 2], dtype)):
                compare(text, "x, k", x, k)


@pytest.mark.parametrize("text", texts(OF_ONE_REAL))
@pytest.mark.parametrize("dtype", ["f8", "i8"])
def test_one_array_of_real_numbers(text, dtype):
    for count in (7, 2, 1, 0):
        for k in (0, 1, 9):
            for x in layouts(numbers(count, dtype)):
                compare(text, "x, k", x, k)


@pytest.mark.parametrize("text", texts(OF_MATRICES))
@pytest.mark.parametrize("dtypes", ["f8 f8", "i4 f4", "c16 f8", "? ?"])
def test_matrices(text, dtypes):
    first, second = dtypes.split()
    for shape in ((3, 4), (1, 2), (2, 0)):
        a, b = (
            numbers(shape[0] * shape[1], first).reshape(shape),
            numbers(shape[0] * shape[1], second, 5).reshape(shape),
        )
        if "0]" in text and shape[1] == 0:
            continue
        for one in layouts(a):
            compare(text, "a, b", one, b)


@pytest.mark.parametrize("text", texts(OF_AXES))
@pytest.mark.parametrize("dtype", ["f8", "i8"])
def test_several_axes(text, dtype):
    for shape in ((2, 3, 4), (1, 2, 2), (2, 2, 0)):
        if "take" in text and 0 in shape:
            continue
        for k in (0, 1, 2):
            for m in layouts(numbers(shape[0] * shape[1] * shape[2], dtype).reshape(shape)):
                compare(text, "m, k", m, k)


@pytest.mark.parametrize("text", texts(OF_PRODUCTS))
@pytest.mark.parametrize("dtypes", ["f8 f8", "i8 f8", "i4 i4", "f4 f4", "f4 f8"])
def test_products(text, dtypes):
    first, second = dtypes.split()
    if "out=" in text and first == "f4":
        first = "f8"
    for m in layouts(numbers(9, first).reshape(3, 3)):
        if "m" in text and first != second and "y" not in text:
            continue
        compare(text, "x, y, m", m[1] + m[0], numbers(3, second, 5), m)


@pytest.mark.parametrize("text", texts(OF_FLOATS))
def test_floats(text):
    for m in layouts(numbers(9, "f8").reshape(3, 3) + numpy.eye(3)):
        compare(text, "x, m", m[0] + 1, m, limit=1e-6 if "float32" in text else 1e-10)


@pytest.mark.parametrize("text", texts(OF_DRAWS))
def test_draws(text):
    for k in (0, 1):
        for m in layouts(numbers(12, "f8").reshape(3, 4)):
            seeded = f"({'random' if text.startswith('random') else 'np.random'}.seed(k + 5), {text})[1]"
            compare(seeded, "x, m, k", m[0], m, k)


@pytest.mark.parametrize("name", ["f4", "i1", "c16", "?", "u8"])
def test_views_of_another_dtype(name):
    dtype = numpy.dtype(name)

    def viewed(a):
        return a.view(dtype)

    compiled = njit(viewed)
    for a in (
        numpy.arange(6.0),
        numpy.arange(12.0).reshape(3, 4)[1:],
        numpy.arange(12.0).reshape(3, 4)[:, ::-1],
        numpy.arange(8.0)[::2],
        numpy.asfortranarray(numpy.ones((3, 4))),
        numpy.zeros((0, 4)),
        numpy.arange(16, dtype="u1"),
        numpy.arange(5),
    ):
        if name == "?" and a.dtype.itemsize > 1:
            continue
        expected, error = outcome(viewed, (a,))
        own, own_error = outcome(compiled, (a,))
        assert type(own_error) is type(error)
        if error is None:
            assert own.dtype == dtype
            numpy.testing.assert_array_equal(own, expected)
            assert own.size == 0 or numpy.shares_memory(own, a)


def test_arrays_of_buffers():
    def taken(buffer, count, offset):
        return numpy.frombuffer(buffer, numpy.int16, count, offset)

    compiled = njit(taken)
    for buffer in (bytearray(range(16)), numpy.arange(12).reshape(3, 4), numpy.arange(12).reshape(3, 4).T):
        for count, offset in ((2, 2), (-1, 0), (-1, 1), (99, 0), (1, 999), (0, 1)):
            expected, error = outcome(taken, (buffer, count, offset))
            own, own_error = outcome(compiled, (buffer, count, offset))
            assert type(own_error) is type(error) and str(own_error or "") == str(error or "")
            if error is None:
                numpy.testing.assert_array_equal(own, expected)


def test_parts_along_any_axis():
    def parts(a, places, axis):
        return numpy.split(a, places, axis)

    compiled = njit(parts)
    for ndim in (1, 2, 3, 4, 5):
        a = numpy.arange(4**ndim).reshape((4,) * ndim)
        for axis in range(-ndim, ndim):
            for places in (2, numpy.array([1, 3])):
                own, expected = compiled(a, places, axis), parts(a, places, axis)
                assert len(own) == len(expected)
                for one, other in zip(own, expected):
                    numpy.testing.assert_array_equal(one, other)
                    assert numpy.shares_memory(one, a)


@pytest.mark.parametrize("name", "sum mean prod max min argmax argmin any all count_nonzero var std".split())
def test_matrices_along_rows_and_columns(name):
    for axis in (0, 1, -1):
        text = f"np.{name}(m, axis={axis})"
        for dtype in (
            ("f8", "f4", "i8", "u1", "?") if name in ("any", "all", "count_nonzero") else ("f8", "f4", "i8", "u1")
        ):
            for shape in ((3, 4), (1, 1), (40, 150), (150, 40), (5000, 2), (3, 0), (0, 3)):
                if (name in ("var", "std") and dtype == "f4") or ("arg" in name and shape[0] * shape[1] > 4096):
                    continue
                values = numpy.random.default_rng(3).integers(0, 4, shape).astype(dtype)
                if name == "prod":
                    values = numpy.minimum(values, 1)
                for m in layouts(values):
                    compare(text, "m", m)
        for values in ([[1.0, numpy.nan, 3.0], [numpy.nan, 0.0, -1.0]], [[2.0, 2.0], [2.0, numpy.inf], [-0.0, 0.0]]):
            compare(text, "m", numpy.array(values))


@pytest.mark.parametrize("text", ["np.median(x)", "np.quantile(x, 0.3)", "np.percentile(x, 90)", "np.nanmedian(x)"])
def test_places_in_the_order_of_many_elements(text):
    rng = numpy.random.default_rng(3)
    for count in (255, 256, 257, 258, 3000):
        for dtype in ("f8", "i8") if "nan" not in text else ("f8",):
            for x in layouts(rng.integers(-40, 400, count).astype(dtype)):
                compare(text, "x", x)
        x = rng.random(count)
        x[count // 3] = numpy.nan
        compare(text, "x", x)


def test_arrays_in_tuples_are_rows():
    np = numpy

    def flipped(a, b):
        return np.fliplr((a, b)), np.flipud((a, b)), np.asarray((a, b)), np.median((a, b)), np.sort((a, b))

    for one, other in zip(njit(flipped)(np.arange(3.0), np.ones(3)), flipped(np.arange(3.0), np.ones(3))):
        numpy.testing.assert_array_equal(one, other)


def test_arrays_in_the_order_of_columns():
    np = numpy

    def turned(a):
        return np.asfortranarray(a)

    compiled = njit(turned)
    for values in (numpy.arange(24.0).reshape(2, 3, 4), numpy.arange(6).reshape(2, 3), numpy.arange(8)):
        for a in layouts(values):
            own, expected = compiled(a), turned(a)
            numpy.testing.assert_array_equal(own, expected)
            assert own.strides == expected.strides
            assert numpy.shares_memory(own, a) == numpy.shares_memory(expected, a)


def test_lists_of_choices():
    np = numpy

    def chosen(conditions, choices):
        return np.select(conditions, choices), np.select(conditions, choices, 2.5)

    x = numpy.arange(6)
    for own, expected in zip(njit(chosen)([x < 2, x > 3], [x, x * x]), chosen([x < 2, x > 3], [x, x * x])):
        numpy.testing.assert_array_equal(own, expected)
        assert own.dtype == expected.dtype


def test_shuffled_rows():
    np = numpy

    def shuffled(x):
        np.random.seed(3)
        np.random.shuffle(x)

    for x in layouts(numpy.arange(24.0).reshape(4, 3, 2)):
        own, expected = x.copy(), x.copy()
        njit(shuffled)(own)
        shuffled(expected)
        numpy.testing.assert_array_equal(own, expected)


@pytest.mark.parametrize("text", texts(OF_NUMBERS))
def test_numbers(text):
    for value in (
        1.25,
        -3,
        numpy.inf,
        -numpy.inf,
        numpy.nan,
        complex(numpy.nan, numpy.inf),
        2.675j,
        numpy.float32(0.15),
    ):
        compare(text, "v", value)


@pytest.mark.parametrize(
    "text",
    [
        one
        for one in texts(OF_TWO_REALS) + texts(OF_ONE) + texts(OF_ONE_REAL)
        if "astype" not in one and "vander" not in one
    ],
)
def test_nan_and_infinity(text):
    for values in ([1.0, numpy.nan, -2.0, 0.0, 5.0], [numpy.inf, 1.0, -numpy.inf, 2.0, -0.0]):
        x = numpy.array(values)
        if "unwrap" in text and numpy.isinf(x).any():
            continue
        if "y" in text:
            compare(text, "x, y, k", x, numpy.array([0.0, 1.0, 2.0, numpy.nan, 4.0]), 1)
        else:
            compare(text, "x, k", x, 1)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8"])
def test_results_are_stored_where_out_says(dtype):
    def rounded(a, k, out):
        np.around(a, k, out)
        return np.round(a, k, out=out)

    np = numpy
    for other in ("f8", "f4") if dtype[0] == "f" else ("c16", "c8"):
        for k in (0, 1, -1):
            x = numpy.random.default_rng(1).random(5).astype(dtype) * 40
            out, expected = numpy.zeros(5, other), numpy.zeros(5, other)
            result = njit(rounded)(x, k, out)
            rounded(x, k, expected)
            numpy.testing.assert_array_equal(out, expected)
            numpy.testing.assert_array_equal(result, expected)


def test_nan_to_num_changes_the_array_itself_where_it_is_told_to():
    np = numpy

    def change(a, copy):
        return np.nan_to_num(a, copy=copy)

    for copy in (False, True):
        x, y = numpy.array([1.0, numpy.nan, numpy.inf]), numpy.array([1.0, numpy.nan, numpy.inf])
        numpy.testing.assert_array_equal(njit(change)(x, copy), change(y, copy))
        numpy.testing.assert_array_equal(x, y)


def test_many_elements_are_interpolated():
    np = numpy

    def at(x, xp, fp):
        return np.interp(x, xp, fp)

    rng = numpy.random.default_rng(2)
    x, xp, fp = rng.random(9000), numpy.sort(rng.random(800)), rng.random(800)
    numpy.testing.assert_array_equal(njit(at)(x, xp, fp), at(x, xp, fp))
