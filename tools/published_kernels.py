#!/usr/bin/env python3
"""Kernels as they are published in NVIDIA's, CuPy's and PyCUDA's samples: compiled and, on a GPU, run, beside CuPy where it is installed.

    tools/published_kernels.py --samples CHECKOUT_OF_CUDA_SAMPLES --cupy CHECKOUT_OF_CUPY --pycuda CHECKOUT_OF_PYCUDA

The files are read, not changed. What both launch on the same data must agree within the tolerance. Without a GPU they run on the cores where clang is
found, else they are compiled only. `--save FILE` keeps a GPU's results, which `--against FILE` compares those of the cores with.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tessera.cuda.source import clang

from tessera import _core, cuda


def f(*shape: int) -> Any:
    """Numbers from 0.1 to 1, the same for the same shape."""
    return (np.random.default_rng(sum(shape)).random(shape) * 0.9 + 0.1).astype(np.float32)


def zeros(n: int, dtype: Any = np.float32) -> Any:
    return np.zeros(n, dtype)


def ints(n: int, dtype: Any = np.int32) -> Any:
    return np.arange(n).astype(dtype)


@dataclass
class Published:
    file: str
    kernel: str
    grid: tuple[int, ...] = (1,)
    block: tuple[int, ...] = (32,)
    arguments: tuple[Any, ...] = ()
    shared: int = 0
    options: tuple[str, ...] = ()
    stored: dict[str, Any] = field(default_factory=dict)  # into variables, before the launch
    looked_at: tuple[str, ...] = ()  # variables, after it
    ignored: tuple[int, ...] = ()  # arguments that differ from run to run
    tolerance: float = 0.0


INTRO, CONCEPTS, DOMAIN = "Samples/0_Introduction", "Samples/2_Concepts_and_Techniques", "Samples/5_Domain_Specific"
VOTE, HAAR = f"{INTRO}/simpleVoteIntrinsics/simpleVote_kernel.cuh", f"{DOMAIN}/dwtHaar1D/dwtHaar1D_kernel.cuh"
OF_HAAR = ("-DINV_SQRT_2=0.70710678f", "-DLOG_NUM_BANKS=4", "-DNUM_BANKS=16")  # of the file that includes it
QUASI, SCAN = (
    f"{DOMAIN}/quasirandomGenerator_nvrtc/quasirandomGenerator_kernel.cu",
    f"{CONCEPTS}/shfl_scan/shfl_integral_image.cuh",
)
MATRIX = f"{INTRO}/matrixMul_nvrtc/matrixMul_kernel.cu"

OF_NVIDIA = [
    Published(f"{INTRO}/vectorAdd_nvrtc/vectorAdd_kernel.cu", "vectorAdd", (4,), (256,), (f(1000), f(999), zeros(1000), np.int32(999))),
    Published(f"{INTRO}/clock_nvrtc/clock_kernel.cu", "timedReduction", (64,), (256,), (f(512), zeros(64), zeros(128, np.int64)), 2048, ignored=(2,)),
    Published(MATRIX, "matrixMulCUDA_block16", (4, 4), (16, 16), (zeros(4096), f(64, 64), f(65, 64)[:64], np.int32(64), np.int32(64))),
    Published(MATRIX, "matrixMulCUDA_block32", (2, 2), (32, 32), (zeros(4096), f(64, 64), f(65, 64)[:64], np.int32(64), np.int32(64))),
    Published(f"{INTRO}/simpleAssert_nvrtc/simpleAssert_kernel.cu", "testKernel", (2,), (32,), (np.int32(64),)),
    Published(f"{INTRO}/simpleAtomicIntrinsics_nvrtc/simpleAtomicIntrinsics_kernel.cuh", "testKernel", (1,), (1,), (zeros(11, np.int32),)),
    Published(VOTE, "VoteAnyKernel1", (1,), (128,), (ints(128, np.uint32) % 64 // 60, zeros(128, np.uint32), np.int32(128))),
    Published(VOTE, "VoteAllKernel2", (1,), (128,), (ints(128, np.uint32) // 32, zeros(128, np.uint32), np.int32(128))),
    Published(VOTE, "VoteAnyKernel3", (1,), (96,), (zeros(288, np.bool_), np.int32(32))),
    Published(f"{CONCEPTS}/inlinePTX_nvrtc/inlinePTX_kernel.cu", "sequence_gpu", (2,), (256,), (zeros(500, np.int32), np.int32(500))),
    Published(f"{CONCEPTS}/scalarProd/scalarProd_kernel.cuh", "scalarProdGPU", (16,), (256,), (zeros(16), f(8192), f(4, 2048).ravel(), np.int32(16), np.int32(512))),
    Published(f"{DOMAIN}/BlackScholes_nvrtc/BlackScholes_kernel.cuh", "BlackScholesGPU", (8,), (128,),
              (zeros(2000), zeros(2000), f(2000) * 30, f(2001)[:2000] * 100, f(2002)[:2000] * 10, np.float32(0.02), np.float32(0.3), np.int32(2000)), tolerance=1e-6),
    Published(HAAR, "initValue", (4,), (64,), (zeros(256), np.float32(1.5)), options=OF_HAAR),
    Published(HAAR, "dwtHaar1D", (1,), (256,), (f(512), zeros(512), zeros(1), np.uint32(9), np.uint32(256), np.int32(256)), 4 * (512 + 32), OF_HAAR),
    Published(QUASI, "quasirandomGeneratorKernel", (8,), (128, 3), (zeros(3072), np.uint32(7), np.uint32(1024)), stored={"c_Table": ints(93, np.uint32) * 77777}),
    Published(QUASI, "inverseCNDKernel", (8,), (128,), (zeros(1024), np.uint32(1024)), tolerance=1e-6),
    Published(f"{DOMAIN}/binomialOptions_nvrtc/binomialOptions_kernel.cu", "binomialOptionsKernel", (16,), (128,), looked_at=("d_CallValue",), tolerance=1e-5),
    Published("Samples/3_CUDA_Features/ptxjit/ptxjit_kernel.cu", "myKernel", (4,), (64,), (zeros(256, np.int32),)),
    Published(SCAN, "shfl_vertical_shfl", (4,), (32, 8), (ints(128 * 1080, np.uint32), np.int32(128), np.int32(1080))),
    Published(SCAN, "shfl_intimage_rows", (4,), (120,), (ints(120 * 16, np.uint32) % 251, zeros(4 * 120 * 16 * 4, np.uint32))),
    Published(f"{INTRO}/vectorAddDrv/vectorAdd_kernel.cu", "VecAdd_kernel", (4,), (256,), (f(1000), f(999), zeros(1000), np.int32(999))),
    *(Published(f"{INTRO}/matrixMulDrv/matrixMul_kernel.cu", f"matrixMul_bs{n}_64bit", (64 // n, 64 // n), (n, n),
                (zeros(4096), f(64, 64), f(65, 64)[:64], np.uint64(64), np.uint64(64))) for n in (8, 16, 32)),
    Published(f"{INTRO}/simpleAtomicIntrinsics/simpleAtomicIntrinsics_kernel.cuh", "testKernel", (1,), (1,), (zeros(11, np.int32),)),
    Published("Samples/3_CUDA_Features/memMapIPCDrv/memMapIpc_kernel.cu", "memMapIpc_kernel", (2,), (64,), (zeros(200, np.int8), np.int32(190), np.int8(7))),
    Published(f"{CONCEPTS}/threadMigration/threadMigration_kernel.cu", "kernelFunction", (1,), (32,), (zeros(32, np.int32),)),
    Published(f"{DOMAIN}/BlackScholes/BlackScholes_kernel.cuh", "BlackScholesGPU", (8,), (128,),
              (zeros(2000), zeros(2000), f(2000) * 30, f(2001)[:2000] * 100, f(2002)[:2000] * 10, np.float32(0.02), np.float32(0.3), np.int32(2000)), tolerance=1e-6),
    Published(f"{DOMAIN}/convolutionFFT2D/convolutionFFT2D.cuh", "modulateAndNormalize_kernel", (4,), (256,), (f(2000), f(2001)[:2000], np.int32(1000), np.float32(0.25)),
              options=("-default-device",)),
]  # fmt: skip
SGEMM = "DIM_X=16 DIM_Y=16 BLK_M=96 BLK_N=96 BLK_K=16 DIM_XA=32 DIM_YA=8 DIM_XB=8 DIM_YB=32 THR_M=6 THR_N=6"
OF_CUPY = [
    Published("examples/gemm/sgemm.cu", "sgemm", (1, 1), (16, 16), (np.int32(96), np.int32(96), np.int32(96), f(96, 96), f(97, 96)[:96], zeros(9216)),
              options=tuple(f"-D{word}" for word in SGEMM.split()), tolerance=1e-5),
]  # fmt: skip
OF_PYCUDA = [
    Published("examples/hello_gpu.py", "multiply_them", (1,), (400,), (zeros(400), f(400), f(401)[:400])),
    Published("examples/demo.py", "doublify", (1,), (4, 4), (f(16),)),
    Published("examples/from-wiki/game_of_life.py", "step", (4, 4), (16, 16), (ints(4096) % 7 // 5, zeros(4096, np.int32))),
    Published("examples/from-wiki/simple_speed_test.py", "gpusin", (4,), (128,), (zeros(512), f(512), np.int32(5)), tolerance=1e-6),
    Published("examples/from-wiki/arithmetic_example.py", "func", (2,), (32, 16), (f(512), np.int32(500), np.float32(0.1), np.int32(3))),
]  # fmt: skip


def source_of(path: Path, kernel: str) -> str:
    """The text of a file, or of the string in a program of PyCUDA's, with the names of C that SourceModule gives it."""
    text = path.read_text()
    if path.suffix != ".py":
        return text
    strings = (one.value for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Constant))
    found = next(one for one in strings if isinstance(one, str) and re.search(rf"__global__\s+void\s+{kernel}\b", one))
    return found if 'extern "C"' in found else f'extern "C" {{\n{found}\n}}'


