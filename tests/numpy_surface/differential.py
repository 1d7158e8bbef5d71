"""Runs one call in NumPy and in tessera.numpy and compares values, dtypes, shapes, warnings' kinds and exceptions."""

from __future__ import annotations

import warnings

import numpy
import tessera.numpy

import tessera

ndarray = tessera.numpy.ndarray


def to_tessera(value):
    """The same value with tessera arrays for NumPy's; copies, so that in-place calls do not meet."""
    if type(value) is numpy.ndarray:
        if value.base is None or value.ndim == 0:
            return tessera.numpy.array(value)
        # Keeps strides: the view is taken anew of a copy of the memory that it is a view of.
        owner = value
        while isinstance(owner.base, numpy.ndarray):
            owner = owner.base
        offset = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        try:
            view = numpy.ndarray(value.shape, value.dtype, owner.copy("K"), offset, value.strides)
            return tessera.numpy.asarray(view, copy=False)
        except (ValueError, TypeError):
            return tessera.numpy.array(value)
    if type(value) in (list, tuple):
        return type(value)([to_tessera(item) for item in value])
    if type(value) is dict:
        return {key: to_tessera(item) for key, item in value.items()}
    return value


def to_numpy(value):
    """The same value with NumPy arrays that own copies."""
    if type(value) is numpy.ndarray:
        return value.copy("K") if value.base is None else value
    if type(value) in (list, tuple):
        return type(value)([to_numpy(item) for item in value])
    return value


def run(function, args, kwargs):
    """("value", result) or ("error", exception), and the kinds of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome = ("value", function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001
            outcome = ("error", error)
        tessera.synchronize()
    kinds = sorted({w.category.__name__ for w in caught if w.category is not tessera.FallbackWarning})
    return outcome, kinds, [w for w in caught if w.category is tessera.FallbackWarning]


def same(expected, actual, rtol, context):
    """Asserts that a result is NumPy's."""
    if isinstance(expected, tuple) or isinstance(expected, list):
        assert isinstance(actual, type(expected)) or isinstance(actual, tuple), (
            f"{context}: {type(actual)} for {type(expected)}"
        )
        assert len(actual) == len(expected), f"{context}: {len(actual)} results for {len(expected)}"
        for e, a in zip(expected, actual):
            same(e, a, rtol, context)
        return
    if isinstance(expected, dict):
        assert expected.keys() == actual.keys(), context
        for key in expected:
            same(expected[key], actual[key], rtol, context)
        return
    if isinstance(expected, numpy.ndarray):
        assert isinstance(actual, (ndarray, numpy.ndarray)), f"{context}: {type(actual)} where NumPy gives an array"
    elif isinstance(expected, numpy.generic):
        assert not isinstance(actual, (ndarray, numpy.ndarray)), f"{context}: an array where NumPy gives a scalar"
    else:
        assert actual == expected or expected != expected, f"{context}: {actual!r} for {expected!r}"
        return
    assert actual.dtype == expected.dtype, f"{context}: dtype {actual.dtype} for {expected.dtype}"
    assert actual.shape == expected.shape, f"{context}: shape {actual.shape} for {expected.shape}"
    host = numpy.asarray(actual)
    if expected.dtype.kind in "fc" and rtol:
        if expected.dtype.itemsize <= 2:
            rtol = max(rtol, 2e-3)
        elif expected.dtype.char in "fF":
            rtol = max(rtol, 2e-6)
        numpy.testing.assert_allclose(host, expected, rtol=rtol, atol=rtol, err_msg=context)
    else:
        numpy.testing.assert_array_equal(host, expected, err_msg=context)


def check(name, *args, rtol=1e-12, may_fall_back=False, same_warnings=True, **kwargs):
    """numpy.<name>(*args, **kwargs) and tessera.numpy.<name> of the same must agree."""
    numpy_function, tessera_function = numpy, tessera.numpy
    for part in name.split("."):
        numpy_function, tessera_function = getattr(numpy_function, part), getattr(tessera_function, part)
    (kind, expected), expected_warnings, _ = run(numpy_function, to_numpy(args), kwargs)
    own_kwargs = {key: to_tessera(value) for key, value in kwargs.items()}
    (own_kind, actual), own_warnings, fallbacks = run(tessera_function, to_tessera(args), own_kwargs)
    context = f"{name}{shown(args)} {kwargs or ''}"
    if kind == "error":
        assert own_kind == "error", f"{context}: NumPy raises {expected!r}, tessera gives {actual!r}"
        assert isinstance(actual, type(expected)) or isinstance(expected, type(actual)), (
            f"{context}: {actual!r} for {expected!r}"
        )
        return
    assert own_kind == "value", f"{context}: {actual!r}"
    same(expected, actual, rtol, context)
    assert own_warnings == expected_warnings or not same_warnings, (
        f"{context}: warnings {own_warnings} for {expected_warnings}"
    )
    assert may_fall_back or not fallbacks, f"{context}: {fallbacks[0].message}"


def shown(value):
    """Arguments, short enough for a failure's message."""
    if isinstance(value, numpy.ndarray):
        return f"<{value.dtype}{list(value.shape)}>" if value.size > 8 else f"array({value.tolist()}, {value.dtype})"
    if isinstance(value, tuple):
        return f"({', '.join(str(shown(item)) for item in value)})"
    if isinstance(value, list):
        return [shown(item) for item in value]
    return value


def samples(dtypes="?bBhiIlLefdFD", shapes=((), (1,), (7,), (0,), (3, 4), (2, 3, 4)), seed=0):
    """Arrays of every dtype and shape, dense and strided."""
    rng = numpy.random.default_rng(seed)
    for code in dtypes:
        for shape in shapes:
            a = make(rng, code, shape)
            yield a
            if a.ndim == 1 and a.size > 2:
                yield make(rng, code, (a.size * 2,))[::2]
                yield a[::-1]
            if a.ndim == 2:
                yield a.T


def make(rng, code, shape):
    """Random elements of a dtype, small so that sums stay exact where they can."""
    dtype = numpy.dtype(code)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
    values = rng.integers(-40, 40, shape) / 8
    if dtype.kind == "c":
        values = values + 1j * rng.integers(-40, 40, shape) / 8
    return numpy.asarray(values).astype(dtype)
