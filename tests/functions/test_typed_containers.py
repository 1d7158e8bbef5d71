"""numba.typed's List and Dict: what functions make, and what Python and functions share."""

from __future__ import annotations

import pickle
from collections.abc import MutableMapping, MutableSequence
from typing import Any

import numpy
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tessera.errors import TypingError
from tessera.functions.python_blocks import objmode
from tessera.functions.typed_containers import Dict, List

from tessera import errors, njit, prange, types


def test_a_typed_list_that_a_function_makes_is_one_of_pythons() -> None:
    @njit
    def made() -> Any:
        values = List()
        values.append(1)
        return values, values[0:1], values.copy(), values + values, [1]

    *typed, plain = made()
    assert [type(one) for one in typed] == [List] * 4
    assert typed == [[1], [1], [1], [1, 1]]
    assert type(plain) is list
    assert repr(typed[0]) == "ListType[int64]([1])"


def test_lists_of_none() -> None:
    @njit
    def nothing(values: Any) -> Any:
        one = List()
        one.append(None)
        one[0] = None
        one.append(None)
        found = one[1]
        return one, len(one), found, one == one, [None] * 3, values

    one, count, found, same, several, _ = nothing(1)
    assert list(one) == [None, None] and count == 2 and found is None and same
    assert several == [None, None, None]


def test_lists_of_numbers_and_none() -> None:
    @njit
    def total() -> Any:
        values = [1, None, 3]
        found = 0
        for one in values:
            if one is not None:
                found += one
        return found, values

    assert total() == total.py_func()


@pytest.mark.parametrize("given", [3, -3])
def test_a_function_that_may_raise_and_returns_nothing_is_assigned(given: int) -> None:
    @njit
    def check(x: Any) -> None:
        if x < 0:
            raise ValueError("negative")

    @njit
    def asks(x: Any) -> Any:
        nothing = check(x)
        return 5 if nothing is None else 6

    if given < 0:
        with pytest.raises(ValueError, match="negative"):
            asks(given)
    else:
        assert asks(given) == 5


@njit
def store(table: Any, key: Any, value: Any) -> None:
    table[key] = value


@njit
def look_up(table: Any, key: Any) -> Any:
    return table[key] if key in table else table[list(table)[0]]


@njit
def drop(table: Any, key: Any) -> Any:
    if key in table:
        del table[key]
        return 1
    return 0


@njit
def refill(table: Any, count: Any) -> None:
    first = list(table.items())[0]
    table.clear()
    for _ in range(count):
        table[first[0]] = first[1]


@njit
def raises_after(table: Any, key: Any, value: Any) -> None:
    table[key] = value
    if len(table) > 0:
        raise ValueError("after a change")


@njit
def add(values: Any, value: Any, times: Any) -> Any:
    for _ in range(times):
        values.append(value)
    return values


@njit
def take(values: Any, place: Any) -> Any:
    return values.pop(place % len(values))


@njit
def move(values: Any, table: Any) -> None:
    for key in table:
        values.append(key)
        table[key] = values[0]


KEYS = {
    "int": (types.int64, st.integers(-5, 30)),
    "float": (types.float64, st.sampled_from([0.0, -0.0, 1.5, -2.25, float("inf")])),
    "pair": (
        types.Tuple((types.int64, types.float64)),
        st.tuples(st.integers(0, 3), st.sampled_from([0.0, -0.0, 2.5])),
    ),
}


