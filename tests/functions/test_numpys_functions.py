"""Functions of NumPy that compiled functions ask the host to run, against NumPy."""

import linecache

import numpy as np
import pytest
import tessera.numpy as tnp
from tessera.errors import TypingError, UnsupportedError

from tessera import _core, jit, njit, prange

RNG = np.random.default_rng(5)
LINE = RNG.random(30)
OTHER = RNG.random(30)
GRID = RNG.random((6, 6)) + np.eye(6)
TALL = RNG.random((8, 3))
INTS = RNG.integers(0, 9, 40)
HOLES = np.where(LINE < 0.2, np.nan, LINE)


def expression(text, parameters, space=None):
    source = f"def f({parameters}):\n    return {text}\n"
    names = {"np": np, **(space or {})}
    exec(source, names)
    return njit(names["f"], source=source), names["f"]


CASES = [
    ("np.sort(a)", LINE),
    ("np.sort(a, axis=0)", GRID),
    ("np.sort(a)", INTS.astype("int8")),
    ("np.argsort(a)", LINE),
    ("a.argsort(kind='stable')", INTS),
    ("np.partition(a, 3)[:3].sum()", LINE),
    ("np.searchsorted(np.sort(a), 0.5)", LINE),
    ("np.searchsorted(np.sort(a), a, side='right')", LINE),
    ("np.digitize(a, np.array([0.2, 0.5]))", LINE),
    ("np.unique(a)", INTS),
    ("np.union1d(a, a + 3)", INTS),
    ("np.isin(a, np.array([1, 2]))", INTS),
    ("np.flatnonzero(a > 4)", INTS),
    ("np.argwhere(a > 1)", GRID),
    ("np.count_nonzero(a)", INTS),
    ("np.cumsum(a)", LINE),
    ("np.cumsum(a)", GRID),
    ("np.cumsum(a, axis=1)", GRID),
    ("a.cumprod()", LINE),
    ("np.cumsum(a)", INTS.astype("int16")),
    ("np.diff(a)", LINE),
    ("np.diff(a, 2)", LINE),
    ("np.std(a)", GRID),
    ("a.var()", LINE),
    ("np.median(a)", LINE.astype("float32")),
    ("np.median(a, axis=0)", GRID),
    ("np.percentile(a, 30)", LINE),
    ("np.quantile(a, np.array([0.1, 0.9]))", LINE),
    ("np.average(a, weights=a)", LINE),
    ("np.ptp(a)", INTS),
    ("np.nanmean(a)", HOLES),
    ("np.nansum(a)", HOLES),
    ("np.nanmax(a)", HOLES),
    ("np.nanstd(a)", HOLES),
    ("np.nanargmin(a)", HOLES),
    ("np.cov(a)", GRID),
    ("np.corrcoef(a)", GRID),
    ("np.histogram(a, 5)", LINE),
    ("np.bincount(a)", INTS),
    ("np.bincount(a, weights=a * 0.5)", INTS),
    ("np.interp(a, np.array([0.0, 1.0]), np.array([5.0, 7.0]))", LINE),
    ("np.convolve(a, a[:3])", LINE),
    ("np.correlate(a, a[:3], mode='same')", LINE),
    ("np.concatenate((a, a[:2] * 2))", LINE),
    ("np.concatenate((a, a), axis=1)", GRID),
    ("np.stack((a, a))", LINE),
    ("np.hstack((a, a))", LINE),
    ("np.vstack((a, a))", GRID),
    ("np.column_stack((a, a))", LINE),
    ("np.append(a, 3.0)", LINE),
    ("np.delete(a, 3)", LINE),
    ("np.roll(a, 2)", LINE),
    ("np.roll(a, 2, axis=1)", GRID),
    ("np.repeat(a, 2)", GRID),
    ("np.repeat(a, 2, axis=0)", GRID),
    ("np.flip(a)", GRID),
    ("np.rot90(a)", TALL),
    ("np.tril(a)", GRID),
    ("np.triu(a, k=1)", GRID),
    ("np.diag(a)", GRID),
    ("np.diag(a)", LINE),
    ("np.array_equal(a, a)", LINE),
    ("np.allclose(a, a + 1e-12)", LINE),
    ("np.isclose(a, a[0])", LINE),
    ("np.nan_to_num(a)", HOLES),
    ("np.trace(a)", GRID),
    ("np.outer(a, a)", LINE),
    ("np.kron(a, a)", GRID),
    ("np.linalg.solve(a, a[0])", GRID),
    ("np.linalg.solve(a, a.T)", GRID),
    ("np.linalg.inv(a)", GRID),
    ("np.linalg.det(a)", GRID),
    ("np.linalg.slogdet(a)", GRID),
    ("np.linalg.cholesky(a @ a.T)", GRID),
    ("np.linalg.qr(a)", TALL),
    ("np.linalg.svd(a)", GRID),
    ("np.linalg.svd(a, full_matrices=False)", TALL),
    ("np.linalg.eigh(a + a.T)", GRID),
    ("np.linalg.eigvalsh(a + a.T)", GRID),
    ("np.linalg.eig(a + 0j)", GRID),
    ("np.linalg.lstsq(a, a[:, 0])", TALL),
    ("np.linalg.norm(a)", GRID),
    ("np.linalg.cond(a)", GRID),
    ("np.linalg.matrix_rank(a)", GRID),
    ("np.linalg.matrix_power(a, 3)", GRID),
    ("np.linalg.pinv(a)", TALL),
    ("np.fft.fft(a)", LINE),
    ("np.fft.irfft(np.fft.rfft(a))", LINE),
    ("np.fft.fft2(a)", GRID.astype("float32")),
    ("np.fft.fftfreq(7)", LINE),
    ("np.fft.fftshift(a)", LINE),
    ("a.reshape(5, 6)", LINE),
    ("a.reshape((2, -1))", LINE),
    ("np.reshape(a * 1.0, (3, 12))", GRID),
    ("a.ravel()", GRID),
    ("a.flatten()", TALL),
    ("a.transpose()", TALL),
    ("np.dot(a, a)", LINE),
    ("np.dot(a, a)", GRID),
    ("a[:1].item()", LINE),
]


