"""The IPython extension: magics, and imports of NumPy that mean tessera.numpy."""

import numpy
import pytest

pytest.importorskip("IPython")
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "tessera")
    yield made
    made.run_line_magic("unload_ext", "tessera")
    InteractiveShell.clear_instance()


def run(shell, cell):
    done = shell.run_cell(cell)
    done.raise_error()
    return done.result


def module_of(shell, name):
    return type(shell.user_ns[name]).__module__


def test_imports_of_numpy_in_later_cells_mean_tessera(shell):
    run(shell, "import numpy as before")
    shell.run_line_magic("tessera", "numpy")
    shell.run_line_magic("tessera", "numpy")  # twice is once
    run(
        shell,
        "import numpy as np, math\nimport numpy\nimport numpy.linalg as la\nfrom numpy import ones\nfrom numpy.fft import fft",
    )
    run(shell, "a = np.ones(3); b = numpy.zeros(2); c = ones(4); d = fft(c); e = la.norm(c)")
    assert {module_of(shell, name) for name in "abcd"} == {"tessera.numpy"} and shell.user_ns["e"] == 2
    assert shell.user_ns["la"].__name__ == "tessera.numpy.linalg" and shell.user_ns["before"] is numpy
    shell.run_line_magic("tessera", "numpy off")
    run(shell, "import numpy as np")
    assert shell.user_ns["np"] is numpy


def test_a_cells_work_is_shown_as_a_graph(shell):
    run(shell, "import tessera.numpy as np")
    for line in ("", "event"):
        shown = shell.run_cell_magic("tessera_graph", line, "x = np.ones(5000) * 2; float(x.sum())")
        assert "multiply" in shown.data
    assert shell.run_cell_magic("tessera_graph", "", "raise KeyError") is None
    with pytest.raises(ValueError, match="dataflow and event"):
        shell.run_cell_magic("tessera_graph", "nonsense", "1")


def test_a_cells_work_is_explained(shell, capsys):
    run(shell, "import tessera.numpy as np")
    shell.run_cell_magic("tessera_explain", "", "x = np.ones(5000) * 2; float(x.sum())")
    assert "add along 0" in capsys.readouterr().out


def test_the_doctor_answers(shell, capsys):
    shell.run_line_magic("tessera_doctor", "")
    assert "tessera" in capsys.readouterr().out


def test_other_words_are_refused(shell):
    with pytest.raises(ValueError, match="write %tessera numpy"):
        shell.run_line_magic("tessera", "pandas")
