"""Puts tessera.cuda in the place of numba.cuda for tools/numba_cuda_tests.py, and what the tests import of Numba beside it.

Modules of the tests themselves come from the unpacked wheel. Other modules are named below: those of tessera.cuda under the names that
numba-cuda has for them, and stand-ins for what the files import but few of their tests use. Any other module is missing.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
import types as python_types
import unittest
from pathlib import Path
from typing import Any

from tessera.cuda import _vectors

from tessera import _core, cuda, errors, types

WHEEL = Path(os.environ.get("NUMBA_CUDA_TESTS", "."))
NO_GPU = cuda.get_current_device().compute_capability == (0, 0)


class Missing:
    """A name of Numba's inside: importing it is harmless, using it fails."""

    def __init__(self, name: str, *_: Any) -> None:
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{self._name} is part of Numba's compiler")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}")


class Base:
    """A class of Numba's to derive from."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


def decorator(*_: Any, **__: Any) -> Any:
    """Registers nothing."""
    return lambda function: function


class _Config:
    ENABLE_CUDASIM = False

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if hasattr(cuda.config, name):
            setattr(cuda.config, name, value)

    CUDA_LOW_OCCUPANCY_WARNINGS = 0
    CUDA_WARN_ON_IMPLICIT_COPY = 0
    CUDA_MEMORY_MANAGER = "default"
    CUDA_ARRAY_INTERFACE_SYNC = True
    CUDA_USE_NVIDIA_BINDING = True
    CUDA_ENABLE_PYNVJITLINK = False
    CUDA_DEBUGINFO_DEFAULT = 0
    CUDA_PER_THREAD_DEFAULT_STREAM = 0
    CUDA_ENABLE_NRT = False
    CUDA_DEALLOCS_COUNT = 10
    CUDA_DEALLOCS_RATIO = 0.2
    CUDA_DEFAULT_PTX_CC = (8, 0)
    OPT = 3
    IS_WIN32 = False
    DISABLE_JIT = 0
    DEBUG_ARRAY_OPT = 0
    DISABLE_PERFORMANCE_WARNINGS = 0


class _Counters:
    """Of Numba's reference-counted arrays in kernels, which tessera has not: always 0."""

    def memsys_enable_stats(self) -> None:
        pass

    memsys_disable_stats = memsys_enable_stats

    def get_allocation_stats(self) -> Any:
        return python_types.SimpleNamespace(alloc=0, free=0, mi_alloc=0, mi_free=0)


def _testing() -> dict[str, Any]:
    support = importlib.import_module("numba.cuda.tests.support")

    class CUDATestCase(support.TestCase):  # type: ignore[misc, name-defined]
        FLOAT16_RTOL = 2.0**-10

        def assertFileCheckAsm(self, *_: Any, **__: Any) -> None:
            self.skipTest("looks for Numba's instructions in PTX")

        assertFileCheckLLVM = assertFileCheckMatches = assertFileCheckAsm

    class ForeignArray:
        def __init__(self, array: Any) -> None:
            self._arr = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    def plain(test: Any) -> Any:
        return test

    def always(reason: str = "") -> Any:
        return plain

    def needs_toolkit(test: Any) -> Any:
        return unittest.skip("needs CUDA's toolkit")(test)

    names: dict[str, Any] = {
        "unittest": unittest,
        "CUDATestCase": CUDATestCase,
        "ForeignArray": ForeignArray,
        "numba_cuda_dir": WHEEL,
        "test_data_dir": WHEEL / "tests" / "data",
        "skip_on_standalone_numba_cuda": plain,
        "skip_unless_cudasim": lambda reason: unittest.skip(reason),
        "skip_unless_conda_cudatoolkit": lambda reason: unittest.skip(reason),
        "skip_without_nvdisasm": lambda reason: unittest.skip(reason),
        "skip_if_nvjitlink_missing": lambda reason: unittest.skip(reason),
        "xfail_unless_cudasim": unittest.expectedFailure,
        "cc_X_or_above": lambda major, minor: True,
    }
    names |= dict.fromkeys(("skip_if_cuda_includes_missing", "skip_if_curand_kernel_missing"), needs_toolkit)
    names["skip_if_cudadevrt_missing"] = plain
    names |= {f"skip_unless_cc_{number}": plain for number in (50, 53, 60, 75, 90)}
    names |= dict.fromkeys(
        "skip_on_cudasim skip_if_external_memmgr skip_under_cuda_memcheck skip_with_nvdisasm skip_on_arm skip_on_wsl2 "
        "skip_on_nvjitlink_13_1_sm_120".split(),
        always,
    )
    return names