@pytest.mark.parametrize("text, argument", CASES, ids=[text for text, _ in CASES])
def test_against_numpy(text, argument):
    compiled, plain = expression(text, "a")
    got, wanted = compiled(argument), plain(argument)
    for one, other in zip(*[value if isinstance(value, tuple) else (value,) for value in (got, wanted)]):
        one, other = np.asarray(one), np.asarray(other)
        assert one.shape == other.shape
        if other.ndim:
            assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5 if other.dtype.itemsize <= 4 else 1e-12, atol=1e-12)
    assert compiled.signatures


def test_every_routine_is_a_function_of_numpy():
    from operator import attrgetter

    for path in _core.kernels.builtin_names("numpy."):
        assert callable(attrgetter(path.removeprefix("numpy."))(np)), path


def test_in_loops_and_branches():
    @njit
    def smallest(a, count):
        total = 0.0
        for k in range(a.shape[0]):
            row = np.sort(a[k])
            if row[0] < 0.1:
                row = np.concatenate((row, np.array([9.0])))
            total += row[:count].sum() + len(row)
        return total

    wanted = 0.0
    for row in GRID:
        ordered = np.sort(row)
        wanted += ordered[:2].sum() + len(ordered) + (ordered[0] < 0.1)
    assert smallest(GRID, 2) == pytest.approx(wanted)
    assert smallest(GRID[::2, ::-1], 2) == pytest.approx(smallest(GRID[::2], 2))


def test_sort_and_fill_in_place():
    @njit
    def change(a, b):
        a.sort()
        a[::2].sort()
        b.fill(3)
        b.reshape(2, 3)[1, 1] = 7

    a, b = LINE.copy(), np.zeros(6)
    change(a, b)
    assert np.array_equal(a, np.sort(LINE)) and b.tolist() == [3, 3, 3, 3, 7, 3]


def test_random_streams_are_numpys():
    def draw(n):
        np.random.seed(7)
        total = 0.0
        for _ in range(n):
            total += np.random.random() + np.random.normal() + np.random.normal(1.0, 2.0)
        a = np.random.rand(3, 2)
        b = np.random.uniform(2.0, 3.0, 4)
        c = np.random.randint(0, 10, size=(2, 2))
        d = np.random.randint(5)
        e = np.random.permutation(a[:, 0])
        return total, a, b, c, d, e, np.random.poisson(3.0), np.random.standard_normal(2), np.random.rand()

    got, wanted = njit(draw)(5), draw(5)
    for one, other in zip(got, wanted):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("draws", [1, 2, 3, 10])
