"""`tessera run --profile`: a page of one file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """import tessera.numpy as np
grid = np.ones((300, 300))
for _ in range(20):
    average = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])  # <&>
    grid[1:-1, 1:-1] = average
print(float(grid.sum()))
"""


def profile(folder, text, path="page.html"):
    program = folder / "a&b.py"
    program.write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "tessera", "run", "--profile", str(folder / path), str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )


def test_lines_and_what_ran_when(tmp_path):
    done = profile(tmp_path, PROGRAM)
    assert done.returncode == 0 and done.stdout == "90000.0\n", done.stderr
    page = (tmp_path / "page.html").read_text()
    assert "average = 0.25 * (grid" in page and "&lt;&amp;&gt;" in page and "Profile of a&amp;b.py" in page
    assert page.count("<rect") >= 1 and "<script" not in page and "http://" not in page.replace("http://www.w3.org", "")


def test_a_program_that_records_nothing(tmp_path):
    done = profile(tmp_path, "print('small')\n")
    assert done.returncode == 0 and done.stdout == "small\n"
    assert "Nothing ran that was recorded" in (tmp_path / "page.html").read_text()


def test_a_place_that_cannot_be_written(tmp_path):
    done = profile(tmp_path, PROGRAM, "missing/page.html")
    assert done.returncode == 2 and "there is no folder" in done.stderr and done.stdout == ""


READS = """import tessera.numpy as np
x = np.ones(200_000)
total = 0.0
for k in range(40):
    total += float(x[k])
    x = x * 0.999 + 0.001
m = np.ma.array([1, 2, 3])
print(total > 0)
"""


def test_advice_memory_and_events(tmp_path):
    done = profile(tmp_path, READS)
    assert done.returncode == 0 and done.stdout == "True\n", done.stderr
    page = (tmp_path / "page.html").read_text()
    advice = re.search(r'<section id="advice">.*?</section>', page, re.S)[0]
    assert re.search(r"a&amp;b\.py:5: elements were read (39|40) times", advice) and "masked arrays are NumPy" in advice
    assert 'id="timeline"' in page and re.search(r'id="memory">.*<td>cpu</td><td>[\d.]+ [kM]B', page, re.S)
    events = json.loads((tmp_path / "page.json").read_text())["traceEvents"]
    runs = [event for event in events if event["ph"] == "X"]
    assert len(runs) >= 39 and all(run["dur"] >= 0 and run["ts"] >= 0 for run in runs)
    assert {event["args"]["name"] for event in events if event["name"] == "thread_name"} == {"cpu"}


def test_a_program_without_faults_gets_no_advice(tmp_path):
    assert profile(tmp_path, "import tessera.numpy as np\nprint(float(np.ones(5000).sum()))\n").returncode == 0
    assert "Nothing stands out" in (tmp_path / "page.html").read_text()
