"""Classes with @jitclass: from Python, in compiled functions, and what is freed."""

from __future__ import annotations

import gc
import resource
import threading
import weakref
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import TypingError, UnsupportedError
from tessera.numba import typed
from tessera.types import deferred_type, float64, int32, int64, optional

from tessera import jit, jitclass, types


@jitclass([("n", int32), ("w", float64[:]), ("total", float64)])
class Bag:
    """A bag."""

    def __init__(self, n, scale=1.0):
        self.n = n
        self.w = np.zeros(n)
        self.total = 0.0 * scale

    @property
    def size(self):
        """How many."""
        return self.w.size

    @property
    def half(self):
        return self.total / 2

    @half.setter
    def half(self, value):
        self.total = value * 2

    def add(self, i, v):
        self.w[i % self.n] += v
        self.total += v
        return self

    @staticmethod
    def twice(x):
        return 2 * x

    def __len__(self):
        return self.n

    def __getitem__(self, k):
        return self.w[k]

    def __setitem__(self, k, v):
        self.w[k] = v

    def __contains__(self, v):
        return v in self.w

    def __add__(self, other):
        made = Bag(self.n)
        made.w[:] = self.w + other.w
        made.total = self.total + other.total
        return made

    def __radd__(self, number):
        return number + self.total

    def __neg__(self):
        return -self.total

    def __eq__(self, other):
        return self.total == other.total

    def __lt__(self, other):
        return self.total < other.total

    def __hash__(self):
        return int(self.total)

    def __bool__(self):
        return self.total != 0

    def __call__(self, z):
        return z + self.total


@jit
def fill(bag, k):
    for i in range(k):
        bag.add(i, 2 * (0.5 * i))
    return bag.w.max()


def test_objects_are_shared_between_python_and_functions():
    bag = Bag(7)
    assert fill(bag, 1000) == bag.w.max()
    assert (bag.total, bag.size, bag.n, len(bag)) == (sum(range(1000)), 7, 7, 7)
    bag.total = 1.5
    bag.half = 4
    assert (bag.total, bag.half) == (8.0, 4.0)
    bag.n = 3.0
    assert bag.n == 3
    assert Bag.__doc__ == "A bag." and Bag.size.__doc__ == "How many." and isinstance(bag, Bag)


def test_operators_call_methods_from_python():
    a, b = Bag(3).add(0, 2.0), Bag(3).add(1, 5.0)
    assert (a + b).w.tolist() == [2.0, 5.0, 0.0]
    assert (
        a < b
        and a != b
        and not a == b
        and not a != Bag(3).add(2, 2.0)
        and hash(a) == 2
        and -a == -2.0
        and a(1.0) == 3.0
        and 10 + a == 12.0
    )
    assert bool(a) and not bool(Bag(2)) and 5.0 in b and b[1] == 5.0 and Bag.twice(4) == a.twice(4) == 8
    b[1] = 6.0
    assert b.w[1] == 6.0


@jit
def operators(a, b):
    a[2] = 9.0
    a[0] += 1.0
    a.half += 1.0
    total = a + b
    return (
        total.total,
        a < b,
        a > b,
        a == b,
        a != b,
        -a,
        hash(a),
        len(a),
        9.0 in a,
        8.0 not in a,
        a(3),
        3 + a,
        bool(a),
        not b,
        a is b,
        a is a,
        Bag.twice(3),
        a.twice(3),
        isinstance(a, Bag),
        isinstance(a, int),
        1 if a else 0,
    )


def test_operators_call_methods_in_functions():
    a, b = Bag(3), Bag(3).add(0, 5.0)
    found = operators(a, b)
    assert a.w.tolist() == [1.0, 0.0, 9.0] and a.total == 2.0
    assert found == (
        7.0,
        True,
        False,
        False,
        True,
        -2.0,
        2,
        3,
        True,
        True,
        5.0,
        5.0,
        True,
        False,
        False,
        True,
        6,
        6,
        True,
        False,
        1,
    )


@jit
def keep(bag, x):
    bag.w = x
    bag.w[0] = 7.0
    return bag.w


