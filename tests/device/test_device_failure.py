"""A device that fails: said once, with the work that may have failed and its lines; the host and its arrays go on."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def run(program: str, launch: int, **more: str) -> str:
    environment = os.environ | {"TESSERA_SIMULATED_FAILURE": str(launch), "TESSERA_DEVICE": "simulated"} | more
    head = "import numpy, tessera, tessera.numpy as np\nfrom tessera import _core; SIZE = 200_000\n"
    result = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(program)], capture_output=True, text=True, env=environment
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_failure_names_the_work_and_its_line_once():
    out = run(
        """
        a = np.array(numpy.ones(SIZE))
        b = np.sqrt(a)   # line 5
        tessera.synchronize()
        c = b * 2 + a    # line 7, fails
        try:
            float(c[0])
        except RuntimeError as error:
            print(error)
        tessera.synchronize()
        print("went on")
    """,
        launch=2,
    )
    assert "a kernel was made to fail" in out and out.count("made to fail") == 1
    assert "multiply of shape (200000,), float64, recorded at <string>:7" in out
    assert "sqrt" not in out and "TESSERA_DEVICE_WAIT" in out
    assert out.endswith("went on\n")


def test_a_lazy_scalar_names_its_line_when_it_is_looked_at():
    out = run(
        """
        a = np.array(numpy.ones(SIZE))
        total = a.sum()        # line 5, fails
        more = total * 2 + a   # no wait
        for look in (lambda: float(total), lambda: total > 1, lambda: float(total * 2), lambda: float(more[1])):
            try:
                look()
            except RuntimeError as error:
                print(str(error).split(chr(10))[0], "<string>:5" in str(error))
        print("went on")
    """,
        launch=1,
    )
    lines = out.splitlines()
    assert "made to fail" in lines[0] and lines[0].endswith("True") and all("lost" in line for line in lines[1:4]), out
    assert len(lines) == 5


def test_what_only_the_device_held_is_lost_and_nothing_else():
    out = run(
        """
        numbers = numpy.arange(float(SIZE))
        home, kept = np.array(numbers), np.array(numbers)
        numpy.array(kept)  # the host has it, too
        made = home * 2
        try:
            float(made[1])
        except RuntimeError as error:
            assert "made to fail" in str(error), error
        for lost in (made, home, made + 1, home * kept):
            for _ in range(2):
                try:
                    float(lost[1])
                except RuntimeError as error:
                    assert "lost" in str(error) and "(200000,)" in str(error), error
                else:
                    raise SystemExit("it was not lost")
        print(float((kept + 1)[1]), float((np.ones(SIZE) * 3).sum()), _core.device())
        kept += 1
        print(float(kept.sum()) == float((numbers + 1).sum()), _core.device_problem())
        with tessera.device("simulated"):
            print(float((np.ones(SIZE) + 1).sum()))
    """,
        launch=1,
    )
    assert (
        out
        == "2.0 600000.0 simulated\nTrue waiting for the simulated device failed: a kernel was made to fail\n400000.0\n"
    )


def test_waiting_for_every_op_names_the_one():
    out = run(
        """
        a = np.array(numpy.ones(SIZE))
        try:
            b = np.sqrt(a)
            c = b * 2
            d = c + 1
            tessera.synchronize()
        except RuntimeError as error:
            print(error)
    """,
        launch=2,
        TESSERA_DEVICE_WAIT="1",
    )
    assert "multiply" in out and "sqrt" not in out and "add" not in out and "TESSERA_DEVICE_WAIT" not in out


def test_a_loop_goes_on_from_what_the_host_saved():
    out = run(
        """
        state = np.array(numpy.zeros(SIZE))
        saved, turn = numpy.zeros(SIZE), 0
        while turn < 12:
            try:
                state = state + 1
                turn += 1
                if turn % 3 == 0:
                    saved, saved_turn = numpy.array(state), turn
            except RuntimeError:
                state, turn = np.array(saved), saved_turn
        print(float(state[5]), _core.counters()["device_windows"] < 12)
    """,
        launch=7,
    )
    assert out == "12.0 True\n"
