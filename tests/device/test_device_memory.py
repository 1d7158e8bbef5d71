"""Memory of a device at its limit: arrays move to the host and back, nothing is lost, and what fits nowhere says who has the memory."""

from __future__ import annotations

import gc
import threading
import warnings

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

DEVICES = ["simulated"] + (["gpu"] if _core.devices() else [])
MEBIBYTE = 1 << 20
COUNT = 1 << 19  # doubles: 4 MiB


@pytest.fixture(params=DEVICES)
def limit(request):
    """Runs on a device, and sets how many bytes of it may be in use above what is now."""
    where = request.param

    def set_limit(extra):
        _core.synchronize()
        gc.collect()
        _core.trim_memory(where)
        _core.set_memory_limit(_core.memory_statistics(where)["bytes_in_use"] + extra, where)
        _core.reset_counters()

    with tessera.device(where), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield set_limit
        _core.set_memory_limit(0, where)
        tessera.synchronize()


def test_arrays_take_turns_on_a_device_that_holds_a_few_of_them(limit):
    limit(20 * MEBIBYTE)
    arrays = [np.array(numpy.arange(k, COUNT + k, dtype=float)) for k in range(9)]
    for _ in range(3):
        for a in arrays:
            a += 1
            tessera.synchronize()
    counters = _core.counters()
    assert counters["device_spills"] > 0 and counters["device_fallbacks"] == 0
    for k, a in enumerate(arrays):
        assert numpy.array_equal(numpy.asarray(a), numpy.arange(k + 3, COUNT + k + 3, dtype=float))


def places(shape):
    return [row["where"] for row in _core.largest_arrays(100) if tuple(row["shape"]) == shape]


