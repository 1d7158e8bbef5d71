"""Type stubs: made from what is there, of every public name, and right for programs that were typed for NumPy."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "tessera"
PROGRAMS = sorted((ROOT / "tests" / "typing").glob("*.py"))
sys.path.insert(0, str(ROOT / "tools" / "stubs"))

import public_names  # noqa: E402


def pinned_versions_are_installed():
    pins = dict(
        line.split("==") for line in (ROOT / "tools" / "requirements.txt").read_text().splitlines() if "==" in line
    )
    return all(importlib.import_module(name).__version__ == pins[name] for name in ("numpy", "scipy"))


def stub_of(module):
    """The names that a module's stub declares; of a module that states its types itself, the source's."""
    parts = module.split(".")[1:]
    for path in (
        PACKAGE.joinpath(*parts, "__init__.pyi"),
        PACKAGE.joinpath(*parts).with_suffix(".pyi"),
        PACKAGE.joinpath(*parts).with_suffix(".py"),
    ):
        if path.exists():
            break
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names.update(
                each.asname for each in node.names if each.asname or path.suffix == ".py" and not names.add(each.name)
            )
    return names


def members_of(name):
    """The members of a class in the stub of the extension module."""
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


@pytest.mark.skipif(not pinned_versions_are_installed(), reason="other versions of NumPy or SciPy have other names")
def test_the_stubs_are_those_that_the_script_makes(tmp_path):
    """After a change of names, signatures or docstrings: make stubs."""
    subprocess.run([sys.executable, ROOT / "tools" / "make_stubs.py", "--folder", tmp_path], check=True)
    made = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.pyi")}
    kept = {path.relative_to(PACKAGE): path.read_text() for path in PACKAGE.rglob("*.pyi")}
    assert sorted(made) == sorted(kept)
    assert [str(path) for path in made if made[path] != kept[path]] == []


@pytest.mark.parametrize("module", public_names.SURFACES)
def test_every_public_name_has_a_stub(module):
    assert set(public_names.names(module)) - stub_of(module) == set()


def test_every_public_member_of_arrays_and_ufuncs_has_a_stub():
    import tessera.numpy as np

    for owner in ("ndarray", "ufunc"):
        public = {name for name in dir(getattr(np, owner)) if not name.startswith("_")}
        assert public - members_of(owner) == set(), owner


def ours(program):
    """The program with tessera in NumPy's place."""
    text = re.sub(r"^import numpy as np$", "import tessera.numpy as np", program.read_text(), flags=re.MULTILINE)
    return re.sub(r"^(import|from) numpy\.typing", r"\1 tessera.numpy.typing", text, flags=re.MULTILINE)


def check(folder, *files):
    """The type checker's errors as (file, line, kind)."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", os.devnull, "--disable-error-code", "type-arg", *files],
        cwd=folder, env=os.environ | {"MYPYPATH": str(ROOT / "python")}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^(\S+?):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert done.stdout.count(": error: ") == len(found), done.stdout
    return {(file, int(line), kind) for file, line, kind in found}


def expected(file, name):
    lines = file.read_text().splitlines()
    return {(name, number, line.rpartition("  # ")[2]) for number, line in enumerate(lines, 1) if "  # " in line}


def test_programs_typed_for_numpy_are_typed_for_tessera(tmp_path):
    """As they are they pass with NumPy; with tessera in its place they pass, too, and what is wrong stays wrong."""
    wanted, files = set(), []
    for program in PROGRAMS:
        (tmp_path / f"ours_{program.name}").write_text(ours(program))
        files.append(f"ours_{program.name}")
        wanted |= expected(program, files[-1])
        if program.stem != "mistakes":
            shutil.copy(program, tmp_path / f"theirs_{program.name}")
            files.append(f"theirs_{program.name}")
    package = "import tessera\nimport tessera.scipy.signal\nimport tessera.scipy.special\nimport tessera.numpy.testing\nimport tessera.numpy.lib.stride_tricks\nimport tessera.numpy.emath\n"
    (tmp_path / "all_stubs.py").write_text(package)
    assert wanted and check(tmp_path, "all_stubs.py", *files) == wanted


@pytest.mark.parametrize("program", [path for path in PROGRAMS if path.stem != "mistakes"], ids=lambda path: path.stem)
def test_the_programs_run_with_tessera(program, tmp_path):
    (tmp_path / "program.py").write_text(ours(program))
    theirs, own = (
        subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
        for path in (program, tmp_path / "program.py")
    )
    assert own.stdout == theirs.stdout and not own.stderr
