#!/usr/bin/env python3
"""Runs Dask's own array tests, read from the installed package, with tessera's chunks; prints counts beside NumPy's.

    tools/dask_tests.py                       every file of dask/array/tests that does not need another library
    tools/dask_tests.py test_routines.py ...  some files
    tools/dask_tests.py --failures ...        and names what fails here but not with NumPy's chunks

The tests' own `numpy` is tessera.numpy and the array backend is tessera, also where a test asks for "numpy", so both the arrays
that they hand to Dask and those they compare with are tessera's. Outcomes with NumPy are kept in --folder from run to run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from pathlib import Path

import dask.array
import numpy_tests

INSTALLED = Path(dask.array.__file__).parent / "tests"
# Tests of arrays on CuPy, of sparse matrices, and of text and pictures of graphs alone.
OTHERS = ("test_cupy", "test_sparse", "test_array_expr")


def default_files() -> list[Path]:
    """Dask's array tests."""
    return sorted(path for path in INSTALLED.glob("test_*.py") if not path.name.startswith(OTHERS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="names of files in dask/array/tests, or paths")
    parser.add_argument("--failures", action="store_true", help="name the tests that fail here and pass with NumPy")
    parser.add_argument("--text", action="store_true", help="with their last words")
    parser.add_argument("--seconds", type=int, default=600, help="the time a file may take")
    parser.add_argument("--folder", type=Path, default=Path("build/dask_tests"), help="where outcomes are kept")
    parser.add_argument("-k", dest="select", help="only tests that match, as pytest's -k")
    options = parser.parse_args()
    files = [Path(name) if os.path.exists(name) else INSTALLED / name for name in options.files] or default_files()
    scratch = options.folder.resolve() / f"scratch-{os.getpid()}"
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ["PYTEST_PLUGINS"] = "dask_suite_plugin"
    print(f"{'file':36} {'passed':>7} {'NumPy':>7} {'of them':>8} {'crashed':>8}")
    passed = expected = both = crashed = 0
    for path in files:
        kept = options.folder / f"numpy-{dask.__version__}-{path.name}.json"
        if not kept.exists():
            os.environ["DASK_ARRAY__BACKEND"] = "numpy"
            kept.write_text(json.dumps(numpy_tests.run_file(path, "numpy", options.seconds, scratch)))
        theirs = json.loads(kept.read_text())
        os.environ["DASK_ARRAY__BACKEND"] = "tessera"
        ours = numpy_tests.run_file(path, "tessera.numpy", options.seconds, scratch, options.select)
        ours = {test.replace("tessera.numpy", "numpy"): outcome for test, outcome in ours.items()}  # a parameter's name
        (options.folder / f"tessera-{path.name}.json").write_text(json.dumps(ours))
        wanted = [test for test, (outcome, _) in theirs.items() if outcome == "passed"]
        good = sum(ours.get(test, ("missing",))[0] == "passed" for test in wanted)
        row = numpy_tests.count(ours, "passed"), len(wanted), good, numpy_tests.count(ours, "crashed")
        passed, expected, both, crashed = passed + row[0], expected + row[1], both + row[2], crashed + row[3]
        print(f"{path.name:36} {row[0]:7} {row[1]:7} {row[2]:8} {row[3]:8}", flush=True)
        for test in wanted if options.failures or options.text else ():
            outcome, text = ours.get(test, ("missing", ""))
            if outcome not in ("passed", "missing") or (outcome == "missing" and not options.select):
                print(f"  {outcome} {test}")
                if options.text:
                    print("    " + "\n    ".join(text.splitlines()))
    print(f"{'total':36} {passed:7} {expected:7} {both:8} {crashed:8}   {100 * both / max(expected, 1):.1f}%")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
