"""How bench/gpu.py and its neighbours measure: the libraries, and the time of a call once everything is made and warm."""

from __future__ import annotations

import statistics
import time

import numpy
import tessera.numpy as np

import tessera
from tessera import _core

try:
    import cupy
except ImportError:
    cupy = None


class Library:
    """What a peer need not say."""

    @staticmethod
    def wait():
        """Until the GPU has done what was asked for."""

    @staticmethod
    def flush():
        """Asks for what was only recorded."""

    @staticmethod
    def programs():
        """How many have been made, none being on its way."""
        return 0


class Tessera(Library):
    name = "tessera"
    xp = np
    wait = staticmethod(tessera.synchronize)
    flush = staticmethod(_core.flush)

    @staticmethod
    def programs():
        _core.finish_compiling()
        counters = _core.counters()
        return counters["device_kernels_compiled"] + counters["device_kernels_renewed"]

    @staticmethod
    def erf(x):
        from tessera.scipy import special

        return special.erf(x)


class CuPy(Library):
    name = "CuPy"
    xp = cupy

    @staticmethod
    def wait():
        cupy.cuda.runtime.deviceSynchronize()

    @staticmethod
    def erf(x):
        from cupyx.scipy import special

        return special.erf(x)


class NumPy(Library):
    name = "NumPy"
    xp = numpy


def warm_up(library, call, least=0.3):
    """Until a GPU that was idle has its clock, and no better program is on its way for what the call runs."""
    seen = None
    while seen != (seen := library.programs()):
        start = time.perf_counter()
        while time.perf_counter() < start + least:
            kept = call()  # what nobody keeps is not computed
            library.wait()
            del kept


def seconds(library, call, calls=10, rounds=7, warm=0.3):
    """The median time of one call. Results are kept and each call runs by itself: no work is saved that a program needs."""
    warm_up(library, call, warm)
    kept, times = [], []
    for _ in range(rounds):
        kept.clear()
        start = time.perf_counter()
        for _ in range(calls):
            kept.append(call())
            library.flush()
        library.wait()
        times.append((time.perf_counter() - start) / calls)
    return statistics.median(times)


def gigabytes(library, moved, call, calls=10):
    return moved / seconds(library, call, calls) / 1e9, "GB/s"
