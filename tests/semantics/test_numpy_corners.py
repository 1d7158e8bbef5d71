"""Corners of NumPy's behaviour that its own tests look into."""

from __future__ import annotations

import warnings

import numpy
import pytest
import tessera.numpy as np

import tessera

scipy_sparse = pytest.importorskip("scipy.sparse")


def test_a_matrix_decides_what_multiplication_means():
    matrix = numpy.matrix([[1.0, 2.0], [3.0, 4.0]])
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    for product in (array * matrix, matrix * array):
        assert isinstance(product, numpy.matrix)
        numpy.testing.assert_array_equal(product, [[7.0, 10.0], [15.0, 22.0]])


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "coo_array"])
def test_sparse_arrays_take_part_on_either_side(kind):
    dense = numpy.array([[1.0, 2.0], [3.0, 4.0]])
    sparse = getattr(scipy_sparse, kind)(numpy.eye(2))
    array = np.array(dense)
    for ours, theirs in [
        (sparse + array, sparse + dense),
        (array + sparse, dense + sparse),
        (array - sparse, dense - sparse),
        (array @ sparse, dense @ sparse),
        (sparse @ array, sparse @ dense),
    ]:
        numpy.testing.assert_array_equal(ours, theirs)


def test_masks_of_masked_arrays_survive_operators():
    masked = numpy.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    for result in (np.array([1.0, 1.0, 1.0]) * masked, masked * np.array([1.0, 1.0, 1.0])):
        assert result.mask.tolist() == [False, True, False]


def test_a_legacy_class_with_a_priority_is_asked_first():
    class Quantity:
        __array_priority__ = 10

        def __radd__(self, other):
            return "mine"

    assert np.arange(3) + Quantity() == "mine"


@pytest.mark.parametrize("make", [np.ones, np.zeros, np.empty, np.arange])
def test_arrays_larger_than_memory_are_refused_at_the_call(make):
    with pytest.raises(MemoryError, match=r"Unable to allocate 256\. TiB for an array with shape \(35184372088832,\)"):
        make(1 << 45)


def test_picked_elements_lie_in_the_order_of_the_index_array():
    with tessera.device("cpu"):
        check_order_of_picked_elements()


def check_order_of_picked_elements():
    a, index = np.arange(10), np.arange(10).reshape(5, 2).T
    assert a[index].flags.f_contiguous and a.reshape(-1, 1)[index, 0].flags.f_contiguous
    b = numpy.arange(60).reshape(3, 4, 5)
    i, j = numpy.arange(6).reshape(3, 2).T % 3, numpy.arange(6).reshape(3, 2).T % 4
    for key in [
        (i, j),
        (i, j, 1),
        (i, j, i),
        (i, j.T[:1, :1], 3),
        (slice(None), j),
        (i, slice(None), j),
        (i, 1),
        (slice(1, 3), i.T, j.T),
    ]:
        mine, theirs = np.array(b)[key], b[key]
        assert mine.strides == theirs.strides
        numpy.testing.assert_array_equal(mine, theirs)
        mine, theirs = np.array(b), b.copy()
        mine[key] = theirs[key] = numpy.arange(b[key].size).reshape(b[key].shape)
        numpy.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    "write",
    [
        lambda np, a: np.putmask(a, a > 2, -1.0),
        lambda np, a: np.putmask(a, a > 2, [-1.0, -2.0]),
        lambda np, a: np.place(a, a > 2, [-1.0, -2.0]),
        lambda np, a: np.copyto(a, -1.0),
        lambda np, a: np.fill_diagonal(a, -1.0),
        lambda np, a: np.put_along_axis(a, numpy.array([[1], [1]]), -1.0, 1),
        lambda np, a: np.nan_to_num(a, copy=False, nan=-1.0),
    ],
)
@pytest.mark.parametrize("dtype", ["f8", ">f8"])
def test_functions_that_write_into_an_array_write_into_numpys(write, dtype):
    mine, theirs = [numpy.array([[0, 1, numpy.nan], [3, 4, 5]], dtype) for _ in range(2)]
    write(np, mine)
    write(numpy, theirs)
    numpy.testing.assert_array_equal(mine, theirs)


def test_overlapping_writes_do_not_depend_on_where_they_were_planned():
    base = numpy.arange(7, dtype=numpy.int16)
    for n in (4, 5, 6):
        for start in range(n, 7):
            for step in (1, -1):
                mine, theirs = np.array(base), base.copy()
                for np_, a in ((np, mine), (numpy, theirs)):
                    a = a[::step]
                    np_.invert(a[start - n + 1 : start + 1], out=a[start - n : start])
                numpy.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("n", [3, 25, 100, 257, 2000, 300_000])
