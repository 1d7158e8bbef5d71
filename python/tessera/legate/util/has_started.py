"""legate.util.has_started."""

from __future__ import annotations


def runtime_has_started() -> bool:
    """True: importing the engine is all that there is to start."""
    return True
