"""Where Python packages keep CUDA's libraries: the folders that the engine looks into when it first needs one."""

from __future__ import annotations

import os
import sys


def folders() -> list[str]:
    """`nvidia/*/lib` on sys.path, where the `nvidia-*` wheels put their shared objects."""
    found = []
    for entry in sys.path:
        root = os.path.join(entry or ".", "nvidia")
        try:
            parts = sorted(os.listdir(root), reverse=True)  # cu13 before the folders of CUDA 12's single packages
        except OSError:
            continue
        found += [folder for part in parts if os.path.isdir(folder := os.path.join(root, part, "lib"))]
    return found