def _vector_types() -> dict[str, Any]:
    """What the tests ask of Numba's vector types, of those that tessera has."""
    by_name: dict[str, Any] = {}
    for name, intrinsic in _vectors.known.items():
        own = intrinsic.__name__
        element, _, count = own.rpartition("x")
        by_name.setdefault(
            own,
            python_types.SimpleNamespace(
                name=own,
                base_type=getattr(types, element),
                num_elements=int(count),
                attr_names="xyzw"[: int(count)],
                user_facing_object=intrinsic,
            ),
        )
        aliases = intrinsic.__dict__.setdefault("aliases", [])
        if name != own:
            aliases.append(name)
    return {"vector_types": by_name}


def _numpy_support() -> dict[str, Any]:
    import numpy

    version = tuple(map(int, numpy.__version__.split(".")[:2]))
    return {
        "numpy_version": version,
        "from_dtype": getattr(types, "from_dtype", types.Scalar),
        "as_dtype": lambda kind: kind.dtype,
        "carray": Missing("carray"),
        "farray": Missing("farray"),
    }


_ERRORS = {
    "TypingError": errors.TypingError,
    "NumbaTypeError": errors.TypingError,
    "LoweringError": errors.CompileError,
    "UnsupportedError": errors.UnsupportedError,
    "UnsupportedBytecodeError": errors.UnsupportedError,
    "UnsupportedRewriteError": errors.UnsupportedError,
    "CompilerError": errors.CompileError,
    "ForceLiteralArg": errors.CompileError,
    "RequireLiteralValue": errors.TypingError,
    "NumbaValueError": errors.TypingError,
    "NumbaError": errors.CompileError,
    "NumbaWarning": UserWarning,
    "NumbaDebugInfoWarning": UserWarning,
    "NumbaInvalidConfigWarning": errors.IgnoredOptionWarning,
    "NumbaPerformanceWarning": getattr(errors, "PerformanceWarning", UserWarning),
}

_CONFIG = _Config()
_registry = {
    "overload": decorator,
    "overload_method": decorator,
    "overload_attribute": decorator,
    "intrinsic": decorator,
}
_registry |= {"typeof_impl": Missing("typeof_impl"), "register_model": decorator, "NativeValue": object}
_registry |= {
    "make_attribute_wrapper": decorator,
    "lower_builtin": decorator,
    "models": python_types.SimpleNamespace(StructModel=Base, OpaqueModel=Base, PrimitiveModel=Base),
}
_registry |= {
    "type_callable": decorator,
    "register": decorator,
    "core_models": Missing("core_models"),
    "as_numba_type": Missing("as_numba_type"),
}


class _TypeOf:
    @staticmethod
    def register(*_: Any) -> Any:
        return lambda function: function


_registry["typeof_impl"] = _TypeOf

