"""Programs that run on several processes: each test launches real ones, through the MPI of this environment."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tessera.cli.ranks import finding

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def absolute_path(monkeypatch):
    """Programs run in folders of their own, where a relative PYTHONPATH finds nothing."""
    given = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "python"), *given]))


@pytest.fixture(scope="session")
def mpi():
    """The MPI that is used; skips where there is none."""
    try:
        return finding.find(os.environ)
    except finding.NoMpi as missing:
        pytest.skip(str(missing))


@pytest.fixture
def run_ranks(mpi, tmp_path):
    """run_ranks(count, text, *options, cut="always", timeout=120, arguments=(), **env): the ended process; without an option or
    a variable that says otherwise ranks compute on their cores."""

    def run(count, text, *options, cut="always", timeout=120, arguments=(), **env):
        program = tmp_path / "prog.py"
        program.write_text(textwrap.dedent(text))
        command = [sys.executable, "-m", "tessera", "run", "--ranks-per-node", str(count), *options, str(program)]
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, "TESSERA_CUT": cut, "TESSERA_DEVICE": "cpu", **env},
            cwd=tmp_path,
        )

    return run
