"""Random programs of operations on dicts, sets and lists: compiled functions give what Python gives."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tessera import njit


def on_dict(operations, keys, values):
    d, seen = {}, []
    for i in range(operations.size):
        operation, key, value = operations[i], keys[i], values[i]
        if operation <= 2:
            d[key] = value
        elif operation == 3:
            seen.append(d.pop(key, -1))
        elif operation == 4:
            seen.append(d.get(key, -2))
        elif operation == 5:
            seen.append(d.setdefault(key, value))
        elif operation == 6 and len(d) > 0:
            last, held = d.popitem()
            seen.append(last + held)
        elif operation == 7:
            d = d.copy()
        elif operation == 8:
            d.update({key: value, key + 1: value})
        elif operation == 9 and key in d:
            del d[key]
        elif operation == 10 and value == 0:
            d.clear()
        elif operation == 11:
            for one, other in d.items():
                seen.append(one * other)
        elif operation == 12 and key in d:
            d[key] += value
        seen.append(len(d))
    return seen, d


def on_text_keys(operations, keys, values):
    d, seen = {}, []
    for i in range(operations.size):
        operation, key, value = operations[i], "k" + str(keys[i]), values[i]
        if operation <= 5:
            d[key] = value
        elif operation <= 8:
            seen.append(d.pop(key, -1))
        else:
            seen.append(d.get(key, -2))
    return seen, list(d.keys())


def on_sets(operations, keys, values):
    s, t, seen = set(), set(), [0]
    for i in range(operations.size):
        operation, key, value = operations[i], keys[i], values[i]
        if operation <= 2:
            s.add(key)
            t.add(value)
        elif operation == 3:
            s.discard(key)
        elif operation == 4:
            t |= s
        elif operation == 5:
            s &= t
        elif operation == 6:
            t -= s
        elif operation == 7:
            s ^= t
        elif operation == 8:
            s, t = s | t, s & t
        elif operation == 9:
            s, t = s - t, s ^ t
        elif operation == 10 and key in s:
            s.remove(key)
        elif operation == 11:
            seen.append(sum(list(s)))
        seen.append(len(s) + 100 * len(t) + 10_000 * (s <= t) + 20_000 * (s == t) + 40_000 * s.isdisjoint(t))
    return seen, sorted(s), sorted(t)


def on_lists(operations, keys, values):
    made, seen = [0], []
    for i in range(operations.size):
        operation, key, value = operations[i], keys[i], values[i]
        if operation <= 3:
            made.append((key, value)[i % 2])
        elif operation == 4:
            made.insert(key, value)
        elif operation == 5 and len(made) > 1:
            seen.append(made.pop())
        elif operation == 6 and value in made:
            made.remove(value)
            made.append(1)
        elif operation == 7:
            made = made[::-1]
        elif operation == 8:
            made.extend(made[:3])
        elif operation == 9:
            made.sort()
        elif operation == 10:
            seen.append(made.count(value))
        elif operation == 11 and len(made) > 2:
            del made[0]
        seen.append(len(made))
    return seen, made


steps = st.lists(st.tuples(st.integers(0, 12), st.integers(-6, 12), st.integers(0, 9)), max_size=120)


@pytest.mark.parametrize("function", [on_dict, on_text_keys, on_sets, on_lists])
def test_random_operations(function):
    compiled = njit(function)

    @settings(deadline=None, max_examples=150)
    @given(steps)
    def check(listed):
        columns = numpy.array(listed, dtype=numpy.int64).reshape(-1, 3).T.copy()
        assert compiled(*columns) == function(*columns)

    check()


def test_many_keys():
    """Growing, deleting and filling again, beyond many sizes of the index."""

    def many(n):
        d = {}
        for i in range(n):
            d[i * 7919 % 100_003] = i
            if i % 3 == 0:
                d.pop(i * 31 % 100_003, -1)
        total = 0
        for k, v in d.items():
            total = (total * 31 + k * 7 + v) % 1_000_000_007
        return total, len(d)

    assert njit(many)(150_000) == many(150_000)
    for step in (1, 1 << 20, 1 << 33, -(1 << 40) + 1):
        assert njit(lambda n, step: len({i * step for i in range(n)}))(5_000, step) == 5_000


def test_calls_free_what_they_make():
    """Also where they raise in the middle."""
    import resource

    @njit
    def made(n):
        d = {}
        for i in range(n):
            d[i] = [i, i]
        if n % 2:
            raise ValueError
        return len(d)

    def run(times):
        for k in range(times):
            try:
                made(50 + k % 2)
            except ValueError:
                pass

    run(2_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(20_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KB
