#!/usr/bin/env python3
"""Runs the tests of devices under compute-sanitizer, in parts beside each other: tools/sanitize_gpu.py [--tools memcheck racecheck] [tests ...]

On a machine with an NVIDIA GPU. Each part has its share of the tests that run there and a log of its own; the exit code is 1
when a test failed, a part did not end, or a tool found something.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = re.compile(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+) (?:error|hazard)")
RESULT = re.compile(r"^(?:=+ )?(\d+ (?:passed|failed|skipped|error|deselected).*? in [\d.]+s)", re.MULTILINE)


def tests_on_a_gpu(paths):
    """The ids of the tests that use a GPU: those with a device among their parameters where that is the GPU."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *paths],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    ids = [line for line in listed.stdout.splitlines() if "::" in line]
    if not ids:
        sys.exit(listed.stdout + listed.stderr)
    return [test for test in ids if "simulated" not in test]


def run_part(tool, number, tests, args):
    """Whether all is well, and a line that says how it went."""
    log = args.folder / f"{tool}-{number}.log"
    # For a backtrace of the host the tool takes the GIL in whatever thread calls the driver, which may never get it, and keeps frames alive.
    # Calls that fail are reported by who makes them; JAX and Numba try some that may.
    command = [args.sanitizer, "--tool", tool, "--show-backtrace", "device", "--target-processes", "all"]
    command += ["--report-api-errors", "no"] if tool == "memcheck" else []
    command += [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        "-o",
        f"faulthandler_timeout={0.8 * args.seconds}",
        *tests,
    ]
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    start = time.perf_counter()
    with log.open("w") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT, start_new_session=True, env=environment
        )
        try:
            ended = process.wait(args.seconds) is not None
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            ended = False
    text = log.read_text(errors="replace")
    found = sum(int(count) for count in SUMMARY.findall(text))
    result = (RESULT.findall(text) or ["no result"])[-1]
    good = ended and found == 0 and "passed" in result and "failed" not in result
    line = f"{tool:10} part {number:3}: {len(tests)} tests, {result}, {found} findings, {time.perf_counter() - start:.0f} s"
    return good, line + ("" if ended else ", stopped") + ("" if good else f": {log}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "tests",
        nargs="*",
        default=sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob("test_device*.py")),
    )
    parser.add_argument("--tools", nargs="+", default=["memcheck", "racecheck", "synccheck"])
    parser.add_argument(
        "--every", type=int, default=1, help="of so many tests one: racecheck takes some seconds a test"
    )
    parser.add_argument("--parts", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--at-once", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=600, help="for one part")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "sanitize")
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    tests = tests_on_a_gpu(args.tests)[:: args.every]
    # Neighbours in a file take about as long as each other.
    parts = [part for part in (tests[k :: args.parts] for k in range(args.parts)) if part]
    print(f"{len(tests)} tests in {len(parts)} parts")
    jobs = [(tool, number, part) for tool in args.tools for number, part in enumerate(parts)]
    bad = 0
    with ThreadPoolExecutor(args.at_once) as pool:
        for good, line in pool.map(lambda job: run_part(*job, args), jobs):
            bad += not good
            print(line, flush=True)
    print(f"{len(jobs) - bad} of {len(jobs)} parts clean")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
