"""Programs whose ranks do not do the same: each is named, and none hangs."""

from __future__ import annotations

import re

import pytest

BEGIN = (
    "import tessera, tessera.numpy as np, numpy, os, sys, time, random\nx = np.ones((300, 200))\nr = tessera.rank()\n"
)

# What each rank does from line 4 on, and the line or word that must be named.
PROGRAMS = {
    "a look on one rank": ("if r == 0: print(float((x * 2).sum()))\nprint(float(x.sum()))", "line 4"),
    "a look on the other": ("if r == 1: float(x.sum())\nprint(float((x + 1).sum()))", "line 4"),
    "an operation on one rank": ("if r == 0: x = x + 1\nprint(float(x.sum()))", "line 4"),
    "another operation": ("y = x + 1 if r else x - 1\nprint(float(y.sum()))", "the operation"),
    "another number": ("y = x * (r + 1)\nprint(float(y.sum()))", "numbers"),
    "another shape": ("y = x[r:] + 1\nprint(float(y.sum()))", "line 4"),
    "a seed": (
        "y = np.asarray(numpy.random.default_rng(r).random((300, 200)))\nprint(float((y + x).sum()))",
        "numbers",
    ),
    "the clock": ("t = time.perf_counter() * (1 + r)\nprint(float((x * t).sum()))", "numbers"),
    "the process": ("y = x + os.getpid()\nprint(float(y.sum()))", "numbers"),
    "an early end": ("if r == 1: sys.exit()\nprint(float(x.sum()))", "the end of the program"),
    "an early end of rank 0": ("if r == 0: sys.exit()\nprint(float(x.sum()))", "the end of the program"),
    "more iterations": ("for k in range(5 + r): x = x * 0.5 + 1; float(x.sum())", "the end of the program"),
    "another order": ("for k in sorted([1, 2], reverse=bool(r)): x = x * k; float(x.sum())", "numbers"),
    "a look at another part": ("y = x * 2\nprint(float(y[100 * r, 3]))", "line 5"),
    "an exception on one": ("if r == 1: raise KeyError('only here')\nprint(float(x.sum()))", "only here"),
    "an exception that one catches": (
        "try:\n    x = x @ x if r else x + 1\nexcept ValueError: pass\nprint(float(x.sum()))",
        "line 5",
    ),
    "a write on one": ("if r == 0: x[0] = 5\nprint(float(x.sum()))", "line 4"),
    "another axis": ("print(float(x.sum(axis=r)[0]))", "line 4"),
    "another data type": ("y = x.astype('float32' if r else 'int64')\nprint(float(y.sum()))", "data types"),
    "another line": ("if r == 0:\n    print(float(x.sum()))\nelse:\n    print(float(x.sum()))", "the line"),
    "the length of a listing": ("y = np.ones(3000 + 10 * r) * 2\nprint(float(y.sum()))", "shapes"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_whose_ranks_differ_are_named(run_ranks, name):
    text, named = PROGRAMS[name]
    ended = run_ranks(2, BEGIN + text + "\n", timeout=60)
    assert ended.returncode != 0 and named in ended.stderr, ended.stderr
    if name != "an exception on one":
        assert re.search(r"rank [01] on \S+ does \[.*\] where rank [01] on \S+ does \[.*\]", ended.stderr), ended.stderr
        assert "tessera.is_leader()" in ended.stderr


def test_three_ranks_of_which_one_differs(run_ranks):
    ended = run_ranks(3, BEGIN + "if r == 2: x = x * 3\nx[1:-1] = x[2:] + x[:-2]\nprint(float(x.sum()))\n", timeout=60)
    assert ended.returncode != 0 and "line 4" in ended.stderr and "rank 2" in ended.stderr
