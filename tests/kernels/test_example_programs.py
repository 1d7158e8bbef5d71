"""The programs in examples/kernels run, and print what they should."""

import re
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "kernels"


def printed(name, capsys):
    runpy.run_path(str(FOLDER / f"{name}.py"))
    return capsys.readouterr().out


def test_tiled_product(capsys):
    assert float(printed("tiled_matmul", capsys).split()[-1]) < 1e-4


@pytest.mark.parametrize("name", ["reduction", "shuffle_reduction"])
def test_sums(name, capsys):
    found = re.fullmatch(r"by the kernel: (\S+)  by NumPy: (\S+)\n", printed(name, capsys))
    assert found and float(found[1]) == float(found[2])


def test_random_walks(capsys):
    assert abs(float(printed("random_walks", capsys).split()[3]) - 400) < 20


def test_lomb_scargle(capsys):
    assert re.findall(r"frequency is (\S+);", printed("lomb_scargle", capsys)) == ["1.701", "1.701"]


def test_conjugate_gradients(capsys):
    assert float(printed("conjugate_gradients", capsys).split()[-1]) < 1e-7


def test_stream_pipeline(capsys):
    assert printed("stream_pipeline", capsys).endswith("True\n")


@pytest.mark.parametrize("name", ["copied_arguments", "foreign_functions", "many_architectures", "raw_kernels"])
def test_sources_run_or_say_what_they_need(name, capsys, device):
    if device == "simulated":
        pytest.skip("NVRTC compiles for GPUs only")
    if name == "many_architectures":
        pytest.importorskip("jinja2")
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", ["mandelbrot", "monte_carlo_pi", "vector_add"])
def test_others_run(name, capsys):
    assert printed(name, capsys)


def test_user_functions(capsys):
    assert len(printed("user_functions", capsys).splitlines()) == 4
