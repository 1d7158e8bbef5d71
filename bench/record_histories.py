"""Records what programs do as histories for the laboratory: python bench/record_histories.py --out FOLDER [--npbench .npbench]

On a machine with a GPU. Each program runs on the cores, on the GPU and with `auto`, all traced: the first two say what its work takes on
either side, the last one what it does. Written are NAME_once.txt, one repetition, and NAME_loop.txt, 24 of them with new inputs, of at most so many runs. A program that
passes the cap is recorded again with `--only` and `--modes cpu,auto`.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
import time

from children import collect, environment_of, progress, serve
from npbench_programs import Program as NPBenchProgram
from npbench_programs import names_in
from placement_programs import PROGRAMS

REPETITIONS = 24  # of loops
MOST_RUNS = 600  # of a history


def npbench_step(folder, name, preset):
    """One repetition of a program of NPBench, with new inputs and its results read."""
    program = NPBenchProgram(folder, name)
    program.initialise(preset)
    function = program.function(redirected=True)
    return lambda: program.in_tessera(function)


def placement_step(name, scale, is_resident):
    """One repetition of a program of bench/placement.py; its arrays are made anew each time unless they are resident."""
    np = __import__("tessera.numpy", fromlist=["array"])
    make, step = PROGRAMS[name]
    kept = make(np, scale) if is_resident else None

    def once():
        import tessera

        result = step(np, kept if is_resident else make(np, scale))
        tessera.synchronize()
        return result

    return once


def traced(once, where, times):
    """The trace of some repetitions at a place."""
    from tessera.graphs.explanation import Explanation

    import tessera

    with tessera.device(where), Explanation() as told:
        for _ in range(times):
            once()
    return told.trace


def timed(once, where):
    """What the second repetition at a place takes: the first one makes what is missing."""
    import tessera

    with tessera.device(where):
        once()
        start = time.perf_counter()
        once()
        return time.perf_counter() - start


def shares(trace):
    """What of a trace's time stands in rows, and what of it is not the program's own."""
    from tessera.graphs import account

    found = account.account(trace)
    inside = (found.seconds - found.rows["program"]) / found.seconds
    return {"share": found.share, "inside": inside, "rows": found.rows}


def save(options, name, text):
    if "\nrun " not in text:
        return
    with open(os.path.join(options.out, f"{name}.txt"), "w") as file:
        file.write(f"# {name}: {options.machine}\n{text}")


def record(name, send, options):
    """Writes the histories of a program; returns the facts of its accounts."""
    from tessera.graphs import history

    once = all_steps(options)[name]()
    send("ready")
    costs, facts = {}, {}
    for where in options.modes.split(","):
        spent = timed(once, where)
        trace = traced(once, where, 3 if spent < options.share / 3 else 1)
        history.measured(trace, costs)
        facts[where] = {"seconds": spent, **shares(trace)}
    single = traced(once, where, 1)
    save(options, f"{name}_once", history.text_of(single, costs, MOST_RUNS))
    if spent * REPETITIONS < 2 * options.share and len(single.runs) <= MOST_RUNS:  # else no iteration would be whole
        save(options, f"{name}_loop", history.text_of(traced(once, where, REPETITIONS), costs, MOST_RUNS))
    return facts


def all_steps(options):
    """Names of what is recorded, each with a function that makes its step: NPBench's programs, or else bench/placement.py's."""
    steps = {}
    if options.npbench:
        for name in names_in(options.npbench):
            steps[f"npbench_{name}"] = functools.partial(npbench_step, options.npbench, name, options.preset)
    else:
        for name in PROGRAMS:
            steps[f"{name}_new"] = functools.partial(placement_step, name, options.scale, False)
            steps[f"{name}_resident"] = functools.partial(placement_step, name, options.scale, True)
    return {name: make for name, make in steps.items() if not options.only or name in options.only.split(",")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="a folder")
    parser.add_argument("--npbench", help="a checkout of NPBench")
    parser.add_argument("--preset", default="M")
    parser.add_argument("--scale", type=float, default=1.0, help="of bench/placement.py's programs")
    parser.add_argument("--modes", default="cpu,gpu,auto", help="where it runs; the last one says what it does")
    parser.add_argument("--share", type=float, default=1.0, help="seconds that each of them may take")
    parser.add_argument("--cap", type=float, default=20.0, help="seconds that end a program")
    parser.add_argument("--machine", default="one GPU")
    parser.add_argument("--only", help="name,name")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    if options.child:
        return serve(options.child.split(","), functools.partial(record, options=options))
    command = [__file__, *sys.argv[1:]]
    environment = environment_of(options.modes.split(",")[-1])
    known, line = {}, progress("record")

    def show(name, record):  # what is there survives the rest
        line(name, record)
        known[name] = record
        with open(os.path.join(options.out, "accounts.json"), "w") as file:
            json.dump(known, file)

    collect(command, list(all_steps(options)), environment, options.cap, show)
    return None


if __name__ == "__main__":
    main()
