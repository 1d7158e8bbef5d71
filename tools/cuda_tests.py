#!/usr/bin/env python3
"""Runs CuPy's and PyCUDA's own tests of kernels, from a folder with their sources, with tessera in their place.

    tools/cuda_tests.py --cupy CHECKOUT_OF_CUPY --pycuda CHECKOUT_OF_PYCUDA [--cores] [pytest's options]

Of CuPy: raw, elementwise and reduction kernels; of PyCUDA: driver, gpuarray and cumath. Without a GPU they run on the simulated device, whose
compiler is the host's, with --cores on the cores, as clang compiles them. tools/cuda_suite_plugin.py says what stands in for which module, and which tests are of other things.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OF_CUPY = [f"tests/cupy_tests/core_tests/test_{name}.py" for name in ("raw", "elementwise", "reduction", "userkernel")]
OF_PYCUDA = [f"test/test_{name}.py" for name in ("driver", "gpuarray", "cumath")]


def run(project: str, folder: Path, files: list[str], options: list[str]) -> int:
    present = [str(folder / file) for file in files if (folder / file).is_file()]
    if not present:
        sys.exit(f"{folder}: there is none of {', '.join(files)}")
    path = os.pathsep.join(
        filter(None, (str(ROOT / "python"), str(Path(__file__).parent), os.environ.get("PYTHONPATH")))
    )
    environment = os.environ | {
        "PYTHONPATH": path,
        "PYTEST_PLUGINS": "cuda_suite_plugin",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "TESSERA_SUITE": f"{project}:{folder}",
        "TESSERA_FALLBACK": "silent",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    print(f"== {project}", flush=True)
    with tempfile.TemporaryDirectory() as away:  # their sources are no packages to import
        whole = [*command, "--rootdir", str(folder), *options, *present]
        return subprocess.run(whole, env=environment, cwd=away).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupy", type=Path)
    parser.add_argument("--pycuda", type=Path)
    parser.add_argument("--cores", action="store_true")
    given, options = parser.parse_known_args()
    if given.cores:
        os.environ["TESSERA_SUITE_CORES"] = "1"
    if not given.cupy and not given.pycuda:
        parser.error("give --cupy, --pycuda or both")
    status = 0
    for project, folder, files in (("cupy", given.cupy, OF_CUPY), ("pycuda", given.pycuda, OF_PYCUDA)):
        if folder:
            status |= run(project, folder.resolve(), files, options)
    return status


if __name__ == "__main__":
    sys.exit(main())
