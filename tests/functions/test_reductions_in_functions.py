"""Reductions of numbers, tuples and arrays outside the function, and how NumPy rounds means and products."""

from typing import Any

import numpy as np
import pytest

from tessera import jit

OUTSIDE = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])


@pytest.mark.parametrize(
    "reduce", [np.amax, np.amin, np.max, np.min, np.sum, np.prod, np.mean, np.std, np.var, np.all, np.any, np.nansum]
)
def test_of_a_number(reduce: Any) -> None:
    function = jit(lambda x: reduce(x))
    for x in (5.0, 3, True):
        assert function(x) == reduce(x)


@pytest.mark.parametrize("reduce", [np.amax, np.sum, np.mean, np.nanmin, np.all])
def test_of_tuples(reduce: Any) -> None:
    assert jit(lambda: reduce(((1, 2.5), (3, 0.5))))() == reduce(((1, 2.5), (3, 0.5)))


@pytest.mark.parametrize("reduce", [np.nanmin, np.nanmax, np.max, np.min])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_of_complex_numbers(reduce: Any, dtype: str) -> None:
    x = np.array([1 + 2j, 3 - 1j, 3 + 1j], dtype)
    assert jit(lambda x: reduce(x))(x) == reduce(x)


def test_methods_of_arrays_outside() -> None:
    function = jit(lambda: (OUTSIDE.argmax(), OUTSIDE.sum(axis=0), OUTSIDE.mean(), OUTSIDE.ravel()[4]))
    found = function()
    assert found[0] == 4 and found[1].tolist() == [3, 6, 6] and found[2] == OUTSIDE.mean() and found[3] == 5


@pytest.mark.parametrize("reduce", [np.mean, np.std, np.var])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8", "float32", "float16", "bool"])
def test_means_are_numpys(reduce: Any, dtype: str) -> None:
    large = {"int64": 2**62, "uint64": 2**63, "int8": 100, "float32": 0.1, "float16": 0.1, "bool": 1}[dtype]
    x = np.full(1000, large, dtype)
    x[::7] = 1
    found, expected = jit(lambda x: reduce(x))(x), reduce(x)
    assert found == pytest.approx(float(expected), rel=1e-3 if dtype == "float16" else 1e-6)
    if reduce is np.mean and dtype != "float16":
        assert found == expected


def test_means_divide_in_doubles() -> None:
    x = np.full(2**24 + 1, 1, np.float32)
    assert jit(lambda x: x.mean())(x) == x.mean()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_products_are_numpys(dtype: str) -> None:
    x = np.linspace(0.5, 1.5, 100).astype(dtype).reshape(10, 10)
    function = jit(lambda x: (x.prod(), np.prod(x[0])))
    assert function(x) == (x.prod(), np.prod(x[0]))


def test_what_an_array_contains() -> None:
    function = jit(lambda x, k: (k in x, k not in x))
    for k in (3.0, 3.5, 0):
        assert function(OUTSIDE, k) == (k in OUTSIDE, k not in OUTSIDE)
    assert not function(np.array([np.nan]), np.nan)[0] and not function(np.zeros(0), 1)[0]


def test_axes_of_one_element_in_front() -> None:
    @jit
    def store(x: Any, value: Any) -> None:
        x[:] = value

    x = np.zeros(3)
    store(x, np.arange(3.0).reshape(1, 1, 3))
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="broadcast"):
        store(x, np.ones((2, 3)))


def test_arrays_of_lists_of_tuples() -> None:
    function = jit(lambda rows: (np.asarray(rows), np.array([(k, k / 2) for k in range(3)])))
    found = function([(1, 2, 3), (4, 5, 6)])
    assert found[0].tolist() == [[1, 2, 3], [4, 5, 6]] and found[0].dtype == np.int64
    assert found[1].tolist() == [[0, 0], [1, 0.5], [2, 1]]


def test_lambdas_with_default_values() -> None:
    axis = 1
    function = jit(lambda x, axis=axis: x.sum(axis))
    assert function(OUTSIDE).tolist() == [6, 9]
