"""What `tessera plan` takes for many places, and what it says: a stencil, a periodic channel and conjugate gradients.

    python bench/plans.py [--rows 3502] [--places 8,2048]

Each place has rows x rows elements. For each program and number of places: seconds and peak memory of the process, microseconds of
planning for each place and run of a line after everything was planned once, and the efficiency by the constants without a file.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import resource
import subprocess
import sys
import time

STENCIL = """
g = np.zeros((places * rows, rows)); g[0, :] = 40.0
def run():
    for _ in range(64):
        g[1:-1, 1:-1] = 0.25 * (g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
"""
CHANNEL = """
sys.path.insert(0, bench)
from gpus import channel
run = channel(places * rows, rows)
"""
GRADIENTS = """
b = np.zeros((places * rows, rows)) + 1.0
x, r, p = np.zeros_like(b), b + 0, b + 0
def applied(p):
    q = 4.0 * p
    q[1:] -= p[:-1]; q[:-1] -= p[1:]; q[:, 1:] -= p[:, :-1]; q[:, :-1] -= p[:, 1:]
    return q
def run():
    global x, r, p
    old = (r * r).sum()
    for _ in range(20):
        q = applied(p)
        alpha = old / (p * q).sum()
        x, r = x + alpha * p, r - alpha * q
        new = (r * r).sum()
        p, old = r + new / old * p, new
"""
PROGRAM = """
import sys, time, tessera, tessera.numpy as np
places, rows, bench = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
{program}
for _ in range(2):
    run(); tessera.synchronize()
begin = time.perf_counter()
run(); tessera.synchronize()
print("again", time.perf_counter() - begin)
"""


def planned(program, places, rows, folder):
    file = folder / "program_of_places.py"
    file.write_text(PROGRAM.format(program=program))
    command = [sys.executable, "-m", "tessera", "plan", str(file), str(places), str(rows)]
    command += [str(pathlib.Path(__file__).parent.resolve()), "--places", str(places), "--per-node", "8"]
    begin = time.perf_counter()
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    took = time.perf_counter() - begin
    return took, float(re.search(r"again (\S+)", said)[1]), float(re.search(r"efficiency ([\d.]+)$", said)[1])


def main():
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3502)
    parser.add_argument("--places", default="8,2048")
    options = parser.parse_args()
    print("| program | places | s | peak MB | once more, us a place | efficiency |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, program in {"stencil": STENCIL, "channel": CHANNEL, "conjugate gradients": GRADIENTS}.items():
            for places in map(int, options.places.split(",")):
                took, again, efficiency = planned(program, places, options.rows, pathlib.Path(folder))
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3  # of the largest so far
                print(
                    f"| {name} | {places} | {took:.1f} | {peak:.0f} | {1e6 * again / places:.1f} | {efficiency:.3f} |"
                )


if __name__ == "__main__":
    main()
