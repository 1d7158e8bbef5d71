"""`tessera run --profile`: a page of one file."""

import os
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
