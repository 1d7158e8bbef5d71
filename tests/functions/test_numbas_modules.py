"""Numba's modules by their names: settings, errors, what packages import and cannot use, functions at addresses."""

import ctypes
import math
import pickle
import subprocess
import sys

import numpy
import pytest
from tessera.errors import CompileError, TypingError, UnsupportedError

import tessera
from tessera import njit, numba, types


def run(path, text):
    path.write_text(text)
    command = [sys.executable, "-m", "tessera", "run", "--numba", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr


def test_settings():
    config = numba.config

    @njit
    def threads():
        return numba.config.NUMBA_NUM_THREADS

    assert threads() == config.NUMBA_NUM_THREADS >= 1
    layer = config.THREADING_LAYER
    try:
        config.THREADING_LAYER = "threadsafe"
        assert config.THREADING_LAYER == "threadsafe" and numba.threading_layer() == "tbb"
    finally:
        config.THREADING_LAYER = layer
    with pytest.raises(ValueError, match="THREADING_LAYER is 'fast'"):
        config.THREADING_LAYER = "fast"
    with pytest.raises(NotImplementedError, match=r"BOUNDSCHECK = 1 .*; instead: jit\(boundscheck=True\)"):
        config.BOUNDSCHECK = 1
    config.DEBUG = 0
    with pytest.raises(AttributeError, match="no NOTHING"):
        config.NOTHING  # noqa: B018


def test_compiling_is_disabled():
    numba.config.DISABLE_JIT = 1
    try:

        def function(x):
            return [x]

        assert njit(function) is function
    finally:
        numba.config.DISABLE_JIT = 0
    assert njit(lambda x: x + 1)(1) == 2


def test_errors_and_warnings():
    errors = numba.core.errors
    assert numba.errors is errors and errors.TypingError is numba.TypingError is TypingError
    assert errors.NumbaError is CompileError and issubclass(errors.UnsupportedError, UnsupportedError)
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), (CompileError, Warning)), name
    assert issubclass(errors.NumbaPerformanceWarning, errors.NumbaWarning)


def test_versions():
    assert numba.version_info >= (0, 60) and numba.version_info.major == 0 and numba.version_info.short == (0, 68)


def test_what_packages_import_is_found(tmp_path):
    text = """
from numba.core.typing import typeof_impl
from numba.extending import intrinsic, typeof_impl, register_model, models, box, unbox, NativeValue, make_attribute_wrapper
from numba.np.ufunc.gufunc import GUFunc
from numba.np.numpy_support import as_dtype, from_dtype
from numba.np.linalg import _LAPACK
from numba.core import cgutils, types as core_types
import numba.core.types, numba
assert numba.core.types is core_types is numba.types
class Interval:
    pass
class IntervalType(core_types.Type):
    def __init__(self):
        super().__init__(name="Interval")
@typeof_impl.register(Interval)
def typeof_interval(value, c):
    return IntervalType()
@register_model(IntervalType)
class IntervalModel(models.StructModel):
    pass
@numba.njit
def function(x):
    return x
for call in (lambda: function(Interval()), lambda: cgutils.alloca(), lambda: numba.np.ufunc.tbbpool):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
for line in ("from numba.core import lowering", "from numba.np.ufunc import tbbpool", "import numba.nothing.here"):
    try:
        exec(line)
    except ImportError as error:
        print(error)
"""
    lines = run(tmp_path / "prog.py", text).splitlines()
    assert (
        "can't unbox Interval" in lines[0]
        and "extending.overload" in lines[1]
        and lines[2].startswith("AttributeError")
    )
    assert "cannot import name 'lowering' from 'numba.core'" in lines[3] and "extending.overload" in lines[3]
    assert "cannot import name 'tbbpool'" in lines[4] and "No module named 'numba.nothing.here'" in lines[5]


def test_types_are_found_in_numbas_modules_of_them(tmp_path):
    text = """
from numba.core.types.misc import NoneType
from numba.core.types import npytypes
from numba import types
print(NoneType is types.NoneType, npytypes.Array is types.Array, types.npytypes.NPDatetime("D"))
"""
    assert run(tmp_path / "prog.py", text).split() == ["True", "True", "datetime64[D]"]


def test_what_is_not_there_raises_where_it_is_used():
    for make in (numba.core.serialize,):
        with pytest.raises(NotImplementedError, match="instead"):
            make()


def test_functions_of_ctypes():
    libm = ctypes.CDLL("libm.so.6")
    cosine = libm.cos
    cosine.argtypes, cosine.restype = [ctypes.c_double], ctypes.c_double

    @njit
    def function(x):
        return cosine(x) + 1

    assert function(0.5) == math.cos(0.5) + 1 and function(2) == math.cos(2) + 1
    largest = ctypes.CFUNCTYPE(ctypes.c_uint64)(lambda: 2**64 - 1)
    assert njit(lambda: largest() * 0.5)() == 2.0**63
    undeclared = ctypes.CDLL("libm.so.6").sin

    @njit
    def other(x):
        return undeclared(x)

    with pytest.raises(TypingError, match="argtypes are not declared"):
        other(0.5)


def test_functions_at_addresses():
    address = tessera.extending.get_cython_function_address("scipy.special.cython_special", "j0")

    class Bessel(types.WrapperAddressProtocol):
        def __wrapper_address__(self):
            return address

        def signature(self):
            return types.float64(types.float64)

    bessel, by_ctypes = Bessel(), ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address)

    @njit
    def function(x):
        return bessel(x), by_ctypes(x)

    import scipy.special

    assert function(0.5) == (scipy.special.j0(0.5),) * 2
    with pytest.raises(ValueError, match="No function 'nothing'"):
        tessera.extending.get_cython_function_address("scipy.special.cython_special", "nothing")
    with pytest.raises(ImportError):
        tessera.extending.get_cython_function_address("scipy.nothing", "nothing")


def test_typed_lists():
    List = numba.typed.List

    @njit
    def made(n):
        listed = List()
        for k in range(n):
            listed.append(k * 0.5)
        numbers = numba.typed.List.empty_list(types.int32)
        empty = len(numbers)
        numbers.append(3)
        return listed, empty, numbers

    assert made(3) == ([0.0, 0.5, 1.0], 0, [3])

    @njit
    def changed(listed):
        listed.append(7)
        return len(listed), listed[0]

    numbers = List([1, 2])
    assert changed(numbers) == (3, 1) and numbers == [1, 2, 7] and type(numbers) is List

    @njit
    def total(arrays):
        result = 0.0
        for one in arrays:
            result += one.sum()
        return result

    arrays = List()
    for k in (2, 3):
        arrays.append(numpy.ones(k))
    assert total(arrays) == 5.0 and pickle.loads(pickle.dumps(numbers)) == numbers
    assert List.empty_list(types.int64, allocated=8) == []
    with pytest.raises(NotImplementedError, match="meminfo"):
        List(lsttype=types.ListType(types.int64), meminfo=1)
    with pytest.raises(ValueError, match="an empty list"):
        changed(List())

    class Own(list):
        def __len__(self):
            return 99

    with pytest.raises(TypingError, match="not Own"):
        changed(Own([1]))
