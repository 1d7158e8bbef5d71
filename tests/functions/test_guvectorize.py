"""Generalised ufuncs of users' functions against NumPy's."""

import pickle

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import float64, guvectorize, int64, njit, void

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
    if kind == "int8":
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
    for layout in ("n->n", "(n)->(n", "(n),->()", "(1)->()"):
        with pytest.raises(ValueError, match="guvectorize"):
            guvectorize(["void(float64[:], float64[:])"], layout)(lambda a, b: None)
    with pytest.raises(TypeError, match="argument 0"):
        guvectorize(["void(float64[:], float64[:])"], "(n,n)->(n)")(lambda a, b: None)
    with pytest.raises(TypeError, match="has 1 parameters"):
        guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(lambda a: None)


@njit
def add_to(x, y):
    for i in range(len(x)):
        y[i] += x[i]


@guvectorize("(n)->(n)")
def through_a_helper(x, y):
    add_to(x, y)


@guvectorize("(n)->(n)")
def only_first(x, y):
    y[0] = x[0]


@guvectorize("(n)->(n)")
def through_a_view(x, y):
    z = y[::2]
    z += x[0]


@guvectorize("(n)->(n)")
def through_a_tuple(x, y):
    a, b = (x, y)
    b[0] += a[0]


@guvectorize("(n)->(n)")
def sum_before(x, y):
    total = y.sum()
    for i in range(len(x)):
        y[i] = total


@guvectorize("(n)->(n)")
def positive_ones(x, y):
    for i in range(len(x)):
        if x[i] > 1:
            y[i] = x[i]


@guvectorize("(n)->(n)")
def until_three(x, y):
    for i in range(len(x)):
        if x[i] == 3:
            return
        y[i] = x[i]


@guvectorize("(n)->(n)")
def flattened(x, y):
    z = y.ravel()
    z[1] = x[1]


@guvectorize("(n)->(n)")
def running(x, y):
    for i in range(1, len(x)):
        y[i] = y[i - 1] + x[i]


PARTIAL = [
    through_a_helper, only_first, through_a_view, through_a_tuple, sum_before, positive_ones, until_three, flattened, running,
]  # fmt: skip


@pytest.mark.parametrize("device", ["cpu", "simulated"])
@pytest.mark.parametrize("function", PARTIAL, ids=lambda one: one.__name__)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_a_function_sees_what_its_result_holds(function, device, kind):
    x = numpy.array([[1.0, 2.0, 3.0, 4.0], [0.5, 1.5, 2.5, 3.5]])
    wanted = numpy.full((2, 4), 7.0)
    for row, own in zip(x, wanted):
        function.py_func(row, own)
    function = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(function.py_func)
    with tessera.device(device):
        for library in (numpy, np):
            out = library.full((2, 4), 7.0, dtype=kind)
            function(library.asarray(x), out)
            assert out.tolist() == wanted.astype(kind).tolist()
            out = library.full((4, 2), 7.0, dtype=kind).T
            assert function(library.asarray(x), out=out) is out
            assert out.tolist() == wanted.astype(kind).tolist()


def test_results_without_axes_keep_what_is_not_written():
    @guvectorize(["void(float64[:], float64[:])"], "()->()")
    def more(x, out):
        out[0] += x[0]

    @guvectorize(["void(float64[:], float64[:])"], "()->()")
    def keep(x, out):
        if x[0] > 1:
            out[0] = x[0]

    for library in (numpy, np):
        o = library.full(3, 2.0)
        more(library.ones(3), out=o)
        assert o.tolist() == [3, 3, 3]
        keep(library.asarray([0.5, 4.0, 1.0]), o)
        assert o.tolist() == [3, 4, 3]


def test_what_is_all_written_is_not_copied():
    def fill(x, y):
        y[:] = 0
        for i in range(len(x)):
            y[i] += x[i]

    core = tessera.jit(fill, error_model="numpy")
    core.compile("(float64[:], float64[:])")
    (version,) = core.overloads.values()
    assert version.overwritten([[0], [0]]) == [False, True]
    assert version.overwritten([[0], [1]]) == [False, True]
    assert version.writes[:2] == [False, True]


