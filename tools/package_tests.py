#!/usr/bin/env python3
"""Runs the tests of packages built on Numba with Numba, and with tessera in its place (`tessera run --numba`); prints counts and times.

    tools/package_tests.py SOURCES quantecon numbagg    unpacked source distributions SOURCES/quantecon, SOURCES/numbagg
    tools/package_tests.py SOURCES stumpy:tests/test_core.py,tests/test_stump.py    some files of one
    tools/package_tests.py --python PATH ...            an interpreter that has Numba, pytest and what the packages need

A package is imported from its sources, for those alone mean tessera by `import numba`. Numba runs without a cache, which is how its
users meet a package first. Outcomes are kept in --folder: Numba's, which are not asked for again, as numba-NAME.json, tessera's as
NAME.json. A test counts that passes with Numba. Beside times by the clock stand those of processors, which say more on a busy machine.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import resource
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


def processor_time() -> float:
    """What processes that this one has started and that have ended took of processors, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(python: str, where: Path, tests: list[str], with_tessera: bool, seconds: int) -> tuple[Outcomes, float, float]:
    """The outcomes of a package's tests, and how long they took, by the clock and of processors."""
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
        begin, used = time.perf_counter(), processor_time()
        try:
            subprocess.run(command, cwd=where, env=environment, timeout=seconds, stdout=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            print(f"{where.name}: more than {seconds} s", file=sys.stderr)
        took, used = time.perf_counter() - begin, processor_time() - used
        return (json.loads(found.read_text()) if found.exists() else {}), took, used


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
    parser.add_argument("--only-numba", action="store_true", help="keep Numba's outcomes, for later")
    parser.add_argument("--failures", action="store_true", help="count the causes of failures")
    parser.add_argument("--folder", type=Path, default=Path("build/package_tests"), help="where outcomes are kept")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    titles = ["Numba", "tessera", "share", "Numba s", "tessera s", "ratio", "Numba cpu", "tessera cpu", "ratio"]
    print(f"{'package':16}" + "".join(f"{title:>12}" for title in titles))
    for package in options.packages:
        name, _, listed = package.partition(":")
        where = (options.sources / name).resolve()
        tests = listed.split(",") if listed else []
        file = f"{package.replace('/', '-').replace(':', '-')}.json"
        kept = options.folder / f"numba-{file}"
        if not kept.exists():
            kept.write_text(json.dumps(run(options.python, where, tests, False, options.seconds)))
        if options.only_numba:
            continue
        outcomes, numbas, numbas_used = json.loads(kept.read_text())
        wanted = [test for test, (outcome, _) in outcomes.items() if outcome == "passed"]
        ours, took, used = run(options.python, where, tests, True, options.seconds)
        (options.folder / file).write_text(json.dumps((ours, took, used)))
        passed = sum(ours.get(test, ("missing", ""))[0] == "passed" for test in wanted)
        share = passed / len(wanted) if wanted else 0
        times = (
            f"{numbas:12.0f}{took:12.0f}{took / numbas:12.2f}{numbas_used:12.0f}{used:12.0f}{used / numbas_used:12.2f}"
        )
        print(f"{name:16}{len(wanted):12}{passed:12}{share:12.1%}{times}", flush=True)
        if options.failures:
            for text, count in causes(wanted, ours).most_common(12):
                print(f"  {count:5} {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
