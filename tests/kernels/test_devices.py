"""cuda.gpus, the current device, its memory."""

import numpy as np
import pytest
from tessera.errors import CudaSupportError

from tessera import cuda


def test_devices_are_listed_and_selected():
    assert len(cuda.gpus) >= 1
    assert repr(cuda.gpus[0]) == repr(cuda.gpus.lst[0]) == "<Managed Device 0>"
    with cuda.gpus[0] as managed:
        assert managed.id == 0
        assert cuda.get_current_device().id == 0
    with pytest.raises(CudaSupportError, match="no device 99"):
        cuda.select_device(99)


def test_a_device_states_its_limits():
    device = cuda.get_current_device()
    assert (device.MAX_THREADS_PER_BLOCK, device.WARP_SIZE) == (1024, 32)
    assert device.MULTIPROCESSOR_COUNT >= 1
    assert len(device.compute_capability) == 2


def test_a_context_knows_its_memory():
    info = cuda.current_context().get_memory_info()
    assert 0 < info.free <= info.total == info[1]


def test_cleanup_and_closing_lose_nothing():
    with cuda.defer_cleanup():
        kept, done = cuda.to_device(np.arange(5)), cuda.event()
        done.record()
        cuda.close()
        assert done.query()  # all work has been waited for
    assert kept.copy_to_host().tolist() == [0, 1, 2, 3, 4]


def test_attributes_have_cupys_names():
    attributes = cuda.Device().attributes
    assert attributes["MultiProcessorCount"] >= 1 and attributes["WarpSize"] == 32
    assert cuda.Device(0).attributes == attributes