def test_an_operand_that_is_the_result_is_read_first():
    @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def reverse(x, y):
        for i in range(len(x)):
            y[i] = x[len(x) - 1 - i]

    for library in (numpy, np):
        x = library.arange(5.0)
        reverse(x, x)
        assert x.tolist() == [4, 3, 2, 1, 0]
        x = library.arange(6.0)
        reverse(x[:-1], x[1:])
        assert x.tolist() == [0, 4, 3, 2, 1, 0]


def test_operands_broadcast_to_results():
    out = numpy.ones((3, 4))
    through_a_helper(numpy.arange(4.0), out)
    assert out.tolist() == [[1, 2, 3, 4]] * 3
    with pytest.raises(ValueError, match="a result has shape"):
        through_a_helper(numpy.ones((3, 4)), numpy.ones((1, 4)))


def test_a_layout_may_have_no_results():
    @guvectorize(["(float64[:], int64[:], float64[:])"], "(a),(a),(z)", cache=True)
    def sums(values, labels, out):
        for k in range(len(values)):
            out[labels[k]] += values[k]

    labels = numpy.array([0, 1, 0, 1])
    for library in (numpy, np):
        out = library.zeros(2)
        assert sums(library.arange(4.0), library.asarray(labels), out) == ()
        assert out.tolist() == [2, 4]
        out = library.zeros((3, 2))
        sums(library.arange(4.0), library.asarray(labels), out)
        assert out.tolist() == [[2, 4]] * 3
        # Elements around that write the same array do it in order.
        out = library.zeros(2)
        sums(library.arange(4.0 * 5000).reshape(5000, 4), library.asarray(labels), out)
        assert out.tolist() == [sum(range(0, 20000, 2)), sum(range(1, 20000, 2))]


def test_a_loop_that_fits_exactly_is_taken_wherever_it_stands():
    @guvectorize(["void(float64[:], float64[:])", "void(int64[:], int64[:])"], "(n)->(n)")
    def up(x, y):
        for i in range(len(x)):
            y[i] = x[i] + 1

    for operand in (numpy.array([2**60]), np.array([2**60]), [2**60]):
        assert up(operand).tolist() == [2**60 + 1]

    @guvectorize(["void(int16[:], int16, int16[:])", "void(uint8[:], uint8, uint8[:])"], "(n),()->(n)")
    def add(x, y, out):
        for i in range(len(x)):
            out[i] = x[i] + y

    assert add(numpy.array([3], "uint8"), numpy.uint8(2)).dtype == "uint8"
    assert add(numpy.array([3], "uint8"), 2).dtype == "int16"


def test_pythons_numbers_adapt_to_arrays_of_their_kind_only():
    @guvectorize(["void(float32[:], float32, float32[:])", "void(float64[:], float64, float64[:])"], "(n),()->(n)")
    def add(x, y, out):
        for i in range(len(x)):
            out[i] = x[i] + y

    assert add(numpy.ones(2, "float32"), 2.5).dtype == "float32"
    assert add(numpy.ones(2, "uint8"), 2.5).dtype == "float64"
    assert add(numpy.ones(2, "uint8"), 2).dtype == "float32"


def test_writable_args_name_operands():
    for name in ("out", 1, "other", -1):
        with pytest.raises(RuntimeError if name == "other" else ValueError, match="in writable_args"):
            guvectorize(["void(float64[:], float64[:])"], "()->()", writable_args=(name,))(lambda x, out: None)


def test_a_helper_that_changes_is_seen():
    def whole(y):
        for i in range(len(y)):
            y[i] = 1

    def part(y):
        y[0] = 1

    helper = njit(whole)

    @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def call(x, y):
        helper(y)

    out = numpy.full(3, 7, "float32")
    call(numpy.ones(3), out)
    assert out.tolist() == [1, 1, 1]
    helper = njit(part)
    out = numpy.full(3, 7, "float32")
    call(numpy.ones(3), out)
    assert out.tolist() == [1, 7, 7]


