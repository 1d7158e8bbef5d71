"""Functions of elements, running totals, indices and numpy.linalg of all dtypes in @jit: compiled, and as NumPy's."""

import linecache

import numpy
import pytest

from tessera import _core, njit

OF_ANY = """
a.conj() | a.conjugate() | np.real(a) | np.imag(a) | np.isreal(a) | np.iscomplex(a) | np.isscalar(a) | np.iscomplexobj(a) | np.isrealobj(a) | np.diagflat(a) | np.diagflat(a, 2) | np.diagflat(a, -1)
np.extract(a, a) | np.flatnonzero(a) | np.nonzero(a)[-1] | a.nonzero()[0] | np.argwhere(a) | np.cumsum(a) | np.cumprod(a) | np.nancumsum(a) | np.nancumprod(a) | np.cumsum(a, k) | np.cumprod(a, axis=k)
a.cumsum(k) | np.repeat(a, 2) | np.repeat(a, np.arange(a.size)) | np.repeat(a, np.array([-1])) | np.roll(a, 3) | np.roll(a, True) | np.size(a) | np.shape(a)[0] | np.array_equal(a, a) | np.array_equal(a, a[:1])
np.delete(a, np.array([0, 0, -1])) | np.delete(a, k) | np.take(a, k) | np.take(a, (0, -1)) | np.take(a, ((0, 1), (1, 0)))
"""
OF_REALS = """
np.angle(a) | np.angle(a, deg=k > 0) | np.isneginf(a) | np.isposinf(a) | np.isclose(a, a, equal_nan=k > 0) | np.allclose(a, a, 1e-5, 1e-8, k > 0) | np.ediff1d(a) | np.ediff1d(a, a[:1]) | np.ediff1d(a, None, a)
np.diff(a) | np.diff(a, k) | np.diff(a, n=2) | np.cumsum(a, dtype=np.float32) | np.cumsum(a, k, np.float64) | a.cumprod(0, np.float64)
"""
OF_NUMBERS = """
np.flatnonzero(v) | np.argwhere(v) | np.size(v) | np.shape(v) | np.isreal(v) | np.iscomplex(v) | np.iscomplexobj(v) | np.diagflat(v) | np.repeat(v, 3) | np.array_equal(v, v)
"""
WINDOWS = "np.hanning(n) | np.hamming(n) | np.blackman(n) | np.bartlett(n)"
OF_MATRICES = """
np.linalg.inv(m) | np.linalg.det(m) | np.linalg.slogdet(m)[0] | np.linalg.slogdet(m)[1] | np.linalg.norm(m) | np.linalg.norm(m, "fro") | np.linalg.cond(m) | np.linalg.cond(m, "fro") | np.linalg.matrix_rank(m)
np.linalg.matrix_power(m, k) | np.linalg.pinv(m) | np.linalg.pinv(m, 1e-3) | np.linalg.cholesky(h) | np.linalg.eigvalsh(h) | np.linalg.eigh(h)[0] | np.linalg.solve(m, h) | np.linalg.solve(m, h[0]) | np.linalg.svd(m, k > 0)[1]
np.linalg.qr(m)[1] | np.linalg.norm(m, k) | np.linalg.cond(m, k) | np.linalg.norm(m[0], k) | np.linalg.norm(m[0], 2.5) | np.linalg.matrix_rank(m[:, :1] * m[:1]) | np.linalg.matrix_rank(m[0])
"""


