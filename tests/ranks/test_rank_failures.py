"""What ends one rank ends all, soon, and is said once, with the rank, the line and what to do."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest

LOOP = """
import tessera, tessera.numpy as np, os, signal, sys, time
x = np.ones((500, 400))
for k in range(10_000):
    x = x * 0.5 + 1
    if k % 10 == 0: print(float(x.sum()), flush=True)
    if k == 40 and tessera.rank() == 1: {what}
"""


def left_over(folder):
    """Processes that still run a program of this folder."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if os.fsencode(str(folder)) in file.read():
                        found.append(int(name))
            except OSError:
                pass
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_killed_rank_is_named_and_ends_all(run_ranks, tmp_path, number):
    start, known = time.monotonic(), set(os.listdir("/dev/shm"))
    shared = "print(*[n for n in os.listdir('/dev/shm') if n.startswith('mpich')], file=sys.stderr)"
    ended = run_ranks(2, LOOP.format(what=f"{shared}; os.kill(os.getpid(), {int(number)})"))
    assert not set(ended.stderr.split()) & (set(os.listdir("/dev/shm")) - known)
    assert ended.returncode == 128 + number and time.monotonic() - start < 60
    assert re.search(rf"rank 1 of 2 on \S+ was ended by {number.name} \(signal {number:d}\)", ended.stderr)
    assert "prog.py, line" in ended.stderr and ended.stdout.startswith("300000.0\n")
    assert not left_over(tmp_path)


def test_kills_at_random_points(run_ranks, tmp_path):
    choose = random.Random(7)
    for count in (2, 3, 4):
        victim, at, pause = choose.randrange(count), choose.randrange(60), choose.random() * 0.01
        what = f"pass\n    if k == {at} and tessera.rank() == {victim}: time.sleep({pause}); os.kill(os.getpid(), 9)"
        start = time.monotonic()
        ended = run_ranks(count, LOOP.format(what=what))
        assert ended.returncode == 137 and time.monotonic() - start < 60
        assert f"rank {victim} of {count} on" in ended.stderr and "SIGKILL" in ended.stderr
        assert not left_over(tmp_path)


def test_an_exception_in_one_rank_is_told_once(run_ranks, tmp_path):
    ended = run_ranks(3, LOOP.format(what="raise ValueError('only here')"))
    assert ended.returncode == 1 and ended.stderr.count("Traceback") == 1 and 'prog.py", line 7' in ended.stderr
    assert re.search(r"ValueError: only here\ntessera: rank 1 of 3 on \S+ raised this first", ended.stderr)
    assert not left_over(tmp_path)


def test_an_exception_is_told_instead_of_the_difference_that_it_makes(run_ranks):
    ended = run_ranks(
        3,
        """
        import tessera, tessera.numpy as np
        x = np.ones((500, 400))
        for k in range(100):
            x = x * 0.5 + 1
            if k == 40 and tessera.rank() == 1: raise ValueError("too large")
        print(float(x.sum()))
        """,
    )
    assert ended.returncode == 1 and ended.stdout == ""
    assert "ValueError: too large" in ended.stderr and "do not do the same" not in ended.stderr
    assert ended.stderr.count("Traceback") == 1 and "rank 1 of 3 on" in ended.stderr


def test_a_report_says_how_each_rank_ended(run_ranks, tmp_path):
    what = "print('seen by nobody', file=sys.stderr); raise ValueError('too large')"
    ended = run_ranks(2, LOOP.format(what=what))
    (report,) = tmp_path.glob("tessera-ranks-*.txt")
    assert f"how each rank ended: {report}" in ended.stderr
    text = report.read_text()
    assert "Ended by rank 1: ValueError: too large" in text
    assert "rank 0 of 2 on" in text and "rank 1 of 2 on" in text
    assert "last at" in text and "prog.py, line" in text and "seen by nobody" in text

    chosen = tmp_path / "chosen.txt"
    run_ranks(2, LOOP.format(what="os.kill(os.getpid(), 9)"), TESSERA_REPORT=str(chosen))
    assert "ended by SIGKILL (signal 9)" in chosen.read_text()
    ended = run_ranks(2, LOOP.format(what="os.kill(os.getpid(), 9)"), TESSERA_REPORT="/nowhere/report.txt")
    assert "TESSERA_REPORT=/nowhere/report.txt: No such file or directory" in ended.stderr and ended.returncode == 137


def test_an_exception_in_all_ranks_is_that_of_one_process(run_ranks):
    text = "import tessera.numpy as np\nprint('before')\nnp.ones((1000, 10)) @ np.ones((1000, 10))\n"
    ended = run_ranks(3, text)
    assert ended.returncode == 1 and ended.stdout == "before\n" and ended.stderr.count("Traceback") == 1
    assert "tessera: rank" not in ended.stderr and ended.stderr.startswith("Traceback")


def test_exit_codes_are_those_of_one_process(run_ranks):
    for what, code, said in (("sys.exit(3)", 3, ""), ("sys.exit('words')", 1, "words\n"), ("sys.exit()", 0, "")):
        ended = run_ranks(2, f"import sys\nprint('out')\n{what}\n")
        assert (ended.returncode, ended.stdout, ended.stderr) == (code, "out\n", said)


def test_sys_exit_in_one_rank_ends_all(run_ranks):
    ended = run_ranks(2, LOOP.format(what="sys.exit(5)"))
    assert ended.returncode == 5 and "the end of the program with exit code 5" in ended.stderr


def test_a_rank_that_does_not_come_is_named_and_ends_at_the_deadline(run_ranks, tmp_path):
    start = time.monotonic()
    ended = run_ranks(2, LOOP.format(what="time.sleep(1000)"), "--deadline", "4", TESSERA_NOTICE="2")
    assert ended.returncode == 1 and time.monotonic() - start < 60
    assert re.search(
        r"rank 0 on \S+ has waited 2 s for rank 1 on \S+ to send \d+ bytes, for .*prog.py, line", ended.stderr
    )
    assert "TESSERA_DEADLINE, 4 s" in ended.stderr and not left_over(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_to_the_driver_end_all(mpi, tmp_path, number):
    program = tmp_path / "prog.py"
    program.write_text(LOOP.format(what="time.sleep(1000)"))
    driver = subprocess.Popen(
        [sys.executable, "-m", "tessera", "run", "--ranks-per-node", "2", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TESSERA_CUT": "always"},
    )
    assert driver.stdout.readline() == "300000.0\n"
    time.sleep(0.5)
    driver.send_signal(number)
    _, said = driver.communicate(timeout=20)
    assert driver.returncode == 128 + number and number.name in said
    time.sleep(0.3)
    assert not left_over(tmp_path)


def test_a_killed_driver_leaves_no_process(mpi, tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(LOOP.format(what="time.sleep(1000)"))
    driver = subprocess.Popen(
        [sys.executable, "-m", "tessera", "run", "--ranks-per-node", "2", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "TESSERA_CUT": "always"},
    )
    driver.stdout.readline()
    driver.kill()
    driver.wait(timeout=10)
    driver.stdout.close()
    deadline = time.monotonic() + 60
    while left_over(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left_over(tmp_path)
