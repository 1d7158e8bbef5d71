"""Random kernels whose threads meet: barriers of block and grid, shared arrays, votes, shuffles, atomics, loops and branches."""

from __future__ import annotations

import random

import numpy as np

import tessera
from tessera import _core, cuda

BLOCKS = 5


class _Writer:
    """Draws one kernel's text. What differs between a block's threads is in v0 to v3 (int64), f (float64) and s (float32); c, r and
    the loops' counts are the same for all of them, so that barriers stand where CUDA wants them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.threads = self.draw.choice([32, 64, 96])
        self.lines: list[str] = []
        self.loops = 0

    def add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def variable(self) -> str:
        return f"v{self.draw.randrange(4)}"

    def integer(self) -> str:
        a, b, k = self.variable(), self.variable(), self.draw.randrange(1, 9)
        forms = (
            "{a} + {b}",
            "{a} * {k} - {b}",
            "({a} ^ {b}) + {k}",
            "min({a}, {b}) + t",
            "{a} % {k}",
            "{a} // {k} + b",
            "x[g] + {a}",
        )
        return self.draw.choice(forms).format(a=a, b=b, k=k)

    def condition(self) -> str:
        return self.draw.choice(["{a} % 3 == 1", "{a} < {b}", "t % 4 != b % 3", "f > {a} % 5"]).format(
            a=self.variable(), b=self.variable()
        )

    def plain(self, depth: int) -> None:
        kind = self.draw.randrange(7)
        if kind < 3:
            self.add(depth, f"{self.variable()} = {self.integer()}")
        elif kind == 3:
            self.add(depth, f"f = f * 0.5 + {self.variable()} % 17")
        elif kind == 4:
            self.add(depth, f"s = np.float32(math.sqrt(abs(s))) + np.float32({self.variable()} % 13)")
        elif kind == 5:
            self.add(depth, f"cuda.atomic.add(counts, {self.variable()} % 16, {self.variable()} % 7)")
        else:
            self.add(depth, f"cuda.atomic.max(counts, 16 + {self.variable()} % 8, {self.variable()} % 1000)")

    def branch(self, depth: int) -> None:
        self.add(depth, f"if {self.condition()}:")
        for _ in range(self.draw.randrange(1, 4)):
            self.plain(depth + 1)
        if self.draw.random() < 0.5:
            self.add(depth, "else:")
            self.plain(depth + 1)

    def own_loop(self, depth: int) -> None:
        self.loops += 1
        self.add(depth, f"for i{self.loops} in range({self.variable()} % 5):")
        self.plain(depth + 1)

    def meeting(self, depth: int) -> None:
        v, w, k = self.variable(), self.variable(), self.draw.randrange(1, 31)
        kinds = (
            ("cuda.syncthreads()", f"shared[t] = {v}", "cuda.syncthreads()", f"{w} = shared[(t * {k} + 1) % T]"),
            ("cuda.syncthreads()", "floats[t] = f", "cuda.syncthreads()", f"f = floats[(t + {k}) % T] + {v} % 2"),
            (f"{v} = cuda.shfl_sync(0xFFFFFFFF, {w}, ({w} + {k}) & 31)",),
            (f"{v} = {w} - cuda.shfl_up_sync(0xFFFFFFFF, np.int32({w} & 0xFFFF), {k})",),
            (f"s += cuda.shfl_down_sync(0xFFFFFFFF, s, {k})",),
            (f"f += cuda.shfl_xor_sync(0xFFFFFFFF, f, {k})",),
            (f"{v} += cuda.popc(cuda.ballot_sync(0xFFFFFFFF, {self.condition()}))",),
            (f"if cuda.any_sync(0xFFFFFFFF, {self.condition()}):", f"    {v} += {k}"),
            (f"if cuda.all_sync(0xFFFFFFFF, {self.condition()}):", f"    {v} -= {k}"),
            (f"{v} ^= cuda.match_any_sync(0xFFFFFFFF, np.int32({w} % 4))",),
            (f"{v} += cuda.syncthreads_count({self.condition()})",),
            (f"{v} += cuda.syncthreads_or({self.condition()}) - 2 * cuda.syncthreads_and({self.condition()})",),
            ("cuda.syncwarp()",),
        )
        self.add(depth, *self.draw.choice(kinds))

    def phase(self, depth: int) -> None:
        v, w, k = self.variable(), self.variable(), self.draw.randrange(1, 50)
        self.add(depth, f"cells[g] = {v}", "grid.sync()", f"{w} = cells[(g * 3 + {k}) % cells.size]", "grid.sync()")

    def common_loop(self, depth: int) -> None:
        self.loops += 1
        name, count = f"r{self.loops}", self.draw.choice(["n", "2", "n - 1", "b % 3"])
        self.add(depth, f"for {name} in range({count}):")
        self.body(depth + 1, self.draw.randrange(1, 4), count != "b % 3")

    def common_branch(self, depth: int) -> None:
        self.add(depth, self.draw.choice(["if b % 2 == 0:", "if n > 2:", "if x[0] % 2 == 0:"]))
        self.body(depth + 1, self.draw.randrange(1, 3), False)

    def body(self, depth: int, count: int, meets_in_grid: bool) -> None:
        for _ in range(count):
            kind = self.draw.random()
            if kind < 0.35:
                self.meeting(depth)
            elif kind < 0.55:
                self.plain(depth)
            elif kind < 0.7:
                self.branch(depth)
            elif kind < 0.78:
                self.own_loop(depth)
            elif kind < 0.88 and meets_in_grid:
                self.phase(depth)
            elif kind < 0.95 and depth < 3:
                self.common_loop(depth)
            elif depth < 3:
                self.common_branch(depth)
            else:
                self.meeting(depth)

    def text(self) -> str:
        self.add(0, "def kernel(x, n, cells, counts, out, reals):")
        self.add(1, "grid = cuda.cg.this_grid()", "g, t, b = cuda.grid(1), cuda.threadIdx.x, cuda.blockIdx.x")
        self.add(1, "shared = cuda.shared.array(T, np.int64)", "floats = cuda.shared.array(T, np.float64)")
        self.add(1, "v0, v1, v2, v3 = x[g], t * 7, g - b, x[(g + 1) % x.size] % 11")
        self.add(1, "f, s = x[g] * 0.25, np.float32(t)")
        self.body(1, 9, True)
        self.add(1, "out[g] = v0 + 3 * v1 - v2 + (v3 << 2)", "reals[g] = f + s", "")
        return "\n".join(self.lines)


def write(seed: int) -> tuple[str, int]:
    """The kernel's text and the threads of a block."""
    writer = _Writer(seed)
    return writer.text(), writer.threads


