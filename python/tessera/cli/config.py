"""`tessera config`: where files of the package are."""

from __future__ import annotations

import sys
from pathlib import Path

import tessera


def cmake_dir() -> int:
    """Prints the folder of tesseraConfig.cmake; returns the exit code."""
    folder = Path(tessera.__file__).resolve().parent / "cmake"
    if not (folder / "tesseraConfig.cmake").is_file():
        print(f"tessera config: there is no {folder}/tesseraConfig.cmake; build with `make build`", file=sys.stderr)
        return 1
    print(folder)
    return 0
