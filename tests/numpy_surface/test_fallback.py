"""What the engine lacks runs in NumPy: warned once a call site, counted, forbidden when asked."""

import warnings

import numpy
import pytest
import tessera.numpy as tnp

import tessera
from tessera import _fallback


@pytest.fixture(autouse=True)
def fresh():
    mode = tessera.fallback_mode()
    _fallback.reset_fallback_statistics()
    yield
    tessera.set_fallback_mode(mode)


def bmat():
    return tnp.fliplr(numpy.array([["a", "b"]]))


def test_warns_once_per_call_site_and_counts():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            result = bmat()
        bmat_elsewhere = tnp.fliplr(numpy.array([["a", "b"]]))
    assert [w.category for w in caught] == [tessera.FallbackWarning] * 2
    assert "numpy.fliplr" in str(caught[0].message) and "string arrays stay NumPy arrays" in str(caught[0].message)
    assert caught[0].filename == __file__ and "TESSERA_FALLBACK" in str(caught[0].message)
    assert type(result) is numpy.ndarray and bmat_elsewhere.tolist() == [["b", "a"]]
    record = tessera.fallback_statistics()["fliplr"]
    assert record.calls == 4 and record.seconds > 0 and len(record.sites) == 2


def test_results_come_back_as_tessera_arrays():
    tessera.set_fallback_mode("silent")
    result = _fallback.call("fliplr", (tnp.arange(6).reshape(2, 3),), None, "a test")
    assert isinstance(result, tnp.ndarray) and result.tolist() == [[2, 1, 0], [5, 4, 3]]


def test_out_is_the_array_that_was_given():
    tessera.set_fallback_mode("silent")
    out = tnp.zeros(3)
    assert _fallback.call("add", ([1, 2, 3], 1.5), {"out": out}, "a test") is out
    assert out.tolist() == [2.5, 3.5, 4.5]


def test_views_stay_views():
    tessera.set_fallback_mode("silent")
    a = tnp.zeros((2, 2))
    _fallback.call("transpose", (a,), None, "a test")[0, 1] = 5
    assert a[1, 0] == 5


def test_error_mode_forbids():
    tessera.set_fallback_mode("error")
    with pytest.raises(tessera.FallbackError, match="numpy.busday_count"):
        tnp.busday_count("2011-01", "2011-02")
    with pytest.raises(ValueError, match="fallback mode"):
        tessera.set_fallback_mode("loud")


def test_missing_names_are_served():
    with pytest.warns(tessera.FallbackWarning, match="datetime"):
        assert tnp.busday_count("2011-01", "2011-02") == 21
    assert tnp.matrix is numpy.matrix and tnp.polynomial.Polynomial is numpy.polynomial.Polynomial
    with pytest.warns(tessera.FallbackWarning, match="polynomial.polynomial.polyval"):
        assert isinstance(tnp.polynomial.polynomial.polyval(tnp.arange(3.0), [1, 2]), tnp.ndarray)
    with pytest.raises(AttributeError):
        tnp.no_such_name  # noqa: B018
    with pytest.raises(AttributeError):
        tnp.float_  # noqa: B018


def test_every_public_name_is_there():
    assert not [name for name in numpy.__all__ if name not in dir(tnp) or not hasattr(tnp, name)]
    assert set(tnp.__all__) >= set(numpy.__all__)


def test_foreign_dtypes_stay_numpys():
    for value in (
        ["a", "b"],
        [object()],
        numpy.array(["2020-01-01"], "M8[D]"),
        numpy.zeros(2, [("x", int)]),
        numpy.zeros(2, numpy.longdouble),
    ):
        assert type(tnp.asarray(value)) is numpy.ndarray
    with pytest.warns(tessera.FallbackWarning):
        assert type(tnp.zeros(3, dtype=object)) is numpy.ndarray
    with pytest.warns(tessera.FallbackWarning):
        assert tnp.sort(numpy.array(["b", "a"])).tolist() == ["a", "b"]


def test_subclasses_keep_their_meaning():
    tessera.set_fallback_mode("silent")
    masked = numpy.ma.array([1.0, 2, 3], mask=[0, 1, 0])
    assert tnp.sum(masked) == 4
    assert isinstance(tnp.flip(masked), numpy.ma.MaskedArray)


def test_numpy_functions_called_with_tessera_arrays():
    a = tnp.arange(6.0).reshape(2, 3)
    assert isinstance(numpy.flip(a), tnp.ndarray)
    assert isinstance(numpy.concatenate([a, a]), tnp.ndarray)
    assert isinstance(numpy.lib.stride_tricks.sliding_window_view(a, 2, axis=1), tnp.ndarray)
    assert numpy.mean(a) == 2.5
