"""Indexing gives NumPy's elements, views, copies and errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import tessera.numpy as tnp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
DTYPES = ["float64", "int32", "uint8", "bool", "complex64", "float16"]


def source(shape, dtype="float64"):
    count = int(np.prod(shape))
    return (np.arange(count) % 251).astype(dtype).reshape(shape)


def same(ours, theirs):
    """Values, shape, dtype, and whether the result is an array at all."""
    assert isinstance(ours, tnp.ndarray) == isinstance(theirs, np.ndarray), (type(ours), type(theirs))
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(np.asarray(ours), theirs)


def both(array, action):
    """Runs the action on NumPy's array and on tessera's copy of it; both must give the same or raise alike."""
    ours, theirs = tnp.array(array), array.copy()
    try:
        expected = action(theirs)
    except Exception as error:
        with pytest.raises(type(error)) as caught:
            action(ours)
        return str(caught.value), str(error)
    result = action(ours)
    if expected is not None:
        same(result, expected)
    same(ours, theirs)
    return None


@st.composite
def indices(draw, shape):
    """One index: slices, integers, newaxis, ellipsis, integer arrays and masks in any mixture."""
    items, axis, ellipsis = [], 0, False
    while axis < len(shape) and draw(st.integers(0, 5)):
        kind = draw(st.sampled_from(["int", "slice", "none", "ellipsis", "array", "list", "mask"]))
        extent = shape[axis]
        if kind == "int" and extent:
            items.append(draw(st.integers(-extent, extent - 1)))
            axis += 1
        elif kind == "slice":
            items.append(draw(st.slices(extent)))
            axis += 1
        elif kind == "none":
            items.append(None)
        elif kind == "ellipsis" and not ellipsis:
            items.append(Ellipsis)
            ellipsis = True
        elif kind in ("array", "list") and extent:
            size = draw(st.sampled_from([(), (1,), (3,), (2, 3), (2, 1), (0,)]))
            index = draw(hnp.arrays(np.int64, size, elements=st.integers(-extent, extent - 1)))
            items.append(index.tolist() if kind == "list" else index)
            axis += 1
        elif kind == "mask" and axis < len(shape):
            many = draw(st.integers(1, min(2, len(shape) - axis)))
            items.append(draw(hnp.arrays(bool, shape[axis : axis + many])))
            axis += many
        else:
            break
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


@settings(max_examples=600, deadline=None)
@given(data=st.data(), shape=SHAPES, dtype=st.sampled_from(DTYPES))
def test_any_index_reads_what_numpy_reads(data, shape, dtype):
    index = data.draw(indices(shape))
    both(source(shape, dtype), lambda a: a[index])


@settings(max_examples=400, deadline=None)
@given(data=st.data(), shape=SHAPES, dtype=st.sampled_from(DTYPES))
def test_any_index_writes_what_numpy_writes(data, shape, dtype):
    index = data.draw(indices(shape))
    array = source(shape, dtype)
    try:
        target = array[index].shape
    except IndexError:
        return
    value = data.draw(
        hnp.arrays(
            dtype,
            target,
            elements={"min_value": 0, "max_value": 1} if dtype != "bool" and dtype != "complex64" else None,
        )
        if data.draw(st.booleans())
        else st.just(1)
    )
    if isinstance(value, np.ndarray) and np.isnan(value.astype(complex)).any():
        value = np.zeros_like(value)

    def store(a):
        a[index] = value

    both(array, store)


@settings(max_examples=300, deadline=None)
@given(shape=hnp.array_shapes(min_dims=1, max_dims=4, max_side=5), data=st.data())
def test_basic_indices_share_memory(shape, data):
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    array = source(shape)
    ours = tnp.array(array)
    theirs, result = array[index], ours[index]
    if not isinstance(theirs, np.ndarray):
        return
    assert result.strides == theirs.strides or 0 in theirs.shape or 1 in theirs.shape
    assert result.base is ours
    result[...] = -1
    theirs[...] = -1
    np.testing.assert_array_equal(np.asarray(ours), array)


OUT_OF_RANGE = [
    ((5,), 5),
    ((5,), -6),
    ((2, 3), (0, 3)),
    ((2, 3), (0, 1, 2)),
    ((2, 3), [0, 2]),
    ((2, 3), (slice(None), [3])),
    ((), 0),
    ((3,), 1.0),
    ((3,), "a"),
    ((3,), (Ellipsis, Ellipsis)),
    ((3,), np.array([1.0])),
    ((3,), np.array([True, False])),
    ((2, 3), (np.array([0, 1]), np.array([0, 1, 2]))),
    ((2, 2), np.ones((3, 2), bool)),
    ((3,), object()),
]


@pytest.mark.parametrize("shape, index", OUT_OF_RANGE)
def test_bad_indices_raise_numpys_error_in_numpys_words(shape, index):
    words = both(source(shape), lambda a: a[index])
    assert words is not None
    assert words[0] == words[1]


BAD_VALUES = [
    ((3,), slice(None), [1, 2]),
    ((2, 3), slice(None), np.ones((2, 2))),
    ((3,), [0, 1], [1, 2, 3]),
    ((3,), np.array([True, True, False]), [1, 2, 3]),
    ((3,), 0, [1, 2]),
    ((3,), 0, "x"),
]


@pytest.mark.parametrize("shape, index, value", BAD_VALUES)
def test_values_that_do_not_fit_raise_as_numpy_does(shape, index, value):
    def store(a):
        a[index] = value

    assert both(source(shape), store) is not None


@pytest.mark.parametrize(
    "dtype, value", [("int8", 300), ("uint8", -1), ("int64", float("nan")), ("int64", float("inf")), ("float64", 1j)]
)
def test_a_python_number_that_does_not_fit_an_element_raises(dtype, value):
    def store(a):
        a[1] = value

    assert both(source((3,), dtype), store) is not None


def test_an_element_is_a_numpy_scalar():
    a = tnp.array([[1.5, 2.5]])
    assert type(a[0, 1]) is np.float64 and a[0, 1] == 2.5
    assert type(a[()]) is tnp.ndarray
    assert type(tnp.array(3)[()]) is np.int64


def test_a_zero_dimensional_index_array_copies():
    def change(a):
        part = a[np.array(1)]
        part[...] = 9

    both(source((2, 3)), change)


def test_repeated_indices_keep_the_last_value():
    def store(a):
        a[[0, 0, 1, 0]] = [1, 2, 3, 4]

    both(source((3,)), store)


@pytest.mark.parametrize("step", [1, -1, 2])
def test_overlapping_writes_see_the_old_values(step):
    def shift(a):
        a[1:] = a[:-1]
        a[::-1] = a
        a[[0, 1, 2]] = a[[2, 1, 0]]
        a[:4:step] = a[4::step][: len(a[:4:step])]

    both(source((8,)), shift)


def test_a_mask_of_the_whole_array_assigns_one_value_or_as_many_as_are_true():
    mask = np.array([[True, False, True], [False, True, False]])

    def store(a):
        a[mask] = 7
        a[~mask] = [1, 2, 3]
        a[a > 5] = np.float64(0)

    both(source((2, 3)), store)


def test_tessera_arrays_serve_as_indices():
    array = source((4, 3))
    ours = tnp.array(array)
    index = np.array([2, 0])
    same(ours[tnp.array(index)], array[index])
    same(ours[tnp.array(index), tnp.array([1, 2])], array[index, [1, 2]])
    same(ours[ours > 5], array[array > 5])


def test_iteration_yields_rows_and_elements():
    array = source((3, 2))
    rows = list(tnp.array(array))
    assert len(rows) == 3
    for ours, theirs in zip(rows, array):
        same(ours, theirs)
    assert [type(x) for x in tnp.array([1.0, 2.0])] == [np.float64, np.float64]
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(tnp.array(1))


def test_flat_reads_and_writes_in_c_order():
    def act(a):
        b = a.T
        b.flat[3] = 50
        b.flat[[0, 2]] = [7, 8]
        b.flat[4:] = 1
        return np.asarray(b.flat[1:4]) if isinstance(b, np.ndarray) else tnp.asarray(b.flat[1:4])

    both(source((2, 3)), act)
    assert [int(x) for x in tnp.array(source((2, 3))).T.flat] == [int(x) for x in source((2, 3)).T.flat]


def test_writing_a_read_only_array_is_refused():
    a = tnp.array([1.0, 2.0])
    a.flags.writeable = False
    for index in (0, slice(None), [0], np.array([True, False])):
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            a[index] = 1


def overlapping(module, x, shape, strides):
    """A view of doubles from the middle of x on whose elements may meet in memory."""
    return module.lib.stride_tricks.as_strided(x[60:], shape, [8 * step for step in strides])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(-4, 4)), min_size=1, max_size=3))
def test_of_elements_that_meet_in_memory_the_last_one_written_stays(axes):
    shape, strides = [extent for extent, _ in axes], [step for _, step in axes]
    values = np.random.default_rng(3).random(shape)
    x, y = np.arange(120.0), tnp.arange(120.0)
    overlapping(np, x, shape, strides)[...] = values
    overlapping(tnp, y, shape, strides)[...] = tnp.array(values)
    same(y, x)


@pytest.mark.parametrize("write", ["assign", "out"])
def test_large_writes_to_one_place_do_not_depend_on_threads(write):
    values = np.random.default_rng(3).random((10**6, 2))
    for _ in range(3):
        y = tnp.zeros(2)
        target = tnp.lib.stride_tricks.as_strided(y, values.shape, (0, 8))
        if write == "out":
            tnp.add(tnp.array(values), 0, out=target)
        else:
            target[...] = tnp.array(values)
        assert y.tolist() == values[-1].tolist()


def test_picked_blocks_lie_in_memory_as_numpys_do():
    values = np.arange(60.0).reshape(3, 4, 5)
    pairs = [0, 1], [1, 0]
    every = slice(None)
    for axes in itertools.permutations(range(3)):
        for index in (
            [0, 1],
            [1],
            (every, [0, 1]),
            (every, every, [0, 1]),
            pairs,
            (every, 0, [1, 0]),
            (None, [0, 1]),
            (slice(1), *pairs),
        ):
            theirs = values.transpose(axes)[index]
            ours = tnp.asarray(values).transpose(axes)[index]
            np.testing.assert_array_equal(ours, theirs)
            assert ours.strides == theirs.strides, (axes, index)
