#!/usr/bin/env python3
"""Runs the tests of packages built on Numba with Numba, and with tessera in its place (`tessera run --numba`); prints counts and times.

    tools/package_tests.py SOURCES quantecon numbagg    unpacked source distributions SOURCES/quantecon, SOURCES/numbagg
    tools/package_tests.py SOURCES stumpy:tests/test_core.py,tests/test_stump.py    some files of one
    tools/package_tests.py --python PATH ...            an interpreter that has Numba, pytest and what the packages need

A package is imported from its sources, for those alone mean tessera by `import numba`. Numba runs without a cache, which is how its
users meet a package first; its outcomes are kept in --folder. A test counts that passes with Numba.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A pytest plugin that writes the outcome of each test, and the last lines of what failed.
PLUGIN = """
import json, os
outcomes = {}
def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = [report.outcome, str(report.longrepr)[-1500:] if report.outcome == "failed" else ""]
def pytest_collectreport(report):
    if report.outcome == "failed":
        outcomes[report.nodeid] = ["failed", str(report.longrepr)[-1500:]]
def pytest_sessionfinish(session):
    with open(os.environ["PACKAGE_OUTCOMES"], "w") as file:
        json.dump(outcomes, file)
"""
Outcomes = dict[str, tuple[str, str]]


def run(python: str, where: Path, tests: list[str], with_tessera: bool, seconds: int) -> tuple[Outcomes, float]:
    """The outcomes of a package's tests, and how long they took."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "package_outcomes.py").write_text(PLUGIN)
        found = Path(scratch) / "outcomes.json"
        paths = [str(ROOT / "python"), scratch, str(where), str(where / "src")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "NUMBA_CACHE_DIR": scratch,
            "PACKAGE_OUTCOMES": str(found),
        }
        command = [python, *(["-m", "tessera", "run", "--numba"] if with_tessera else []), "-m", "pytest", "-q"]
        command += ["--timeout", "300", "-p", "package_outcomes", "-o", "addopts=", "-p", "no:cacheprovider", *tests]
        begin = time.perf_counter()
        try:
            subprocess.run(command, cwd=where, env=environment, timeout=seconds, stdout=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            print(f"{where.name}: more than {seconds} s", file=sys.stderr)
        took = time.perf_counter() - begin
        return (json.loads(found.read_text()) if found.exists() else {}), took


def causes(wanted: list[str], outcomes: Outcomes) -> collections.Counter[str]:
    """Why tests fail, by the first error that each names."""
    counted: collections.Counter[str] = collections.Counter()
    for test in wanted:
        outcome, text = outcomes.get(test, ("missing", ""))
        if outcome != "passed":
            lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
            counted[lines[0][:160] if lines else outcome] += 1
    return counted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path, help="the folder of unpacked source distributions")
    parser.add_argument(
        "packages", nargs="+", metavar="name[:tests]", help="folders in it; tests are separated by commas"
    )
    parser.add_argument("--python", default=sys.executable, help="the interpreter")
    parser.add_argument("--seconds", type=int, default=1800, help="the time that the tests of a package may take")
    parser.add_argument("--failures", action="store_true", help="count the causes of failures")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/package_tests"), help="where Numba's outcomes are kept"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'package':20} {'Numba':>7} {'tessera':>8} {'share':>7} {'Numba s':>9} {'tessera s':>10}")
    for package in options.packages:
        name, _, listed = package.partition(":")
        where = (options.sources / name).resolve()
        tests = listed.split(",") if listed else []
        kept = options.folder / f"{package.replace('/', '-').replace(':', '-')}.json"
        if not kept.exists():
            kept.write_text(json.dumps(run(options.python, where, tests, False, options.seconds)))
        outcomes, numbas = json.loads(kept.read_text())
        wanted = [test for test, (outcome, _) in outcomes.items() if outcome == "passed"]
        ours, took = run(options.python, where, tests, True, options.seconds)
        passed = sum(ours.get(test, ("missing", ""))[0] == "passed" for test in wanted)
        share = passed / len(wanted) if wanted else 0
        print(f"{name:20} {len(wanted):7} {passed:8} {share:7.1%} {numbas:9.0f} {took:10.0f}", flush=True)
        if options.failures:
            for text, count in causes(wanted, ours).most_common(12):
                print(f"  {count:5} {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
