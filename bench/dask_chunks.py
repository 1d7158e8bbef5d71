"""Dask with tessera's chunks beside NumPy's: python bench/dask_chunks.py [--threads 2] [--small] [--gpu]

Medians of interleaved rounds on Dask's threads. With --gpu chunks are made on the device; beside CuPy's where it is installed; every
task is waited for ("tasks") and the wall time is taken without that.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time

if "--gpu" in sys.argv:
    os.environ["TESSERA_DEVICE"] = "gpu"  # for Dask's threads, too

import dask  # noqa: E402
import dask.array as da  # noqa: E402
import numpy  # noqa: E402
import tessera.numpy as np  # noqa: E402

import tessera  # noqa: E402


def svd(x):
    return da.linalg.svd(x)[1]


def strided_sum(x):
    return (x + 1)[::2, ::2].sum()


def five_points(x):
    def step(a):
        b = a.copy()
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        return b

    return x.map_overlap(step, depth=1, boundary="none").sum()


def collection(shape, chunks, module):
    """Chunks of this module that are there already."""
    generator = numpy.random.default_rng(0)

    def chunk(block):
        made = module.asarray(generator.random(tuple(high - low for low, high in block)))
        return tessera.to_device(made) if module is np and is_on_gpu() else made

    chunks = da.core.normalize_chunks(chunks, shape, dtype=float)
    name = f"bench-{module.__name__}-{shape[0]}"
    layers = {}
    for where in numpy.ndindex(*map(len, chunks)):
        layers[(name, *where)] = chunk([(sum(chunks[k][:i]), sum(chunks[k][: i + 1])) for k, i in enumerate(where)])
    meta = module.asarray(numpy.empty((0, 0)))
    return da.Array(layers, name, chunks, meta=meta, dtype=float)


def is_on_gpu():
    return os.environ.get("TESSERA_DEVICE") == "gpu"


def wait(value=None):
    if "cupy" in sys.modules:
        sys.modules["cupy"].cuda.runtime.deviceSynchronize()
    tessera.synchronize()
    return value


def inside_tasks(y):
    """Seconds in the tasks of a collection, one after another, each waited for."""
    from dask import local

    original, spent = local.execute_task, []

    def execute_task(*args):
        start = time.perf_counter()
        result = original(*args)
        wait()
        spent.append(time.perf_counter() - start)
        return result

    local.execute_task = execute_task
    try:
        y.compute(scheduler="sync")
        spent.clear()
        y.compute(scheduler="sync")
    finally:
        local.execute_task = original
    return sum(spent)


def once(compute):
    start = time.perf_counter()
    wait(compute())
    return time.perf_counter() - start


def compare(name, computes, rounds):
    """Prints medians of {peer: function} and ratios to tessera's."""
    times = {peer: [] for peer in computes}
    for compute in computes.values():
        once(compute)
    for _ in range(rounds):
        for peer, compute in computes.items():
            times[peer].append(once(compute))
    medians = {peer: statistics.median(each) for peer, each in times.items()}
    ours = medians["tessera"]
    peers = ", ".join(
        f"{peer} {each:.3f} s ({each / ours:.2f}x)" for peer, each in medians.items() if peer != "tessera"
    )
    print(f"{name:34} tessera {ours:.3f} s, {peers}", flush=True)


