"""Objects that a function makes and keeps to itself are variables; those that something gets to know are objects."""

from __future__ import annotations

import random
import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.types import deferred_type, float64, int64, optional

from tessera import jit, jitclass


class PlainPair:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return type_of_pair((self.x + other.x) % 10007, (self.y + other.y) % 10007)

    def __iadd__(self, other):
        self.x = (self.x + other.x) % 10007
        return self

    def bump(self, k):
        self.x = (self.x + k) % 10007
        return self.x

    def pick(self, k):
        if k % 2 == 0:
            return self
        return type_of_pair(k, self.x)

    def early(self, k):
        if k > 3:
            return type_of_pair(self.y, k)
        for i in range(k):
            if i == 2:
                return type_of_pair(i, i)
        return type_of_pair(self.x, k)


Pair = jitclass([("x", int64), ("y", int64)])(
    type(
        "Pair",
        (),
        {
            name: value
            for name, value in vars(PlainPair).items()
            if not name.startswith("__") or name in ("__init__", "__add__", "__iadd__")
        },
    )
)
type_of_pair = Pair


class PlainBox:
    def __init__(self, p, k):
        self.p = p
        self.k = k

    def swap(self, p):
        old = self.p
        self.p = p
        return old


Box = jitclass([("p", Pair.class_type.instance_type), ("k", int64)])(
    type("Box", (), {"__init__": PlainBox.__init__, "swap": PlainBox.swap})
)


def made_by_host(function):
    """How many places of the compiled function ask the host for an object, or to hold one."""
    return sum(len(re.findall(r"call_host\.int64 @20", text)) for text in function.inspect_ir().values())


def test_objects_of_expressions_are_variables():
    @jit
    def total(n):
        found = 0
        for i in range(n):
            p = Pair(i, 1)
            p.x += 2
            q = p + Pair(1, i)
            found += q.x * q.y + p.bump(1)
        return found

    assert total(10) == sum((i + 3) * (i + 1) + i + 3 for i in range(10))
    assert made_by_host(total) == 0


def test_objects_that_loops_carry_are_variables():
    @jit
    def total(n):
        p, q = Pair(0, 1), Pair(1, 0)
        for i in range(n):
            if i % 3 == 2:
                p = p + Pair(i, 1)
            p, q = q, p
        return p.x, p.y, q.x, q.y

    @jit
    def until(n):
        p = Pair(0, 1)
        while p.x < n:
            p = p + p.early(p.x) + Pair(1, p.y)
        return p.x, p.y

    def expected(n):
        p, q = (0, 1), (1, 0)
        for i in range(n):
            if i % 3 == 2:
                p = (p[0] + i, p[1] + 1)
            p, q = q, p
        return *p, *q

    def expected_until(n):
        x, y = 0, 1
        while x < n:
            ex, ey = (y, x) if x > 3 else (2, 2) if x == 3 else (x, x)
            x, y = x + ex + 1, y + ey + y
        return x, y

    assert total(0) == expected(0)
    assert total(11) == expected(11)
    assert made_by_host(total) == 0
    assert until(0) == (0, 1)
    assert until(40) == expected_until(40)
    assert made_by_host(until) == 0


def test_objects_that_are_written_after_they_are_passed_on_are_shared():
    @jit
    def shared(n):
        p = Pair(0, 0)
        kept = Pair(5, 5)
        for i in range(n):
            if i == 1:
                kept = p
            p.x += 1
        return kept.x, p.x

    assert shared(1) == (5, 1)
    assert shared(4) == (4, 4)


def test_objects_by_way_of_none():
    @jit
    def best(values):
        found = None
        for v in values:
            if found is None or v > found.x:
                found = Pair(v, 1)
        return -1 if found is None else found.x

    @jit
    def either(n):
        p = Pair(n, 1) if n > 2 else None
        total = 0
        for i in range(n):
            if p is not None:
                total += p.x
                p.x = i
        return total

    assert best(np.array([3, 9, 2])) == 9
    assert best(np.array([0])[:0]) == -1
    assert [either(n) for n in range(5)] == [0, 0, 0, 3 + 0 + 1, 4 + 0 + 1 + 2]


def test_objects_whose_address_matters_are_objects():
    @jit
    def same(n):
        p, q = Pair(n, 0), Pair(n, 0)
        r = p if n > 2 else q
        return r is p, r is q, p is q

    @jit
    def kept(n):
        made = [Pair(i, i) for i in range(n)]
        box = Box(made[0], 1)
        old = box.swap(made[-1])
        old.x = 100
        box.p.y = 50
        return made[0].x, made[-1].y

    @jit
    def returned(n):
        p = Pair(n, 1)
        p.bump(2)
        return p

    assert same(1) == (False, True, False)
    assert same(3) == (True, False, False)
    assert kept(3) == (100, 50)
    assert returned(4).x == 6


