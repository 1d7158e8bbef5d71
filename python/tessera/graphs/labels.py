"""How pages, tables and graphs of a trace write lines of the program, times and sizes."""

from __future__ import annotations

import os

from tessera.graphs.trace import Place


def location(place: Place) -> str:
    """prog.py:12."""
    return "" if place is None else f"{os.path.basename(place[0])}:{place[1]}"


def duration(seconds: float) -> str:
    """1.23 ms."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    return ""


def size(nbytes: int) -> str:
    """1.2 MB."""
    value = float(nbytes)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"
