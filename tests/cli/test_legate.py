"""tessera run --legate: the driver's options, LEGATE_CONFIG, and the modules that Legate's programs import."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tessera.cli import arguments, environment, legate_options

ROOT = Path(__file__).resolve().parents[2]

STENCIL = """
import cunumeric as np
def run(N=120, I=20):
    grid = np.zeros((N + 2, N + 2)); grid[:, 0] = -273.15; grid[:, -1] = -273.15; grid[-1, :] = -273.15; grid[0, :] = 40.0
    center = grid[1:-1, 1:-1]; north = grid[0:-2, 1:-1]; east = grid[1:-1, 2:]; west = grid[1:-1, 0:-2]; south = grid[2:, 1:-1]
    for i in range(I):
        average = center + north + east + west + south; average = 0.2 * average; center[:] = average
    return float(grid.sum())
print(repr(run()))
"""

MODULES = """
import sys
import cupynumeric as np, cupynumeric.linalg, cupynumeric.random as random
from cupynumeric.settings import settings
from legate.core import TaskTarget, get_legate_runtime, get_machine, track_provenance, Scope
from legate.timing import time
from legate.util.benchmark import benchmark_log
from legate.util.info import info
import legate.timing
assert np.__name__ == "cupynumeric" and "tessera" in type(np.ones(3)).__module__
assert cupynumeric.linalg.norm(np.ones(4)) == 2 and random.rand(2).shape == (2,)
x = np.arange(9).reshape(3, 3); x.stencil_hint([1, 1], high_offsets=(1, 1))
begin = time(); get_legate_runtime().issue_execution_fence(block=True); assert time("ns") > 0 and time("us") >= begin
machine = get_machine(); assert machine.preferred_target == TaskTarget.CPU and machine.count(TaskTarget.GPU) == 0
with machine.only(TaskTarget.CPU), Scope("part"): pass
@track_provenance
def f(): return 3
assert f() == 3 and info()["Program versions"]["numpy"]
with benchmark_log("name", ["a", "b"]) as log: log.log(a=1, b=2)
for wrong in ("import legate.nothing", "import legate.core; legate.core.Store", "import cupynumeric.nothing", "time('s')",
              "x.stencil_hint([1], [1])", "log.log(a=1)"):
    try: exec(wrong)
    except (ImportError, AttributeError, ValueError) as error: print(error)
    else: raise SystemExit(wrong)
