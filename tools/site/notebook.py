"""Makes a notebook of a page: python tools/site/notebook.py. Blocks of Python become cells, what is between them text; `make notebooks` runs it."""

import pathlib
import re

import nbformat

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "start" / "first_ten_minutes.md"
NOTEBOOK = ROOT / "examples" / "notebooks" / "first_ten_minutes.ipynb"
OWN = "This page also runs as a notebook"  # a sentence for the page only


def cells(text):
    """The page's text and blocks, in order: (kind, source)."""
    parts = re.split(r"^```python\n(.*?)^```\n", text, flags=re.M | re.S)
    for k, part in enumerate(parts):
        if k % 2 == 0:
            part = "\n\n".join(p for p in part.strip().split("\n\n") if p and not p.startswith((OWN, "Next: ")))
        if part.strip():
            yield "code" if k % 2 else "markdown", part.strip()


def main():
    notebook = nbformat.v4.new_notebook()
    for k, (kind, source) in enumerate(cells(PAGE.read_text())):
        cell = nbformat.v4.new_code_cell(source) if kind == "code" else nbformat.v4.new_markdown_cell(source)
        cell.id = f"cell-{k}"
        notebook.cells.append(cell)
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()
