"""Repetitions in what ran: a loop's iterations become one, with their number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

_LONGEST = 32


@dataclass
class Part:
    """Positions [begin, begin + period) of a sequence, and how often they follow one another."""

    begin: int
    period: int
    count: int


def find(sequence: Sequence[Hashable], longest: int = _LONGEST) -> list[Part]:
    """The sequence as parts in order; what repeats at least three times, at most so long, is one part."""
    parts: list[Part] = []
    at, size = 0, len(sequence)
    numbers: dict[Hashable, int] = {}
    words = [numbers.setdefault(item, len(numbers)) for item in sequence]
    while at < size:
        best = Part(at, 1, 1)
        for period in range(1, min(longest, (size - at) // 3) + 1):
            if words[at] != words[at + period]:
                continue
            end = at + period
            while end < size and words[end] == words[end - period]:
                end += 1
            count = (end - at) // period
            if count >= 3 and count * period > best.count * best.period:
                best = Part(at, period, count)
        parts.append(best)
        at += best.period * best.count
    return parts