def test_infinities_survive_sorting(dtype, n):
    data = numpy.random.default_rng(n).standard_normal(n).astype(dtype)
    data[::7], data[3::11] = numpy.inf, -numpy.inf
    numpy.testing.assert_array_equal(np.sort(np.array(data)), numpy.sort(data))
    numpy.testing.assert_array_equal(np.array(data)[np.argsort(np.array(data))], numpy.sort(data))
    numpy.testing.assert_array_equal(np.median(np.array(data)), numpy.median(data))


@pytest.mark.parametrize("wrong, error", [("quicksort", ValueError), (1, TypeError)])
def test_partition_knows_one_kind(wrong, error):
    with pytest.raises(error):
        np.partition(np.arange(5), 2, kind=wrong)


@pytest.mark.parametrize("dtype", ["u1", "u8", "i4", "?"])
def test_bincount_takes_every_integer(dtype):
    a = numpy.array([0, 1, 1, 0, 1], dtype)
    numpy.testing.assert_array_equal(np.bincount(np.array(a)), numpy.bincount(a))


def test_interp_keeps_the_parts_of_complex_numbers_apart():
    values = [0, complex(0, -numpy.inf)]
    numpy.testing.assert_array_equal(np.interp(0.5, [0, 1], values), numpy.interp(0.5, [0, 1], values))


def test_positions_in_an_empty_grid_are_not_looked_at():
    assert np.ravel_multi_index([np.zeros((1,), int) + 5, np.zeros((0,), int)], (2, 3)).shape == (0,)


def test_broadcast_objects_nest():
    a, b, c = np.empty((6, 7)), np.empty((5, 6, 1)), np.empty((7,))
    both = np.broadcast(a, np.broadcast(b, c))
    assert both.shape == (5, 6, 7) and both.numiter == 3
    assert [each.base is array for each, array in zip(np.broadcast(b).iters, [b])] == [True]


def test_choice_draws_from_what_stays_numpys():
    words = ["a", "b", "c"]
    assert np.random.RandomState(3).choice(words, 5).tolist() == numpy.random.RandomState(3).choice(words, 5).tolist()
    assert (
        np.random.default_rng(3).permutation(words).tolist() == numpy.random.default_rng(3).permutation(words).tolist()
    )


def test_tolerances_that_are_no_numbers_are_warned_about():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.isclose(np.array([1, 2]), 1, atol=numpy.nan)
    assert [str(w.message) for w in caught] == ["One of rtol or atol is not valid, atol: nan, rtol: 1e-05"]


def test_floats_in_lists_of_counts_and_positions_are_cut():
    a = np.arange(5)
    np.put(a, [1, 2.7], 9)
    assert a.tolist() == [0, 9, 9, 3, 4] and np.repeat([1, 2], 2.9).tolist() == [1, 1, 2, 2]
    numpy.testing.assert_array_equal(np.tril(np.ones((4, 4)), k=-1.5), numpy.tril(numpy.ones((4, 4)), k=-1.5))
    assert np.random.RandomState(1).binomial(100.5, 0.5) == numpy.random.RandomState(1).binomial(100.5, 0.5)


def test_seeds_may_be_arrays():
    assert np.random.default_rng(np.arange(3)).random() == numpy.random.default_rng(numpy.arange(3)).random()
    ours, theirs = np.random.SeedSequence(np.arange(3)), numpy.random.SeedSequence(numpy.arange(3))
    assert ours.generate_state(2).tolist() == theirs.generate_state(2).tolist()


def test_bounds_of_random_integers_reach_over_64_bits():
    ours, theirs = [n.random.default_rng(1).integers([0], [2**64], size=3, dtype="u8") for n in (np, numpy)]
    assert ours.tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="high is out of bounds"):
        np.random.default_rng(1).integers([0], [2**64 + 1], dtype="u8")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_events_of_every_inexact_type_are_reported(dtype):
    huge = numpy.finfo(dtype).max
    for name, a, b in [
        ("divide", 1, 0),
        ("divide", 0, 0),
        ("multiply", huge, huge),
        ("subtract", numpy.inf, numpy.inf),
    ]:
        texts = []
        for module in (np, numpy):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                getattr(module, name)(module.array([a], dtype), module.array([b], dtype))
            texts.append({str(w.message) for w in caught})
        assert texts[0] <= texts[1] and bool(texts[0]) == bool(texts[1]), (name, a, b, texts)


def test_divmod_reports_both_results():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.divmod(np.array([1.0]), np.array([0.0]))
    assert {str(w.message) for w in caught} == {
        f"{what} encountered in divmod" for what in ("divide by zero", "invalid value")
    }


