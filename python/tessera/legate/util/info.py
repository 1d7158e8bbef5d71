"""legate.util.info: facts about this installation."""

from __future__ import annotations

import platform
from typing import Any


def info(start_runtime: bool = True) -> dict[str, Any]:
    """Versions, cores and GPUs, by name."""
    import numpy

    import tessera
    from tessera import _core

    return {
        "Program versions": {"tessera": tessera.__version__, "numpy": numpy.__version__},
        "Python": platform.python_version(),
        "Platform": platform.platform(),
        "Machine": {"cpus": _core.cpus(), "device": _core.device()},
    }
