"""tessera jupyter: kernels installed, listed, replaced, removed; what is wrong is said."""

import json
import sys

import pytest
from tessera.cli import main

pytest.importorskip("ipykernel")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    return tmp_path / "kernels"


def test_a_kernel_is_installed_listed_replaced_and_removed(folder, capsys):
    assert main(["jupyter", "--name", "two.cpus", "--cpus", "2", "--gpus", "0", "--fallback", "silent"]) == 0
    spec = json.loads((folder / "two.cpus" / "kernel.json").read_text())
    assert spec["argv"][0] == sys.executable and spec["display_name"] == "tessera (2 CPUs, no GPU)"
    assert {k: v for k, v in spec["env"].items() if k != "PYTHONPATH"} == {
        "TESSERA_CPUS": "2",
        "TESSERA_DEVICE": "cpu",
        "TESSERA_FALLBACK": "silent",
    }
    assert main(["jupyter", "--name", "two.cpus", "--gpus", "1", "--display-name", "Mine"]) == 0
    assert main(["jupyter", "--list"]) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("two.cpus:")]
    assert len(listed) == 1 and "Mine" in listed[0] and "TESSERA_DEVICE=gpu" in listed[0]
    assert main(["jupyter", "--name", "two.cpus", "--uninstall"]) == 0 and not (folder / "two.cpus").exists()
    assert main(["jupyter", "--name", "two.cpus", "--uninstall"]) == 2
    assert "--list lists them" in capsys.readouterr().err


def test_kernels_of_others_are_left_alone(folder, capsys):
    (folder / "other").mkdir(parents=True)
    text = json.dumps({"argv": ["x"], "display_name": "Other", "language": "x"})
    (folder / "other" / "kernel.json").write_text(text)
    assert main(["jupyter", "--name", "other"]) == 2 and main(["jupyter", "--name", "Other", "--uninstall"]) == 2
    assert (folder / "other" / "kernel.json").read_text() == text
    assert "tessera did not install" in capsys.readouterr().err


def test_nonsense_is_refused(folder, capsys):
    assert main(["jupyter", "--name", "a/b"]) == 2 and "letters, digits" in capsys.readouterr().err
    for words, message in (
        ([], "--name"),
        (["--name", "x", "--cpus", "0"], "positive"),
        (["--gpus", "-1"], "0 or more"),
    ):
        with pytest.raises(SystemExit):
            main(["jupyter", *words])
        assert message in capsys.readouterr().err


def test_missing_jupyter_is_said(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", None)
    assert main(["jupyter", "--name", "x"]) == 2 and "pip install ipykernel" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "jupyter_client.kernelspec", None)
    assert main(["jupyter", "--list"]) == 2 and "pip install ipykernel jupyterlab" in capsys.readouterr().err


def test_a_notebook_runs_in_the_installed_kernel(folder):
    import nbclient
    import nbformat

    assert main(["jupyter", "--name", "tessera_test", "--cpus", "2"]) == 0
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell(text)
        for text in (
            "%tessera numpy",
            "import numpy as np, os\nx = np.ones((300, 300)) * 2\nprint(type(x).__module__, os.environ['TESSERA_CPUS'])\nx",
            "%%tessera_graph\nfloat(x.sum())",
        )
    ]
    nbclient.NotebookClient(notebook, timeout=100, kernel_name="tessera_test").execute()
    second = notebook.cells[1].outputs
    assert second[0].text == "tessera.numpy 2\n" and "<img" in second[1].data["text/html"]
    shown = notebook.cells[2].outputs[-1].data["text/html"]
    assert "add along 0 1" in shown
