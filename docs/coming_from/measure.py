"""The times of a page's whole program before and after: python docs/coming_from/measure.py numba [--calls 7]

The blocks below the headings "Before" and "After" of docs/coming_from/numba.md each define `program()`. Both are called in turns, after one call of each
that compiles; medians are printed.
"""

import argparse
import linecache
import os
import pathlib
import platform
import re
import statistics
import time

HERE = pathlib.Path(__file__).resolve().parent


def load(page, title):
    """The function `program` of the block below a heading."""
    text = (HERE / f"{page}.md").read_text()
    block = re.search(rf"^### {title}\n.*?^```python\n(.*?)^```", text, re.M | re.S).group(1)
    name = f"<{page} {title}>"
    linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)
    space = {"__name__": "__main__"}
    exec(compile(block, name, "exec"), space)
    return space["program"]


def seconds(program):
    start = time.perf_counter()
    program()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page")
    parser.add_argument("--calls", type=int, default=7)
    args = parser.parse_args()
    programs = {title: load(args.page, title) for title in ("Before", "After")}
    results = {title: program() for title, program in programs.items()}
    times = {title: [] for title in programs}
    for _ in range(args.calls):
        for title, program in programs.items():
            times[title].append(seconds(program))
    for title, each in times.items():
        print(f"{title}: {statistics.median(each):.4f} s (result {results[title]})")
    print(f"{len(os.sched_getaffinity(0))} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
