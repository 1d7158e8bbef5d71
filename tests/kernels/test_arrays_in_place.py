"""NumPy's arrays as arguments: used in place on the cores where that changes nothing."""

import numpy as np
import pytest

from tessera import cuda


@cuda.jit
def shift(a, b):
    i = cuda.grid(1)
    if i < b.size:
        b[i] = a[i] + 1


def test_results_are_in_the_array():
    a, b = np.arange(1000.0), np.zeros(1000)
    shift[8, 128](a, b)
    shift[8, 128](b, b)
    np.testing.assert_array_equal(b, a + 2)


def test_arrays_that_overlap_are_copies_of_their_own():
    a = np.arange(1000.0)
    shift[8, 128](a[:-1], a[1:])
    np.testing.assert_array_equal(a, np.r_[0.0, np.arange(1.0, 1000.0)])


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[:0]])
def test_views_that_are_not_in_one_piece(view):
    a, b = np.arange(10.0), np.zeros(10)
    shift[1, 32](a[view], b[view])
    expected = np.zeros(10)
    expected[view] = a[view] + 1
    np.testing.assert_array_equal(b, expected)


def test_arrays_that_are_read_only_may_be_read():
    a, b = np.arange(10.0), np.zeros(10)
    a.flags.writeable = False
    shift[1, 32](a, b)
    np.testing.assert_array_equal(b, a + 1)
    with pytest.raises(ValueError, match="read-only"):
        shift[1, 32](b, a)


def test_a_kernel_that_fails_leaves_arrays_as_they_were():
    @cuda.jit
    def fails(a):
        i = cuda.grid(1)
        a[i] = 7
        assert i < 3, "too far"

    a = np.zeros(5)
    with pytest.raises(AssertionError, match="too far"):
        fails[1, 5](a)
    assert not a.any()


def test_booleans_that_are_not_set():
    @cuda.jit
    def is_even(a, b):
        i = cuda.grid(1)
        if i < b.size:
            b[i] = a[i] % 2 == 0

    b = np.full(10, 77, np.uint8).view(bool)
    is_even[1, 32](np.arange(10), b)
    assert b.view(np.uint8).tolist() == [1, 0] * 5


def test_the_memory_is_free_after_the_launch():
    a, b = np.arange(10.0), np.zeros(10)
    shift[1, 32](a, b)
    b.resize(20, refcheck=True)
