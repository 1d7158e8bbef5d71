"""Memory of a device shared with other libraries: DLPack and the CUDA array interface, both ways, without a copy.

On the simulated device the other library is a class over host memory; on a GPU it is also CuPy and PyTorch, where they are.
"""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

GPU = bool(_core.devices())
SIZE = 40_000


def copies():
    counters = _core.counters()
    return counters["copies_to_device"], counters["copies_from_device"]


class Memory:
    """Another library's array in the simulated device's memory."""

    def __init__(self, values, stream=None, read_only=False):
        self.values = values
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (values.ctypes.data, read_only),
            "strides": values.strides if not values.flags.c_contiguous else None,
            "stream": stream,
            "version": 3,
        }


def seen(array):
    """What another library sees of the array, over the same memory."""
    interface = array.__cuda_array_interface__
    shape, strides = interface["shape"], interface["strides"]
    itemsize = numpy.dtype(interface["typestr"]).itemsize
    span = (
        itemsize + sum((n - 1) * abs(s) for n, s in zip(shape, strides))
        if strides
        else itemsize * int(numpy.prod(shape))
    )
    raw = (ctypes.c_char * span).from_address(interface["data"][0])
    values = numpy.frombuffer(raw, numpy.uint8)
    return numpy.ndarray(shape, interface["typestr"], values, strides=strides)


@pytest.fixture
def simulated():
    with tessera.device("simulated"):
        tessera.synchronize()
        _core.reset_counters()
        yield


def test_an_array_interface_becomes_an_array_without_a_copy(simulated):
    theirs = numpy.arange(float(SIZE)).reshape(200, 200)
    a = np.asarray(Memory(theirs))
    assert isinstance(a, np.ndarray) and a.shape == (200, 200) and a.__dlpack_device__() == (12, 0)
    b = a * 2.0
    assert copies() == (0, 0)
    theirs[0, 3] = 50.0  # what they write later is seen by what is asked later
    c = a + 1.0
    assert float(c[0, 3]) == 51.0 and float(b[0, 3]) == 6.0
    assert float(a[0, 3]) == 50.0 and float(a.sum()) == theirs.sum()
    assert numpy.array_equal(numpy.asarray(a), theirs)


class NoTruth:
    def __bool__(self):
        raise LookupError("neither")


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"typestr": None}, TypeError),
        ({"shape": (-1, 4)}, ValueError),
        ({"stream": 0}, ValueError),
        ({"data": (64, NoTruth())}, LookupError),
        ({"strides": (32,)}, ValueError),
        ({"typestr": ">f8"}, TypeError),
    ],
)
def test_an_array_interface_that_makes_no_sense_is_refused(simulated, wrong, error):
    memory = Memory(numpy.ones((3, 4)))
    memory.__cuda_array_interface__.update(wrong)
    with pytest.raises(error):
        np.asarray(memory)


def test_what_an_array_interface_raises_is_heard(simulated):
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("it needs a gradient")

    with pytest.raises(RuntimeError, match="it needs a gradient"):
        np.asarray(Broken())


