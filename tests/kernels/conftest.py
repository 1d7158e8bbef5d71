"""Kernels run on the cores and on a simulated GPU; TESSERA_DEVICE chooses one place instead."""

import os

import pytest

import tessera

DEVICES = [os.environ["TESSERA_DEVICE"]] if os.environ.get("TESSERA_DEVICE") else ["cpu", "simulated"]


@pytest.fixture(params=DEVICES, autouse=True)
def device(request):
    with tessera.device(request.param):
        yield request.param
