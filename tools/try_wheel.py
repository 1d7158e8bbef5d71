#!/usr/bin/env python3
"""Tries an installed wheel: three examples, every loop of every ufunc, one kernel and a program in C++: tools/try_wheel.py

Needs NumPy beside tessera and nothing else; for C++ CMake and a compiler, and says so where they are not there. The last line has a digest of all results' bits, which is the same on every system.
"""

import contextlib
import hashlib
import io
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "tests")]
os.environ["TESSERA_CACHE"] = ""  # all is compiled here

import numpy  # noqa: E402
import tessera.numpy as np  # noqa: E402
from tessera.cli.doctor import doctor  # noqa: E402
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


def try_cpp():
    """Builds and runs examples/cpp, in a folder of its own, with the CMake package that lies in the wheel."""
    if not shutil.which("cmake") or not (os.environ.get("CXX") or shutil.which("c++")):
        print("C++: not tried, for want of CMake or a compiler")
        return
    with tempfile.TemporaryDirectory() as folder:
        source, build = Path(folder, "heat"), Path(folder, "build")
        shutil.copytree(ROOT / "examples" / "cpp", source)
        package = Path(tessera.__file__).parent / "cmake"
        for command in (
            ["cmake", "-S", source, "-B", build, f"-Dtessera_DIR={package}"],
            ["cmake", "--build", build],
            [build / "heat"],
        ):
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    print(f"C++: {done.stdout.strip().splitlines()[-1]}")


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
    try_cpp()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        doctor()
    for line in ("engine", "codegen", "TBB"):
        place = re.search(rf"^  {line} +(.*)", printed.getvalue(), re.MULTILINE)
        assert place and place[1] != "not found", printed.getvalue()
    print(f"doctor: {place[0].strip()}")
    print(f"bits {found.pop()}")


if __name__ == "__main__":
    main()