print(sys.argv[1:])
"""


def tessera(*words, **env):
    return subprocess.run(
        [sys.executable, "-m", "tessera", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "TESSERA_DEVICE": "cpu", **env},
    )


def options(*words, **variables):
    parsed = arguments.parse(["run", "--legate", *words, "prog.py", "--gpus", "7"])
    assert parsed.arguments == ["--gpus", "7"]
    return parsed


def test_a_program_runs_unedited_with_numpys_result(tmp_path):
    program = tmp_path / "stencil.py"
    program.write_text(STENCIL)
    done = tessera("run", "--legate", "--cpus", "2", program)
    assert done.returncode == 0, done.stderr
    space = {}
    exec(STENCIL.replace("cunumeric", "numpy").replace("print(repr(run()))", ""), space)
    assert abs(float(done.stdout) - space["run"]()) < 1e-9 * abs(float(done.stdout))


def test_the_modules_are_served(tmp_path):
    program = tmp_path / "modules.py"
    program.write_text(MODULES)
    done = tessera("run", "--legate", program, "--legate", "--cpus", LEGATE_CONFIG="--cpus 1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "['--legate', '--cpus']" and "1,2" in lines
    assert all(word in done.stdout for word in ("legate.nothing", "legate.core.Store is not there", "tessera.cuda.jit"))
    assert tessera("run", program).returncode != 0  # without --legate nothing is served


def test_processors_become_threads_and_devices():
    assert environment.settings(options("--cpus", "3")) == {"TESSERA_CPUS": "3"}
    assert environment.settings(options("--omps", "2", "--ompthreads", "3")) == {"TESSERA_CPUS": "6"}
    assert environment.settings(options("--omps", "2", "--cpus", "1", "--gpus", "0")) == {
        "TESSERA_CPUS": "9",
        "TESSERA_DEVICE": "cpu",
    }
    assert environment.settings(options("--gpus", "1"))["TESSERA_DEVICE"] == "gpu"
    assert environment.settings(options("--gpus", "4"))["TESSERA_DEVICE"] == "gpu:0-3"


def test_legates_variable_comes_before_the_words(monkeypatch):
    monkeypatch.setenv("LEGATE_CONFIG", "--cpus 1 --fbmem=1000 --logging 'a b'")
    found = options("--cpus", "2")
    assert (found.cpus, found.fbmem) == (2, 1000)
    assert legate_options.remarks(found) == ["--logging is not needed"]


@pytest.mark.parametrize("name", legate_options._NOT_NEEDED)
def test_options_that_reserve_and_bind_are_said_not_to_be_needed(name):
    assert legate_options.remarks(options(f"--{name}", "3")) == [f"--{name} is not needed"]


@pytest.mark.parametrize("name", legate_options._NOT_NEEDED_FLAGS)
def test_flags_that_do_nothing_here_are_said_not_to_be_needed(name):
    assert legate_options.remarks(options(f"--{name}")) == [f"--{name} is not needed"]


REFUSED = [
    (["--nodes", "2", "--launcher", "jsrun"], "mpirun and srun are"),
    (["--gpus", "-1"], "expected 0 or more"),
    (["--cpus", "x"], "--cpus"),
    (["--ompthreads", "0"], "expected 1 or more"),
    (["--sysmem", "many"], "expected a whole number"),
    (["--launcher", "ssh"], "choose from"),
    (["--nsys-extra", "x"], "without --nsys"),
    (["--nonsense"], "--nonsense"),
    *(([f"--{name}"], instead) for name, instead in legate_options._NOT_THERE.items()),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_not_there_is_refused_with_what_to_write_instead(words, message, capsys):
    with pytest.raises(SystemExit) as error:
        options(*words)
    assert error.value.code == 2 and message in capsys.readouterr().err


def test_memory_becomes_limits(tmp_path):
    program = tmp_path / "large.py"
    program.write_text("import cupynumeric as np\nx = np.ones(20_000_000)\nprint(x[0])\n")
    done = tessera("run", "--legate", "--sysmem", "100", program)
    assert done.returncode == 1 and "MemoryError" in done.stderr
    assert tessera("run", "--legate", "--sysmem", "100", "--numamem", "200", program).returncode == 0


def test_nsight_systems_runs_the_same_words(tmp_path):
    tool = tmp_path / "nsys"
    tool.write_text('#!/bin/sh\necho "$@"\n')
    tool.chmod(0o755)
    program = tmp_path / "p.py"
    program.write_text("")
    words = ("run", "--legate", "--nsys", "--nsys-extra=-t", "--nsys-extra", "cuda", "--cpus", "2", program, "--nsys")
    done = tessera(*words, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.stdout.split() == ["profile", "-t", "cuda", sys.executable, "-m", "tessera", "run"] + [
        *("--legate", "--cpus", "2", str(program), "--nsys")
    ]
    refused = tessera(*words, PATH=os.path.dirname(sys.executable))
    assert refused.returncode == 2 and "install NVIDIA Nsight Systems" in refused.stderr


def test_graphs_are_written_by_legates_flags(tmp_path):
    program = tmp_path / "stencil.py"
    program.write_text(STENCIL)
    done = tessera("run", "--legate", "--profile", "--log-dir", tmp_path, program)
    assert done.returncode == 0, done.stderr
    assert "add" in (tmp_path / "legate_profile.html").read_text()
    found = options("--dataflow", "--event", "--logdir", "there")
    assert (found.dataflow, found.event, found.profile_page) == (
        "there/legate_dataflow.svg",
        "there/legate_event.svg",
        None,
    )
    refused = tessera("run", "--dataflow", tmp_path / "none" / "x.svg", program)
    assert refused.returncode == 2 and "there is no folder" in refused.stderr
    refused = tessera("run", "--dataflow", tmp_path / "x.png", program)
    assert refused.returncode == 2 and ".svg, .dot or .html" in refused.stderr