def texts(block):
    return [text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


_made = {}


def functions(text, parameters):
    if (text, parameters) not in _made:
        source = f"def f({parameters}):\n    return {text}\n"
        file = f"<elements {text}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        made = {"np": numpy}
        exec(compile(source, file, "exec"), made)
        _made[text, parameters] = made["f"], njit(made["f"])
    return _made[text, parameters]


def outcome(call, arguments):
    with numpy.errstate(all="ignore"):
        try:
            return call(*arguments), None
        except Exception as error:
            return None, error


def compare(text, parameters, *arguments, limit=0.0):
    plain, compiled = functions(text, parameters)
    expected, error = outcome(plain, arguments)
    found, own = outcome(compiled, arguments)
    if error is not None:
        assert isinstance(own, (type(error), type(error).__bases__[0])) or isinstance(error, type(own)), (
            text,
            error,
            own,
        )
        return
    assert own is None, (text, own)
    assert numpy.shape(found) == numpy.shape(expected), text
    if numpy.ndim(expected):
        assert numpy.asarray(found).dtype == numpy.asarray(expected).dtype, text
    if limit:
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


def sample(shape, dtype):
    rng = numpy.random.default_rng(5)
    values = rng.random(shape) * 9 - (4 if dtype[0] in "fi" else 0)
    values = values + 1j * rng.random(shape) if dtype[0] == "c" else values
    if dtype[0] == "f" and values.size > 5:
        values.flat[:4] = -numpy.inf, numpy.inf, -0.0, numpy.nan
    values = values.astype(dtype)
    if values.size > 5:
        values.flat[4] = 0
    return values


SHAPES = ((0,), (1,), (7,), (3, 4), (2, 0), (2, 3, 2))


@pytest.mark.parametrize("text", texts(OF_ANY))
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?", "c16", "c8"])
def test_functions_of_any_numbers(text, dtype):
    limit = 1e-5 if dtype in ("f4", "c8") else 1e-12
    for shape in SHAPES:
        for a in layouts(sample(shape, dtype)):
            for k in (-a.ndim - 1, -1, 0, a.ndim) if "k" in text.replace("take", "") else (0,):
                compare(text, "a, k", a, k, limit=limit if "cum" in text else 0)


@pytest.mark.parametrize("text", texts(OF_REALS))
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_functions_of_reals(text, dtype):
    limit = 1e-5 if dtype == "f4" or "float32" in text else 1e-12
    for shape in SHAPES:
        for a in layouts(sample(shape, dtype)):
            for k in (-1, 0, 1, 2):
                compare(text, "a, k", a, k, limit=limit)


@pytest.mark.parametrize("text", texts(OF_NUMBERS))
@pytest.mark.parametrize("v", [(1, 0, 2), ((1, 0.5), (0, 2)), 3, 0, 2.5, True, 1j, (), ((1, 2j), (3, 4))])
def test_functions_of_numbers_and_tuples(text, v):
    compare(text, "v", v)


@pytest.mark.parametrize("text", texts(WINDOWS))
def test_windows(text):
    for n in (0, 1, 2, 5, 10, -3, 1.0, 5.5, 0.5, 7.0, 1.5):
        compare(text, "n", n, limit=1e-12)


@pytest.mark.parametrize("dtype", ["f8", "i8", "?"])
def test_diagonals_are_filled_as_numpys(dtype):
    def fill(a, values, wrap):
        numpy.fill_diagonal(a, values, wrap)

    compiled = njit(fill)
    for shape in ((3, 3), (3, 4), (7, 3), (3, 3, 3), (2, 3, 3), (0, 3), (2, 2, 2, 2)):
        for values in (True,) if dtype == "?" else (5, (1, 2), numpy.array([1, 2, 3]), numpy.zeros(0, int)):
            for wrap in (True, False):
                for base in layouts(numpy.zeros(shape, dtype)):
                    found, expected = base.copy(), base.copy()
                    error = outcome(fill, (expected, values, wrap))[1]
                    assert type(outcome(compiled, (found, values, wrap))[1]) is type(error)
                    if error is None:
                        numpy.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("text", texts(OF_MATRICES))
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i8"])
def test_matrices_of_all_dtypes(text, dtype):
    rng = numpy.random.default_rng(6)
    limit = 1e-3 if dtype in ("f4", "c8") else 1e-9
    for count in (1, 2, 5, 12):
        values = rng.random((count, count)) * (9 if dtype == "i8" else 1)
        values = values + 1j * rng.random((count, count)) if dtype[0] == "c" else values
        m = (values + (10 if dtype == "i8" else 3) * numpy.eye(count)).astype(dtype)
        h = (values + values.T.conj() + 20 * numpy.eye(count)).astype(dtype)
        if dtype == "i8" and "cholesky" in text:
            h = (h + h.T) // 2
        for of_m, of_h in zip(layouts(m), layouts(h)):
            for k in (0, 1, 2, 3) if "power" in text and dtype == "i8" else (-2, -1, 1, 2, 3, 0):
                compare(text, "m, h, k", of_m, of_h, k, limit=limit)


@pytest.mark.parametrize(
    "text", ["np.linalg.inv(m)", "np.linalg.cond(m, 1)", "np.linalg.cholesky(m - 9)", "np.linalg.solve(m, m)"]
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_singular_matrices(text, dtype):
    compare(text, "m", numpy.array([[1, 2], [2, 4]]).astype(dtype))


def test_they_do_not_call_the_host():
    @njit
    def work(a, k):
        m = numpy.linalg.pinv(a) @ a
        return (
            numpy.cumsum(m, k)[0, 0]
            + numpy.diff(a, k + 1)[0, 0]
            + numpy.argwhere(a)[0, 1]
            + numpy.linalg.cond(m, k + 1).real
        )

    _core.kernels.count_host_calls(True)
    work(numpy.eye(12) + 1j, 1)
    calls = _core.kernels.host_call_counts()
    _core.kernels.count_host_calls(False)
    assert not calls


OF_SHAPES = """
np.flip(a) | np.fliplr(a) | np.flipud(a) | np.triu(a, k) | np.tril(a, k) | np.triu(a) | np.resize(a, 7) | np.resize(a, (2, 5)) | np.resize(a, k) | np.count_nonzero(a, axis=None)
"""
OF_LINES = "np.diag(a, k) | a[a == a[:1]] | a[np.array([0, -1])[:a.size]]"
OF_QUANTILES = """
np.percentile(a, q * 100) | np.quantile(a, q) | np.percentile(a, (20, 90.5)) | np.quantile(a, (0.2, 0.9)) | np.quantile(a, 0.3) | np.percentile(a, 30)
"""
SEQUENCES = "np.geomspace(s, e, n) | np.geomspace(s, e) | np.logspace(s, e, num=n) | np.logspace(s, e)"


@pytest.mark.parametrize("text", texts(OF_SHAPES))
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?", "c16"])
def test_functions_of_several_axes(text, dtype):
    for shape in (*SHAPES, (0, 2)):
        for a in layouts(sample(shape, dtype)):
            for k in (-3, -1, 0, 1, 5) if "k" in text else (0,):
                compare(text, "a, k", a, k)


@pytest.mark.parametrize("text", texts(OF_LINES))
@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "?", "c16"])
def test_functions_of_lines(text, dtype):
    for count in (0, 1, 7):
        for a in layouts(sample((count,), dtype)):
            for k in (-2, 0, 3):
                compare(text, "a, k", a, k)


