"""How long `import tessera.numpy` takes beyond NumPy's: bench/import_time.py [--runs 15] [--modules]

Medians over new processes that take turns, by the clock and of processor time; with --modules, the modules of tessera that take longest.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys

CODE = """
import time
import numpy
wall, cpu = time.perf_counter(), time.process_time()
import {module}
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def seconds(module: str) -> tuple[float, float]:
    """After NumPy: by the clock, of the processor."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(module=module)], capture_output=True, text=True, check=True
    )
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def slowest(module: str, count: int = 12) -> list[tuple[int, int, str]]:
    """Own and cumulative microseconds of the modules that take longest themselves."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", f"import numpy, {module}"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = re.findall(r"import time:\s+(\d+) \|\s+(\d+) \|\s+(\S+)", done.stderr)
    after = next(k for k, (_, _, name) in enumerate(rows) if name == "numpy") + 1
    return sorted(((int(own), int(total), name) for own, total, name in rows[after:]), reverse=True)[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--modules", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("TESSERA_DEVICE", "cpu")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each process compiles every module
    modules = ["tessera.numpy", "tessera", "tessera.cuda"]
    seconds(modules[0])  # compiles what Python has not yet
    taken = [[seconds(module) for module in modules] for _ in range(options.runs)]
    for k, module in enumerate(modules):
        wall, cpu = (statistics.median(run[k][part] for run in taken) for part in (0, 1))
        print(f"import {module:14} {1e3 * wall:6.1f} ms, {1e3 * cpu:6.1f} ms of processor time, after NumPy's")
    if options.modules:
        for own, total, name in slowest(modules[0]):
            print(f"{own / 1e3:8.1f} ms itself {total / 1e3:8.1f} ms with what it imports  {name}")


if __name__ == "__main__":
    main()
