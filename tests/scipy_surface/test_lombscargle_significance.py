"""Frequency grids and false-alarm levels against stored results of astropy 8.0's LombScargle (tests/data)."""

import json
import math
from pathlib import Path

import numpy
import pytest
import tessera.numpy as np
from tessera.scipy import signal

import tessera

pytestmark = pytest.mark.filterwarnings("ignore:matmul and its like run on the host")

STORED = json.loads((Path(__file__).resolve().parents[1] / "data" / "astropy_lombscargle.json").read_text())
X, Y, DY = (numpy.array(STORED[name]) for name in ("x", "y", "dy"))
CASES = {f"{c['method']} {c['normalization']} {'weights' if c['with_dy'] else ''}": c for c in STORED["cases"]}


@pytest.fixture(params=["cpu", "simulated"])
def where(request):
    with tessera.device(request.param):
        yield request.param


def options(case):
    found = {
        "weights": DY**-2 if case["with_dy"] else None,
        "maximum_frequency": 2 * math.pi,
        "normalization": case["normalization"],
        "method": case["method"],
    }
    return {**found, "n_bootstraps": 50, "random_seed": 3} if case["method"] == "bootstrap" else found


@pytest.mark.parametrize("keywords", STORED["grid"])
def test_frequencies_are_astropys(keywords):
    count, first, last = STORED["grid"][keywords]
    given = {
        key: value * 2 * math.pi if key.endswith("frequency") else value for key, value in json.loads(keywords).items()
    }
    found = numpy.asarray(signal.lombscargle_frequencies(X, **given)) / (2 * math.pi)
    assert found.size == count
    numpy.testing.assert_allclose([found[0], found[-1]], [first, last], rtol=1e-13)


@pytest.mark.parametrize("name", STORED["power"])
def test_powers_are_astropys(where, name):
    with_dy, normalization = name.split()
    weights = DY**-2 if with_dy == "True" else None
    freqs = 2 * math.pi * numpy.array(STORED["freqs"])
    power = signal.lombscargle(X, Y, freqs, weights=weights, floating_mean=True, normalize=True)
    power = {"standard": power, "model": power / (1 - power), "log": -np.log1p(-power)}[normalization]
    numpy.testing.assert_allclose(numpy.asarray(power), STORED["power"][name], rtol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_probabilities_and_levels_are_astropys(where, name):
    case = CASES[name]
    # astropy's bootstrap takes approximate periodograms, and its root finder stops early where the bound is flat.
    is_bootstrap = case["method"] == "bootstrap"
    found = signal.lombscargle_false_alarm_probability(case["z"], X, Y, **options(case))
    numpy.testing.assert_allclose(
        numpy.asarray(found), case["probability"], rtol=1e-10, atol=0.021 if is_bootstrap else 0
    )
    levels = signal.lombscargle_false_alarm_level(case["p"], X, Y, **options(case))
    numpy.testing.assert_allclose(numpy.asarray(levels), case["level"], rtol=0.02 if is_bootstrap else 1e-6)


def test_levels_have_their_probabilities():
    for method in ("single", "naive", "davies", "baluev"):
        for p in (0.3, 1e-3, 1e-9):
            given = {"maximum_frequency": 5.0, "method": method}
            level = signal.lombscargle_false_alarm_level(p, X, Y, **given)
            assert numpy.shape(level) == ()
            assert abs(signal.lombscargle_false_alarm_probability(level, X, Y, **given) / p - 1) < 1e-8


def test_times_far_from_zero_have_the_same_level():
    given = {"maximum_frequency": 5.0}
    x = numpy.round(X * 64) / 64
    near = signal.lombscargle_false_alarm_level(0.01, x, Y, **given)
    assert abs(signal.lombscargle_false_alarm_level(0.01, x + 2.0**21, Y, **given) / near - 1) < 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: signal.lombscargle_frequencies([1.0]), "two times"),
        (lambda: signal.lombscargle_frequencies([1.0, 1.0]), "span 0"),
        (lambda: signal.lombscargle_frequencies(X, samples_per_peak=0), "must be positive"),
        (
            lambda: signal.lombscargle_frequencies(X, minimum_frequency=3, maximum_frequency=1),
            "raise maximum_frequency",
        ),
        (lambda: signal.lombscargle_false_alarm_level(0.1, X, Y, maximum_frequency=1, method="guess"), "'guess'"),
        (
            lambda: signal.lombscargle_false_alarm_level(0.1, X, Y, maximum_frequency=1, normalization="x"),
            "there are standard",
        ),
        (lambda: signal.lombscargle_false_alarm_level(1.5, X, Y, maximum_frequency=1), "between 0 and 1"),
        (lambda: signal.lombscargle_false_alarm_level(0.1, X[:3], Y[:3], maximum_frequency=1), "four points"),
        (
            lambda: signal.lombscargle_false_alarm_level(
                0.1, X, Y, maximum_frequency=1, method="bootstrap", n_bootstraps=0
            ),
            "must be positive",
        ),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
