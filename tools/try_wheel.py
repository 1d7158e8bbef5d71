#!/usr/bin/env python3
"""Tries an installed wheel: three examples, every loop of every ufunc and one kernel: tools/try_wheel.py

Needs NumPy beside tessera and nothing else. The last line has a digest of all results' bits, which is the same on every system.
"""

import contextlib
import hashlib
import io
import os
import platform
import runpy
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "tests")]
os.environ["TESSERA_CACHE"] = ""  # all is compiled here

import numpy  # noqa: E402
import tessera.numpy as np  # noqa: E402
from ufunc_samples import NAMES, check, loops_of, native, operands, outcome  # noqa: E402

import tessera  # noqa: E402
from tessera import _core  # noqa: E402


def note(digest, result):
    """Adds the bits of a result; NaNs are one."""
    for array in result if isinstance(result, tuple) else (result,):
        array = numpy.array(array)
        if array.dtype.kind in "fc":
            array[numpy.isnan(array)] = numpy.nan
        digest.update(array.tobytes())


def try_examples(digest):
    import heat
    import smooth

    image = numpy.random.default_rng(3).random((60, 80, 3))
    for name, program in (
        ("heat", lambda xp: heat.solve(xp, 300, 60)),
        ("smooth", lambda xp: smooth.process(xp, image, 8)),
    ):
        ours, theirs = numpy.asarray(program(np)), numpy.asarray(program(numpy))
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        note(digest, ours)
        print(f"{name}: same as NumPy")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(ROOT / "examples" / "kernels" / "tiled_matmul.py"))
    print(f"tiled_matmul: {printed.getvalue().strip().splitlines()[-1]}")


def try_ufuncs(digest):
    count = 0
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name in NAMES:
            f = getattr(numpy, name)
            for loop in loops_of(f):
                if set("eFD") & set(loop):
                    continue  # tests/ufunc has them, and where they differ
                arrays = operands(f, loop, 3000)
                expected = outcome(lambda: f(*arrays))  # noqa: B023
                if isinstance(expected, tuple) and isinstance(expected[0], type):
                    continue  # an error
                actual = native(name)(*map(_core.asarray, arrays))
                note(digest, actual)
                check(actual, expected, name, loose=True)
                count += 1
    print(f"ufuncs: {count} loops like NumPy's")
    assert count >= 200


def try_kernel(digest):
    with contextlib.redirect_stdout(io.StringIO()):
        image = runpy.run_path(str(ROOT / "examples" / "kernels" / "mandelbrot.py"))["image"]
    assert image.max() == 60 and image.min() == 0, image
    note(digest, image)
    print("mandelbrot: a kernel ran")


def main():
    print(
        f"tessera {tessera.__version__} on Python {platform.python_version()}, {' '.join(platform.libc_ver())}, NumPy {numpy.__version__}"
    )
    assert not _core.compiler_problem(), _core.compiler_problem()
    found = set()
    for mode in ("when_hot", "before_full"):  # as usual, then all by LLVM
        digest = hashlib.sha256()
        _core.options(compile=mode)
        try_examples(digest)
        try_ufuncs(digest)
        try_kernel(digest)
        found.add(digest.hexdigest()[:16])
    assert len(found) == 1, found
    print(f"bits {found.pop()}")


if __name__ == "__main__":
    main()
