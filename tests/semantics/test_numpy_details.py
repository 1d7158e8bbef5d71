"""More corners of NumPy's behaviour, of functions that make, fill, join and describe arrays."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction

import numpy
import pytest
import tessera.numpy as np


class Derived(np.ndarray):
    pass


def test_broadcast_arrays_gives_arrays_that_warn_when_they_are_written():
    a, b = np.arange(2), np.arange(4).reshape(2, 2)
    spread, same = np.broadcast_arrays(a, b)
    assert spread.strides[0] == 0 and same is b
    with pytest.warns(FutureWarning):
        assert spread.flags.writeable
    with pytest.warns(DeprecationWarning, match="np.broadcast_arrays"):
        spread += same
    assert spread.tolist() == [[2, 4], [2, 4]]  # as NumPy leaves it
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spread[...] = 0
        assert spread.flags.writeable
        explicit, _ = np.broadcast_arrays(a, b)
        explicit.flags.writeable = True
        explicit[0, 0] = 1
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        np.broadcast_arrays(a, b)[0][...] = 1


def test_arrays_that_warn_are_read_only_to_others():
    array = np.arange(3)
    array.flags._warn_on_write = True
    assert memoryview(array).readonly and array.__array_interface__["data"][1]
    with pytest.warns(DeprecationWarning):
        array[1] = 10
    assert not memoryview(array).readonly


@pytest.mark.parametrize("fill", [numpy.int64(1000), numpy.int64(-1), numpy.float32(2.5)])
def test_numpy_scalars_are_cast_to_what_they_fill(fill):
    for name, call in [
        ("full", lambda lib: lib.full(3, fill, dtype="i1")),
        ("full_like", lambda lib: lib.full_like([1, 2, 3], fill, dtype="i1")),
    ]:
        assert call(np).tolist() == call(numpy).tolist(), name
    for library in (np, numpy):
        with pytest.raises(OverflowError):
            library.full(3, 1000, dtype="i1")


def test_zeros_like_texts_are_empty():
    for array in (np.array(["a", "bc"]), np.array([b"a"])):
        assert np.zeros_like(array).tolist() == numpy.zeros_like(array).tolist()
        assert np.ones_like(array).tolist() == numpy.ones_like(array).tolist()


def test_rounding_complex_numbers_keeps_the_order():
    array = np.arange(12).astype(complex).reshape(3, 4).T + 0.25
    assert np.round(array).flags.f_contiguous and np.round(array).tolist() == numpy.round(numpy.asarray(array)).tolist()


def test_resize_and_vectorize_keep_a_class():
    derived = np.arange(3.0).view(Derived)
    assert type(np.resize(derived, 0)) is Derived
    assert type(np.vectorize(lambda x: x + 1)(derived)) is Derived


def test_quantiles_at_fractions_are_fractions():
    assert np.quantile([1, 2], Fraction(1)) == 2
    assert list(np.quantile([1, 2, 5], [Fraction(1), Fraction(1, 3)])) == [5, Fraction(5, 3)]
    assert np.percentile([1, 2], Fraction(50)) == Fraction(3, 2)


def test_matrices_of_blocks_name_the_callers_variables():
    block = np.array([[1, 2], [3, 4]])
    expected = [[1, 2, 1, 2], [3, 4, 3, 4]] * 2
    assert np.bmat("block,block;block,block").tolist() == expected
    assert np.r_["block,block;block,block"].tolist() == expected
    assert np.bmat("a;a", {"a": block}, {}).tolist() == [[1, 2], [3, 4]] * 2
    assert np.bmat([[block], [block]]).tolist() == [[1, 2], [3, 4]] * 2
    with pytest.raises(NameError, match="'missing' is not defined"):
        np.bmat("missing")


def test_buffers_that_were_pickled_apart_are_shared():
    for array in (np.arange(10), np.arange(6.0).reshape(2, 3, order="F"), np.zeros((0, 3))):
        buffers = []
        text = pickle.dumps(array, protocol=5, buffer_callback=buffers.append)
        restored = pickle.loads(text, buffers=buffers)
        assert (
            type(restored) is np.ndarray
            and restored.flags.f_contiguous == array.flags.f_contiguous
            and restored.tolist() == array.tolist()
        )
        if array.size:
            array[0] = -1
            assert restored.tolist() == array.tolist()
        assert pickle.loads(pickle.dumps(array, protocol=5)).tolist() == array.tolist()
    frozen = pickle.loads(
        text := pickle.dumps(np.arange(3), protocol=5, buffer_callback=(kept := []).append), buffers=[bytes(kept[0])]
    )
    assert frozen.tolist() == [0, 1, 2] and text


def test_astype_hands_its_options_on():
    array = np.arange(3)
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        array.astype("S1", casting="safe")
    assert np.ones((2, 3)).astype(object, order="F").flags.f_contiguous


def test_texts_are_no_indices():
    array = np.arange(9).reshape(3, 3)
    with pytest.raises(IndexError, match="only integers, slices"):
        array.flat[np.array(["a"], dtype="S").flat]
    with pytest.raises(IndexError, match="arrays used as indices must be of integer"):
        array[np.array(["a"])]


def test_errors_are_of_numpys_types():
    with pytest.raises(ValueError, match="array size defined by dims is larger"):
        np.histogramdd(np.ones((1, 10)), bins=2**10)
    with pytest.raises(TypeError):
        np.unpackbits(np.zeros(3, np.uint8), bitorder=10)
    with pytest.raises(ValueError, match="'b'"):
        np.einsum("aabcb,abc", np.ones((3, 3, 4, 5, 6)), np.ones((3, 4, 5)))
    with pytest.raises(ValueError, match='Version "2000.01"'):
        np.ones(3).__array_namespace__(api_version="2000.01")


def test_functions_that_run_in_numpy_show_its_text_signature():
    assert np.datetime_data.__text_signature__ == numpy.datetime_data.__text_signature__


@pytest.mark.parametrize("exponent", [-1, [-1], [[-1], [-2]], numpy.int8(-3)])
def test_no_element_is_raised_to_a_negative_power(exponent):
    empty, powers = np.zeros(0, "i8"), exponent if isinstance(exponent, int | numpy.int8) else np.array(exponent)
    expected = numpy.zeros(0, "i8") ** numpy.asarray(exponent)
    for result in (empty**powers, np.power(empty, powers)):
        assert result.shape == expected.shape and result.dtype == expected.dtype
