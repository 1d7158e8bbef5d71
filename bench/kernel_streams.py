"""Vector add of pinned NumPy arrays in chunks, on streams and one after the other: python bench/kernel_streams.py [--elements 2**26]

One source for tessera.cuda and numba-cuda, where that is there. Every time is the median over rounds, copies in and out
included; each result is compared with NumPy's. `ratio` is each way's time over that of chunks on several streams.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import time

import numpy

THREADS = 256


def make_kernel(cuda):
    @cuda.jit
    def add(a, b, c):
        i = cuda.grid(1)
        if i < c.size:
            c[i] = a[i] + b[i]

    return add


def add_in_chunks(cuda, kernel, arrays, chunk, streams, waits=False):
    """The host queues everything and waits once, or after each chunk."""
    a, b, c = arrays
    for number, begin in enumerate(range(0, c.size, chunk)):
        part, stream = slice(begin, begin + chunk), streams[number % len(streams)]
        x, y = cuda.to_device(a[part], stream=stream), cuda.to_device(b[part], stream=stream)
        z = cuda.device_array(x.shape, c.dtype, stream=stream)
        kernel[-(-z.size // THREADS), THREADS, stream](x, y, z)
        z.copy_to_host(c[part], stream=stream)
        if waits:
            stream.synchronize()
    for stream in streams:
        stream.synchronize()


def add_in_kept_chunks(cuda, kernel, arrays, chunk, streams, kept):
    """The same in device arrays that are there already, three for each stream."""
    a, b, c = arrays
    for number, begin in enumerate(range(0, c.size, chunk)):
        part, stream = slice(begin, begin + chunk), streams[number % len(streams)]
        x, y, z = kept[number % len(streams)]
        x.copy_to_device(a[part], stream=stream)
        y.copy_to_device(b[part], stream=stream)
        kernel[-(-z.size // THREADS), THREADS, stream](x, y, z)
        z.copy_to_host(c[part], stream=stream)
    for stream in streams:
        stream.synchronize()


def add_whole(cuda, kernel, arrays):
    """Without streams."""
    a, b, c = arrays
    x, y = cuda.to_device(a), cuda.to_device(b)
    z = cuda.device_array(c.shape, c.dtype)
    kernel[-(-z.size // THREADS), THREADS](x, y, z)
    z.copy_to_host(c)


def median_time(run, c, expected, rounds):
    run()
    numpy.testing.assert_array_equal(c, expected)
    taken = []
    for _ in range(rounds):
        c[:] = 0
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    numpy.testing.assert_array_equal(c, expected)
    return statistics.median(taken)


def measure(cuda, args):
    """Seconds by name."""
    arrays = [cuda.pinned_array(args.elements, numpy.float64) for _ in range(3)]
    a, b, c = arrays
    a[:], b[:] = numpy.arange(args.elements), 0.5
    expected = a + b
    kernel = make_kernel(cuda)
    chunk = -(-args.elements // args.chunks)
    streams = [cuda.stream() for _ in range(args.streams)]
    kept = [[cuda.device_array(chunk, numpy.float64) for _ in range(3)] for _ in streams]
    ways = {
        "whole, no stream": lambda: add_whole(cuda, kernel, arrays),
        "chunks, one by one": lambda: add_in_chunks(cuda, kernel, arrays, chunk, streams[:1], True),
        "chunks, one stream": lambda: add_in_chunks(cuda, kernel, arrays, chunk, streams[:1]),
        "chunks, streams": lambda: add_in_chunks(cuda, kernel, arrays, chunk, streams),
    }
    if args.elements % args.chunks == 0:
        ways["kept, one stream"] = lambda: add_in_kept_chunks(cuda, kernel, arrays, chunk, streams[:1], kept)
        ways["kept, streams"] = lambda: add_in_kept_chunks(cuda, kernel, arrays, chunk, streams, kept)
    return {name: median_time(run, c, expected, args.rounds) for name, run in ways.items()}


def libraries(host):
    if host:
        os.environ["TESSERA_DEVICE"] = "cpu"
    found = {"tessera": importlib.import_module("tessera.cuda")}
    if host:
        return found
    try:
        if not hasattr(numpy, "row_stack"):  # numba-cuda 0.30 asks for a name that NumPy 2.5 no longer has
            numpy.row_stack = numpy.vstack
        numba = importlib.import_module("numba.cuda")
        if numba.is_available():
            found["numba"] = numba
    except ImportError:
        print("numba-cuda is not there")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=1 << 26)
    parser.add_argument("--chunks", type=int, default=16)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--host", action="store_true", help="tessera on the cores, without numba-cuda")
    args = parser.parse_args()
    for name, cuda in libraries(args.host).items():
        times = measure(cuda, args)
        moved = 3 * 8 * args.elements
        for way, seconds in times.items():
            ratio = seconds / times["chunks, streams"]
            rate = moved / seconds / 1e9
            print(f"{name:10}{way:22}{seconds * 1e3:10.2f} ms{rate:10.1f} GB/s   ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
