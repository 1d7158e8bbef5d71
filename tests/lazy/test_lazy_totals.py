"""The look at a lazy total tells what happened in its fold."""

from __future__ import annotations

import warnings

import numpy
import pytest
import tessera.numpy as np
from device_bits import SIZE, where  # noqa: F401
from lazy_scalars import lazy, on_device

import tessera


def caught_by(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning]


def test_reading_a_total_warns_of_what_happened_in_the_reduction(where):
    for values, words in (
        ([1e308] * 9, "overflow"),
        ([numpy.inf, -numpy.inf], "invalid value"),
        ([numpy.inf], None),
        ([numpy.nan, 1.0], None),
    ):
        host = numpy.zeros(SIZE)
        host[: len(values)] = values
        array = on_device(host)
        view = array[::1]

        def program():
            total = array.sum()
            part = view.sum()
            return float(total), float(part)

        _, told = caught_by(program)
        line = program.__code__.co_firstlineno
        expected = (
            [(f"{words} encountered in reduce", line + 1), (f"{words} encountered in reduce", line + 2)]
            if words
            else []
        )
        assert told == expected, (values, told)


def overwritten(array, times):
    for k in range(times):
        array[:] = np.full(SIZE, float(k))
        tessera.synchronize()


def changed_at_home(array, _):
    assert array[:2].tolist() == [0, 0] and float(array[0]) == 0
    numpy.asarray(array)
    array[3] = 0.0


@pytest.mark.parametrize("change", [overwritten, changed_at_home])
def test_a_total_asks_only_what_it_was_made_of(where, change):
    host = numpy.zeros(SIZE)
    host[3] = numpy.inf
    for times in range(1, 8):
        array = on_device(host)
        tessera.synchronize()
        total = array.sum()
        tessera.synchronize()
        change(array, times)
        # Not in a block, which would ask at its beginning.
        assert caught_by_filters(lambda: float(total)) == [], times


def caught_by_filters(call):
    told = []
    show, warnings.showwarning = warnings.showwarning, lambda message, *_, **__: told.append(str(message))
    try:
        call()
    finally:
        warnings.showwarning = show
    return told


def test_events_follow_the_errstate(where):
    array = on_device(numpy.full(SIZE, 1e308))
    with np.errstate(over="ignore"):
        total = array.sum()
    assert caught_by(lambda: float(total)) == (numpy.inf, [])
    with pytest.raises(FloatingPointError), np.errstate(over="raise"):
        array.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            array.sum()
    assert caught_by(lambda: float(lazy(3.0) / 0.0))[1][0][0] == "divide by zero encountered in divide"


def test_a_block_hears_of_its_own_totals(where):
    array = on_device(numpy.full(SIZE, 1e308))
    total, told = caught_by(array.sum)
    assert [text for text, _ in told] == ["overflow encountered in reduce"] and total == numpy.inf
    kept = [array.sum() for _ in range(200)]
    with np.errstate(over="ignore"):
        kept += [array.prod() for _ in range(3)]
    assert caught_by(lambda: [float(k) for k in kept])[1][0][0] == "overflow encountered in reduce"
