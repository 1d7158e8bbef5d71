"""Loops over small arrays run beside the program: whatever looks, writes or exports must see what NumPy would."""

import os
import threading
import warnings

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core


def relax(xp, steps, look=lambda turn, p: None, n=41):
    p = xp.zeros((n, n))
    b = xp.ones((n, n)) * 0.25
    p[0, :] = 1.0
    for turn in range(steps):
        pn = p.copy()
        p[1:-1, 1:-1] = (pn[1:-1, 2:] + pn[1:-1, :-2] + pn[2:, 1:-1] + pn[:-2, 1:-1]) / 4 - b[1:-1, 1:-1] * 0.01
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
        look(turn, p)
    return p


@pytest.fixture(params=[1, 2, 3])
def threads(request):
    before = _core.cpus()
    _core.set_cpus(request.param)
    yield request.param
    _core.set_cpus(before)


def test_a_long_loop_gives_numpys_bits(threads):
    assert numpy.array_equal(relax(np, 500).to_numpy(), relax(numpy, 500))


def test_looking_now_and_then_sees_every_turn(threads):
    def watch(seen):
        return lambda turn, p: seen.append(float(p[3, turn % 41])) if turn % 37 == 5 else None

    ours, theirs = [], []
    relax(np, 400, watch(ours))
    relax(numpy, 400, watch(theirs))
    assert ours == theirs


def test_writing_elements_between_turns(threads):
    def poke(turn, p):
        if turn % 29 == 3:
            p[5, turn % 41] = turn

    assert numpy.array_equal(relax(np, 400, poke).to_numpy(), relax(numpy, 400, poke))


def test_exported_memory_follows_the_loop(threads):
    grid = np.zeros((50, 50))
    for _ in range(100):
        grid[1:-1, 1:-1] = grid[1:-1, 1:-1] + 1.0
    shared = numpy.asarray(grid)
    assert shared[25, 25] == 100
    for _ in range(100):
        grid[1:-1, 1:-1] = grid[1:-1, 1:-1] + 1.0
        assert shared[25, 25] == grid[25, 25]
    assert shared[25, 25] == 200


def test_warnings_of_a_loop_arrive_at_the_look(threads):
    a = np.ones((40, 40))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2000):
            a = a * 2.0
            a = a + 0.0
            a = a * 1.0
        assert numpy.isinf(a[3, 3])
    assert any("overflow encountered in multiply" in str(w.message) for w in caught)


def test_copies_and_deleted_names(threads):
    def program(xp):
        a = xp.arange(1600.0).reshape(40, 40)
        kept = []
        for turn in range(300):
            b = a * 0.5
            c = b + a[::-1]
            if turn % 50 == 7:
                kept.append(a.copy())
            a = c - b
            a[:, 0] = turn
            del b, c
        return [numpy.asarray(k) for k in [*kept, a]]

    for ours, theirs in zip(program(np), program(numpy), strict=True):
        assert numpy.array_equal(ours, theirs)


def test_several_threads_loop_at_once(threads):
    want = relax(numpy, 200)
    got = [None] * 4

    def work(k):
        got[k] = relax(np, 200).to_numpy()

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert all(numpy.array_equal(g, want) for g in got)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_in_the_middle_of_a_loop():
    want = relax(numpy, 300)

    def split(turn, p):
        if turn != 150:
            return
        nonlocal child
        child = os.fork()

    child, same = -1, False
    try:
        # A child has no GPU: what only one had could not be read there.
        with warnings.catch_warnings(), tessera.device("cpu"):
            warnings.simplefilter("ignore", DeprecationWarning)
            same = numpy.array_equal(relax(np, 300, split).to_numpy(), want)
    finally:
        if child == 0:  # in no case does it go on with pytest's work
            os._exit(0 if same else 1)
    assert same
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
