"""Programs whose times and forecasts give a machine's constants; run by `measure.py`, on two places or on none.

    python measured_programs.py time ROWS COLUMNS
    python measured_programs.py count ROWS COLUMNS [MEMORY, LAUNCH, OPERATIONS, LATENCY, OVERHEAD, BANDWIDTH]

Prints a list of JSON: for each program the seconds of a step, measured or, with these constants, forecast.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator

_STEPS = 40  # in a run, so that a look at its end costs little
_RUNS = 7
_WARM = 1.0  # seconds after which a GPU's optimised kernels are there
Step = Callable[[], None]


def programs(rows: int, columns: int) -> Iterator[Step]:
    """Steps over arrays of this size and smaller ones: along rows, which are cut, none sends anything; across them all do."""
    import tessera.numpy as np

    for divisor in (1, 4, 16):
        shape = (rows // divisor, columns // divisor)
        grid = np.zeros(shape) + 1.0
        line = np.zeros(shape) + 1.0
        down = np.zeros(shape) + 1.0
        there = np.zeros(shape) + 1.0
        back = np.zeros(shape) + 1.0

        def along(line=line):
            line[:, 1:-1] = 0.5 * (line[:, 2:] + line[:, :-2])

        def below(down=down):
            down[1:] = 0.5 * (down[:-1] + down[1:])

        def around(grid=grid):
            grid[1:-1, 1:-1] = 0.25 * (grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[1:-1, :-2])

        def swapped(there=there, back=back):
            there[:] = back[::-1] * 0.5
            back[:] = there[::-1] * 2.0

        yield from (along, below, around, swapped)

    side = min(rows, columns) // 4
    factor = product = np.zeros((side, side)) * 1.0

    def multiplied():
        nonlocal product
        product = product @ factor  # each needs the one before

    yield multiplied


def time_step(step: Step) -> float:
    """Seconds of a step, where many follow each other."""
    import tessera

    def run() -> float:
        tessera.synchronize()
        start = time.perf_counter()
        for _ in range(_STEPS):
            step()
        tessera.synchronize()
        return (time.perf_counter() - start) / _STEPS

    # Ranks must do alike, whatever their clocks say.
    end = time.perf_counter() + (_WARM if tessera.size() == 1 else 0)
    for _ in range(2):
        run()
    while time.perf_counter() < end:
        run()
    return statistics.median(run() for _ in range(_RUNS))


def count(rows: int, columns: int) -> list[list[float]]:
    """For each program the seconds of a step by the forecast; with a constant of one and others of none that is what it counts."""
    from tessera import _core

    unit = json.loads(sys.argv[4])
    memory, launch, operations, latency, overhead, bandwidth = unit
    link = (latency, overhead, bandwidth)
    _core.begin_forecast(2, 2, memory, launch, operations, link, link, False)
    found, before = [], 0.0
    for step in programs(rows, columns):
        step()
        before = sum(entry["seconds"] for entry in _core.forecast())
        for _ in range(_STEPS):
            step()
        found.append((sum(entry["seconds"] for entry in _core.forecast()) - before) / _STEPS)
    return found


def main() -> None:
    rows, columns = int(sys.argv[2]), int(sys.argv[3])
    print(
        json.dumps(
            [time_step(step) for step in programs(rows, columns)] if sys.argv[1] == "time" else count(rows, columns)
        )
    )


if __name__ == "__main__":
    main()
