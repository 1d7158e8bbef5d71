"""`%load_ext tessera.pandas`: pandas in later cells, and the report."""

import pandas
import pytest

pytest.importorskip("IPython")
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    yield made
    made.run_line_magic("unload_ext", "tessera.pandas")
    InteractiveShell.clear_instance()


def run(shell, cell):
    shell.run_cell(cell).raise_error()


def test_pandas_means_tessera_until_the_extension_goes(shell, capsys):
    run(shell, "import pandas as before")
    shell.run_line_magic("load_ext", "tessera.pandas")
    run(shell, "import pandas as pd, math\nfrom pandas import Series\nimport pandas")
    names = shell.user_ns
    assert {names[name].__name__ for name in ("pd", "before", "pandas")} == {"tessera.pandas"}
    assert names["Series"].__module__ == "tessera.pandas"
    run(shell, "f = pd.DataFrame({'k': [1, 2] * 2000, 'v': 1.5}); g = f.groupby('k').v.sum(); m = f.melt()")
    shell.run_line_magic("pandas_report", "")
    shown = capsys.readouterr().out
    assert "GroupBy.sum" in shown and "native" in shown and "DataFrame.melt" in shown
    shell.run_line_magic("pandas_report", "reset")
    shell.run_line_magic("pandas_report", "")
    assert "no method of a large frame" in capsys.readouterr().out
    with pytest.raises(ValueError, match="write %pandas_report"):
        shell.run_line_magic("pandas_report", "nonsense")
    shell.run_line_magic("unload_ext", "tessera.pandas")
    run(shell, "import pandas as pd")
    assert names["pd"] is pandas and names["before"] is pandas
