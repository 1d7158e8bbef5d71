"""Memory by numba.cuda's names: strides, pinned, mapped and managed memory, records on the device, settings."""

import numpy as np
import pytest
from tessera.cuda.cudadrv import devicearray, driver

import tessera
from tessera import cuda


@cuda.jit
def increase(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1


def test_new_arrays_have_the_strides_that_are_given():
    for make in (cuda.device_array, cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
        a = make((3, 4), np.float32, strides=(32, 8))
        assert a.strides == (32, 8)
        a[...] = 1
        increase[1, 4](a[1])
        np.testing.assert_array_equal(np.asarray(a), [[1] * 4, [2] * 4, [1] * 4])
    with pytest.raises(ValueError, match="2 strides for 1 axes"):
        cuda.device_array(3, strides=(8, 8))
    with pytest.raises(ValueError, match="none below 0"):
        cuda.pinned_array(3, strides=-8)
    with pytest.raises(ValueError, match="whole elements"):
        cuda.device_array(3, strides=9)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)])
def test_arrays_like_others_keep_the_order_of_axes(axes):
    host = np.zeros((3, 4, 5)).transpose(axes)
    for like in (cuda.device_array_like, cuda.pinned_array_like, cuda.mapped_array_like):
        assert like(host).strides == np.empty_like(host).strides == host.strides
        assert like(host[:, ::2]).strides == np.empty_like(host[:, ::2]).strides


def test_mapped_memory_is_an_array_of_host_and_device():
    for make in (cuda.mapped_array, cuda.managed_array):
        a = make(8, np.int32)
        a[:] = 3
        said = a.__cuda_array_interface__
        assert said["data"][0] == a.ctypes.data and (said["shape"], said["version"]) == ((8,), 3)
        assert driver.is_device_memory(a) and driver.device_memory_size(a) == 32
        driver.device_memset(a, 0, 32)
        increase[1, 8](a)
        assert a.tolist() == [1] * 8 and isinstance(a, np.ndarray)
    stream = cuda.stream()
    assert cuda.mapped_array(2, stream=stream).__cuda_array_interface__["stream"] == stream.handle


def test_memory_of_contexts():
    context = cuda.current_context()
    for memory in (context.memhostalloc(32, mapped=True), context.memallocmanaged(32)):
        seen = np.ndarray(32, np.uint8, memory)
        driver.device_memset(memory, 0xAB, 32)
        assert (seen == 0xAB).all() and memory.handle == seen.ctypes.data
    owner = np.arange(10)
    pinned = context.mempin(owner, owner.ctypes.data, owner.nbytes, mapped=True)
    driver.require_device_memory(pinned)
    driver.device_memset(pinned, 0, owner.nbytes)
    assert not owner.any()


RECORD = np.dtype([("n", np.int32), ("name", "U4"), ("at", [("x", np.float32, (2,))])], align=True)


def test_records_have_parts_and_fields_that_stay_on_the_host():
    records = cuda.device_array(3, RECORD)
    for k in range(3):
        records[k]["n"], records[k]["name"], records[k]["at"]["x"] = k, "abcd"[: k + 1], k / 2
    records[1]["at"]["x"][0] = 9
    expected = np.array([(0, "a", ((0, 0),)), (1, "ab", ((9, 0.5),)), (2, "abc", ((1, 1),))], RECORD)
    np.testing.assert_array_equal(records.copy_to_host(), expected)
    np.testing.assert_array_equal(records[1:].copy_to_host(), expected[1:])


def test_one_record():
    host = np.zeros(1, RECORD)[0]
    host["n"] = 5
    record, is_new = devicearray.auto_device(host)
    assert is_new and record.shape == record.strides == () and record.alloc_size == RECORD.itemsize
    back = np.zeros(1, RECORD)[0]
    record.copy_to_host(back)
    assert back == host
    other = devicearray.from_record_like(record)
    assert other.dtype == RECORD and other.gpu_data.handle != record.gpu_data.handle


def test_device_arrays_by_numbas_constructor():
    a = devicearray.DeviceNDArray((1, 10), (800, 8), np.float64)
    assert a.flags.c_contiguous and a.flags.f_contiguous and a.strides == (800, 8)
    a.setitem((0, 3), 4.0, stream=cuda.stream())
    assert a.copy_to_host()[0, 3] == 4


def test_settings_and_errors():
    assert cuda.config.ENABLE_CUDASIM is False
    assert cuda.cuda_error() is None and cuda.is_supported_version()
    free, total = driver.driver.cuMemGetInfo()
    assert 0 < free <= total


def test_an_array_that_is_not_on_the_gpu_has_its_interface(device):
    with tessera.device("simulated" if device == "simulated" else "cpu"):
        a = cuda.to_device(np.arange(5))
        assert a.__cuda_array_interface__["shape"] == (5,)
        assert a.gpu_data.handle == a.device_ctypes_pointer.value