def test_nothing_assigned_to_flat_elements_writes_nothing():
    a = np.arange(3)
    a.flat[:] = []
    assert a.tolist() == [0, 1, 2]


def test_results_of_reductions_do_not_spread_over_larger_outputs():
    with pytest.raises(ValueError, match="non-broadcastable output"):
        np.all(np.ones((2, 3), bool), axis=0, keepdims=True, out=np.zeros((2, 3), bool))


def test_other_byte_orders_stay_numpys_arrays():
    for made in (
        np.zeros(3, ">f8"),
        np.concatenate([np.ones(1)], dtype=">f8"),
        np.ones(3).astype(">f4"),
        np.ones(3).view(">f8"),
    ):
        assert type(made) is numpy.ndarray and not made.dtype.isnative


def test_where_may_be_a_list_of_numbers():
    assert np.add([1, 2], [3, 4], out=np.zeros(2, int), where=[1, 0]).tolist() == [4, 0]


def test_folds_of_nothing_without_an_identity_are_refused_even_for_no_results():
    with pytest.raises(ValueError, match="zero-size array"):
        np.divide.reduce(np.zeros((0, 0, 5)), axis=1)
    assert np.divide.reduce(np.zeros((0, 5)), axis=1).shape == (0,)


def test_an_infinite_step_takes_one_element():
    for step in (numpy.inf, -numpy.inf):
        assert np.arange(0, 1, step).tolist() == numpy.arange(0, 1, step).tolist()
    with pytest.raises(ValueError, match="cannot compute length"):
        np.arange(0, 1, numpy.nan)


def test_replacements_of_nan_are_not_replaced_again():
    assert np.nan_to_num(np.array([numpy.nan, 1.0]), nan=numpy.inf, posinf=999).tolist() == [numpy.inf, 1.0]


def test_no_extent_to_spread_to_is_negative():
    for shape in (-1, (-1,), (-1, 2)):
        with pytest.raises(ValueError):
            np.broadcast_to(np.zeros((1, 2)), shape)


def test_axes_of_lexsort_are_checked():
    with pytest.raises(numpy.exceptions.AxisError):
        np.lexsort((np.arange(3),), axis=1)


def test_joining_by_index_knows_matrices_and_other_elements():
    a, b = np.array([1, 2]), np.array([3, 4])
    assert isinstance(np.r_["r", a, b], numpy.matrix)
    record = numpy.zeros(1, [("x", float)])
    assert np.r_[record, record].dtype == record.dtype


def test_polynomials_may_have_any_coefficients():
    from fractions import Fraction

    assert np.poly1d([Fraction(1, 3), Fraction(1, 2)])(2) == Fraction(7, 6)


def test_at_adds_what_the_target_held_before():
    mine, theirs = np.arange(100), numpy.arange(100)
    for module, a in ((np, mine), (numpy, theirs)):
        module.add.at(a, a[25:75], a[25:75])
    numpy.testing.assert_array_equal(mine, theirs)


def test_arrays_of_other_elements_are_made_by_numpy():
    assert type(np.ndarray(2, dtype=object)) is numpy.ndarray
    assert type(np.frombuffer(b"\0" * 8, ">f8")) is numpy.ndarray
    swapped = numpy.arange(3, dtype=">i4")
    assert np.zeros_like(swapped).dtype == swapped.dtype and np.sort(swapped).dtype == swapped.dtype
    assert np.sum(swapped) == 3 and (np.arange(3) + swapped).tolist() == [0, 2, 4]


def test_choose_writes_into_any_output():
    out = numpy.zeros(2, ">f8")
    assert np.choose([0, 1], [[1, 2], [3, 4]], out=np.zeros(2)).tolist() == [1, 4]
    assert np.choose([0, 1], [[1, 2], [3, 4]], out=numpy.zeros(2)).tolist() == [1, 4]
    np.choose([0, 1], [[1, 2], [3, 4]], out=out)
    assert out.tolist() == [1, 4]


def test_bounds_of_random_integers_may_be_single_and_large():
    ours, theirs = [n.random.default_rng(1).integers([2**63] * 3, 2**64, dtype="u8") for n in (np, numpy)]
    assert ours.tolist() == theirs.tolist()


def test_orders_and_masks_are_read_as_numpy_reads_them():
    assert np.ravel_multi_index(([1], [0]), (2, 2), order="c").tolist() == [2]
    assert [int(i) for i in np.unravel_index(3, (2, 2), order="f")] == [1, 1]
    a = np.zeros(2)
    np.copyto(a, 1, where=2.5)
    assert a.tolist() == [1, 1]
    assert np.setdiff1d([[1, 2], [3, 4]], [[1], [2]], assume_unique=True).tolist() == [3, 4]


