"""Arrays that are cut over several simulated devices, for tests."""

from __future__ import annotations

import contextlib

import numpy

import tessera
from tessera import _core


@contextlib.contextmanager
def places(count, gather="allow"):
    """Every array is cut over so many simulated devices."""
    outer = _core.tile_rules()
    with tessera.device(f"simulated:{count}"):
        _core.set_tile_rules("always", gather)
        try:
            yield
        finally:
            tessera.synchronize()
            _core.set_tile_rules(*outer)


def counted(work):
    before = tessera.counters()
    result = work()
    tessera.synchronize()
    after = tessera.counters()
    return result, {name: after[name] - before.get(name, 0) for name in after}


def same(got, wanted):
    got, wanted = numpy.asarray(got), numpy.asarray(wanted)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    assert got.tobytes() == wanted.tobytes()


@contextlib.contextmanager
def panels(nbytes):
    """Factors that all places need are brought so many bytes at a time."""
    outer = _core.panel_bytes()
    _core.set_panel_bytes(nbytes)
    try:
        yield
    finally:
        _core.set_panel_bytes(outer)
