"""Generalised ufuncs of users' functions against NumPy's."""

import pickle

import numpy
import pytest
import tessera.numpy as np

from tessera import float64, guvectorize, int64, void

RNG = numpy.random.default_rng(3)


@guvectorize(
    ["void(float64[:,:], float64[:,:], float64[:,:])", "void(int64[:,:], int64[:,:], int64[:,:])"], "(m,n),(n,p)->(m,p)"
)
def product(a, b, out):
    """A matrix product."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = a[i, 0] * b[0, j]
            for k in range(1, a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


@guvectorize([(int64[:], int64, int64[:]), (float64[:], float64, float64[:])], "(n),()->(n)")
def plus(x, y, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + y


@guvectorize([void(float64[:], float64[:], float64[:])], "(n)->(),()")
def mean_and_largest(x, mean, largest):
    mean[0] = 0
    largest[0] = x[0]
    for v in x:
        mean[0] += v / x.shape[0]
        largest[0] = max(largest[0], v)


@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 2), (2, 4)),
        ((5, 3, 2), (2, 4)),
        ((5, 1, 3, 2), (7, 2, 4)),
        ((0, 3, 2), (2, 4)),
        ((2, 2, 1, 3, 2), (1, 2, 3, 2, 4)),
    ],
)
@pytest.mark.parametrize("kind", ["float64", "int64", "int8", "float32"])
def test_axes_around_broadcast(shapes, kind):
    a, b = (RNG.integers(-9, 9, shape).astype(kind) for shape in shapes)
    wide = "int64" if kind.startswith("int") else "float64"
    wanted = a.astype(wide) @ b.astype(wide)
    if kind in ("int8", "int64"):
        wanted = wanted.astype("float64")  # the first loop that takes them safely
    got = product(np.asarray(a), np.asarray(b))
    assert got.dtype == wanted.dtype
    numpy.testing.assert_array_equal(got, wanted)
    numpy.testing.assert_array_equal(product(a, b), wanted)


def test_layouts_of_memory():
    a, b = RNG.random((6, 8, 4)), RNG.random((6, 4, 8))
    ta, tb = np.asarray(a), np.asarray(b)
    numpy.testing.assert_allclose(product(ta[::-2, ::3], tb[::2, :, ::-1]), a[::-2, ::3] @ b[::2, :, ::-1], rtol=1e-15)
    numpy.testing.assert_allclose(product(ta.transpose(0, 2, 1), ta), a.transpose(0, 2, 1) @ a, rtol=1e-14)


def test_numbers_and_several_results():
    x = RNG.random((4, 9))
    assert plus(np.arange(3), 2).tolist() == [2, 3, 4]
    numpy.testing.assert_array_equal(plus(x, numpy.arange(4)), x + numpy.arange(4)[:, None])
    mean, largest = mean_and_largest(x)
    numpy.testing.assert_allclose(mean, x.mean(axis=1))
    assert largest.tolist() == x.max(axis=1).tolist()
    one, other = mean_and_largest(x[0])
    assert (isinstance(one, float), other) == (True, x[0].max())


def test_kinds_of_arrays_in_and_out():
    x = RNG.random((3, 5))
    assert type(plus(x, 1)) is numpy.ndarray
    assert type(plus(np.asarray(x), 1)) is type(np.asarray(x))
    for out in (numpy.zeros((3, 5)), np.zeros((3, 5)), np.zeros((3, 5), "float32"), numpy.zeros((5, 3)).T):
        assert plus(x, 1, out) is out
        numpy.testing.assert_allclose(out, x + 1, rtol=1e-6)
        out[...] = 0
        assert plus(x, 1, out=out) is out
        numpy.testing.assert_allclose(out, x + 1, rtol=1e-6)


def test_without_signatures_results_are_passed():
    @guvectorize("(n),()->(n)")
    def scaled(x, s, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * s

    for dtype in ("int32", "float32", "complex128"):
        out = np.zeros((2, 3), dtype)
        scaled(np.ones((2, 3), dtype), 3, out)
        assert out.tolist() == [[3, 3, 3], [3, 3, 3]]
    with pytest.raises(TypeError, match="takes its results, too"):
        scaled(np.ones(3), 2)


def test_operands_that_are_written():
    @guvectorize(["void(int64[:], int64[:])"], "(n)->()", writable_args=("x",))
    def drain(x, out):
        out[0] = 0
        for i in range(x.shape[0]):
            out[0] += x[i]
            x[i] = 0

    for x in (np.arange(6).reshape(2, 3), numpy.arange(6).reshape(2, 3)):
        assert drain(x).tolist() == [3, 12]
        assert x.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_attributes():
    assert (product.nin, product.nout, product.nargs) == (2, 1, 3)
    assert product.signature == "(m,n),(n,p)->(m,p)"
    assert product.types == ["dd->d", "ll->l"]
    assert (product.__name__, product.__doc__) == ("product", "A matrix product.")
    assert pickle.loads(pickle.dumps(product)) is product


def test_refusals():
    with pytest.raises(ValueError, match="core dimension 0, with gufunc signature"):
        product(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        product(np.ones(3), np.ones((3, 2)))
    with pytest.raises(ValueError, match="broadcast"):
        product(np.ones((2, 3, 3)), np.ones((4, 3, 3)))
    with pytest.raises(TypeError, match="no loop for operands of complex128"):
        product(np.ones((3, 3)) + 1j, np.ones((3, 3)))
    with pytest.raises(TypeError, match="takes 2 operands, or 3 with results"):
        product(np.ones((3, 3)))
    with pytest.raises(ValueError, match="Output operand 0 has a mismatch in its core dimension 0"):
        plus(np.ones(3), 1.0, np.zeros(4))
    with pytest.raises(TypeError, match="cannot cast a result"):
        plus(np.ones(3), 1.0, np.zeros(3, "int64"))
    with pytest.raises(NameError, match="no operand's"):
        guvectorize(["void(float64[:], float64[:])"], "(n)->(m)")(lambda a, b: None)
    for layout in ("(n)", "n->n", "(n)->(n", "(n),->()", "(1)->()"):
        with pytest.raises(ValueError, match="guvectorize"):
            guvectorize(["void(float64[:], float64[:])"], layout)(lambda a, b: None)
    with pytest.raises(TypeError, match="argument 0"):
        guvectorize(["void(float64[:], float64[:])"], "(n,n)->(n)")(lambda a, b: None)
    with pytest.raises(TypeError, match="has 1 parameters"):
        guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(lambda a: None)
