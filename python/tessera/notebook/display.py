"""How notebooks show an array: shape, dtype, place, and a small picture of its elements."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy

_PIXELS = 96


def array_html(array: Any) -> str:
    """The array as HTML without scripts or links: a picture of a line or an image, the beginning of what it prints otherwise."""
    facts = [f"{tuple(array.shape)}", str(array.dtype), _size(array.nbytes), str(array.device)]
    said = "".join(f"<td style='padding:0 1em 0 0'>{html.escape(fact)}</td>" for fact in facts)
    picture = _picture(array)
    if picture is None:
        with numpy.printoptions(threshold=100, edgeitems=3):
            picture = f"<pre style='margin:0.3em 0'>{html.escape(repr(array))}</pre>"
    return f"<div><b>tessera array</b><table><tr>{said}</tr></table>{picture}</div>"


def _size(nbytes: int) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if nbytes < 1024:
            return f"{nbytes:.3g} {unit}"
        nbytes /= 1024
    return f"{nbytes:.3g} TiB"


def _picture(array: Any) -> str | None:
    """None for what is no line of at least eight numbers and no image of at least 8 x 8."""
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2) or min(array.shape, default=0) < 8:
        return None
    steps = [max(1, -(-extent // (4 * _PIXELS if array.ndim == 1 else _PIXELS))) for extent in array.shape]
    values = numpy.asarray(array[tuple(slice(None, None, step) for step in steps)]).astype(float)
    finite = values[numpy.isfinite(values)]
    if finite.size == 0:
        return None
    low, high = float(finite.min()), float(finite.max())
    scale = 1 / (high - low) if high > low else 0.0
    values[~numpy.isfinite(values)] = numpy.nan
    scaled = (values - low) * scale
    drawn = _line(scaled) if array.ndim == 1 else _image(scaled)
    return f"{drawn}<div style='font-size:smaller'>{low:.6g} to {high:.6g}</div>"


def _line(scaled: numpy.ndarray) -> str:
    width, height = 4 * _PIXELS, _PIXELS
    points = " ".join(
        f"{k * width / max(1, scaled.size - 1):.1f},{(1 - y) * (height - 4) + 2:.1f}"
        for k, y in enumerate(scaled)
        if y == y
    )
    return (
        f"<svg width='{width}' height='{height}' viewBox='0 0 {width} {height}'>"
        f"<polyline fill='none' stroke='currentColor' points='{points}'/></svg>"
    )


def _image(scaled: numpy.ndarray) -> str:
    grey = numpy.nan_to_num(scaled * 255).astype(numpy.uint8)
    rows, columns = grey.shape
    lines = b"".join(b"\0" + row.tobytes() for row in grey)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    zoom = max(1, 2 * _PIXELS // max(rows, columns))
    size = f"width='{columns * zoom}' height='{rows * zoom}' style='image-rendering:pixelated'"
    return f"<img {size} alt='elements' src='data:image/png;base64,{base64.b64encode(png).decode()}'/>"
