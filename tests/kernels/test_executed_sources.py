"""Kernels of functions that exec, eval and `python -c` made."""

import subprocess
import sys

import numpy as np
import pytest
from tessera.functions import executed

from tessera import cuda, errors

TEXT = """
    def twice(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= 2

    def thrice(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= 3
"""


def doubled(kernel):
    a = np.arange(5)
    kernel[1, 32](a)
    return a.tolist()


def made(name, text):
    names = {"cuda": cuda}
    exec(text, names)
    return names[name]


def test_the_text_stands_in_a_variable_of_the_caller():
    text = TEXT.replace("\n    ", "\n")
    assert doubled(cuda.jit(made("twice", text))) == [0, 2, 4, 6, 8]
    assert doubled(cuda.jit(made("thrice", text))) == [0, 3, 6, 9, 12]


def test_a_decorator_in_the_text():
    text = "@cuda.jit\ndef kernel(a):\n    a[cuda.grid(1)] = 7\n"
    a = np.zeros(3)
    made("kernel", text)[1, 3](a)
    assert a.tolist() == [7, 7, 7]


def test_another_text_of_the_same_name_is_not_taken(monkeypatch):
    function = made("f", "".join(["def f(a):", "\n    a[0] = 1"]))
    monkeypatch.setattr(executed, "_kept", [])
    other = "def f(a):\n    a[0] = 2"
    with pytest.raises(errors.SourceError, match="keep_sources"):
        cuda.jit(function)[1, 1](np.zeros(1))
    assert other


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


def test_programs_on_the_command_line():
    done = run(
        "import numpy\nfrom tessera import cuda\n@cuda.jit\ndef f(a):\n    a[cuda.grid(1)] += 1\n"
        "a = numpy.zeros(2)\nf[1, 2](a)\nprint(a.tolist())\n"
    )
    assert done.stdout == "[1.0, 1.0]\n", done.stderr


def test_kept_sources():
    done = run(
        "import numpy\nfrom tessera import cuda\ncuda.keep_sources()\n"
        "def make(value):\n    names = {}\n    exec(f'def f(a):\\n    a[0] = {value}', names)\n    return names['f']\n"
        "kernels = [cuda.jit(make(k)) for k in range(3)]\na = numpy.zeros(1)\n"
        "for kernel in kernels:\n    kernel[1, 1](a)\n    print(int(a[0]))\n"
        "g = eval('lambda x: x + 40')\nh = cuda.jit(device=True)(g)\n"
        "@cuda.jit\ndef k(a):\n    a[0] = h(a[0])\nk[1, 1](a)\nprint(int(a[0]))\n"
    )
    assert done.stdout.split() == ["0", "1", "2", "42"], done.stderr


def test_texts_in_the_caller_are_found():
    names = {"cuda": cuda}
    exec("def add_one(ary, idx):\n    return cuda.atomic.add(ary, idx, 1)\n", names)
    add_one = cuda.jit(device=True)(names["add_one"])

    @cuda.jit
    def kernel(a):
        add_one(a, 0)

    a = np.zeros(2, np.int32)
    kernel[2, 32](a)
    assert a[0] == 64


@pytest.mark.parametrize("file", ["<text>", "made.py", "/nowhere/made.py", "", __file__])
@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_numbas_names_keep_what_compile_gets(file, future):
    done = run(
        f"{future}from tessera import numba\n"
        "def make(n):\n"
        "    names = {}\n"
        f"    exec(compile('def f(x):\\n    return x + ' + str(n), {file!r}, 'exec'), names)\n"
        "    return names['f']\n"
        "print(numba.njit(make(2))(1), numba.njit(make(3))(1), numba.njit(eval('lambda x: x * %d' % 5))(2))"
    )
    assert done.stdout.split() == ["3", "4", "10"], done.stderr
