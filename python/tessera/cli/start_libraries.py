"""Starts CUDA's libraries one after another, as the engine does, in a process that may crash.

`python start_libraries.py CAPABILITY STEM PATH STEM PATH ...` prints a line of JSON before and after each of them. This is a
program of its own, which imports nothing of tessera.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any


def _compile(nvrtc: ctypes.CDLL, capability: int) -> int:
    """The status of compiling an empty kernel for the GPU's architecture."""
    program = ctypes.c_void_p()
    source, name = b'extern "C" __global__ void empty() {}', b"empty.cu"
    status = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name, 0, None, None)
    if status:
        return int(status)
    options = (ctypes.c_char_p * 1)(f"--gpu-architecture=sm_{capability}".encode())
    return int(nvrtc.nvrtcCompileProgram(program, 1, options))


def start(stem: str, path: str, capability: int) -> int:
    """The status of the first call that needs the driver; 0 for success."""
    library = ctypes.CDLL(path)
    handle = ctypes.c_void_p()
    if stem == "cublas":
        return int(library.cublasCreate_v2(ctypes.byref(handle)))
    if stem == "cusolver":
        return int(library.cusolverDnCreate(ctypes.byref(handle)))
    if stem == "cufft":
        complex_to_complex = 0x29
        return int(library.cufftPlan1d(ctypes.byref(ctypes.c_int()), 64, complex_to_complex, 1))
    if stem == "nvrtc":
        return _compile(library, capability)
    return 0  # that it loads is all there is


def main(words: list[str]) -> None:
    capability = int(words[0])
    for stem, path in zip(words[1::2], words[2::2]):
        said: dict[str, Any] = {"stem": stem}
        print(json.dumps(said), flush=True)
        try:
            said["status"] = start(stem, path, capability)
        except (OSError, AttributeError) as error:
            said["error"] = str(error)
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
