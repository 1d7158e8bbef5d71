"""What the engine did, for `tessera run --stats`."""

from __future__ import annotations

from typing import TextIO


def report(out: TextIO) -> None:
    """Counters of the engine and its memory pool."""
    from tessera import _core

    print("\nengine", file=out)
    for name, value in _core.counters().items():
        print(f"  {name:24} {value:>16,}", file=out)
    print("memory", file=out)
    for name, value in _core.memory_statistics().items():
        print(f"  {name:24} {value:>16,}", file=out)
