"""tessera.scipy.signal.lombscargle against SciPy: options, dtypes, devices, corners, batches."""

import itertools
import warnings

import numpy
import pytest
import scipy.signal
import tessera.numpy as np
from tessera.scipy import signal

import tessera

pytestmark = pytest.mark.filterwarnings("ignore:matmul and its like run on the host")

OPTIONS = [
    {"normalize": normalize, "floating_mean": floating, **({"weights": None} if weighted else {})}
    for normalize, floating, weighted in itertools.product(
        (False, True, "power", "normalize", "amplitude"), (False, True), (False, True)
    )
]


@pytest.fixture(params=["cpu", "simulated"])
def where(request):
    with tessera.device(request.param):
        yield request.param


def record(count, seed=1, span=80.0):
    """Times, values with a cycle of 1.7 radians per unit and weights."""
    random = numpy.random.default_rng(seed)
    x = numpy.sort(random.uniform(-0.3 * span, 0.7 * span, count))
    return x, numpy.sin(1.7 * x) + 0.3 * random.standard_normal(count) + 0.2, random.uniform(0.1, 2, count)


GRIDS = {
    "linspace": numpy.linspace(0.05, 5, 173),
    "arange": 0.05 + 0.03 * numpy.arange(64),
    "falling": numpy.linspace(4, 0.1, 90),
    "two sided": numpy.linspace(-3, 3, 101),  # with 0
    "geometric": numpy.geomspace(0.05, 5, 77),
    "few": numpy.linspace(0.5, 3, 5),
}


def distance(actual, expected):
    return numpy.linalg.norm(numpy.asarray(actual) - expected) / numpy.linalg.norm(expected)


def with_weights(options, weights):
    return {**options, "weights": weights} if "weights" in options else options


@pytest.mark.parametrize("grid", GRIDS)
def test_every_option_gives_scipys_result(where, grid):
    x, y, weights = record(47)
    for options in OPTIONS:
        options = with_weights(options, weights)
        actual = signal.lombscargle(x, y, GRIDS[grid], **options)
        expected = scipy.signal.lombscargle(x, y, GRIDS[grid], **options)
        assert isinstance(actual, np.ndarray) and actual.dtype == expected.dtype and actual.shape == expected.shape
        regular = slice(None)
        if grid == "two sided":  # near 0 the fit is ill-conditioned, and at 0 with a mean undetermined
            regular = numpy.abs(GRIDS[grid]) > 0.1
        assert distance(actual[regular], expected[regular]) < 1e-12, options


@pytest.mark.parametrize("grid", GRIDS)
def test_float32_gives_float32(where, grid):
    x, y, weights, freqs = (v.astype(numpy.float32) for v in (*record(47), GRIDS[grid]))
    for options in OPTIONS:
        options = with_weights(options, weights)
        actual = signal.lombscargle(x, y, freqs, **options)
        wide = {k: v if k != "weights" else v.astype(float) for k, v in options.items()}
        expected = scipy.signal.lombscargle(x.astype(float), y.astype(float), freqs.astype(float), **wide)
        assert actual.dtype == (numpy.complex64 if options["normalize"] == "amplitude" else numpy.float32)
        regular = numpy.abs(freqs) > 0.1
        assert distance(actual[regular], expected[regular]) < 1e-5, options


def test_mixed_precision_gives_float64():
    x, y, _ = record(20)
    assert signal.lombscargle(x.astype("f4"), y, [0.5, 1.0]).dtype == numpy.float64
    assert signal.lombscargle(x.astype("f4"), y.astype("f4"), numpy.array([0.5, 1.0])).dtype == numpy.float64
    assert signal.lombscargle([0, 1, 3], [1, 2, 0], [1, 2]).dtype == numpy.float64


def test_times_far_from_zero_keep_their_phases(where):
    """Against the same record moved to 0: what SciPy loses there is not lost."""
    x = numpy.sort(numpy.random.default_rng(3).integers(0, 4000, 60)) / 64  # exact, with the offset added as well
    y = numpy.cos(1.3 * x)
    for freqs in (GRIDS["linspace"], GRIDS["geometric"]):
        for floating in (False, True):
            expected = scipy.signal.lombscargle(x, y, freqs, floating_mean=floating)
            assert distance(signal.lombscargle(x + 2.0**21, y, freqs, floating_mean=floating), expected) < 1e-12


