"""`tessera run --explain=FILE`: the facts of a run as a history; the account of its time."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import tessera.numpy as np
from tessera.graphs import account, history

import tessera

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """import numpy
import tessera.numpy as np
source = numpy.ones((400, 400))
for _ in range(12):
    a = np.array(source)
    total = (a * 2.0 + 1.0).sum()
    b = np.sort(a, axis=1)
    print(float(total), float(b[0, 0]))
"""


def explain(folder, *options, where="auto:simulated", path="facts.txt"):
    program = folder / "prog.py"
    program.write_text(PROGRAM)
    return subprocess.run(
        [sys.executable, "-m", "tessera", "run", *options, f"--explain={folder / path}", str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "TESSERA_DEVICE": where},
    )


def words_of(text, what):
    return [line.split() for line in text.splitlines() if line.startswith(what + " ")]


def test_a_loop_is_written_once_with_what_it_used(tmp_path):
    done = explain(tmp_path)
    assert done.returncode == 0 and done.stdout.count("320000") + done.stdout.count("480000.0") == 12, done.stderr
    text = (tmp_path / "facts.txt").read_text()
    assert re.search(r"^facts to_device=\S+ to_host=\S+ ", text, re.M)
    assert re.search(r"^make a0 1280000 outside site=1$", text, re.M)
    assert re.search(r"^run sort\.\d reads=a\d writes=a\d:1280000$", text, re.M)
    assert re.search(r"^repeat \d+$", text, re.M) and len(text.splitlines()) < 90
    for _, _, *costs in words_of(text, "work"):
        found = dict(word.split("=") for word in costs)
        assert float(found["host"]) > 0 and float(found["device"]) > 0
        assert float(found.get("ran_host", found.get("ran_device", 0))) > 0
        assert int(found.get("set", 1)) > 0


def test_what_is_dropped_was_there(tmp_path):
    assert explain(tmp_path, "--cpus", "2", where="cpu").returncode == 0
    live = set()
    for line in (tmp_path / "facts.txt").read_text().splitlines():
        what, *words = line.split()
        if what == "make":
            live.add(words[0])
        elif what == "run":
            named = dict(word.split("=") for word in words[1:])
            assert set(filter(None, named.get("reads", "").split(","))) <= live
            live |= {word.split(":")[0] for word in named.get("writes", "").split(",") if word}
        elif what in ("read", "drop"):
            assert words[0] in live
            live -= {words[0]} if what == "drop" else set()
    assert not live


def test_a_place_that_cannot_be_written(tmp_path):
    done = explain(tmp_path, path="missing/facts.txt")
    assert done.returncode == 2 and "there is no folder" in done.stderr and done.stdout == ""


def test_without_a_file_the_table_comes_with_the_account(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "tessera", "run", "--explain", str(program), "--explain=no option of ours"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "TESSERA_DEVICE": "cpu"},
    )
    assert done.returncode == 0, done.stderr
    assert "prog.py:6" in done.stderr and re.search(r"account of .*running .*% stand in rows", done.stderr)


def test_rows_account_for_all_time():
    x = np.asarray(numpy.random.default_rng(1).random((500, 500)))
    with tessera.explain() as told:
        for _ in range(5):
            y = np.exp(x) * 2 + np.sort(x, axis=0)
            float(y.sum())
    found = account.account(told.trace)
    assert 0.97 <= found.share <= 1.03
    assert found.rows["running"] > 0 and found.rows["program"] < 0.5 * found.seconds
    for run in told.trace.runs:
        assert 0 < sum(run.rows) <= 1.05 * (run.end - run.begin) + 1e-4
        assert account.work_seconds(run) > 0


def test_work_of_a_device_is_measured_without_its_copies():
    costs = {}
    for where in ("cpu", "simulated"):
        with tessera.device(where), tessera.explain() as told:
            x = np.array(numpy.ones((300, 300)))
            float((x * 3.0).sum())
        history.measured(told.trace, costs)
        if where == "simulated":
            rows = [dict(zip(account.row_names(), run.rows)) for run in told.trace.runs]
            assert sum(row["copying"] for row in rows) >= 0
            assert account.account(told.trace).devices["simulated"] > 0
    assert any(set(of) == {False, True} for of in costs.values())
    text = history.text_of(told.trace, costs)
    assert "ran_host=" in text and "ran_device=" in text
