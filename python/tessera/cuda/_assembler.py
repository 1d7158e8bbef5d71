"""CUDA's assembler and disassembler, where they are installed: what machine code takes and how it reads."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Usage(NamedTuple):
    """What a thread of a kernel takes."""

    registers: int
    local_bytes: int


@functools.cache
def find(program: str) -> str | None:
    """The path of ptxas or nvdisasm: on PATH, in CUDA_HOME, or in the folders of the nvidia-* wheels."""
    homes = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
    folders = [os.path.join(home, "bin") for home in homes if home]
    for entry in sys.path:
        for part in ("cuda_nvcc", "cu13", "cu12"):
            folders.append(os.path.join(entry or ".", "nvidia", part, "bin"))
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(folders))


def _needed(program: str, wheel: str, what: str) -> str:
    found = find(program)
    if found is None:
        raise NotImplementedError(
            f"{what} needs {program}, which is not here: it comes with CUDA and the wheel {wheel}"
        )
    return found


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{os.path.basename(command[0])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout + done.stderr


def _assemble(ptx: str, to: str, what: str) -> str:
    with open(f"{to}.ptx", "w", encoding="ascii") as text:
        text.write(ptx)
    target = re.search(r"\.target (sm_\w+)", ptx)
    assert target is not None, "PTX names its target"
    program = _needed("ptxas", "nvidia-cuda-nvcc-cu12", what)
    return _run([program, f"-arch={target[1]}", "-v", f"{to}.ptx", "-o", to])


@functools.lru_cache(maxsize=256)
def usage(ptx: str, what: str) -> Usage:
    """What the assembler says of the text's kernel."""
    with tempfile.TemporaryDirectory() as folder:
        said = _assemble(ptx, os.path.join(folder, "kernel"), what)
    registers = re.search(r"Used (\d+) registers", said)
    stack = re.search(r"(\d+) bytes stack frame", said)
    return Usage(int(registers[1]) if registers else 0, int(stack[1]) if stack else 0)


def machine_code(ptx: str, what: str) -> str:
    """The instructions of the machine, as text."""
    disassembler = _needed("nvdisasm", "nvidia-cuda-nvdisasm", what)
    with tempfile.TemporaryDirectory() as folder:
        to = os.path.join(folder, "kernel")
        _assemble(ptx, to, what)
        return _run([disassembler, to])
