"""SciPy's stats module: functions that consist of operations on arrays run on the engine, the rest in SciPy on the host."""

from __future__ import annotations

from typing import Any

from tessera.scipy import _missing


def __getattr__(name: str) -> Any:
    return _missing.find("stats", name, globals())


def __dir__() -> list[str]:
    return _missing.names("stats", globals())
