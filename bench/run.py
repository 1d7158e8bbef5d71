"""Every measure of the CPU engine, side by side with its peers, as one table.

make bench                     all of it, about ten minutes
python bench/run.py heat ops   some of it
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TESSERA_CPUS", "2")
os.environ.setdefault("NUMBA_NUM_THREADS", "2")
os.environ.setdefault("NUMEXPR_NUM_THREADS", "2")

import common_ops
import measure
import numpy
import programs

ROWS = []


def row(name, need, got, detail):
    """Adds one line to the table and prints it."""
    ROWS.append((name, need, got, detail))
    print(f"{name:44} {got:>10}   (at least {need})   {detail}", flush=True)


def bench_heat(np):
    n, steps = 3502, 100
    ours = measure.seconds(lambda: programs.heat(np, n, steps), repeat=3)
    theirs = measure.seconds(lambda: programs.heat(numpy, n, 5), repeat=3, warm=0) * steps / 5
    row("heat 3502^2 f64, 100 steps, against NumPy", "12x", f"{theirs / ours:.1f}x", f"{ours:.2f} s, {theirs:.2f} s")
    loop = programs.heat_numba()
    peer = measure.seconds(lambda: loop(n, steps), repeat=3)
    row("heat against Numba prange", "1x", f"{peer / ours:.2f}x", f"{peer:.2f} s")
    bandwidth = measure.copy_bandwidth()
    reached = 16 * n * n * steps / ours
    row(
        "heat, share of copy bandwidth at 16 B a point",
        "85%",
        f"{100 * reached / bandwidth:.0f}%",
        f"{reached / 1e9:.1f} of {bandwidth / 1e9:.1f} GB/s",
    )


def bench_black_scholes(np):
    from scipy import special
    from tessera.scipy import special as ours_special

    for dtype in ("float64", "float32"):
        inputs = programs.black_scholes_inputs(10_000_000, dtype)
        r, v = (numpy.dtype(dtype).type(x) for x in (0.02, 0.3))
        mine = [np.asarray(x) for x in inputs]
        ours = measure.seconds(lambda: programs.black_scholes(np, ours_special.erf, *mine, float(r), float(v)))
        theirs = measure.seconds(
            lambda: programs.black_scholes(numpy, special.erf, *inputs, float(r), float(v)), repeat=3
        )
        row(
            f"Black-Scholes 1e7 {dtype} against NumPy",
            "18x",
            f"{theirs / ours:.1f}x",
            f"{ours * 1e3:.0f} ms, {theirs * 1e3:.0f} ms",
        )
        for name, seconds in black_scholes_peers(inputs, dtype).items():
            row(
                f"Black-Scholes 1e7 {dtype} against {name}", "1.5x", f"{seconds / ours:.2f}x", f"{seconds * 1e3:.0f} ms"
            )


def black_scholes_peers(inputs, dtype):
    """Seconds of numexpr, Numba and JAX."""
    import math

    import numba
    import numexpr

    price, strike, years = inputs
    one = numpy.dtype(dtype).type
    r, v, half, root2 = one(0.02), one(0.3), one(0.5), one(math.sqrt(2))
    result = {}
    if hasattr(numexpr, "evaluate"):
        names = {"price": price, "strike": strike, "time": years, "r": r, "v": v, "half": half}

        def with_numexpr():
            root = numexpr.evaluate("sqrt(time)", names)
            d1 = numexpr.evaluate(
                "(log(price / strike) + (r + v * v * half) * time) / (v * root)", {**names, "root": root}
            )
            d2 = numexpr.evaluate("d1 - v * root", {"d1": d1, "v": v, "root": root})
            from scipy.special import erf

            c1, c2 = (erf(numexpr.evaluate("d / root2", {"d": d, "root2": root2})) for d in (d1, d2))
            both = {**names, "c1": c1, "c2": c2}
            call = numexpr.evaluate("price * (half + half * c1) - strike * exp(-r * time) * (half + half * c2)", both)
            put = numexpr.evaluate("strike * exp(-r * time) * (half - half * c2) - price * (half - half * c1)", both)
            return call, put

        result["numexpr"] = measure.seconds(with_numexpr, repeat=3)

    @numba.njit(parallel=True)
    def with_numba(price, strike, time, r, v, call, put):
        for i in numba.prange(price.size):
            root = math.sqrt(time[i])
            d1 = (math.log(price[i] / strike[i]) + (r + v * v / 2) * time[i]) / (v * root)
            d2 = d1 - v * root
            c1 = 0.5 + 0.5 * math.erf(d1 / math.sqrt(2.0))
            c2 = 0.5 + 0.5 * math.erf(d2 / math.sqrt(2.0))
            discounted = strike[i] * math.exp(-r * time[i])
            call[i] = price[i] * c1 - discounted * c2
            put[i] = discounted * (1 - c2) - price[i] * (1 - c1)

    call, put = numpy.empty_like(price), numpy.empty_like(price)
    result["Numba parallel"] = measure.seconds(lambda: with_numba(price, strike, years, r, v, call, put), repeat=3)
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        jitted = jax.jit(
            lambda p, s, t: programs.black_scholes(jax.numpy, jax.scipy.special.erf, p, s, t, float(r), float(v))
        )
        device = [jax.numpy.asarray(x) for x in inputs]
        result["JAX CPU"] = measure.seconds(lambda: jitted(*device), repeat=3)
    except ImportError:
        pass
    return result


def bench_cavity(np):
    for n, steps, nit, need in ((41, 700, 50, "5x"), (1000, 4, 50, "10x")):
        ours = measure.seconds(lambda: programs.cavity(np, n, steps, nit), repeat=3)
        theirs = (
            measure.seconds(lambda: programs.cavity(numpy, n, max(1, steps // 4), nit), repeat=1, warm=0)
            * steps
            / max(1, steps // 4)
        )
        row(f"cavity flow {n}^2, {steps} steps, nit 50", need, f"{theirs / ours:.1f}x", f"{ours:.2f} s, {theirs:.2f} s")


def bench_small(np):

    pairs = {}
    for tag, xp in (("ours", np), ("theirs", numpy)):
        rng = numpy.random.default_rng(3)
        a, b = xp.asarray(rng.random(10)), xp.asarray(rng.random(10))
        big = xp.asarray(rng.random((100, 100)))

        def store():
            big[3, 4] = 1.5

        pairs[tag] = [measure.per_call(f) for f in (lambda: a + b, lambda: big[3, 4], store, lambda: big[1:-1, 2:])]
    for name, x, y in zip(("a+b of 10 elements", "A[i,j]", "A[i,j] = x", "a slice A[1:-1, 2:]"), *pairs.values()):
        row(name, "1x", f"{y / x:.2f}x", f"{x * 1e9:.0f} ns, {y * 1e9:.0f} ns")
    matrix = numpy.random.default_rng(4).random((300, 300)) + 300 * numpy.eye(300)
    mine = np.asarray(matrix)
    ours, theirs = (measure.seconds(lambda: programs.lu_by_rows(xp, a)) for xp, a in ((np, mine), (numpy, matrix)))
    row("LU by rows of 300^2", "1x", f"{theirs / ours:.2f}x", f"{ours * 1e3:.1f} ms, {theirs * 1e3:.1f} ms")


def bench_recording(np):
    """What a Python statement `t = a * b` costs when it is only recorded; planning and running included where it says so."""
    from tessera import _core

    def block(rng, count):
        lines = ["def run(a, b):", "  t = a * b"]
        lines += [
            f"  t = t {step}"
            for step in rng.choice(["+ a", "- b", "- a", "+ b", "* 0.5", "* 0.25", "+ 1.5", "/ 2.0"], count)
        ]
        names = {}
        exec("\n".join([*lines, "  return t"]), names)
        return names["run"]

    def once(run, *operands):
        _core.synchronize()
        start = time.perf_counter()
        result = run(*operands)
        spent = time.perf_counter() - start
        look = time.perf_counter()
        numpy.asarray(result)
        return spent, spent + time.perf_counter() - look

    rng = numpy.random.default_rng(6)
    count = 60
    arrays = [np.asarray(rng.random((60, 60))) for _ in range(2)]
    fresh = [once(block(rng, 400), *arrays)[0] / 401 for _ in range(30)]
    row("recording one binary op, first time", "<= 150 ns", f"{statistics.median(fresh) * 1e9:.0f} ns", "")

    run = block(rng, 8)

    def loop(turns):
        t = arrays[0]
        for _ in range(turns):
            t = run(t, arrays[1]) * 0.25
        return t

    arrays = [np.asarray(rng.random((32, 33))) for _ in range(2)]
    known = min(once(loop, 2000)[1] for _ in range(30)) / (2000 * 10)
    row(
        "one binary op of a known trace, run and all",
        "<= 80 ns",
        f"{known * 1e9:.0f} ns",
        "1056 elements, ten ops fused",
    )
    run = block(rng, count)
    misses, hits = [], []
    for k in range(30):
        operands = [np.asarray(rng.random((60, 61 + k))) for _ in range(2)]
        misses.append(once(run, *operands)[1])
        once(run, *operands)
        hits.append(once(run, *operands)[1])
    cost = (statistics.median(misses) - statistics.median(hits)) / (count + 1)
    row("a plan miss, per op", "<= 20 us", f"{cost * 1e6:.1f} us", f"windows of {count + 1} ops of shapes never seen")


def bench_shared(np):
    """A loop over an array that NumPy sees too."""

    def turns(xp, a, b):
        for _ in range(200):
            a[1:-1] = 0.5 * (a[2:] + a[:-2]) + b[1:-1]
        return a

    for size in (1000, 100_000):
        memory = [numpy.zeros(size), numpy.ones(size)]
        shared = [np.asarray(m, copy=False) for m in memory]
        ours = measure.seconds(lambda: turns(np, *shared))
        theirs = measure.seconds(lambda: turns(numpy, *memory))
        row(
            f"loop over memory shared by copy=False, {size}",
            "0.9x",
            f"{theirs / ours:.2f}x",
            f"{ours * 1e3:.2f} ms, {theirs * 1e3:.2f} ms",
        )


def bench_ops(np):
    from tessera import _core

    cells = []
    for size in (10, 1000, 100_000, 10_000_000):
        rng = numpy.random.default_rng(5)
        data = [rng.random(size) + 0.1, rng.random(size) + 0.1, rng.integers(0, size, size), rng.random(size) < 0.5]
        mine = [np.asarray(x) for x in data]
        ratios = []
        for family, name, function in common_ops.OPS:
            budget = 0.01 if size < 10_000_000 else 0.05
            ours = measure.per_call(lambda: (function(np, *mine), _core.synchronize()), budget)
            theirs = measure.per_call(lambda: function(numpy, *data), budget)
            ratios.append(theirs / ours)
            cells.append((theirs / ours, size, family, name))
        mean = float(numpy.exp(numpy.mean(numpy.log(ratios))))
        row(
            f"60 ops at {size}, geometric mean",
            "1x" if size < 10_000 else "1.5x",
            f"{mean:.2f}x",
            f"{sum(r >= 1 for r in ratios)} of {len(ratios)} at 1x or more",
        )
    share = sum(c[0] >= 1 for c in cells) / len(cells)
    row("60 ops, cells at 1x or more", "80%", f"{100 * share:.0f}%", "")
    slow = sorted(c for c in cells if c[0] < 0.7)
    row(
        "60 ops, slowest cell",
        "0.7x",
        f"{min(cells)[0]:.2f}x",
        "; ".join(f"{n} at {s}: {r:.2f}" for r, s, _, n in slow[:12]),
    )


def bench_start(np):
    def import_seconds(code):
        times = []
        for _ in range(5):
            out = subprocess.run(
                [sys.executable, "-c", f"import time; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"],
                capture_output=True,
                text=True,
                check=True,
            )
            times.append(float(out.stdout))
        return sorted(times)[2]

    extra = import_seconds("import tessera.numpy") - import_seconds("import numpy")
    row("import tessera.numpy on top of NumPy's", "<= 100 ms", f"{extra * 1e3:.0f} ms", "")
    first = subprocess.run(
        [
            sys.executable,
            "-c",
            """