def test_the_amplitude_has_the_phase_of_the_given_times(where):
    x = numpy.sort(numpy.random.default_rng(3).uniform(50, 90, 60))
    freqs = numpy.linspace(1.0, 3.0, 41)
    amplitude = signal.lombscargle(x, 2 * numpy.cos(1.5 * x) + 0.5 * numpy.sin(1.5 * x), freqs, normalize="amplitude")
    assert abs(complex(amplitude[10]) - (2 + 0.5j)) < 1e-12


@pytest.mark.parametrize("count", [1, 2])
def test_records_of_one_and_two_points(where, count):
    x, y = numpy.array([0.5, 2.0])[:count], numpy.array([1.0, -0.25])[:count]
    for freqs, normalize in itertools.product((GRIDS["linspace"], GRIDS["geometric"]), (False, True)):
        actual = signal.lombscargle(x, y, freqs, normalize=normalize)
        expected = scipy.signal.lombscargle(x, y, freqs, normalize=normalize)
        # A frequency at which cosine and sine nearly are one function leaves the fit to rounding.
        assert numpy.median(numpy.abs(numpy.asarray(actual) - expected)) < 1e-12


def test_equal_times(where):
    x, y = numpy.full(6, 0.75), numpy.array([1.0, 2, 3, 4, 5, 9])
    for freqs in (GRIDS["linspace"], GRIDS["geometric"]):
        expected = scipy.signal.lombscargle(x, y, freqs)
        numpy.testing.assert_allclose(numpy.asarray(signal.lombscargle(x, y, freqs)), expected, rtol=1e-10)


def test_frequency_zero_and_negative_ones(where):
    x, y, _ = record(33)
    freqs = numpy.array([0.0, -1.7, 1.7])
    for normalize in (False, True, "amplitude"):
        actual = numpy.asarray(signal.lombscargle(x, y, freqs, normalize=normalize))
        numpy.testing.assert_allclose(actual, scipy.signal.lombscargle(x, y, freqs, normalize=normalize), rtol=1e-11)


@pytest.mark.parametrize("bad", ["x", "y"])
def test_nan_in_a_record_is_in_every_result(where, bad):
    x, y, _ = record(20)
    (x if bad == "x" else y)[3] = numpy.nan
    for freqs in (GRIDS["linspace"], GRIDS["geometric"]):
        assert numpy.isnan(numpy.asarray(signal.lombscargle(x, y, freqs))).all()


def test_nan_among_the_frequencies_is_in_its_result_only(where):
    x, y, _ = record(20)
    freqs = GRIDS["linspace"].copy()
    freqs[7] = numpy.nan
    actual = numpy.asarray(signal.lombscargle(x, y, freqs))
    assert list(numpy.flatnonzero(numpy.isnan(actual))) == [7]
    expected = scipy.signal.lombscargle(x, y, freqs)
    assert distance(numpy.delete(actual, 7), numpy.delete(expected, 7)) < 1e-12


def test_points_of_weight_zero_do_not_count(where):
    x, y, weights = record(40)
    weights[::3] = 0
    keep = weights > 0
    for freqs in (GRIDS["linspace"], GRIDS["geometric"]):
        actual = signal.lombscargle(x, y, freqs, weights=weights, normalize=True)
        expected = scipy.signal.lombscargle(x[keep], y[keep], freqs, weights=weights[keep], normalize=True)
        assert distance(actual, expected) < 1e-12


def test_huge_phases_are_rounded_once(where):
    """SciPy rounds them twice, so the fit itself is the reference."""
    x, y, _ = record(30)
    freqs = numpy.geomspace(1e9, 1e11, 9)
    columns = numpy.stack([numpy.cos(freqs[:, None] * x), numpy.sin(freqs[:, None] * x)], axis=2)
    expected = [(each @ numpy.linalg.lstsq(each, y)[0]) @ y / 2 for each in columns]
    assert distance(signal.lombscargle(x, y, freqs), numpy.array(expected)) < 1e-12


def test_strided_and_recorded_operands(where):
    x, y, weights = record(41)
    freqs = GRIDS["geometric"]
    expected = scipy.signal.lombscargle(x[::-2], y[::-2], freqs[::3], weights=weights[::-2])
    ours = [np.asarray(v) for v in (x, y, weights, freqs)]
    recorded = [v * 1.0 + 0.0 for v in ours]
    for a, b, w, f in (ours, recorded):
        assert distance(signal.lombscargle(a[::-2], b[::-2], f[::3], weights=w[::-2]), expected) < 1e-12
    before = [numpy.asarray(v).copy() for v in ours]
    signal.lombscargle(*ours[:2], ours[3], floating_mean=True, weights=ours[2])
    assert all(numpy.array_equal(numpy.asarray(v), kept) for v, kept in zip(ours, before))


