"""Shapes, axes, joining and splitting."""

import numpy
import pytest
from differential import check, make, samples

A = numpy.arange(24).reshape(2, 3, 4)
ARRAYS = [
    A,
    A.T,
    A[:, ::-1, ::2],
    A * 0.5,
    A.astype(bool),
    numpy.arange(5),
    numpy.array(3),
    numpy.zeros((0, 3)),
    numpy.ones((1, 3, 1)),
]


@pytest.mark.parametrize("a", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
def test_views_and_axes(a):
    for name in ("shape", "ndim", "size", "ravel", "transpose", "squeeze", "flip", "flipud", "fliplr", "rot90"):
        check(name, a)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d", "matrix_transpose", "permute_dims"):
        check(name, a)
    for order in "CFAK":
        check("ravel", a, order=order)
    for axis in (0, 1, -1, 2, (0, 2), (0, -1), 5):
        for name in ("flip", "expand_dims", "squeeze", "size"):
            check(name, a, axis)
        check("roll", a, 1, axis)
        check("roll", a, -2, axis)
        for k in range(-5, 6):
            check("rot90", a, k, (0, 1))
        check("moveaxis", a, axis, -1)
        check("moveaxis", a, 0, axis)
        if isinstance(axis, int):
            check("rollaxis", a, axis)
            check("rollaxis", a, axis, 2)
            check("swapaxes", a, axis, 0)
            check("unstack", a, axis=axis)
    check("roll", a, 3)
    check("roll", a, (1, 2), (0, 1))
    check("roll", a, (1, 2), 0)
    check("roll", a, 1, (0, 1))
    check("rot90", a, 1, (0, 0))
    check("rot90", a, 1, (1, 2))
    for shape in (-1, (4, 6), (24,), (2, -1), (5, 5), (3, 8)):
        check("reshape", a, shape)
        check("reshape", a, shape, order="F")
        check("reshape", a, shape, copy=True)
        check("resize", a, shape if shape != -1 else 7)
    for reps in (1, 2, (2, 1), (1, 2, 3), (2, 2, 1, 1), 0, (2, 0)):
        check("tile", a, reps)
    for repeats in (2, 0, [1, 2, 3]):
        check("repeat", a, repeats)
        check("repeat", a, repeats, axis=1)
    check("broadcast_to", a, (2, *a.shape))
    check("broadcast_to", a, (7, 7))
    check("broadcast_arrays", a, numpy.ones(a.shape[-1:]))


def test_joining_and_splitting():
    a, b = numpy.arange(6).reshape(2, 3), numpy.arange(6.0).reshape(2, 3) / 2
    for name in ("vstack", "hstack", "dstack", "column_stack", "stack", "concatenate", "concat"):
        for pieces in (
            [a, b],
            (a, b, a),
            [a],
            [a[0], b[0]],
            [numpy.array(1), numpy.array(2.5)],
            [],
            [a, b[0]],
            [a, b.T],
        ):
            check(name, pieces)
    for axis in (0, 1, -1, -2, 2, -3, 3):
        check("stack", [a, b], axis)
        check("concatenate", [a, b], axis)
    check("concatenate", [a, b], None)
    check("concatenate", [a, b], 0, dtype="f4")
    check("concatenate", [a, b], 0, dtype="i4")
    check("concatenate", [a, b], 0, dtype="i4", casting="unsafe")
    check("vstack", [a, b], dtype="f4")
    check("hstack", [a, b], dtype="f4")
    check("concatenate", [a, b], 0, out=numpy.zeros((4, 3)))
    check("stack", [a, b], 0, numpy.zeros((2, 2, 3)))
    check("append", a, b)
    check("append", a, b, 0)
    check("append", a, [[1, 2, 3]], axis=0)
    check("append", a, [1, 2, 3], axis=0)
    check("append", [1, 2], [3.5])
    c = numpy.arange(24).reshape(4, 6)
    for name in ("split", "array_split", "hsplit", "vsplit", "dsplit"):
        for sections in (2, 3, 4, 5, [1, 3], [0, 2, 9], 0):
            check(name, c, sections)
            check(name, c.reshape(2, 2, 6), sections)
            check(name, c[0], sections)
    check("split", c, 3, axis=1)
    check("split", c, 3, axis=-1)
    check("array_split", c, 4, axis=-1)
    for blocks in (
        [a, b],
        [[a, b], [b, a]],
        [[a], [b]],
        a,
        [1, 2],
        [[numpy.ones(3), 2]],
        [],
        [[], []],
        [a, [b]],
        (a, b),
    ):
        check("block", blocks)


@pytest.mark.parametrize(
    "a", [numpy.arange(10), numpy.arange(12.0).reshape(3, 4), numpy.asfortranarray(numpy.arange(12).reshape(3, 4))]
)
def test_insert_and_delete(a):
    for axis in (None, 0, -1, 1):
        for where in (
            0,
            2,
            -1,
            [0],
            [1, 2],
            [],
            slice(1, 3),
            slice(None, None, -1),
            slice(3, None),
            slice(0, 3, 2),
            11,
            -14,
            numpy.array([True, False, True]),
        ):
            check("delete", a, where, axis)
            check("insert", a, where, 99, axis)
        check("insert", a, [1, 1], [5, 6] if axis is None or a.ndim == 1 else 5.7, axis)
        check("insert", a, 1, a[:, 0] if a.ndim == 2 and axis == 1 else 4, axis)
    if a.ndim == 2:
        check("delete", a, [True, False, True], 0)
        check("insert", a, 1, [1, 2, 3, 4], 0)
        check("insert", a, [1], [[1], [2], [3]], 1)


def test_trim_zeros():
    for a in (
        [0, 0, 1, 2, 0],
        [0, 0],
        [],
        [1.5, 0],
        numpy.array([0, 1, 0]),
        numpy.array([[0, 0, 0], [0, 1, 2], [0, 0, 0]]),
    ):
        for trim in ("fb", "f", "b", "x"):
            check("trim_zeros", a, trim)
    check("trim_zeros", numpy.array([[0, 0, 0], [0, 1, 2], [0, 0, 0]]), axis=1)


def test_every_dtype_moves():
    for a in samples():
        check("flip", a)
        check("roll", a, 1)
        check("tile", a, 2)
        check("repeat", a, 2)
        check("concatenate", [a, a] if a.ndim else [a.reshape(1)] * 2)
        check("stack", [a, a])
        check("atleast_2d", a)


def test_copyto():
    for where in (True, numpy.array([True, False, True])):
        for value in (1.5, 7, [1, 2, 3], numpy.array([True] * 3), [1, 2]):
            for casting in ("same_kind", "unsafe", "no"):
                d = numpy.zeros(3, int)
                check("copyto", d, value, casting, where)


def test_grids():
    import tessera.numpy as tnp
    from differential import same

    for indexing in ("xy", "ij", "no"):
        for sparse in (False, True):
            check("meshgrid", [1, 2, 3], [4.0, 5], indexing=indexing, sparse=sparse)
            check("meshgrid", [1, 2], [4.0, 5], [1j], indexing=indexing, sparse=sparse)
    check("meshgrid", [1, 2])
    check("meshgrid")
    check("indices", (2, 3))
    check("indices", (2, 3), dtype="f4")
    check("indices", (2, 3), sparse=True)
    check("ix_", [0, 1], [True, False, True])
    check("ix_", [[0, 1]])
    for key in (
        slice(0, 5),
        slice(0, 5, 2),
        slice(0, 1, 5j),
        slice(-1.0, 1, 0.5),
        (slice(0, 2), slice(0, 3)),
        (slice(0, 1, 3j), slice(0, 3)),
        (slice(3),),
        (slice(0, 2, 0.5), slice(0, 1, 2j)),
    ):
        same(numpy.mgrid[key], tnp.mgrid[key], 1e-12, f"mgrid[{key}]")
        same(numpy.ogrid[key], tnp.ogrid[key], 1e-12, f"ogrid[{key}]")
    v = numpy.arange(3)
    m = numpy.ones((2, 3))
    for key in (
        1,
        (1, 2.5),
        slice(0, 4),
        (slice(0, 1, 3j), 5),
        (v, 0, v),
        ("0,2", v, v),
        ("-1", m, m),
        ("0,2,0", v, v),
        ("1,3", v, v),
        (v, v * 1j),
        ("x", v),
        (True, 2),
    ):
        for name in ("r_", "c_"):
            try:
                expected = getattr(numpy, name)[key]
            except Exception as error:  # noqa: BLE001
                with pytest.raises(type(error)):
                    getattr(tnp, name)[key]
            else:
                same(expected, getattr(tnp, name)[key], 1e-12, f"{name}[{key}]")
    same([*numpy.ndenumerate(m)], [*tnp.ndenumerate(tnp.array(m))], 0, "ndenumerate")
    assert [*numpy.broadcast(v, 1.5)] == [*tnp.broadcast(v, 1.5)]


def test_matrices():
    for name in ("tri", "eye"):
        for arguments in ((3,), (3, 4), (3, 4, 1), (4, 3, -2), (0,), (3, 3, 7), (3, 3, -7)):
            check(name, *arguments)
            check(name, *arguments, dtype=int)
            check(name, *arguments, dtype=bool)
    check("identity", 3)
    for a in (
        make(numpy.random.default_rng(1), "d", (3, 4)),
        make(numpy.random.default_rng(1), "b", (2, 3, 3)),
        numpy.arange(3),
        numpy.array(2),
    ):
        for k in (-3, -1, 0, 1, 3):
            for name in ("tril", "triu", "diag", "diagflat", "trace", "diagonal"):
                check(name, a, k)
    for n, k, m in ((3, 0, None), (3, 1, 4), (4, -1, 2)):
        check("tril_indices", n, k, m)
        check("triu_indices", n, k, m)
    check("tril_indices_from", numpy.ones((3, 4)), 1)
    check("triu_indices_from", numpy.ones((3, 4)), 1)
    check("diag_indices", 3, 3)
    check("diag_indices_from", numpy.ones((3, 3)))
    check("diag_indices_from", numpy.ones((3, 4)))
    for x in ([1, 2, 3], [1.5, 2], [1j, 2]):
        for n in (None, 0, 1, 5):
            check("vander", x, n)
            check("vander", x, n, increasing=True)
