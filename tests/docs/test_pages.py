"""The Python blocks of README, CONTRIBUTING and docs/ run in order, page by page, each page in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sybil")

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
PAGES = sorted(path for path in TEXTS if "```python" in path.read_text())
UNCHECKED = re.compile(r"```(?:py|Python|python3|pycon)\b")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run_in_order(page, tmp_path):
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT / "python"), "TESSERA_FALLBACK": "warn"}
    done = subprocess.run(
        [sys.executable, str(HERE / "run_page.py"), str(page)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-6000:]


def test_every_block_of_python_is_looked_at():
    """Blocks of Python are marked `python`, the one word that is looked for."""
    odd = [str(path) for path in TEXTS if UNCHECKED.search(path.read_text())]
    assert odd == []
