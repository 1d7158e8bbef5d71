"""NumPy's arrays as arguments: used in place on the cores where that changes nothing."""

import numpy as np
import pytest

from tessera import cuda


@cuda.jit
def shift(a, b):
    i = cuda.grid(1)
    if i < b.size:
        b[i] = a[i] + 1


@pytest.mark.parametrize("size", [1000, 100_000])
def test_results_are_in_the_array(size):
    a, b = np.arange(float(size)), np.zeros(size)
    shift.forall(size)(a, b)
    shift.forall(size)(b, b)
    np.testing.assert_array_equal(b, a + 2)


def test_arrays_that_overlap_are_copies_of_their_own():
    a = np.zeros(100_000)
    shift.forall(a.size)(a[:-1], a[1:])
    np.testing.assert_array_equal(a, np.r_[0.0, np.ones(99_999)])


@pytest.mark.parametrize("size", [10, 100_000])
def test_views_of_device_arrays_are_copies_of_their_own(size):
    @cuda.jit
    def add_to_both(a, b):
        i = cuda.grid(1)
        if i < a.size:
            a[i] = b[i] + 1
            b[i] += 2 * a[i]

    a = cuda.to_device(np.zeros(size))
    seen = np.asarray(a)
    add_to_both.forall(size)(a, seen)
    np.testing.assert_array_equal(seen, np.full(size, 2.0))


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[:0]])
def test_views_that_are_not_in_one_piece(view):
    a, b = np.arange(10.0), np.zeros(10)
    shift[1, 32](a[view], b[view])
    expected = np.zeros(10)
    expected[view] = a[view] + 1
    np.testing.assert_array_equal(b, expected)


def test_arrays_that_are_read_only_may_be_read():
    a, b = np.arange(100_000.0), np.zeros(100_000)
    a.flags.writeable = False
    shift.forall(a.size)(a, b)
    np.testing.assert_array_equal(b, a + 1)
    with pytest.raises(ValueError, match="read-only"):
        shift.forall(a.size)(b, a)


def test_a_kernel_that_fails_leaves_arrays_as_they_were():
    @cuda.jit
    def fails(a):
        i = cuda.grid(1)
        a[i] = 7
        assert i < 3, "too far"

    a = np.zeros(100_000)
    with pytest.raises(AssertionError, match="too far"):
        fails[1, 5](a)
    assert not a.any()


def test_booleans_that_are_not_set():
    @cuda.jit
    def is_even(a, b):
        i = cuda.grid(1)
        if i < b.size:
            b[i] = a[i] % 2 == 0

    b = np.full(200_000, 77, np.uint8).view(bool)
    is_even.forall(b.size)(np.arange(b.size), b)
    assert b.view(np.uint8).tolist() == [1, 0] * 100_000


def test_the_memory_is_free_after_the_launch():
    a, b = np.arange(100_000.0), np.zeros(100_000)
    shift.forall(b.size)(a, b)
    b.resize(20, refcheck=True)
