"""Finds a clang that compiles CUDA C++ for the cores: never newer than the LLVM that reads what it writes."""

from __future__ import annotations

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

OLDEST, NEWEST = 16, 19
INSTALL = "pip install tessera[cpp]"
# What takes the place of CUDA's headers.
HEADERS = str(pathlib.Path(__file__).parent / "cores")


@dataclass(frozen=True)
class Clang:
    """`command` runs it; `version` tells it from others in the cache."""

    command: tuple[str, ...]
    version: str
    origin: str  # "TESSERA_CLANG", "PATH", "LLVM", "Python package"


@functools.cache
def find() -> Clang | None:
    """TESSERA_CLANG, else clang-19 to clang-16 and clang on the PATH and in LLVM's folders, else ziglang's."""
    named = os.environ.get("TESSERA_CLANG")
    if named is not None:
        return _of_file(named, "TESSERA_CLANG", None) if named else None
    for number in range(NEWEST, OLDEST - 1, -1):
        if path := shutil.which(f"clang-{number}"):
            return _of_file(path, "PATH", number)
        for folder in (f"/usr/lib/llvm-{number}/bin", f"/usr/lib64/llvm{number}/bin", f"/opt/llvm-{number}/bin"):
            if os.access(path := f"{folder}/clang", os.X_OK):
                return _of_file(path, "LLVM", number)
    if (path := shutil.which("clang")) and OLDEST <= _asked_version(path) <= NEWEST:
        return _of_file(path, "PATH", None)
    return _of_ziglang()


def _of_file(path: str, origin: str, number: int | None) -> Clang | None:
    try:
        real = os.path.realpath(path)
        facts = os.stat(real)
    except OSError:
        return None
    return Clang((path,), f"{number or ''} {real} {facts.st_size} {facts.st_mtime_ns}", origin)


def _asked_version(path: str) -> int:
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r"version (\d+)", said)
    return int(found[1]) if found and "Apple" not in said else 0


def _of_ziglang() -> Clang | None:
    """ziglang 0.13 has clang 18, 0.14 clang 19."""
    for entry in sys.path:
        folder = pathlib.Path(entry or ".")
        program = folder / "ziglang" / "zig"
        if program.is_file():
            for version in ("0.13", "0.14"):
                if made := next(iter(sorted(folder.glob(f"ziglang-{version}.*.dist-info"))), None):
                    return Clang((str(program), "clang"), made.name, "Python package")
    return None
