"""Loops in which ranks exchange before several steps and run some of each other's rows: the bits of one process."""

from __future__ import annotations

import os
import subprocess
import sys

LOOPS = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import tessera, tessera.numpy as np
from random_loops import Loop
from tessera import _core
_core.options(wave_bytes=60_000)
for seed in range(int(sys.argv[2]), int(sys.argv[3])):
    got = Loop(seed).run(np)
    print(seed, hashlib.sha256(b"".join(str((v.dtype, v.shape)).encode() + v.tobytes() for v in got)).hexdigest())
"""
STENCIL = """
import tessera.numpy as np
from tessera import _core
_core.options(wave_bytes=60_000)
grid = np.arange(400.0 * 300).reshape(400, 300) % 17
before = _core.counters()
for _ in range(64):
    grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
total = float(grid.sum())
now = _core.counters()
print(total.hex(), now["waves"] - before["waves"] > 0, now["copies_between_devices"] - before["copies_between_devices"])
"""


def test_random_loops_have_the_bits_of_one_process(run_ranks, tmp_path):
    arguments = [os.path.dirname(os.path.dirname(__file__)), "0", "60"]
    program = tmp_path / "alone.py"
    program.write_text(LOOPS)
    alone = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, timeout=120)
    assert alone.returncode == 0, alone.stderr
    for count, threads in ((2, "1"), (3, "1"), (2, "3")):
        ended = run_ranks(count, LOOPS, "--cpus", threads, arguments=arguments)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout == alone.stdout


def test_a_stencil_exchanges_once_for_many_steps_and_runs_them_as_a_wave(run_ranks, tmp_path):
    program = tmp_path / "alone.py"
    program.write_text(STENCIL)
    alone = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    ended = run_ranks(2, STENCIL)
    assert ended.returncode == 0, ended.stderr
    total, has_waves, messages = ended.stdout.split()
    assert total == alone.stdout.split()[0]
    assert has_waves == "True"
    assert int(messages) < 2 * 64 / 4


def test_what_is_put_together_from_cut_arrays_stays_cut(run_ranks):
    text = """
        import numpy, tessera, tessera.numpy as np
        a = np.arange(240000.0).reshape(400, 600) % 11
        b = np.concatenate([a[:, 5:], a[:, :5]], axis=1) + np.roll(a, 3, 0) * np.vstack([a[7:], a[:7]])
        c = np.hstack([b, np.stack([a, b])[1]]) + 1.0
        d = np.append(c, c[:3], axis=0)
        tessera.synchronize()
        print(tessera.counters()["bytes_from_device"], float(d.sum()), numpy.asarray(d[::7, ::11]).sum())
    """
    alone, ranks = (run_ranks(count, text).stdout.split() for count in (1, 3))
    assert alone[1:] == ranks[1:]
    assert int(ranks[0]) == 0