def programs(args):
    part = 8 if args.small else 1
    side = 20000 // part
    modules = {"tessera": np, "NumPy": numpy}
    if args.gpu:
        try:
            import cupy

            modules["CuPy"] = cupy
        except ImportError:
            print("CuPy is not installed")
    for name, function, shape, chunks in (
        ("svd 2e6 x 100, 20 chunks", svd, (2_000_000 // part, 100), (100_000 // part, 100)),
        ("(x + 1)[::2, ::2].sum() 20000^2", strided_sum, (side, side), (side // 4, side // 4)),
        ("five points 8000^2", five_points, (8000 // part,) * 2, (2000 // part,) * 2),
    ):
        computes, results, tasks = {}, {}, {}
        for peer, module in modules.items():
            y = function(collection(shape, chunks, module))
            tasks[peer] = inside_tasks(y) if args.gpu else 0
            computes[peer] = lambda y=y: y.compute(scheduler="threads", num_workers=args.threads)
            results[peer] = numpy.asarray(wait(computes[peer]()).tolist())
        for peer, each in results.items():
            numpy.testing.assert_allclose(each, results["NumPy"], rtol=1e-8, err_msg=f"{name}: {peer}")
        compare(name, computes, args.rounds)
        if args.gpu:
            peers = ", ".join(f"{peer} {each:.4f} s ({each / tasks['tessera']:.2f}x)" for peer, each in tasks.items())
            print(f"{'':34} inside tasks: {peers}", flush=True)


def many_tasks(args):
    """10,000 tasks on chunks of 1,000."""
    computes = {}
    for peer, module in (("tessera", np), ("NumPy", numpy)):
        x = da.from_array(module.asarray(numpy.arange(5_000_000.0)), chunks=1000)
        y = (x * 2.0).map_blocks(lambda block: block + 1.0, meta=x._meta)
        computes[peer] = lambda y=y: y.persist(scheduler="threads", num_workers=args.threads, optimize_graph=False)
    compare("10,000 tasks on chunks of 1,000", computes, args.rounds)


def serialisers(args):
    from distributed.protocol import deserialize, serialize

    count = (1 << 24) if args.small else (1 << 27)
    for peer, module in (("tessera", np), ("NumPy", numpy)):
        x = module.asarray(numpy.ones(count))
        header, frames = serialize(x, on_error="raise", serializers=["dask"])
        shares = numpy.shares_memory(numpy.frombuffer(frames[0]), numpy.asarray(x))
        there, back = [], []
        memory = [bytearray(frame) for frame in frames]
        for _ in range(args.rounds):
            start = time.perf_counter()
            header, frames = serialize(x, on_error="raise", serializers=["dask"])
            there.append(time.perf_counter() - start)
            start = time.perf_counter()
            y = deserialize(header, memory)
            back.append(time.perf_counter() - start)
            y = None
        print(
            f"{8 * count >> 20} MiB through the serialisers      {peer}: there {1e3 * statistics.median(there):.3f} ms, "
            f"back {1e3 * statistics.median(back):.3f} ms, {'no copy' if shares and y is None else 'copied'}",
            flush=True,
        )


def made(name, count):
    import importlib

    return importlib.import_module(name).ones(count)


def size(array):
    return array.nbytes


def between_workers(args):
    """One array from a worker to another by TCP."""
    from distributed import Client, LocalCluster, wait

    count = (1 << 24) if args.small else (1 << 26)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster:
        with Client(cluster) as client:
            first, second = sorted(client.scheduler_info()["workers"])
            times = {"tessera.numpy": [], "numpy": []}
            for round_ in range(args.rounds + 2):
                for name in times:
                    x = client.submit(made, name, count, workers=first, pure=False)
                    wait(x)
                    start = time.perf_counter()
                    client.submit(size, x, workers=second, pure=False).result()
                    if round_ >= 2:  # the first ones import, and take memory from the system
                        times[name].append(time.perf_counter() - start)
            rates = {name: 8 * count / statistics.median(each) / 1e9 for name, each in times.items()}
            print(
                f"{8 * count >> 20} MiB between two workers, TCP      tessera {rates['tessera.numpy']:.2f} GB/s, NumPy "
                f"{rates['numpy']:.2f} GB/s ({rates['tessera.numpy'] / rates['numpy']:.2f}x)",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="an eighth of the sizes")
    parser.add_argument("--gpu", action="store_true")
    args = parser.parse_args()
    print(f"dask {dask.__version__}, NumPy {numpy.__version__}, {args.threads} threads")
    if args.gpu:
        return programs(args)
    programs(args)
    many_tasks(args)
    serialisers(args)
    between_workers(args)


if __name__ == "__main__":
    main()
