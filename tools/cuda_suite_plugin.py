"""A pytest plugin for tools/cuda_tests.py: tessera under the names of cupy and pycuda."""

from __future__ import annotations

import os

import cuda_names
import pytest

PROJECT, _, FOLDER = os.environ["TESSERA_SUITE"].partition(":")

# Tests of other things than kernels' behaviour, by a part of their name, and what they are of.
OTHER = {
    "cupy": {
        "test_load_hsaco": "AMD's files",
        "exture": "textures",
        "surface": "surfaces",
        "test_warns": "sums of arrays",
        "TestSimpleReductionFunctionInvalidAxis": "sums of arrays",
        "TestElementwise::": "copies of arrays",
        "NVCC": "nvcc in place of NVRTC",
        "test_load_cubin": "nvcc in place of NVRTC",
        "test_load_ptx": "nvcc in place of NVRTC",
        "(in-memory cache": "CuPy's own cache",
        "TestCachePayload": "CuPy's own cache",
        "TestRawNameExpressionCache": "CuPy's own cache",
        "itify": "Jitify, which is deprecated",
        "NVRTC (jitify": "Jitify, which is deprecated",
        "dynamical_parallelism": "kernels that launch kernels",
        "test_raw_picklable": "processes that import cupy",
        "test_context_switch": "several GPUs",
    },
    "pycuda": {
        "texture": "textures",
        "surface": "surfaces",
        "3d_array": "arrays of textures",
        "multichannel": "textures",
        "multi_context": "several contexts of one device",
        "jit_link_module": "kernels that launch kernels",
        "mempool": "PyCUDA's own allocator",
    },
}


def pytest_configure(config):
    for mark in ("slow", "gpu", "multi_gpu", "thread_unsafe", "cuda"):
        config.addinivalue_line("markers", mark)
    cuda_names.install(PROJECT, FOLDER)


def pytest_collection_modifyitems(items):
    for item in items:
        for part, what in OTHER[PROJECT].items():
            name = item.nodeid.replace("(no-jitify)", "").replace("[no-jitify]", "")
            if part in name.replace(", no-jitify", ""):
                item.add_marker(pytest.mark.skip(reason=f"of {what}"))
                break