def test_one_frequency_gives_what_scipy_gives():
    x, y, _ = record(12)
    for normalize in (False, "amplitude"):
        actual = signal.lombscargle(x, y, [1.7], normalize=normalize)
        expected = scipy.signal.lombscargle(x, y, [1.7], normalize=normalize)
        assert numpy.shape(actual) == numpy.shape(expected) == ()
        assert abs(actual - expected) < 1e-12 * abs(expected)


def test_precenter_warns_and_subtracts_the_mean():
    x, y, weights = record(25)
    with pytest.warns(DeprecationWarning, match="precenter"):
        actual = signal.lombscargle(x, y, GRIDS["few"], precenter=True, weights=weights)
    assert distance(actual, scipy.signal.lombscargle(x, y - y.mean(), GRIDS["few"], weights=weights)) < 1e-12


LENGTHS = [3, 40, 17, 41, 1, 39, 90, 16]


# The variation of a single point about its mean is 0.
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("grid", ["linspace", "geometric"])
@pytest.mark.parametrize("normalize", [False, True, "amplitude"])
def test_a_batch_gives_each_series_its_own_result(where, grid, normalize):
    series = [record(count, seed=count, span=30.0 + count) for count in LENGTHS]
    x, y, weights = (numpy.concatenate([each[k] for each in series]) for k in range(3))
    offsets = numpy.concatenate([[0], numpy.cumsum(LENGTHS)])
    own_grids = numpy.array([GRIDS[grid] * (1 + 0.1 * k) for k in range(len(LENGTHS))])
    for freqs, options in itertools.product((GRIDS[grid], own_grids), OPTIONS):
        if options["normalize"] != normalize:
            continue
        got = numpy.asarray(signal.lombscargle(x, y, freqs, offsets=offsets, **with_weights(options, weights)))
        assert got.shape == (len(LENGTHS), GRIDS[grid].size)
        for k, (own_x, own_y, own_weights) in enumerate(series):
            if own_x.size < 10:
                continue  # ill-conditioned: compared with the single call below
            own_freqs = freqs if freqs.ndim == 1 else freqs[k]
            expected = scipy.signal.lombscargle(own_x, own_y, own_freqs, **with_weights(options, own_weights))
            assert distance(got[k], expected) < 1e-11, (k, options)


def test_a_batch_of_one_point_series_is_finite_and_that_of_the_single_call(where):
    x, y = numpy.array([1.0, 2.0, 5.0]), numpy.array([1.0, 3.0, -2.0])
    got = signal.lombscargle(x, y, GRIDS["geometric"], offsets=[0, 1, 3])
    for k, part in enumerate((slice(0, 1), slice(1, 3))):
        numpy.testing.assert_array_equal(
            numpy.asarray(got[k]), numpy.asarray(signal.lombscargle(x[part], y[part], GRIDS["geometric"]))
        )


def test_the_direct_kernel_gives_the_same_bits_on_every_device():
    x, y, weights = record(60)
    results = []
    for name in ("cpu", "simulated"):
        with tessera.device(name):
            for dtype in ("f8", "f4"):
                args = [v.astype(dtype) for v in (x, y, GRIDS["geometric"])]
                results.append(numpy.asarray(signal.lombscargle(*args, floating_mean=True)).tobytes())
    assert results[:2] == results[2:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": numpy.ones((2, 2))}, "1-D arrays of equal non-zero length"),
        ({"y": numpy.ones(3)}, "1-D arrays of equal non-zero length"),
        ({"x": [], "y": []}, "1-D arrays of equal non-zero length"),
        ({"weights": numpy.ones(3)}, "1-D arrays of equal non-zero length"),
        ({"freqs": []}, "freqs must be a 1-D array"),
        ({"freqs": numpy.ones((2, 2))}, "freqs must be a 1-D array"),
        ({"weights": [1, 1, -1, 1]}, "non-negative entries"),
        ({"weights": [0, 0, 0, 0]}, "positive value"),
        ({"weights": [1, numpy.nan, 1, 1]}, "non-negative entries"),
        ({"normalize": "psd"}, "got 'psd'"),
        ({"offsets": [0, 2, 2, 4]}, "series 1 is 2:2"),
        ({"offsets": [0, 5]}, "offsets go from 0 to 5"),
        ({"offsets": [0.0, 4.0]}, "two integers"),
        ({"offsets": [0, 2, 4], "freqs": numpy.ones((3, 2))}, "3 rows for 2 series"),
    ],
)
def test_errors_say_what_is_wrong(change, message):
    arguments = {"x": [0.0, 1, 2, 4], "y": [1.0, 2, 1, 0], "freqs": [1.0, 2.0], **change}
    with pytest.raises(ValueError, match=message):
        signal.lombscargle(**arguments)


