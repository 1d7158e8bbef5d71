"""Memory of arrays that variables, containers and objects still lead to, where a function makes others meanwhile."""

from __future__ import annotations

import numpy
import pytest

from tessera import float64, int64, jit, jitclass

X = numpy.array([1.0, 2.0, 3.0, 4.0])


def chosen(x, n):
    r = x if n < 0 else x + 1
    z = numpy.zeros(7)
    return r, z


def chosen_by_statement(x, n):
    r = x
    if n > 0:
        r = x.copy()
    r -= r.mean()
    z = numpy.ones(7)
    return r + 0, z


def chosen_in_a_tuple(x, n):
    t = (x, 1) if n > 5 else (x + 1, 2)
    z = numpy.zeros(7)
    return t[0] + z[:4], z


def replaced_in_a_loop(x, n):
    r = x
    for _ in range(n):
        r = r + r[::-1]
    return r, r


@pytest.mark.parametrize("function", [chosen, chosen_by_statement, chosen_in_a_tuple, replaced_in_a_loop])
def test_variables_that_are_an_argument_or_an_own_array(function):
    for n in (-1, 2, 9):
        for got, wanted in zip(jit(function)(X.copy(), n), function(X.copy(), n), strict=True):
            assert got.tolist() == wanted.tolist()


def parts(n):
    kept = [numpy.zeros(6000, numpy.complex128).real]
    for i in range(n):
        z = numpy.zeros(6000, numpy.complex128) + (i + 1)
        kept.append(z.real)
        if len(kept) > 40:
            kept = kept[20:]
    t = 0.0
    for k in kept:
        t += k[7]
    return t


def test_views_of_another_item_size_keep_their_array():
    compiled = jit(parts)
    for n in (50, 300, 2000):
        assert compiled(n) == parts(n)


@jitclass([("value", int64), ("row", float64[:])])
class Row:
    def __init__(self, value, row):
        self.value = value
        self.row = row


def test_fields_keep_their_array_and_not_its_neighbour():
    @jit
    def wrong(n, m):
        keep = Row(0, numpy.zeros(m))
        bad = 0
        for i in range(n):
            a = numpy.zeros(m)
            a[0] = i
            r = Row(i, a)
            if i % 97 == 5:
                if keep.row[0] != keep.value:
                    bad += 1
                keep = r
        return bad

    assert wrong(5000, 8192) == 0
    for m in (8192, 131072):
        rows = [Row(k, numpy.zeros(m) + k) for k in range(24)]
        kept = rows[5]
        del rows
        others = [Row(k, numpy.zeros(m) - 77) for k in range(24)]
        assert kept.row[0] == kept.row[m - 1] == 5 and len(others) == 24


@pytest.mark.parametrize("count", [1, 3, 4, 9])
def test_dicts_of_arrays_as_arguments(count):
    @jit
    def look(d, n):
        t = 0.0
        for k in range(n + 2):
            if k in d:
                t += d[k][0]
        return t

    @jit
    def put(d):
        d[1] = numpy.ones(3) * 5
        d[70] = numpy.ones(3) * 7
        return len(d)

    known = {k: numpy.ones(3) * 10**k for k in range(count)}
    assert look(known, count) == sum(10**k for k in range(count))
    assert put(known) == len(set(known) | {1, 70}) and known[1].tolist() == [5, 5, 5] and known[0].tolist() == [1, 1, 1]
