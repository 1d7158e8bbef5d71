"""The notebooks in examples/notebooks run, and print what is kept in them."""

import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def printed(notebook):
    """What each cell printed: a busy kernel may send it in several pieces."""
    return [
        "".join(output["text"] for output in cell.outputs if output.output_type == "stream")
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_as_kept(path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    monkeypatch.setenv("PYTHONPATH", "")  # which run() extends
    from run_notebooks import run

    kept = nbformat.read(path, as_version=4)
    assert all(cell.execution_count for cell in kept.cells if cell.cell_type == "code"), "run make notebooks"
    assert printed(run(path)) == printed(kept)


def test_there_are_five():
    assert [path.stem for path in NOTEBOOKS] == ["first_ten_minutes", "heat", "kernels", "periodogram", "photograph"]


def test_the_first_ten_minutes_are_those_of_the_page():
    """The notebook that tools/site/notebook.py makes of the page."""
    sys.path.insert(0, str(ROOT / "tools" / "site"))
    from notebook import NOTEBOOK, PAGE, cells

    kept = nbformat.read(NOTEBOOK, as_version=4).cells
    assert [(cell.cell_type, cell.source) for cell in kept] == list(cells(PAGE.read_text()))
