"""Programs in several processes beside one: `python bench/ranks.py`. Each side in turns, the best of three.

A stencil of 3502², Black-Scholes of 10⁷ and conjugate gradients on 1000², on ranks of one thread against one process of as many threads;
and how long it takes to launch nothing. With --gpus ranks share this machine's GPUs, against one process with one of them."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

PROGRAMS = {
    "stencil 3502²": """
g = np.zeros((3502, 3502)); g[:, 0] = -273.15; g[-1, :] = -273.15; g[0, :] = 40.0
c = g[1:-1, 1:-1]; n = g[:-2, 1:-1]; e = g[1:-1, 2:]; w = g[1:-1, :-2]; s = g[2:, 1:-1]
def work():
    for _ in range(40):
        average = c + n + e + w + s
        work = 0.2 * average
        c[:] = work
    return float(g.sum())
steps = 40
""",
    "Black-Scholes 10⁷": """
from tessera.scipy.special import erf
draw = np.random.default_rng(1)
S, X, T = draw.random(10**7) * 40 + 10, draw.random(10**7) * 90 + 10, draw.random(10**7) * 2 + 0.1
def cdf(d): return 0.5 + 0.5 * erf(d * 0.7071067811865476)
def work():
    root = np.sqrt(T); d1 = (np.log(S / X) + (0.02 + 0.045) * T) / (0.3 * root); d2 = d1 - 0.3 * root
    a, b, discount = cdf(d1), cdf(d2), np.exp(-0.02 * T)
    return float((S * a - X * discount * b).sum()) + float((X * discount * (1 - b) - S * (1 - a)).sum())
steps = 1
""",
    "CG 1000²": """
def apply(x):
    y = 4 * x
    y[1:] -= x[:-1]; y[:-1] -= x[1:]; y[:, 1:] -= x[:, :-1]; y[:, :-1] -= x[:, 1:]
    return y
b = np.ones((1000, 1000))
def work():
    x = np.zeros((1000, 1000)); r = b - apply(x); p = r + 0; old = float((r * r).sum())
    for _ in range(40):
        Ap = apply(p); a = old / float((p * Ap).sum()); x += a * p; r -= a * Ap
        new = float((r * r).sum()); p = r + (new / old) * p; old = new
    return old
steps = 40
""",
    "columns 4000²": """
x = np.random.default_rng(1).random((4000, 4000))
def work():
    y = x - x.mean(axis=0)
    return float((y * y).mean(axis=0)[7])
steps = 1
""",
    "rows sorted 2000²": """
x = np.random.default_rng(1).random((2000, 2000)) * 2 - 1
def work(): return float(np.sort(x, axis=1)[:, 1000].sum())
steps = 1
""",
}
MEASURE = """
import time
work(); work()
best = 1e9
for _ in range(4):
    start = time.perf_counter(); value = work(); best = min(best, time.perf_counter() - start)
print(1e3 * best / steps, value.hex())
"""


def measured(path: str, *options: str) -> tuple[float, str]:
    command = [sys.executable, "-m", "tessera", "run", *options, path]
    said = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "TESSERA_CUT": "always"}
    )
    milliseconds, value = said.stdout.split()
    return float(milliseconds), value


def launched(*options: str) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".py") as empty:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "tessera", "run", *options, empty.name], check=True)
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--gpus", action="store_true")
    options = parser.parse_args()
    count = str(options.ranks)
    one_process, each_rank = (
        (["--gpus", "1"], ["--gpus", "1"]) if options.gpus else (["--cpus", count], ["--cpus", "1"])
    )
    for name, text in PROGRAMS.items():
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("import tessera.numpy as np\n" + text + MEASURE)
            file.flush()
            alone, ranks = [], []
            for _ in range(3):
                alone.append(measured(file.name, *one_process))
                ranks.append(measured(file.name, *each_rank, "--ranks-per-node", count))
        values = {value for _, value in alone + ranks}
        assert len(values) == 1 or options.gpus, "the bits differ"
        one, several = min(alone)[0], min(ranks)[0]
        print(
            f"{name:20s} one process {one:8.2f} ms, {count} ranks {several:8.2f} ms: {one / several:.2f}{'' if len(values) == 1 else ', bits differ'}",
            flush=True,
        )
    print(f"launching nothing: one {min(launched() for _ in range(3)):.2f} s, ", end="")
    print(f"4 ranks {min(launched('--ranks-per-node', '4') for _ in range(3)):.2f} s")


if __name__ == "__main__":
    main()
