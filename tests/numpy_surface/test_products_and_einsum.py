"""Products of vectors and tensors."""

import threading

import numpy
import pytest
import tessera.numpy as tnp
from differential import check, make, same

from tessera import _core as core

rng = numpy.random.default_rng(11)


def test_products():
    shapes = [(), (3,), (3, 3), (2, 3), (3, 2), (4, 2, 3), (4, 3, 2), (0,), (0, 3)]
    for code in "dlfDB?":
        for s in shapes:
            for t in shapes:
                a, b = make(rng, code, s), make(rng, code, t)
                for name in ("dot", "inner", "matmul", "kron"):
                    check(name, a, b, rtol=1e-10)
                check("vdot", a, b, rtol=1e-10)
                if len(s) < 3 and len(t) < 3:
                    check("outer", a, b)
    check("dot", make(rng, "d", (2, 3)), make(rng, "d", (3, 2)), out=numpy.zeros((2, 2)))
    a, b = rng.normal(size=(3, 4, 5)), rng.normal(size=(4, 3, 2))
    for axes in (([1, 0], [0, 1]), ((0,), (1,)), (0, 1), 0, 1, 2, ([0, 0], [1, 1])):
        check("tensordot", a, b, axes)
    check("tensordot", a, numpy.swapaxes(a, 0, 2), 1)
    check("vecdot", a, a)
    check("vecdot", a, a, axis=0)


EXPRESSIONS = [
    ("i,i", (3,), (3,)),
    ("i,j->ij", (3,), (4,)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij->ji", (2, 3)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("ij->", (2, 3)),
    ("ij->i", (2, 3)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("ij,ij->ij", (2, 3), (2, 3)),
    ("ij,ij->i", (2, 3), (2, 3)),
    ("ij,ij", (2, 3), (2, 3)),
    ("i,ij,j", (2,), (2, 3), (3,)),
    ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)),
    ("...ij,...jk->...ik", (5, 2, 3), (3, 4)),
    ("...i->...", (2, 3, 4)),
    ("i...->...", (2, 3, 4)),
    ("ij...,jk...->ik...", (2, 3, 4), (3, 2, 4)),
    ("a...a->a...", (3, 2, 3)),
    ("iji->j", (2, 3, 2)),
    ("abc,cd,b->ad", (2, 3, 4), (4, 5), (3,)),
    ("ijk,ilm,njm,nlk,abc->", (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2)),
    ("i,i,i->i", (3,), (3,), (3,)),
    ("ij,kj->ik", (1, 3), (4, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    (" i j , j k -> i k ", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (4, 5)),
    ("ij", (2,)),
    ("i->ii", (2,)),
    ("i->j", (2,)),
    ("i,i", (2,)),
    ("i1", (2, 2)),
    ("...", (2, 3)),
    ("...,...", (2, 3), (3,)),
    (",", (), ()),
    ("i->", (0,)),
    ("ba", (2, 3)),
    ("...ij", (4, 2, 3)),
]


def outcome(subscripts, arrays):
    try:
        return numpy.einsum(subscripts, *arrays)
    except ValueError:
        return None


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda e: e[0])
def test_einsum(expression):
    subscripts, *shapes = expression
    rng = numpy.random.default_rng(7)  # of its own: sums that cancel depend on the numbers drawn
    for code in "dlF":
        arrays = [make(rng, code, s) for s in shapes]
        # With `optimize`, NumPy gives some scalars as 0-d arrays; tessera never does.
        scalar = isinstance(outcome(subscripts, arrays), numpy.generic)
        for optimize in (False,) if scalar else (False, True, "optimal"):
            check("einsum", subscripts, *arrays, optimize=optimize, rtol=1e-10)
    arrays = [make(rng, "d", s) for s in shapes]
    check("einsum", subscripts, *arrays, dtype="f4", casting="same_kind")
    try:
        expected = numpy.einsum_path(subscripts, *arrays)
    except Exception as error:  # noqa: BLE001
        with pytest.raises(type(error)):
            tnp.einsum_path(subscripts, *map(tnp.array, arrays))
    else:
        assert tnp.einsum_path(subscripts, *map(tnp.array, arrays)) == expected


def test_einsum_forms():
    a, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 4))
    check("einsum", a, [0, 1], b, [1, 2])
    check("einsum", a, [0, 1], b, [1, 2], [2, 0])
    check("einsum", a, [Ellipsis, 1], [Ellipsis])
    check("einsum", "ij,jk->ik", a, b, out=numpy.zeros((2, 4)))
    check("einsum", "ij,jk->ik", a, b, dtype="i4")
    check("einsum", "ij->ij", a, order="F")
    x = tnp.array(a)
    tnp.einsum("ij->ji", x)[0, 0] = 7
    assert x[0, 0] == 7
    y = tnp.zeros((3, 3))
    tnp.einsum("ii->i", y)[:] = 1
    same(numpy.eye(3), y, 0, "a diagonal from einsum is a view")


@pytest.mark.parametrize("shape", [(40, 70, 80), (9, 200, 100)])
def test_batches_of_products_leave_blas_its_threads(shape):
    a = rng.normal(size=shape)
    t, before, results = tnp.asarray(a), core.blas_threads(), []

    def multiply():
        results.append(numpy.asarray(t @ t.swapaxes(1, 2)))

    threads = [threading.Thread(target=multiply) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert core.blas_threads() == before
    for result in results:
        numpy.testing.assert_allclose(result, a @ a.swapaxes(1, 2), rtol=1e-12, atol=1e-12)
