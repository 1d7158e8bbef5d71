"""`tessera plan --measure FILE`: the constants of this machine, from programs as users write them.

Two GPUs where they are, else two ranks on this machine's cores, run a dozen programs (`measured_programs.py`); the forecast counts
what each of them does, and the constants are those with which its times are nearest to the measured ones. Links between nodes cannot
be seen from one: they keep what is written for any machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy

from tessera.cli.ranks.machine import Link, Machine, write_machine

_PROGRAMS = Path(__file__).resolve().with_name("measured_programs.py")
_LIMIT = 600  # seconds of a process
_SIZES = {"gpu": (8192, 8192), "cpu": (2048, 2048)}
_HUGE, _NONE = 1e300, 0.0
# memory, launch, operations, latency, overhead, bandwidth: of each one what takes a second.
_UNITS = (
    (1.0, _NONE, _HUGE, _NONE, _NONE, _HUGE),
    (_HUGE, 1.0, _HUGE, _NONE, _NONE, _HUGE),
    (_HUGE, _NONE, 1.0, _NONE, _NONE, _HUGE),
    (_HUGE, _NONE, _HUGE, 1.0, _NONE, _HUGE),
    (_HUGE, _NONE, _HUGE, _NONE, 1.0, _HUGE),
    (_HUGE, _NONE, _HUGE, _NONE, _NONE, 1.0),
)
# What a measured constant may be: seconds a byte or an operation, seconds.
_LEAST = (1e-15, 1e-9, 1e-18, 1e-9, 1e-9, 1e-15)


class NotMeasured(Exception):
    """A process that failed, with what it said."""


def measure_machine(path: str) -> int:
    """Measures in processes of their own and writes the file; returns the exit code."""
    launcher, device = _places()
    size = [str(extent) for extent in _SIZES["gpu" if device.startswith("gpu") else "cpu"]]
    try:
        times = _run([*launcher, str(_PROGRAMS), "time", *size], device)
        counts = [_run([sys.executable, str(_PROGRAMS), "count", *size, json.dumps(unit)], "cpu") for unit in _UNITS]
    except NotMeasured as failed:
        print(f"tessera plan --measure: {failed}", file=sys.stderr)
        return 1
    machine, error = fit(numpy.array(times), numpy.array(counts).T)
    try:
        write_machine(path, machine)
    except OSError as failure:
        print(f"tessera plan --measure: {path}: {failure.strerror}", file=sys.stderr)
        return 2
    within = machine.within
    print(
        f"{path}: {machine.memory / 1e9:.1f} GB/s of a place's memory, {1e6 * machine.launch:.2f} us a launch, "
        f"{machine.operations / 1e9:.0f} billion operations of products a second; between places of a node "
        f"{1e6 * within.latency:.2f} us, {1e6 * within.overhead:.2f} us at each end, {within.bandwidth / 1e9:.1f} GB/s; "
        f"{len(times)} programs on {device or 'two ranks'} are {100 * error:.0f}% off in the median"
    )
    return 0


def fit(times: numpy.ndarray, counts: numpy.ndarray) -> tuple[Machine, float]:
    """The constants for which the sums of `counts` (programs × constants) are nearest to `times`, by relative differences, and the
    median of these. Constants that would be below what is possible are set to that, and the others found anew."""
    scaled, given = counts / times[:, None], numpy.ones(len(times))
    found = numpy.array(_LEAST)
    norms = numpy.maximum(numpy.linalg.norm(scaled, axis=0), numpy.finfo(float).tiny)  # bytes are many, launches few
    free = numpy.ones(len(_LEAST), dtype=bool)
    while free.any():
        rest = given - scaled[:, ~free] @ found[~free]
        best = numpy.linalg.lstsq(scaled[:, free] / norms[free], rest, rcond=None)[0] / norms[free]
        least = numpy.array(_LEAST)[free]
        if (best >= least).all():
            found[free] = best
            break
        free[numpy.flatnonzero(free)[best < least]] = False
    error = float(numpy.median(numpy.abs(scaled @ found - 1)))
    memory, launch, operation, latency, overhead, byte = found.tolist()
    within = Link(latency, overhead, 1 / byte)
    return replace(Machine(), memory=1 / memory, launch=launch, operations=1 / operation, within=within), error


def _places() -> tuple[list[str], str]:
    """How a program is started on two places, and the device that it is given."""
    given = os.environ.get("TESSERA_DEVICE", "")
    if ":" in given:
        return [sys.executable], given
    if not given and _gpus() >= 2:
        return [sys.executable], "gpu:0-1"
    return [sys.executable, "-m", "tessera", "run", "--ranks-per-node", "2"], "cpu"


def _gpus() -> int:
    import tessera

    return len(tessera.devices())


def _run(command: list[str], device: str) -> list[float]:
    environment = {"TESSERA_DEVICE": device, "TESSERA_CUT": "always", "PYTHONWARNINGS": "ignore"}
    try:
        ended = subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, timeout=_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"{' '.join(command)} took more than {_LIMIT} s") from None
    if ended.returncode != 0:
        raise NotMeasured(f"{' '.join(command)} failed:\n{ended.stderr.strip()}")
    return json.loads(ended.stdout.splitlines()[-1])
