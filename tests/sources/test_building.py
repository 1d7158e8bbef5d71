"""Kernels ahead of time: one file for many architectures."""

import struct
import subprocess
import sys

import numpy as np
import pytest
from tessera.cli import main
from tessera.errors import CudaSourceError, CudaSupportError

from tessera import _core, cuda

CODE = """#include "more.h"
extern "C" __global__ void add(float* a) { a[threadIdx.x] += MORE; }
template<class T> __global__ void scale(T* a, T by) { a[threadIdx.x] *= by; }"""


@pytest.fixture
def source(tmp_path):
    if not _core.devices():
        try:
            _core.sources.bundle([(b"", "compute_90")])
        except CudaSupportError as error:
            pytest.skip(str(error))
        except RuntimeError:
            pass
    (tmp_path / "more.h").write_text("#define MORE 2")
    path = tmp_path / "kernels.cu"
    path.write_text(CODE)
    return path


def parts_of(code):
    """Kind (1: PTX, 2: machine code), architecture and bytes of a fatbin's parts."""
    magic, _, header, nbytes = struct.unpack_from("<IHHQ", code)
    assert magic == 0xBA55ED50
    parts, at = [], header
    while at < header + nbytes:
        kind, _, size, length = struct.unpack_from("<HHIQ", code, at)
        parts.append((kind, struct.unpack_from("<I", code, at + 28)[0], code[at + size : at + size + length]))
        at += size + length
    return parts


def test_a_file_has_the_architectures_that_are_asked_for(source, tmp_path, capsys):
    to = tmp_path / "out.fatbin"
    assert main(["build-kernels", str(source), "-o", str(to), "--arch", "sm_80,sm_90", "--arch", "compute_90"]) == 0
    assert "sm_80, sm_90, compute_90" in capsys.readouterr().out
    parts = parts_of(to.read_bytes())
    assert [(kind, arch) for kind, arch, _ in parts] == [(2, 80), (2, 90), (1, 90)]
    assert all(code.startswith(b"\x7fELF") for kind, _, code in parts if kind == 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernels.cu", "more.h", "out.fatbin"]


def test_all_architectures_without_any(source, tmp_path):
    made = cuda.build_kernels(CODE.partition("\n")[2].replace("MORE", "1"), tmp_path / "all.fatbin")
    known = _core.sources.compiler_facts()["capabilities"]
    assert made == [*(f"sm_{number}" for number in known), f"compute_{known[-1]}"]
    assert [arch for _, arch, _ in parts_of((tmp_path / "all.fatbin").read_bytes())] == [*known, known[-1]]


def test_names_of_instances_go_with_the_file(source, tmp_path):
    from tessera.cuda.source.build import symbols_in

    to = tmp_path / "out.fatbin"
    assert main(["build-kernels", str(source), "-o", str(to), "--arch", "sm_90", "-n", "scale<float>"]) == 0
    code = to.read_bytes()
    symbols = symbols_in(code)
    assert list(symbols) == ["scale<float>"] and symbols["scale<float>"].encode() in parts_of(code)[0][2]
    for broken in (code[:-5], code + b"x", code.replace(b"{", b"[")):
        assert symbols_in(broken) == {}


def test_what_is_wrong_is_said(source, tmp_path, capsys):
    (tmp_path / "wrong.cu").write_text("__global__ void k(float* a) {\n  a[0] = nothing;\n}")
    for arguments, text in (
        ([str(tmp_path / "wrong.cu"), "--arch", "sm_90"], 'wrong.cu(2): error: identifier "nothing" is undefined'),
        ([str(tmp_path / "none.cu")], "none.cu"),
        ([str(source), "--arch", "hopper"], "hopper"),
    ):
        assert main(["build-kernels", *arguments]) == 1
        assert text in capsys.readouterr().err
    assert not list(tmp_path.glob("*.fatbin*"))
    with pytest.raises(ValueError, match="architectures="):
        cuda.build_kernels("", tmp_path / "x", architectures=["sm_90"], options=("-arch=sm_80",))
    with pytest.raises(CudaSourceError):
        cuda.build_kernels("wrong", tmp_path / "x", architectures=["sm_90"])


def test_threads_open_the_compiler_together(source):
    program = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from tessera.cuda.source import compiler
from tessera.cuda.source.options import parse
together = Barrier(6)
def build(k):
    together.wait()
    return compiler.compile_source(f'extern "C" __global__ void k{k}() {{}}', f"{k}.cu", parse(())).code
with ThreadPoolExecutor(6) as pool:
    for k, code in enumerate(pool.map(build, range(6))):
        assert f"k{k}".encode() in code, (k, code[:200])
print("all compiled")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "all compiled\n", done.stderr


@pytest.mark.skipif(not _core.devices(), reason="there is no GPU")
def test_a_gpu_loads_the_file(source, tmp_path):
    import tessera.numpy as tn

    to = tmp_path / "out.fatbin"
    here = _core.sources.capability()
    for architectures in (f"sm_{here}", "compute_80", f"sm_80,sm_{here},compute_80"):
        assert main(["build-kernels", str(source), "-o", str(to), "--arch", architectures, "-n", "scale<float>"]) == 0
        module, a = cuda.RawModule(path=to), tn.arange(4, dtype=np.float32)
        module.get_function("add")((1,), (4,), (a,))
        module.get_function("scale<float>")((1,), (4,), (a, 3.0))
        assert np.asarray(a).tolist() == [6, 9, 12, 15]
