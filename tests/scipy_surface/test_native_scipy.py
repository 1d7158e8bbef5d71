"""SciPy's functions of array operations on the engine: SciPy's results, no array on the host, SciPy itself as it was."""

import subprocess
import sys
import threading

import numpy
import pytest
import tessera.numpy as np
from tessera.scipy import _native

import tessera
from tessera import scipy as ours

scipy = pytest.importorskip("scipy")
pytestmark = pytest.mark.skipif(
    not _native._is_installed(), reason="this SciPy does not ask for other libraries' arrays"
)

RNG = numpy.random.default_rng(0)
X = RNG.normal(size=(6, 33))
POSITIVE = numpy.abs(X) + 0.1
COMPLEX = X + 1j * X[::-1]
SPECIAL = {
    "zmap": (POSITIVE, POSITIVE[:2]),
    "moment": (X, 3),
    "pmean": (POSITIVE, 2.5),
    "resample": (X, 20),
    "fftconvolve": (X, X[:2, :5]),
    "oaconvolve": (X, X[:2, :5]),
    **dict.fromkeys("irfft irfft2 irfftn hfft hfft2 hfftn".split(), (COMPLEX,)),
    **dict.fromkeys("gzscore gmean hmean differential_entropy".split(), (POSITIVE,)),
}
NAMES = [(module, name) for module, listed in _native.FUNCTIONS.items() for name in listed.split()]


def parts(result):
    return [part for one in result for part in parts(one)] if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("library", ["ours", "mixed"])
@pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda one: str(one))
def test_results_are_scipys_and_nothing_is_brought_to_the_host(module, name, library, monkeypatch):
    given = SPECIAL.get(name, (X,))
    expected = parts(getattr(getattr(scipy, module), name)(*given))
    brought = []
    for function in ("asarray", "array", "asanyarray", "ascontiguousarray"):
        plain = getattr(numpy, function)

        def counting(value, *args, _plain=plain, **kwargs):
            if tessera._core.kernels.is_array(value) and value.size > 5:
                brought.append(value.shape)
            return _plain(value, *args, **kwargs)

        monkeypatch.setattr(numpy, function, counting)
    arrays = [np.array(one) if isinstance(one, numpy.ndarray) else one for one in given]
    if library == "mixed":
        arrays[1:] = given[1:]
    mode = tessera.set_fallback_mode("error")
    try:
        result = parts(getattr(getattr(ours, module), name)(*arrays))
    finally:
        tessera.set_fallback_mode(mode)
        monkeypatch.undo()
    assert not brought
    assert len(result) == len(expected)
    for got, wanted in zip(result, expected):
        assert not isinstance(got, numpy.ndarray)
        assert numpy.asarray(got).dtype == numpy.asarray(wanted).dtype
        numpy.testing.assert_allclose(numpy.asarray(got), wanted, rtol=1e-9, atol=1e-12)


def test_scipy_itself_takes_what_it_took():
    from scipy import stats

    masked = numpy.ma.array(X[0], mask=X[0] > 1)
    before = stats.zscore(masked)
    ours.stats.zscore(np.array(X))
    after = stats.zscore(masked)
    assert type(before) is type(after)
    numpy.testing.assert_array_equal(numpy.asarray(before), numpy.asarray(after))
    assert isinstance(stats.zscore([1, 2, 3]), numpy.ndarray)
    assert isinstance(stats.zscore(np.array(X)), numpy.ndarray), "SciPy's own functions give NumPy's arrays"


def test_other_threads_are_not_asked_for_arrays_of_ours():
    from scipy._lib._array_api import array_namespace

    seen = []
    token = _native._asked.set(True)
    try:
        thread = threading.Thread(target=lambda: seen.append(array_namespace(np.arange(3)).__name__))
        thread.start()
        thread.join()
        seen.append(array_namespace(np.arange(3)).__name__)
    finally:
        _native._asked.reset(token)
    assert seen[0].endswith("numpy") and seen[0].startswith("scipy") and seen[1] == "tessera.numpy"


@pytest.mark.filterwarnings("ignore::tessera.FallbackWarning")
def test_what_the_standard_lacks_runs_on_the_host():
    x = X.copy()
    x[0, 0] = numpy.nan
    expected = scipy.stats.zscore(x, nan_policy="omit", axis=None)
    numpy.testing.assert_allclose(numpy.asarray(ours.stats.zscore(np.array(x), nan_policy="omit", axis=None)), expected)
    numpy.testing.assert_allclose(ours.stats.zscore([1, 2, 4]), scipy.stats.zscore([1, 2, 4]))


