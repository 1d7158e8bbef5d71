#!/usr/bin/env python3
"""The sources that take longest to compile: tools/slowest_sources.py [--build build/release] [--count 10]

Takes the longest of the last build's log and compiles each again, alone and without a cache; prints seconds of processor time, which what
else runs on the machine disturbs little.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path


def logged(build: Path) -> dict[str, float]:
    """Seconds from start to end of each object's compilation, as Ninja wrote them down."""
    rows = (line.split("\t") for line in (build / ".ninja_log").read_text().splitlines() if not line.startswith("#"))
    return {output: (int(end) - int(start)) / 1000 for start, end, _, output, _ in rows if output.endswith(".o")}


def commands(build: Path, target: str) -> dict[str, str]:
    """The command that compiles each object of a target, without its launcher."""
    text = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", target], capture_output=True, text=True, check=True
    ).stdout
    found = ((re.search(r" -o (\S+\.o) -c ", line), line) for line in text.splitlines())
    return {match[1]: re.sub(r"^\S*ccache ", "", line) for match, line in found if match}


def processor_seconds(build: Path, command: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        command = re.sub(
            r" -o \S+\.o ", f" -o {folder}/object.o ", re.sub(r"-MF \S+", f"-MF {folder}/object.d", command)
        )
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, shell=True, cwd=build, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--target", default="all")
    options = parser.parse_args()
    known = commands(options.build, options.target)
    seconds = logged(options.build)
    longest = sorted(known, key=lambda each: -seconds.get(each, 0))[: options.count + options.count // 2]
    measured = sorted(((processor_seconds(options.build, known[each]), each) for each in longest), reverse=True)
    print(f"{len(known)} objects in {options.target}")
    for taken, output in measured[: options.count]:
        print(
            f"{taken:6.1f} s  {re.sub(r'CMakeFiles/[^/]+/', '', output).removesuffix('.o').replace(os.sep * 2, os.sep)}"
        )


if __name__ == "__main__":
    main()
