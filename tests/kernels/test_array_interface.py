"""__cuda_array_interface__ without a GPU, other libraries' arrays, memory, ufuncs of cuda, signatures that are given."""

import ctypes
import sys
from types import ModuleType

import numpy as np
import pytest
from tessera.cuda import cudadrv

from tessera import cuda, types

pytestmark = pytest.mark.skipif(cuda.gpus[0]._facts is not None, reason="of the host's addresses")


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self._array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


@pytest.fixture(autouse=True)
def device():
    """Addresses of the simulated device are not the host's."""


@cuda.jit
def add(a, x):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += x


def test_the_interface_says_where_the_elements_are():
    array = cuda.to_device(np.arange(12.0).reshape(3, 4))
    said = array.__cuda_array_interface__
    assert said["shape"] == (3, 4) and said["typestr"] == "<f8" and said["strides"] is None and said["version"] == 3
    address = said["data"][0]
    assert (ctypes.c_double * 12).from_address(address)[5] == 5
    part = array[1:, ::2].__cuda_array_interface__
    assert part["data"][0] == address + 32 and part["strides"] == (32, 16)
    assert array[::-1].__cuda_array_interface__["data"][0] == address + 64
    assert cuda.device_array(0).__cuda_array_interface__["data"][0] == 0
    add[1, 4](array[0], 1)
    assert (ctypes.c_double * 12).from_address(address)[3] == 4


def test_other_libraries_arrays_share_memory():
    array = cuda.to_device(np.arange(10))
    assert not cuda.is_cuda_array(np.arange(10)) and cuda.is_cuda_array(Foreign(array))
    wrapped = cuda.as_cuda_array(Foreign(array[::2]))
    add[1, 32](wrapped, 10)
    add[1, 32](Foreign(array), 1)
    np.testing.assert_array_equal(array.copy_to_host(), np.arange(10) + 1 + 10 * (np.arange(10) % 2 == 0))
    wrapped[1:3] = -1
    assert array.copy_to_host()[2] == array.copy_to_host()[4] == -1
    with pytest.raises(NotImplementedError, match="mask"):
        cuda.from_cuda_array_interface(array.__cuda_array_interface__ | {"mask": array})


def test_streams_of_arrays():
    stream = cuda.stream()
    array = cuda.device_array(3, stream=stream)
    assert array.stream is stream and array.__cuda_array_interface__["stream"] == stream.handle != 0
    assert array.bind(0).stream == 0 and cuda.device_array(3).__cuda_array_interface__["stream"] is None
    wrapped = cuda.as_cuda_array(Foreign(array))
    assert wrapped.stream.external and wrapped.stream.handle == stream.handle


def test_parts_and_sizes():
    array = cuda.to_device(np.arange(10))
    assert [part.copy_to_host().tolist() for part in array.split(4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert array.alloc_size == 80 and array[::3].alloc_size == 80 and array[:0].alloc_size == 0
    cudadrv.devicearray.verify_cuda_ndarray_interface(array)
    with pytest.raises(ValueError, match="cuda ndarray"):
        cudadrv.devicearray.require_cuda_ndarray(np.arange(3))


def test_memory_without_a_type():
    driver = cudadrv.driver
    memory = cuda.current_context().memalloc(400)
    driver.require_device_memory(memory)
    data, back = np.arange(100, dtype=np.uint32), np.zeros(100, np.uint32)
    driver.host_to_device(memory, data, 400)
    part = memory.view(40, 80)
    assert part.handle == memory.handle + 40 and part.owner is memory and memory.refct == 2
    driver.device_memset(part, 0xAB, 40)
    del part
    assert memory.refct == 1
    driver.device_to_host(back, memory, 400)
    data[10:20] = 0xABABABAB
    np.testing.assert_array_equal(back, data)
    assert driver.host_memory_size(data[::2]) == 396 and driver.host_memory_size(ctypes.c_double(1)) == 8
    ended = []
    pointer = driver.MemoryPointer(None, ctypes.c_void_p(64), 8, finalizer=lambda: ended.append(1))
    kept = pointer.own()
    del kept
    assert ended == []
    del pointer
    assert ended == [1]


def test_ufuncs_take_and_give_device_arrays():
    @cuda.vectorize(["float64(float64, float64)"])
    def plus(a, b):
        return a + b

    @cuda.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
    def scaled(a, x, out):
        for i in range(a.size):
            out[i] = a[i] * x

    a = np.arange(6.0)
    array = cuda.to_device(a)
    np.testing.assert_array_equal(plus(Foreign(array), 3, stream=cuda.stream()).copy_to_host(), a + 3)
    out = cuda.device_array(6)
    assert plus(array, array, out=Foreign(out)) is not None
    np.testing.assert_array_equal(out.copy_to_host(), 2 * a)
    assert plus.reduce(array) == 15 and isinstance(plus(a, a), np.ndarray)
    np.testing.assert_array_equal(scaled(Foreign(array), 2.0).copy_to_host(), 2 * a)


def test_given_signatures_are_the_only_ones():
    @cuda.jit(["(float64[:], float32, float64)", "(float64[:], float64, float32)", "(float64[:], int64, int64)"])
    def store(a, x, y):
        a[0] = x + y

    a = np.zeros(1)
    store[1, 1](a, np.int32(1), 2)
    assert a[0] == 3 and len(store.overloads) == 3
    with pytest.raises(TypeError, match="Ambiguous overloading") as caught:
        store[1, 1](a, 1.0, 2.0)
    assert "int64" not in str(caught.value)
    with pytest.raises(TypeError, match="No matching definition"):
        store[1, 1](np.zeros(1, np.int32), 1, 1)
    with pytest.raises(TypeError, match="No matching definition"):
        store[1, 1](a, 1j, 1)
    special = cuda.jit(store.py_func).specialize(types.float32[:], types.int64, types.int64)
    with pytest.raises(RuntimeError, match="already specialized"):
        special.specialize(types.float32[:], types.int64, types.int64)


def test_types_of_records():
    dtype = np.dtype([("x", np.int32), ("y", np.float64, 2)])

    @cuda.jit(types.void(types.from_dtype(dtype)[:]))
    def change(records):
        i = cuda.grid(1)
        if i < records.size:
            records[i].x += 1
            records[i].y[1] = i

    records = np.zeros(3, dtype)
    change[1, 32](records)
    assert records["x"].tolist() == [1, 1, 1] and records["y"].tolist() == [[0, 0], [0, 1], [0, 2]]
    assert len(change.signatures) == 1 and types.from_dtype(np.dtype("f4")) == types.float32


def test_numba_takes_arrays_by_its_own_types():
    numba = pytest.importorskip("numba")
    assert cuda.to_device(np.zeros((3, 4), np.float32))._numba_type_ == numba.float32[:, ::1]
    assert cuda.to_device(np.zeros(8, np.int16))[::2]._numba_type_ == numba.int16[:]


def test_arrays_have_a_type_of_their_own_where_numba_is_not_whole(monkeypatch):
    for name in ("numba.cuda.np.numpy_support", "numba.np.numpy_support"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    array = cuda.to_device(np.zeros((3, 4), np.float32))
    assert array._numba_type_ == types.float32[:, ::1]
