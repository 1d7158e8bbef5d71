"""Kernels that run on a GPU by default, beside numba-cuda: python bench/kernels_by_default.py [part ...]

Parts: launches (signatures, ballots, dynamic shared memory, pi by random numbers), atomics (each operation and type that numba-cuda
compiles, on 1, 32 and many places of global and shared memory), streams (random streams, records, chunks with events), scans (two
programs by default beside `gpu`, alone and after others), instructions (the atomic instructions in the PTX of both, without a GPU:
numba-cuda needs NVVM). One source for both libraries, in one process; every time is the median
over rounds; `ratio` is the other's time over tessera's, for scans the default's over that with `gpu`.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import pathlib
import re
import statistics
import tempfile
import time

import numpy

THREADS = 256
MANY = 4_000_000


def libraries():
    found = {"tessera": importlib.import_module("tessera.cuda")}
    if not hasattr(numpy, "row_stack"):  # numba-cuda 0.30 asks for a name that NumPy 2.5 no longer has
        numpy.row_stack = numpy.vstack
    try:
        found["numba"] = importlib.import_module("numba.cuda")
    except ImportError:
        print("numba-cuda is not there")
    return found


def median_time(run, wait, seconds=0.15):
    """Of one run, in rounds of runs that are waited for once."""
    run()  # compiles
    wait()
    start = time.perf_counter()
    run()
    wait()
    once = max(time.perf_counter() - start, 1e-6)
    if once > 0.1:
        return once
    run()
    wait()
    count = max(1, min(200, int(0.01 / once)))
    taken = []
    until = time.perf_counter() + seconds
    while len(taken) < 5 or (time.perf_counter() < until and len(taken) < 50):
        start = time.perf_counter()
        for _ in range(count):
            run()
        wait()
        taken.append((time.perf_counter() - start) / count)
    return statistics.median(taken)


def report(name, times):
    mine = times["tessera"]
    text = f"{name:44}{mine * 1e6:12.1f} us"
    if "numba" in times:
        text += f"{times['numba'] * 1e6:12.1f} us   ratio {times['numba'] / mine:.2f}"
    print(text, flush=True)
    return times.get("numba", mine) / mine


def random_of(name):
    return importlib.import_module("tessera.cuda.random" if name == "tessera" else "numba.cuda.random")


def with_signature(cuda, name):
    @cuda.jit("void(float64[:], float64[:], float64[:])")
    def add(a, b, c):
        i = cuda.grid(1)
        if i < c.size:
            c[i] = a[i] + b[i]

    n = 1 << 22
    arrays = [cuda.to_device(numpy.ones(n)) for _ in range(3)]
    return lambda: add[n // THREADS, THREADS](*arrays), lambda: arrays[2].copy_to_host()[:8]


def ballots(cuda, name):
    @cuda.jit
    def count(x, out):
        i = cuda.grid(1)
        votes = cuda.ballot_sync(0xFFFFFFFF, x[i] > 0.5)
        if cuda.laneid == 0:
            out[i // 32] = cuda.popc(votes)

    n = 1 << 22
    x, out = cuda.to_device(numpy.random.default_rng(0).random(n)), cuda.device_array(n // 32, numpy.int32)
    return lambda: count[n // THREADS, THREADS](x, out), lambda: out.copy_to_host()[:8]


def dynamic_shared(cuda, name):
    from numpy import float32

    @cuda.jit
    def turn(x):
        held = cuda.shared.array(0, float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        held[t] = x[i]
        cuda.syncthreads()
        x[i] = held[cuda.blockDim.x - 1 - t]

    n = 1 << 22
    x = cuda.to_device(numpy.arange(n, dtype=numpy.float32))
    return lambda: turn[n // THREADS, THREADS, 0, 4 * THREADS](x), lambda: x.copy_to_host()[:8] * 0


def pi(cuda, name):
    made = random_of(name)
    uniform = made.xoroshiro128p_uniform_float32

    @cuda.jit
    def inside(states, draws, out):
        i = cuda.grid(1)
        count = 0
        for _ in range(draws):
            x, y = uniform(states, i), uniform(states, i)
            if x * x + y * y <= 1:
                count += 1
        out[i] = 4 * count / draws

    n = 64 * 256
    states, out = made.create_xoroshiro128p_states(n, seed=1), cuda.device_array(n, numpy.float32)
    return lambda: inside[64, 256](states, 1000, out), lambda: numpy.round(out.copy_to_host().mean(), 2)


def random_sums(cuda, name):
    made = random_of(name)
    uniform = made.xoroshiro128p_uniform_float32

    @cuda.jit
    def draw(states, draws, out):
        i = cuda.grid(1)
        total = 0.0
        for _ in range(draws):
            total += uniform(states, i)
        out[i] = total

    n = 65536
    states, out = made.create_xoroshiro128p_states(n, seed=1), cuda.device_array(n, numpy.float64)
    return lambda: draw[n // THREADS, THREADS](states, 1000, out), lambda: numpy.round(out.copy_to_host().mean(), -1)


def random_stores(cuda, name):
    made = random_of(name)
    uniform = made.xoroshiro128p_uniform_float32

    @cuda.jit
    def draw(states, out):
        i = cuda.grid(1)
        for k in range(out.shape[0]):
            out[k, i] = uniform(states, i)

    n = 65536
    states, out = made.create_xoroshiro128p_states(n, seed=1), cuda.device_array((1000, n), numpy.float32)
    return lambda: draw[n // THREADS, THREADS](states, out), lambda: numpy.round(out.copy_to_host().mean(), 2)


RECORD = numpy.dtype([("x", "f4"), ("v", "f4"), ("m", "f8")], align=True)


def make_step(cuda):
    @cuda.jit
    def step(r, dt):
        i = cuda.grid(1)
        if i < r.size:
            r[i].x += dt * r[i].v
            r[i].m = r[i].m * 0.5

    return step


def records_of_numpy(cuda, name):
    step, n = make_step(cuda), 1 << 20
    r = numpy.zeros(n, RECORD)
    r["v"] = 1
    return lambda: step[n // THREADS, THREADS](r, 0.0), lambda: r["v"][:8].copy()


def records_copied(cuda, name):
    step, n = make_step(cuda), 1 << 20
    r = numpy.zeros(n, RECORD)
    r["v"] = 1

    def run():
        there = cuda.to_device(r)
        step[n // THREADS, THREADS](there, 0.0)
        there.copy_to_host(r)

    return run, lambda: r["v"][:8].copy()


def records_there(cuda, name):
    step, n = make_step(cuda), 1 << 22
    r = numpy.zeros(n, RECORD)
    r["v"] = 1
    there = cuda.to_device(r)
    return lambda: step[n // THREADS, THREADS](there, 0.0), lambda: there.copy_to_host()["v"][:8]


def chunks_with_events(cuda, name):
    @cuda.jit
    def scale(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = 2 * x[i] + 1

    n, chunks = 1 << 26, 16
    x, y = cuda.pinned_array(n, numpy.float64), cuda.pinned_array(n, numpy.float64)
    x[:], y[:] = 1, 0
    streams = [cuda.stream() for _ in range(4)]

    def run():
        events = []
        for k in range(chunks):
            stream, part = streams[k % 4], slice(k * (n // chunks), (k + 1) * (n // chunks))
            start, end = cuda.event(), cuda.event()
            start.record(stream)
            there = cuda.to_device(x[part], stream=stream)
            out = cuda.device_array_like(there, stream=stream)
            scale[-(-there.size // THREADS), THREADS, stream](there, out)
            out.copy_to_host(y[part], stream=stream)
            end.record(stream)
            events.append((start, end))
        for _, end in events:
            end.synchronize()
        sum(cuda.event_elapsed_time(start, end) for start, end in events)

    return run, lambda: y[:: n // 8].copy()


def chunks_ordered_by_events(cuda, name):
    """Copies in on one stream, kernels on another, copies out on a third, each waiting for the one before by an event."""

    @cuda.jit
    def scale(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = 2 * x[i] + 1

    n, chunks = 1 << 26, 16
    x, y = cuda.pinned_array(n, numpy.float64), cuda.pinned_array(n, numpy.float64)
    x[:], y[:] = 1, 0
    into, work, out_of = (cuda.stream() for _ in range(3))
    size = n // chunks
    there = [(cuda.device_array(size, numpy.float64), cuda.device_array(size, numpy.float64)) for _ in range(4)]

    def run():
        free = [None] * 4
        for k in range(chunks):
            a, b = there[k % 4]
            part = slice(k * size, (k + 1) * size)
            if free[k % 4] is not None:
                free[k % 4].wait(into)
            a.copy_to_device(x[part], stream=into)
            arrived, computed, left = cuda.event(), cuda.event(), cuda.event()
            arrived.record(into)
            arrived.wait(work)
            scale[size // THREADS, THREADS, work](a, b)
            computed.record(work)
            computed.wait(out_of)
            b.copy_to_host(y[part], stream=out_of)
            left.record(out_of)
            free[k % 4] = left
        cuda.synchronize()

    return run, lambda: y[:: n // 8].copy()


def compare(programs):
    found = libraries()
    ratios = []
    for program in programs:
        times, seen = {}, []
        for name, cuda in found.items():
            run, look = program(cuda, name)
            times[name] = median_time(run, cuda.synchronize)
            seen.append(numpy.asarray(look()))
        if len(seen) > 1 and not numpy.allclose(seen[0], seen[1]):
            print(f"{program.__name__}: results differ: {seen}")
        ratios.append(report(program.__name__, times))
    print(f"geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}")


ALL = (numpy.int32, numpy.uint32, numpy.int64, numpy.uint64, numpy.float32, numpy.float64)
INTEGERS, UNSIGNED = ALL[:4], (numpy.uint32, numpy.uint64)
ATOMICS = {
    **dict.fromkeys(("add", "sub", "max", "min", "nanmax", "nanmin"), ALL),
    **dict.fromkeys(("and_", "or_", "xor", "exch"), INTEGERS),
    **dict.fromkeys(("inc", "dec"), UNSIGNED),
    "cas": INTEGERS,
}


def values_of(dtype, count=MANY):
    drawn = numpy.random.default_rng(3).integers(1, 1000, count)
    return drawn.astype(dtype)


# Kernels name the operation themselves: numba-cuda takes none from a variable.
ATOMIC_KERNELS = """
from numpy import float32, float64, int32, int64, uint32, uint64


