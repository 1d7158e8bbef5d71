"""What compiled functions do with dicts and sets, in the language that they are compiled from; their meaning is Python's."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.function import Function
from tessera.functions.intrinsic import Intrinsic

_hash = Intrinsic("table.hash", "The hash of a key.")
_mask = Intrinsic("table.mask", "The size of the index, less 1.")
_slot = Intrinsic("table.slot", "A word of the index: 0, or the number of an entry from 1 below bits of its hash.")
_used = Intrinsic("table.used", "How many entries there are, deleted ones among them.")
_entry_hash = Intrinsic("table.entry_hash", "The hash of an entry, -1 where it is deleted.")
_key = Intrinsic("table.key", "The key of an entry.")
_value = Intrinsic("table.value", "The value of an entry.")
_is_key = Intrinsic("table.is_key", "Whether an entry has this key.")
_asks_objects = Intrinsic("table.asks_objects", "Whether keys are compared by methods, which may change the table.")
_set_value = Intrinsic("table.set_value", "Gives an entry another value.")
_add = Intrinsic("table.add", "Adds an entry at a place of the index that is free.")
_append_entry = Intrinsic("table.append_entry", "Adds an entry, of which the index knows nothing yet.")
_reindex = Intrinsic("table.reindex", "Points the index to all entries.")
_drop = Intrinsic("table.drop", "Deletes an entry, to which a place of the index points.")
_shorten = Intrinsic("table.shorten", "Takes away the entries from a number on.")
_same = Intrinsic("list.same", "Whether two elements are equal, or one object.")
_methods: dict[str, Function] = {}
_BITS = 0x7FFFFFFF  # of a hash in the index
_ENTRY = 0xFFFFFFFF
_AHEAD = 32  # keys


def find(name: str) -> Any:
    """The function of this name, such as "dict.get", as the compiler takes it; None if there is none."""
    function = _methods.get(name)
    return None if function is None else function._kernel_function()


def _method(*names: str) -> Any:
    def add(function: Any) -> Function:
        made = Function(function, None)
        for name in names:
            _methods[name] = made
        return made

    return add


@_method("table.probe")
def _probe(table: Any, key: Any, hashed: Any) -> Any:
    """Where the index points to the key, or is free; and the number of its entry, or -1."""
    mask, used = _mask(table), _used(table)
    place, rest = hashed & mask, hashed
    bits = hashed & _BITS
    word = _slot(table, place)
    while word != 0 and not (word >> 32 == bits and _is_key(table, (word & _ENTRY) - 1, key)):
        rest >>= 5
        place = (place * 5 + rest + 1) & mask
        word = _slot(table, place)
    if _asks_objects(table):
        if _mask(table) != mask or _used(table) != used:
            raise RuntimeError("the table changed while its keys were compared")
    return place, (word & _ENTRY) - 1


@_method("table.contains", "dict.__contains__", "set.__contains__")
def _contains(table: Any, key: Any) -> Any:
    _, entry = _probe(table, key, _hash(table, key))
    return entry >= 0


@_method("dict.__getitem__")
def _getitem(table: Any, key: Any) -> Any:
    _, entry = _probe(table, key, _hash(table, key))
    if entry < 0:
        if _asks_objects(table):
            raise KeyError("an object that is no key")
        raise KeyError(key)
    return _value(table, entry)


@_method("dict.__setitem__")
def _setitem(table: Any, key: Any, value: Any) -> None:
    hashed = _hash(table, key)
    place, entry = _probe(table, key, hashed)
    if entry >= 0:
        _set_value(table, entry, value)
    else:
        _add(table, place, hashed, key, value)


@_method("dict.__delitem__")
def _delitem(table: Any, key: Any) -> None:
    place, entry = _probe(table, key, _hash(table, key))
    if entry < 0:
        if _asks_objects(table):
            raise KeyError("an object that is no key")
        raise KeyError(key)
    _drop(table, place, entry)


@_method("dict.get")
def _get(table: Any, key: Any, default: Any = None) -> Any:
    _, entry = _probe(table, key, _hash(table, key))
    if entry >= 0:
        return _value(table, entry)
    return default


@_method("dict.setdefault")
def _setdefault(table: Any, key: Any, default: Any) -> Any:
    hashed = _hash(table, key)
    place, entry = _probe(table, key, hashed)
    if entry >= 0:
        return _value(table, entry)
    _add(table, place, hashed, key, default)
    return default


@_method("dict.pop")
def _pop(table: Any, key: Any, *default: Any) -> Any:
    place, entry = _probe(table, key, _hash(table, key))
    if entry < 0:
        if len(default) == 0:
            if _asks_objects(table):
                raise KeyError("an object that is no key")
            raise KeyError(key)
        return default[0]
    found = _value(table, entry)
    _drop(table, place, entry)
    return found


@_method("table.last")
def _last(table: Any) -> Any:
    """The last entry, of a table that has some; those behind it are taken away."""
    entry = _used(table) - 1
    while _entry_hash(table, entry) < 0:
        entry -= 1
    return entry


@_method("dict.popitem")
def _popitem(table: Any) -> Any:
    if len(table) == 0:
        raise KeyError("popitem(): dictionary is empty")
    entry = _last(table)
    key, value = _key(table, entry), _value(table, entry)
    place, _ = _probe(table, key, _entry_hash(table, entry))
    _drop(table, place, entry)
    _shorten(table, entry)
    return key, value


@_method("dict.update")
def _update(table: Any, other: Any = None) -> None:
    if other is not None:
        _update_from(table, other)


@_method("dict.merged")
def _merged(left: Any, right: Any) -> Any:
    made = {key: value for key, value in left.items()}
    for key, value in right.items():
        made[key] = value
    return made


@_method("dict.equal")
def _equal(left: Any, right: Any) -> Any:
    if len(left) != len(right):
        return False
    for key, value in left.items():
        if key not in right:
            return False
        if not _same(right[key], value):
            return False
    return True


@_method("table.has")
def _has(values: Any, wanted: Any) -> Any:
    for one in values:
        if _same(one, wanted):
            return True
    return False


@_method("table.append_to")
def _append_to(table: Any, made: Any) -> None:
    for one in table:
        made.append(one)


@_method("set.add")
def _add_key(table: Any, key: Any) -> None:
    hashed = _hash(table, key)
    place, entry = _probe(table, key, hashed)
    if entry < 0:
        _add(table, place, hashed, key)


@_method("set.discard")
def _discard(table: Any, key: Any) -> None:
    place, entry = _probe(table, key, _hash(table, key))
    if entry >= 0:
        _drop(table, place, entry)


@_method("set.remove")
def _remove(table: Any, key: Any) -> None:
    place, entry = _probe(table, key, _hash(table, key))
    if entry < 0:
        if _asks_objects(table):
            raise KeyError("an object that is no key")
        raise KeyError(key)
    _drop(table, place, entry)


@_method("set.pop")
def _pop_key(table: Any) -> Any:
    if len(table) == 0:
        raise KeyError("pop from an empty set")
    entry = _last(table)
    key = _key(table, entry)
    place, _ = _probe(table, key, _entry_hash(table, entry))
    _drop(table, place, entry)
    _shorten(table, entry)
    return key


@_method("set.update")
def _update_set(table: Any, *others: Any) -> None:
    for other in others:
        if isinstance(other, numpy.ndarray) and other.ndim == 1 and hasattr(other.dtype, "kind"):
            _add_array(table, other)
        else:
            for one in other:
                table.add(one)


@_method("table.add_array")
def _add_array(table: Any, values: Any) -> None:
    """Looks at the index some elements ahead, so that memory is waited for once for many of them."""
    seen = [0] * _AHEAD
    for begin in range(0, len(values), _AHEAD):
        mask, end = _mask(table), min(begin + _AHEAD, len(values))
        for k in range(begin, end):
            seen[k - begin] = _slot(table, _hash(table, values[k]) & mask)
        for k in range(begin, end):
            table.add(values[k])


@_method("set.union")
def _union(values: Any, *others: Any) -> Any:
    made = {one for one in values}
    for other in others:
        for one in other:
            made.add(one)
    return made


@_method("set.intersection")
def _intersection(values: Any, *others: Any) -> Any:
    made = {one for one in values}
    for other in others:
        _intersect(made, set(other))
    return made


@_method("table.intersect")
def _intersect(made: Any, other: Any) -> None:
    for one in list(made):
        if one not in other:
            made.discard(one)


@_method("set.difference")
def _difference(values: Any, *others: Any) -> Any:
    made = {one for one in values}
    for other in others:
        for one in other:
            made.discard(one)
    return made


@_method("set.symmetric_difference")
def _symmetric_difference(values: Any, other: Any) -> Any:
    made = {one for one in values}
    _toggle(made, set(other))
    return made


@_method("table.toggle")
def _toggle(made: Any, other: Any) -> None:
    for one in other:
        if one in made:
            made.discard(one)
        else:
            made.add(one)


# Of two sets whose keys are of one type: hashes are known, and keys of what is made are told apart by the first set.
@_method("set.union_alike")
def _union_alike(left: Any, right: Any) -> Any:
    made = left.copy()
    for one in right:
        made.add(one)
    return made


@_method("table.append_some")
def _append_some(made: Any, values: Any, other: Any, wanted: Any) -> None:
    """The keys that the other set has, or has not; the index is looked at some keys ahead."""
    seen = [0] * _AHEAD
    mask = _mask(other)
    for begin in range(0, _used(values), _AHEAD):
        end = min(begin + _AHEAD, _used(values))
        for k in range(begin, end):
            seen[k - begin] = _slot(other, _entry_hash(values, k) & mask)
        for k in range(begin, end):
            hashed = _entry_hash(values, k)
            if hashed >= 0:
                key = _key(values, k)
                _, entry = _probe(other, key, hashed)
                if (entry >= 0) == wanted:
                    _append_entry(made, hashed, key)


@_method("set.intersection_alike")
def _intersection_alike(left: Any, right: Any) -> Any:
    if len(right) < len(left):
        left, right = right, left
    made: Any = set()
    _append_some(made, left, right, True)
    _reindex(made)
    return made


@_method("set.difference_alike")
def _difference_alike(left: Any, right: Any) -> Any:
    made: Any = set()
    _append_some(made, left, right, False)
    _reindex(made)
    return made


@_method("set.symmetric_difference_alike")
def _symmetric_difference_alike(left: Any, right: Any) -> Any:
    made: Any = set()
    _append_some(made, left, right, False)
    _append_some(made, right, left, False)
    _reindex(made)
    return made


@_method("set.intersection_update")
def _intersection_update(table: Any, *others: Any) -> None:
    for other in others:
        _intersect(table, set(other))


@_method("set.difference_update")
def _difference_update(table: Any, *others: Any) -> None:
    for other in others:
        for one in list(other):
            table.discard(one)


@_method("set.symmetric_difference_update")
def _symmetric_difference_update(table: Any, other: Any) -> None:
    _toggle(table, set(other))


@_method("set.issubset")
def _issubset(values: Any, other: Any) -> Any:
    return _is_inside(values, set(other))


@_method("table.is_inside")
def _is_inside(values: Any, other: Any) -> Any:
    if len(values) > len(other):
        return False
    for one in values:
        if one not in other:
            return False
    return True


@_method("set.issuperset")
def _issuperset(values: Any, other: Any) -> Any:
    for one in other:
        if one not in values:
            return False
    return True


@_method("set.isdisjoint")
def _isdisjoint(values: Any, other: Any) -> Any:
    for one in other:
        if one in values:
            return False
    return True


@_method("set.equal")
def _equal_sets(left: Any, right: Any) -> Any:
    return len(left) == len(right) and _is_inside(left, right)


@_method("set.is_less")
def _is_less(left: Any, right: Any) -> Any:
    return len(left) < len(right) and _is_inside(left, right)


@_method("table.update_from")
def _update_from(table: Any, other: Any) -> None:
    if isinstance(other, dict):
        for key, value in other.items():
            table[key] = value
    else:
        for key, value in other:
            table[key] = value
