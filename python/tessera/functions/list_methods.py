"""What compiled functions do with lists, in the language that they are compiled from; their meaning is Python's."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.function import Function
from tessera.functions.intrinsic import Intrinsic

_at = Intrinsic("list.at", "The element at a place that is there.")
_same = Intrinsic("list.same", "Whether two elements are equal, or one object.")
_shorten = Intrinsic("list.shorten", "Takes away the elements from a place on.")
_methods: dict[str, Function] = {}
_MOST = 1 << 40  # elements, for which no memory is large enough


def find(name: str) -> Any:
    """The function of this name, such as "list.insert", as the compiler takes it; None if there is none."""
    function = _methods.get(name)
    return None if function is None else function._kernel_function()


def _method(name: str) -> Any:
    def add(function: Any) -> Function:
        _methods[f"list.{name}"] = made = Function(function, None)
        return made

    return add


@_method("place_within")
def _within(place: Any, count: Any, by: Any) -> Any:
    if place < 0:
        place += count
        if place < 0:
            return -1 if by < 0 else 0
    elif place >= count:
        return count - 1 if by < 0 else count
    return place


@_method("bounds")
def _bounds(count: Any, lower: Any, upper: Any, step: Any) -> Any:
    """Where a slice of so many elements begins and ends, and its step."""
    by = 1
    if step is not None:
        by = step
    if by == 0:
        raise ValueError("slice step cannot be zero")
    first, last = 0, count
    if by < 0:
        first, last = count - 1, -1
    if lower is not None:
        first = _within(lower, count, by)
    if upper is not None:
        last = _within(upper, count, by)
    return first, last, by


@_method("places")
def _places(first: Any, last: Any, by: Any) -> Any:
    if by > 0:
        return max(0, (last - first + by - 1) // by)
    if by < 0:
        return max(0, (first - last - by - 1) // -by)
    return 0


@_method("slice")
def _slice(values: Any, lower: Any, upper: Any, step: Any) -> Any:
    first, last, by = _bounds(len(values), lower, upper, step)
    made: list[Any] = []
    if by != 0:
        for k in range(first, last, by):
            made.append(_at(values, k))
    return made


@_method("set_slice")
def _set_slice(values: Any, lower: Any, upper: Any, step: Any, given: Any) -> None:
    first, last, by = _bounds(len(values), lower, upper, step)
    new = list(given)
    if step is None or by == 1:
        last = max(first, last)
        rest = values[last:]
        _shorten(values, first)
        for x in new:
            values.append(x)
        for x in rest:
            values.append(x)
    elif by != 0:
        places = _places(first, last, by)
        if places != len(new):
            raise ValueError("attempt to assign sequence of another size to extended slice")
        for k in range(places):
            values[first + k * by] = new[k]


@_method("delete")
def _delete(values: Any, index: Any) -> None:
    count = len(values)
    if index < 0:
        index += count
    if index < 0 or index >= count:
        raise IndexError("list assignment index out of range")
    for k in range(index, count - 1):
        values[k] = _at(values, k + 1)
    _shorten(values, count - 1)


@_method("delete_slice")
def _delete_slice(values: Any, lower: Any, upper: Any, step: Any) -> None:
    count = len(values)
    first, last, by = _bounds(count, lower, upper, step)
    if by < 0:
        places = _places(first, last, by)
        first, last, by = first + (places - 1) * by, first + 1, -by
    kept = 0
    for k in range(count):
        if k < first or k >= last or (k - first) % max(by, 1) != 0:
            values[kept] = _at(values, k)
            kept += 1
    _shorten(values, kept)


@_method("insert")
def _insert(values: Any, index: Any, x: Any) -> None:
    count = len(values)
    place = _within(index, count, 1)
    values.append(x)
    for k in range(count, place, -1):
        values[k] = _at(values, k - 1)
    values[place] = x


@_method("pop")
def _pop(values: Any, index: Any = -1) -> Any:
    count = len(values)
    if count == 0:
        raise IndexError("pop from empty list")
    if index < 0:
        index += count
    if index < 0 or index >= count:
        raise IndexError("pop index out of range")
    found = _at(values, index)
    for k in range(index, count - 1):
        values[k] = _at(values, k + 1)
    _shorten(values, count - 1)
    return found


@_method("extend")
def _extend(values: Any, more: Any) -> None:
    for k in range(len(more)):
        values.append(more[k])


@_method("index")
def _index(values: Any, x: Any, start: Any = 0, stop: Any = 9223372036854775807) -> Any:
    count = len(values)
    for k in range(_within(start, count, 1), _within(stop, count, 1)):
        if _same(_at(values, k), x):
            return k
    raise ValueError("value not in list")


@_method("remove")
def _remove(values: Any, x: Any) -> None:
    count = len(values)
    found = count
    for k in range(count):
        if _same(_at(values, k), x):
            found = k
            break
    if found == count:
        raise ValueError("list.remove(x): x not in list")
    for k in range(found, count - 1):
        values[k] = _at(values, k + 1)
    _shorten(values, count - 1)


@_method("count")
def _count(values: Any, x: Any) -> Any:
    found = 0
    for one in values:
        if _same(one, x):
            found += 1
    return found


@_method("contains")
def _contains(values: Any, x: Any) -> Any:
    for one in values:
        if _same(one, x):
            return True
    return False


@_method("copy")
def _copy(values: Any) -> Any:
    return list(values)


@_method("reverse")
def _reverse(values: Any) -> None:
    count = len(values)
    for k in range(count // 2):
        first, last = _at(values, k), _at(values, count - 1 - k)
        values[k] = last
        values[count - 1 - k] = first


@_method("check_shapes")
def _check_shapes(values: Any) -> None:
    for one in values:
        if one.shape != _at(values, 0).shape:
            raise ValueError("the arrays of a list that becomes one array are not of one shape")


@_method("concatenated")
def _concatenated(left: Any, right: Any) -> Any:
    made = list(left)
    for x in right:
        made.append(x)
    return made


@_method("repeated")
def _repeated(values: Any, times: Any) -> Any:
    made: list[Any] = []
    if times > 1 and len(values) > 0 and times > _MOST // len(values):
        raise MemoryError
    for _ in range(times):
        for x in values:
            made.append(x)
    return made


@_method("repeat")
def _repeat(values: Any, times: Any) -> None:
    count = len(values)
    if times > 1 and count > 0 and times > _MOST // count:
        raise MemoryError
    if times <= 0:
        _shorten(values, 0)
    for _ in range(1, times):
        for k in range(count):
            values.append(_at(values, k))


@_method("equal")
def _equal(left: Any, right: Any) -> Any:
    if len(left) != len(right):
        return False
    for k in range(len(left)):
        if not _same(_at(left, k), _at(right, k)):
            return False
    return True


@_method("less")
def _less(left: Any, right: Any) -> Any:
    for k in range(min(len(left), len(right))):
        x, y = _at(left, k), _at(right, k)
        if not _same(x, y):
            return x < y
    return len(left) < len(right)


@_method("less_equal")
def _less_equal(left: Any, right: Any) -> Any:
    for k in range(min(len(left), len(right))):
        x, y = _at(left, k), _at(right, k)
        if not _same(x, y):
            return x < y
    return len(left) <= len(right)


@_method("min")
def _min(values: Any) -> Any:
    count = len(values)
    if count == 0:
        raise ValueError("min() arg is an empty sequence")
    best = values[0]
    for k in range(1, count):
        x = values[k]
        if x < best:
            best = x
    return best


@_method("max")
def _max(values: Any) -> Any:
    count = len(values)
    if count == 0:
        raise ValueError("max() arg is an empty sequence")
    best = values[0]
    for k in range(1, count):
        x = values[k]
        if x > best:
            best = x
    return best


def _add_extremes(name: str, is_before: Any) -> None:
    @_method(f"{name}_place")
    def place(values: Any, key: Any) -> Any:
        keys = values if key is None else [key(x) for x in values]
        best = 0
        for k in range(1, len(keys)):
            if is_before(_at(keys, k), _at(keys, best)):
                best = k
        return best

    @_method(f"{name}_by")
    def by(values: Any, key: Any = None) -> Any:
        if len(values) == 0:
            raise ValueError(f"{name}() arg is an empty sequence")
        return values[place(values, key)]

    @_method(f"{name}_or")
    def otherwise(values: Any, default: Any, key: Any = None) -> Any:
        if len(values) == 0:
            return default
        return values[place(values, key)]


_add_extremes("min", Function(lambda x, y: x < y, None))
_add_extremes("max", Function(lambda x, y: x > y, None))


@_method("sort")
def _sort(values: Any, key: Any = None, reverse: Any = False) -> None:
    """Merges runs of growing lengths; elements that compare as equal stay in their order."""
    count = len(values)
    old = list(values)
    keys = old if key is None else [key(x) for x in old]
    order, merged = numpy.arange(count), numpy.arange(count)
    width = 1
    while width < count:
        for begin in range(0, count, 2 * width):
            middle, end = min(begin + width, count), min(begin + 2 * width, count)
            left, right = begin, middle
            for k in range(begin, end):
                takes_right = left >= middle
                if left < middle and right < end:
                    x, y = _at(keys, order[left]), _at(keys, order[right])
                    takes_right = x < y if reverse else y < x
                if takes_right:
                    merged[k] = order[right]
                    right += 1
                else:
                    merged[k] = order[left]
                    left += 1
        for k in range(count):
            order[k] = merged[k]
        width *= 2
    for k in range(count):
        values[k] = _at(old, order[k])


@_method("sorted")
def _sorted(values: Any, key: Any = None, reverse: Any = False) -> Any:
    _sort(values, key, reverse)
    return values


@_method("check_lengths")
def _check_lengths(values: Any, length: Any) -> None:
    for one in values:
        if len(one) != length:
            raise ValueError("an array of lists of different lengths")


@_method("reduce")
def _reduce(function: Any, values: Any, *initial: Any) -> Any:
    if len(initial) == 0:
        if len(values) == 0:
            raise TypeError("reduce() of empty iterable with no initial value")
        total = values[0]
        for k in range(1, len(values)):
            total = function(total, values[k])
    else:
        total = initial[0]
        for k in range(len(values)):
            total = function(total, values[k])
    return total


@_method("indices")
def _indices(of: Any, length: Any) -> Any:
    if length < 0:
        raise ValueError("length should not be negative")
    return _bounds(length, of.start, of.stop, of.step)


@_method("next")
def _next(values: Any, place: Any) -> Any:
    """What an iterator gives; `place` holds where it is."""
    k = place[0]
    if k >= len(values):
        raise StopIteration
    place[0] = k + 1
    return values[k]


@_method("next_or")
def _next_or(values: Any, place: Any, otherwise: Any) -> Any:
    k = place[0]
    if k >= len(values):
        return otherwise
    place[0] = k + 1
    return values[k]
