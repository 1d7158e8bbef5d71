"""NumPy's functions in prange, where NumPy cannot be called: what the library in the language gives against NumPy's own results."""

import linecache

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy
from tessera.errors import CompileError, UnsupportedError

from tessera import guvectorize, njit, prange

# Expressions of a row r, rising numbers s, a matrix m and small integers k.
EXPRESSIONS = """
np.ptp(r) | np.median(r) | np.median(r[1:]) | np.nanmedian(r) | np.percentile(r, 30) | np.quantile(r, 0.3) | np.quantile(r, [0.0, 0.7])
np.nanpercentile(r, 99) | np.nanquantile(r, 0.5) | np.nanvar(r) | np.nanvar(r, ddof=1) | np.nanstd(r) | np.average(r) | np.average(r, weights=s)
np.nanargmin(r) | np.nanargmax(r) | np.bincount(k) | np.bincount(k, minlength=9) | np.bincount(k, weights=s[:5]) | np.histogram(r, 5)[0]
np.histogram(r, 5)[1] | np.histogram(r, s)[0] | np.cov(m) | np.corrcoef(m) | np.sort(r) | np.argsort(r, kind="stable") | r.argsort()
np.partition(r, 3)[3] | r[np.argpartition(r, 3)[3]] | np.searchsorted(s, r) | np.searchsorted(s, 0.5, side="right") | s.searchsorted(0.5)
np.digitize(r, s) | np.digitize(r, s[::-1]) | np.digitize(r, s, right=True) | np.unique(k) | np.unique(r) | np.isin(k, [1, 3]) | np.union1d(k, k)
np.intersect1d(k, k[1:]) | np.setdiff1d(k, k[1:]) | np.cumsum(r) | r.cumsum() | np.cumsum(k) | np.cumprod(r) | np.nancumsum(r) | np.diff(r)
np.diff(r, n=2) | np.ediff1d(r) | np.repeat(r, 2) | np.tile(r, 3) | np.roll(r, 2) | np.roll(r, -1) | np.delete(r, 1) | np.delete(r, -2)
np.trapezoid(r) | np.trapezoid(r, s) | np.trapezoid(r, dx=0.5) | np.vander(s) | np.round(r, 1) | np.around(r) | np.round(100.0 * r, -1)
np.round(r[0], 2) | np.isclose(r, s) | np.allclose(r, r) | np.nan_to_num(r) | np.polyval(s, 0.5) | np.polyval(s, r) | np.interp(0.4, s, r)
np.interp(r, s, r) | np.interp(-1.0, s, r) | np.interp(99, s, s) | np.flatnonzero(k) | np.nonzero(k)[0] | np.nonzero(m > 0.5)[1] | np.argwhere(k)
np.take(r, k) | r[r > 0.5] | r[k] | r[k - 3] | np.concatenate((r, s)) | np.hstack((r, s)) | np.concatenate((m, m)) | np.append(r, 1.0) | np.append(k, 1.5)
np.append(r, m) | np.stack((r, s)) | np.vstack((r, s)) | np.vstack((m, m)) | np.column_stack((r, s)) | np.convolve(r, s) | np.convolve(r, s[:3], "same")
np.convolve(r, s[:4], "valid") | np.correlate(r, s) | np.correlate(r, s[:3], mode="full") | np.correlate(s[:3], r, "same") | np.vdot(r, s)
np.outer(r, s) | np.kron(r, s) | np.cross(r[:3], s[:3]) | np.sum(m, axis=0) | np.sum(m, axis=1) | m.sum(axis=-1) | np.mean(m, axis=0)
np.max(m, axis=1) | m.min(axis=0) | np.flip(r) | np.flip(m) | np.fliplr(m) | np.flipud(m) | np.rot90(m) | np.expand_dims(r, 0) | np.expand_dims(r, 1)
np.swapaxes(m, 0, 1) | np.triu(m) | np.triu(m, 1) | np.tril(m, k=-1) | np.tri(3) | np.diag(r) | np.diag(m) | np.trace(m)
np.linalg.det(m) | np.linalg.solve(m, r[:3]) | np.linalg.solve(m, m.T) | np.linalg.inv(m) | np.linalg.cholesky(m @ m.T + np.eye(3))
np.linalg.norm(r) | np.linalg.norm(m) | np.linalg.norm(r, 1) | np.linalg.norm(r, np.inf) | np.linalg.norm(r, ord=3)
"""
EACH = [text.strip() for line in EXPRESSIONS.strip().splitlines() for text in line.split(" | ")]


def in_loop(text, name="expression"):
    """A function that stores the value of an expression for each row."""
    source = f"def {name}(a, s, m, k, out):\n    for i in prange(len(a)):\n        r = a[i]\n        value = {text}\n        out[i] = value\n"
    file = f"<{name} {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    made = {"np": numpy, "prange": prange}
    exec(compile(source, file, "exec"), made)
    return njit(parallel=True)(made[name])


