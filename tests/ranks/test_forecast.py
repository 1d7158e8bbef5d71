"""`tessera plan`: what places that are not there would do."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

STENCIL = """
import sys, tessera.numpy as np
g = np.zeros((1202, 1002)); g[0, :] = 40.0
for _ in range(12):
    g[1:-1, 1:-1] = 0.25 * (g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
print("sum", float(g.sum()), sys.argv[1:])
"""


def plan(tmp_path, *words, text=STENCIL):
    program = tmp_path / "prog.py"
    program.write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "tessera", "plan", str(program), *words], capture_output=True, text=True, timeout=120
    )


def efficiency(ended):
    assert ended.returncode == 0, ended.stderr
    return float(re.search(r"efficiency ([\d.]+)$", ended.stdout)[1])


def test_a_program_is_computed_once_and_forecast_for_many_places(tmp_path):
    ended = plan(tmp_path, "--places", "64", "--per-node", "8")
    assert "64 places, 8 on a node" in ended.stdout and "prog.py, line 5" in ended.stdout
    assert ended.stdout.startswith("sum ") and 0 < efficiency(ended) < 1
    alone = subprocess.run([sys.executable, tmp_path / "prog.py"], capture_output=True, text=True)
    assert ended.stdout.splitlines()[0] == alone.stdout.strip()


def test_one_place_sends_nothing(tmp_path):
    ended = plan(tmp_path, "--places", "1")
    assert "each of 0 sends has its receive" in ended.stdout


def test_more_places_are_less_efficient_and_slower_links_too(tmp_path):
    machine = tmp_path / "machine.json"
    machine.write_text(json.dumps({"between": {"latency": 1e-3}}))
    few, many = (efficiency(plan(tmp_path, "--places", count)) for count in ("4", "128"))
    assert many < few
    assert efficiency(plan(tmp_path, "--places", "128", "--machine", str(machine))) < many / 2


@pytest.mark.parametrize(
    "text, said",
    [("[]", "expected an object"), ('{"memory": 0}', "positive number"), ('{"memory": "x"}', "positive number"), ("{", "Expecting"),
     ('{"within": {"speed": 1}}', "latency, overhead and bandwidth"), ('{"links": 1}', "links")],
)  # fmt: skip
def test_machine_files_with_nonsense_are_refused(tmp_path, text, said):
    machine = tmp_path / "machine.json"
    machine.write_text(text)
    ended = plan(tmp_path, "--places", "4", "--machine", str(machine))
    assert ended.returncode == 2 and said in ended.stderr and ended.stdout == ""


def test_messages_are_those_of_ranks(tmp_path, run_ranks):
    # Of both, what neighbours exchange in the loop; a look adds its own.
    text = (
        STENCIL
        + "import tessera\ncounts = tessera.counters()\nif tessera.size() > 1: print(counts['copies_between_devices'], counts['bytes_between_devices'])\n"
    )
    forecast = plan(tmp_path, "--places", "3", text=text).stdout
    wanted = int(re.search(r"each of (\d+) sends", forecast)[1])
    said = run_ranks(3, text, "--output", "all", cut="auto").stdout
    ends = sum(int(line.split()[-2]) for line in said.splitlines() if "sum" not in line)
    assert ends == 2 * wanted


def test_a_program_without_large_arrays(tmp_path):
    ended = plan(tmp_path, "--places", "4", text="import tessera.numpy as np\nprint(np.arange(10).sum())\n")
    assert ended.returncode == 0 and "no array is cut" in ended.stdout
