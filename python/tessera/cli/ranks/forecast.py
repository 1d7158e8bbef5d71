"""`tessera plan prog.py --places 256 --per-node 8`: what many places would compute and send, and how long that would take."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from tessera.cli.ranks.machine import BadMachine, read_machine

_LONGEST = 60  # characters of what a line does
_MOST = 20  # lines that are shown


def plan(options: argparse.Namespace, run_file: Callable[[str], None]) -> int:
    """Runs the program here, by `run_file`, and shows what the places would do; returns its exit code."""
    if options.measure:
        if options.program or options.places or options.picture:
            print("tessera plan: --measure FILE stands alone; plan with --machine FILE afterwards", file=sys.stderr)
            return 2
        from tessera.cli.ranks.measure import measure_machine

        return measure_machine(options.measure)
    if not options.program or not options.places:
        print("tessera plan: a program and --places, or --measure FILE", file=sys.stderr)
        return 2
    try:
        machine = read_machine(options.machine)
    except BadMachine as bad:
        print(f"tessera plan: {bad}", file=sys.stderr)
        return 2
    if not os.path.exists(options.program):
        print(f"tessera plan: no such file: {options.program}", file=sys.stderr)
        return 2
    per_node = min(options.per_node, options.places)
    os.environ["TESSERA_DEVICE"] = "cpu"
    from tessera import _core

    _core.begin_forecast(
        options.places,
        per_node,
        machine.memory,
        machine.launch,
        machine.operations,
        machine.within.three(),
        machine.between.three(),
        options.compute,
    )
    sys.argv = [options.program, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.program))
    code = _run(options.program, run_file, options.compute)
    entries = _core.forecast()
    sys.stdout.flush()
    print(table(entries, options.places, per_node))
    notes(entries, _core.unknown_shapes(), options.compute)
    if options.picture:
        from tessera.cli.ranks.forecast_picture import picture

        try:
            with open(options.picture, "w", encoding="utf-8") as file:
                file.write(picture(entries, options.places, per_node))
        except OSError as error:
            print(f"tessera plan: {options.picture}: {error.strerror}", file=sys.stderr)
            return 2
    return code


def _run(program: str, run_file: Callable[[str], None], computes: bool) -> int:
    """Runs the program; however it ends, what it did until then is planned. Returns its exit code."""
    try:
        run_file(program)
    except KeyboardInterrupt:  # a loop that waits for values that nobody computes has been seen long enough
        print("tessera plan: interrupted; up to there:", file=sys.stderr)
        return 130
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        hint = "" if computes else " (values of cut arrays are zeros here; --compute computes them)"
        print(f"tessera plan: the program failed{hint}; up to there:", file=sys.stderr)
        return 1
    return 0


def notes(entries: list[dict[str, Any]], unknown_shapes: Iterable[str], computed: bool) -> None:
    """Says on stderr what a forecast that computes nothing cannot know."""
    looks = sum(entry["looks"] for entry in entries)
    if looks and not computed:
        print(
            f"tessera plan: {looks} looks at arrays that are cut gave zeros, for nothing was computed; where the program goes on "
            "by what it read, use --compute",
            file=sys.stderr,
        )
    for what in unknown_shapes:
        print(f"tessera plan: {what}: the shape of its result depends on values; use --compute", file=sys.stderr)


def table(entries: list[dict[str, Any]], places: int, per_node: int) -> str:
    """What was forecast, the longest first."""
    lines = [f"{places} places, {per_node} on a node. Of all runs of a line, by the slowest place:", ""]
    if not entries:
        return lines[0] + "\nno array is cut: none has more elements than 262144 (TESSERA_CUT=always cuts all)"
    lines.append(
        f"{'runs':>6} {'time ms':>9} {'sending ms':>10} {'efficiency':>10} {'computed MB':>12} {'messages':>9} {'sent MB':>9} "
        f"{'between':>8} {'kinds':>5}  line"
    )
    shown = sorted(entries, key=lambda entry: -entry["seconds"])
    for entry in shown[:_MOST]:
        looks = f" and {entry['looks']} looks" if entry["looks"] else ""
        share = entry["bytes_between"] / entry["bytes"] if entry["bytes"] else 0
        lines.append(
            f"{entry['runs']:6d} {1e3 * entry['seconds']:9.3f} {1e3 * entry['exchanging']:10.3f} {efficiency([entry]):10.3f} "
            f"{entry['touched'] / 1e6:12.1f} {entry['messages']:9d} {entry['bytes'] / 1e6:9.3f} {100 * share:7.0f}% "
            f"{entry['kinds']:5d}  {entry['what'][:_LONGEST]}{looks}"
        )
    if len(shown) > _MOST:
        lines.append(f"and {len(shown) - _MOST} more")
    lines += [
        "",
        f"each of {sum(entry['messages'] for entry in entries)} sends has its receive; one place sends and receives at most "
        f"{max(entry['most_messages'] for entry in entries)} messages of {max(entry['most_bytes'] for entry in entries)} bytes in a run",
        f"time {1e3 * sum(entry['seconds'] for entry in entries):.3f} ms, efficiency {efficiency(entries):.3f}",
    ]
    return "\n".join(lines)


def efficiency(entries: list[dict[str, Any]]) -> float:
    """Of the time, what all places computing alike would take without a message."""
    seconds = sum(entry["seconds"] for entry in entries)
    return sum(entry["ideal"] for entry in entries) / seconds if seconds else 1.0
