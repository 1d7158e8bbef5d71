"""Measures how well `auto` chooses between host and GPU: python bench/placement.py [--scale 0.1] [--only name,name]

Each mode is a process of its own: cpu, gpu, auto (and auto:simulated) are TESSERA_DEVICE, numpy and cupy are peers. Arrays begin
on the host; a repetition ends when its result is there, which stays where it was made. Times are the median of the last half of the
repetitions, and those of repetitions 1, 3 and 8, which show how soon a choice is made.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import random
import statistics
import sys
import time

from children import collect, engine_facts, environment_of, last_half, progress, repeat, reset_engine, serve
from placement_programs import PROGRAMS

MARK = 1.5  # times the better of both devices
SHOWN = (1, 3, 8)


def library_of(mode):
    """The module that programs see as np, and what waits for its results."""
    if mode == "numpy":
        return importlib.import_module("numpy"), lambda: None
    if mode == "cupy":
        cupy = importlib.import_module("cupy")
        return cupy, cupy.cuda.runtime.deviceSynchronize
    tessera = importlib.import_module("tessera")
    return importlib.import_module("tessera.numpy"), tessera.synchronize


def measure(name, send, mode, scale, seconds, cap):
    """The record of one program in this process."""
    np, wait = library_of(mode)
    program = PROGRAMS[name]
    start = time.perf_counter()
    state = program.make(np, scale)
    wait()
    making = time.perf_counter() - start
    before = None if mode in ("numpy", "cupy") else reset_engine()
    send("ready")

    def once():
        start = time.perf_counter()
        result = program.step(np, state)  # kept until it is there: what nobody keeps is not computed
        wait()
        spent = time.perf_counter() - start
        del result
        return spent

    times = repeat(once, seconds, 3, cap, functools.partial(send, "first"))
    early = {n: times[n - 1] for n in SHOWN if n <= len(times)}
    record = {"seconds": last_half(times), "repetitions": len(times), "early": early, "making": making}
    if mode == "cupy":
        np.get_default_memory_pool().free_all_blocks()
    elif mode != "numpy":
        record.update(engine_facts(before))
    return record


def milliseconds(record, key=None):
    """A cell of the table: the time, or that of one repetition."""
    value = record.get("seconds") if key is None else record.get("early", {}).get(str(key))
    return (
        f"{1e3 * value:15.3f}"
        if value is not None
        else f"{'failed' if key is None and 'problem' in record else '-':>15}"
    )


def auto_over_best(results, name):
    """auto's time as a multiple of the better device's, where all are known."""
    auto = next((records[name] for mode, records in results.items() if mode.startswith("auto") and name in records), {})
    others = [
        results[mode][name]["seconds"] for mode in ("cpu", "gpu") if "seconds" in results.get(mode, {}).get(name, {})
    ]
    return auto["seconds"] / min(others) if others and "seconds" in auto else None


def print_table(results, names):
    """The first repetitions, then all modes side by side and how far auto is from the better device."""
    print(f"repetitions {', '.join(map(str, SHOWN))} (ms), and how many there were")
    for name in names:
        for mode, records in results.items():
            if "early" in (record := records.get(name, {})):
                early = "".join(milliseconds(record, n) for n in SHOWN)
                print(f"{name:24}{mode:>15}{early}{record['repetitions']:9}")
    print(f"\n{'ms':24}" + "".join(f"{mode:>15}" for mode in results) + "   auto / best")
    ratios = {}
    for name in names:
        ratio = auto_over_best(results, name)
        text = "".join(milliseconds(records.get(name, {})) for records in results.values())
        if ratio is not None:
            ratios[name] = ratio
            text += f"{ratio:14.2f}" + (" <<<" if ratio > MARK else "")
        print(f"{name:24}{text}")
    for mode, records in results.items():
        for name, record in records.items():
            if "problem" in record:
                print(f"{name} with {mode}: {record['problem']}")
    if ratios:
        worst = max(ratios, key=ratios.get)
        over = sum(ratio > MARK for ratio in ratios.values())
        mean = statistics.geometric_mean(ratios.values())
        print(f"\nauto / best: geometric mean {mean:.3f} over {len(ratios)} programs, {over} above {MARK}")
        print(f"worst: {worst} {ratios[worst]:.2f}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modes", default="cpu,gpu,auto", help="of cpu, gpu, auto, auto:simulated, numpy, cupy")
    parser.add_argument("--only", help="these programs: name,name")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="in a random order, the same for the same seed")
    parser.add_argument("--scale", type=float, default=1.0, help="of all lengths")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="that each program is repeated for, three times at least"
    )
    parser.add_argument(
        "--cap", type=float, default=40.0, help="seconds no third repetition passes; twice that ends a program"
    )
    parser.add_argument("--out", help="a JSON file for all of it")
    parser.add_argument("--list", action="store_true", help="names the programs")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = arguments()
    if options.list:
        return print("\n".join(PROGRAMS))
    if options.child:
        run = functools.partial(
            measure, mode=options.modes, scale=options.scale, seconds=options.seconds, cap=options.cap
        )
        return serve(options.child.split(","), run)
    names = options.only.split(",") if options.only else list(PROGRAMS)
    if unknown := [name for name in names if name not in PROGRAMS]:
        sys.exit(f"no program {', '.join(unknown)}; --list names them")
    if options.shuffle is not None:
        random.Random(options.shuffle).shuffle(names)
    results, spent = {}, {}
    for mode in options.modes.split(","):
        start = time.perf_counter()
        command = [__file__, "--modes", mode, "--scale", str(options.scale)]
        command += ["--seconds", str(options.seconds), "--cap", str(options.cap)]
        results[mode] = collect(command, names, environment_of(mode), 2 * options.cap, progress(mode))
        spent[mode] = round(time.perf_counter() - start)
        if options.out:  # after each mode: what is there survives the rest
            with open(options.out, "w") as file:
                json.dump({"options": vars(options), "spent": spent, "modes": results}, file, indent=1)
    print_table(results, names)
    making = {mode: sum(record.get("making", 0) for record in records.values()) for mode, records in results.items()}
    print("seconds:", ", ".join(f"{mode} {spent[mode]}, {making[mode]:.0f} of them making arrays" for mode in results))


if __name__ == "__main__":
    main()
