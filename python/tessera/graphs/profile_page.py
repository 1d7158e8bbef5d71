"""The profiler's page: when what ran where, and what each line of the program took. One file, without scripts or links;
beside it a file of events for Perfetto."""

from __future__ import annotations

import html
import linecache
from typing import TYPE_CHECKING

from tessera.graphs import trace_events
from tessera.graphs.advice import advice
from tessera.graphs.labels import duration, location, size
from tessera.graphs.trace import Run, Trace, counted

if TYPE_CHECKING:
    from tessera.graphs.explanation import Explanation, Line

_WIDTH = 1000.0
_ROW = 26
# Runs that would be narrower are drawn together.
_NARROWEST = 0.5


def _timeline(trace: Trace) -> str:
    """An SVG with a row for each place and a box for each run, or for neighbours too short to be seen."""
    if not trace.runs:
        return '<p id="timeline">Nothing ran that was recorded: operations on up to 1,024 elements of settled arrays run at once.</p>'
    first = min(run.begin for run in trace.runs)
    last = max(run.end for run in trace.runs)
    scale = _WIDTH / max(last - first, 1e-9)
    places = list(dict.fromkeys(run.where or "failed" for run in trace.runs))
    boxes = []
    for row, place in enumerate(places):
        boxes.append(f'<text x="0" y="{row * _ROW + 17}">{html.escape(place)}</text>')
        for runs in _gathered([run for run in trace.runs if (run.where or "failed") == place], scale):
            left = 90 + (runs[0].begin - first) * scale
            width = max((runs[-1].end - runs[0].begin) * scale, _NARROWEST)
            names = ", ".join(counted([trace.title(run) for run in runs])[:6])
            title = f"{names}: {duration(sum(run.seconds for run in runs))}, began at {duration(runs[0].begin - first)}"
            boxes.append(
                f'<rect x="{left:.2f}" y="{row * _ROW + 4}" width="{width:.2f}" height="{_ROW - 8}" class="p{row % 4}">'
                f"<title>{html.escape(title)}</title></rect>"
            )
    height = len(places) * _ROW + 24
    boxes.append(f'<text x="90" y="{height - 6}">0</text>')
    boxes.append(f'<text x="{90 + _WIDTH:.0f}" y="{height - 6}" text-anchor="end">{duration(last - first)}</text>')
    return (
        f'<svg id="timeline" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {100 + _WIDTH:.0f} {height}" role="img">'
        f"<title>What ran when</title>{''.join(boxes)}</svg>"
    )


def _gathered(runs: list[Run], scale: float) -> list[list[Run]]:
    """Runs one after the other, those together that would touch within half a point."""
    groups: list[list[Run]] = []
    for run in sorted(runs, key=lambda one: one.begin):
        narrow = groups and (run.end - groups[-1][0].begin) * scale < 2 * _NARROWEST
        if narrow:
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _row(line: Line, whole: float) -> str:
    source = linecache.getline(*line.place).strip() if line.place else ""
    share = line.seconds / whole if whole > 0 else 0.0
    where = ", ".join(f"{name} ({count})" for name, count in line.where.items())
    cells = (
        location(line.place) or "no line",
        duration(line.seconds),
        f"{100 * share:.1f} %",
        where,
        size(line.nbytes),
        f"cores {duration(line.host_estimate)}, GPU {duration(line.device_estimate)}",
    )
    apart = "".join(f"<li>{html.escape(why)}</li>" for why in list(line.apart)[:8])
    detail = f"{html.escape(', '.join(counted(line.operations)))}" + (f"<ul>{apart}</ul>" if apart else "")
    return (
        "<tr>"
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        + f"<td><code>{html.escape(source)}</code><details><summary>operations</summary>{detail}</details>"
        + f'<div class="bar" style="width:{100 * share:.1f}%"></div></td></tr>'
    )


def _advice(trace: Trace) -> str:
    """What to do about the costliest causes."""
    found = advice(trace)
    if not found:
        return '<section id="advice"><h2>Advice</h2><p>Nothing stands out.</p></section>'
    items = "".join(f"<li>{html.escape(str(one))}</li>" for one in found[:12])
    return f'<section id="advice"><h2>Advice</h2><ol>{items}</ol></section>'


def _memory(trace: Trace) -> str:
    """What the pools of the places hold, and held at most."""
    from tessera import memory_statistics

    rows = []
    for place in dict.fromkeys(["cpu", *(run.where for run in trace.runs if run.where)]):
        found = memory_statistics(place)
        cells = [place, *(size(found[key]) for key in ("peak_bytes_in_use", "bytes_in_use", "bytes_cached"))]
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    return (
        '<section id="memory"><h2>Memory</h2><table><tr><th>place</th><th>most in use</th><th>in use at the end</th>'
        f"<th>kept for later</th></tr>{''.join(rows)}</table></section>"
    )


def page(told: Explanation, program: str) -> str:
    """The page of what ran in the block `told`."""
    lines = told.lines
    whole = sum(line.seconds for line in lines)
    trace = told.trace
    copied = sum(run.bytes_to_device + run.bytes_from_device for run in trace.runs)
    heading = f"Profile of {html.escape(program)}"
    summary = (
        f"{len(trace.runs)} runs of {len(trace.plans)} plans took {duration(whole)}; {size(copied)} were copied between host and device. "
        "Each window was waited for, so that times are its own; lines share the time of a kernel by their operations."
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>
<style>body {{ font-family: sans-serif; margin: 2em }} td, th {{ padding: 0.2em 1em 0.2em 0; text-align: left; vertical-align: top; white-space: nowrap }} td:last-child {{ white-space: normal }}
svg {{ width: 100%; font-size: 12px }} .p0 {{ fill: #3b76af }} .p1 {{ fill: #ef8636 }} .p2 {{ fill: #519e3e }} .p3 {{ fill: #8d69b8 }}
.bar {{ height: 4px; background: #3b76af }} details {{ font-size: smaller }}</style></head>
<body><h1>{heading}</h1>
<p>{summary}</p>
{_timeline(trace)}
<p>{html.escape(told.account_text())}</p>
{_advice(trace)}
{_memory(trace)}
<h2>Lines</h2>
<table><tr><th>line</th><th>time</th><th>share</th><th>where (runs)</th><th>copied</th><th>by the model</th><th>source</th></tr>
{"".join(_row(line, whole) for line in lines)}
</table>
</body></html>
"""


def save(told: Explanation, program: str, path: str) -> None:
    """Writes the page, and beside it the events for Perfetto."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(page(told, program))
    trace_events.save(told.trace, program, trace_events.path_beside(path))
