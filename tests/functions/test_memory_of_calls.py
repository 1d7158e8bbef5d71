"""Memory of what a compiled function makes is given back while it runs."""

import contextlib
import subprocess
import sys

import numpy as np
import pytest
from tessera.types import deferred_type, float64, int64, optional

from tessera import _core, jit, jitclass

# Each is run 10 times, then a million times, in a process of its own, which prints how many megabytes it grew by.
PROGRAMS = {
    "dicts": "d = {i: 1.0, i + 1: 2.0}\n        total += len(d)",
    "sets": "s = {i, i + 1} | {i + 2}\n        total += len(s)",
    "lists": "a = [i, i + 1]\n        a.append(3)\n        total += a[1]",
    "lists_of_lists": "a = [[i], [i, i + 1]]\n        total += len(a[1])",
    "dicts_of_lists": "d = {i: [i, 1]}\n        total += len(d[i])",
    "objects": "total += Node(i).value",
    "circles": "a = Node(i)\n        b = Node(i + 1)\n        a.next = b\n        b.next = a\n        total += b.value",
    "objects_with_arrays": "total += int(Row(3).row[1])",
    "arrays": "a = np.ones(20)\n        total += int(a[3])",
    "texts": "total += len(str(i) + 'abc')",
    "words": "total += len(str(i).upper())",
}

GROWTH = """
import numpy as np
from tessera import jit, jitclass
from tessera.types import deferred_type, float64, int64, optional

node = deferred_type()

@jitclass([("value", int64), ("next", optional(node))])
class Node:
    def __init__(self, value):
        self.value = value
        self.next = None

node.define(Node.class_type.instance_type)

@jitclass([("row", float64[:])])
class Row:
    def __init__(self, n):
        self.row = np.ones(n)

def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6

@jit
def program(n):
    total = 0
    for i in range(n):
        {body}
    return total

program(10)
before = megabytes()
program({times})
print(megabytes() - before)
"""


@contextlib.contextmanager
def collecting_always():
    """Memory is collected whenever the host is asked, and what is freed is overwritten."""
    _core.kernels.collect_always(True)
    try:
        yield
    finally:
        _core.kernels.collect_always(False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_short_lived_containers_do_not_add_up(name, tmp_path):
    times = 200_000 if name in ("words", "objects_with_arrays") else 1_000_000
    program = tmp_path / "program.py"
    program.write_text(GROWTH.format(body=PROGRAMS[name], times=times))
    out = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True, timeout=300)
    assert float(out.stdout) < 40


@jit
def nested(n):
    table = {}
    for i in range(n):
        row = [float(i), float(i + 1)]
        table[i] = [row, row[::-1]]
        if i % 3 == 0:
            table.pop(i)
    total = 0.0
    for key, rows in table.items():
        for row in rows:
            total += row[0] * key + row[1]
    return total, table


def test_what_is_reachable_stays():
    with collecting_always():
        assert nested(200)[0] == nested.py_func(200)[0]
        assert dict(nested(50)[1]) == nested.py_func(50)[1]


@jit
def put_in_argument(rows, n):
    for i in range(n):
        rows.append([i, i * 2])
        if len(rows) > 10:
            rows.pop(0)


def test_what_an_argument_holds_stays():
    rows, wanted = [[0, 0]], [[0, 0]]
    put_in_argument.py_func(wanted, 100)
    with collecting_always():
        put_in_argument(rows, 100)
    assert rows == wanted


@jit
def views(n):
    kept = [np.zeros(3)]
    for i in range(n):
        a = np.arange(10.0) * i
        kept.append(a[7:4:-1])
        if len(kept) > 5:
            kept = kept[-3:]
    total = 0.0
    for one in kept:
        total += one.sum()
    return total, kept[0]


def test_views_keep_their_arrays():
    wanted = views.py_func(40)
    with collecting_always():
        total, last = views(40)
    assert total == wanted[0]
    np.testing.assert_array_equal(last, wanted[1])


@jit
def joined(n):
    words = {"": 0}
    for i in range(n):
        word = str(i % 7) + "x" * 3
        words[word] = words.get(word, 0) + len(word.upper())
    return words


def test_texts_stay_as_long_as_containers_hold_them():
    with collecting_always():
        assert dict(joined(60)) == {"": 0} | {f"{k}xxx": 4 * len(range(k, 60, 7)) for k in range(7)}


@jit
def fails(n):
    held = [[0]]
    for i in range(n):
        held.append([i])
        if i == 30:
            raise ValueError("in the middle")
    return held


def test_an_exception_in_the_middle_leaves_all_in_order():
    with collecting_always():
        for _ in range(3):
            with pytest.raises(ValueError, match="in the middle"):
                fails(100)
            assert fails(20) == [[0]] + [[k] for k in range(20)]


@jit
def pairs(n):
    last = [0]
    for i in range(n):
        last = [i, last[0]]
        yield last[0] + last[1]


def test_a_generator_that_waits_keeps_what_it_reads_later():
    with collecting_always():
        first, second = pairs(30), pairs(30)
        assert [a + b for a, b in zip(first, second)] == [2 * k for k in pairs.py_func(30)]
        left = pairs(30)
        next(left)
        del left


node = deferred_type()


@jitclass([("value", int64), ("next", optional(node)), ("row", float64[:])])
class Node:
    def __init__(self, value, row):
        self.value = value
        self.next = None
        self.row = row


node.define(Node.class_type.instance_type)


@jit
def chain(n):
    first = Node(0, np.zeros(2))
    last = first
    held = [first]
    for i in range(1, n):
        made = Node(i, np.arange(3.0) + i)
        made.next = last
        last.next = made  # a circle
        last = made
        if i % 4 == 0:
            held.append(made)
        if len(held) > 3:
            held = held[2:]
    total = 0.0
    for one in held:
        total += one.row[1] + one.value
    return total, last


def test_objects_that_something_leads_to_stay():
    with collecting_always():
        total, last = chain(30)
    assert total == sum(2 * k + 1 for k in (24, 28))
    assert last.value == 29 and last.row[2] == 31 and last.next.value == 28


@jit
def values(n):
    one = Node(0, np.zeros(1))
    for i in range(n):
        other = Node(i, one.row + 1.0)
        other.next = one
        one = other
        yield one.row[0]


def test_a_generator_that_waits_keeps_its_objects():
    with collecting_always():
        first = values(20)
        got = [next(first) for _ in range(5)]
        assert chain(9)[1].value == 8
        assert got + list(first) == [float(k) for k in range(1, 21)]
        left = values(20)
        next(left)
        del left
        assert chain(9)[1].value == 8


def test_objects_are_collected_below_other_calls():
    kept = []

    @jit
    def inner(n):
        return chain(n)[0]

    @jit
    def outer(n):
        mine = Node(7, np.ones(3))
        total = 0.0
        for i in range(n):
            total += inner(9) + mine.row[0] + mine.value
        return total, mine

    with collecting_always():
        total, mine = outer(5)
        kept.append(mine)
        assert chain(9)[1].value == 8
    assert total == 5 * (inner(9) + 8) and kept[0].value == 7