def test_other_names_of_the_module_run_in_scipy_and_say_so():
    with pytest.warns(tessera.FallbackWarning, match="scipy.signal.detrend"):
        flat = signal.detrend(np.arange(5.0))
    assert isinstance(flat, np.ndarray) and numpy.abs(numpy.asarray(flat)).max() < 1e-12
    with pytest.warns(tessera.FallbackWarning, match="scipy.signal.windows.hann"):
        assert isinstance(signal.windows.hann(5), np.ndarray)
    with pytest.raises(AttributeError, match="no_such_name"):
        signal.no_such_name  # noqa: B018


def test_the_native_call_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        signal.lombscargle(*record(30)[:2], GRIDS["linspace"])
        signal.lombscargle(*record(30)[:2], GRIDS["geometric"])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("grid", ["uniform", "uneven"])
@pytest.mark.parametrize("options", [{}, {"normalize": "amplitude", "floating_mean": True}], ids=["power", "amplitude"])
def test_what_is_compiled_in_advance_is_what_is_launched(dtype, grid, options):
    from tessera.scipy.signal import _compilation, _direct, _fit, _frequencies, _uniform

    fit = _fit.Fit(bool(options), bool(options))
    with tessera.device("simulated"):
        x, y, freqs = (
            np.asarray(v.astype(dtype))
            for v in (*record(40)[:2], numpy.linspace(0.5, 8, 64) ** (1 + (grid != "uniform")))
        )
        _compilation._begun.clear()
        signal.lombscargle(x, y, freqs, **options)
    if grid == "uniform" and dtype == "float64":
        kernels = [_uniform.matrices_kernel("double", fit.floating), _uniform.join_kernel(fit)]
    else:
        kernels = [_direct.single_kernel(fit, False) if dtype == "float32" else _direct.kernel("double", fit, False)]
    for kernel in (*kernels, _frequencies.distances_kernel()):
        outs = {kinds[-1].dtype.dtype for kinds in kernel._specialised}
        assert len(kernel._specialised) == len(outs), "a launch had other types than were compiled"


@pytest.mark.parametrize("level", [0.1, 7.3, -1e5, 1e30, 0.0])
@pytest.mark.parametrize("count", [3, 64])
def test_a_constant_series_has_no_variation_to_explain(level, count):
    x = numpy.sort(numpy.random.default_rng(0).random(180) * 50)
    freqs = numpy.linspace(0.02, 1.0, count)
    for weights in (None, numpy.random.default_rng(1).random(180)):
        for values in (numpy.full(180, level), numpy.full(180, level, "float32")):
            power = signal.lombscargle(x, values, freqs, weights=weights, floating_mean=True, normalize=True)
            assert numpy.isnan(numpy.asarray(power)).all()
            plain = numpy.asarray(signal.lombscargle(x, values, freqs, weights=weights, floating_mean=True))
            assert (plain == 0).all()


def test_a_series_keeps_its_variation_beside_its_level():
    x = numpy.arange(40.0)
    freqs = numpy.linspace(0.1, 1.0, 7)
    small = numpy.round(numpy.random.default_rng(2).random(40) * 2**10) / 2**20
    for level in (2.0**20, -(2.0**24)):
        power = signal.lombscargle(x, small + level, freqs, floating_mean=True, normalize=True)
        expected = signal.lombscargle(x, small, freqs, floating_mean=True, normalize=True)
        numpy.testing.assert_allclose(power, expected, rtol=1e-9)
        assert (numpy.asarray(power) <= 1).all()


def test_constant_series_of_a_batch():
    x = numpy.concatenate([numpy.arange(5.0), numpy.arange(9.0)])
    y = numpy.concatenate([numpy.full(5, 0.1), numpy.sin(numpy.arange(9.0))])
    power = numpy.asarray(signal.lombscargle(x, y, [0.3, 0.9], floating_mean=True, normalize=True, offsets=[0, 5, 14]))
    assert numpy.isnan(power[0]).all()
    expected = scipy.signal.lombscargle(x[5:], y[5:], numpy.array([0.3, 0.9]), floating_mean=True, normalize=True)
    numpy.testing.assert_allclose(power[1], expected, rtol=1e-10)
