"""The build backend of pyproject.toml: scikit-build-core, after the FFT's source package was brought.

CMake itself downloads nothing. What pip builds, in a clean clone or from a source distribution, gets the package here;
where no registry can be reached the build goes on with its own, slower transform.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scikit_build_core import build as _backend
from scikit_build_core.build import *  # noqa: F403

ROOT = Path(__file__).resolve().parent.parent


def bring_fft():
    result = subprocess.run(["sh", ROOT / "tools/fetch_fft.sh", sys.executable], stderr=subprocess.PIPE, text=True)
    if result.returncode:
        print(f"The FFT package could not be brought; building without it:\n{result.stderr}", file=sys.stderr)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    bring_fft()
    return _backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    bring_fft()
    return _backend.build_editable(wheel_directory, config_settings, metadata_directory)
