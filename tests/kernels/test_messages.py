"""What is refused: each message shows the line, the types and what to write instead."""

import subprocess
import sys

import numpy as np
import pytest

from tessera import cuda, errors

ARRAY = np.zeros(4)


def failing(function, *arguments, error=errors.TypingError):
    with pytest.raises(error) as caught:
        cuda.jit(function)[1, 1](*arguments)
    return str(caught.value)


def test_a_message_has_line_caret_types_and_advice():
    def kernel(a, c):
        i = cuda.grid(1)
        c[i] = a + 1

    message = failing(kernel, np.zeros(3), np.zeros(3))
    assert message.startswith(f"{__file__}:{kernel.__code__.co_firstlineno + 2}: in kernel: array(float64, 1d) for an")
    assert "        c[i] = a + 1\n" in message
    assert "        ^^^^\n" in message
    assert "types: c: array(float64, 1d)" in message
    assert "instead: one element of it, such as a[i]" in message


def test_wrong_number_of_indices():
    def kernel(a):
        a[0, 0, 0] = 1

    assert "an array of 2 axes with 3 indices" in failing(kernel, np.zeros((2, 2)))


def test_float_index():
    def kernel(a):
        a[1.5] = 1

    assert "an index is float64" in failing(kernel, np.zeros(3))


def test_unknown_name():
    def kernel(a):
        a[0] = nowhere  # noqa: F821

    assert "there is no nowhere" in failing(kernel, np.zeros(3))


def test_a_kernel_returns_nothing():
    def kernel(a):
        return a[0]

    assert "a kernel returns a value" in failing(kernel, np.zeros(3))


def test_one_variable_of_two_kinds():
    def kernel(a):
        x = 1
        if a[0] > 0:
            x = (1, 2)
        a[0] = x

    assert "x is tuple(int64, int64) here and int64 elsewhere" in failing(kernel, np.zeros(3))


def test_read_before_it_is_assigned():
    def kernel(a):
        a[0] = x  # noqa: F821
        x = 1  # noqa: F841

    assert "x is read before it is assigned" in failing(kernel, np.zeros(3))


def test_shape_of_a_shared_array_is_constant():
    def kernel(a):
        held = cuda.shared.array(a.size, np.float32)
        held[0] = 1

    assert "the shape of cuda.shared.array is not constant" in failing(kernel, np.zeros(3))


def test_complex_into_a_real_array():
    def kernel(a):
        a[0] = 1j

    assert "complex128 for an element" in failing(kernel, np.zeros(3))


def test_grid_of_four_axes():
    def kernel(a):
        a[0] = cuda.grid(4)

    assert "takes 1, 2 or 3" in failing(kernel, np.zeros(3))


def test_wrong_number_of_arguments():
    def kernel(a, b):
        pass

    assert "missing a required argument: 'b'" in failing(kernel, np.zeros(3), error=TypeError)
    assert "too many positional arguments" in failing(kernel, 1, 2, 3, error=TypeError)


def test_fault_in_a_device_function_names_the_caller():
    @cuda.jit(device=True)
    def inner(x):
        return x & 1.5

    def kernel(a):
        a[0] = inner(3)

    message = failing(kernel, np.zeros(3))
    assert "in inner: & is not defined" in message and "called by kernel" in message


