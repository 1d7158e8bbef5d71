"""How loops are cut while plans choose between host and device says nothing of loops that may not choose."""

from __future__ import annotations

import tessera.numpy as np

import tessera

SIZE = 1 << 23  # of arrays whose loops run several iterations at once on the host


def windows_of_a_host_loop():
    with tessera.device("cpu"):
        a = np.ones(SIZE, dtype="float32")
        tessera.synchronize()
        before = tessera.counters()["windows"]
        for _ in range(40):
            a = np.sqrt(a * 0.5 + 1.0) + 0.25
        float(a[0])
        return tessera.counters()["windows"] - before


def test_plans_that_chose_a_device_do_not_change_how_a_host_loop_is_cut():
    windows_of_a_host_loop()  # known from now on
    expected = windows_of_a_host_loop()
    with tessera.device("auto:simulated"):
        with tessera.device("simulated"):
            x = np.ones(1 << 18, dtype="float32") * 2
            tessera.synchronize()
        for _ in range(12):
            x = np.sqrt(x) * 1.5
            tessera.synchronize()
    assert windows_of_a_host_loop() == expected
