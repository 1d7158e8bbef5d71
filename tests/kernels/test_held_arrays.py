"""Arrays of a device as global names, enumerations, reductions without NaN, printed tuples, options that are checked."""

import enum

import numpy as np
import pytest

from tessera import cuda

KEPT = cuda.to_device(np.arange(5.0))
OTHER = cuda.to_device(np.arange(6, dtype=np.int32).reshape(2, 3)[:, ::2])


class Color(enum.Enum):
    red = 1
    green = 5


class Code(enum.IntEnum):
    ok = 200
    lost = 404


def test_kernels_write_arrays_of_a_device_that_are_global_names():
    @cuda.jit
    def change(out):
        i = cuda.grid(1)
        if i < KEPT.size:
            KEPT[i] += 1
            out[i] = KEPT[i] + OTHER[1, 1]

    KEPT[:] = np.arange(5.0)
    out = np.zeros(5)
    change[1, 32](out)
    change[1, 32](out)
    np.testing.assert_array_equal(KEPT.copy_to_host(), np.arange(5) + 2)
    np.testing.assert_array_equal(out, np.arange(5) + 2 + 5)
    KEPT[2] = 100
    change[1, 32](out)
    assert out[2] == 106 and len(change.overloads) == 1


def test_another_array_under_the_name_is_seen():
    kept = cuda.to_device(np.array([1.0]))

    @cuda.jit(device=True)
    def read():
        return kept[0]

    @cuda.jit
    def kernel(out):
        out[0] = read()

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 1
    kept = cuda.to_device(np.array([2.0, 3.0]))
    kernel[1, 1](out)
    assert out[0] == 2


def test_enumerations():
    @cuda.jit
    def kernel(out, color, code):
        out[0] = Color["red"] == Color.green
        out[1] = color == Color["green"]
        out[2] = code + Code["lost"] + Code.ok

    out = np.zeros(3)
    kernel[1, 1](out, Color.green, Code.ok)
    assert out.tolist() == [0, 1, 804]


NAN = np.nan


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "count_nonzero", "var", "std"])
@pytest.mark.parametrize("values", [[1.5, 0.0, -2.0, 4.0], [NAN, 3.0, NAN, -1.0, 0.0], [3, 0, -4, 5]])
def test_reductions(name, values):
    function = getattr(np, name)

    @cuda.jit
    def kernel(a, out):
        out[0] = function(a)

    a, out = np.array(values), np.zeros(1)
    kernel[1, 1](a, out)
    np.testing.assert_allclose(out[0], function(a), rtol=1e-15)


def test_nanmin_of_nothing_but_nan():
    @cuda.jit
    def kernel(a, out):
        out[0] = np.nanmin(a)
        out[1] = np.nanmax(a)

    out = np.zeros(2)
    kernel[1, 1](np.full(3, NAN), out)
    assert np.isnan(out).all()


def test_printed_tuples(capsys):
    @cuda.jit
    def kernel(values):
        print(values, (1,), "and", (True, (2, 0.5)))

    kernel[1, 1]((1, (2.5, 3)))
    cuda.synchronize()
    assert capsys.readouterr().out == "(1, (2.500000, 3)) (1,) and (True, (2, 0.500000))\n"


def test_debug_kernels_raise_where_a_divisor_is_zero():
    @cuda.jit(debug=True)
    def kernel(a, x, y):
        a[0] = x // y

    with pytest.raises(ZeroDivisionError):
        kernel[1, 1](np.zeros(1), 1, 0)
    quiet = cuda.jit(kernel.py_func)
    quiet[1, 1](np.ones(1), 1, 0)


def test_options_are_checked():
    for carveout in (150, -2, "most"):
        with pytest.raises(ValueError, match="carveout"):
            cuda.jit(lambda a: None, shared_memory_carveout=carveout)
    with pytest.raises(ValueError, match="Got 4 launch bounds"):
        cuda.jit(lambda a: None, launch_bounds=(128, 1, 1, 1))

    @cuda.jit("void(float64[:])", launch_bounds=128)
    def bounded(a):
        a[0] = 1

    assert ".maxntid 128," in bounded.inspect_asm("void(float64[:])") and bounded.get_max_threads_per_block() == 128
