"""Streams, events, pinned memory."""

import asyncio
import gc
import threading

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import cuda


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def scale(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= factor


def pinned(values):
    array = cuda.pinned_array_like(values)
    array[...] = values
    return array


def test_chunks_on_streams_from_pinned_memory():
    size, count = 10_000, 8
    a = pinned(np.arange(size * count, dtype=np.float32))
    b = pinned(np.arange(size * count, dtype=np.float32)[::-1].copy())
    c = cuda.pinned_array(size * count, np.float32)
    streams = [cuda.stream() for _ in range(3)]
    for k in range(count):
        part, stream = slice(k * size, (k + 1) * size), streams[k % 3]
        x, y = cuda.to_device(a[part], stream=stream), cuda.to_device(b[part], stream=stream)
        z = cuda.device_array(size, np.float32, stream=stream)
        add[-(-size // 128), 128, stream](x, y, z)
        z.copy_to_host(c[part], stream=stream)
    for stream in streams:
        stream.synchronize()
    np.testing.assert_array_equal(c, a + b)


def test_pageable_arrays_on_a_stream():
    stream = cuda.stream()
    a = np.arange(1000.0)
    x = cuda.to_device(a, stream=stream)
    a[:] = -1  # the copy does not see this
    scale[4, 256, stream](x, 2.0)
    np.testing.assert_array_equal(x.copy_to_host(stream=stream), 2 * np.arange(1000.0))


def test_expressions_wait_for_streams_and_streams_for_expressions():
    stream, other = cuda.stream(), cuda.stream()
    x = cuda.to_device(pinned(np.arange(1000.0)), stream=stream)
    scale[4, 256, stream](x, 3.0)
    y = tnp.add(x, 1)
    scale[4, 256, other](y, 2.0)
    np.testing.assert_array_equal(np.asarray(y + 1), 2 * (3 * np.arange(1000.0) + 1) + 1)
    x += 1
    scale[4, 256, stream](x, 2.0)
    assert float(x.sum()) == (2 * (3 * np.arange(1000.0) + 1)).sum()


def test_launches_without_a_stream_wait_for_streams():
    stream = cuda.stream()
    x = cuda.to_device(pinned(np.ones(100)), stream=stream)
    scale[1, 128, stream](x, 3.0)
    scale[1, 128](x, 5.0)
    scale[1, 128, stream](x, 7.0)
    scale[1, 128, cuda.default_stream()](x, 11.0)
    np.testing.assert_array_equal(x.copy_to_host(), np.full(100, 3.0 * 5 * 7 * 11))


def test_arrays_are_kept_until_the_streams_work_is_done():
    stream = cuda.stream()
    ones = pinned(np.ones(5000))
    results = [cuda.pinned_array(5000) for _ in range(10)]
    for k, result in enumerate(results):
        x = cuda.to_device(ones, stream=stream)
        scale[20, 256, stream](x, float(k))
        x.copy_to_host(result, stream=stream)
        del x
        cuda.to_device(np.full(5000, 99.0))  # takes memory that is free
    stream.synchronize()
    for k, result in enumerate(results):
        np.testing.assert_array_equal(result, np.full(5000, float(k)))


def test_a_stream_that_is_gone_does_its_work():
    stream = cuda.stream()
    x = cuda.to_device(pinned(np.ones(100)), stream=stream)
    scale[1, 128, stream](x, 3.0)
    del stream
    gc.collect()
    np.testing.assert_array_equal(np.asarray(x), np.full(100, 3.0))


def test_copy_to_device_on_a_stream():
    stream = cuda.stream()
    x = cuda.device_array((10, 20), np.int32)
    x.copy_to_device(pinned(np.arange(200, dtype=np.int32).reshape(10, 20)), stream=stream)
    result = x.copy_to_host(stream=stream)
    np.testing.assert_array_equal(result, np.arange(200).reshape(10, 20))
    x[2:4].copy_to_device(np.zeros((2, 20), np.int64), stream=stream)
    x.copy_to_device(np.arange(200, dtype=np.int64).reshape(20, 10).T, stream=stream)
    np.testing.assert_array_equal(np.asarray(x), np.arange(200).reshape(20, 10).T)
    part = np.zeros((3, 20), np.int32)
    np.testing.assert_array_equal(x[3:6].copy_to_host(part, stream=stream), np.asarray(x)[3:6])


def test_a_stream_waits_for_an_event():
    first, second = cuda.stream(), cuda.stream()
    x = cuda.to_device(pinned(np.ones(10_000)), stream=first)
    scale[40, 256, first](x, 3.0)
    done = cuda.event()
    done.record(first)
    done.wait(second)
    scale[40, 256, second](x, 5.0)
    result = cuda.pinned_array(10_000)
    x.copy_to_host(result, stream=second)
    second.synchronize()
    np.testing.assert_array_equal(result, np.full(10_000, 15.0))
    assert done.query()


def test_events_take_times():
    start, end = cuda.event(), cuda.event(timing=True)
    stream = cuda.stream()
    x = cuda.to_device(np.ones(1 << 20), stream=stream)
    for where in (stream, 0, cuda.default_stream()):
        start.record(where)
        scale[1 << 12, 256, where](x, 1.5)
        end.record(where)
        end.synchronize()
        taken = cuda.event_elapsed_time(start, end)
        assert 0 <= taken < 60_000
        assert taken == start.elapsed_time(end)
    with pytest.raises(ValueError, match="timing"):
        cuda.event_elapsed_time(start, cuda.event(timing=False))
    with pytest.raises(ValueError, match="recorded"):
        cuda.event_elapsed_time(start, cuda.event())


def test_an_event_that_was_not_recorded_is_done():
    event = cuda.event()
    assert event.query()
    event.synchronize()
    event.wait(cuda.stream())


def test_a_stream_as_a_context_waits_at_the_end():
    result = cuda.pinned_array(100)
    with cuda.stream() as stream:
        x = cuda.to_device(pinned(np.ones(100)), stream=stream)
        scale[1, 128, stream](x, 4.0)
        x.copy_to_host(result, stream=stream)
    np.testing.assert_array_equal(result, np.full(100, 4.0))
    with stream.auto_synchronize() as same:
        assert same is stream
        scale[1, 128, stream](x, 0.5)
        x.copy_to_host(result, stream=stream)
    np.testing.assert_array_equal(result, np.full(100, 2.0))


def test_callbacks_run_in_order_after_the_work():
    stream = cuda.stream()
    result = cuda.pinned_array(100)
    x = cuda.to_device(pinned(np.ones(100)), stream=stream)
    scale[1, 128, stream](x, 4.0)
    x.copy_to_host(result, stream=stream)
    seen = []
    stream.add_callback(lambda *given: seen.append((*given, result[7])), "first")
    stream.add_callback(lambda *given: seen.append(given))
    stream.synchronize()
    assert seen == [(stream, 0, "first", 4.0), (stream, 0, None)]


def test_a_callback_that_fails_is_reported():
    stream = cuda.stream()

    def fail(*_):
        raise KeyError("this one")

    with pytest.warns(UserWarning, match="this one"):
        stream.add_callback(fail)
        stream.synchronize()


def test_async_done():
    async def work():
        stream = cuda.stream()
        x = cuda.to_device(pinned(np.ones(100)), stream=stream)
        result = cuda.pinned_array(100)
        scale[1, 128, stream](x, 4.0)
        x.copy_to_host(result, stream=stream)
        assert await stream.async_done() is stream
        return result

    np.testing.assert_array_equal(asyncio.run(work()), np.full(100, 4.0))


def test_streams_of_several_threads():
    results = [None] * 4

    def work(k):
        stream = cuda.stream()
        x = cuda.to_device(pinned(np.ones(1000)), stream=stream)
        for _ in range(10):
            scale[4, 256, stream](x, float(k))
        results[k] = x.copy_to_host(stream=stream)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, result in enumerate(results):
        np.testing.assert_array_equal(result, np.full(1000, float(k) ** 10))


@pytest.mark.parametrize("make", [cuda.pinned_array, cuda.mapped_array, cuda.managed_array])
def test_pinned_arrays(make):
    array = make((3, 4), np.float32, order="F")
    assert array.shape == (3, 4) and array.dtype == np.float32 and array.flags.f_contiguous
    array[...] = np.arange(12).reshape(3, 4)
    scale[1, 32](array.ravel(order="K"), 1)
    add[1, 32](array[0], array[1], array[2])
    np.testing.assert_array_equal(array, [[0, 1, 2, 3], [4, 5, 6, 7], [4, 6, 8, 10]])
    view = array[1]
    del array
    gc.collect()
    np.testing.assert_array_equal(view, [4, 5, 6, 7])
    assert make(0).size == 0


def test_pinned_arrays_like_others():
    like = cuda.pinned_array_like(np.asfortranarray(np.zeros((3, 4), np.int16)))
    assert like.shape == (3, 4) and like.dtype == np.int16 and like.flags.f_contiguous
    assert cuda.mapped_array_like(np.zeros(5)).shape == (5,)


def test_arrays_are_pinned_for_a_block():
    a, result = np.arange(1000.0), np.zeros(1000)
    stream = cuda.stream()
    with cuda.pinned(a, result, a):
        x = cuda.to_device(a, stream=stream)
        scale[4, 256, stream](x, 2.0)
        x.copy_to_host(result, stream=stream)
    np.testing.assert_array_equal(result, 2 * a)
    with pytest.raises(ValueError, match="not in one piece"), cuda.pinned(np.zeros((4, 4))[::2]):
        pass


@pytest.mark.parametrize("make", [np.zeros, cuda.pinned_array])
@pytest.mark.parametrize("size", [1000, 70_000])
def test_whole_arrays_are_copied_without_a_stream(make, size):
    given, result = make(size), make(size)
    given[:] = np.arange(size)
    x = cuda.device_array(size)
    for _ in range(3):
        x.copy_to_device(given)
        given[:] += 1  # the copy does not see this
        scale[-(-size // 256), 256](x, 2.0)
        x += 1
        assert x.copy_to_host(result) is result
        np.testing.assert_array_equal(result, 2 * given - 1)
    np.testing.assert_array_equal(x.copy_to_host(), result)
    np.testing.assert_array_equal(x[5:-3].copy_to_host(), result[5:-3])
    np.testing.assert_array_equal(x[::2].copy_to_host(), result[::2])


def test_copies_without_a_stream_follow_streams_and_leave_copies_alone():
    size = 50_000
    stream = cuda.stream()
    given = pinned(np.arange(float(size)))
    x = cuda.to_device(given)
    kept = x.copy()
    for k in range(4):
        scale[-(-size // 256), 256, stream](x, 2.0)
        np.testing.assert_array_equal(x.copy_to_host(), 2 * given)
        x.copy_to_device(given)
        scale[-(-size // 256), 256, stream](x, float(k))
        np.testing.assert_array_equal(x.copy_to_host(), k * given)
        x.copy_to_device(given)
    np.testing.assert_array_equal(kept, given)
    with pytest.raises(ValueError, match="read-only"):
        read_only = cuda.to_device(given)
        read_only.flags.writeable = False
        read_only.copy_to_device(given)


def test_copies_without_a_stream_say_what_expressions_warned_of(device):
    x = cuda.to_device(np.zeros(50_000))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        (1 / tnp.asarray(x)).view(type(x)).copy_to_host()


def test_dlpack_names_the_gpu_for_arrays_that_are_on_the_host_still(device, monkeypatch):
    monkeypatch.setattr("tessera.cuda._arrays.has_gpu", lambda: True)
    x = cuda.to_device(np.arange(1000.0))
    assert x.__dlpack_device__() == {"simulated": (12, 0), "cpu": (1, 0)}.get(device, (2, 0))
    again = tnp.from_dlpack(cuda.to_device(np.arange(1000.0)))
    np.testing.assert_array_equal(np.asarray(again), np.arange(1000.0))


def test_each_thread_has_a_default_stream_of_its_own():
    mine, results = cuda.per_thread_default_stream(), [None] * 3
    assert cuda.per_thread_default_stream() is mine

    def work(k):
        stream = cuda.per_thread_default_stream()
        x = cuda.to_device(np.ones(1000), stream=stream)
        for _ in range(k + 1):
            scale[4, 256, stream](x, 2.0)
        results[k] = stream is not mine, x.copy_to_host(stream=stream)[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [(True, 2.0), (True, 4.0), (True, 8.0)]


def test_numpys_arrays_in_launches_on_a_stream():
    stream = cuda.stream()
    a, b, c = np.arange(100.0), np.ones(100), np.zeros(100)
    add[1, 128, stream](a, b, c)
    stream.synchronize()
    np.testing.assert_array_equal(c, a + 1)


def test_pinned_arrays_in_launches_on_streams():
    streams = [cuda.stream(), cuda.stream()]
    a, b = pinned(np.arange(4000.0)), pinned(np.ones(4000))
    c = cuda.mapped_array(4000)
    for k in range(4):
        part = slice(1000 * k, 1000 * (k + 1))
        add[4, 256, streams[k % 2]](a[part], b[part], c[part])
    for stream in streams:
        stream.synchronize()
    np.testing.assert_array_equal(c, a + 1)


def test_default_and_external_streams():
    assert cuda.default_stream().handle == int(cuda.default_stream()) == 0
    assert cuda.external_stream(0) is cuda.default_stream()
    assert "default" in repr(cuda.legacy_default_stream())
    handle = cuda.stream().handle
    if handle:
        stream = cuda.stream()
        external = cuda.external_stream(stream.handle)
        assert external.handle == stream.handle
        x = cuda.to_device(pinned(np.ones(100)), stream=stream)
        done = cuda.event()
        done.record(stream)
        done.wait(external)
        scale[1, 128, external](x, 4.0)
        np.testing.assert_array_equal(x.copy_to_host(stream=external), np.full(100, 4.0))


def test_what_is_no_stream_is_refused():
    x = cuda.device_array(3)
    for use in (
        lambda: cuda.to_device(np.zeros(3), stream="x"),
        lambda: x.copy_to_host(stream=1),
        lambda: cuda.event().record(object()),
        lambda: scale[1, 1, "x"],
    ):
        with pytest.raises(TypeError, match="is no stream"):
            use()


def test_launches_without_a_stream_are_on_the_threads_own_where_config_says_so(device, monkeypatch):
    monkeypatch.setattr(cuda.config, "CUDA_PER_THREAD_DEFAULT_STREAM", True)
    assert cuda.default_stream() is cuda.per_thread_default_stream()
    assert cuda.legacy_default_stream() is not cuda.default_stream()
    launch = scale[4, 256]
    assert launch.stream is cuda.default_stream()._user_stream
    assert scale[4, 256, cuda.legacy_default_stream()].stream is None
    x = cuda.to_device(np.ones(1000))
    launch(x, 2.0)
    x += 1
    scale[4, 256, 0, 0](x, 3.0)
    assert (x.copy_to_host() == 9).all()
    y = np.ones(1000)
    scale[4, 256](y, 5.0)
    assert (y == 5).all()
