"""A program may end while daemon threads are at work: they stop where they are, and the process ends as it would."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys, threading, time
import numpy, tessera, tessera.numpy as np

@tessera.jit
def f(x):
    return x + 1

started = threading.Barrier(4)

def work(kind):
    if kind == "jit":
        f(np.ones(100_000))
    elif kind == "sum":
        float((np.ones(100_000) * 2).sum())
    elif kind == "sort":
        numpy.asarray(np.sort(np.ones(100_000)[::-1]))
    else:
        a = np.ones(100_000)
        a[::2] = a[1::2]
        tessera.synchronize()

def go(kind):
    work(kind)
    started.wait()
    while True:
        work(kind)

for _ in range(3):
    threading.Thread(target=go, args=(sys.argv[1],), daemon=True).start()
started.wait()
time.sleep(0.1)
print("done")
"""


@pytest.mark.parametrize("device", ["cpu", "simulated"])
@pytest.mark.parametrize("kind", ["jit", "sum", "sort", "write"])
def test_a_program_ends_beside_daemon_threads(tmp_path, kind, device):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    ended = subprocess.run(
        [sys.executable, program, kind],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "TESSERA_DEVICE": device},
    )
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr
