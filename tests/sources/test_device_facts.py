"""Attributes and limits of devices, and how many blocks fit a multiprocessor."""

import pytest
from tessera.pycuda import driver as drv
from tessera.pycuda import tools

from tessera import _core, cuda


class H100:
    """What the driver says of one."""

    def get_attribute(self, attribute):
        known = {1: 1024, 10: 32, 39: 2048, 81: 233472, 82: 65536, 106: 32, 111: 1024}
        return known[int(attribute)]


@pytest.mark.parametrize(
    ("threads", "shared", "registers", "blocks", "limited_by"),
    [  # as NVIDIA's occupancy calculator has them
        (256, 0, 32, 8, "regs"),
        (256, 0, 0, 8, "warps"),
        (32, 0, 16, 32, "device"),
        (256, 0, 64, 4, "regs"),
        (1000, 0, 33, 1, "regs"),
        (128, 48 * 1024, 32, 4, "smem"),
        (64, 227 * 1024, 32, 1, "smem"),
    ],
)
def test_occupancy(threads, shared, registers, blocks, limited_by):
    record = tools.OccupancyRecord(tools.DeviceData(H100()), threads, shared, registers)
    assert (record.tb_per_mp, record.limited_by) == (blocks, limited_by)
    assert record.warps_per_mp == blocks * -(-threads // 32) and record.occupancy == record.warps_per_mp / 64


def test_blocks_that_fit_nowhere():
    data = tools.DeviceData(H100())
    for arguments in ((2048,), (256, 230 * 1024), (1024, 0, 128), (32, 0, 256)):
        with pytest.raises(ValueError):
            tools.OccupancyRecord(data, *arguments)


def test_limits(device):
    for which, value in ((drv.limit.STACK_SIZE, 4096), (drv.limit.PRINTF_FIFO_SIZE, 1 << 21)):
        before = drv.Context.get_limit(which)
        drv.Context.set_limit(which, value)
        assert drv.Context.get_limit(which) >= value
        drv.Context.set_limit(which, before)
    with pytest.raises(ValueError):
        drv.Context.get_limit(99)


def test_limits_are_a_gpus():
    if _core.sources.capability():
        pytest.skip("there is one")
    with pytest.raises(drv.LogicError, match="no"):
        drv.Context.get_limit(drv.limit.STACK_SIZE)


def test_attributes_have_names_of_both():
    attributes = cuda.Device().attributes
    assert attributes["MaxThreadsPerBlock"] == 1024 and attributes["WarpSize"] == 32
    assert attributes["MultiProcessorCount"] == drv.Device(0).get_attribute(drv.device_attribute.MULTIPROCESSOR_COUNT)
    if _core.devices():
        assert attributes["MaxThreadsPerMultiProcessor"] >= 1024 and attributes["L2CacheSize"] > 0
        record = tools.OccupancyRecord(tools.DeviceData(), 256, registers=32)
        assert record.limited_by in ("warps", "regs") and 0 < record.occupancy <= 1
    else:
        with pytest.raises(drv.LogicError, match="CLOCK_RATE is not known"):
            drv.Device(0).get_attribute(drv.device_attribute.CLOCK_RATE)
