"""What a rank says when it ends, and what is told of all of them: one failure, once."""

from __future__ import annotations

import dataclasses
import json
import signal

MARK = "tessera-rank-report "


@dataclasses.dataclass
class Report:
    """How one rank ended."""

    rank: int
    size: int
    host: str = ""
    code: int = 0  # its exit code; negative: the signal that ended it
    failure: str = ""  # the traceback, where an exception ended it
    message: str = ""  # the exception's own line
    follows: bool = False  # it ended because another rank failed
    last: str = ""  # what it did last to arrays over ranks
    said: str = ""  # the end of its stderr, where nobody has seen that

    def to_line(self) -> str:
        return MARK + json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_line(cls, line: str) -> Report:
        return cls(**json.loads(line.removeprefix(MARK)))


def signal_name(number: int) -> str:
    """SIGKILL for 9."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def first_failure(reports: list[Report]) -> Report | None:
    """The one to tell of `reports`, which are in the order in which they came: a crash or an exception before an exit code."""
    failed = [report for report in reports if report.code != 0 and not report.follows]
    for report in failed:
        if report.code < 0 or report.failure:
            same = [other for other in failed if other.rank == 0 and other.message == report.message and report.failure]
            return same[0] if same else report
    alike = [report for report in failed if report.rank == 0 and report.code == failed[0].code]
    return (alike or failed or [report for report in reports if report.code != 0] or [None])[0]


def exit_code(reports: list[Report]) -> int:
    """That of the program: what a rank asked for by sys.exit, else what ended the first one that failed."""
    for report in reports:
        if report.code > 0 and not report.failure and not report.follows:
            return report.code
    told = first_failure(reports)
    if told is None:
        return 0
    return 128 - told.code if told.code < 0 else told.code


def describe(report: Report, reports: list[Report]) -> str:
    """What stderr says of it."""
    who = f"rank {report.rank} of {report.size} on {report.host}"
    last = f" It was last at {report.last}." if report.last else ""
    if report.code < 0:
        text = (
            f"tessera: {who} was ended by {signal_name(-report.code)} (signal {-report.code}), and with it all.{last}\n"
        )
        return _quoted(report.said) + text
    if not report.failure:
        return _quoted(report.said) if report.said else ""
    alike = sum(other.message == report.message for other in reports)
    if alike == report.size or (report.rank == 0 and report.size == 1):
        return report.failure
    return f"{report.failure}tessera: {who} raised this first, and it ended all.{last}\n"


def in_full(told: Report, reports: list[Report], command: list[str]) -> str:
    """A page on how all ranks ended, for a program that one of them ended."""
    parts = [f"Command: {' '.join(command)}\nEnded by rank {told.rank}: {told.message or _how(told)}\n"]
    for report in sorted(reports, key=lambda report: report.rank):
        parts.append(f"\nrank {report.rank} of {report.size} on {report.host}: {_how(report)}\n")
        if report.last:
            parts.append(f"last at {report.last}\n")
        if report.failure:
            parts.append(_quoted(report.failure))
        if report.said:
            parts.append(f"the end of its stderr:\n{_quoted(report.said)}")
    if missing := sorted(set(range(told.size)) - {report.rank for report in reports}):
        parts.append(f"\nnothing was heard of the end of ranks {missing}\n")
    return "".join(parts)


def is_alike(told: Report, reports: list[Report]) -> bool:
    """Whether it ended as one process would: by the same exception everywhere, or by an exit code."""
    if told.code < 0:
        return False
    return not told.failure or sum(other.message == told.message for other in reports) == told.size


def _how(report: Report) -> str:
    if report.code < 0:
        return f"ended by {signal_name(-report.code)} (signal {-report.code})"
    return f"ended with exit code {report.code}"


def _quoted(said: str) -> str:
    return said if not said or said.endswith("\n") else said + "\n"
