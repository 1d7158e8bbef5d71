"""Where launches run when work may choose between the cores and a device: on the device, whatever their size."""

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera
from tessera import cuda


@pytest.fixture(autouse=True)
def choosing():
    with tessera.device("auto:simulated"):
        yield


@cuda.jit
def scale(a, x):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= x


@cuda.jit
def pull(x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = 0.0
        for j in range(x.size):
            d = x[i] - x[j]
            total += d / (d * d + 1e-3)
        out[i] = total


def launches(function):
    """How many launches function() made on a device."""
    before = tessera.counters()["device_launches"]
    function()
    return tessera.counters()["device_launches"] - before


def test_small_launches_run_on_the_device():
    a = tnp.arange(1000.0)

    def run():
        for _ in range(50):
            scale[8, 128](a, 2.0)

    assert launches(run) == 50
    np.testing.assert_array_equal(a, np.arange(1000.0) * 2.0**50)


def test_who_wants_the_cores_says_so():
    a = tnp.arange(1000.0)
    with tessera.device("cpu"):
        assert launches(lambda: scale[8, 128](a, 2.0)) == 0
    np.testing.assert_array_equal(a, np.arange(1000.0) * 2.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda values: cuda.to_device(values),
        lambda values: cuda.to_device(np.asfortranarray(values)),
        lambda values: cuda.to_device(values[::2]),
        lambda values: cuda.to_device(tnp.asarray(values)),
        lambda values: cuda.device_array_like(values),
        lambda values: cuda.device_array(values.shape, values.dtype, order="F"),
        lambda values: cuda.device_array(values.shape, np.complex64),
    ],
)
def test_arrays_of_cuda_are_in_the_memory_of_the_device_at_once(make):
    values = np.arange(12.0).reshape(4, 3)
    array = make(values)
    assert "simulated" in tessera.layout(array)
    array.copy_to_device(np.ones(array.shape, array.dtype))
    assert list(tessera.layout(array)) == ["simulated"]
    np.testing.assert_array_equal(array.copy_to_host(), np.ones(array.shape))


def test_an_array_of_cuda_that_fits_no_memory_raises_at_once():
    with pytest.raises(MemoryError):
        cuda.device_array(1 << 45, np.float64)


def test_loops_over_long_arrays_go_to_the_device():
    n = 3000
    x = tnp.linspace(0, 1, n)
    out = tnp.zeros(n)
    assert launches(lambda: pull[24, 128](x, out)) == 1
    with tessera.device("cpu"):
        expected = tnp.zeros(n)
        pull[24, 128](tnp.linspace(0, 1, n), expected)
    np.testing.assert_array_equal(out, expected)


def test_arrays_of_the_device_are_used_there():
    with tessera.device("simulated"):
        a = tnp.sqrt(tnp.arange(200_000.0))
        tessera.synchronize()
    before = tessera.counters()["bytes_from_device"]
    assert launches(lambda: scale[1600, 128](a, 2.0)) == 1
    assert tessera.counters()["bytes_from_device"] == before
    np.testing.assert_array_equal(a, np.sqrt(np.arange(200_000.0)) * 2)


def test_a_stream_keeps_its_launches():
    stream = cuda.stream()
    a = cuda.to_device(np.arange(64.0), stream=stream)
    assert launches(lambda: scale[1, 64, stream](a, 3.0)) == 1
    stream.synchronize()
    np.testing.assert_array_equal(a.copy_to_host(), np.arange(64.0) * 3)


def test_events_time_launches():
    a = tnp.zeros(100_000)
    start, end = cuda.event(), cuda.event()
    start.record()
    scale[1, 64](a, 2.0)
    end.record()
    end.synchronize()
    assert cuda.event_elapsed_time(start, end) >= 0


def test_a_trace_says_where_a_launch_ran():
    x, out = tnp.linspace(0, 1, 3000), tnp.zeros(3000)
    with tessera.explain() as told:
        pull[24, 128](x, out)
    text = str(told)
    assert "launch pull" in text and "test_placement.py" in text
    assert "simulated" in text and "weighed last: " not in text


def test_arrays_that_are_sent_to_a_device_are_there_before_any_launch():
    values = np.random.default_rng(5).random(1 << 17)
    with tessera.device("auto:simulated"):
        before = tessera.counters()
        there = cuda.to_device(values)
        assert list(tessera.layout(there)) == ["simulated"]
        assert tessera.counters()["copies_to_device"] == before["copies_to_device"] + 1
        values[:] = 0  # it was a copy
        assert there.copy_to_host().sum() > 0
