"""tessera coverage --html."""

import re

from tessera.cli import coverage_page, main, program_names, published_names

from tessera import coverage


def test_the_page_has_every_name_and_the_other_references(tmp_path, capsys):
    assert main(["coverage", "--html", str(tmp_path / "c.html")]) == 0
    page = (tmp_path / "c.html").read_text()
    native, total = coverage.summary(coverage.entries())["all"]
    assert f"<h1>{native} of {total} of NumPy's names are native</h1>" in page
    assert f"{native} of {total}" in capsys.readouterr().out
    assert all(f"<td>{entry.name}</td>" in page for entry in coverage.entries())
    assert "<script" not in page and "http" not in page
    assert re.search("<td>sorting, searching, sets</td><td>[0-9]+</td><td>[0-9]+</td><td>[0-9]+", page)
    assert main(["coverage", "--html", str(tmp_path / "none" / "c.html")]) == 2


PROGRAM = """
import numpy as np
import numpy.linalg
from numpy import fft, sort as put_in_order
from numpy.random import default_rng


def solve(a, b):
    x = np.linalg.solve(a, b)
    return numpy.linalg.norm(x) + np.pi, np.char.upper(["a"])


class Own:
    np = 1

print(put_in_order(fft.rfft(default_rng(1).random(8)).real), np.sort([2, 1]), Own.np)
"""


def test_the_names_that_a_program_uses():
    assert program_names.used(PROGRAM) == {
        "char": [10],
        "fft.rfft": [16],
        "linalg.norm": [10],
        "linalg.solve": [9],
        "pi": [10],
        "random.default_rng": [16],
        "sort": [16],
    }
    assert program_names.used("from tessera import numpy\nnumpy.sin(1)\nfrom . import numpy as x\nx.cos(1)") == {
        "sin": [2]
    }
    assert program_names.used("import math\nimport cupynumeric as np\nmath.sin(np.cos(1))") == {"cos": [3]}


def test_a_page_of_programs(tmp_path, capsys):
    program, page = tmp_path / "a&b.py", tmp_path / "c.html"
    program.write_text(PROGRAM)
    assert main(["coverage", "--html", str(page), str(program)]) == 0
    text = page.read_text()
    assert "a&amp;b.py" in text and "<td>linalg.solve</td><td>9</td><td>native</td>" in text
    assert "names that NumPy lacks: " in text and "pi" in text
    assert "<td>tan</td>" not in text
    out = capsys.readouterr().out
    assert "linalg.solve" in out and "tan" not in out
    program.write_text("def f(:")
    assert main(["coverage", str(program)]) == 2
    assert "invalid syntax" in capsys.readouterr().err
    assert main(["coverage", str(tmp_path / "none.py")]) == 2


def test_names_are_looked_up_in_the_references():
    lists = published_names.lists()
    assert coverage_page.listed("sort", lists["CuPy"]) == "yes"
    assert coverage_page.listed("ndarray.sort", lists["cuPyNumeric"]) == "yes"
    assert coverage_page.listed("ndarray.sort", lists["CuPy"]) == "its class"
    assert coverage_page.listed("busday_count", lists["CuPy"]) == "no"
