#!/usr/bin/env python3
"""Runs numba-cuda's own tests, read from its wheel, with tessera.cuda in numba.cuda's place, and counts what passes by file.

    tools/numba_cuda_tests.py numba_cuda-*.whl [words of file or test names ...] [--failures FILE]

    pip download numba-cuda --no-deps

Neither numba-cuda nor Numba is installed or run. What tests of the compiler's inside need is left out (LEFT_OUT, with reasons); tests
that need libraries which are not here, such as CuPy or CUDA's toolkit, skip themselves.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDERS = ("cudapy", "cudadrv", "doc_examples")
_IR = "Numba's intermediate representations and passes"
_EXTENSIONS = "extensions of Numba's compiler"
_LIBRARIES = "Numba's bindings of NVIDIA's compiler libraries"
# Files, classes and tests.
LEFT_OUT = {
    "test_analysis": _IR,
    "test_byteflow": _IR,
    "test_copy_propagate": _IR,
    "test_ir": _IR,
    "test_ir_utils": _IR,
    "test_tracing": _IR,
    "test_typeconv": _IR,
    "test_typeinfer": _IR,
    "TestCFGraph": _IR,
    "TestRealCodeDomFront": _IR,
    "test_debuginfo": "debug information as Numba lays it out in LLVM IR",
    "test_debuginfo_types": "debug information as Numba lays it out in LLVM IR",
    "test_lineinfo": "debug information as Numba lays it out in LLVM IR",
    "test_extending": _EXTENSIONS,
    "test_extending_types": _EXTENSIONS,
    "test_make_function_to_jit_function": _EXTENSIONS,
    "test_overload": _EXTENSIONS,
    "test_numba_interop": _EXTENSIONS,
    "test_bfloat16_bindings": "generated bindings of a CUDA header",
    "test_fp8_bindings": "generated bindings of a CUDA header",
    "test_debug": "dumps of the stages of Numba's compiler",
    "test_gufunc_scheduling": "a class of Numba's that reads the layouts of gufuncs",
    "test_launch_config_sensitive": _EXTENSIONS,
    "TestConstStringCodegen": _IR,
    "Test3rdPartyContext": "contexts of the driver, by its own functions",
    "TestContextLeak": "contexts of the driver, by its own functions",
    "test_caching": "files of Numba's cache",
    "test_cuda_driver": _LIBRARIES,
    "TestDeallocation": "how many frees Numba's memory manager has put off",
    "TestDeferCleanup": "how many frees Numba's memory manager has put off",
    "test_emm_plugins": "Numba's memory managers",
    "test_inline_ptx": _LIBRARIES,
    "test_is_fp16": _LIBRARIES,
    "test_linker_basic": _LIBRARIES,
    "test_link_for_different_cc": _LIBRARIES,
    "test_linking_cu_error": _LIBRARIES,
    "test_module_callbacks": _LIBRARIES,
    "test_nvjitlink": _LIBRARIES,
    "test_nvrtc": _LIBRARIES,
    "test_nvvm_driver": _LIBRARIES,
    "test_runtime": _LIBRARIES,
}
LIMIT = 300  # seconds a file


def run_file(path: Path, folder: Path, words: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The outcome of each of its tests, and why those that failed did."""
    outcomes = folder / f"{path.parent.name}-{path.stem}.json"
    tools = str(Path(__file__).resolve().parent)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, (str(folder), tools, os.environ.get("PYTHONPATH")))),
        "PYTEST_PLUGINS": "numba_cuda_suite_plugin",
        "NUMBA_CUDA_TESTS": str(path.parents[2]),
        "NUMBA_CUDA_LEFT_OUT": json.dumps(list(LEFT_OUT)),
        "NUMBA_CUDA_OUTCOMES": str(outcomes),
        "TESSERA_FALLBACK": "silent",
    }
    module = f"numba.cuda.tests.{path.parent.name}.{path.stem}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--pyargs", module]
    if words:
        command += ["-k", " or ".join(words)]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT)
        text = done.stdout[-3000:] + done.stderr[-1000:]
        ended = done.returncode
    except subprocess.TimeoutExpired:
        text, ended = f"took more than {LIMIT} s", -1
    by_test, why = json.loads(outcomes.read_text()) if outcomes.exists() else ({}, {})
    if ended not in (0, 1, 5):
        by_test[f"{path.stem}::(the file)"] = "failed"
        why[f"{path.stem}::(the file)"] = text
    return by_test, why


def main() -> int:
    parser = argparse.ArgumentParser(description="numba-cuda's tests with tessera.cuda")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("words", nargs="*", help="only files and tests with one of these words in their names")
    parser.add_argument("--failures", type=Path, help="writes there why tests failed")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    counts: dict[str, collections.Counter[str]] = {}
    reasons: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        # Programs that tests start find numba.cuda, too.
        Path(place, "sitecustomize.py").write_text("import numba_cuda_names\nnumba_cuda_names.install()\n")
        with zipfile.ZipFile(given.wheel) as wheel:
            wheel.extractall(
                place, [name for name in wheel.namelist() if name.startswith("numba_cuda/numba/cuda/tests/")]
            )
        tests = Path(place, "numba_cuda", "numba", "cuda", "tests")
        files = [path for folder in FOLDERS for path in sorted((tests / folder).glob("test_*.py"))]
        files = [path for path in files if path.stem not in LEFT_OUT]
        words = given.words
        named = [path for path in files if any(word in path.stem for word in words)]
        if words:
            files, words = (named, []) if named else (files, words)
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            results = pool.map(lambda path: run_file(path, Path(place), words), files)
            for path, (by_test, why) in zip(files, results):
                count = collections.Counter(by_test.values())
                for name in (f"{path.parent.name}/{path.stem}", f"all of {path.parent.name}", "all"):
                    counts.setdefault(name, collections.Counter()).update(count)
                line = ", ".join(
                    f"{count[outcome]} {outcome}" for outcome in ("passed", "failed", "skipped") if count[outcome]
                )
                if line:
                    print(f"{path.parent.name}/{path.stem}: {line}", flush=True)
                reasons += [f"{path.parent.name}/{name.rpartition('/')[2]}\n    {text}" for name, text in why.items()]
    for name, count in counts.items():
        if name.startswith("all"):
            print(f"{name}: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    if given.failures:
        given.failures.write_text("\n".join(reasons) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
