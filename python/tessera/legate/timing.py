"""legate.timing: the time at which all work so far is done."""

from __future__ import annotations

import time as _clock

_UNITS = {"us": 1000, "ns": 1}


def time(units: str = "us") -> int:
    """Waits for all work so far, then the time in whole "us" or "ns" since some moment.

    Errors: ValueError for other units.
    """
    from tessera import _core

    if units not in _UNITS:
        raise ValueError(f"legate.timing.time: units={units!r}; there are 'us' and 'ns'")
    _core.synchronize()
    return _clock.perf_counter_ns() // _UNITS[units]
