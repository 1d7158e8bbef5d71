"""Which signature of a decorator takes a call's arguments, by the rules of Numba's casts."""

from __future__ import annotations

from typing import Any

import numpy

# The ways in which an argument becomes a parameter's type, the worst first.
_UNSAFE, _SAFE, _WIDENED, _PROMOTED, _SAME = range(5)


def choose(kinds: tuple[Any, ...], signatures: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The signatures with the fewest conversions, the worst kind of them first: several where these are as good."""
    rated = []
    for signature in signatures:
        ways = [_way(one, other) for one, other in zip(kinds, signature)]
        if len(signature) == len(kinds) and None not in ways:
            rated.append((tuple(ways.count(way) for way in (_UNSAFE, _SAFE, _WIDENED, _PROMOTED)), signature))
    best = min((count for count, _ in rated), default=None)
    return [signature for count, signature in rated if count == best]


def _way(kind: Any, wanted: Any) -> int | None:
    if kind == wanted:
        return _SAME
    if wanted[0] == "optional":
        way = _SAFE if kind[0] == "none" else _way(kind, wanted[1])
        return None if way is None else min(way, _SAFE)
    if kind[0] == wanted[0] == "scalar":
        return _way_of_numbers(kind[1], wanted[1])
    if kind[0] in ("tuple", "named") and wanted[0] in ("tuple", "named") and len(kind[1]) == len(wanted[1]):
        ways = [_way(one, other) for one, other in zip(kind[1], wanted[1])]
        return None if None in ways else min([way for way in ways if way is not None], default=_SAME)
    if kind[0] == wanted[0] == "records" and kind[2][: len(wanted[2])] == wanted[2] and kind[3] == wanted[3]:
        return _SAFE if kind[1][: len(wanted[1])] == wanted[1] else None
    return None


def _way_of_numbers(given: numpy.dtype[Any], wanted: numpy.dtype[Any]) -> int | None:
    if given.kind == "c" and wanted.kind != "c":
        return None
    if not numpy.can_cast(given, wanted):
        return _UNSAFE
    if given.kind == "u" and wanted.kind == "i":  # Numba: as safe as one to floats, and the call ambiguous beside those
        return _WIDENED
    return _PROMOTED if given.kind == wanted.kind else _SAFE
