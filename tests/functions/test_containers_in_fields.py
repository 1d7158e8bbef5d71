"""Fields of objects that are lists, dicts, sets and texts: who shares them, and what is freed."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import TypingError
from tessera.numba import typed
from tessera.types import DictType, ListType, Set, float64, int64, unicode_type

from tessera import _core, jit, jitclass, types


class PlainStore:
    def __init__(self, label):
        self.items = [1]
        self.counts = {"": 0}
        self.seen = {1}
        self.label = label

    def add(self, k):
        self.items.append(k)
        key = self.label + str(k)
        self.counts[key] = self.counts.get(key, 0) + k
        self.seen.add(k)

    def take(self):
        k = self.items.pop()
        self.seen.discard(k)
        return k

    def forget(self, key):
        del self.counts[key]

    def name(self, label):
        self.label = label
        self.label += "."

    def turn(self):
        self.items = [k * 2 for k in self.items if k != 3]
        self.seen = set(self.items)


Store = jitclass(
    [
        ("items", types.List(int64)),
        ("counts", DictType(unicode_type, int64)),
        ("seen", Set(int64)),
        ("label", unicode_type),
    ]
)(PlainStore)


def state_of(store):
    return list(store.items), dict(store.counts), set(store.seen), store.label


STEPS = st.one_of(
    st.tuples(st.just("add"), st.integers(-3, 9)),
    st.tuples(st.just("take")),
    st.tuples(st.just("forget"), st.sampled_from(["a.3", "b.4", "", "a3"])),
    st.tuples(st.just("name"), st.sampled_from(["a", "b", "", "é€"])),
    st.tuples(st.just("turn")),
    st.tuples(st.just("collect")),
    st.tuples(st.just("set"), st.lists(st.integers(-5, 5), max_size=4)),
    st.tuples(st.just("put"), st.sampled_from(["a.1", "", "x"]), st.integers(-5, 5)),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(STEPS, max_size=30), st.sampled_from(["a", "long " * 20]), st.booleans())
def test_objects_do_what_plain_ones_do(steps, label, always):
    plain, store = PlainStore(label), Store(label)
    _core.kernels.collect_always(always)
    try:
        for what, *arguments in steps:
            if what == "collect":
                gc.collect()
            elif what == "set":
                plain.items, store.items = list(arguments[0]), list(arguments[0])
            elif what == "put":
                plain.counts[arguments[0]] = store.counts[arguments[0]] = arguments[1]
            else:
                expected = raised = None
                try:
                    expected = getattr(plain, what)(*arguments)
                except (IndexError, KeyError) as error:
                    raised = type(error)
                if raised:
                    with pytest.raises(raised):
                        getattr(store, what)(*arguments)
                else:
                    assert getattr(store, what)(*arguments) == expected
            assert state_of(store) == state_of(plain)
    finally:
        _core.kernels.collect_always(False)


@jitclass([("items", ListType(float64)), ("table", DictType(int64, float64))])
class Shared:
    def __init__(self, items, table):
        self.items = items
        self.table = table

    def add(self, x):
        self.items.append(x)
        self.table[len(self.items)] = x

    def total(self):
        t = 0.0
        for x in self.items:
            t += x
        return t + len(self.table)


def test_typed_containers_are_shared_with_python_and_functions():
    items, table = typed.List([1.5, 2.5]), typed.Dict.empty(int64, float64)
    shared = Shared(items, table)
    shared.add(3.0)
    assert list(items) == [1.5, 2.5, 3.0] and dict(table) == {3: 3.0}
    items.append(4.0)
    items[0] = 0.5
    del items[1]
    table[7] = 1.0
    assert shared.total() == 0.5 + 3 + 4 + 2
    again = shared.items
    again.extend([1, 2])
    again *= 2
    assert list(items) == list(shared.items) == [0.5, 3.0, 4.0, 1.0, 2.0] * 2
    items.sort()
    assert again[0] == 0.5 and shared.items == items

    @jit
    def change(items, table):
        for k in range(100):
            items.append(k)
        table[1000] = 2.0
        return items

    result = change(items, shared.table)
    result.append(-1.0)
    assert len(items) == len(shared.items) == 111 and items[-1] == -1.0 and table[1000] == 2.0
    other = Shared(shared.items, shared.table)
    other.add(5.0)
    assert items[-1] == 5.0 and shared.table == other.table == table
    shared.items = typed.List([9.0])
    assert list(shared.items) == [9.0] and items[-1] == 5.0


def test_lists_of_pythons_are_copied_in():
    store = Store("x")
    given = [5, 6]
    store.items = given
    given.append(7)
    assert store.items == [5, 6]
    store.items.append(8)  # of a copy
    assert store.items == [5, 6]


def test_containers_outlive_the_function_that_made_them():
    @jit
    def make(n):
        store = Store("abc" * 30)
        for k in range(n):
            store.add(k)
        return store

    stores = [make(k) for k in range(1, 60)]
    gc.collect()
    make(20_000)
    for k, store in enumerate(stores, 1):
        assert len(store.items) == k + 1 and len(store.counts) == k + 1 and store.label == "abc" * 30
    assert stores[-1].counts["abc" * 30 + "57"] == 57


# Classes with containers of arrays change when arrays are freed, so they have a process of their own.
ELEMENTS = """
import gc
import sys
import threading