def test_a_field_keeps_the_array_that_it_is_set_to():
    bag, x = Bag(3), np.arange(4.0)
    kept = keep(bag, x)
    assert x[0] == 7.0 and np.shares_memory(kept, x) and np.shares_memory(bag.w, x)
    alive = weakref.ref(x)
    del x, kept
    gc.collect()
    assert alive() is not None and bag.w.tolist() == [7.0, 1.0, 2.0, 3.0]
    bag.w = np.ones(2)
    gc.collect()
    assert alive() is None and bag.w.tolist() == [1.0, 1.0]
    view = bag.w
    del bag
    gc.collect()
    assert view.tolist() == [1.0, 1.0]


def test_arrays_of_fields_may_be_arguments_too():
    @jit
    def shifted(bag, x):
        for i in range(len(x) - 1):
            bag.w[i + 1] = x[i] + 1.0
        return x[-1]

    bag = Bag(50)
    assert shifted(bag, bag.w) == 49.0


node_type = deferred_type()


@jitclass(OrderedDict([("value", int64), ("next", optional(node_type))]))
class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next

    def prepend(self, value):
        return Node(value, self)

    def total(self):
        total = self.value
        if self.next is not None:
            total += self.next.total()
        return total


node_type.define(Node.class_type.instance_type)


@jit
def chain(n):
    head = Node(0, None)
    for i in range(1, n):
        head = head.prepend(i)
    return head


@jit
def second(node):
    return node.next.value


def test_a_class_may_have_fields_of_its_own_kind():
    head = chain(10)
    assert head.total() == 45 and head.next.next.value == 7
    assert head.next == head.next
    head.next.value = 100
    assert second(head) == 100
    head.next = None
    assert head.total() == 9
    with pytest.raises(TypeError):
        second(head)
    with pytest.raises(TypeError):
        head.next = 3