def test_single_numbers_and_numpys_mix(draws):
    def draw(n):
        total = 0.0
        for _ in range(n):
            total += np.random.normal(2.0, 0.5)
            total += np.random.exponential(3.0) + np.random.standard_exponential() + np.random.uniform(-1.0, 2.0)
            total += np.random.rand() * np.random.standard_normal()
        total += np.random.standard_normal(3).sum() + np.random.randn()
        return total

    compiled = njit(draw)
    results = []
    for function in (compiled, draw):
        np.random.seed(3)
        np.random.normal()  # keeps a second one
        results.append((function(draws), function(draws), np.random.normal(), np.random.random(), np.random.normal()))
    assert results[0] == pytest.approx(results[1], rel=1e-14)


def test_single_numbers_in_prange():
    @njit(parallel=True)
    def area(n):
        inside = 0
        for _ in prange(n):
            x = np.random.random()
            y = np.random.random()
            if x * x + y * y < 1:
                inside += 1
        return 4 * inside / n

    assert area(100_000) == pytest.approx(np.pi, abs=0.05)


def test_exceptions_are_numpys():
    @njit
    def solve(a):
        return np.linalg.inv(a)

    with pytest.raises(np.linalg.LinAlgError):
        solve(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="complex"):
        expression("np.linalg.eig(a)", "a")[0](np.array([[0.0, 1.0], [-1.0, 0.0]]))
    with pytest.raises(ValueError):
        expression("np.concatenate((a, a[:2]), axis=1)", "a")[0](GRID)
    assert np.array_equal(solve(np.eye(2)), np.eye(2))


def test_arrays_of_tessera():
    compiled, plain = expression("np.sort(a * 2)", "a")
    got = compiled(tnp.array(LINE) + 1)
    assert _core.kernels.is_array(got) and np.array_equal(got, plain(LINE + 1))
    # Small matrices are inverted in place: last bits are not LAPACK's.
    inverse = expression("tnp.linalg.inv(a)", "a", {"tnp": tnp})[0](GRID)
    np.testing.assert_allclose(inverse, np.linalg.inv(GRID), rtol=1e-12)


def test_what_is_not_there():
    @jit(parallel=True)
    def parallel(a):
        for k in prange(a.shape[0]):
            a[k] = np.lib.scimath.sqrt(a)[k].real

    with pytest.raises(UnsupportedError, match="prange"):
        parallel(LINE.copy())
    with pytest.raises(ValueError, match="number of elements"):
        expression("a.reshape(7, 7)", "a")[0](LINE)
    with pytest.raises(TypingError):
        expression("np.sort(a, kinds=3)", "a")[0](LINE)


@pytest.mark.parametrize("low, high", [(2, None), (None, 5), (2, 5), (None, 2.5)])
def test_limits_that_are_none(low, high):
    x = np.arange(10)

    def function(x, low, high):
        return np.clip(x, low, high), x.clip(low, high), np.clip(x[0], low, high)

    found, expected = jit(function)(x, low, high), function(x, low, high)
    for mine, numpys in zip(found, expected):
        np.testing.assert_array_equal(mine, numpys)


def test_where_of_a_condition_alone():
    x = np.arange(12).reshape(3, 4)

    def function(x):
        return np.where(x % 3 == 0)

    found, expected = jit(function)(x), function(x)
    assert len(found) == 2
    for mine, numpys in zip(found, expected):
        np.testing.assert_array_equal(mine, numpys)


def both(text, *values):
    """What NumPy gives and what the compiled function does, which calls nothing of the host; errors as their classes and texts."""
    names = "abc"[: len(values)]
    scope = {"np": np}
    file = f"<both {text}>"
    source = f"def f({', '.join(names)}):\n    return {text}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)
    found = []
    for call in (scope["f"], jit(scope["f"])):
        _core.kernels.count_host_calls(True)
        try:
            found.append(call(*values))
        except Exception as error:
            found.append((type(error), str(error)))
        assert not _core.kernels.host_call_counts()
        _core.kernels.count_host_calls(False)
    return found


