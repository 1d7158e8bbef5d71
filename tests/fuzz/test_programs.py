"""Random programs give NumPy's bits: `pytest tests/fuzz --programs 20000 --first-program 5000` runs more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_random_programs_give_numpys_bits(request):
    option = request.config.option
    # In a process of its own: a crash is a failure too, and NumPy words some errors by what it was asked before.
    command = [sys.executable, "-X", "faulthandler", Path(__file__).parent / "run.py"]
    result = subprocess.run(
        command + ["--programs", str(option.programs), "--seed", str(option.first_program)],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-3000:]