def run(one: Published, code: str, folder: Path, kind: Any, arrays: Any, host: Any) -> list[Any]:
    """Launches by one library's names; returns what the kernel may have written."""
    is_c = re.search(r'extern "C"[^;{]*\b' + re.escape(one.kernel) + r"\b", code) or one.file.endswith(".py")
    is_template = "<" in one.kernel or not is_c
    module = kind(
        code=code, options=(f"-I{folder}", "-std=c++17", *one.options),
        name_expressions=[one.kernel] if is_template else None,
    )  # fmt: skip
    for name, value in one.stored.items():
        store(module, name, value, arrays)
    given = [arrays(value) if isinstance(value, np.ndarray) else value for value in one.arguments]
    module.get_function(one.kernel)(one.grid, one.block, tuple(given), shared_mem=one.shared)
    results = [host(v) for k, v in enumerate(given) if hasattr(v, "shape") and v.shape and k not in one.ignored]
    return results + [host(look(module, name)) for name in one.looked_at]


def store(module: Any, name: str, value: Any, arrays: Any) -> None:
    to = module.get_global(name)
    if hasattr(to, "copy_from_host"):
        to.copy_from_host(value.ctypes.data, value.nbytes)
    else:
        to[...] = value.reshape(to.shape)


def look(module: Any, name: str) -> Any:
    found = module.get_global(name)
    if hasattr(found, "mem"):
        import cupy

        return cupy.ndarray(1024, cupy.float32, found)
    return found


