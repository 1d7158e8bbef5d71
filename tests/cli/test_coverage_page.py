"""tessera coverage --html."""

import re

from tessera.cli import coverage_page, main, published_names

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


def test_names_are_looked_up_in_the_references():
    lists = published_names.lists()
    assert coverage_page.listed("sort", lists["CuPy"]) == "yes"
    assert coverage_page.listed("ndarray.sort", lists["cuPyNumeric"]) == "yes"
    assert coverage_page.listed("ndarray.sort", lists["CuPy"]) == "its class"
    assert coverage_page.listed("busday_count", lists["CuPy"]) == "no"
