"""Everything that the libraries call of glibc was there in the version that wheels run with, or is replaced."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tessera

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import glibc_stubs  # noqa: E402
import wheels  # noqa: E402

OLDEST = glibc_stubs.as_numbers(wheels.GLIBC)
LIBRARIES = sorted(Path(tessera.__file__).parent.glob("*.so"))


def replaced():
    """The functions and objects that cmake/old_glibc.c defines."""
    text = (ROOT / "cmake" / "old_glibc.c").read_text()
    functions = re.findall(r"^HIDDEN [\w ]+?\b(\w+)(?:\(| =)", text, re.MULTILINE)
    return {*functions, *re.findall(r"^SAME\(\w+, (\w+)\)", text, re.MULTILINE)}


def newer_symbols(library):
    """What the library asks of glibc in versions that the oldest does not have."""
    symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True)
    found = re.findall(r" UND (\w+)@GLIBC_([\d.]+)", symbols.stdout)
    return {name for name, version in found if glibc_stubs.as_numbers(version) > OLDEST}


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_newer_functions_of_glibc_are_replaced(library):
    there = set(replaced())
    for soname in ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"):
        there |= set(glibc_stubs.symbols_of(glibc_stubs.SYSTEM / soname, OLDEST))
    assert newer_symbols(library) - there == set()


def test_stubs_have_the_old_version_of_each_symbol_and_no_newer_one(tmp_path):
    symbols = glibc_stubs.symbols_of(glibc_stubs.SYSTEM / "libm.so.6", OLDEST)
    assert symbols["exp"][0] == (2, 2, 5) and symbols["expf"][0] == (2, 27)
    glibc_stubs.write_stub(tmp_path, "libm.so.6", symbols, "clang-19")
    text = subprocess.run(["readelf", "-V", tmp_path / "libm.so.6"], check=True, capture_output=True, text=True).stdout
    versions = {glibc_stubs.as_numbers(each) for each in re.findall(r"GLIBC_([\d.]+)", text)}
    assert (2, 27) in versions and max(versions) <= OLDEST
    program = tmp_path / "uses.c"
    program.write_text("double exp(double); double f(double x) { return exp(x); }")
    subprocess.run(
        ["clang-19", "-shared", "-fPIC", program, tmp_path / "libm.so.6", "-o", tmp_path / "uses.so"], check=True
    )
    uses = ctypes.CDLL(str(tmp_path / "uses.so"))  # with this machine's own libm
    uses.f.restype, uses.f.argtypes = ctypes.c_double, [ctypes.c_double]
    assert uses.f(0.0) == 1.0
    needed = subprocess.run(["readelf", "--dyn-syms", tmp_path / "uses.so"], capture_output=True, text=True).stdout
    assert "exp@GLIBC_2.2.5" in needed
