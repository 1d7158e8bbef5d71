"""Dask's singular value decomposition on a local cluster of two workers, with NumPy's chunks and, one line changed, tessera's.

The picture is the task stream of both runs: what each worker did when.

    python examples/dask_svd.py --rows 200000 --columns 100
"""

import argparse

import _report
import dask
import dask.array as da
import numpy
from distributed import Client, LocalCluster, get_task_stream


def decompose(rows, columns, client):
    """The singular values of random numbers in ten chunks, and the tasks that made them: (name, worker, start, stop)."""
    x = da.random.default_rng(1).normal(size=(rows, columns), chunks=(rows // 10, columns))
    with get_task_stream(client=client) as stream:
        values = numpy.asarray(client.compute(da.linalg.svd(x)[1]).result())
    tasks = [
        (str(record["key"]).strip("('").partition("-")[0], record["worker"], each["start"], each["stop"])
        for record in stream.data
        for each in record["startstops"]
        if each["action"] == "compute"
    ]
    return values, tasks


def draw(streams):
    """Bars of tasks, a row a worker, a panel a run."""
    figure = _report.figure(10, 4)
    axes = figure.subplots(len(streams), 1, sharex=True)
    names = sorted({task[0] for tasks in streams.values() for task in tasks})
    colours = {name: f"C{k % 10}" for k, name in enumerate(names)}
    for axis, (label, tasks) in zip(axes, streams.items()):
        begin = min(task[2] for task in tasks)
        workers = sorted({task[1] for task in tasks})
        for name, worker, start, stop in tasks:
            axis.barh(workers.index(worker), stop - start, left=start - begin, color=colours[name], label=name)
        axis.set_yticks(range(len(workers)), [f"worker {k}" for k in range(len(workers))])
        axis.set_title(label)
    entries = {text: handle for axis in axes for handle, text in zip(*axis.get_legend_handles_labels())}
    figure.legend(entries.values(), entries.keys(), loc="outside right upper")
    axes[-1].set_xlabel("seconds")
    _report.save(figure, "dask_svd.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=50)
    args, _ = parser.parse_known_args()
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        runs, streams = {}, {}
        for backend in ("numpy", "tessera"):
            dask.config.set({"array.backend": backend})  # the one line
            decompose(args.rows // 10, args.columns, client)  # workers import, kernels compile
            seconds, (values, tasks) = measure(decompose, args.rows, args.columns, client)
            runs[backend], streams[backend] = (seconds, values), tasks
        _report.compare(f"SVD of {args.rows} x {args.columns}", runs["tessera"], runs["numpy"])
        print("largest singular values", runs["tessera"][1][:3])
        draw({f"{backend}'s chunks: {runs[backend][0]:.2f} s": tasks for backend, tasks in streams.items()})


def measure(compute, *args):
    """Seconds of the tasks from the first to the last, and the result."""
    values, tasks = compute(*args)
    return max(task[3] for task in tasks) - min(task[2] for task in tasks), (values, tasks)


if __name__ == "__main__":
    main()