import numpy as np
from tessera import _core, jit, jitclass
from tessera.numba import typed
from tessera.types import DictType, ListType, Tuple, float64, int64, optional, unicode_type

@jitclass([("value", int64), ("w", float64[:])])
class Leaf:
    def __init__(self, value):
        self.value = value
        self.w = np.full(3, float(value))


LEAF = Leaf.class_type.instance_type
LIST = ListType(int64)


@jitclass(
    [
        ("leaves", ListType(LEAF)),
        ("by_name", DictType(unicode_type, LIST)),
        ("arrays", ListType(float64[:])),
        ("maybe", optional(ListType(unicode_type))),
        ("pair", Tuple((unicode_type, ListType(float64)))),
    ]
)
class Tree:
    def __init__(self):
        self.leaves = typed.List.empty_list(LEAF)
        self.by_name = typed.Dict.empty(unicode_type, LIST)
        self.arrays = typed.List.empty_list(float64[:])
        self.maybe = None
        numbers = typed.List.empty_list(float64)
        numbers.append(0.5)
        self.pair = ("p", numbers)

    def add(self, name, k):
        self.leaves.append(Leaf(k))
        if name not in self.by_name:
            self.by_name[name] = typed.List.empty_list(int64)
        self.by_name[name].append(k)
        self.arrays.append(np.arange(k % 5 + 1) * 1.0)
        if self.maybe is None:
            made = typed.List.empty_list(unicode_type)
            made.append(name)
            self.maybe = made
        else:
            self.maybe.append(name + "!")
        self.pair[1].append(k * 1.0)
        self.pair = (name, self.pair[1])

    def total(self):
        t = 0.0
        for leaf in self.leaves:
            t += leaf.value + leaf.w.sum()
        for name in self.by_name:
            for k in self.by_name[name]:
                t += k
        for a in self.arrays:
            t += a.sum()
        for x in self.pair[1]:
            t += x
        return t


def total_of(n):
    return 0.5 + sum(6 * k + sum(range(k % 5 + 1)) for k in range(n))


_core.kernels.collect_always(sys.argv[1] == "always")
@jit
def many(n, m):
    total = 0.0
    kept = [Tree()]
    for i in range(n):
        tree = Tree()
        for k in range(m):
            tree.add("abc" if k % 2 else "d", k)
        total += tree.total()
        if i % 3 == 0:
            kept.append(tree)
    for one in kept:
        total += one.total()
    return total, kept[-1]

tree = Tree()
for k in range(40):
    tree.add(f"n{k % 7}", k)
