"""The engine as an installed C++ library: find_package(tessera), build the example, run it."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD", ROOT / "build" / "release"))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason="needs the build folder of `make build`")
@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_the_heat_example_builds_against_an_installed_tessera(tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"needs {compiler}")
    prefix = tmp_path / "prefix"
    run("cmake", "--install", str(BUILD), "--component", "cpp", "--prefix", str(prefix))
    run(
        "cmake",
        "-S",
        str(ROOT / "examples" / "cpp"),
        "-B",
        str(tmp_path / "build"),
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DCMAKE_BUILD_TYPE=Release",
    )
    run("cmake", "--build", str(tmp_path / "build"))
    assert "every bit as by hand" in run(str(tmp_path / "build" / "heat"), "150", "30")
