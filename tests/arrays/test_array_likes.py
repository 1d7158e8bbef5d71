"""Arrays made from other objects: `__array__`, the array interface, copy= and order=, and arrays that stay NumPy's."""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np

ALWAYS, IF_NEEDED, NEVER = [True, np._CopyMode.ALWAYS], [None, np._CopyMode.IF_NEEDED], [False, np._CopyMode.NEVER]


class Like:
    """An object with `__array__`, which remembers what it was asked."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __array__(self, dtype=None, copy=None):
        self.asked.append((dtype, copy))
        return self.array


class OldLike:
    """One from before `copy=`."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array


@pytest.mark.parametrize("copy", ALWAYS + IF_NEEDED + NEVER)
def test_an_array_like_is_asked_once_and_trusted(copy):
    like = Like(np.arange(10))
    assert np.array(like, copy=copy) is like.array
    expected = True if copy in ALWAYS else False if copy in NEVER else None
    assert like.asked == [(None, expected)]


def test_an_array_like_gets_the_dtype_itself():
    like = Like(np.arange(3, dtype=np.float32))
    assert np.asarray(like, "f4") is like.array
    assert like.asked == [(numpy.dtype("f4"), None)]
    assert np.array(like, dtype=object).tolist() == [0.0, 1.0, 2.0]


def test_an_array_like_in_the_wrong_order_or_dtype_is_copied():
    like = Like(np.ones((2, 3)))
    turned = np.array(like, copy=True, order="F")
    assert turned.flags.f_contiguous and not np.shares_memory(turned, like.array)
    assert np.array(like, dtype=int).dtype == int
    for options in ({"dtype": int}, {"order": "F"}):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            np.array(like, copy=False, **options)


def test_an_array_like_without_copy_keyword_is_copied_with_a_warning():
    like = OldLike(np.arange(10))
    assert np.array(like, copy=None) is like.array
    with pytest.warns(DeprecationWarning, match="__array__.*must implement.*'copy'"):
        assert np.array(like, copy=True) is not like.array
    with pytest.warns(DeprecationWarning), pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(like, copy=False)


def test_an_array_like_that_fails_says_why():
    class Failing:
        def __array__(self, dtype=None, copy=None):
            raise KeyError("mine")

    class Wrong:
        def __array__(self, dtype=None, copy=None):
            return 3

    with pytest.raises(KeyError, match="mine"):
        np.asarray(Failing())
    with pytest.raises(ValueError, match="not producing an array"):
        np.asarray(Wrong())


def test_an_array_like_may_be_an_operand_an_index_and_a_source():
    like = Like(np.arange(3))
    assert (np.ones(3) + like).tolist() == [1, 2, 3]
    assert np.maximum(like, 1).tolist() == [1, 1, 2]
    assert np.arange(30)[like].tolist() == [0, 1, 2]
    assert np.zeros((4, 3))[like, like].tolist() == [0, 0, 0]
    target = np.zeros(3)
    target[...] = like
    assert target.tolist() == [0, 1, 2]
    rows = np.zeros((2, 3))
    rows[:] = [like, like]
    assert rows.tolist() == [[0, 1, 2]] * 2
    assert np.array([like, like]).tolist() == [[0, 1, 2]] * 2


@pytest.mark.parametrize("attribute", ["__array_interface__", "__array_struct__"])
def test_the_array_interface_shares_memory(attribute):
    base = np.arange(10)
    like = type("Like", (), {attribute: getattr(base, attribute)})()
    for copy in IF_NEEDED + NEVER:
        shared = np.array(like, copy=copy)
        assert shared.base is like or shared.base[0] is like
        shared[1] = 7
        assert base[1] == 7
    for copy in ALWAYS:
        assert np.array(like, copy=copy).base is None
    assert np.asarray(like).flags.writeable
    base.flags.writeable = False
    frozen = type("Like", (), {attribute: getattr(base, attribute), "base": base})()
    assert not np.asarray(frozen).flags.writeable


@pytest.mark.parametrize("content", [["a", "bc"], [None, 1], [(1, 2.0)], ["2020-01-01"]])
@pytest.mark.parametrize("dtype", [None, object])
def test_arrays_that_stay_numpys_are_copied_too(content, dtype):
    kind = "i4,f8" if content == [(1, 2.0)] else "M8[D]" if content == ["2020-01-01"] else None
    array = np.array(content, dtype=kind)
    assert isinstance(array, np.ndarray)
    for copied in (np.array(array, dtype=dtype), np.copy(array), np.array(array, dtype=dtype, copy=True, order="F")):
        assert not np.shares_memory(copied, array)
    assert np.array(array, copy=None) is array and np.asarray(array) is array
    assert np.array(array, ndmin=3).shape == (1, 1, *array.shape)


def test_copy_false_refuses_other_byte_orders():
    array = np.arange(3)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(array, copy=False, dtype=">i8")
    with pytest.raises(ValueError, match="strings are not allowed for 'copy' keyword"):
        np.array(array, copy="always")
