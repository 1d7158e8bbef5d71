#!/usr/bin/env python3
"""tessera under the names of cupy and pycuda, for their own tests and examples.

tools/cuda_names.py CUPY_OR_PYCUDA SCRIPT [arguments] runs a script, unchanged.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import os
import runpy
import sys
import types
from pathlib import Path

import numpy

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", Path(__file__).parent.parent / "build" / "release")) / "simulated"


def module(name: str, **attributes):
    made = types.ModuleType(name)
    made.__path__ = []
    made.__dict__.update(attributes)
    return made


class _Reduction:
    """create_reduction_func: a kernel for each of a few dtypes."""

    def __init__(self, name, ops, routine, identity):
        self._name, self._routine, self._identity = name, routine, identity
        self._ops = [tuple(op.split("->")) for op in ops]
        self._kernels = {}

    @property
    def _cached_codes(self):
        return [text for kernel in self._kernels.values() for text in kernel.cached_codes]

    def __call__(self, array, axis=None, dtype=None, out=None, keepdims=False):
        from tessera import cuda

        array = _given(array)
        given, made = next(op for op in self._ops if numpy.can_cast(array.dtype, op[0]))
        if (given, made) not in self._kernels:
            mapped, reduced, post, kind = self._routine
            self._kernels[given, made] = cuda.ReductionKernel(
                f"{numpy.dtype(given).name} in0", f"{numpy.dtype(made).name} out0", mapped, reduced, post,
                self._identity, self._name, reduce_type=kind,
            )  # fmt: skip
        return self._kernels[given, made](array.astype(given), axis=axis, out=out, keepdims=keepdims)


def _given(value):
    if isinstance(value, numpy.ndarray):
        raise TypeError("Argument 'a' has incorrect type")
    value = getattr(value, "__cupy_get_ndarray__", lambda: value)()
    if not hasattr(value, "dtype"):
        from tessera import cuda

        value = cuda.as_cuda_array(value)
    return value


class _AnyArray(type):
    def __instancecheck__(cls, value):
        from tessera import _core

        return _core.kernels.is_array(value)


class _NdArray(metaclass=_AnyArray):
    """cupy.ndarray: the type of tessera's arrays, and arrays over memory that there is."""

    def __new__(cls, shape, dtype=float, memptr=None):
        import tessera.numpy as tn

        if memptr is None:
            return tn.empty(shape, dtype=dtype)
        count = int(numpy.prod(shape))
        if not hasattr(memptr, "reshape"):
            from tessera.pycuda import gpuarray

            return gpuarray.GPUArray(shape, dtype, gpudata=memptr)
        return memptr.reshape(-1).view(dtype)[:count].reshape(shape)


def _alloc(nbytes):
    """cupy.cuda.alloc: memory that kernels take as an argument."""
    from tessera.pycuda import _memory

    memory = _memory.mem_alloc(nbytes)
    memory.copy_from = lambda source, n: _memory.memcpy_htod(memory, numpy.frombuffer(source, numpy.uint8)[:n])
    return memory


class _DiskCache:
    def __init__(self, folder):
        pass


def _with_dtype(function):
    def call(*args, dtype=None, **named):
        made = function(*args, **named)
        return made if dtype is None else made.astype(dtype)

    return call


def _jit(cuda):
    names = ("threadIdx", "blockIdx", "blockDim", "gridDim", "grid", "gridsize", "syncthreads", "laneid", "warpsize")
    others = {name: getattr(cuda, name) for name in names}
    return module(
        "cupyx.jit", rawkernel=cuda.rawkernel, atomic_add=cuda.atomic.add, shared_memory=cuda.shared.array, **others
    )


