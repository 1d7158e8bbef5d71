"""Measures on one GPU, beside CuPy where it is installed: python bench/gpu.py [name ...]

Every time is the median over rounds of several calls with one wait at the end; arrays are larger than the L2 cache.
"""

from __future__ import annotations

import argparse
import statistics

import gpu_arrays as arrays
import gpu_programs as programs
from gpu_first import compile_times
from gpu_measure import CuPy, NumPy, Tessera, cupy

import tessera
from tessera import _core

MEASURES = {
    measure.__name__: measure
    for measure in (
        programs.heat,
        programs.black_scholes,
        arrays.streams,
        arrays.folds,
        programs.smooth,
        arrays.sorts,
        arrays.drawn,
        arrays.indexed,
        arrays.grouped,
        arrays.transfers,
        arrays.small,
        arrays.launches,
        programs.cavity,
        programs.branches,
        programs.conjugate_gradients,
        arrays.whole_folds,
        arrays.complex_numbers,
        arrays.common,
    )
}


def rows(name, library):
    """(label, value, unit) of one measure."""
    measure = MEASURES[name]
    result = measure(library)
    if isinstance(result, tuple):
        yield (measure.__doc__ or name).split(":")[0].rstrip("."), *result
    else:
        yield from result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(MEASURES))
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--alone", action="store_true", help="without CuPy")
    args = parser.parse_args()
    peers = [CuPy] if cupy and not args.alone else []
    for facts in _core.devices():
        print(facts)
    with tessera.device(args.device):
        for label, value, unit in compile_times():
            print(f"{label:45} {unit:9} {value:10.3f}", flush=True)
        for name in args.names:
            table = {}
            for library in [Tessera] + peers + ([NumPy] if name == "cavity" else []):
                try:
                    for label, value, unit in rows(name, library):
                        table.setdefault((label, unit), {})[library.name] = value
                except Exception as error:
                    print(f"{name} with {library.name}: {type(error).__name__}: {error}")
                if library is CuPy:
                    cupy.get_default_memory_pool().free_all_blocks()
            ratios = [
                values["CuPy"] / values["tessera"] for values in table.values() if {"CuPy", "tessera"} <= values.keys()
            ]
            for (label, unit), values in table.items():
                print(
                    f"{label:45} {unit:9}" + "".join(f" {library} {value:10.3f}" for library, value in values.items()),
                    flush=True,
                )
            if name == "common" and ratios:
                print(
                    f"geometric mean {statistics.geometric_mean(ratios):.2f} times CuPy, {sum(r < 0.9 for r in ratios)} of {len(ratios)} below 0.9"
                )
        print({k: v for k, v in _core.counters().items() if v})
        print(_core.device_problem())


if __name__ == "__main__":
    main()
