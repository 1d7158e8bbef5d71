"""Names of tessera in the text of pages exist: `tessera.layout`, `np.where`, `cuda.grid`. Those in blocks are run."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
NAME = re.compile(r"(?<![\w./@-])(tessera|np|cuda)((?:\.[A-Za-z]\w*)+)")
SPAN = re.compile(r"`([^`\n]+)`")
# Files and packages with such beginnings, what a page says is not there, and names of other libraries under `cuda`.
OTHERS = re.compile(r"tessera\.(?:pth|egg|whl|copies)\b|np\.ma\b|cuda\.cuh|cuda\.h\b")


def exists(path):
    """Whether the object is there, in a module or as an attribute."""
    parts = path.split(".")
    value = importlib.import_module(parts[0])
    for k, part in enumerate(parts[1:], 1):
        try:
            value = getattr(value, part)
        except AttributeError:
            try:
                value = importlib.import_module(".".join(parts[: k + 1]))
            except ImportError:
                return False
    return True


def names(text):
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    for span in SPAN.findall(prose):
        for root, rest in NAME.findall(span):
            if not OTHERS.match(root + rest):
                yield {"np": "tessera.numpy", "cuda": "tessera.cuda"}.get(root, root) + rest


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_of_a_page_exist(page):
    assert sorted({name for name in names(page.read_text()) if not exists(name)}) == []