def test_writes_are_seen_at_once_wherever_they_run(simulated):
    theirs = numpy.zeros(SIZE)
    a = np.asarray(Memory(theirs))
    a += 1.0
    assert (theirs == 1.0).all()
    a[5] = 7.0
    assert theirs[5] == 7.0
    a[::2] = np.arange(SIZE // 2) * 1.0
    assert theirs[8] == 4.0
    with tessera.device("cpu"):
        a *= 2.0
        assert theirs[8] == 8.0 and theirs[5] == 14.0
        assert float((a + 1)[8]) == 9.0
    with pytest.raises(BufferError, match="shared with another library"):
        np.random.default_rng(1).shuffle(a)
    np.add(a, 1.0, out=a)
    assert theirs[8] == 9.0


def test_strides_dtypes_and_flags_are_kept(simulated):
    theirs = numpy.arange(SIZE, dtype="f4").reshape(200, 200)
    view = np.asarray(Memory(theirs[::-2, 3:]))
    assert view.dtype == "f4" and numpy.array_equal(numpy.asarray(view), theirs[::-2, 3:])
    view[0, 0] = -1.0
    assert theirs[-1, 3] == -1.0
    closed = np.asarray(Memory(theirs, read_only=True))
    with pytest.raises(ValueError, match="read-only"):
        closed[0] = 1
    copied = np.array(Memory(theirs))
    copied += 1.0
    assert theirs[0, 1] == 1.0 and np.asarray(Memory(theirs), dtype="f8").dtype == "f8"
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(Memory(theirs), dtype="f8", copy=False)
    empty = np.asarray(Memory(numpy.zeros((0, 3))))
    assert empty.shape == (0, 3)
    assert np.add(Memory(theirs), 1.0).dtype == "f4"


def test_streams_follow_the_protocols(simulated):
    theirs = numpy.zeros(SIZE)
    for stream in (1, 2, 12345):
        np.asarray(Memory(theirs, stream=stream))
    with pytest.raises(ValueError, match="stream 0"):
        np.asarray(Memory(theirs, stream=0))
    a = np.ones(SIZE) * 2.0
    for stream in (None, -1, 1, 2, 12345):
        a.__dlpack__(stream=stream)
    for stream in (0, -2):
        with pytest.raises(ValueError, match=f"stream {stream}"):
            a.__dlpack__(stream=stream)


def test_the_owner_lives_as_long_as_the_array(simulated):
    memory = Memory(numpy.ones(SIZE))
    gone = weakref.ref(memory)
    a = np.asarray(memory)
    view = a[3:]
    del memory, a
    gc.collect()
    assert gone() is not None and float(view[0]) == 1.0
    del view
    tessera.synchronize()
    gc.collect()
    assert gone() is None


def test_an_array_shows_its_memory_and_stays_there(simulated):
    a = np.ones((200, 200)) * 3.0
    theirs = seen(a)
    assert (theirs == 3.0).all()
    a += 1.0
    assert (theirs == 4.0).all()
    theirs[0, 0] = 9.0
    assert float(a[0, 0]) == 9.0 and float((a + 1)[0, 0]) == 10.0
    a[:] = 5.0
    assert (theirs == 5.0).all()
    assert a.__cuda_array_interface__["data"][0] == theirs.ctypes.data
    assert seen(a.T[::2]).shape == (100, 200) and (seen(a.T[::2]) == 5.0).all()
    copy = a.copy()
    copy += 1.0
    assert (theirs == 5.0).all() and float(copy[0, 0]) == 6.0


def test_arrays_on_the_host_have_no_cuda_interface():
    with tessera.device("cpu"):
        assert not hasattr(np.ones(SIZE), "__cuda_array_interface__")
        assert np.ones(SIZE).__dlpack_device__() == (1, 0)


def test_dlpack_goes_there_and_back_without_a_copy(simulated):
    a = np.arange(float(SIZE)) * 1.0
    assert a.__dlpack_device__() == (12, 0)
    before = copies()
    b = np.from_dlpack(a)
    assert b.__dlpack_device__() == (12, 0) and copies() == before
    b += 1.0
    assert float(a[3]) == 4.0
    assert seen(a).ctypes.data == seen(b).ctypes.data
    c = np.from_dlpack(a, copy=True)
    c += 1.0
    assert float(a[3]) == 4.0 and float(c[3]) == 5.0
    host = numpy.from_dlpack(a, device="cpu")  # asked for there, it is copied
    assert host[3] == 4.0
    del b, c
    gc.collect()


def test_what_is_shared_on_the_host_is_not_shared_on_a_device_too(simulated):
    a = np.ones(SIZE) * 2.0
    view = numpy.asarray(a)
    assert not hasattr(a, "__cuda_array_interface__") and a.__dlpack_device__() == (1, 0)
    view[0] = 5.0
    assert float(a[0]) == 5.0
    b = np.ones(SIZE) * 2.0
    b.__cuda_array_interface__
    snapshot = numpy.asarray(b)
    b += 1.0
    assert snapshot[0] == 2.0
    with pytest.raises(BufferError, match="shared with another library"):
        memoryview(b)


@pytest.mark.skipif(not GPU, reason="no GPU")
class TestOnAGpu:
    @pytest.fixture(autouse=True)
    def on_gpu(self):
        with tessera.device("gpu"):
            tessera.synchronize()
            _core.reset_counters()
            yield

    def test_cupy(self):
        cupy = pytest.importorskip("cupy")
        theirs = cupy.arange(float(SIZE)).reshape(200, 200)
        for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
            with stream:
                theirs += 1.0
                mine = np.asarray(theirs)
                through = np.from_dlpack(theirs)
                doubled = mine * 2.0 + through
                assert copies() == (0, 0)
                assert numpy.array_equal(numpy.asarray(doubled), 3.0 * theirs.get())
            _core.reset_counters()
        mine += 1.0
        assert float(theirs[0, 0]) == 3.0
        result = np.ones((300, 400)) * 2.0
        for back in (cupy.asarray(result), cupy.from_dlpack(result)):
            assert back.shape == (300, 400) and float(back.sum()) == 240_000.0
            back += 1.0
            cupy.cuda.runtime.deviceSynchronize()
            assert float(result[5, 5]) == 3.0
            back -= 1.0
            cupy.cuda.runtime.deviceSynchronize()
        assert float(cupy.asarray(result[::2, ::-3]).sum()) == 2.0 * result[::2, ::-3].size

    def test_torch(self):
        torch = pytest.importorskip("torch")
        theirs = torch.arange(float(SIZE), device="cuda", dtype=torch.float64)
        assert float((np.asarray(theirs) + np.from_dlpack(theirs)).sum()) == 2 * theirs.sum().item()
        mine = np.ones((300, 400), "f4") * 2.0
        for back in (torch.as_tensor(mine, device="cuda"), torch.from_dlpack(mine)):
            assert back.is_cuda and back.sum().item() == 240_000.0
        assert torch.from_dlpack(mine).data_ptr() == mine.__cuda_array_interface__["data"][0]

    def test_numba_and_jax(self):
        mine = np.ones((300, 400), "f4") * 2.0
        jax = pytest.importorskip("jax")
        assert float(jax.dlpack.from_dlpack(mine).sum()) == 240_000.0
        theirs = jax.numpy.ones((200, 200), "float32")
        assert float(np.from_dlpack(theirs).sum()) == 40_000.0
        cuda = pytest.importorskip("numba.cuda")
        assert cuda.as_cuda_array(mine).copy_to_host().sum() == 240_000.0
        assert float(np.asarray(cuda.to_device(numpy.ones(SIZE))).sum()) == SIZE


def test_dlpack_needs_no_stream(simulated):
    a = np.arange(60_000.0) * 2
    capsule = a.__dlpack__()
    assert "dltensor" in repr(capsule) and a.__dlpack_device__() == (12, 0)
    del capsule
    assert a[3] == 6
