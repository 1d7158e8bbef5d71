"""The functions of Python's module heapq, of lists in compiled functions: the same elements in the same places."""

from __future__ import annotations

import heapq
from typing import Any

from tessera.functions.extending import overload, register_jitable


@register_jitable
def _rise(heap: Any, begin: int, place: int) -> None:
    moved = heap[place]
    while place > begin:
        parent = (place - 1) >> 1
        above = heap[parent]
        if not moved < above:
            break
        heap[place] = above
        place = parent
    heap[place] = moved


# The lesser of two children moves up, to the end; then what was there rises, which mostly is not far.
@register_jitable
def _sink(heap: Any, begin: int) -> None:
    count = len(heap)
    place = begin
    moved = heap[place]
    child = 2 * place + 1
    while child < count:
        right = child + 1
        if right < count and not heap[child] < heap[right]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = moved
    _rise(heap, begin, place)


def _push(heap: Any, item: Any) -> None:
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def _pop(heap: Any) -> Any:
    last = heap.pop()
    if len(heap) == 0:
        return last
    first = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return first


def _order(x: Any) -> None:
    for k in range(len(x) // 2 - 1, -1, -1):
        _sink(x, k)


def _replace(heap: Any, item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def _push_and_pop(heap: Any, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sink(heap, 0)
        return first
    return item


def _least(n: int, iterable: Any) -> Any:
    return sorted(iterable)[: max(n, 0)]


def _greatest(n: int, iterable: Any) -> Any:
    return sorted(iterable, reverse=True)[: max(n, 0)]


def _register() -> None:
    overload(heapq.heappush)(lambda heap, item: _push)
    overload(heapq.heappop)(lambda heap: _pop)
    overload(heapq.heapify)(lambda x: _order)
    overload(heapq.heapreplace)(lambda heap, item: _replace)
    overload(heapq.heappushpop)(lambda heap, item: _push_and_pop)
    overload(heapq.nsmallest)(lambda n, iterable: _least)
    overload(heapq.nlargest)(lambda n, iterable: _greatest)


_register()
