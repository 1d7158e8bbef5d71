"""Device functions as PTX that other code calls."""

import inspect
import math
import re
import subprocess

import numpy as np
import pytest
from tessera.cuda import _assembler

from tessera import cuda, errors, types


def assembles(text, folder):
    if (program := _assembler.find("ptxas")) is None:
        pytest.skip("what can be said without ptxas holds; there is none to assemble the text")
    (folder / "function.ptx").write_text(text)
    command = [program, "-arch=sm_80", "-c", str(folder / "function.ptx"), "-o", str(folder / "function.o")]
    subprocess.run(command, check=True, capture_output=True)


def add(x, y):
    return x + y


@pytest.mark.parametrize("number", ["int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "boolean"])
def test_the_result_has_the_type_of_the_signature(number, tmp_path):
    kind = getattr(types, number)
    text, result = cuda.compile(add, kind(kind, kind))
    assert result == kind and ".visible .entry" not in text
    bits = 64 if kind.dtype.itemsize == 8 else 32
    header = re.search(r"\.visible \.func  \(\.param (\S+ ?\S*) func_retval0\) add\(([^)]*)\)", text)
    assert header and header[1].endswith(f".b{bits}") and header[2].count(".param") == 2
    assembles(text, tmp_path)


device_add = cuda.jit(device=True)(add)


def halved(x):
    y = x + device_add(x, 1)
    return math.sqrt(y) / 2


@pytest.mark.parametrize("abi", ["c", "numba"])
def test_lines_of_the_source_stand_in_the_text_when_asked_for(abi, tmp_path):
    def compiled(**options):
        return cuda.compile(halved, types.float64(types.float64), abi=abi, abi_info={"abi_name": "half"}, **options)[0]

    text = compiled(lineinfo=True)
    lines = {int(line.split()[2]) for line in text.splitlines() if line.strip().startswith(".loc")}
    first, called = (inspect.getsourcelines(function)[1] for function in (halved, add))
    assert {first + 2, called + 1} <= lines and min(lines) > 0
    assert f'"{__file__}"' in text and ".loc" not in compiled()
    assembles(text, tmp_path)
    assert ".loc" in cuda.compile(lambda: None, (), lineinfo=True, abi=abi, abi_info={"abi_name": "nothing"})[0]
    own = cuda.jit(device=True, lineinfo=True)(halved)
    assert ".loc" in own.inspect_asm((types.float64,))
    with pytest.warns(errors.IgnoredOptionWarning, match="lineinfo=True names the lines"):
        compiled(debug=True)


def test_types_are_inferred_where_the_signature_names_no_result():
    assert cuda.compile(add, (types.float32, types.float32))[1] == types.float32
    assert cuda.compile(add, (types.int32, types.int32))[1] == types.int64
    assert cuda.compile(lambda x, y: x < y, (types.int32, types.int32))[1] == types.boolean
    assert cuda.compile(lambda: None, ())[1] == types.void
    assert cuda.compile_all(add, "uint32(uint32, uint32)")[1] == types.uint32


def test_numbas_convention_stores_the_result(tmp_path):
    text, result = cuda.compile_ptx(add, "float32(float32, float32)", device=True)
    assert result == types.float32 and text.count(".param .b64 add_param_0") == 1 and "add_param_2" in text
    assert re.search(r"st\.f32\s+\[%rd\d+\], %f\d+;", text)
    assembles(text, tmp_path)


def test_names():
    text, _ = cuda.compile(lambda x: x, types.int32(types.int32), abi_info={"abi_name": "_Z4funci"})
    assert "func_retval0) _Z4funci(" in text
    assert "_lambda_(" in cuda.compile(lambda x: x, types.int32(types.int32))[0]


@cuda.jit(device=True)
def inner(x):
    return math.sqrt(x) + 1


def test_functions_that_are_called_and_coordinates_are_inside(tmp_path):
    def outer(x, z):
        total = 0.0
        for k in range(4):
            total += inner(x) * cuda.threadIdx.x + cuda.blockDim.y * k
        return total * z

    text, result = cuda.compile(outer, (types.float64, types.complex128), cc=(9, 0))
    assert result == types.complex128 and ".align 8 .b8 func_retval0[16]" in text
    assert "%tid.x" in text and "%ntid.y" in text and "call" not in text and ".target sm_90" in text
    assembles(text.replace("sm_90", "sm_80"), tmp_path)


def test_fast_math():
    def root(x):
        return math.sqrt(x)

    text, _ = cuda.compile(root, (types.float32,), fastmath=True)
    assert "sqrt.approx.ftz.f32" in text


def test_what_has_no_code_of_its_own():
    table = np.arange(3.0)

    def fails(x):
        assert x > 0
        return x

    def of_array(a):
        return a[0]

    def of_table(k):
        return table[k]

    for function, kinds in ((of_array, (types.float64[:],)), (of_table, (types.int64,)), (fails, (types.int64,))):
        with pytest.raises(NotImplementedError, match="device functions"):
            cuda.compile(function, kinds)
    with pytest.raises(NotImplementedError, match="return a number or nothing"):
        cuda.compile(lambda x: (x, x), (types.int64,))
    with pytest.raises(TypeError, match="returns a complex number"):
        cuda.compile(lambda z: z, types.float64(types.complex128))
    with pytest.raises(NotImplementedError, match="Unsupported ABI: fastcall"):
        cuda.compile(add, (types.int32, types.int32), abi="fastcall")
    with pytest.raises(ValueError, match="launch bounds"):
        cuda.compile(add, (types.int32, types.int32), launch_bounds=64)
