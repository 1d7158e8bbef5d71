"""Parts of a loop that do not need each other are queued side by side. The simulated device then runs the later ones first where
they may, so whatever does not wait for what it needs has other results than the host.
"""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np
from device_bits import on_cpu, same_bits, where  # noqa: F401

import tessera
from tessera import _core


def held_to_the_host(program, *args):
    expected = on_cpu(program, *args)
    tessera.synchronize()
    _core.reset_counters()
    result = program(*args)
    tessera.synchronize()
    same_bits(result, expected)
    assert _core.counters()["device_replays"] > 10


def joined(arrays):
    return np.concatenate([array.ravel() for array in arrays])


def tables(count, rows=150):
    return [np.array(numpy.linspace(-2, 2, rows * (20 + 3 * k)).reshape(rows, 20 + 3 * k)) for k in range(count)]


def softmaxes(count, turns=400):
    """Chains of four launches for each table, with temporaries of their own."""
    kept = tables(count)
    for _ in range(turns):
        for k, table in enumerate(kept):
            e = np.exp(table - table.max(axis=1, keepdims=True))
            kept[k] = 0.5 * table + 0.5 * (e / e.sum(axis=1, keepdims=True))
    return joined(kept)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_chains_that_share_nothing(where, count):
    held_to_the_host(softmaxes, count)


def test_chains_of_one_size_take_over_memory_of_each_other(where):
    def program(turns=400):
        kept = [np.array(numpy.linspace(-2, 2, 4900).reshape(70, 70)) * (k + 1.0) for k in range(6)]
        for _ in range(turns):
            for k, table in enumerate(kept):
                e = table - table.mean(axis=k % 2, keepdims=True)
                kept[k] = e / (1.0 + np.abs(e).sum(axis=k % 2, keepdims=True))
        return joined(kept)

    held_to_the_host(program)


def test_what_one_chain_writes_another_reads(where):
    def program(turns=400):
        a, b, c = tables(3)
        for _ in range(turns):
            low = a.min(axis=1)
            b[:, 0] = low
            c *= 0.5
            c[:, 1] = b.sum(axis=1)
            a[:, 2] = c.max(axis=1) - low
            b[:, 3:5] = a[:, 7:9] * 0.5
            c[:, 4] = a[:, 2] + b[:, 3]
        return joined([a, b, c])

    held_to_the_host(program)


def test_parts_of_one_array_are_written_apart(where):
    def program(turns=400):
        a = np.array(numpy.linspace(0, 1, 40 * 150).reshape(40, 150))
        sums = np.zeros((4, 150))
        for turn in range(turns):
            for k in range(4):
                sums[k] = a[10 * k : 10 * k + 10].sum(axis=0) * 0.05
            a[:20] = a[:20] * 0.5 + sums[2]
            a[20:] = a[20:] * 0.25 + sums[0] + turn
            a[5:35:2, 3] = sums[1, :15]
            a[6:36:2, 3] = sums[3, 15:30]
        return joined([a, sums])

    held_to_the_host(program)


def test_full_folds_of_many_arrays(where):
    def program(turns=300):
        kept = [np.array(numpy.linspace(0.5, 1.5, 9_000 + 1_111 * k)) for k in range(4)]
        for _ in range(turns):
            kept = [x * 0.5 + x.reshape(1, -1).sum(axis=1) / x.size * 0.5 for x in kept]
        return joined(kept)

    held_to_the_host(program)


def test_scalars_change_beside_each_other(where):
    def program(turns=400):
        kept = tables(4)
        for turn in range(turns):
            for k, table in enumerate(kept):
                kept[k] = table * 0.9 + (table.sum(axis=0) + turn * 0.125) * (0.01 * k)
        return joined(kept)

    held_to_the_host(program)
