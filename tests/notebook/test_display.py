"""How notebooks show arrays."""

import base64
import re
import struct
import zlib

import numpy
import pytest
import tessera.numpy as np

import tessera


@pytest.mark.parametrize("where", ["cpu", "simulated"])
def test_an_array_is_shown_with_shape_dtype_size_place_and_its_elements(where):
    with tessera.device(where):
        shown = (np.arange(6.0) * 2)._repr_html_()
    assert all(word in shown for word in ("(6,)", "float64", "48 B", "cpu")) and "10." in shown


def test_a_line_and_an_image_are_drawn():
    assert "<polyline" in np.sin(np.arange(5000.0))._repr_html_()
    x = np.arange(300.0)[:, None] + np.arange(200.0)
    shown = x._repr_html_()
    png = base64.b64decode(re.search("base64,([^']+)'", shown).group(1))
    columns, rows = struct.unpack(">II", png[16:24])
    assert (rows, columns) == (75, 67) and "0 to 494" in shown  # every fourth row and third column
    size = struct.unpack(">I", png[33:37])[0]
    assert len(zlib.decompress(png[41 : 41 + size])) == rows * (columns + 1)


@pytest.mark.parametrize(
    "array",
    [
        numpy.full((9, 9), numpy.nan),
        numpy.zeros((0, 3)),
        numpy.zeros((2, 2, 2)),
        numpy.ones(9),
        numpy.array(3.0),
        numpy.array([1j] * 9),
        numpy.array([[numpy.inf] * 9, [1] * 9] * 9),
        numpy.arange(81, dtype="i1").reshape(9, 9) > 40,
    ],
    ids=str,
)
def test_every_kind_of_array_is_shown(array):
    shown = np.asarray(array)._repr_html_()
    assert shown.startswith("<div>") and shown.endswith("</div>") and "<script" not in shown