def arguments(dtype):
    rng = numpy.random.default_rng(3)
    a = (rng.random((4, 9)) * (10 if numpy.dtype(dtype).kind == "i" else 1)).astype(dtype)
    s = numpy.sort(rng.random(9) * (30 if numpy.dtype(dtype).kind == "i" else 1)).astype(dtype)
    return a, s, (rng.random((3, 3)) * 9).astype(dtype) + numpy.eye(3, dtype=dtype), numpy.array([0, 3, 1, 1, 2])


def results(text, a, s, m, k):
    """What NumPy computes for the rows; for the first alone where the shapes differ."""
    each = [numpy.asarray(eval(text, {"np": numpy}, {"r": r, "s": s, "m": m, "k": k})) for r in a]
    return numpy.stack(each if len({one.shape for one in each}) == 1 else each[:1])


@pytest.mark.parametrize("text", EACH)
def test_results_are_numpys(text):
    given_ = arguments("f8")
    a, s, m, k = given_
    wanted = results(text, *given_)
    out = numpy.zeros(wanted.shape, wanted.dtype)
    in_loop(text)(a[: len(wanted)], s, m, k, out)
    numpy.testing.assert_allclose(out, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "i8", "i4"])
@pytest.mark.parametrize(
    "text", [one for one in EACH if not any(name in one for name in ("linalg", "nan_to_num", "vander", "r.argsort"))]
)
def test_other_dtypes(text, dtype):
    given_ = arguments(dtype)
    a, s, m, k = given_
    wanted = results(text, *given_)
    out = numpy.zeros(wanted.shape, wanted.dtype)
    in_loop(text)(a[: len(wanted)], s, m, k, out)
    numpy.testing.assert_allclose(out, wanted, rtol=1e-4 if dtype == "f4" else 1e-9, atol=1e-4)


FLOATS = st.floats(width=64, allow_nan=True, allow_infinity=True)
sort_rows = in_loop("np.sort(r)", "sorting")
order_rows = in_loop("np.argsort(r)", "ordering")
search_rows = in_loop("np.searchsorted(s, r)", "searching")
median_rows = in_loop("np.median(r)", "middle")


@settings(deadline=None)
@given(hypothesis_numpy.arrays("f8", st.tuples(st.just(2), st.integers(0, 70)), elements=FLOATS))
def test_orders_of_any_floats(a):
    nothing = numpy.zeros((0, 0)), numpy.zeros(0, int)
    out = numpy.empty_like(a)
    sort_rows(a, a[0], *nothing, out)
    numpy.testing.assert_array_equal(out, numpy.sort(a, axis=1))
    places = numpy.empty(a.shape, numpy.int64)
    order_rows(a, a[0], *nothing, places)
    numpy.testing.assert_array_equal(places, numpy.argsort(a, axis=1, kind="stable"))
    rising = numpy.sort(a[0])
    search_rows(a, rising, *nothing, places)
    numpy.testing.assert_array_equal(places[1], numpy.searchsorted(rising, a[1]))
    with numpy.errstate(all="ignore"):
        wanted = numpy.median(a, axis=1)
    middle = numpy.empty(2)
    median_rows(a, a[0], *nothing, middle)
    numpy.testing.assert_array_equal(middle, wanted)


def test_in_place_and_assigned():
    @njit(parallel=True)
    def function(a, k):
        for i in prange(len(a)):
            a[i].sort()
            row = a[i]
            row[row < 0.2] = 0.0
            row[k] = row[k] + 1

    a = numpy.random.default_rng(1).random((5, 40))
    wanted = numpy.sort(a, axis=1)
    wanted[wanted < 0.2] = 0
    k = numpy.array([0, -1, 5])
    wanted[:, k] += 1
    function(a, k)
    numpy.testing.assert_array_equal(a, wanted)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("np.linalg.inv(m * 0)[0, 0]", numpy.linalg.LinAlgError),
        ("np.linalg.cholesky(-m)[0, 0]", numpy.linalg.LinAlgError),
        ("np.percentile(r, 101)", ValueError),
        ("np.ptp(r[:0])", ValueError),
        ("np.bincount(k - 2)[0]", ValueError),
        ("np.digitize(0.5, np.array([1.0, 3.0, 2.0]))", ValueError),
        ("np.delete(r, 20)[0]", IndexError),
        ("np.take(r, k + 20)[0]", IndexError),
    ],
)
def test_errors_are_numpys(text, error):
    a, s, m, k = arguments("f8")
    with pytest.raises(error) as wanted:
        eval(text, {"np": numpy}, {"r": a[0], "s": s, "m": m, "k": k})
    compiled = in_loop(text)
    with pytest.raises(error) as raised:
        compiled(a, s, m, k, numpy.zeros(4))
    assert str(raised.value).split()[0] == str(wanted.value).split()[0] or error is IndexError


