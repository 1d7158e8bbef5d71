"""SciPy's names over tessera's engine."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("fft", "integrate", "signal", "special", "stats"):
        return importlib.import_module(f"tessera.scipy.{name}")
    raise AttributeError(f"module 'tessera.scipy' has no attribute {name!r}")
