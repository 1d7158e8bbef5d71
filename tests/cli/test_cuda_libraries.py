"""The doctor starts CUDA's libraries and names the one that does not work, with the command that mends it."""

import shutil
import subprocess

import pytest
from tessera.cli import cuda_libraries

GOOD = {
    "cublas": "int cublasCreate_v2(void** h) { return 0; }",
    "cufft": "int cufftPlan1d(int* plan, int n, int type, int batch) { return n != 64; }",
    "cusolver": "int cusolverDnCreate(void** h) { return 0; }",
    "nvrtc": """
        #include <string.h>
        int nvrtcCreateProgram(void** p, const char* s, const char* n, int k, void* h, void* i) { return 0; }
        int nvrtcCompileProgram(void* p, int k, const char** o) { return strcmp(o[0], "--gpu-architecture=sm_90") ? 5 : 0; }
    """,
}
TITLES = {"cublas": "cuBLAS", "cufft": "cuFFT", "cusolver": "cuSOLVER", "nvrtc": "NVRTC"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tessera._toolkit.folders", lambda: [str(tmp_path)])
    return tmp_path


def build(folder, stem, source, number=12, *options):
    path = folder / f"lib{stem}.so.{number}"
    compiler = shutil.which("cc") or shutil.which("clang-19")
    subprocess.run(
        [compiler, "-w", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", *options, "-o", path],
        input=source,
        text=True,
        check=True,
    )
    return path


def facts(folder, origin="Python package", **other):
    """As `_core.device_libraries` gives them; `other` are the sources of some that differ from good ones."""
    return [
        {
            "title": TITLES[stem],
            "path": str(build(folder, stem, other.get(stem, source))),
            "origin": origin,
            "version": "12.8",
            "problem": "",
        }
        for stem, source in GOOD.items()
    ]


def missing(title, problem):
    return {"title": title, "path": "", "origin": "", "version": "", "problem": problem}


def test_libraries_that_start_are_no_problem(folder):
    assert cuda_libraries.problems_of(facts(folder), 12080, 90) == []


def test_a_library_that_does_not_start_is_named_with_its_command(folder):
    libraries = facts(folder, cusolver="int cusolverDnCreate(void** h) { return 1; }")
    (problem,) = cuda_libraries.problems_of(libraries, 12040, 90)
    assert problem.startswith(f"cuSOLVER 12.8 ({folder}/libcusolver.so.12) does not start (status 1): ")
    assert "pip install --upgrade --force-reinstall 'nvidia-cusolver-cu12'" in problem and "CUDA 12.4" in problem


def test_a_library_that_crashes_does_not_end_the_doctor_nor_hide_others(folder):
    libraries = facts(
        folder,
        cublas="#include <stdlib.h>\nint cublasCreate_v2(void** h) { abort(); }",
        cufft="int cufftPlan1d(int* plan, int n, int type, int batch) { return 5; }",
        nvrtc="int x;",
    )
    problems = cuda_libraries.problems_of(libraries, 13000, 90)
    assert [problem.split(" (")[0] for problem in problems] == ["cuBLAS 12.8", "cuFFT 12.8", "NVRTC 12.8"]
    assert "ends the process when it starts (SIGABRT)" in problems[0] and "'nvidia-cublas>=13,<14'" in problems[0]
    assert "status 5" in problems[1] and "undefined symbol" in problems[2]


def test_a_crash_of_the_last_library_is_told(folder):
    source = "void exit(int); int nvrtcCreateProgram() { exit(3); }"
    (problem,) = cuda_libraries.problems_of(facts(folder, nvrtc=source), 12080, 90)
    assert problem.startswith("NVRTC") and "exit code 3" in problem


def test_a_compiler_that_is_older_than_the_gpu_is_named(folder):
    (problem,) = cuda_libraries.problems_of(facts(folder), 12080, 100)
    assert "NVRTC 12.8" in problem and "sm_100" in problem and "'nvidia-cuda-nvrtc-cu12'" in problem


def test_conda_mends_what_conda_brought(folder):
    libraries = facts(folder, origin="conda", cublas="int cublasCreate_v2(void** h) { return 1; }")
    (problem,) = cuda_libraries.problems_of(libraries, 12080, 90)
    assert "conda install --force-reinstall libcublas cuda-version=12" in problem


def test_a_library_of_a_newer_cuda_than_the_driver_is_told_from_none(folder):
    absent = missing("cuFFT", "cuFFT was not found: pip install nvidia-cufft-cu12")
    assert cuda_libraries.problems_of([absent], 12080, 90) == [absent["problem"]]
    build(folder, "cufft", GOOD["cufft"], 12)
    (problem,) = cuda_libraries.problems_of([absent], 12080, 90)
    assert "cuFFT is for CUDA 13" in problem and "supports CUDA 12.8" in problem and "'nvidia-cufft-cu12'" in problem


def test_the_library_that_another_one_needs_is_blamed(folder):
    (folder / "map").write_text("libnvJitLink.so.12 { global: *; };")
    needed = build(
        folder, "nvJitLink", "int nvJitLinkNew() { return 0; }", 12,
        "-Wl,-soname,libnvJitLink.so.12", f"-Wl,--version-script={folder / 'map'}",
    )  # fmt: skip
    source = "int nvJitLinkNew(); int cusolverDnCreate(void** h) { return nvJitLinkNew(); }"
    libraries = facts(folder)
    build(folder, "cusolver", source, 12, str(needed), f"-Wl,-rpath,{folder}")
    assert cuda_libraries.problems_of(libraries, 12080, 90) == []
    build(folder, "nvJitLink", "int other;", 12, "-Wl,-soname,libnvJitLink.so.12")
    (problem,) = cuda_libraries.problems_of(libraries, 12080, 90)
    assert problem.startswith("cuSOLVER") and problem.count("nvidia-nvjitlink-cu12") == 1
    needed.unlink()
    (problem,) = cuda_libraries.problems_of(libraries, 12080, 90)
    assert "cannot open" in problem and "nvidia-nvjitlink-cu12" in problem
    engine = missing(
        "cuSOLVER", f"cuSOLVER does not load ({problem.split(': ', 1)[1]}): pip install nvidia-cusolver-cu12"
    )
    (problem,) = cuda_libraries.problems_of([engine], 12080, 90)
    assert problem.endswith("pip install --upgrade --force-reinstall 'nvidia-nvjitlink-cu12'")
