"""The times of a page's whole program before and after: python docs/coming_from/measure.py numba [--calls 7] [--size 2048]

The blocks below the headings "Before" and "After" of docs/coming_from/numba.md each define `program()`. Both are called in turns, after a second of calls of
each, the first of which compiles; medians are printed. `--size` is the first argument of `program`, `--only` times one of the two, where both cannot be in one process.
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


def seconds(program, sizes):
    start = time.perf_counter()
    program(*sizes)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page")
    parser.add_argument("--calls", type=int, default=7)
    parser.add_argument("--size", type=int, nargs="*", default=[])
    parser.add_argument("--only", choices=("Before", "After"))
    args = parser.parse_args()
    programs = {title: load(args.page, title) for title in ([args.only] if args.only else ("Before", "After"))}
    results = {title: program(*args.size) for title, program in programs.items()}
    for program in programs.values():  # caches and clocks settle
        spent = 0.0
        while spent < 1:
            spent += seconds(program, args.size)
    times = {title: [] for title in programs}
    for _ in range(args.calls):
        for title, program in programs.items():
            times[title].append(seconds(program, args.size))
    for title, each in times.items():
        print(f"{title}: {statistics.median(each):.5f} s (result {results[title]})")
    print(f"{len(os.sched_getaffinity(0))} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