def test_what_the_library_has_not_is_refused():
    for text in ("np.lib.scimath.sqrt(r)[0]", "np.median(m, axis=0)[0]", "np.percentile(r, 3, method='lower')"):
        with pytest.raises(UnsupportedError, match="in prange"):
            in_loop(text)(*arguments("f8"), numpy.zeros(4))


@pytest.mark.parametrize(
    "text",
    [
        "np.histogram(r, 4, density=True)[0][0]",
        "np.trapezoid(m)[0]",
    ],
)
def test_what_would_be_another_result_is_refused(text):
    with pytest.raises((NotImplementedError, CompileError)):
        in_loop(text)(*arguments("f8"), numpy.zeros(4))


def test_in_gufuncs_and_ufuncs_of_rows():
    @guvectorize(["(f8[:], f8[:])"], "(n)->(n)")
    def ordered(x, y):
        y[:] = x[numpy.argsort(x)]

    @guvectorize(["(f8[:], f8[:], f8[:])"], "(n),()->()")
    def chosen(x, q, y):
        y[0] = numpy.quantile(x, q[0])

    a = numpy.random.default_rng(2).random((50, 21))
    numpy.testing.assert_array_equal(ordered(a), numpy.sort(a, axis=1))
    numpy.testing.assert_allclose(chosen(a, 0.3), numpy.quantile(a, 0.3, axis=1))


def stored(text, out, **given):
    source = f"def store({', '.join(given)}, out):\n    for i in prange(1):\n        {text}\n"
    file = f"<store {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    made = {"np": numpy, "prange": prange}
    exec(compile(source, file, "exec"), made)
    njit(parallel=True)(made["store"])(*given.values(), out)
    return out


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("np.average(a, weights=a)", numpy.array([100, -100, 127], "i1")),
        ("np.average(a, weights=a)", numpy.array([200, 100, 255], "u1")),
        ("np.linalg.norm(a)", numpy.array([2**40, 2**41])),
        ("np.linalg.norm(a, 3)", numpy.array([2**40, 2**41])),
        ("np.linalg.norm(a, -2)", numpy.array([40000, -30000, 50000], "i4")),
        ("np.isclose(a, a[::-1])", numpy.array([-128, 0], "i1")),
        ("np.isclose(a, a[::-1], atol=2)", numpy.array([0, 255], "u1")),
        ("np.correlate(a, a, 'full')", numpy.array([1 + 2j, 3 - 1j])),
        ("np.correlate(a[:2], a, 'same')", numpy.array([0, 1, 3])),
        ("np.correlate(a[:2], a, 'full')", numpy.array([0, 1, 3])),
        ("np.correlate(a[:4], a, 'valid')", numpy.array([0, 1, 3, 5, 2])),
        ("np.correlate(a, a[:4], 'same')", numpy.array([0, 1, 3, 5, 2])),
        ("np.vander(a)", numpy.array([-3, 120, 7, 2], "i1")),
        ("np.cov(a)", numpy.array([[10000.1, 10000.2, 10000.3], [1, 2, 4]], "f4")),
        ("np.append(a, -1)", numpy.array([2**63 + 5, 7], "u8")),
        ("np.append(a, -1)", numpy.array([250, 7], "u1")),
        ("np.round(a)", numpy.array([2**63 - 1, 1])),
        ("np.median(a)", numpy.array([2**63 - 1, 1])),
        ("np.median(a)", numpy.array([6e4, 6e4], "f2")),
    ],
)
def test_values_near_the_limits_of_types(text, values):
    wanted = numpy.asarray(eval(text, {"np": numpy, "a": values}))
    out = stored(
        f"out[...] = {text}" if wanted.ndim else f"out[0] = {text}",
        numpy.zeros(wanted.shape or 1, wanted.dtype),
        a=values,
    )
    numpy.testing.assert_allclose(out, wanted, rtol=1e-12)


def test_arrays_as_indices_are_assigned_as_numpys():
    assert stored("out[k] = v", numpy.zeros(5), k=numpy.arange(4), v=numpy.full(1, 7.0)).tolist() == [7, 7, 7, 7, 0]
    assert stored("out[k] = out[:3]", numpy.arange(3.0), k=numpy.array([0, 2, 2])).tolist() == [0, 1, 2]
    for index in (numpy.arange(3), numpy.array([True] * 3 + [False] * 2)):
        with pytest.raises(ValueError, match="shape mismatch"):
            stored("out[k] = v", numpy.zeros(5), k=index, v=numpy.zeros(2))
    with pytest.raises(NotImplementedError, match="one axis"):
        stored("out[k] = out[0]", numpy.zeros((2, 3)), k=numpy.array([1, 0]))
