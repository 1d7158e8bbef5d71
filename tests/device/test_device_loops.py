"""Loops on a device: where their work goes, turns queued as a whole, graphs that run again, programs that change."""

from __future__ import annotations

import time
import warnings

import numpy
import pytest
import tessera.numpy as np
from device_bits import SIZE, on_cpu, same_bits, where  # noqa: F401

import tessera
from tessera import _core


def relax(n, turns):
    grid = np.zeros((n, n))
    grid[0, :] = 40.0
    inner = grid[1:-1, 1:-1]
    for _ in range(turns):
        inner[:] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    return grid


@pytest.mark.parametrize("n, turns, moves", [(41, 300, False), (1500, 12, True)])
def test_work_goes_where_it_is_done_sooner(n, turns, moves):
    with tessera.device("auto:simulated"):
        assert _core.device() == "auto:simulated"
        tessera.synchronize()
        _core.reset_counters()
        grid = relax(n, turns)
        tessera.synchronize()
        counters = _core.counters()
        total = float(grid.sum())
    assert (counters.get("device_windows", 0) > 0) == moves
    if not moves:
        assert counters.get("copies_to_device", 0) == 0
    assert total == float(on_cpu(relax, n, turns).sum())


def test_a_choice_of_devices_is_the_host_where_there_is_none():
    with tessera.device("auto"):
        assert _core.device() == "auto"
        same_bits(relax(60, 5), on_cpu(relax, 60, 5))


def test_turns_that_change_nothing_are_no_launches(where):
    flags = np.ones((40, 40), bool)
    for turn in range(40):
        flags[turn % 24 : turn % 24 + 16] = flags[turn % 24 : turn % 24 + 16]
    assert flags.all()


def test_turns_of_a_loop_are_queued_as_a_whole(where):
    def program(turns=400):
        grid = np.zeros((60, 60))
        grid[0, :] = 40.0
        for turn in range(turns):
            grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
            grid[:, 0] = grid[:, 1] * 0.5
            grid[-1, :] = turn // 200  # another number after a while
        return grid

    tessera.synchronize()
    _core.reset_counters()
    result = program()
    tessera.synchronize()
    assert _core.counters()["device_replays"] > 5
    same_bits(result, on_cpu(program))


def test_events_of_replayed_work_are_heard_where_they_happened(where):
    def program(a, turns=300):
        for _ in range(turns):
            a[1:-1] = (a[2:] + a[:-2]) * 0.5
            a[0] = a[1] + 1.0
            a[-1] = a[-2] / 3.0
        return a

    def warnings_of(first):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            float(program(np.array(first)).sum())
            tessera.synchronize()
        return [str(w.message) for w in caught]

    quiet, loud = numpy.linspace(0, 1, 500), numpy.linspace(0, 1, 500)
    loud[250] = numpy.inf
    loud[254] = -numpy.inf
    for values in (quiet, loud, quiet, loud):
        messages = warnings_of(values)
        assert bool(messages) == (values is loud), messages
    assert set(messages) == {"invalid value encountered in add"}


def cavity_rounds(n, turns, edge=0.0):
    """The pressure rounds of a cavity flow: a stencil, its copy and four edges a turn."""
    p, b = np.zeros((n, n)), np.linspace(0.0, 1.0, n * n).reshape(n, n)
    for turn in range(turns):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, :-2]) * 0.3 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * 0.2) / 1.1 - 0.4 * b[
            1:-1, 1:-1
        ]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = edge * turn
    return p


@pytest.mark.parametrize("n", [60, 500])
def test_edges_of_a_plate_are_one_launch(where, n):
    turns = 60
    expected = on_cpu(cavity_rounds, n, turns)
    tessera.synchronize()
    _core.reset_counters()
    result = cavity_rounds(n, turns)
    tessera.synchronize()
    counters = _core.counters()
    same_bits(result, expected)
    # The stencil and its edges; before the loop is known they are more.
    assert counters["device_launches"] < 2.6 * turns


def test_replayed_work_gets_other_scalars(where):
    expected = on_cpu(cavity_rounds, 60, 300, 0.125)
    tessera.synchronize()
    _core.reset_counters()
    result = cavity_rounds(60, 300, 0.125)
    tessera.synchronize()
    same_bits(result, expected)
    assert _core.counters()["device_replays"] > 10


def copies_home(function):
    tessera.synchronize()
    before = _core.counters()["copies_from_device"]
    function()
    tessera.synchronize()
    return _core.counters()["copies_from_device"] - before


def test_element_writes_of_two_arrays_in_turn_bring_each_home_once(where):
    a, b = np.arange(SIZE) * 2.0, np.arange(SIZE) * 3.0

    def write(times):
        for k in range(times):
            a[k] = k + 0.5
            b[k] = k

    assert copies_home(lambda: write(32)) == 0
    assert copies_home(lambda: write(300)) == 2
    same_bits(a[:400], on_cpu(lambda: np.concatenate([np.arange(300) + 0.5, np.arange(300, 400) * 2.0])))


def test_one_element_written_between_computations_brings_nothing_home(where):
    a = np.arange(SIZE) * 2.0

    def turns():
        for k in range(100):
            a[k] = -k
            a[:] = a * 1.5 + 1
            tessera.synchronize()

    assert copies_home(turns) == 0


def test_loops_change_to_better_programs_and_keep_their_bits(where):
    def program(turns=300):
        a = np.linspace(0.0, 3.0, 20_001) * 1.5
        for turn in range(turns):
            a[1:-1] = np.minimum(a[2:] / 1.7, np.abs(a[:-2] - 0.3)) + a[1:-1] * 0.25
            a[:1] = a[7:8] + turn
            a[-1:] = np.sqrt(a[9:10] + 2.0)
            a[3:5] = a[11:13] * a[15:17]
            a[6:7] = np.sum(a[20:90])  # the simulated device maps all else, and begins with the better program there
        return a

    expected = on_cpu(program)
    tessera.synchronize()
    _core.reset_counters()
    for _ in range(3):  # what has been made is taken up at the next turn
        same_bits(program(), expected)
        time.sleep(0.1)
    if where == "simulated":
        assert _core.counters()["device_kernels_renewed"] > 0
        assert _core.counters()["device_replays"] > 10
