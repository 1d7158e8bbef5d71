"""Indices that mix arrays, masks, slices, integers and None, on a device: NumPy's elements, and nothing goes home."""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tessera
from tessera import _core

DEVICES = ["simulated"] + (["gpu"] if _core.devices() else [])
DTYPES = ["bool", "int8", "float16", "float32", "int64", "complex64", "complex128"]
SHAPE = (9, 140, 150)  # large enough for a device in every dtype


@pytest.fixture(params=DEVICES, scope="module")
def where(request):
    with tessera.device(request.param):
        yield request.param


def values(dtype, shape, seed=1):
    rng = numpy.random.default_rng(seed)
    return rng.integers(0, 2 if dtype == "bool" else 120, shape).astype(dtype)


def view_of(array, how):
    return {
        "whole": array,
        "reversed": array[::-1, :, ::-1],
        "turned": array.transpose(2, 0, 1),
        "sliced": array[1:, ::2, 3:],
    }[how]


@st.composite
def indices(draw, shape):
    """A key with at least one array, as NumPy takes it."""
    rng = numpy.random.default_rng(draw(st.integers(0, 2**31)))
    length, key, has_array = draw(st.sampled_from([1, 3, 40])), [], False
    axis = 0
    while axis < len(shape):
        kind = draw(st.sampled_from(["array", "column", "mask", "slice", "int", "none", "rest"]))
        extent = shape[axis]
        if kind == "none":
            key.append(None)
            continue
        if kind == "rest":
            break
        if kind == "array":
            key.append(rng.integers(-extent, extent, length))
        elif kind == "column":
            key.append(rng.integers(-extent, extent, (2, 1)))
        elif kind == "mask":
            chosen = numpy.zeros(extent, bool)
            chosen[rng.permutation(extent)[: min(length, extent)]] = True
            key.append(chosen)
            length = int(chosen.sum())
        elif kind == "slice":
            key.append(slice(*sorted(rng.integers(0, extent + 1, 2).tolist()), draw(st.sampled_from([1, 2]))))
        else:
            key.append(int(rng.integers(-extent, extent)))
        has_array |= kind in ("array", "column", "mask")
        axis += 1
    if not has_array:
        key = [rng.integers(-shape[0], shape[0], length)]
    if draw(st.booleans()) and axis < len(shape):
        key.append(Ellipsis)
    return tuple(key)


def on_device(key):
    return tuple([np.array(k) if isinstance(k, numpy.ndarray) else k for k in key])


def same(got, expected):
    got = numpy.asarray(got)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


VIEWS = st.sampled_from(["whole", "reversed", "turned", "sliced"])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data(), dtype=st.sampled_from(DTYPES), how=VIEWS)
def test_reads(where, data, dtype, how):
    host = values(dtype, SHAPE)
    source = view_of(host, how)
    key = data.draw(indices(source.shape))
    try:
        expected = source[key]
    except IndexError:
        return  # shapes that do not broadcast
    array = view_of(np.array(host), how)
    tessera.synchronize()
    _core.reset_counters()
    got = array[on_device(key)]
    tessera.synchronize()
    assert _core.counters().get("bytes_from_device", 0) < 64 or expected.size == 0
    same(got, expected)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data(), dtype=st.sampled_from(DTYPES), how=VIEWS, spread=st.sampled_from(["one", "row", "all"]))
def test_writes(where, data, dtype, how, spread):
    expected = values(dtype, SHAPE)
    target = view_of(expected, how)
    key = data.draw(indices(target.shape))
    try:
        shape = target[key].shape
    except IndexError:
        return
    shape = {"one": (), "row": shape[-1:], "all": shape}[spread]
    new = values(dtype, shape, 2)
    array = np.array(values(dtype, SHAPE))
    tessera.synchronize()
    _core.reset_counters()
    view_of(array, how)[on_device(key)] = np.array(new)
    tessera.synchronize()
    assert _core.counters().get("bytes_from_device", 0) < 64 or target[key].size == 0
    target[key] = new
    same(array, expected)


@pytest.mark.parametrize(
    "key", [([0, 9], 1), (slice(None), [140]), (slice(None), 2, [3, -151]), ([1, 2], slice(None), [150, 0])]
)
def test_bad_indices_are_said_at_the_call(where, key):
    host = values("float64", SHAPE)
    array = np.array(host)
    with pytest.raises(IndexError) as expected:
        host[key]
    for use in (lambda: array[key], lambda: array.__setitem__(key, 1.0)):
        with pytest.raises(IndexError) as got:
            use()
        assert str(got.value) == str(expected.value)
    same(array, host)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_put_with_modes(where, mode):
    expected = values("float32", SHAPE)
    at, new = numpy.random.default_rng(3).integers(-(10**6), 10**6, 50_000), values("float32", (777,), 4)
    array = np.array(expected)
    places = np.array(at)
    tessera.synchronize()
    _core.reset_counters()
    np.put(array, places, new, mode=mode)
    tessera.synchronize()
    assert _core.counters().get("bytes_from_device", 0) == 0
    numpy.put(expected, at, new, mode=mode)
    same(array, expected)
