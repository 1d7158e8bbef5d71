"""What compiled functions do with generators, in the language that they are compiled from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from tessera.functions.function import Function

_functions: dict[str, Function] = {}


def find(name: str) -> Any:
    """The function of this name, such as "iterator.sum", as the compiler takes it; None if there is none."""
    function = _functions.get(name)
    return None if function is None else function._kernel_function()


def _named(name: str) -> Any:
    def add(function: Any) -> Function:
        _functions[f"iterator.{name}"] = made = Function(function, None)
        return made

    return add


@_named("list")
def _list(values: Any) -> Any:
    made: list[Any] = []
    for x in values:
        made.append(x)
    return made


@_named("nditer")
def _nditer(strides: Any, extents: Any) -> Any:
    """NumPy's order of the axes of arrays with these strides, one array after the other: of each axis the elements of those within, and whether it is gone through backwards."""
    axes = len(extents)
    operands = len(strides) // axes
    backwards = [0 for _ in range(axes)]
    for axis in range(axes):
        is_any, is_all = False, True
        for k in range(operands):
            is_any = is_any or strides[k * axes + axis] < 0
            is_all = is_all and strides[k * axes + axis] <= 0
        if is_any and is_all:
            backwards[axis] = 1
    order = [axes - 1 - k for k in range(axes)]  # the innermost first
    for k in range(1, axes):
        place, moved = k, order[k]
        for before in range(k - 1, -1, -1):
            is_known, is_wider = False, False
            for one in range(operands):
                x, y = abs(strides[one * axes + moved]), abs(strides[one * axes + order[before]])
                if x != 0 and y != 0:
                    is_wider = y > x and (is_wider or not is_known)
                    is_known = True
            if is_known and not is_wider:
                break
            if is_known:
                place = before
        for later in range(k, place, -1):
            order[later] = order[later - 1]
        order[place] = moved
    made = numpy.zeros(2 * axes, numpy.int64)
    count = 1
    for axis in order:
        made[axis] = count
        count *= max(1, extents[axis])
        made[axes + axis] = backwards[axis]
    return made


@_named("next")
def _next(values: Any) -> Any:
    for x in values:
        return x
    raise StopIteration


@_named("next_or")
def _next_or(values: Any, otherwise: Any) -> Any:
    for x in values:
        return x
    return otherwise


@_named("sum")
def _sum(values: Any, start: Any) -> Any:
    total = start
    for x in values:
        total = total + x
    return total


@_named("any")
def _any(values: Any) -> Any:
    for x in values:
        if x:
            return True
    return False


@_named("all")
def _all(values: Any) -> Any:
    for x in values:
        if not x:
            return False
    return True


@_named("min")
def _min(values: Any) -> Any:
    is_first = True
    for x in values:
        if is_first:
            least = x
            is_first = False
        elif x < least:
            least = x
    if is_first:
        raise ValueError("min() arg is an empty sequence")
    return least


@_named("max")
def _max(values: Any) -> Any:
    is_first = True
    for x in values:
        if is_first:
            greatest = x
            is_first = False
        elif x > greatest:
            greatest = x
    if is_first:
        raise ValueError("max() arg is an empty sequence")
    return greatest


@_named("hash")
def _hash(value: Any) -> Any:
    found = value % 2305843009213693951 if value >= 0 else -((-value) % 2305843009213693951)
    return -2 if found == -1 else found


@_named("filter")
def _filter(function: Any, values: Any) -> Iterator[Any]:
    for x in values:
        if function(x):
            yield x


@_named("filter_true")
def _filter_true(values: Any) -> Iterator[Any]:
    for x in values:
        if x:
            yield x


@_named("map1")
def _map1(function: Any, values: Any) -> Iterator[Any]:
    for x in values:
        yield function(x)


@_named("map2")
def _map2(function: Any, first: Any, second: Any) -> Iterator[Any]:
    for x, y in zip(first, second):
        yield function(x, y)


@_named("map3")
def _map3(function: Any, first: Any, second: Any, third: Any) -> Iterator[Any]:
    for x, y, z in zip(first, second, third):
        yield function(x, y, z)