def test_what_nobody_holds_is_freed():
    for _ in range(3):
        chain(100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        chain(100_000)
    head = chain(10)
    for _ in range(1_000_000 // 1000):
        for _ in range(1000):
            head.next
    for k in range(20_000):
        head.next = Node(k, head.next.next)
    for _ in range(10_000):
        Bag(1000).w
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


@jit
def raising(node, n):
    made = Node(1, node)
    node.next = made.prepend(2)
    if n > 0:
        raise ValueError("stop", n)
    return made


def test_an_exception_leaves_objects_as_they_are():
    node = Node(5, None)
    with pytest.raises(ValueError):
        raising(node, 3)
    assert node.next.value == 2 and node.next.next.value == 1
    node.next.next.next = None  # which was a circle
    gc.collect()


@jit
def listed(n):
    nodes = [Node(k, None) for k in range(n)]
    for k in range(1, n):
        nodes[k].next = nodes[k - 1]
    return nodes, (nodes[0], nodes[1]), nodes[n - 1].total()


def test_objects_are_elements_of_lists_and_tuples():
    nodes, pair, total = listed(5)
    assert [node.value for node in nodes] == [0, 1, 2, 3, 4] and pair[1] == nodes[1] and total == 10

    @jit
    def values(nodes, pair):
        return sum([node.value for node in nodes]) + pair[0].value + pair[1].value

    assert values(nodes, (nodes[3], nodes[4])) == 17


@jitclass([("inner", Bag.class_type.instance_type), ("pair", types.Tuple((int64, float64))), ("z", types.complex128)])
class Outer:
    def __init__(self, inner, a, b):
        self.inner = inner
        self.pair = (a, b)
        self.z = complex(a, b)

    def fill(self, n):
        for i in range(n):
            self.inner.add(i, 1.0)
        return self.inner.total


def test_objects_are_fields_of_others():
    bag = Bag(4)
    outer = Outer(bag, 1, 2.5)
    assert outer.fill(10) == 10.0 == bag.total and outer.inner == bag
    assert outer.pair == (1, 2.5) and outer.z == 1 + 2.5j
    outer.pair = (3, 4)
    outer.z = 2
    assert outer.pair == (3, 4.0) and outer.z == 2
    with pytest.raises(TypeError):
        outer.pair = (1, 2, 3)
    with pytest.raises(TypeError):
        outer.inner = outer


def test_annotations_say_fields():
    @jitclass
    class Point:
        x: float
        y: int
        near: optional(float64)

        def __init__(self, x, y=2):
            self.x = x
            self.y = y
            self.near = None

    point = Point(1, y=3)
    assert (point.x, point.y, point.near) == (1.0, 3, None) and isinstance(point.x, float)
    point.near = 4
    assert point.near == 4.0
    with pytest.raises(AttributeError):
        point.other = 3
    with pytest.raises(TypeError):
        Point()


@pytest.mark.parametrize(
    "spec, members, error",
    [
        ([("x", int64)], {"x": 3}, "not yet supported"),
        ([("x", int64)], {"x": lambda self: 1}, "shadowing"),
        ([(1, int64)], {}, "should be strings"),
        ([("x", int)], {}, "should be Numba type"),
        ([("x", types.voidptr)], {}, "instead"),
    ],
)
def test_wrong_classes_are_refused(spec, members, error):
    def __init__(self):
        pass

    with pytest.raises((TypeError, NameError, UnsupportedError), match=error):
        jitclass(spec)(type("Wrong", (), {"__init__": __init__, **members}))


def test_methods_are_inherited_from_plain_classes():
    class Base:
        def twice(self):
            return 2 * self.x

        def name(self):
            return 1

    @jitclass([("x", int64)])
    class Derived(Base):
        def __init__(self, x):
            self.x = x

        def name(self):
            return 2

    assert Derived(4).twice() == 8 and Derived(4).name() == 2
    with pytest.raises(TypeError, match="cannot subclass from a jitclass"):

        class Further(Derived):
            pass


def test_a_type_of_another_field_is_refused():
    @jit
    def wrong(bag):
        bag.w = np.zeros((2, 2))

    with pytest.raises(TypingError, match="field"):
        wrong(Bag(2))


def test_generators_hold_objects():
    @jit
    def nodes(n):
        head = Node(0, None)
        for k in range(1, n):
            yield head
            head = head.prepend(k)

    found = []
    for node in nodes(5):
        chain(100)
        found.append(node.total())
    assert found == [0, 1, 3, 6]


def test_threads_share_objects():
    @jit(nogil=True)
    def grow(node, n):
        total = 0
        for k in range(n):
            node.next = Node(k, None)
            total += k
        return total

    node = Node(0, None)
    threads = [threading.Thread(target=grow, args=(node, 20_000)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert node.next.value == 19_999


class PlainCounter:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.calls = 0

    def step(self, k):
        self.calls += 1
        if k % 2 == 0:
            self.a += k
        else:
            self.b = self.b * 2 - k
        return self.a - self.b

    def swap(self):
        self.calls += 1
        self.a, self.b = self.b, self.a

    @property
    def both(self):
        return self.a + self.b

    @both.setter
    def both(self, value):
        self.a = value - self.b

    def __add__(self, other):
        return type_of(self)(self.a + other.a, self.b + other.b)


def type_of(counter):
    return PlainCounter


Counter = jitclass([("a", int64), ("b", int64), ("calls", int64)])(
    type(
        "Counter",
        (),
        {
            name: value
            for name, value in vars(PlainCounter).items()
            if name not in ("__dict__", "__weakref__", "__module__", "__add__")
        },
    )
)


@jit
def run(counter, steps):
    for k in steps:
        if k == -1:
            counter.swap()
        elif k == -2:
            counter.both = 10
        else:
            counter.step(k)
    return counter.both


_steps = st.lists(st.integers(-2, 50), min_size=1, max_size=20)


@settings(deadline=None, max_examples=100)
@given(st.integers(-50, 50), st.integers(-50, 50), _steps)
def test_random_calls_do_what_python_s_class_does(a, b, steps):
    plain, inside, outside = PlainCounter(a, b), Counter(a, b), Counter(a, b)
    expected = run.py_func(plain, steps)
    assert run(inside, np.array(steps)) == expected
    assert run.py_func(outside, steps) == expected
    for counter in (inside, outside):
        assert (counter.a, counter.b, counter.calls) == (plain.a, plain.b, plain.calls)


@jitclass([("a", int64), ("b", int64)])
class Key:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __hash__(self):
        return self.a * 31 + self.b % 2

    def __eq__(self, other):
        return self.a == other.a and self.b == other.b


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("sgdn"), st.integers(0, 3), st.integers(0, 3)), max_size=60))
def test_objects_are_keys_by_their_methods(steps):
    codes = np.array([["sgdn".index(what), a, b] for what, a, b in steps] or [[1, 0, 0]], dtype=np.int64)

    expected, log = {}, []
    for k, (what, a, b) in enumerate(codes.tolist()):
        if what == 0:
            expected[a, b] = k
        elif what == 1:
            log.append(expected.get((a, b), -1))
        elif what == 2:
            log.append(expected.pop((a, b), -2))
        else:
            log.append(int((a, b) in expected))
    table, got = keyed(codes)
    assert got == log and table == sum((a + 10 * b) * k for (a, b), k in expected.items())


@jit
def keyed(codes):
    table = {Key(9, 9): -1}
    del table[Key(9, 9)]
    log = [0]
    for k in range(codes.shape[0]):
        what, key = codes[k, 0], Key(codes[k, 1], codes[k, 2])
        if what == 0:
            table[key] = k
        elif what == 1:
            log.append(table.get(key, -1))
        elif what == 2:
            log.append(table.pop(key, -2))
        else:
            log.append(1 if key in table else 0)
    total = 0
    for key, value in table.items():
        total += (key.a + 10 * key.b) * value
    return total, log[1:]


def test_objects_are_elements_of_sets_and_tuples_keys():
    @jit
    def sets(n):
        seen = set()
        for k in range(n):
            seen.add(Key(k % 5, k % 3))
        pairs = {(Key(1, 2), 3): 1.5}
        return len(seen), Key(1, 1) in seen, Key(7, 1) in seen, pairs[(Key(1, 2), 3)]

    assert sets(40) == (15, True, False, 1.5)

    @jit
    def missing():
        return {Key(1, 2): 3}[Key(2, 2)]

    with pytest.raises(KeyError):
        missing()


def test_objects_without_a_hash_are_keys_as_such_or_not_at_all():
    @jitclass([("a", int64)])
    class Plain:
        def __init__(self, a):
            self.a = a

    @jit
    def plain(n):
        first = Plain(0)
        seen = {first}
        for k in range(n):
            seen.add(first)
            seen.add(Plain(0))
        return len(seen), first in seen, Plain(0) in seen

    assert plain(10) == (11, True, False)

    @jitclass([("a", int64)])
    class Equal:
        def __init__(self, a):
            self.a = a

        def __eq__(self, other):
            return self.a == other.a

    with pytest.raises(TypingError, match="unhashable"):
        jit(lambda: {Equal(1): 2})()


def test_a_table_that_changes_while_its_keys_are_compared():
    node = deferred_type()

    @jitclass([("n", int64), ("others", types.DictType(node, int64))])
    class Odd:
        def __init__(self, n, others):
            self.n = n
            self.others = others

        def __hash__(self):
            return 1

        def __eq__(self, other):
            self.others.clear()
            other.others.clear()
            return False

    node.define(Odd.class_type.instance_type)
    kind, number = Odd.class_type.instance_type, int64

    @jit
    def run(n):
        table = typed.Dict.empty(kind, number)
        for k in range(n):
            table[Odd(k, table)] = k
        return len(table)

    assert run(1) == 1
    with pytest.raises(RuntimeError, match="changed"):
        run(30)


class NeverEqual:
    def __init__(self, x):
        self.x = x
        self.asked = 0

    def __eq__(self, other):
        self.asked += 1
        return False

    def __hash__(self):
        return 1


NeverEqualHere = jitclass([("x", int64), ("asked", int64)])(type("NeverEqualHere", (), dict(vars(NeverEqual))))


def same_in_containers(a, b):
    made, other = [a, b], [a, b]
    found = [
        a in made,
        b in (a, b),
        made == other,
        made != other,
        (a, b) == (a, b),
        (a,) != (a,),
        a in {a, b},
        {1: a} == {1: a},
        [(1, a)] == [(1, a)],
        a == a,  # noqa: PLR0124
        made == [b, a],
    ]
    made.remove(b)
    return found, made.count(a), other.index(b), len(made), len({a, b, a})


def test_an_object_in_a_container_is_equal_to_itself():
    ours, plain = (NeverEqualHere(1), NeverEqualHere(2)), (NeverEqual(1), NeverEqual(2))
    found = jit(same_in_containers)(*ours)
    assert (list(found[0]), *found[1:]) == same_in_containers(*plain)

    @jit
    def optional_ones(a, n):
        x = a if n > 0 else None
        return (x, 1) == (x, 1)

    assert optional_ones(ours[0], 1)
    assert optional_ones(ours[0], 0)


def test_an_object_that_is_found_is_not_asked():
    @jit
    def asked(a, b):
        return (a in [a, b]), a.asked, (b in [a, b]), a.asked + b.asked

    def plain(a, b):
        return (a in [a, b]), a.asked, (b in [a, b]), a.asked + b.asked

    assert asked(NeverEqualHere(1), NeverEqualHere(2)) == plain(NeverEqual(1), NeverEqual(2))
