"""The picture of a forecast: for each line what of its time is computing, and what is sending and waiting."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

_MOST = 16  # lines
_WIDTH, _LEFT, _ROW, _TOP = 960, 360, 26, 64  # pixels
# The share of equal parts without a message, what the slowest place computes beyond it, messages.
_PARTS = (("equal share", "#4c78a8"), ("more than that", "#f2a541"), ("messages", "#d1495b"))


def picture(entries: list[dict[str, Any]], places: int, per_node: int) -> str:
    """As SVG."""
    shown = sorted(entries, key=lambda entry: -entry["seconds"])[:_MOST]
    height = _TOP + _ROW * max(1, len(shown)) + 40
    longest = max((entry["seconds"] for entry in shown), default=0) or 1
    scale = (_WIDTH - _LEFT - 120) / longest
    body = [f'<text x="16" y="24" class="head">{places} places, {per_node} on a node: time of the slowest place</text>']
    at = 16
    for name, colour in _PARTS:
        body.append(f'<rect x="{at}" y="38" width="12" height="12" fill="{colour}"/>')
        body.append(f'<text x="{at + 18}" y="48">{name}</text>')
        at += 40 + 8 * len(name)
    for row, entry in enumerate(shown):
        y = _TOP + row * _ROW
        body.append(f'<text x="{_LEFT - 10}" y="{y + 15}" text-anchor="end">{escape(_shortened(entry["what"]))}</text>')
        x = float(_LEFT)
        for seconds, (_, colour) in zip(_shares(entry), _PARTS, strict=True):
            body.append(
                f'<rect x="{x:.2f}" y="{y}" width="{seconds * scale:.2f}" height="{_ROW - 6}" fill="{colour}"/>'
            )
            x += seconds * scale
        share = entry["ideal"] / entry["seconds"] if entry["seconds"] else 1
        body.append(f'<text x="{x + 8:.2f}" y="{y + 15}">{1e3 * entry["seconds"]:.3g} ms, {share:.2f}</text>')
    if not shown:
        body.append(f'<text x="16" y="{_TOP + 15}">no array is cut</text>')
    style = "text{font:12px sans-serif;fill:#222}.head{font-size:15px}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="white"/>' + "\n".join(body) + "</svg>\n"
    )


def _shares(entry: dict[str, Any]) -> tuple[float, float, float]:
    equal = min(entry["ideal"], entry["computing"])
    return equal, entry["computing"] - equal, entry["exchanging"]


def _shortened(what: str, longest: int = 50) -> str:
    return what if len(what) <= longest else what[: longest - 1] + "…"