REAL_VALUES = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.5, 1.0]])


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i8", "i4"])
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_general_eigenvalues_are_numpys(dtype, layout):
    matrix = (REAL_VALUES * 4).astype(dtype) if layout != "F" else np.asfortranarray((REAL_VALUES * 4).astype(dtype))
    if layout == "strided":
        wide = np.zeros((6, 6), dtype)
        wide[::2, ::-2] = matrix
        matrix = wide[::2, ::-2]
    expected, found = both("np.linalg.eig(a)", matrix)
    tolerance = 1e-4 if np.dtype(dtype).char in "fF" else 1e-10
    assert type(found).__name__ == "EigResult", found
    assert [one.dtype for one in found] == [one.dtype for one in expected]
    # Vectors may have either sign.
    np.testing.assert_allclose(matrix @ found[1], found[1] * found[0], rtol=tolerance, atol=4 * tolerance)
    np.testing.assert_allclose(np.linalg.norm(found[1], axis=0), 1, rtol=tolerance)
    np.testing.assert_allclose(found[0], expected[0], rtol=tolerance)
    values, own = both("np.linalg.eigvals(a)", matrix)
    assert values.dtype == own.dtype
    np.testing.assert_allclose(values, own, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("matrix", [REAL_VALUES * np.nan, REAL_VALUES[:2], np.zeros((0, 0)), np.zeros((0, 0), "c8")])
def test_general_eigenvalues_of_what_has_none(matrix):
    for text in ("np.linalg.eigvals(a)", "np.linalg.eig(a)[0]"):
        expected, found = both(text, matrix)
        assert found == expected if isinstance(expected, tuple) else found.dtype == expected.dtype and found.size == 0


def test_complex_eigenvalues_of_real_numbers_are_refused():
    with pytest.raises(ValueError, match="pass a complex array"):
        jit(lambda a: np.linalg.eigvals(a))(np.array([[0.0, 1.0], [-1.0, 0.0]]))


COMPLEX = np.sort(
    np.array([1, 1 + 1j, 1 + 2j, 2 - 1j, 3, np.nan, complex(1, np.nan), complex(np.nan, 2), complex(np.nan, np.nan)])
)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("values", [COMPLEX, COMPLEX[::-1], np.arange(4), np.array([0.5, np.nan]), COMPLEX[:0], 1 + 1j])
def test_complex_numbers_are_searched_in_numpys_order(side, values):
    for known in (COMPLEX, COMPLEX[:5][::2], COMPLEX[:0]):
        expected, found = both(f"np.searchsorted(a, b, side={side!r})", known, values)
        np.testing.assert_array_equal(expected, found)


@pytest.mark.parametrize(
    "text, values",
    [
        *[("np.arange(a)", (stop,)) for stop in (3 + 2j, 2j, 5 + 0j, -1 - 1j)],
        ("np.arange(a, b)", (1 + 1j, 10)),
        ("np.arange(a, b)", (1 + 1j, 10 + 8j)),
        ("np.arange(a, b, c)", (0, 10 + 8j, 1 + 1j)),
        ("np.arange(a, b, c)", (0, 10 + 8j, 0)),
        ("np.geomspace(a, b, 4)", (np.complex64(1 + 1j), np.complex64(3 + 2j))),
        ("np.geomspace(a, b)", (np.complex64(1 + 1j), 4)),
        ("np.asfortranarray(a)", (4.0,)),
        ("np.asfortranarray(a)", (np.array(4),)),
        ("np.isin(a, b)", (np.array([True, False]), np.array([2, 1], np.int8))),
        ("np.isin(a, b)", (np.arange(6, dtype=np.int16), np.array([2.0, 1.5], np.float32))),
        ("np.isin(a, b)", (3, np.arange(5))),
        ("np.isin(a, b, invert=True)", (9.0, np.arange(5.0))),
        ("np.roll(a, 2)", (4,)),
        ("np.roll(a, 1)", (False,)),
        ("np.flip(a)", (np.array(3.5),)),
        ("a.item()", (np.float64(2.5),)),
        ("np.isneginf(a, b)", (-np.inf, np.zeros(3))),
        *[("np.sum(a, axis=b)", (np.arange(24000.0).reshape(10, 20, 30, 4), axis)) for axis in range(4)],
    ],
)
def test_results_of_complex_and_single_numbers(text, values):
    expected, found = both(text, *values)
    if isinstance(expected, tuple):
        assert found == expected
        return
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.shape(found) == np.shape(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert isinstance(found, np.ndarray) == isinstance(expected, np.ndarray)


def test_results_without_axes_are_numbers_where_one_is_wanted():
    @jit
    def function(x):
        found = np.isin(3, x)
        chosen = 1 if found else 2
        return (
            chosen,
            found and x[0] > 5,
            not found,
            float(np.asarray(x[0])),
            int(np.isin(1, x)),
            max(np.array(2.5), 1.0),
        )

    assert function(np.arange(4.0)) == (1, False, False, 0.0, 1, 2.5)
    same = np.arange(4, dtype=np.float32)
    assert jit(lambda a: np.asarray(a, dtype=np.float32))(same) is same
