#!/usr/bin/env python3
"""Runs NumPy's own tests, read from the installed wheel, with tessera.numpy in NumPy's place; prints counts beside NumPy's.

    tools/numpy_tests.py                      the default list
    tools/numpy_tests.py _core/test_umath.py  some files (also paths of other suites' files)
    tools/numpy_tests.py --failures FILE ...  and names what fails here but not in NumPy

Every file has a process of its own. A test that kills it counts as a crash, and the rest of the file goes on without it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
INSTALLED = Path(numpy.__file__).parent
EXTRA_PATHS = [str(Path(p).resolve()) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
MEMORY = 12 << 30
CRASHES = 12

DEFAULT = {
    "_core": "indexing ufunc umath numeric multiarray shape_base function_base einsum item_selection indexerrors "
    "mem_overlap nep50_promotions scalarmath errstate half umath_complex arrayprint array_coercion dlpack "
    "array_interface regression casting_floatingpoint_errors overrides api protocols abc nditer",
    "lib": "function_base shape_base index_tricks arraysetops nanfunctions twodim_base arraypad histograms packbits "
    "polynomial regression stride_tricks type_check ufunclike mixins array_utils io loadtxt format",
    "linalg": "linalg regression",
    "fft": "pocketfft helper",
    "random": "generator_mt19937 generator_mt19937_regressions random randomstate randomstate_regression regression "
    "seed_sequence direct smoke",
    "ma": "core extras",
    "matrixlib": "defmatrix interaction",
    "polynomial": "polynomial classes",
}


def default_files() -> list[str]:
    """The files that run when none are named."""
    return [f"{folder}/test_{name}.py" for folder, names in DEFAULT.items() for name in names.split()]


def find(name: str) -> Path:
    """A file by its path, or by "folder/test_name.py" in the installed NumPy."""
    if os.path.exists(name):
        return Path(name).resolve()
    folder, _, file = name.rpartition("/")
    path = INSTALLED / folder / "tests" / file
    if not path.exists():
        sys.exit(f"numpy_tests.py: {name} is no file, and no folder/test_name.py of NumPy: there is no {path}")
    return path


def run_file(
    path: Path, module: str, seconds: int, scratch: Path, select: str | None = None, options: Sequence[str] = ()
) -> dict[str, tuple[str, str]]:
    """The outcome and last words of each test of one file, with `module` in NumPy's place; `options` are pytest's."""
    if select:
        options = [*options, "-k", select]
    log, skip = scratch / "log", scratch / "skip"
    skip.write_text("")
    outcomes: dict[str, tuple[str, str]] = {}
    for _ in range(CRASHES):
        log.write_text("")
        how = _run_once(path, module, seconds, log, skip, options)
        running = None
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            running = entry.get("start")
            if "end" in entry:
                outcomes[entry["end"]] = entry["outcome"], entry["text"]
        if running is None:
            break
        outcomes[running] = "crashed", how
        skip.write_text("\n".join(outcomes))
    return outcomes


def _run_once(path: Path, module: str, seconds: int, log: Path, skip: Path, options: Sequence[str]) -> str:
    """Runs pytest on one file; says how it ended."""
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join([str(HERE), str(HERE.parent / "python"), *EXTRA_PATHS]),
        SUITE_MODULE=module,
        SUITE_LOG=str(log),
        SUITE_SKIP=str(skip),
        TESSERA_FALLBACK="silent",
        NPY_AVAILABLE_MEM="1 GB",
    )
    command = [sys.executable, "-m", "pytest", "-p", "suite_plugin", "-p", "no:cacheprovider", "-p", "no:xdist", "-q",
               "--tb=short", "--rootdir", str(path.parent), str(path), *options]  # fmt: skip
    try:
        done = subprocess.run(
            command, env=environment, cwd=log.parent, timeout=seconds, capture_output=True, text=True, preexec_fn=_limit
        )
    except subprocess.TimeoutExpired:
        return f"ran longer than {seconds} s"
    (log.parent / "output").write_text(done.stdout + done.stderr)
    return f"exit status {done.returncode}: {done.stderr[-2000:]}"


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def numpys_own(path: Path, seconds: int, folder: Path, scratch: Path) -> dict[str, tuple[str, str]]:
    """NumPy's own outcomes, kept from run to run."""
    kept = folder / f"numpy-{numpy.__version__}-{'-'.join(path.parts[-3:])}.json"
    if not kept.exists():
        kept.write_text(json.dumps(run_file(path, "numpy", seconds, scratch)))
    return json.loads(kept.read_text())


def count(outcomes: dict[str, tuple[str, str]], kind: str) -> int:
    """How many tests ended so."""
    return sum(outcome == kind for outcome, _ in outcomes.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="folder/test_name.py of NumPy, or a path")
    parser.add_argument("--failures", action="store_true", help="name the tests that fail here and pass in NumPy")
    parser.add_argument("--text", action="store_true", help="with their last words")
    parser.add_argument("--seconds", type=int, default=600, help="the time a file may take")
    parser.add_argument("--folder", type=Path, default=Path("build/numpy_tests"), help="where outcomes are kept")
    parser.add_argument("-k", dest="select", help="only tests that match, as pytest's -k")
    options = parser.parse_args()
    files = [(name, find(name)) for name in options.files or default_files()]
    scratch = options.folder.resolve() / f"scratch-{os.getpid()}"
    scratch.mkdir(parents=True, exist_ok=True)
    print(f"{'file':44} {'passed':>7} {'NumPy':>7} {'failed':>7} {'crashed':>8} {'skipped':>8}")
    totals = [0] * 5
    for name, path in files:
        theirs = numpys_own(path, options.seconds, options.folder, scratch)
        ours = run_file(path, "tessera.numpy", options.seconds, scratch, options.select)
        (options.folder / f"tessera-{'-'.join(path.parts[-3:])}.json").write_text(json.dumps(ours))
        row = [count(ours, "passed"), count(theirs, "passed")] + [
            count(ours, kind) for kind in ("failed", "crashed", "skipped")
        ]
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        print(f"{name[-44:]:44} {row[0]:7} {row[1]:7} {row[2]:7} {row[3]:8} {row[4]:8}", flush=True)
        for test, (outcome, text) in ours.items() if options.failures or options.text else ():
            if outcome in ("failed", "crashed") and theirs.get(test, ("passed",))[0] == "passed":
                print(f"  {outcome} {test}")
                if options.text:
                    print("    " + "\n    ".join(text.splitlines()))
    print(f"{'total':44} {totals[0]:7} {totals[1]:7} {totals[2]:7} {totals[3]:8} {totals[4]:8}")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