@pytest.mark.parametrize("text", texts(OF_QUANTILES))
@pytest.mark.parametrize("dtype", ["f8", "i8"])
def test_several_quantiles(text, dtype):
    for shape in ((0,), (1,), (7,), (3, 4)):
        for q in (numpy.array([0.1, 0.5, 1.0]), numpy.array([[0.1, 0.2]]), numpy.zeros(0), numpy.array([0.5, 2])):
            compare(text, "a, q", sample(shape, dtype), q, limit=1e-12)


@pytest.mark.parametrize("text", texts(SEQUENCES))
def test_sequences(text):
    for s, e, n in ((1, 100, 4), (1.0, 2.0, 5), (-1, -8, 3), (3, 1, 0), (2, 5, 1), (1, 0, 3), (1, 9, -1)):
        compare(text, "s, e, n", s, e, n, limit=1e-12)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_signals_of_several_dtypes(name, mode):
    for first in ("f8", "i8", "c16", "f4", "c8"):
        for second in ("f8", "i8", "c16", "f4", "c8"):
            for counts in ((5, 3), (3, 5), (1, 1), (0, 2), (2, 0)):
                x, y = (sample((count,), dtype) for count, dtype in zip(counts, (first, second)))
                compare(f"np.{name}(x, y, mode='{mode}')", "x, y", x, y, limit=1e-4)


@pytest.mark.parametrize("shape", [(2, 3), (4,), (2, 0, 3), (1, 2, 3, 2)])
def test_indices_of_a_shape(shape):
    compare("np.indices(shape)", "shape", shape)


def test_einsum_of_one_array():
    @njit
    def turned(a):
        return numpy.einsum("ij->ji", a), numpy.einsum("ii->i", a[:2, :2])

    matrix = numpy.arange(6.0).reshape(2, 3)
    for got, wanted in zip(turned(matrix), turned.py_func(matrix), strict=True):
        numpy.testing.assert_array_equal(got, wanted)


def test_pinv_of_singular_and_infinite_matrices():
    @njit
    def inverse(a):
        return numpy.linalg.pinv(a)

    for dtype in ("f4", "f8", "c8", "c16"):
        for values in ([[1, 2], [2, 4]], [[numpy.inf, 1], [2, 3]], [[1, 2], [3, 4], [5, 6]]):
            matrix = numpy.array(values, dtype)
            with numpy.errstate(all="ignore"):
                numpy.testing.assert_allclose(inverse(matrix), numpy.linalg.pinv(matrix), rtol=1e-4, atol=1e-5)
