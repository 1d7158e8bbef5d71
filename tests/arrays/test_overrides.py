"""Other libraries' arrays and subclasses take functions over, as NEP 18 and NEP 35 say."""

from __future__ import annotations

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera


class Duck:
    """An array of another library that knows NumPy's functions."""

    def __array_function__(self, func, types, args, kwargs):
        return (func, kwargs) if func in (np.sum, np.linalg.norm, np.concatenate) else NotImplemented

    def __array__(self, *_, **__):
        raise AssertionError("was converted")


class Own:
    """A duck that knows only tessera's functions."""

    def __array_function__(self, func, types, args, kwargs):
        return "mine" if func is tnp.sum or func is tnp.asarray else NotImplemented


class Sub(tnp.ndarray):
    def __array_function__(self, func, types, args, kwargs):
        return super().__array_function__(func, types, args, kwargs), func


def test_functions_go_to_the_arrays_own_library():
    assert tnp.sum(Duck(), axis=1) == (np.sum, {"axis": 1})
    assert tnp.linalg.norm(Duck()) == (np.linalg.norm, {})
    assert tnp.concatenate([tnp.ones(2), Duck()])[0] is np.concatenate
    with pytest.raises(TypeError, match="no implementation found"):
        tnp.mean(Duck())


def test_a_duck_may_know_tesseras_functions_instead():
    assert tnp.sum(Own()) == "mine"
    with pytest.raises(TypeError, match="no implementation found"):
        tnp.mean(Own())


def test_a_subclass_may_wrap_every_function():
    result, func = tnp.sum(tnp.arange(4).view(Sub), axis=0)
    assert result == 6 and func is tnp.sum
    result, func = tnp.tensordot(tnp.eye(2).view(Sub), tnp.ones(2), axes=1)
    assert result.tolist() == [1, 1] and func is tnp.tensordot


def test_numpys_subclasses_keep_their_meaning():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    with pytest.warns(Warning, match="subclass of NumPy's array"):
        assert tnp.mean(masked) == 2
    with pytest.warns(Warning, match="subclass of NumPy's array"):
        assert tnp.sum([masked, masked][0]) == 4


def test_like_makes_arrays_of_another_library():
    assert tnp.asarray([1], like=Own()) == "mine"
    with pytest.raises(TypeError, match="no implementation found for 'numpy.zeros'"):
        tnp.zeros(3, like=Own())
    with pytest.raises(TypeError, match="The `like` argument must be an array-like"):
        tnp.full(3, 1, like=[1])
    assert type(tnp.arange(3, like=tnp.ones(1))) is tnp.ndarray
    assert type(tnp.eye(3, like=np.ones(1))) is tnp.ndarray
    assert tnp.array([1, 2], like=None).tolist() == [1, 2]
    with pytest.warns(Warning, match="string arrays stay NumPy arrays"):
        assert tnp.full(2, "a", dtype="U1", like=tnp.ones(1)).tolist() == ["a", "a"]


def test_array_function_checks_what_it_is_given():
    a = tnp.ones(2)
    with pytest.raises(TypeError, match="args must be a tuple"):
        a.__array_function__(np.sum, (tnp.ndarray,), a, {})
    with pytest.raises(TypeError, match="kwargs must be a dict"):
        a.__array_function__(func=np.sum, types=(tnp.ndarray,), args=(a,), kwargs=())


def test_copies_keep_a_subclass_when_asked():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    assert isinstance(tnp.copy(masked, subok=True), np.ma.MaskedArray)
    assert type(tnp.copy(masked)) is tnp.ndarray

    class Plain(tnp.ndarray):
        pass

    a = tnp.array([3.0, 1.0, np.nan]).view(Plain)
    for result in (tnp.copy(a, subok=True), tnp.nansum(a), tnp.insert(a, 0, 1), tnp.delete(a, 0), tnp.nancumsum(a), tnp.average(a[:2]), tnp.cumsum(a),
                   tnp.roll(a, 1), tnp.tile(a, 2), tnp.repeat(a, 2), tnp.take(a, [0]), tnp.unique(a)):  # fmt: skip
        assert type(result) is Plain
    assert type(tnp.copy(a)) is tnp.ndarray and type(tnp.broadcast_to(a, (2, 3))) is tnp.ndarray


@pytest.mark.parametrize("name", ["matmul", "vecdot", "matvec", "vecmat"])
def test_numpys_products_of_mixed_arrays_are_tesseras(name):
    a, b = np.arange(9.0).reshape(3, 3), np.arange(3.0) + 1
    operands = {"matmul": (a, a + 1), "vecdot": (b, a), "matvec": (a, b), "vecmat": (b, a)}[name]
    ufunc = getattr(np, name)
    expected = ufunc(*operands)
    mode = tessera.set_fallback_mode("error")
    try:
        for mixed in ((operands[0], tnp.asarray(operands[1])), (tnp.asarray(operands[0]), operands[1])):
            result = ufunc(*mixed)
            assert type(result) is tnp.ndarray and result.tolist() == expected.tolist()
        assert type(a @ tnp.asarray(a)) is tnp.ndarray
    finally:
        tessera.set_fallback_mode(mode)
    with pytest.raises(ValueError):
        np.ones((2, 3)) @ tnp.ones((2, 3))


def test_ufuncs_of_other_libraries_are_their_own_whatever_their_names():
    from numpy._core._umath_tests import cumsum  # along the last axis

    with pytest.warns(tessera.FallbackWarning, match="does not have this ufunc"):
        result = cumsum(tnp.ones((2, 3)))
    assert result.tolist() == [[1, 2, 3], [1, 2, 3]]
