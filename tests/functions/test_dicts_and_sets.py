"""Dicts and sets in compiled functions, beside Python's own."""

import numpy
import pytest
from tessera.numba.typed import Dict, List

from tessera import errors, njit, types


def check(function, *arguments):
    """The compiled function gives what Python's gives."""
    expected = function(*arguments)
    given = njit(function)(*arguments)
    assert given == expected
    return given


def counted(values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return counts


def words_of(text):
    counts = {}
    for word in text.split():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def test_counting():
    values = numpy.random.default_rng(0).integers(-20, 20, 5_000)
    assert list(check(counted, values).items()) == list(counted(values).items())
    check(counted, (values / 7).round(1))
    check(counted, values > 3)


def test_words_are_counted():
    check(words_of, "to be or not to be")
    check(words_of, "to be or not to be, " * 50 + "\u00fc \u20ac \u20ac \U0001f600")


def test_methods_of_dicts():
    def methods(n):
        d = {i: i * 0.5 for i in range(n)}
        del d[2]
        first = d.pop(3), d.pop(1000, -1.0), d.get(4, 0.0), d.setdefault(5, 9.0), d.setdefault(-5, 9.0)
        last = d.popitem()
        e = d.copy()
        e.update({1: 0.0, 77: 7.0})
        e |= {78: 1.0}
        d.clear()
        return first, last, e, len(d), 2 in e, list(e.keys()), list(e.values()), sorted(e.items()), e == e.copy()

    check(methods, 12)


def test_keys_of_many_kinds():
    check(lambda: {(1, 2.5): 1, (2, 0.0): 2}[(2, -0.0)])
    check(lambda: {0.0: 1}[-0.0])
    check(lambda: {True: 1, False: 2}[False])
    check(lambda: {"a": 1, "b": 2}["b"])
    check(lambda: {("a", 1): 1, ("b", 2): 2}[("b", 2)])
    check(lambda: {1 + 2j: 1}[1 + 2j])


def test_values_of_many_kinds():
    def arrays(n):
        d = {}
        for i in range(n):
            d[i % 3] = numpy.arange(i)
        return d[1].sum(), len(d[2])

    def lists(n):
        d = {}
        for i in range(n):
            if i % 3 not in d:
                d[i % 3] = [i]
            else:
                d[i % 3].append(i)
        return d

    def dicts(n):
        d = {}
        for i in range(n):
            d[i] = {i: "x", i + 1: "y"}
        return d

    check(arrays, 10)
    check(lists, 10)
    check(dicts, 4)


def test_operators_of_sets():
    def operators(a, b):
        s, t = set(a), set(b)
        u = s.copy()
        u |= t
        u.discard(3)
        return (s | t, s & t, s - t, s ^ t, s <= t, s < t, s == t, s.isdisjoint(t), s.union(b, [99]), u, len(u)), (
            frozenset(a) & t,
            sorted(t),
            max(s),
            3 in s,
        )

    check(operators, [1, 2, 3, 3], [3, 4])
    check(operators, [1, 2], [2, 1])


def test_errors():
    with pytest.raises(KeyError) as raised:
        njit(lambda k: {1: 2}[k])(7)
    assert raised.value.args == (7,)
    with pytest.raises(KeyError) as raised:
        njit(lambda k: {"a": 2}[k])("b")
    assert raised.value.args == ("b",)

    def grows(n):
        d = {0: 0}
        for k in d:
            d[k + n] = 1

    def shrinks(n):
        d = {0: n}
        for k in d:
            del d[k]

    for function in (grows, shrinks):
        for made in (function, njit(function)):
            with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
                made(1)
    with pytest.raises(errors.TypingError, match="unhashable"):
        njit(lambda: {[1]: 2})()


def test_containers_do_not_hold_themselves():
    with pytest.raises(errors.TypingError, match="holds itself"):
        njit(lambda values: values.append(values))([[1]])


def test_dicts_that_are_passed_are_changed():
    def change(d):
        d[7] = 9.0
        del d[1]
        return d

    d = {1: 2.0, 3: 4.0}
    assert njit(change)(d) is d
    assert d == {3: 4.0, 7: 9.0}
    e = Dict.empty(types.int64, types.float64)
    e[1] = 2
    assert njit(change)(e) is e and e == {7: 9.0}
    s = {1, 2}
    njit(lambda s: s.add(5))(s)
    assert s == {1, 2, 5}


def test_typed_containers_outside():
    import pickle

    d = Dict()
    d["a"] = 1
    with pytest.raises(TypeError):
        d[1] = 1
    assert pickle.loads(pickle.dumps(d)) == d and list(d) == ["a"] and "a" in d and len(d) == 1
    values = List([1, 2, 3])
    values.append(4)
    assert pickle.loads(pickle.dumps(values)) == values == [1, 2, 3, 4]
    with pytest.raises(TypeError):
        values.append("x")
    assert njit(lambda v: v[0])(values) == 1
    empty = List.empty_list(types.float64)
    njit(lambda v: v.append(3))(empty)
    assert empty == [3.0]


def test_typed_containers_inside():
    @njit
    def made(n):
        d = Dict.empty(key_type=types.int64, value_type=types.float64[:])
        words = Dict.empty(types.unicode_type, types.int64)
        listed = List()
        for i in range(n):
            d[i] = numpy.full(i, 1.5)
            words[str(i)] = i
            listed.append(i)
        return d, words, listed

    d, words, listed = made(3)
    assert d[2].tolist() == [1.5, 1.5] and words == {"0": 0, "1": 1, "2": 2} and listed == [0, 1, 2]
    assert isinstance(d, Dict)


def test_dicts_of_values_of_several_types_are_read():
    @njit
    def read(n):
        d = {"a": n, "b": 2j, "a": "last", "c": numpy.ones(3), "e": [1, n]}  # noqa: F601
        keys = [k for k in d]
        return (
            d["a"],
            d["b"],
            d["c"],
            d["e"][1],
            keys,
            len(d),
            "b" in d,
            "z" in d,
            d.get("b"),
            d.get("z", 3),
            d.values()[0],
        )

    a, b, c, e, *rest = read(4)
    assert (a, b, list(c), e) == ("last", 2j, [1.0] * 3, 4)
    assert rest == [["a", "b", "c", "e"], 4, True, False, 2j, 3, "last"]

    @njit
    def made(n):
        d = {"x": n, "y": (1, "two")}
        return d, d == d.copy(), d == {"y": (1, "two"), "x": n + 1}, d.items()

    assert made(3) == ({"x": 3, "y": (1, "two")}, True, False, (("x", 3), ("y", (1, "two"))))

    @njit
    def missing(n):
        return {"x": n, "y": "two"}["z"]

    with pytest.raises(errors.TypingError, match="there is no 'z'"):
        missing(1)

    @njit
    def changed(n):
        d = {"x": n, "y": "two"}
        d["x"] = 3
        return d["x"]

    with pytest.raises((errors.TypingError, errors.UnsupportedError)):
        changed(1)


def test_values_of_dicts_are_evaluated_once_and_in_order():
    @njit
    def noted(seen, k):
        seen.append(k)
        return k

    @njit
    def build(n):
        seen = [n]
        d = {"a": noted(seen, 1), "b": noted(seen, 2), "a": noted(seen, 3)}  # noqa: F601
        return d, seen

    assert build(0) == ({"a": 3, "b": 2}, [0, 1, 2, 3])


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint16", "float64", "float32", "bool", "complex128"])
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 1000])
def test_sets_of_arrays_and_their_operators(dtype, count):
    @njit
    def of(x, y):
        a, b = set(x), set(y)
        c = {y[0]} if len(y) > 0 else set(y)
        c.update(x)
        return list(a), list(b), list(a | b), list(a & b), list(a - b), list(a ^ b), list(c)

    random = numpy.random.default_rng(count)
    x = random.integers(-50, 400, count).astype(dtype)
    y = numpy.repeat(random.integers(-50, 400, count), 2).astype(dtype)[::2]
    a, b = set(x.tolist()), set(y.tolist())
    expected = a, b, a | b, a & b, a - b, a ^ b, set(y[:1].tolist()) | a
    for found, wanted in zip(of(x, y), expected, strict=True):
        assert len(found) == len(wanted)
        assert set(found) == wanted