# By module: names, or a function that makes them when the module is first imported.
MODULES: dict[str, Any] = {
    "numba.cuda.testing": _testing,
    "numba.cuda.types": types,
    "numba.types": types,
    "numba.core": {},
    "numba.core.types": types,
    "numba.core.errors": _ERRORS,
    "numba.core.extending": _registry,
    "numba.extending": _registry,
    "numba.cuda.core": {},
    "numba.cuda.core.errors": _ERRORS,
    "numba.cuda.errors": _ERRORS,
    "numba.cuda.core.config": _CONFIG,
    "numba.cuda.config": _CONFIG,
    "numba.cuda.utils": {"PYVERSION": sys.version_info[:2]},
    "numba.cuda.np": {},
    "numba.cuda.np.numpy_support": _numpy_support,
    "numba.cuda.typing": {"signature": lambda result, *arguments: types.Signature(result, arguments)},
    "numba.cuda.typing.typeof": {"typeof": types.typeof},
    "numba.cuda.typing.cffi_utils": {"SUPPORTED": False},
    "numba.cuda.extending": _registry,
    "numba.cuda.core.pythonapi": {"unbox": decorator},
    "numba.cuda.datamodel": {},
    "numba.cuda.datamodel.models": {"OpaqueModel": Base},
    "numba.cuda.memory_management": {},
    "numba.cuda.memory_management.nrt": {"rtsys": _Counters()},
    "numba.cuda.core.callconv": {"CUDACallConv": object},
    "numba.cuda.core.imputils": {"Registry": Missing("Registry")},
    "numba.cuda.core.options": {"ParallelOptions": Missing("ParallelOptions")},
    "numba.cuda.core.bytecode": Missing("bytecode"),
    "numba.cuda.core.controlflow": Missing("controlflow"),
    "numba.cuda.descriptor": {"cuda_target": Missing("cuda_target")},
    "numba.cuda.compiler": {
        "compile": cuda.compile,
        "compile_ptx": cuda.compile_ptx,
        "compile_ptx_for_current_device": cuda.compile_ptx_for_current_device,
    },
    "numba.cuda.cudadrv.nvrtc": Missing("nvrtc"),
    "numba.cuda.cudadrv.nvvm": Missing("nvvm"),
    "numba.cuda.cudadrv.libs": Missing("libs"),
    "numba.cuda.api": {"is_fp8_supported": lambda: False},
    "numba.cuda.args": {"wrap_arg": Missing("wrap_arg")},
    "numba.cuda.deviceufunc": {"GUFuncEngine": Missing("GUFuncEngine")},
    "numba.cuda.core.rewrites": {
        "register_rewrite": decorator,
        "Rewrite": object,
        "rewrite_registry": Missing("registry"),
    },
    "numba.cuda.codegen": {"CUDACodeLibrary": object},
    "numba.cuda._compat": {"CUDA_CORE_GE_1_0": False},
    "numba.cuda.cudadecl": {"registry": Missing("registry")},
    "numba.cuda.cudaimpl": {"lower": decorator, "lower_attr": decorator},
    "numba.cuda.libdevicefuncs": {"functions": {}, "create_signature": Missing("create_signature")},
    "numba.cuda.launchconfig": Missing("launchconfig"),
    "numba.cuda.kernels": {},
    "numba.cuda.kernels.transpose": {"transpose": Missing("transpose")},
    "numba.cuda.vector_types": _vector_types,
    "numba.cuda.cgutils": Missing("cgutils"),
    "numba.cuda.misc": {},
    "numba.cuda.misc.special": {"literal_unroll": cuda.literal_unroll},
    "numba.cuda.simulator": {},
    "numba.cuda.tests.cudapy.test_typeconv": {"CompatibilityTestMixin": object},
    "llvmlite": {"ir": Missing("llvmlite.ir")},
    "cffi": {"FFI": lambda: cuda.ffi},
    "numba.cuda.cudadrv.linkable_code": {"LinkableCode": cuda.LinkableCode},
    "cuda": {},
    "cuda.core": {name: Missing(name) for name in ("ObjectCode", "Device", "Buffer", "Stream", "EventOptions")},
    "cuda.bindings": {},
    "cuda.core._utils": {},
    "cuda.core._utils.cuda_utils": {"CUDAError": ValueError},
}


INSIDE: dict[str, dict[str, Any]] = {
    "numba.cuda.types": {
        name: type(name, (), {}) for name in ("Integer", "Float", "Complex", "IntEnumMember", "Literal")
    }
    | {"NoneType": types.Void},
    "numba.cuda.cudadrv.driver": {
        "_have_nvjitlink": lambda: False,
        "_Linker": Missing("_Linker"),
        "LinkerError": RuntimeError,
        "_to_core_stream": Missing("_to_core_stream"),
    },
    "numba.cuda.cudadrv.devicearray": {name: Missing(name) for name in ("errmsg_contiguous_buffer",)},
}