def cupys_modules(folder):
    import tessera.numpy as tn
    from tessera.cuda.source import generated

    from tessera import _core, cuda, errors

    driver_error = (AttributeError, OSError, KeyError, errors.CudaSupportError, RuntimeError)
    runtime = module(
        "cupy.cuda.runtime", is_hip=False, getDevice=lambda: 0, getDeviceCount=lambda: len(_core.devices()),
        driverGetVersion=lambda: 13000, runtimeGetVersion=lambda: 13000, deviceSynchronize=_core.synchronize,
        CUDARuntimeError=RuntimeError,
    )  # fmt: skip
    generated.Generated._cached_codes = property(lambda self: self.cached_codes)
    compiler = module(
        "cupy.cuda.compiler", CompileException=errors.CudaSourceError, JitifyException=errors.CudaSourceError,
        _get_bool_env_variable=lambda name, default: default, _kernel_cache_backend=None,
        _empty_file_preprocess_cache={}, _get_arch=lambda: str(_core.sources.capability()),
        _run_cc=lambda *_: "release 13.0",
    )  # fmt: skip
    driver = module("cupy.cuda.driver", CUDADriverError=driver_error, get_build_version=lambda: 13000,
                    _is_cuda_python=lambda: False)  # fmt: skip
    textures = {name: None for name in ("ChannelFormatDescriptor", "CUDAarray", "ResourceDescriptor",
                                        "TextureDescriptor", "TextureObject")}  # fmt: skip
    cuda_names = {name: getattr(cuda, name) for name in cuda.__all__}
    stream_type = type("Stream", (), {"__new__": lambda cls, *_, **__: cuda.stream(), "null": cuda.default_stream()})
    numbers = module("cupy.random", **{name: _with_dtype(getattr(tn.random, name)) for name in
                                       ("rand", "randn", "random", "random_sample", "uniform", "normal")})  # fmt: skip
    numbers.__getattr__ = lambda name: getattr(tn.random, name)
    of_cuda = module(
        "cupy.cuda", **cuda_names | {
            "runtime": runtime, "compiler": compiler, "driver": driver, "Stream": stream_type, "stream": module("cupy.cuda.stream", Stream=stream_type),
            "get_nvcc_path": lambda: "nvcc", "memory": module("cupy.cuda.memory", alloc=_alloc), "alloc": _alloc,
            "Event": lambda *_, **__: cuda.event(), "get_elapsed_time": cuda.event_elapsed_time,
            "texture": module("cupy.cuda.texture", **textures), "is_available": lambda: True,
            "device": module("cupy.cuda.device", get_compute_capability=lambda: str(_core.sources.capability())),
            "_compiler_cache": module("cupy.cuda._compiler_cache", DiskKernelCacheBackend=_DiskCache),
        },
    )  # fmt: skip
    accelerators = {f"{do}_{what}_accelerators": (lambda *_: [])
                    for do in ("get", "set") for what in ("routine", "reduction")}  # fmt: skip
    accelerator = module("cupy._core._accelerator", ACCELERATOR_CUB=1, **accelerators)
    core = module("cupy._core", create_reduction_func=_Reduction, _accelerator=accelerator, **accelerators,
                  internal=module("cupy._core.internal", prod=numpy.prod))  # fmt: skip
    top = module(
        "cupy", RawKernel=cuda.RawKernel, RawModule=cuda.RawModule, ElementwiseKernel=cuda.ElementwiseKernel,
        ReductionKernel=cuda.ReductionKernel, ndarray=_NdArray, fuse=cuda.fuse, asnumpy=numpy.asarray, cuda=of_cuda, _core=core,
        random=numbers, exceptions=numpy.exceptions, poly1d=numpy.poly1d, _util=module("cupy._util", clear_memo=lambda: None),
    )  # fmt: skip
    top.__getattr__ = lambda name: getattr(tn, name)
    top.__path__ = [str(Path(folder) / "cupy")] if folder else []  # of cupy.testing, which is theirs
    nvrtc = module("cupy_backends.cuda.libs.nvrtc", getVersion=lambda: (13, 0))
    jit = _jit(cuda)
    sparse = module("cupyx.scipy.sparse", issparse=lambda _: False)
    made = [
        top, core, accelerator, core.internal, top._util, of_cuda, runtime, compiler, driver, of_cuda.memory,
        of_cuda.texture, of_cuda._compiler_cache, nvrtc, sparse, module("cupy_backends"), numbers, jit, of_cuda.stream, module("cupyx", jit=jit),
        module("cupy_backends.cuda"), module("cupy_backends.cuda.libs", nvrtc=nvrtc),
        module("cupyx.scipy", sparse=sparse),
    ]  # fmt: skip
    sys.modules.update({one.__name__: one for one in made})
    sys.modules["cupy.exceptions"] = numpy.exceptions
    if folder:
        top.testing = importlib.import_module("cupy.testing")


def pycudas_modules():
    from tessera.pycuda import tools

    def context():
        yield

    tools.mark_cuda_test = lambda function: function
    tools.init_cuda_context_fixture = context
    sys.meta_path.insert(0, _Aliases())
    if importlib.util.find_spec("pytools") is None:  # what the tests take of it
        pairs = {"f": "float32", "d": "float64", "F": "float32", "D": "float64"}
        match = lambda _, like: numpy.dtype(pairs[like.char])  # noqa: E731
        sys.modules["pytools"] = module("pytools", match_precision=match)


class _Aliases(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """`pycuda.x` is `tessera.pycuda.x`."""

    def find_spec(self, name, path=None, target=None):
        if name != "pycuda" and not name.startswith("pycuda."):
            return None
        if importlib.util.find_spec(f"tessera.{name}") is None:
            return None
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec):
        return importlib.import_module(f"tessera.{spec.name}")

    def exec_module(self, module):
        pass


def choose_device():
    """The GPU, or the simulated device with the host's compiler."""
    import tessera
    from tessera import _core, _toolkit

    if os.environ.get("TESSERA_SUITE_CORES"):
        return  # no device: kernels run on the cores
    device = "gpu" if _core.devices() else "simulated"
    if device == "simulated":
        _toolkit.folders = lambda: [str(LIBRARIES.resolve())]
    tessera.device(device).__enter__()


def install(project, folder=""):
    choose_device()
    if project == "cupy":
        cupys_modules(folder)
    else:
        pycudas_modules()


if __name__ == "__main__":
    install(sys.argv[1])
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