@pytest.mark.parametrize("kind", sorted(KEYS))
def test_dicts_that_python_and_functions_change_in_turn(kind: str) -> None:
    key_type, keys = KEYS[kind]

    class Turns(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.ours = Dict.empty(key_type, types.int64)
            self.theirs: dict[Any, int] = {}
            self.copies: list[tuple[Any, Any]] = []

        def both(self, ask: Any) -> None:
            found = []
            for table in (self.ours, self.theirs):
                try:
                    found.append(ask(table))
                except (KeyError, ValueError, IndexError) as error:
                    found.append(type(error))
            assert found[0] == found[1]

        @rule(key=keys, value=st.integers(-9, 9), compiled=st.booleans())
        def stores(self, key: Any, value: int, compiled: bool) -> None:
            store(self.ours, key, value) if compiled else self.ours.__setitem__(key, value)
            self.theirs[key] = value

        @rule(key=keys)
        def drops(self, key: Any) -> None:
            assert drop(self.ours, key) == drop.py_func(self.theirs, key)

        @rule(key=keys)
        def deletes(self, key: Any) -> None:
            self.both(lambda table: table.__delitem__(key))

        @rule(key=keys)
        def looks_up(self, key: Any) -> None:
            if self.theirs:
                assert look_up(self.ours, key) == look_up.py_func(self.theirs, key)

        @rule(count=st.integers(0, 3))
        def refills(self, count: int) -> None:
            if self.theirs:
                refill(self.ours, count)
                refill.py_func(self.theirs, count)

        @rule(key=keys, value=st.integers(-9, 9))
        def raises(self, key: Any, value: int) -> None:
            with pytest.raises(ValueError, match="after a change"):
                raises_after(self.ours, key, value)
            self.theirs[key] = value

        @rule()
        def copies_and_pickles(self) -> None:
            self.copies.append((pickle.loads(pickle.dumps(self.ours)), dict(self.theirs)))
            self.copies.append((self.ours.copy(), dict(self.theirs)))

        @rule()
        def pops(self) -> None:
            self.both(lambda table: table.popitem())

        @invariant()
        def are_alike(self) -> None:
            for ours, theirs in [(self.ours, self.theirs), *self.copies[-2:]]:
                assert list(ours.items()) == list(theirs.items())
                assert [repr(key) for key in ours] == [repr(key) for key in theirs]

    run_state_machine_as_test(Turns, settings=settings(deadline=None, max_examples=60, stateful_step_count=30))


def test_lists_that_python_and_functions_change_in_turn() -> None:
    class Turns(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.ours, self.theirs = List([7]), [7]
            self.table = Dict.empty(types.int64, types.int64)
            self.other: dict[int, int] = {}

        @rule(value=st.integers(-9, 9), times=st.integers(0, 9))
        def adds(self, value: int, times: int) -> None:
            assert add(self.ours, value, times) is self.ours
            self.theirs += [value] * times

        @rule(value=st.integers(-9, 9), place=st.integers(-3, 3))
        def inserts(self, value: int, place: int) -> None:
            self.ours.insert(place, value)
            self.theirs.insert(place, value)

        @rule(place=st.integers(0, 9))
        def takes(self, place: int) -> None:
            if len(self.theirs) > 1:
                assert take(self.ours, place) == take.py_func(self.theirs, place)

        @rule(key=st.integers(0, 3), value=st.integers(0, 3))
        def stores(self, key: int, value: int) -> None:
            self.table[key] = self.other[key] = value

        @rule()
        def moves(self) -> None:
            move(self.ours, self.table)
            move.py_func(self.theirs, self.other)

        @rule(place=st.integers(-2, 2), step=st.integers(1, 3))
        def deletes_slices(self, place: int, step: int) -> None:
            if len(self.theirs) > 4:
                del self.ours[place::step], self.theirs[place::step]
            if not self.theirs:
                self.ours.append(1)
                self.theirs.append(1)

        @invariant()
        def are_alike(self) -> None:
            assert list(self.ours) == self.theirs and len(self.ours) == len(self.theirs)
            assert dict(self.table) == self.other

    run_state_machine_as_test(Turns, settings=settings(deadline=None, max_examples=60, stateful_step_count=30))


def test_a_call_takes_the_memory_that_the_last_one_left() -> None:
    table = Dict.empty(types.int64, types.int64)
    for k in range(1000):
        store(table, k, -k)
    image = table._image
    assert image.is_ahead and len(table) == 1000 and not image.is_ahead
    assert look_up(table, 5) == -5 and table._image is image
    table[5] = 4
    assert look_up(table, 5) == 4 and table._image is not image


def test_one_list_passed_twice_and_inside_another() -> None:
    @njit
    def change(values: Any, outer: Any, again: Any) -> Any:
        outer[0].append(3)
        again.append(len(values))
        return values, len(outer[0])

    values = List([1, 2])
    outer = List([values])
    same, count = change(values, outer, values)
    assert same is values and outer[0] is values
    assert list(values) == [1, 2, 3, 3] and count == 4


def test_typed_containers_are_no_lists_and_dicts() -> None:
    values, table = List([1, 2]), Dict({"a": 1})
    assert isinstance(values, MutableSequence) and isinstance(table, MutableMapping)
    assert values == [1, 2] and table == {"a": 1} and [*values] == [1, 2] and {**table} == {"a": 1}
    assert numpy.array(values).tolist() == [1, 2]
    with pytest.raises(TypeError, match="unhashable"):
        hash(values)
    with pytest.raises(RuntimeError, match="untyped"):
        _ = List()._dtype
    with pytest.raises(ValueError, match="length mismatch"):
        values[::-1] = [1]


def test_values_of_several_kinds_are_appended_and_compared() -> None:
    @njit
    def found(table: Any, keys: Any) -> Any:
        values = []
        for key in keys:
            values.append(table.get(key))
        return values, table == 1, table != 1, keys == 1, keys != 1, table == (1, 2), (1, 2) != table

    table = Dict.empty(types.int64, types.float64)
    table[1] = 0.5
    assert found(table, [1, 2]) == ([0.5, None], False, True, False, True, False, True)


def test_zip_of_tuples_is_an_iterator() -> None:
    @njit
    def pairs(values: Any, name: Any) -> Any:
        zipped = zip(values, name)
        first = next(zipped)
        return first, list(zipped), list(zipped)

    assert pairs((1, 2, 3), "abc") == pairs.py_func((1, 2, 3), "abc")


@pytest.mark.parametrize("values", [[3, -4, 1, 4, -1], [2.5], [(1, 2), (0, 5), (0, 4)]])
def test_extremes_by_a_key(values: Any) -> None:
    @njit
    def extremes(values: Any) -> Any:
        return min(values, key=lambda x: -x), max(values, key=lambda x: x * x), min(values, default=7, key=abs)

    @njit
    def of_pairs(values: Any) -> Any:
        return min(values, key=lambda x: x[0]), max(values, key=lambda x: (x[1], x[0])), max(values, default=(0, 0))

    ask = of_pairs if isinstance(values[0], tuple) else extremes
    assert ask(values) == ask.py_func(values)


def test_extremes_of_nothing() -> None:
    @njit
    def least(n: Any) -> Any:
        return min([k for k in range(n)], default=-1), max([k for k in range(n)], key=lambda k: k)

    assert least(2) == (0, 1)
    with pytest.raises(ValueError, match="max"):
        least(0)


def test_lists_sorted_by_what_a_key_gives_of_another_type() -> None:
    @njit
    def in_order(values: Any) -> Any:
        values.sort(key=lambda one: numpy.sum(one))
        return values

    rows = [numpy.array([3.0, 1.0]), numpy.array([1.0]), numpy.array([2.0, 1.0])]
    assert [row.sum() for row in in_order(rows)] == [1.0, 3.0, 4.0]


def test_a_function_that_returns_what_always_raises_has_no_value() -> None:
    @njit
    def refuse(x: Any) -> Any:
        raise ValueError("never")

    @njit
    def passes_on(x: Any) -> Any:
        return refuse(x)

    @njit
    def stores(out: Any, x: Any) -> None:
        value = passes_on(x)
        out[0] = value

    with pytest.raises(ValueError, match="never"):
        stores(numpy.zeros(1), 1)


_OUTSIDE = [List([1, 2]), Dict({1: 2})]
_LISTED, _TABLE = _OUTSIDE


def test_typed_containers_from_outside_are_refused() -> None:
    for ask in (lambda: len(_LISTED), lambda: _TABLE[1]):
        with pytest.raises(TypingError, match="as an argument"):
            njit(ask)()


def test_while_a_generator_has_a_container_python_reads_it_and_does_not_change_it() -> None:
    @njit
    def numbers(items: Any, table: Any) -> Any:
        for i in range(3):
            items.append(i)
            table[i] = i
            yield len(items)

    items, table = List([7]), Dict({9: 9})
    made = numbers(items, table)
    for k in range(3):
        assert next(made) == k + 2
        assert list(items) == [7, *range(k + 1)] and dict(table) == {9: 9, **{i: i for i in range(k + 1)}}
        for change in (lambda: items.append(100), lambda: table.__setitem__(5, 5), items.clear, table.clear):
            with pytest.raises(RuntimeError, match="a generator of one that has not ended"):
                change()
    assert next(made, None) is None
    items.append(100)
    table[5] = 5
    assert list(items) == [7, 0, 1, 2, 100] and dict(table) == {9: 9, 0: 0, 1: 1, 2: 2, 5: 5}
    made = numbers(items, table)
    next(made)
    made.close()
    items[0] = 8
    assert list(items) == [8, 0, 1, 2, 100, 0]
    made = numbers(items, table)
    next(made)
    del made
    items.clear()
    assert list(items) == []


def test_a_generator_that_raises_leaves_its_containers() -> None:
    @njit
    def numbers(items: Any) -> Any:
        for i in range(3):
            items.append(i)
            if i == 1:
                raise ValueError("enough")
            yield i

    items = List([7])
    made = numbers(items)
    assert next(made) == 0
    with pytest.raises(ValueError, match="enough"):
        next(made)
    items.append(5)
    assert list(items) == [7, 0, 1, 5]


_SEEN = List([7])
_LENGTHS: list[tuple[int, int]] = []


def _look() -> None:
    _LENGTHS.append((len(_SEEN), _SEEN[-1]))


def _change() -> None:
    _SEEN.append(1)


def test_python_sees_in_mid_call_what_the_call_has_done() -> None:
    @njit
    def looks(items: Any, n: int) -> int:
        for i in range(n):
            items.append(i)
            with objmode():
                _look()
        return len(items)

    @njit
    def changes(items: Any) -> int:
        with objmode():
            _change()
        return len(items)

    assert looks(_SEEN, 3) == 4 and looks(_SEEN, 2) == 6
    assert _LENGTHS == [(2, 0), (3, 1), (4, 2), (5, 0), (6, 1)]
    with pytest.raises(RuntimeError, match="a compiled function that is running"):
        changes(_SEEN)
    assert list(_SEEN) == [7, 0, 1, 2, 0, 1]
    _SEEN.append(3)
    assert list(_SEEN) == [7, 0, 1, 2, 0, 1, 3]


def add_itself(a, values):
    values.append(a)
    values.append(a[1:].copy())
    a[0] = 77
    return values[0][0]


def split_up(indices, values, depth):
    if depth > 0 and len(indices) > 2:
        split_up_compiled(indices[: len(indices) // 2].copy(), values, depth - 1)
        split_up_compiled(indices[len(indices) // 2 :].copy(), values, depth - 1)
        values.append(numpy.array([-1], dtype=numpy.int32))
    else:
        values.append(indices)


split_up_compiled = njit(split_up)


def test_a_list_that_is_passed_takes_arrays_that_are_arguments():
    values = List.empty_list(types.int32[::1])
    a = numpy.arange(50_000, dtype=numpy.int32)
    assert njit(add_itself)(a, values) == 77
    a[1] = 55
    assert len(values) == 2 and values[0][:3].tolist() == [77, 55, 2]
    kept = values[0]
    del a, values
    assert [numpy.full(50_000, k, numpy.int32)[0] for k in range(8)] == list(range(8))
    assert kept[0] == 77 and kept[-1] == 49_999


def test_a_function_that_calls_itself_adds_what_it_is_given():
    values = List.empty_list(types.int32[::1])
    split_up_compiled(numpy.arange(9, dtype=numpy.int32), values, 5)

    def wanted(indices, depth):
        if depth == 0 or len(indices) <= 2:
            return [indices]
        half = len(indices) // 2
        return [*wanted(indices[:half], depth - 1), *wanted(indices[half:], depth - 1), [-1]]

    assert [one.tolist() for one in values] == wanted(list(range(9)), 5)


def sums_of_parts(n, found):
    for i in prange(n):
        part = List.empty_list(types.int64)
        for k in range(i):
            part.append(k * i)
        for k in range(len(part)):
            found[i] += part[k]
    return found


def into_one(n, values):
    for i in prange(n):
        values.append(i)


def test_iterations_of_parallel_loops_make_typed_lists():
    n = 300
    found = njit(parallel=True)(sums_of_parts)(n, numpy.zeros(n, numpy.int64))
    assert found.tolist() == [i * i * (i - 1) // 2 for i in range(n)]
    with pytest.raises(errors.UnsupportedError, match="append in prange to a list from before it"):
        njit(parallel=True)(into_one)(n, List.empty_list(types.int64))