@guvectorize("(n),()->(n)")
def scaled(x, by, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * by


@guvectorize("(),()->()")
def added(x, y, out):
    out[0] = x + y


@guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(x, out):
    out[0] = 0.0
    for value in x:
        out[0] += value


def test_without_signatures_results_are_passed_by_place_or_name():
    assert scaled.is_dynamic and not total.is_dynamic
    for dtype in ("int64", "float32", "float64"):
        x = numpy.arange(6).reshape(2, 3).astype(dtype)
        out = numpy.zeros_like(x)
        assert scaled(x, 2, out) is out
        numpy.testing.assert_array_equal(scaled(x, 2, out=numpy.zeros_like(x)), 2 * x)
        numpy.testing.assert_array_equal(out, 2 * x)
    with pytest.raises(TypeError, match="Too few arguments for function 'scaled'"):
        scaled(numpy.arange(3), 2)
    assert scaled.ntypes == len(scaled.types) >= 3


def test_layouts_without_core_axes_have_the_methods_of_ufuncs():
    assert added.signature is None and total.signature == "(n)->()"
    values = numpy.arange(12).reshape(3, 4)
    assert added(values, values, numpy.zeros((3, 4), int)).tolist() == (values + values).tolist()
    numpy.testing.assert_array_equal(added.reduce(values), numpy.add.reduce(values))
    numpy.testing.assert_array_equal(added.accumulate(values, axis=1), numpy.add.accumulate(values, axis=1))
    numpy.testing.assert_array_equal(added.reduceat(values, [0, 2], axis=1), numpy.add.reduceat(values, [0, 2], axis=1))
    numpy.testing.assert_array_equal(added.outer([0, 1], [1, 2]), [[1, 2], [2, 3]])
    changed = numpy.array([1, 2, 3, 4])
    added.at(changed, [0, 1, 0], numpy.array([1, 2, 5]))
    assert changed.tolist() == [7, 4, 3, 4]
    for name in ("reduce", "accumulate"):
        with pytest.raises(RuntimeError, match="Reduction not defined on ufunc with signature"):
            getattr(total, name)(values)
    with pytest.raises(TypeError, match="method outer is not allowed"):
        total.outer(values, values)


def test_keepdims_and_casting():
    values = numpy.arange(24.0).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        expected = numpy.sum(values, axis=axis, keepdims=True)
        numpy.testing.assert_array_equal(total(values, axis=axis, keepdims=True), expected)
        out = numpy.zeros_like(expected)
        assert total(values, axis=axis, keepdims=True, out=out) is out
        numpy.testing.assert_array_equal(out, expected)
    numpy.testing.assert_array_equal(total(values, keepdims=True), numpy.sum(values, axis=-1, keepdims=True))
    with pytest.raises(TypeError, match="does not support keepdims"):
        scaled(values, 2.0, out=values.copy(), keepdims=True)
    out = numpy.zeros((2, 3), int)
    with pytest.raises(TypeError, match="cannot cast a result"):
        total(values, out=out)
    assert total(values, out=out, casting="unsafe").tolist() == values.sum(axis=-1).tolist()


def test_results_are_passed_one_by_one():
    values = numpy.arange(6.0).reshape(2, 3)
    mean = numpy.zeros(2)
    first, second = mean_and_largest(values, mean)
    assert first is mean and second.tolist() == [2.0, 5.0]
    first, second = mean_and_largest(values, out=(None, mean))
    assert second is mean and first.tolist() == [1.0, 4.0]
    with pytest.raises(TypeError, match="must be a tuple of arrays"):
        mean_and_largest(values, out=mean)


def test_local_ones_are_pickled():
    factor = 3

    @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def local(x, out):
        out[0] = x[0] * factor

    assert pickle.loads(pickle.dumps(local))(numpy.ones((2, 3))).tolist() == [3.0, 3.0]


def test_operands_that_are_cast_change_where_writable_args_asks():
    def fill(x, y):
        for i in range(x.shape[0]):
            x[i] = y[0]

    for options, changes in (({}, False), ({"writable_args": ("x",)}, True)):
        made = guvectorize(["void(float64[:], float64[:])"], "(n),()", **options)(fill)
        exact, cast = numpy.zeros(3), numpy.zeros(3, "float32")
        made(exact, 2)
        made(cast, 2)
        assert exact.tolist() == [2, 2, 2] and cast.tolist() == ([2, 2, 2] if changes else [0, 0, 0])
