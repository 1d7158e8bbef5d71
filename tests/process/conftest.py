"""Forks, faults and limits of memory are the host's here, whatever TESSERA_DEVICE says; tests of devices name them."""

import pytest

import tessera


@pytest.fixture(autouse=True)
def host(monkeypatch):
    monkeypatch.setenv("TESSERA_DEVICE", "cpu")  # of processes that tests start
    with tessera.device("cpu"):
        yield