total, last = many(7, 20)
assert total == 10 * total_of(20) + 0.5 and last.total() == total_of(20) and tree.total() == total_of(40)
assert [a.tolist() for a in tree.arrays[:3]] == [[0], [0, 1], [0, 1, 2]]
assert list(tree.maybe)[:3] == ["n0", "n1!", "n2!"] and tree.pair[0] == "n4" and len(tree.pair[1]) == 41
assert list(last.by_name["d"]) == list(range(0, 20, 2))
leaf, listed = last.leaves[3], last.by_name["abc"]
del last
gc.collect()
many(5, 5)
assert leaf.value == 3 and leaf.w.tolist() == [3.0] * 3 and list(listed) == list(range(1, 20, 2))
listed.append(5)
tree.leaves.append(leaf)
assert listed[-1] == 5 and tree.leaves[-1].value == 3
"""


@pytest.mark.parametrize("mode", ["always", "seldom"])
def test_elements_are_objects_arrays_texts_and_containers(mode, tmp_path):
    path = tmp_path / "elements.py"
    path.write_text(ELEMENTS)
    subprocess.run([sys.executable, str(path), mode], check=True, timeout=200)


def test_what_nothing_holds_is_freed():
    @jit
    def churn(n):
        total = 0
        for k in range(n):
            store = Store("q")
            store.add(k)
            total += len(store.items)
        return total

    def size():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    churn(20_000)
    for _ in range(2000):
        Store("p").add(3)
    before = size()
    churn(300_000)
    for _ in range(30_000):
        Store("p").add(3)
    assert size() - before < 60_000  # KB


def test_a_field_that_nothing_was_stored_in():
    @jitclass([("items", ListType(int64)), ("name", unicode_type)])
    class Empty:
        def __init__(self):
            pass

        def count(self):
            return len(self.items)

        def text(self):
            return self.name

    for ask in (Empty.count, Empty.text):
        with pytest.raises(ValueError, match="no value yet"):
            ask(Empty())


def test_types_are_checked():
    @jitclass([("items", ListType(float64))])
    class Floats:
        def __init__(self, items):
            self.items = items

    floats = Floats(typed.List([1.0]))
    with pytest.raises(TypeError):
        floats.items = typed.List([1])
    with pytest.raises(TypeError):
        floats.items = 3
    with pytest.raises(TypingError):
        Floats(typed.List([1]))
    with pytest.raises(TypingError):
        Floats({1: 2.0})
    with pytest.raises(TypeError):
        Store("a").label = 3


def test_annotations():
    @jitclass
    class Annotated:
        names: list[str]
        count: dict[str, int]
        label: str
        seen: set[int]

        def __init__(self, label):
            self.names = typed.List.empty_list(unicode_type)
            self.count = typed.Dict.empty(unicode_type, int64)
            self.label = label
            self.seen = {0}

        def add(self, name):
            self.names.append(name + self.label)
            self.count[name] = self.count.get(name, 0) + 1
            self.seen.add(len(name))

    made = Annotated("!")
    for name in "a bb a".split():
        made.add(name)
    assert list(made.names) == ["a!", "bb!", "a!"] and dict(made.count) == {"a": 2, "bb": 1} and made.seen == {0, 1, 2}


def test_generators_over_fields():
    @jit
    def each(store):
        for k in store.items:
            store.items[0] = k
            yield k, store.label

    store = Store("t")
    for k in range(5):
        store.add(k)
    walk = each(store)
    first = next(walk)
    gc.collect()
    assert [first, *walk] == [(k, "t") for k in [1, 0, 1, 2, 3, 4]] and store.items[0] == 4


def test_texts_of_numbers_are_elements_where_texts_are():
    @jitclass([("names", types.List(unicode_type)), ("pairs", types.List(types.Tuple((int64, unicode_type))))])
    class Names:
        def __init__(self):
            self.names = ["a"]
            self.pairs = [(1, "b")]

        def add(self, k):
            self.names.append(str(k))
            self.names[0] = str(k * 2)
            self.pairs.append((k, str(k)))
            self.pairs[0] = (k, f"<{k}>")

    made = Names()
    made.add(3)
    made.add(44)
    assert made.names == ["88", "3", "44"] and made.pairs == [(44, "<44>"), (3, "3"), (44, "44")]


def test_a_process_that_was_forked_has_its_own(tmp_path):
    path = tmp_path / "forked.py"
    path.write_text(FORKED)
    done = subprocess.run([sys.executable, str(path)], check=True, timeout=200, capture_output=True, text=True)
    assert done.stdout.split() == ["child", "4950", "5049", "parent", "4950"]


FORKED = """
import gc
import os

from tessera import jitclass
from tessera.types import List, int64


@jitclass([("items", List(int64))])
class Bag:
    def __init__(self):
        self.items = [0]

    def add(self, k):
        self.items.append(k)

    def total(self):
        return sum(self.items)


bag = Bag()
for k in range(100):
    bag.add(k)
if os.fork() == 0:
    before = bag.total()
    bag.add(99)
    gc.collect()
    print("child", before, bag.total(), flush=True)
    os._exit(0)
os.wait()
print("parent", bag.total())
"""


def test_threads_share_objects():
    store = Store("t")
    made = []

    def work(first):
        own = Store("own")
        for k in range(300):
            store.add(first + k)
            own.add(k)
        made.append(len(own.items))

    threads = [threading.Thread(target=work, args=(1000 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [301] * 4 and len(store.items) == 1201 and len(store.counts) == 1201
    assert sorted(store.items) == sorted([1, *(1000 * t + k for t in range(4) for k in range(300))])
