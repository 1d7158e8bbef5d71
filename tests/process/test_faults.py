"""The k-th allocation, launch, copy, compilation or cache file fails, for every k: only what needs it hears of that."""

from __future__ import annotations

import contextlib
import gc
import warnings

import numpy as np
import pytest
import tessera.numpy as tnp
from fault_programs import PROGRAMS, unrelated

import tessera
from tessera import _core

MEBIBYTE = 1 << 20


def same(actual, expected):
    actual, expected = np.asarray(actual), np.asarray(expected)
    return actual.dtype == expected.dtype and np.array_equal(actual, expected)


def read(array):
    """The array's elements, or the error that reading it raises."""
    try:
        return np.array(array)
    except (MemoryError, RuntimeError) as error:
        return error


def check_error(error, kind):
    text = "\n".join([str(error), *getattr(error, "__notes__", [])])
    if kind == "allocation":
        assert isinstance(error, MemoryError), repr(error)
    else:
        assert "simulated device failed" in text, text
    return text


def run_with_fault(program, kind, number, expected, lasting=False):
    """Runs the program with this fault, and checks what comes of it. Returns how many there could have been."""
    beside = list(unrelated(tnp))
    _core.inject_fault(kind, number, lasting)
    raised = None
    try:
        results = program(tnp)
        values = [read(result) for result in results]
    except (MemoryError, RuntimeError) as error:
        raised, results, values = error, [], []
    finally:
        count = _core.end_faults()
    if raised is not None:
        check_error(raised, kind)
    for result, value, wanted in zip(results, values, expected, strict=bool(results)):
        if isinstance(value, Exception):
            text = check_error(value, kind)
            # An error of a recorded operation names it and its line; one of copying what is read needs no more.
            if "\nin " in text:
                assert "recorded at" in text and ("fault_programs.py:" in text or "test_faults.py:" in text), text
            if "not tried again" not in text:
                assert same(result, wanted), (kind, number, text)
        else:
            assert same(value, wanted), (kind, number)
    for array, wanted in zip(beside, unrelated(np), strict=True):
        assert same(array, wanted), (kind, number)
    return count


@contextlib.contextmanager
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(params=["cpu", "simulated"])
def device(request):
    with tessera.device(request.param):
        yield request.param


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fault_stays_where_it_is(name, device):
    program = PROGRAMS[name]
    expected = [np.array(value) for value in program(np)]
    kinds = (
        ["allocation", "compilation", "file"] if device == "cpu" else ["allocation", "launch", "copy", "compilation"]
    )
    with quiet():
        for kind in kinds:
            run_with_fault(program, kind, 0, expected)  # makes what is made once
            count = run_with_fault(program, kind, 0, expected)
            _core.synchronize()
            gc.collect()
            before = _core.memory_statistics()["bytes_in_use"]
            for number in range(1, count + 1):
                run_with_fault(program, kind, number, expected)
                run_with_fault(program, kind, number, expected, lasting=True)
            assert all(same(value, wanted) for value, wanted in zip(program(tnp), expected, strict=True))
            _core.synchronize()
            gc.collect()
            assert _core.memory_statistics()["bytes_in_use"] <= before + MEBIBYTE, kind


def test_kinds_of_faults_have_names():
    with pytest.raises(ValueError, match="inject_fault: the kind is 'allocation'"):
        _core.inject_fault("flood", 1)


def test_a_kernel_that_could_not_be_compiled_is_tried_again():
    x = tnp.arange(50_000.0)
    with tessera.device("simulated"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _core.inject_fault("compilation", 1, True)
        launches = []
        for _ in range(3):
            _core.reset_counters()
            assert float((x * 3.8125 - 11.5)[7]) == 7 * 3.8125 - 11.5
            launches.append(_core.counters()["device_launches"])
            _core.end_faults()
    assert launches[0] == 0 and launches[1:] == [1, 1]