class _Numba(python_types.ModuleType):
    """numba.cuda: the names of tessera.cuda and the modules above."""

    HAS_NUMBA = True
    HostOnlyCUDAMemoryManager = BaseCUDAMemoryManager = object

    def __getattr__(self, name: str) -> Any:
        if not hasattr(cuda, name):
            with contextlib.suppress(ImportError):
                return importlib.import_module(f"numba.cuda.{name}")
        return getattr(cuda, name)


def _for_target(plain: Any, of_cuda: Any) -> Any:
    """Numba's decorator, which makes what tessera.cuda makes where target="cuda"."""

    def decorate(*arguments: Any, **options: Any) -> Any:
        return (of_cuda if options.get("target") == "cuda" else plain)(*arguments, **options)

    return decorate


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds numba, its modules above, and the tests in the wheel."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        root = name.partition(".")[0]
        if root not in ("numba", "llvmlite", "cffi", "cuda"):
            return None
        if name in ("numba", "numba.cuda") or name in MODULES or _of_tessera(name):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if name.startswith("numba.cuda.tests"):
            place = WHEEL.joinpath(*name.split(".")[2:])
            if place.is_dir():
                return importlib.util.spec_from_file_location(
                    name, place / "__init__.py", submodule_search_locations=[str(place)]
                )
            return importlib.util.spec_from_file_location(name, place.with_suffix(".py"))
        return None

    def create_module(self, spec: Any) -> Any:
        if spec.name == "numba.cuda":
            return _Numba(spec.name)
        return python_types.ModuleType(spec.name)

    def exec_module(self, module: Any) -> None:
        name = module.__name__
        if name == "numba":
            module.__version__ = "0.0"
            module.cuda = importlib.import_module("numba.cuda")
            module.types, module.errors = types, importlib.import_module("numba.core.errors")
            module.typeof = types.typeof
            import tessera

            for known in ("jit", "njit"):
                setattr(module, known, getattr(tessera, known))
            for known in ("vectorize", "guvectorize"):
                setattr(module, known, _for_target(getattr(tessera, known), getattr(cuda, known)))
            module.float32, module.float64 = types.float32, types.float64
            return
        if name == "numba.cuda":
            module.types, module.config = importlib.import_module("numba.cuda.types"), _CONFIG
            return
        if name in MODULES:
            given = MODULES[name]
            given = given() if isinstance(given, python_types.FunctionType) else given
            if isinstance(given, dict):
                module.__dict__.update(given)
            elif isinstance(given, python_types.ModuleType):
                module.__dict__.update({key: value for key, value in vars(given).items() if not key.startswith("__")})
                module.__dict__.update(INSIDE.get(name, {}))
            else:
                sys.modules[name] = given
            return
        found = _of_tessera(name)
        if hasattr(found, "__getattr__"):
            module.__getattr__ = found.__getattr__
        # Names of Numba's inside beside tessera's.
        module.__dict__.update({key: value for key, value in vars(found).items() if not key.startswith("__")})
        module.__dict__.update(INSIDE.get(name, {}))
        if name == "numba.cuda.cudadrv":
            for part in ("nvrtc", "nvvm", "libs"):
                setattr(module, part, MODULES[f"{name}.{part}"])
            for part in ("devicearray", "devices", "driver", "error", "runtime"):
                setattr(module, part, importlib.import_module(f"{name}.{part}"))


def _of_tessera(name: str) -> Any:
    """The module of tessera.cuda under the name that it has in numba.cuda."""
    if not name.startswith("numba.cuda."):
        return None
    place = "tessera.cuda." + name.removeprefix("numba.cuda.")
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError:
        return None


def _annotation(compiled: Any) -> Any:
    """The types of a kernel's variables, where Numba has them."""
    arrays = {name: re.fullmatch(r"array\((\w+), (\d+)d\)", kind) for name, kind in compiled.variables}
    found = {name: types.Array(match[1], int(match[2])) for name, match in arrays.items() if match}
    return python_types.SimpleNamespace(typemap=found)


def install() -> None:
    """Numba's names stand for tessera's from now on, and functions that the tests make by exec have their text."""
    sys.meta_path.insert(0, Finder())
    cuda.keep_sources()
    _core.kernels.CompiledKernel._type_annotation = property(_annotation)
