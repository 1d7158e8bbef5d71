"""The option fastmath=: which of LLVM's flags there are, and what they change."""

from __future__ import annotations

from typing import Any

_FAST = frozenset("fast nnan ninf nsz arcp contract afn reassoc".split())


def contracts(fastmath: Any) -> bool:
    """Whether a product and a sum may be one operation."""
    return fastmath is True or isinstance(fastmath, (set, frozenset)) and bool(fastmath & {"fast", "contract"})


def reassociates(fastmath: Any) -> bool:
    """Whether sums that loops carry may be computed in any order, too; LLVM's other flags change nothing here."""
    return (
        fastmath is True
        or isinstance(fastmath, (set, frozenset))
        and ("fast" in fastmath or {"reassoc", "contract"} <= fastmath)
    )


def check(where: str, fastmath: Any) -> None:
    """Raises ValueError for what is no option of that decorator."""
    if not isinstance(fastmath, (bool, set, frozenset)):
        raise ValueError(f"{where}: fastmath is {fastmath!r}; it is True, False or a set of {', '.join(sorted(_FAST))}")
    unknown = fastmath - _FAST if isinstance(fastmath, (set, frozenset)) else ()
    if unknown:
        raise ValueError(f"{where}: fastmath has no flag {sorted(unknown)}; there are {', '.join(sorted(_FAST))}")
