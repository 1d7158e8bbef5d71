"""Arrays in distributed's messages: frames share memory with them, and what was cut short is refused."""

from __future__ import annotations

import pickle

import numpy
import pytest

pytest.importorskip("distributed")

import tessera.numpy as np  # noqa: E402
from distributed.protocol import deserialize, deserialize_bytes, serialize, serialize_bytelist  # noqa: E402
from tessera.dask import serialise  # noqa: E402

import tessera  # noqa: E402
from tessera import _core as core  # noqa: E402


def there_and_back(x, family="dask"):
    header, frames = serialize(x, serializers=[family], on_error="raise")
    assert header["serializer"] == family
    return deserialize(header, frames, deserializers=[family])


base = numpy.arange(24.0).reshape(4, 6)
LAYOUTS = {
    "dense": lambda: np.asarray(base),
    "one element": lambda: np.asarray(base)[2:3, 1:2],
    "columns first": lambda: np.asarray(base).T,
    "every second": lambda: np.asarray(base)[::2, 1::3],
    "backwards": lambda: np.asarray(base)[::-1, ::-1],
    "axes swapped": lambda: np.asarray(numpy.arange(24).reshape(2, 3, 4)).transpose(1, 2, 0),
    "broadcast": lambda: np.broadcast_to(np.asarray(base[:1]), (5, 4, 6)),
    "zero size": lambda: np.empty((0, 3), dtype=np.int16),
    "zero size in the middle": lambda: np.asarray(base).reshape(4, 1, 6)[:, :0],
    "no axes": lambda: np.asarray(3.5),
    "recorded": lambda: np.asarray(numpy.arange(50_000.0)) * 2 + 1,
    "read-only": lambda: np.asarray(numpy.frombuffer(b"\x01\x02\x03\x04", dtype=numpy.uint8), copy=False),
    "booleans": lambda: np.asarray(base) > 7,
    "halves": lambda: np.asarray(base).astype(np.float16),
    "complex": lambda: np.asarray(base) * 1j,
    "bfloat16": lambda: np.asarray(base).astype("bfloat16"),
}


@pytest.mark.parametrize("where", ["cpu", "simulated"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_array_comes_back(layout, where):
    with tessera.device(where):
        x = LAYOUTS[layout]()
        y = there_and_back(x)
        assert type(y) is np.ndarray and y.dtype == x.dtype and y.shape == x.shape
        assert y.flags.writeable == x.flags.writeable or layout == "broadcast"
        assert np.array_equal(x, y)
        if layout != "broadcast" and x.flags.writeable and x.size:
            kept = numpy.array(x)
            y[...] = 1
            assert not y.astype(bool).sum() != y.size and (layout == "one element" or numpy.array_equal(kept, x))


def test_a_frame_of_a_host_array_is_its_memory_and_read_only():
    x = np.asarray(numpy.arange(1000.0))
    _, (frame,) = serialise.to_frames(x)
    assert frame.readonly and frame.nbytes == 8000
    assert numpy.shares_memory(numpy.frombuffer(frame), numpy.asarray(x))


def test_an_array_is_the_frame_s_memory_where_that_may_be_written():
    header, (frame,) = serialise.to_frames(np.asarray(numpy.arange(1000.0)))
    memory = bytearray(frame)
    y = serialise.from_frames(header, [memory])
    y[0] = 7.0
    assert numpy.frombuffer(memory)[0] == 7.0


def test_read_only_memory_is_copied_for_an_array_that_may_be_written():
    header, (frame,) = serialise.to_frames(np.asarray(numpy.arange(8)))
    memory = bytes(frame)
    y = serialise.from_frames(header, [memory])
    y[0] = 7
    assert y[0] == 7 and numpy.frombuffer(memory, dtype=int)[0] == 0


def test_a_write_after_the_frames_were_made_keeps_numpy_s_rule():
    """The frame shows it, as one of a NumPy array would, until the message is gone."""
    x = np.asarray(numpy.arange(4))
    _, (frame,) = serialise.to_frames(x)
    x[0] = 9
    assert numpy.frombuffer(frame, dtype=int)[0] == 9
    del frame
    assert x.tolist() == [9, 1, 2, 3]


@pytest.mark.parametrize("family", ["dask", "cuda"])
def test_frames_cut_short_are_refused(family):
    with tessera.device("simulated" if family == "cuda" else "cpu"):
        x = tessera.to_device(np.asarray(numpy.arange(100.0))) if family == "cuda" else np.asarray(numpy.arange(100.0))
        header, frames = serialize(x, serializers=[family], on_error="raise")
        for wrong in ([frames[0][:-1]], [], [frames[0], frames[0]]):
            with pytest.raises(ValueError, match="needs one frame of 800 bytes"):
                getattr(serialise, "from_device_frames" if family == "cuda" else "from_frames")(
                    header["sub-header"], wrong
                )


def test_an_array_on_a_device_is_a_frame_there():
    with tessera.device("simulated"):
        x = tessera.to_device(np.asarray(base))
        header, frames = serialize(x.T[1:], serializers=["cuda", "dask"], on_error="raise")
        assert header["serializer"] == "cuda" and hasattr(frames[0], "__cuda_array_interface__")
        y = deserialize(header, frames)
        assert core.is_on_device(y) and np.array_equal(y, x.T[1:])


class Lent:
    """Device memory of another library."""

    def __init__(self, array):
        self._array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__
        self.nbytes = array.nbytes


def test_memory_of_another_library_becomes_an_array_without_a_copy():
    with tessera.device("simulated"):
        header, frames = serialise.to_device_frames(tessera.to_device(np.asarray(base)))
        lent = Lent(frames[0])
        y = serialise.from_device_frames(header, [lent])
        assert y.__cuda_array_interface__["data"][0] == lent.__cuda_array_interface__["data"][0]
        assert np.array_equal(y, np.asarray(base))


def test_a_host_array_is_left_to_the_next_family():
    header, _ = serialize(np.asarray(base), serializers=["cuda", "dask"], on_error="raise")
    assert header["serializer"] == "dask"


def test_a_device_array_travels_by_pickle_and_by_bytes():
    with tessera.device("simulated"):
        x = tessera.to_device(np.asarray(base))
        assert np.array_equal(pickle.loads(pickle.dumps(x)), x)
        assert np.array_equal(deserialize_bytes(b"".join(serialize_bytelist(x))), x)


def test_arrays_spill_to_disk_and_come_back(tmp_path):
    from distributed.spill import SpillBuffer

    buffer = SpillBuffer(str(tmp_path), target=20_000)
    arrays = {f"x-{k}": np.asarray(numpy.full(1000, float(k)))[::-1] for k in range(8)}
    buffer.update(arrays)
    assert len(buffer.slow) >= 4 and any(tmp_path.iterdir())
    for key, value in arrays.items():
        assert type(buffer[key]) is np.ndarray and np.array_equal(buffer[key], value)


def test_a_full_disk_keeps_arrays_in_memory(tmp_path, monkeypatch):
    import zict
    from distributed.spill import SpillBuffer

    def full(*_):
        raise OSError(28, "No space left on device")

    buffer = SpillBuffer(str(tmp_path), target=20_000)
    monkeypatch.setattr(zict.File, "__setitem__", full)
    for k in range(5):
        buffer[f"x-{k}"] = np.asarray(numpy.full(1000, float(k)))
    assert [float(buffer[f"x-{k}"][0]) for k in range(5)] == [0, 1, 2, 3, 4]
