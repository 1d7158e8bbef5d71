"""Peak memory of tessera.pandas beside pandas: what each question of bench/frames.py takes beyond its frame, in a process of its own.

Prints a Markdown table of megabytes, and the ratio of the peaks with the frame."""

from __future__ import annotations

import argparse
import os
import statistics

import pandas
import tessera.pandas as ours
from frames import GROUPS, SINGLE, joins, settled, table


def _status(name: str) -> int:
    """Kilobytes, of this process."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


def peak(work, frame) -> tuple[int, int]:
    """Kilobytes before the work, and at most while it runs, of a child process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with open("/proc/self/clear_refs", "w") as reset:
            reset.write("5")
        before = _status("VmRSS")
        settled(work(frame))
        os.write(writing, f"{before} {_status('VmHWM')}".encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as found:
        before, most = map(int, found.read().split())
    return before, most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    options = parser.parse_args()
    frame = table(options.rows, 100)
    mine = ours.DataFrame(frame)
    ratios = []
    print("| question | tessera, MB | pandas, MB | tessera / pandas with the frame |\n|---|---|---|---|")
    for name, (work, *_) in {**GROUPS, **joins(frame), **SINGLE}.items():
        (before, most), (theirs_before, theirs) = peak(work, mine), peak(work, frame)
        ratios.append(most / theirs)
        shown = f"{(most - before) / 1e3:.0f} | {(theirs - theirs_before) / 1e3:.0f}"
        print(f"| {name} | {shown} | {ratios[-1]:.2f} |", flush=True)
    print(f"\n{options.rows:,} rows, pandas {pandas.__version__}: largest {max(ratios):.2f}, "
          f"geometric mean {statistics.geometric_mean(ratios):.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