def differ(one: Published, ours: list[Any], theirs: list[Any], whose: str) -> str:
    for a, b in zip(ours, theirs):
        a = a.view(b.dtype) if a.nbytes == b.nbytes else a  # of a variable whose size is computed there are bytes
        if not np.allclose(a, b, rtol=one.tolerance, atol=one.tolerance, equal_nan=True):
            return f"differs from {whose} by {np.abs(a.astype(float) - b.astype(float)).max()}"
    return ""


def check(one: Published, root: Path, cupy: Any, saved: dict[str, Any], kept: Any) -> str:
    path = root / one.file
    if not path.is_file():
        return "there is no such file"
    code = source_of(path, one.kernel)
    if not _core.sources.capability() and clang.find() is None:
        module = cuda.RawModule(
            code=code,
            options=(f"-I{path.parent}", "-std=c++17", *one.options),
            name_expressions=None if path.suffix == ".py" else [one.kernel],
        )
        module.get_function(one.kernel)
        return ""
    import tessera.numpy as tn

    ours = run(one, code, path.parent, cuda.RawModule, tn.asarray, np.array)
    key = f"{one.file} {one.kernel}"
    saved |= {f"{key} {k}": value for k, value in enumerate(ours)}
    if kept is not None:
        return differ(one, ours, [kept[f"{key} {k}"] for k in range(len(ours))], "what was saved")
    if cupy is None:
        return "" if all(np.isfinite(value).all() for value in ours) else "not finite"
    try:
        theirs = run(one, code, path.parent, cupy.RawModule, cupy.asarray, cupy.asnumpy)
    except cupy.cuda.compiler.CompileException:  # a header of C's, which NVRTC has not
        return "" if all(np.isfinite(value).all() for value in ours) else "not finite"
    return differ(one, ours, theirs, "CuPy's")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--cupy", type=Path)
    parser.add_argument("--pycuda", type=Path)
    parser.add_argument("--save", type=Path, help="a file for the results")
    parser.add_argument("--against", type=Path, help="such a file, of a GPU")
    given = parser.parse_args()
    saved: dict[str, Any] = {}
    kept = np.load(given.against) if given.against else None
    try:
        import cupy
    except Exception:
        cupy = None
    failed = count = 0
    for root, kernels in ((given.samples, OF_NVIDIA), (given.cupy, OF_CUPY), (given.pycuda, OF_PYCUDA)):
        for one in kernels if root else []:
            try:
                problem = check(one, root.resolve(), cupy, saved, kept)
            except Exception as error:
                problem = f"{type(error).__name__}: {str(error)[:300]}"
            count += 1
            failed += bool(problem)
            print(f"{'FAIL' if problem else 'ok  '} {one.kernel:28s} {one.file} {problem}", flush=True)
    if given.save:
        np.savez(given.save, **saved)
    print(f"{count - failed} of {count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
