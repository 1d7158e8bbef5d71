"""A trace as JSON for Perfetto and chrome://tracing: a row for each place, and one of what the program read."""

from __future__ import annotations

import json
import os
from typing import Any

from tessera.graphs.labels import location
from tessera.graphs.trace import Trace


def events(trace: Trace, program: str) -> list[dict[str, Any]]:
    """Complete events ("ph": "X") in microseconds since the first run began."""
    places = list(dict.fromkeys(run.where or "failed" for run in trace.runs))
    found: list[dict[str, Any]] = [_name("process_name", 0, program)]
    found += [_name("thread_name", row, place) for row, place in enumerate(places)]
    first = min((run.begin for run in trace.runs), default=0.0)
    for run in trace.runs:
        found.append(
            {
                "name": trace.title(run),
                "cat": run.kind,
                "ph": "X",
                "ts": 1e6 * (run.begin - first),
                "dur": 1e6 * run.seconds,
                "pid": 1,
                "tid": places.index(run.where or "failed"),
                "args": {
                    "line": location(run.place),
                    "bytes to the device": run.bytes_to_device,
                    "bytes from the device": run.bytes_from_device,
                },
            }
        )
    return found


def _name(kind: str, row: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": 1, "tid": row, "args": {"name": name}}


def save(trace: Trace, program: str, path: str) -> None:
    """Writes the file."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events(trace, program), "displayTimeUnit": "ms"}, file)


def path_beside(page: str) -> str:
    """Where the events of a page go."""
    return os.path.splitext(page)[0] + ".json"
