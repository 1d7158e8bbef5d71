"""Sequences of operations on containers, generators and objects, by Python and by compiled functions in turns, against CPython's."""

from __future__ import annotations

import pickle

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tessera.numba.typed import Dict, List
from tessera.types import ListType, float64, int64

from tessera import jit, jitclass

NUMBERS = st.integers(-4, 12)


def outcome(run):
    try:
        return run()
    except (KeyError, IndexError, ValueError, StopIteration) as error:
        return type(error)


@jit
def put(d, k, v):
    d[k] = v
    return len(d)


@jit
def take(d, k):
    return d.pop(k)


@jit
def take_or(d, k, v):
    return d.pop(k, v)


@jit
def take_last(d):
    return d.popitem()


@jit
def forget(d, k):
    del d[k]


@jit
def add_up(d):
    total = 0.0
    for k, v in d.items():
        total = total * 3 + k + v
    return total


@jit
def halve(d, limit):
    for k in list(d):
        if k > limit:
            raise ValueError("large")
        d[k] = d[k] / 2


class Dicts(RuleBasedStateMachine):
    @initialize()
    def make(self):
        self.ours, self.plain = Dict.empty(int64, float64), {}

    @rule(k=NUMBERS, v=NUMBERS, inside=st.booleans())
    def store(self, k, v, inside):
        put(self.ours, k, float(v)) if inside else self.ours.__setitem__(k, float(v))
        self.plain[k] = float(v)

    @rule(k=NUMBERS, inside=st.booleans())
    def remove(self, k, inside):
        found = outcome(lambda: take(self.ours, k) if inside else self.ours.pop(k))
        assert found == outcome(lambda: self.plain.pop(k))

    @rule(k=NUMBERS)
    def remove_or(self, k):
        assert take_or(self.ours, k, 0.5) == self.plain.pop(k, 0.5)

    @rule(k=NUMBERS)
    def delete(self, k):
        assert outcome(lambda: forget(self.ours, k)) == outcome(lambda: self.plain.__delitem__(k))

    @rule(inside=st.booleans())
    def remove_last(self, inside):
        found = outcome(lambda: take_last(self.ours) if inside else self.ours.popitem())
        assert found == outcome(self.plain.popitem)

    @rule(limit=NUMBERS)
    def change(self, limit):
        assert outcome(lambda: halve(self.ours, limit)) == outcome(lambda: halve.py_func(self.plain, limit))

    @rule()
    def clear(self):
        self.ours.clear()
        self.plain.clear()

    @rule()
    def pickled(self):
        self.ours = pickle.loads(pickle.dumps(self.ours))

    @invariant()
    def alike(self):
        assert list(self.ours.items()) == list(self.plain.items())
        assert add_up(self.ours) == add_up.py_func(self.plain)


@jit
def append(made, x):
    made.append(x)


@jit
def insert(made, k, x):
    made.insert(k, x)


@jit
def pop(made, k):
    return made.pop(k)


@jit
def cut(made, begin, end):
    del made[begin:end]


@jit
def repeat(made, limit):
    for x in made:
        made.append(x + 1)
        if len(made) >= limit:
            break


@jit
def ordered(made, k):
    made.sort()
    made.reverse()
    return k in made, made.count(k), sum(made)


class Lists(RuleBasedStateMachine):
    @initialize()
    def make(self):
        self.ours, self.plain = List.empty_list(int64), []

    @rule(x=NUMBERS, inside=st.booleans())
    def append(self, x, inside):
        append(self.ours, x) if inside else self.ours.append(x)
        self.plain.append(x)

    @rule(k=NUMBERS, x=NUMBERS)
    def insert(self, k, x):
        insert(self.ours, k, x)
        self.plain.insert(k, x)

    @rule(k=NUMBERS, inside=st.booleans())
    def pop(self, k, inside):
        found = outcome(lambda: pop(self.ours, k) if inside else self.ours.pop(k))
        assert found == outcome(lambda: self.plain.pop(k))

    @rule(begin=NUMBERS, end=NUMBERS)
    def cut(self, begin, end):
        cut(self.ours, begin, end)
        del self.plain[begin:end]

    @precondition(lambda self: len(self.plain) < 40)
    @rule(more=st.integers(0, 20))
    def grow_while_iterated(self, more):
        repeat(self.ours, len(self.plain) + more)
        repeat.py_func(self.plain, len(self.plain) + more)

    @rule(k=NUMBERS)
    def order(self, k):
        assert ordered(self.ours, k) == ordered.py_func(self.plain, k)

    @rule(values=st.lists(NUMBERS, max_size=5))
    def extend(self, values):
        self.ours.extend(values)
        self.plain.extend(values)

    @invariant()
    def alike(self):
        assert list(self.ours) == self.plain
        assert len(self.ours) == len(self.plain)


