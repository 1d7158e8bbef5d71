"""Products of matrices that are cut over several devices: factors that all places need come in panels."""

from __future__ import annotations

import os
import pathlib

import numpy
import pytest
import tessera.numpy as np
from cut_places import panels, places, same

import tessera
from tessera import _core

LIBRARIES = pathlib.Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
needs_libraries = pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the simulated libraries are not here")

FACTORS = {
    "rows": lambda x, a, b: a @ b,
    "columns": lambda x, a, b: a @ x.asfortranarray(b),
    "of itself": lambda x, a, b: a @ a.T,
    "many columns": lambda x, a, b: a @ x.tile(b, 3),
    "part of a matrix": lambda x, a, b: a[3:-2, 1:] @ b[1:, 2:-5],
    "pairs": lambda x, a, b: x.tensordot(a, b, axes=1),
    "by indices": lambda x, a, b: x.einsum("ij,kj->ik", a, a + 1),
    "by a vector": lambda x, a, b: a @ b[:, 3],
}


@needs_libraries
@pytest.mark.parametrize("what", list(FACTORS))
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8", "i4"])
def test_factors_come_in_panels(what, dtype):
    rng = numpy.random.default_rng(2)
    left, right = (rng.integers(-9, 9, size=shape).astype(dtype) for shape in ((500, 301), (301, 200)))
    if left.dtype.kind != "i":
        left = left * rng.normal(size=left.shape).astype(dtype)
    wanted = FACTORS[what](numpy, left, right)
    _core.set_toolkit_folders([str(LIBRARIES)])
    results = []
    for count in (2, 3, 5, 7):
        with places(count, gather="error"), panels(100_000):
            a, b = np.asarray(left) + 0, np.asarray(right) + 0
            got = FACTORS[what](np, a, b)
            tessera.synchronize()
            assert len({place for place, nbytes in tessera.layout(got).items() if nbytes}) == count
            results.append(numpy.asarray(got))
    for other in results[1:]:
        same(other, results[0])
    if left.dtype.kind == "i":
        same(results[0], wanted)
    else:
        single = dtype == "f4"
        numpy.testing.assert_allclose(results[0], wanted, rtol=1e-4 if single else 1e-11, atol=0.01 if single else 1e-9)


def test_a_place_has_memory_for_its_parts_and_a_panel():
    with places(4, gather="error"), panels(1 << 18):
        a, b = np.zeros((1000, 1000), dtype=int) + 1, np.zeros((1000, 2000), dtype=int) + 2
        tessera.synchronize()
        parts = _core.memory_statistics("simulated@2")["bytes_in_use"] + 1000 * 2000 * 8 // 4
        tessera.set_memory_limit(parts + (7 << 20), "simulated@2")
        try:
            c = a @ b
            tessera.synchronize()
            assert len({place for place, nbytes in tessera.layout(c).items() if nbytes}) == 4
            same(c[::500, ::1000], numpy.full((2, 2), 2000))
        finally:
            tessera.set_memory_limit(0, "simulated@2")