import numpy, time, tessera.numpy as np
a = np.asarray(numpy.random.rand(10000)); b = np.asarray(numpy.random.rand(10000))
float((a + b)[0])
t = time.perf_counter(); x = numpy.asarray(np.sin(a) * b + a / (b + 1.0)); print(time.perf_counter() - t)
""",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    row("first result of a new expression, 1e4", "<= 1 ms", f"{float(first.stdout) * 1e3:.2f} ms", "")


def bench_native(np):
    """From the first call of an expression on 1e5 elements to its native code, nothing cached."""
    expressions = {
        "b*0.25+a-1": "b*0.25+a-1",
        "sqrt(b)+a*3": "np.sqrt(b)+a*3",
        "exp(b*1e-6)+sin(a)": "np.exp(b*1e-6)+np.sin(a)",
        "sum(sin(a)*b)": "np.sum(np.sin(a)*b)",
        "log, exp, cos, tanh": "np.log(a/b)*np.exp(-b)+np.cos(b)/np.tanh(a)",
    }
    code = f"""
import numpy, time, tessera.numpy as np
from tessera import _core
a, b = (np.asarray(numpy.random.rand(100_000) + 0.1) for _ in range(2))
for text in {list(expressions.values())!r}:
    compute = eval("lambda: " + text)
    _core.synchronize()
    compiled, start = _core.counters()["kernels_compiled"], time.perf_counter()
    numpy.asarray(compute())
    while _core.counters()["kernels_compiled"] == compiled and time.perf_counter() - start < 1:
        time.sleep(1e-4)
    print(time.perf_counter() - start)
    time.sleep(0.05)