@jit
def change_set(s, k, how):
    if how == 0:
        s.add(k)
    elif how == 1:
        s.discard(k)
    elif how == 2:
        s.remove(k)
    elif how == 3:
        s.update({k, k + 1, 2 * k})
    elif how == 4:
        s.intersection_update({k, k + 1, k + 2, 1, 2, 3, 4})
    elif how == 5:
        s.difference_update({k, k - 1})
    elif how == 6:
        s ^= {k, 3, 5}
    else:
        t = s | {k}
        if t - s == {k}:
            s |= t
        else:
            s -= {7}
    return k in s, len(s), s <= {1, 2, k}, s.isdisjoint({k})


class Sets(RuleBasedStateMachine):
    @initialize()
    def make(self):
        self.ours, self.plain = {1}, {1}

    @precondition(lambda self: self.plain)
    @rule(k=NUMBERS, how=st.integers(0, 7))
    def change(self, k, how):
        found = outcome(lambda: change_set(self.ours, k, how))
        assert found == outcome(lambda: change_set.py_func(self.plain, k, how))

    @rule(k=NUMBERS)
    def add(self, k):
        self.ours.add(k)
        self.plain.add(k)

    @invariant()
    def alike(self):
        assert self.ours == self.plain


@jit
def steps(n, limit):
    x = 1
    for k in range(n):
        try:
            if k == limit:
                raise KeyError("limit")
            yield x
            x = x * 3 % 101 + k
        except KeyError:
            yield -k
            x += 1
    if n > 6:
        raise ValueError("at the end")


class Generators(RuleBasedStateMachine):
    @initialize(n=NUMBERS, limit=NUMBERS)
    def make(self, n, limit):
        self.ours, self.plain = steps(n, limit), steps.py_func(n, limit)

    @rule()
    def next(self):
        assert outcome(lambda: next(self.ours)) == outcome(lambda: next(self.plain))

    @rule()
    def close(self):
        self.ours.close()
        self.plain.close()

    @rule(n=NUMBERS, limit=NUMBERS)
    def begin_another(self, n, limit):
        self.make(n, limit)

    @rule()
    def rest(self):
        assert outcome(lambda: list(self.ours)) == outcome(lambda: list(self.plain))


class PlainStack:
    def __init__(self, kept):
        self.kept = kept
        self.total = 0

    def push(self, x):
        self.kept.append(x)
        self.total += x
        return self

    def pop(self):
        x = self.kept.pop()
        self.total -= x
        return x

    def __len__(self):
        return len(self.kept)

    def __contains__(self, x):
        return x in self.kept


Stack = jitclass([("kept", ListType(int64)), ("total", int64)])(
    type("Stack", (), {k: v for k, v in vars(PlainStack).items() if callable(v)})
)


@jit
def push_and_pop(stack, x):
    return stack.push(x).push(2 * x).pop() + stack.total


class Objects(RuleBasedStateMachine):
    @initialize()
    def make(self):
        self.kept = List.empty_list(int64)
        self.ours, self.plain = Stack(self.kept), PlainStack([])

    @rule(x=NUMBERS, inside=st.booleans())
    def push(self, x, inside):
        if inside:
            assert push_and_pop(self.ours, x) == push_and_pop.py_func(self.plain, x)
        else:
            self.ours.push(x)
            self.plain.push(x)

    @rule()
    def pop(self):
        assert outcome(self.ours.pop) == outcome(self.plain.pop)

    @rule(x=NUMBERS)
    def behind_its_back(self, x):
        self.kept.append(x)
        self.plain.kept.append(x)

    @invariant()
    def alike(self):
        assert list(self.kept) == list(self.ours.kept) == self.plain.kept
        assert self.ours.total == self.plain.total
        assert len(self.ours) == len(self.plain)
        assert (3 in self.ours) == (3 in self.plain)


few = settings(deadline=None, max_examples=20, stateful_step_count=20)
for machine in (Dicts, Lists, Sets, Generators, Objects):
    machine.TestCase.settings = few
TestDicts, TestLists, TestSets = Dicts.TestCase, Lists.TestCase, Sets.TestCase
TestGenerators, TestObjects = Generators.TestCase, Objects.TestCase