def run(text: str, threads: int, where: str, compiling: str = "when_hot") -> list[bytes]:
    """The bits of all that the kernel writes."""
    import math

    names = {"cuda": cuda, "np": np, "math": math, "T": threads}
    exec(text, names)
    kernel = cuda.jit(names["kernel"], source=text)
    size = BLOCKS * threads
    x = np.random.default_rng(len(text)).integers(-50, 50, size)
    outer = _core.options()["compile"]
    _core.options(compile=compiling)
    try:
        with tessera.device(where):
            given = [cuda.to_device(a) for a in (x, np.zeros(size, np.int64), np.zeros(24, np.int64))]
            out, reals = cuda.device_array(size, np.int64), cuda.device_array(size)
            kernel[BLOCKS, threads](given[0], 3, given[1], given[2], out, reals)
            return [a.copy_to_host().tobytes() for a in (*given, out, reals)]
    finally:
        _core.options(compile=outer)


def compare(where: str, seeds: range) -> str:
    """How many kernels have the same bits interpreted, compiled for the cores, and where it is said."""
    different = []
    for seed in seeds:
        text, threads = write(seed)
        expected = run(text, threads, "cpu", "never")
        if not expected == run(text, threads, "cpu", "before_full") == run(text, threads, where):
            different.append(seed)
    return f"{len(seeds) - len(different)} of {len(seeds)} kernels have the same bits; others: {different}"