@pytest.mark.filterwarnings("ignore::tessera.FallbackWarning")
def test_nan_is_not_left_out_unless_asked_for():
    x = X.copy()
    x[0, 0] = numpy.nan
    for name in _native.FUNCTIONS["stats"].split() + ["tvar", "tstd", "tsem", "moment", "median_abs_deviation"]:
        given = {"zmap": (numpy.abs(x), X), "moment": (x,), "pmean": (numpy.abs(x), 2.0)}.get(name, (numpy.abs(x),))
        with numpy.errstate(all="ignore"):
            expected = parts(getattr(scipy.stats, name)(*given))
            result = parts(getattr(ours.stats, name)(*map(lambda one: np.array(one), given[:1]), *given[1:]))
        for got, wanted in zip(result, expected):
            numpy.testing.assert_allclose(numpy.asarray(got), wanted, rtol=1e-9, atol=1e-12, err_msg=name)
    assert ours.stats.skew(np.array(x[0]), 0, True, "omit") == scipy.stats.skew(x[0], 0, True, "omit")


@pytest.mark.filterwarnings("ignore::tessera.FallbackWarning")
def test_lists_beside_arrays_and_options_of_the_host():
    a = np.arange(5.0)
    b = numpy.arange(5.0)
    pairs = [
        (ours.signal.fftconvolve(a, [1, 2, 3]), scipy.signal.fftconvolve(b, [1, 2, 3])),
        (ours.stats.zmap([1.0, 2, 3], a), scipy.stats.zmap([1.0, 2, 3], b)),
        (ours.stats.gmean(a + 1, weights=[1] * 5), scipy.stats.gmean(b + 1, weights=[1] * 5)),
        (ours.integrate.trapezoid(a, [1, 2, 3, 4, 6]), scipy.integrate.trapezoid(b, [1, 2, 3, 4, 6])),
        (ours.fft.fft(a, workers=2), scipy.fft.fft(b, workers=2)),
        (ours.fft.fft2(np.array(X), axes=[0, 1]), scipy.fft.fft2(X, axes=[0, 1])),
        (ours.fft.irfft(np.array(b, numpy.float16)), scipy.fft.irfft(b.astype(numpy.float16))),
    ]
    for got, wanted in pairs:
        assert numpy.asarray(got).dtype == numpy.asarray(wanted).dtype
        numpy.testing.assert_allclose(numpy.asarray(got), wanted, rtol=1e-6, atol=1e-12)
    with pytest.raises(ValueError, match="unique"):
        ours.fft.fftn(np.array(X), axes=(0, 0))
    with pytest.raises(TypeError, match="real sequence"):
        ours.fft.rfft(np.array(COMPLEX))


def test_errors_are_scipys():
    with pytest.raises(ValueError, match="in1 and in2 should have the same dimensionality"):
        ours.signal.fftconvolve(np.array(X), np.arange(3.0))


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("places", ["none", "one axis", "all axes", "equal"])
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64", "uint8", "float32"])
def test_simpson(count, places, dtype):
    y = (100 * RNG.random(size=(3, count, 2))).astype(dtype)
    x = numpy.sort(RNG.random((3, count, 2)), axis=1) if places == "all axes" else numpy.sort(RNG.random(count))
    if places == "equal" and count > 2:
        x[1] = x[0]
    given = {} if places == "none" else {"x": x}
    expected = scipy.integrate.simpson(y, axis=1, dx=0.3, **given)
    result = ours.integrate.simpson(np.array(y), axis=1, dx=0.3, **{key: np.array(one) for key, one in given.items()})
    assert numpy.asarray(result).dtype == numpy.asarray(expected).dtype
    tolerance = 1e-4 if dtype == "float32" else 1e-10
    numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=tolerance, atol=tolerance)
    line = ours.integrate.simpson(np.array(y[0, :, 0]))
    assert numpy.asarray(line).dtype == numpy.asarray(scipy.integrate.simpson(y[0, :, 0])).dtype
    numpy.testing.assert_allclose(line, scipy.integrate.simpson(y[0, :, 0]), rtol=tolerance, atol=tolerance)


def test_simpson_refuses_what_does_not_fit():
    for x in (numpy.zeros(5), numpy.zeros((1, 2, 3))):
        with pytest.raises(ValueError, match="simpson: x has"):
            ours.integrate.simpson(np.arange(4.0), x=x)
    with pytest.raises(IndexError, match="no samples"):
        ours.integrate.simpson(np.zeros(0))


def test_a_program_that_imports_scipy_first():
    text = (
        "import numpy, scipy.stats, scipy.signal, tessera.numpy as np, tessera.scipy.stats as stats, tessera.scipy.fft as fft\n"
        "x = np.arange(8.0)\n"
        "assert 'tessera' in type(stats.zscore(x)).__module__ and 'tessera' in type(fft.rfft(x)).__module__\n"
        "assert isinstance(scipy.stats.zscore(numpy.arange(8.0)), numpy.ndarray)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
