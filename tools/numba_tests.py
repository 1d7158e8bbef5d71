#!/usr/bin/env python3
"""Runs Numba's own tests, read from the installed package, with tessera's functions in Numba's place, and counts what passes by file.

    tools/numba_tests.py                        the files below: loops, arrays, mathematics, ufuncs, stencils, parallel loops
    tools/numba_tests.py test_tuples ...        some files
    tools/numba_tests.py --failures FILE ...    and writes why tests failed

Numba is installed: its types and its tests' helpers stay. What tests of its compiler's inside need is left out (LEFT_OUT, with reasons).
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import sys
import tempfile
from pathlib import Path

import numba.tests
import numpy_tests

INSTALLED = Path(numba.tests.__file__).parent
_IR = "Numba's intermediate representations and passes"
_CLASSES = "classes, typed containers, strings and sets"
_OBJECTS = "Numba's object mode"
# Files by the part of the language that they test.
AREAS = {
    "functions": "array_exprs array_methods array_manipulation array_reductions array_iterators array_constants array_return array_attr "
    "indexing fancy_indexing dyn_array slices range flow_control iteration extended_arg dataflow globals closure nested_calls inlining "
    "mathlib operators numbers builtins np_functions complex nan mandelbrot usecases tuples exceptions try_except linalg "
    "polynomial random lists comprehension recursion return_values boundscheck fastmath print optional casting enums record_dtype "
    "literal_dispatch mixed_tuple_unroller dispatcher num_threads cfunc",
    "parallel": "parfors stencils",
    "ufuncs": "ufuncs npyufunc/gufunc npyufunc/vectorize_decor npyufunc/ufunc npyufunc/dufunc npyufunc/errors "
    "npyufunc/parallel_ufunc_issues npyufunc/parallel_low_work npyufunc/update_inplace npyufunc/ufuncbuilding",
}
# Files, classes and tests, also "Class::test" where several have the name.
LEFT_OUT: dict[str, str] = {
    "TestParforsRunner": "starts the other classes in processes",
    "TestParforsLeaks": "counts of Numba's memory manager",
    "TestParforsDiagnostics": "what Numba's parallel pass says of its own work",
    "TestParforsOptions": "what Numba's parallel pass says of its own work",
    "TestDiagnosticEnvVar": "what Numba's parallel pass says of its own work",
    "TestParforsVectorizer": "instructions in Numba's machine code",
    **dict.fromkeys(
        (
            "test_simple01",
            "test_simple13",
            "test_simple20",
            "test_stencil_parallel_off",
            "test_untraced_value_tuple",
            "test_recursive_untraced_value_tuple",
            "test_parfor_bitmask6",
        ),
        "that Numba's parallel pass finds nothing to do",
    ),
    **dict.fromkeys(
        (
            "test_unsupported_floordiv1",
            "test_unsupported_xor1",
            "test_use_of_reduction_var1",
            "test_prange_conflicting_reduction_ops",
        ),
        "texts of Numba's errors",
    ),
    **dict.fromkeys(
        (
            "test_basic29",
            "test_basic32",
            "test_basic60",
            "test_basic61",
            "test_prange_raises_invalid_step_size",
            "test_oversized_tuple_as_arg_to_kernel",
        ),
        "what Numba refuses and tessera runs",
    ),
    "test_issue9490_non_det_ssa_problem": "runs Numba itself",
    **dict.fromkeys(
        (
            "test_check_alias_analysis",
            "test_no_warn_if_cache_set",
            "test_prange25",
            "test_parfor_array_access4",
            "test_call_hoisting_outcall",
        ),
        "Numba's compiler's inside",
    ),
}


def path_of(name: str) -> Path:
    """The file of a short name, such as `tuples` or `npyufunc/gufunc`."""
    folder, _, stem = name.removesuffix(".py").rpartition("/")
    return INSTALLED / folder / f"test_{stem.removeprefix('test_')}.py"


def run_file(path: Path, seconds: int, select: str | None) -> dict[str, tuple[str, str]]:
    """The outcome and last words of each test of a file."""
    with tempfile.TemporaryDirectory() as scratch:
        return numpy_tests.run_file(path, "numba", seconds, Path(scratch), select)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="short names of files, or of the parts: " + ", ".join(AREAS))
    parser.add_argument("--failures", type=Path, help="writes there why tests failed")
    parser.add_argument("--seconds", type=int, default=600, help="the time a file may take")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-k", dest="select", help="only tests that match, as pytest's -k")
    given = parser.parse_args()
    named = [name for one in given.files or AREAS for name in AREAS.get(one, one).split()]
    os.environ["PYTEST_PLUGINS"] = "numba_suite_plugin"
    os.environ["NUMBA_LEFT_OUT"] = json.dumps(LEFT_OUT)
    os.environ["PYTEST_ADDOPTS"] = "-p no:unraisableexception --assert=plain"  # tests read what is printed and raised
    os.environ["SUBPROC_TEST"] = "1"  # Numba's parallel tests run where they are, not in processes of their own
    total: collections.Counter[str] = collections.Counter()
    reasons = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        paths = [path_of(name) for name in named]
        for path, outcomes in zip(paths, pool.map(lambda path: run_file(path, given.seconds, given.select), paths)):
            count = collections.Counter(outcome for outcome, _ in outcomes.values())
            total += count
            print(
                f"{path.stem:32}",
                ", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())),
                flush=True,
            )
            reasons += [
                f"{test}: {how}\n{text}\n" for test, (how, text) in outcomes.items() if how in ("failed", "crashed")
            ]
            if given.failures:
                given.failures.write_text("\n".join(reasons))
    wanted = total["passed"] + total["failed"] + total["crashed"]
    print(f"{'total':32}", f"{total['passed']} of {wanted}, {total['skipped']} skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
