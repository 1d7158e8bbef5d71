"""The user's program in a process that is a rank: joins the others before it, and tells how it ended after it."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable
from types import TracebackType

from tessera.cli.ranks import processor
from tessera.cli.ranks.finding import launched_as
from tessera.cli.ranks.reports import Report

_NOTICE, _DEADLINE = 30.0, 600.0


def _seconds(name: str, otherwise: float) -> float:
    text = os.environ.get(name, "")
    try:
        value = float(text) if text else otherwise
    except ValueError:
        value = -1.0
    if value <= 0:
        raise SystemExit(f"tessera run: {name}={text}: expected a number of seconds")
    return value


def join() -> None:
    """Makes this process a rank of those that were launched."""
    from tessera import _core

    size = int(os.environ["TESSERA_RANKS"])
    if size > 1 or os.environ.get("TESSERA_MPI"):
        _core.join_ranks(
            os.environ.get("TESSERA_MPI", ""),
            size,
            _seconds("TESSERA_NOTICE", _NOTICE),
            _seconds("TESSERA_DEADLINE", _DEADLINE),
            _processor(),
        )
        _forget_shared_memory()


def _processor() -> str:
    import tessera

    per_node = int(os.environ.get("TESSERA_RANKS_PER_NODE", "1"))
    rank, _ = launched_as(os.environ) or (0, 1)
    number = processor.number_on_node(os.environ, rank, per_node)
    wanted = os.environ.get("TESSERA_RANK_DEVICE", "cpu")
    return processor.processor(wanted, number, per_node, lambda: len(tessera.devices()))


def _forget_shared_memory() -> None:
    """Unlinks the shared memory that MPICH's ranks of a node have mapped by now, so that none is left where one is killed."""
    with open("/proc/self/maps") as maps:
        names = {line.split()[-1] for line in maps if "/dev/shm/mpich_" in line}
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(name)


def share_entropy() -> None:
    """Generators without a seed draw the same numbers in all ranks: what seeds them comes from rank 0."""
    import random

    import numpy.random.bit_generator

    entropy = os.environ.get("TESSERA_ENTROPY")
    if entropy is None:
        return
    numpy.random.bit_generator.randbits = random.Random(entropy).getrandbits
    numpy.random.seed(random.Random(entropy + "numpy").getrandbits(32))
    random.seed(entropy)


def run(body: Callable[[], int]) -> int:
    """The exit code of the program, after all ranks have ended; what an exception says goes to the driver."""
    from tessera import _core

    try:
        join()
    except RuntimeError as error:
        return _leave(Report(_core.rank(), _core.size(), failure=f"tessera run: {error}\n", message=str(error), code=1))
    try:
        share_entropy()
        code = body()
    except BaseException as error:  # noqa: BLE001
        return _fail(error)
    try:
        _core.end_ranks(code)
    except BaseException as error:  # noqa: BLE001
        return code or _fail(error)
    return code


def _fail(error: BaseException) -> int:
    from tessera import _core

    message = "".join(traceback.format_exception_only(error)).strip()
    text = "".join(traceback.format_exception(type(error), error, _users(error.__traceback__)))
    report = Report(_core.rank(), _core.size(), failure=text, message=message, follows=_core.failed_elsewhere(), code=1)
    return _leave(report, 130 if isinstance(error, KeyboardInterrupt) else 1)


def _leave(report: Report, code: int = 1) -> int:
    """Ends this process, after telling the driver and the other ranks why."""
    from tessera import _core

    os.pwrite(int(os.environ["TESSERA_RANK_REPORT"]), report.to_line().encode(), 0)
    sys.stdout.flush()
    sys.stderr.flush()
    _core.fail_ranks((report.message.splitlines() or [""])[-1][:200])
    os._exit(code)


def _users(frames: TracebackType | None) -> TracebackType | None:
    """The frames from the program's first on: what runs it says nothing to its author."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    ours = frames
    while ours is not None and os.path.abspath(ours.tb_frame.f_code.co_filename).startswith((folder, "<frozen")):
        ours = ours.tb_next
    return ours or frames