def test_what_was_used_longest_ago_leaves_first(limit):
    limit(20 * MEBIBYTE)
    first, second, third = (np.array(numpy.full((COUNT // n, n), float(n))) for n in (1, 2, 4))
    total = first.ravel() + third.ravel()
    tessera.synchronize()
    fourth, fifth = np.array(numpy.full(COUNT, 3.0)), np.array(numpy.full(COUNT, 4.0))
    assert places((COUNT // 2, 2)) == ["cpu"] and places((COUNT // 4, 4)) == [_core.device()]
    assert float((total + fourth + fifth)[7]) == 12 and float(second[0, 1]) == 2


def test_a_window_that_does_not_fit_runs_in_parts(limit):
    arrays = [np.array(numpy.full(COUNT, float(k))) for k in range(8)]
    limit(0)
    for a in arrays:
        a *= 2
    for k, a in enumerate(arrays):
        assert float(a[COUNT - 1]) == 2 * k
    assert _core.counters()["device_fallbacks"] == 0


def larger_than_the_device():
    """How many doubles fill twice what the device may hand out, which what others hold of it counts towards."""
    capacity = _core.memory_statistics(_core.device())["bytes_in_use"] + 10 * MEBIBYTE
    return 2 * capacity // 8 // 2048 * 2048


def test_arrays_larger_than_the_device_go_through_it(limit):
    limit(10 * MEBIBYTE)
    values = numpy.linspace(-1, 1, larger_than_the_device())

    def chain(xp):
        a = xp.array(values)
        b = xp.exp(a) * a + xp.sqrt(xp.abs(a))
        b[1::2] = a[::2] / 3.0  # between its elements are others
        plane = b.reshape(1024, -1)
        row = plane[5] * 2
        return [
            b,
            b.sum(),
            b.max(),
            plane.sum(axis=1),
            plane.sum(axis=0),
            plane[::-1, ::2] - row[::2],
            (plane.T * 1.5).T,
        ]

    with tessera.device("cpu"):
        expected = [numpy.asarray(result).copy() for result in chain(np)]
    results = chain(np)
    for result, other in zip(results, expected):
        assert numpy.asarray(result).tobytes() == other.tobytes()
    counters = _core.counters()
    assert counters["device_launches"] > 30 and counters["device_fallbacks"] == 0
    assert counters["bytes_to_device"] > 2 * values.nbytes


def test_arrays_go_through_what_others_leave_of_a_device(limit):
    limit(20 * MEBIBYTE)
    held = [(np.array(numpy.ones(6 * MEBIBYTE // 8)) * 2.0).__dlpack__() for _ in range(2)]
    values = numpy.linspace(-1, 1, 5 * MEBIBYTE // 8)
    array = np.array(values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = numpy.asarray(np.sqrt(array * array) + 1)
    assert numpy.array_equal(result, numpy.sqrt(values * values) + 1)
    assert _core.counters()["device_fallbacks"] == 0 and _core.counters()["bytes_to_device"] > values.nbytes
    del held


def test_events_of_arrays_that_go_through_a_device_are_heard(limit):
    limit(10 * MEBIBYTE)
    values = numpy.linspace(1, 2, larger_than_the_device())
    values[len(values) // 4 * 3] = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = 1.0 / np.array(values)
        assert float(result[0]) == 1.0
        tessera.synchronize()
    assert "divide by zero encountered in divide" in [str(w.message) for w in caught]


def test_a_row_that_is_larger_than_the_device_stays_on_the_host(limit):
    limit(10 * MEBIBYTE)
    values = numpy.linspace(0, 1, larger_than_the_device()).reshape(2, -1)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        result = np.sqrt(np.array(values)[:, :-1])
        assert numpy.array_equal(numpy.asarray(result), numpy.sqrt(values[:, :-1]))
    assert _core.counters()["device_fallbacks"] > 0


def test_a_write_in_place_that_does_not_fit_is_done_once(limit):
    a = np.array(numpy.zeros(2 * COUNT))
    b = np.array(numpy.ones(2 * COUNT))
    limit(2 * MEBIBYTE)
    for _ in range(5):
        a[:COUNT] += b[COUNT:]
        a[COUNT:] += a[:COUNT]
    assert float(a[0]) == 5 and float(a[COUNT]) == 15


def test_memory_error_lists_the_largest_arrays(limit):
    kept = np.ones((300, 2000)) + 1
    tessera.synchronize()
    with pytest.raises(MemoryError, match="Unable to allocate 7.28 TiB") as caught:
        np.ones((10**6, 10**6))
    table = "\n".join(caught.value.__notes__)
    assert "(300,2000) float64" in table.replace(", ", ",") and "test_device_memory.py:" in table
    assert float(kept[0, 0]) == 2


def test_on_the_host_too():
    with tessera.device("cpu"):
        lists_an_array_of_the_host()


def lists_an_array_of_the_host():
    kept = np.ones((500, 1500)) + 1
    _core.synchronize()
    rows = [row for row in _core.largest_arrays(1000) if tuple(row["shape"]) == (500, 1500)]
    assert rows and rows[0]["where"] == "cpu" and rows[0]["dtype"] == "float64" and rows[0]["nbytes"] == 6_000_000
    line = rows[0]["made_at"].rsplit(":", 1)
    assert line[0].endswith("test_device_memory.py") and int(line[1]) > 100
    kept[3] = 5
    kept += 1
    _core.synchronize()
    assert float(kept[3, 0]) == 6
    del kept
    assert not [row for row in _core.largest_arrays(1000) if tuple(row["shape"]) == (500, 1500)]


def test_copying_home_lets_other_threads_run(limit):
    a = np.array(numpy.ones(COUNT)) + 1
    tessera.synchronize()
    results = []

    def look():
        with tessera.device(_core.device()):
            results.append(float((a * 1).sum()))
            results.append(float(numpy.asarray(a * 2)[5]))

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [4.0] * 8 + [2.0 * COUNT] * 8


@pytest.mark.parametrize("where", ["cpu", *DEVICES])
def test_a_limit_below_nothing_is_refused(where):
    with pytest.raises(ValueError, match="-1"):
        _core.set_memory_limit(-1, where)