def in_global(cuda):
    @cuda.jit
    def run(values, out):
        i = cuda.grid(1)
        if i < values.size:
            cuda.atomic.{name}(out, i % out.size, {values})

    return run


def in_shared(cuda):
    @cuda.jit
    def run(values, out):
        held = cuda.shared.array({places}, {dtype})
        for k in range(cuda.threadIdx.x, {places}, cuda.blockDim.x):
            held[k] = 0
        cuda.syncthreads()
        i = cuda.grid(1)
        if i < values.size:
            cuda.atomic.{name}(held, i % {places}, {values})
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            out[cuda.blockIdx.x] = held[0]

    return run
"""


def kernels_of(folder, name, dtype, places):
    """The module with the kernels of an operation."""
    dtype = numpy.dtype(dtype).name
    values = "values[i], values[i] + values[0]" if name == "cas" else "values[i]"
    path = pathlib.Path(folder) / f"{name}_{dtype}_{places}.py"
    path.write_text(ATOMIC_KERNELS.format(name=name, dtype=dtype, places=places, values=values))
    found = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def atomic_launch(cuda, kernels, where, dtype, places):
    blocks = -(-MANY // THREADS)
    values = cuda.to_device(values_of(dtype))
    if where == "shared":
        run, out = kernels.in_shared(cuda), cuda.device_array(blocks, dtype)
    else:
        run, out = kernels.in_global(cuda), cuda.to_device(numpy.zeros(places, dtype))
    return lambda: run[blocks, THREADS](values, out)


def atomics(only):
    found = libraries()
    ratios = {}
    rows = [("global", n, d, p) for n, kinds in ATOMICS.items() for d in kinds for p in (1, 32, 1_000_000)]
    rows += [("shared", n, d, p) for n, kinds in ATOMICS.items() for d in kinds for p in (1, 32, 2048)]
    with tempfile.TemporaryDirectory() as folder:
        for where, operation, dtype, places in rows:
            title, times = f"{operation} {numpy.dtype(dtype).name} {where} {places}", {}
            if not re.search(only, title):
                continue
            kernels = kernels_of(folder, operation, dtype, places)
            for name, cuda in found.items():
                try:
                    times[name] = median_time(
                        atomic_launch(cuda, kernels, where, dtype, places), cuda.synchronize, 0.01
                    )
                except Exception as error:
                    if name == "tessera":
                        raise
                    print(f"{title:44} numba-cuda: {type(error).__name__}", flush=True)
            if len(times) == len(found):
                ratios[title] = report(title, times)
    worst = sorted(ratios.items(), key=lambda item: item[1])[:12]
    print(f"{len(ratios)} rows, geometric mean {statistics.geometric_mean(ratios.values()):.2f}; worst {worst}")


def instructions():
    """Which atomic instructions of the hardware an operation is; a compare-and-swap for another operation is a loop."""
    found, seen = libraries(), {}
    with tempfile.TemporaryDirectory() as folder:
        for operation, kinds in ATOMICS.items():
            for dtype in kinds:
                dtype = numpy.dtype(dtype).name
                for name, cuda in found.items():
                    kernels = kernels_of(folder, operation, dtype, 32)
                    for where in ("global", "shared"):
                        function = getattr(kernels, f"in_{where}")(cuda).py_func
                        ptx, _ = cuda.compile_ptx(function, f"void({dtype}[::1], {dtype}[::1])", cc=(9, 0))
                        text = re.sub(r"\.(relaxed|global|shared)\b", "", ptx)
                        used = sorted(re.findall(r"\b((?:atom|red)\.[\w.:]+)", text))
                        seen.setdefault(f"{operation} {dtype} {where}", {})[name] = used
    same = 0
    for title, used in seen.items():
        same += len({tuple(each) for each in used.values()}) == 1
        if len({tuple(each) for each in used.values()}) > 1:
            print(f"{title:28}" + ", ".join(f"{name}: {' '.join(each)}" for name, each in used.items()))
    print(f"{len(seen)} operations, {same} of them the same instruction")


def scans():
    import tessera.numpy as np

    import tessera

    def rows():
        a = np.random.default_rng(0).random((20000, 20000))
        for _ in range(3):
            float((a * 2).sum())
        float(np.cumsum(a, axis=1)[-1, -1])

        def run():
            c = np.cumsum(a, axis=1)
            return float(c[-1, -1])

        return run

    def moving():
        x = np.random.default_rng(0).random(20_000_000)

        def run():
            c = np.cumsum(np.concatenate([np.zeros(1), x]))
            return np.asarray(((c[100:] - c[:-100]) / 100)[::1000])[:2]

        return run

    for program in (rows, moving):
        times = {}
        for where in ("gpu", "auto"):
            with tessera.device(where):
                run = program()
                for _ in range(20):
                    run()
                times[where] = median_time(run, tessera.synchronize, 0.5)
        print(
            f"{program.__name__:44}{times['auto'] * 1e6:12.1f} us, gpu {times['gpu'] * 1e6:.1f} us, ratio {times['auto'] / times['gpu']:.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["launches", "streams", "scans", "atomics"])
    parser.add_argument("--only", default="", help="a regular expression: which atomics; some take numba-cuda minutes")
    args = parser.parse_args()
    for part in args.parts:
        print(f"== {part}")
        if part == "launches":
            compare([with_signature, ballots, dynamic_shared, pi])
        elif part == "streams":
            compare(
                [
                    random_sums,
                    random_stores,
                    records_of_numpy,
                    records_copied,
                    records_there,
                    chunks_with_events,
                    chunks_ordered_by_events,
                ]
            )
        elif part == "scans":
            scans()
        elif part == "instructions":
            instructions()
        else:
            atomics(args.only)


if __name__ == "__main__":
    main()
