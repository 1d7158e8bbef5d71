"""The functions of heapq in compiled functions: what CPython gives, and the same lists."""

from __future__ import annotations

import heapq
from heapq import heappop, heappush
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tessera import jit


@jit
def pushed(numbers: Any) -> Any:
    heap = [(0, 0)]
    heap.pop()
    for k in range(len(numbers)):
        heappush(heap, (numbers[k], k))
    taken = [heappop(heap) for _ in range(len(numbers) // 2)]
    return heap, taken


@jit
def changed(numbers: Any, item: int) -> Any:
    heapq.heapify(numbers)
    first = heapq.heapreplace(numbers, item)
    return numbers, first, heapq.heappushpop(numbers, item - 1), heapq.nsmallest(3, numbers), heapq.nlargest(2, numbers)


@settings(deadline=None, max_examples=100)
@given(some.lists(some.integers(-20, 20), min_size=2, max_size=40), some.integers(-30, 30))
def test_lists_become_the_heaps_of_cpython(numbers: list[int], item: int) -> None:
    assert pushed(numbers) == pushed.py_func(numbers)
    ours, pythons = list(numbers), list(numbers)
    assert changed(ours, item) == changed.py_func(pythons, item)
    assert ours == pythons


def test_an_empty_heap_raises() -> None:
    @jit
    def take(x: Any) -> Any:
        heappop(x)
        return heappop(x)

    with pytest.raises(IndexError):
        take([1])
