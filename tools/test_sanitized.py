#!/usr/bin/env python3
"""Python tests under the address and undefined-behaviour sanitizers: tools/test_sanitized.py [arguments of pytest]

Runs the preset asan-python's build: the extension, the engine and what it compiles are instrumented; Python, NumPy and LLVM are not, but
Python takes its memory from the sanitizer. Without arguments, the tests of tests/sanitized.txt.
"""

import ctypes.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "asan-python"
COMPILER = "clang++-19"
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:detect_container_overflow=0:alloc_dealloc_mismatch=0:halt_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


def lay_out_package(folder: Path) -> None:
    """Links the sources of the package beside the libraries that were built there."""
    source = ROOT / "python" / "tessera"
    for path in source.iterdir():
        link = folder / path.name
        if path.suffix not in (".so", ".ir", ".h") and not link.exists() and path.name != "__pycache__":
            link.symlink_to(path)


def preloaded() -> str:
    """The sanitizers' library, and C++'s, whose exceptions it must find when it starts."""
    library = subprocess.run(
        [COMPILER, "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not os.path.isabs(library):
        sys.exit(f"{COMPILER} has no shared library of the address sanitizer: install libclang-rt-19-dev")
    return f"{library}:{ctypes.util.find_library('stdc++')}"


def main() -> None:
    package = BUILD / "package" / "tessera"
    if not any(package.glob("_core*.so")):
        sys.exit("cmake --preset asan-python && cmake --build --preset asan-python first")
    lay_out_package(package)
    tests = sys.argv[1:]
    if not tests:
        lines = (ROOT / "tests" / "sanitized.txt").read_text().splitlines()
        tests = [line for line in lines if line and not line.startswith("#")]
    cache = BUILD / "kernels"
    shutil.rmtree(cache, ignore_errors=True)
    environment = os.environ | OPTIONS | {
        "LD_PRELOAD": preloaded(),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(package.parent),
        "TESSERA_BUILD": str(BUILD),
        "TESSERA_CACHE": str(cache),
    }  # fmt: skip
    # What a sanitizer writes when it ends the process is not captured.
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--capture=sys", "-p", "no:cacheprovider", *tests]
    sys.exit(subprocess.run(command, env=environment, cwd=ROOT).returncode)


if __name__ == "__main__":
    main()
