#!/usr/bin/env python3
"""Runs xarray's own tests of duck arrays, read from the installed package, with tessera's arrays.

    tools/xarray_tests.py [pytest's options]

`test_duck_array_wrapping.py` lists what xarray promises for arrays that are not NumPy's: that the result's data is of their type.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import xarray

FILE = Path(xarray.__file__).parent / "tests" / "test_duck_array_wrapping.py"


def main() -> int:
    tools = str(Path(__file__).resolve().parent)
    path = os.pathsep.join(filter(None, (tools, os.environ.get("PYTHONPATH"))))
    environment = os.environ | {
        "PYTHONPATH": path,
        "PYTEST_PLUGINS": "xarray_suite_plugin",
        "TESSERA_FALLBACK": "silent",
    }
    # Away from this project's configuration, which would turn their warnings into errors.
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        "--rootdir",
        str(FILE.parent),
    ]
    return subprocess.run([*command, *sys.argv[1:], str(FILE)], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
