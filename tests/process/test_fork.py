"""fork() with work pending, kernels compiling and other threads running: both sides go on."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import textwrap

import tessera.numpy as tnp

from tessera import _core


def in_child(body):
    """What `body` returns in a forked child, as text."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(write, str(body()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


def test_both_sides_see_work_that_was_pending():
    a = tnp.arange(200_000.0)
    b = a * 2 + 1
    a[:10] = -1
    assert in_child(lambda: (float(b[100_000]), float(a.sum()), float((b * 2)[7]))) == str(
        (200_001.0, float(sum(range(10, 200_000))) - 10, 30.0)
    )
    assert float(b[100_000]) == 200_001.0
    assert float(a[5]) == -1


def test_a_child_has_threads_of_its_own():
    before = _core.cpus()
    _core.set_cpus(3)
    try:
        a = tnp.ones(1_000_000)
        assert float((tnp.exp(a) * 0 + a).sum()) == 1_000_000
        for _ in range(3):
            assert in_child(lambda: float((tnp.sqrt(a) + a).sum())) == "2000000.0"
            assert float((tnp.sqrt(a) + a * 2).sum()) == 3_000_000
    finally:
        _core.set_cpus(before)


def test_a_child_of_a_child():
    a = tnp.arange(100_000.0) + 1
    assert in_child(lambda: in_child(lambda: float((a * 2)[99_999]))) == "200000.0"


def test_a_pool_of_forked_processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(work, range(6)) == [work(k) for k in range(6)]


def work(k):
    return float((tnp.arange(50_000.0) * k + 1).sum())


def test_fork_while_kernels_compile_and_threads_compute():
    program = """
        import os, threading
        import tessera.numpy as np
        from tessera import _core

        _core.options(cache_folder="")
        _core.set_cpus(2)
        done = threading.Event()
        wrong = []
        shared = np.arange(300_000.0)

        def compute(k):
            while not done.is_set():
                a = shared * k + 1
                a[1:-1] = (a[:-2] + a[2:]) / 2
                if float(a[7]) != 7 * k + 1 or float(a.sum()) <= 0:
                    wrong.append(k)

        threads = [threading.Thread(target=compute, args=(k,)) for k in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for turn in range(25):
            pending = shared + turn
            for j in range(turn % 5):
                pending = pending * 2 - shared  # kernels that nobody has compiled yet
            expected = float(turn) * 2 ** (turn % 5) + 9
            child = os.fork()
            if child == 0:
                good = float(pending[9]) == expected and float((shared * 2).sum()) == 299_999 * 300_000.0
                os._exit(0 if good else 3)
            status = os.waitpid(child, 0)[1]
            assert status == 0, (turn, status)
            assert float(pending[9]) == expected
        done.set()
        for thread in threads:
            thread.join()
        assert not wrong
        print("done")
    """
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120
    )
    assert result.stdout == "done\n", result.stderr
