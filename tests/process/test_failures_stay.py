"""A recorded operation that fails takes with it what needs its value, and nothing else."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera
from tessera import _core

SIZE = 1 << 20


@pytest.fixture
def limit():
    """Sets how many bytes may be in use above what is now."""

    def set_limit(extra):
        _core.synchronize()
        _core.trim_memory()
        _core.set_memory_limit(_core.memory_statistics()["bytes_in_use"] + extra)

    yield set_limit
    _core.set_memory_limit(0)


@pytest.fixture(params=["cpu", "simulated"])
def device(request):
    with tessera.device(request.param):
        yield request.param


def test_other_work_goes_on_and_the_value_comes_once_there_is_memory(device, limit):
    row, column = tnp.ones(SIZE), tnp.ones((8, 1))
    small = tnp.arange(3000.0)
    limit(SIZE)
    huge = row + column
    needs_it = huge[0, :5] * 2
    other = small * 2 + 1
    for _ in range(3):
        with pytest.raises(
            MemoryError, match=r"Unable to allocate .* for an array with shape \(8, 1048576\)"
        ) as caught:
            np.asarray(needs_it)
        assert np.array_equal(np.asarray(other), np.arange(3000.0) * 2 + 1)
        assert float((small + 1).sum()) == 3000 * 2999 / 2 + 3000
    notes = "\n".join(caught.value.__notes__)
    assert "in add of shape (8,1048576), recorded at" in notes and "test_failures_stay.py:" in notes
    _core.set_memory_limit(0)
    assert np.asarray(needs_it).tolist() == [4.0] * 5
    assert float(huge[7, 9]) == 2


def test_what_is_dropped_takes_its_operations_and_their_operands_along(limit):
    row, column = tnp.ones(SIZE), tnp.ones((8, 1))
    kept = tnp.ones(SIZE) + 1
    limit(4096)
    huge = row + column
    sums = huge.sum(axis=0)
    with pytest.raises(MemoryError):
        np.asarray(huge)
    del row, huge
    gc.collect()
    before = _core.memory_statistics()["bytes_in_use"]
    del sums
    assert _core.memory_statistics()["bytes_in_use"] <= before - 8 * SIZE  # `row` was kept for another try
    _core.set_memory_limit(0)
    assert float(kept.sum()) == 2 * SIZE


def test_an_operand_that_is_written_later_keeps_its_old_elements_for_the_next_try(device, limit):
    row, column = tnp.arange(float(SIZE)), tnp.ones((8, 1))
    _core.synchronize()
    limit(40 * SIZE)
    huge = row + column
    with pytest.raises(MemoryError):
        np.asarray(huge)
    row[:100] = -1.0
    row += 1
    assert float(row[3]) == 0 and float(row[200]) == 201
    _core.set_memory_limit(0)
    assert np.array_equal(np.asarray(huge[5]), np.arange(float(SIZE)) + 1)


def test_a_call_of_a_routine_fails_alone(device, limit):
    values = tnp.arange(float(SIZE))[::-1] * 1.0
    small = tnp.arange(5000.0)
    _core.synchronize()
    limit(SIZE)
    ordered = tnp.sort(values)
    shown = ordered[:3] + 0.5
    other = tnp.sort(small[::-1] * 1.0)
    assert float(other[17]) == 17
    with pytest.raises(MemoryError):
        np.asarray(shown)
    _core.set_memory_limit(0)
    assert np.asarray(shown).tolist() == [0.5, 1.5, 2.5]


def test_a_known_loop_goes_on_beside_what_failed(device, limit):
    row, column = tnp.ones(SIZE), tnp.ones((8, 1))
    x = tnp.arange(4000.0)
    expected = np.arange(4000.0)
    limit(SIZE)
    huge = row + column
    for _ in range(200):
        x = x * 0.5 + 1
        expected = expected * 0.5 + 1
    assert np.array_equal(np.asarray(x), expected)
    with pytest.raises(MemoryError):
        np.asarray(huge)


def test_a_write_into_shared_memory_that_fails_leaves_it_as_it_was(limit):
    array = tnp.ones(SIZE)
    shared = np.asarray(array)
    source = tnp.arange(float(2 * SIZE))[::2]
    _core.synchronize()
    limit(1024)
    with pytest.raises(MemoryError):
        array[:] = np.arange(3)[:, None].repeat(SIZE, 1).T.sum(axis=1) + source
    _core.set_memory_limit(0)
    assert shared[5] == 1 and float(array[5]) == 1
    array[:] = source
    assert shared[5] == 10