def test_atomic_on_a_type_without_atomics():
    def kernel(a):
        cuda.atomic.add(a, 0, 1)

    assert "cuda.atomic.add on elements of complex128" in failing(kernel, np.zeros(3, complex))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("x = [k for k in range(3)]", "lists are not part of kernels"),
        ("x = [1, 2]", "lists are not part of kernels"),
        ("x = a[1.5:2]", "a bound of a slice is float64"),
        ("x = a[::0]", "the step of a slice is 0"),
        ("x = a[..., ...]", "an index with two ellipses"),
        ("x = (1, a)[a.size]", "is not constant, and its elements are of different types"),
        ("x = (1, 2)[a.size :]", "the slice of a tuple is not constant"),
        ("a[:] = (1, (2, 3))", "tuple(int64, tuple(int64, int64)) for elements of array(float64, 1d)"),
        ("a[:] += (1, 2)", "tuple(int64, int64) for elements of array(float64, 1d)"),
        ("x = a.strides", "the strides of an array argument are not known"),
        ("x = {1: 2}", "dicts and sets are not part of kernels"),
        ("try:\n        pass\n    except ValueError:\n        pass", "try"),
        ("import math", "import"),
        ("x = f'{a}'", "a text of array(float64, 1d)"),
        ("x = enumerate((1, 2))", "enumerate stands where a for loop begins"),
        ("for x in a[0]:\n        pass", "a loop over float64"),
        ("ARRAY[0] = 1", "an array outside the kernel is assigned"),
        ("cuda.atomic.add(ARRAY, 0, 1.0)", "an array outside the kernel is assigned"),
        ("cuda.atomic.add(a, slice(None), 1.0)", "the index of one element"),
        ("x = cuda.const.array_like(a)", "takes an array outside the kernel"),
        ("for x in zip((1, (2, 3)), a):\n        pass", "elements are of different types"),
        ("for x in enumerate(a, 1.5):\n        pass", "enumerate starts at float64"),
        ("x = zip(a, a)", "zip stands where a for loop begins"),
        ("x = int(*a)", "array(float64, 1d) cannot be unpacked"),
        ("x = tuple(a)", "a tuple of array"),
        ("x = sorted(a)", "lists are not part of kernels"),
    ],
)
def test_what_kernels_lack(body, words):
    source = f"def kernel(a):\n    {body}\n"
    names = {"ARRAY": ARRAY, "cuda": cuda}
    exec(source, names)
    kernel = cuda.jit(source=source)(names["kernel"])
    with pytest.raises((errors.UnsupportedError, errors.TypingError)) as caught:
        kernel[1, 1](np.zeros(3))
    assert words in str(caught.value)


def test_no_source(tmp_path):
    # In a process of its own: what keeps sources, as programs for Numba do, does so for all of a process.
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy\n"
        "from tessera import cuda, errors\n"
        "names = {}\n"
        "exec(''.join(['def kernel(a):', ' a[0] = 1']), names)\n"
        "try:\n"
        "    cuda.jit(names['kernel'])[1, 1](numpy.zeros(3))\n"
        "except errors.SourceError as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=100, check=True)
    assert "source=text" in ran.stdout


def test_arguments_by_name_in_a_dict():
    def kernel(a, **names):
        pass

    assert "**names is not part of kernels" in failing(kernel, np.zeros(3), error=errors.UnsupportedError)


def test_arguments_of_device_functions():
    @cuda.jit(device=True)
    def inner(x, y=1, *, z):
        return x

    def without_z(a):
        a[0] = inner(1)

    def twice(a):
        a[0] = inner(1, x=2, z=1)

    def unknown(a):
        a[0] = inner(1, z=1, w=1)

    assert "inner lacks z" in failing(without_z, np.zeros(3))
    assert "inner gets x twice" in failing(twice, np.zeros(3))
    assert "inner has no parameter w" in failing(unknown, np.zeros(3))


def test_unknown_option():
    with pytest.raises(TypeError, match="cuda.jit has no option turbo"):
        cuda.jit(turbo=True)
    with pytest.raises(TypeError, match="launch_bounds"):
        cuda.jit(launch_bounds="many")


def test_launches_that_are_refused():
    @cuda.jit
    def kernel(a):
        a[0] = 1

    a = np.zeros(3)
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        kernel(a)
    with pytest.raises(ValueError, match="takes a grid, a block"):
        kernel[1](a)
    with pytest.raises(ValueError, match="one to three axes"):
        kernel[1, (1, 1, 1, 1)](a)
    with pytest.raises(TypeError, match="are no integers"):
        kernel[1.5, 1](a)
    with pytest.raises(TypeError, match="is no stream"):
        kernel[1, 1, object()](a)
    with pytest.raises(ValueError, match="1024"):
        kernel[1, 2048](a)
    with pytest.raises(TypeError, match="'set' object does not support item assignment"):
        kernel[1, 1]({1, 2})

    @cuda.jit
    def counts(a, s):
        a[0] = len(s)

    for given in ({1, 2}, {1: 2}, [1, 2]):
        with pytest.raises(TypeError, match=f"not {type(given).__name__}"):
            counts[1, 1](a, given)


def test_intrinsics_outside_of_kernels():
    with pytest.raises(RuntimeError, match="cuda.grid has a meaning in kernels only"):
        cuda.grid(1)
    with pytest.raises(RuntimeError, match="cuda.atomic.add"):
        cuda.atomic.add(ARRAY, 0, 1)


def test_bad_signature():
    with pytest.raises(TypeError, match="is no signature"):
        cuda.jit("void(nothing[:])")(lambda a: None)


def test_an_option_without_effect_warns():
    with pytest.warns(errors.IgnoredOptionWarning, match="inline='never' has no effect"):
        cuda.jit(inline="never")
