"""inspect_types: the types that were found, as text. Each file of `typed/` is a function, its types, and the text that is printed."""

import inspect
import io
import runpy
from pathlib import Path

import numpy as np
import pytest

import tessera
from tessera import cuda

FOLDER = Path(__file__).parent / "typed"
CASES = sorted(FOLDER.glob("*.py"))


def split(path):
    """The program, and behind its last comment line `# prints` what it prints."""
    program, _, expected = path.read_text().partition("\n# prints\n")
    return program, "".join(line.removeprefix("#").removeprefix(" ") + "\n" for line in expected.splitlines())


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_typed_text(path):
    program, expected = split(path)
    names = runpy.run_path(str(path))
    assert program.startswith('"""')
    text = io.StringIO()
    names["function"].inspect_types(text)
    written = "\n".join(line.rstrip() for line in text.getvalue().splitlines())
    assert written.strip() == expected.strip(), written


def test_one_version():
    @tessera.jit
    def add(x, y):
        return x + y

    @cuda.jit
    def store(x, y):
        x[0] = y

    add(1, 2)
    add(1.5, 2)
    store[1, 1](np.zeros(1), 1)
    store[1, 1](np.zeros(1), 1.5)
    for function, signature, text in (
        (add, "(float64, int64)", "add(x: float64, y: int64) -> float64"),
        (store, "void(float64[:], int64)", "store(x: array(float64, 1d), y: int64) -> None"),
    ):
        one, all_of_them = io.StringIO(), io.StringIO()
        function.inspect_types(one, signature=signature)
        function.inspect_types(file=all_of_them)
        assert one.getvalue().startswith(text) and one.getvalue() in all_of_them.getvalue()
        assert len(all_of_them.getvalue()) > len(one.getvalue())
        with pytest.raises(KeyError, match="has not been compiled for"):
            function.inspect_types(one, signature="(complex64, complex64)")
        with pytest.raises(NotImplementedError, match="pretty"):
            function.inspect_types(pretty=True)
    assert list(inspect.signature(add.inspect_types).parameters) == ["file", "signature", "pretty"]