"""
    runs = []
    for _ in range(5):
        out = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "TESSERA_CACHE": ""},
        )
        runs.append([float(line) for line in out.stdout.split()])
    times = [statistics.median(column) * 1e3 for column in zip(*runs)]
    row("first native kernel of a process", "-", f"{times[0]:.1f} ms", next(iter(expressions)))
    for name, ms in list(zip(expressions, times))[1:]:
        row(f"native code of {name}", "<= 5 ms", f"{ms:.1f} ms", "")


def bench_memory(np):
    def peak(module, call):
        code = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); import programs, numpy, {module} as xp; {call}; print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
        return (
            int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) / 1024
        )

    programs_run = (
        ("heat 3502^2", "g = numpy.asarray(programs.heat(xp, 3502, 10))"),
        ("cavity 1000^2", "programs.cavity(xp, 1000, 1, 50)"),
        ("cavity 41^2", "programs.cavity(xp, 41, 100, 50)"),
        ("LU 1000^2", "programs.lu_by_rows(xp, xp.asarray(numpy.eye(1000) + 1))"),
        (
            "Black-Scholes 5e6",
            "from scipy.special import erf as e; import importlib; erf = importlib.import_module('tessera.scipy.special').erf if 'tessera' in xp.__name__ else e; "
            "r = [numpy.asarray(x) for x in programs.black_scholes(xp, erf, *(xp.asarray(x) for x in programs.black_scholes_inputs(5_000_000, 'float64')), 0.02, 0.3)]",
        ),
    )
    for name, call in programs_run:
        ours, theirs = peak("tessera.numpy", call), peak("numpy", call)
        row(f"peak memory, {name}", "<= 1.1x + 80 MB", f"{ours:.0f} MB", f"NumPy {theirs:.0f} MB")


BENCHES = {
    "heat": bench_heat,
    "black_scholes": bench_black_scholes,
    "cavity": bench_cavity,
    "small": bench_small,
    "recording": bench_recording,
    "shared": bench_shared,
    "ops": bench_ops,
    "start": bench_start,
    "native": bench_native,
    "memory": bench_memory,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {', '.join(BENCHES)}; all when none is given")
    parser.add_argument("--json", help="also write the rows to this file")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in BENCHES]
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}")
    import tessera.numpy as np

    print(f"NumPy {numpy.__version__}, {os.cpu_count()} cores, TESSERA_CPUS={os.environ['TESSERA_CPUS']}")
    for name in args.names or BENCHES:
        BENCHES[name](np)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(ROWS, indent=1))


if __name__ == "__main__":
    main()
