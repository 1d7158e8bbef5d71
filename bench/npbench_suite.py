"""NPBench's programs, sources untouched, beside NumPy: python bench/npbench_suite.py --folder .npbench [--preset S] [--only name]

Each mode is a process of its own (cpu, gpu and auto are TESSERA_DEVICE). A repetition of tessera's has fresh arguments, converted
by tessera.numpy.array, and results brought back by numpy.asarray, all within its time; NumPy's copies of arguments are not timed.
Times are the median of the last half of the repetitions; the first and the last results are compared with NumPy's.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import sys
import tempfile
import time

from children import collect, engine_facts, environment_of, last_half, progress, repeat, reset_engine, serve
from npbench_programs import Program, names_in, reference, store

MARK = 0.85  # of the speed that the host alone reaches


def measure(name, send, mode, options):
    """The record of one program in this process."""
    program = Program(options.folder, name)
    program.initialise(options.preset)
    in_numpy = mode == "numpy"
    expected = None if in_numpy else reference(program, options.references)
    function = program.function(redirected=not in_numpy)
    call = program.in_numpy if in_numpy else program.in_tessera
    kept = {}
    before = None if in_numpy else reset_engine()
    send("ready")

    def once():
        kept.pop("last", None)
        spent, kept["last"] = call(function)
        kept.setdefault("first", kept["last"])
        return spent

    times = repeat(once, options.seconds, 3, options.cap, functools.partial(send, "first"))
    record = {"seconds": last_half(times), "best": min(times), "first": times[0], "repetitions": len(times)}
    if in_numpy:
        store(kept["first"], program, options.references)
        return record
    wrong = program.difference(expected, kept["first"]) or program.difference(expected, kept["last"])
    return {**record, **engine_facts(before), "valid": wrong is None, **({"problem": wrong} if wrong else {})}


def speedup(results, name, mode, over):
    """How many times faster a mode is than another; None where one of them has no time."""
    mine, other = (results.get(key, {}).get(name, {}).get("seconds") for key in (mode, over))
    return other / mine if mine and other else None


def cell(value, width, digits):
    return f"{value:{width}.{digits}f}" if value is not None else f"{'-':>{width}}"


def print_table(results, names):
    """Times of all modes, their speed over NumPy's, and auto's over the host's."""
    ours = [mode for mode in results if mode != "numpy"]
    auto = next((mode for mode in ours if mode.startswith("auto")), None)
    heads = "".join(f"{mode[:10]:>11}" for mode in results) + "".join(f"{mode[:6] + ' x':>9}" for mode in ours)
    print(f"\n{'ms':26}{heads}  auto/cpu")
    for name in names:
        times = [records.get(name, {}).get("seconds") for records in results.values()]
        row = "".join(cell(1e3 * seconds if seconds else None, 11, 3) for seconds in times)
        row += "".join(cell(speedup(results, name, mode, "numpy"), 9, 2) for mode in ours)
        ratio = speedup(results, name, auto, "cpu")
        print(f"{name:26}{row}{cell(ratio, 10, 2)}" + (" <<<" if ratio is not None and ratio < MARK else ""))
    for mode, records in results.items():
        for name, record in records.items():
            if "problem" in record:
                print(f"{name} with {mode}: {record['problem']}")
    print()
    for mode in ours:
        print_summary(results, names, mode)
    if auto and "cpu" in results:
        slower = below({name: speedup(results, name, auto, "cpu") for name in names}, MARK)
        print(f"{auto} below {MARK} x cpu: {len(slower)}  {', '.join(slower)}")


def below(ratios, limit):
    """The names whose ratio is below the limit, with it, the lowest first."""
    found = sorted((ratio, name) for name, ratio in ratios.items() if ratio is not None and ratio < limit)
    return [f"{name} {ratio:.2f}" for ratio, name in found]


def print_summary(results, names, mode):
    """One line: the geometric mean over NumPy, how many are right and how many are slower than NumPy."""
    known = {name: ratio for name in names if (ratio := speedup(results, name, mode, "numpy")) is not None}
    valid = sum(results[mode].get(name, {}).get("valid", False) for name in names)
    mean = (
        f"geometric mean over NumPy {statistics.geometric_mean(known.values()):.3f}"
        if known
        else "nothing to compare with"
    )
    slower = below(known, 1)
    print(
        f"{mode}: {mean} ({len(known)} programs), {valid} of {len(names)} valid, {len(slower)} below 1  {', '.join(slower)}"
    )


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=".npbench", help="a checkout of NPBench")
    parser.add_argument("--preset", default="S", choices=("S", "M", "L", "paper"))
    parser.add_argument("--modes", default="cpu,gpu,auto", help="beside numpy")
    parser.add_argument("--only", help="these programs: name,name")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="that each program is repeated for, three times at least"
    )
    parser.add_argument(
        "--cap", type=float, default=20.0, help="seconds a program may take; then its first time counts"
    )
    parser.add_argument("--numpy-from", help="a file of --out whose NumPy times are taken")
    parser.add_argument("--out", help="a JSON file for all of it")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--references", help=argparse.SUPPRESS)
    return parser.parse_args()


def stored_numpy(path, options):
    """NumPy's records of an earlier call with this preset."""
    with open(path) as file:
        stored = json.load(file)
    if stored["options"]["preset"] != options.preset:
        sys.exit(f"{path} is of preset {stored['options']['preset']}")
    return stored["modes"]["numpy"]


def measure_mode(mode, names, options, references):
    """All records of a mode. NumPy, whose times hardly change, is given a third of the seconds and no cap to speak of."""
    in_numpy = mode == "numpy"
    seconds, cap = (options.seconds / 3, 5 * options.cap) if in_numpy else (options.seconds, options.cap)
    command = [
        __file__,
        "--folder",
        options.folder,
        "--preset",
        options.preset,
        "--modes",
        mode,
        "--references",
        references,
    ]
    command += ["--seconds", str(seconds), "--cap", str(cap)]
    return collect(command, names, environment_of(mode), cap, progress(mode))


def main():
    options = arguments()
    if options.child:
        return serve(options.child.split(","), functools.partial(measure, mode=options.modes, options=options))
    known = names_in(options.folder)
    names = options.only.split(",") if options.only else known
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no program {', '.join(unknown)} in {options.folder}; it has {', '.join(known)}")
    results, spent = {}, {}
    if options.numpy_from:
        results["numpy"] = stored_numpy(options.numpy_from, options)
    with tempfile.TemporaryDirectory() as references:
        for mode in ["numpy"] * (not options.numpy_from) + [
            mode for mode in options.modes.split(",") if mode != "numpy"
        ]:
            start = time.perf_counter()
            results[mode] = measure_mode(mode, names, options, references)
            spent[mode] = round(time.perf_counter() - start)
            if options.out:  # after each mode: what is there survives the rest
                with open(options.out, "w") as file:
                    json.dump({"options": vars(options), "spent": spent, "modes": results}, file, indent=1)
    print_table(results, names)
    print("seconds spent:", ", ".join(f"{mode} {seconds}" for mode, seconds in spent.items()))


if __name__ == "__main__":
    main()