def test_objects_with_arrays_and_objects():
    @jitclass([("values", float64[:]), ("p", Pair.class_type.instance_type)])
    class Holder:
        def __init__(self, values, p):
            self.values = values
            self.p = p

        def total(self):
            return self.values.sum() + self.p.x

    @jit
    def total(n, p):
        found = 0.0
        for i in range(n):
            holder = Holder(np.full(100, float(i)), p)
            holder.p.x += 1
            other = Holder(holder.values[::2], Pair(i, i))
            holder.values[0] = 1.0
            found += holder.total() + other.total()
        return found

    def expected(n, x):
        found = 0.0
        for i in range(n):
            x += 1
            found += 99.0 * i + 1 + x + 49.0 * i + 1 + i
        return found

    p = Pair(3, 0)
    assert total(50, p) == expected(50, 3)
    assert p.x == 53
    assert total(3000, Pair(0, 0)) == expected(3000, 0)


def test_none_beside_a_new_object_in_an_expression():
    node_type = deferred_type()

    @jitclass([("value", int64), ("next", optional(node_type))])
    class Node:
        def __init__(self, value, next):
            self.value = value
            self.next = next

    node_type.define(Node.class_type.instance_type)

    @jit
    def chain(n):
        head = Node(1, None) if n % 2 else None
        for i in range(n):
            head = Node(i, head)
        total = 0
        while head is not None:
            total = total * 3 + head.value
            head = head.next
        return total

    def expected(n):
        total = 0
        for v in [*range(n - 1, -1, -1), *([1] if n % 2 else [])]:
            total = total * 3 + v
        return total

    assert [chain(n) for n in range(8)] == [expected(n) for n in range(8)]


class Programs:
    """Random statements with three pairs, a box and one that may be None."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        for _ in range(self.random.randint(2, 7)):
            self.statement(2, 0, True)

    def name(self):
        return self.random.choice("pqr")

    def number(self, depth=0):
        choices = [f"{self.name()}.{self.random.choice('xy')}", "i", "n", "b.p.x", f"{self.name()}.bump(2)", "7"]
        if depth < 2 and self.random.random() < 0.3:
            return f"({self.number(depth + 1)} {self.random.choice('+-*')} {self.number(depth + 1)}) % 1009"
        return self.random.choice(choices)

    def pair(self):
        a, c = self.name(), self.name()
        return self.random.choice(
            [
                f"Pair({self.number()}, {self.number()})",
                a,
                f"{a} + {c}",
                f"{a}.pick({self.number()})",
                f"{a}.early({self.number()} % 6)",
                "b.p",
                f"b.swap({a})",
                f"({a} if {self.number()} % 2 == 0 else Pair(1, i))",
            ]
        )

    def statement(self, indent, depth, is_loop):
        pad = "    " * indent
        kind = self.random.randint(0, 13)
        simple = {
            0: f"{self.name()} = {self.pair()}",
            1: f"{self.name()} = {self.pair()}",
            2: f"{self.name()}.{self.random.choice('xy')} = {self.number()}",
            3: f"{self.name()} += {self.name()}",
            4: f"total = (total * 31 + {self.number()}) % 1000003",
            5: f"total += {self.name()} is {self.name()}",
            6: "p, q = q, p",
            7: f"b = Box({self.name()}, i)",
            8: f"opt = {self.random.choice([self.pair(), 'None'])}",
            9: f"if opt is not None:\n{pad}    total += opt.x\n{pad}    opt.x = {self.number()}",
            10: f"if {self.number()} % 11 == 5:\n{pad}    return total",
        }
        if kind in simple or depth > 2:
            self.lines.append(pad + simple.get(kind, "total += 1"))
        elif kind == 11 and is_loop:
            self.lines.append(
                f"{pad}if {self.number()} % 7 == 3:\n{pad}    {self.random.choice(['break', 'continue'])}"
            )
        elif kind == 12:
            self.lines.append(f"{pad}for i{depth} in range({self.random.randint(0, 3)}):")
            self.block(indent + 1, depth + 1, True)
        else:
            self.lines.append(f"{pad}if {self.number()} % 3 == 0:")
            self.block(indent + 1, depth + 1, is_loop)
            self.lines.append(f"{pad}else:")
            self.block(indent + 1, depth + 1, is_loop)

    def block(self, indent, depth, is_loop):
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth, is_loop)

    def text(self):
        body = "\n".join(self.lines)
        return f"""
def program(n, r):
    total = 0
    p = Pair(1, 2)
    q = Pair(n, 4)
    b = Box(q, 1)
    opt = Pair(0, 0) if n > 2 else None
    i = 0
    for i in range(n):
{body}
    if opt is not None:
        total += opt.y
    return (total * 31 + p.x + 3 * q.y + 7 * r.x + b.p.x + b.k) % 1000003
"""


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**9))
def test_random_programs_with_objects(seed):
    global type_of_pair
    text = Programs(seed).text()
    ours, plain = {"Pair": Pair, "Box": Box}, {"Pair": PlainPair, "Box": PlainBox}
    exec(text, ours)
    exec(text, plain)
    program = jit(ours["program"])
    for n in (0, 2, 7):
        mine, other = Pair(5, 6), PlainPair(5, 6)
        type_of_pair = PlainPair
        try:
            expected = plain["program"](n, other)
        finally:
            type_of_pair = Pair
        assert program(n, mine) == expected, text
        assert (mine.x, mine.y) == (other.x, other.y), text
