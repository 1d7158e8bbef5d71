"""Names, signatures, modules and pickles: what users see of functions and arrays beside results."""

from __future__ import annotations

import inspect
import pickle
import sys

import numpy
import pytest
import tessera.numpy as np


def test_methods_have_numpys_signatures():
    for name in ("sum", "reshape", "clip", "astype", "take"):
        assert inspect.signature(getattr(np.ndarray, name)) == inspect.signature(getattr(numpy.ndarray, name))


def test_clip_takes_one_bound_by_position_or_name():
    a = np.arange(5)
    assert a.clip(2).tolist() == a.clip(min=2).tolist() == [2, 2, 2, 3, 4]
    assert a.clip(max=2).tolist() == a.clip(None, 2).tolist() == [0, 1, 2, 2, 2]
    assert a.clip(1, max=2).tolist() == [1, 1, 2, 2, 2]


def test_choose_takes_its_choices_one_by_one():
    assert np.array([0, 1, 0]).choose([1, 2, 3], [4, 5, 6]).tolist() == [1, 5, 3]
    assert np.choose([0, 1], [300, np.array([1, 2], np.uint8)]).dtype == numpy.uint8


def test_arange_takes_its_ends_by_name():
    assert np.arange(stop=3).tolist() == [0, 1, 2] and np.arange(start=1, stop=3).tolist() == [1, 2]
    with pytest.raises(TypeError):
        np.arange(start=4)


def test_private_modules_hold_the_engines_functions():
    assert np._core.umath.__dict__["add"] is np.add and "numpy" in sys.modules


def test_arrays_pickle_with_and_without_protocols():
    a = np.arange(6).reshape(2, 3)[:, ::2]
    for restored in (pickle.loads(pickle.dumps(a, protocol)) for protocol in range(6)):
        assert restored.tolist() == a.tolist()
    function, arguments = a.__reduce__()
    assert function(*arguments).tolist() == a.tolist()
    buffers = []
    pickle.loads(pickle.dumps(a, 5, buffer_callback=buffers.append))
    assert not buffers
    other = np.empty((), int)
    other.__setstate__(numpy.arange(3).__reduce__()[2])
    assert other.tolist() == [0, 1, 2]


def test_one_type_is_no_signature():
    for wrong in ("i", ("i4",), numpy.dtype("i4")):
        with pytest.raises(TypeError):
            np.add(1.5, 2.5, sig=wrong, casting="unsafe")


def test_ufuncs_have_numpys_signatures():
    assert inspect.signature(np.add) == inspect.signature(numpy.add)
    assert inspect.signature(np.ufunc.reduce) == inspect.signature(numpy.ufunc.reduce)


def test_masked_functions_keep_their_methods():
    assert np.ma.add.reduce(np.ma.array([1, 2, 3], mask=[0, 1, 0])) == 4
    assert callable(np.ma.testutils.assert_equal)


def test_names_of_other_array_libraries_are_there():
    lower = np.array([[2.0, 0.0], [1.0, 3.0]])
    assert np.linalg.solve_triangular(lower, np.array([2.0, 4.0]), lower=True).tolist() == [1.0, 1.0]
    assert np.in1d([[1, 2], [3, 4]], [2, 3]).tolist() == [False, True, True, False]


def test_generalised_ufuncs_have_numpys_signatures():
    assert inspect.signature(np.vecdot) == inspect.signature(numpy.vecdot)


@pytest.mark.parametrize("name", ["MT19937", "SFC64", "Philox"])
def test_states_hold_arrays_that_can_be_set_again(name):
    bits = getattr(np.random, name)(3)
    state = bits.state
    assert any(isinstance(part, np.ndarray) for part in state["state"].values())
    first = bits.random_raw(3).tolist()
    bits.state = state
    assert bits.random_raw(3).tolist() == first
    bits._benchmark(1)
    assert isinstance(bits.seed_seq, np.random.SeedSequence)


def test_the_module_of_an_array_is_told():
    assert np.get_array_module(np.ones(1)) is np and np.get_array_module(numpy.ones(1)) is numpy