def test_bins_may_end_in_nan():
    x = [0.0, 1.0, 1.5, 4.0, numpy.nan]
    for bins in ([1.0, 2.0, numpy.nan], [numpy.nan, 2.0, 1.0]):
        for right in (False, True):
            assert np.digitize(x, bins, right).tolist() == numpy.digitize(x, bins, right).tolist()


def test_bincount_counts_no_floats_even_of_nothing():
    with pytest.raises(TypeError):
        np.bincount(np.zeros(0))


def test_booleans_of_other_bytes_are_true():
    raw = numpy.array([0, 1, 2, 255, 128, 0, 7, 3] * 30, dtype="u1")
    odd = raw.view(bool)
    for mask in (
        np.array(raw).view(bool),
        np.asarray(odd),
        np.asarray(odd[::2]),
        np.asarray(numpy.asfortranarray(odd.reshape(24, 10))),
        np.frombuffer(raw.tobytes(), dtype=bool),
    ):
        expected = numpy.asarray(mask)
        assert int(mask.sum()) == numpy.count_nonzero(expected) == int(expected.sum())
        assert bool((mask & True == mask).all()) and np.nonzero(mask.ravel())[0].size == int(mask.sum())
    assert np.asarray(odd).tolist() == [bool(b) for b in raw]
    plain = numpy.array([True, False])
    assert np.asarray(plain.view("u1")).view(bool).base is not None
    with pytest.raises(ValueError, match="bytes other than 0 and 1"):
        np.asarray(odd, copy=False)


def test_subclasses_keep_their_class():
    class Named(np.ndarray):
        def __new__(cls, values, name):
            result = np.asarray(values).view(cls)
            result.name = name
            return result

        def __array_finalize__(self, parent):
            self.name = getattr(parent, "name", None)

    a = Named([[3.0, 1.0], [2.0, 4.0]], "x")
    results = [a + 1, a[0], a.sum(), a.sum(axis=0), np.mean(a, axis=1), a.cumsum(), np.sort(a), a.argsort(), a.take([0]), a.dot(a),
               np.zeros_like(a), np.empty_like(a), a.max(axis=0), np.asanyarray(a), np.array(a, subok=True), np.add.reduce(a)]  # fmt: skip
    for result in results:
        assert type(result) is Named and result.name == "x"
    assert type(np.asarray(a)) is np.ndarray and type(np.zeros_like(a, subok=False)) is np.ndarray
    assert repr(a).startswith("Named([[3., 1.],\n       [2., 4.]])")


def outcome(call, module):
    """What a call gives, or the error it raises."""
    try:
        return repr(call(module))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("call", [
    lambda xp: xp.array(3.0).squeeze(0), lambda xp: xp.array(3.0).squeeze(axis=-1), lambda xp: xp.array(3.0).squeeze(1),
    lambda xp: xp.array(3.0).squeeze((0,)), lambda xp: xp.squeeze(xp.array(3.0), -1), lambda xp: xp.squeeze(xp.array(3.0), (-1,)),
    lambda xp: xp.mgrid[xp.zeros(4)[:, None] : xp.ones(4)[:, None] : 4j, xp.zeros(4)[:, None] : xp.ones(4)[:, None] : 4j].tolist(),
    lambda xp: xp.mgrid[0:3, 1:2:3j].tolist(), lambda xp: [x.tolist() for x in xp.ogrid[0:3, 1:2:3j]],
    lambda xp: [x.tolist() for x in xp.ogrid[xp.zeros(3) : xp.ones(3) : 3j, 0:2]], lambda xp: [x.tolist() for x in xp.ogrid[0:2, xp.zeros((2, 1)) : 1 : 3j]],
])  # fmt: skip
def test_arrays_without_axes_and_grids_of_arrays(call):
    assert outcome(call, np) == outcome(call, numpy)


@pytest.mark.parametrize("order", [None, "C", "F", "c", "f", "K", "A", "Z", 0, b"F", b"Z"])
def test_orders_of_flat_positions(order):
    for call in (
        lambda xp: xp.ravel_multi_index((xp.arange(3), xp.arange(3)), (4, 5), order=order),
        lambda xp: xp.unravel_index(7, (4, 5), order),
    ):
        assert outcome(call, np) == outcome(call, numpy)


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
@pytest.mark.parametrize("subscripts", ["ij", "ij->ij", "...", "ji", "ii->i", "...ij->ij"])
def test_einsum_of_one_operand_is_a_view(subscripts, order):
    a = np.ones((3, 3))
    view = np.einsum(subscripts, a, order=order)
    assert view is not a and view.base is a and view.flags.writeable
    view[...] = 2.0
    assert (a == 2.0).sum() == view.size
