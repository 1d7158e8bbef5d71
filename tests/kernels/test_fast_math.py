"""fastmath=True: approximate functions of float32 in PTX, the same numbers on the cores."""

import math
import re

import numpy as np
import pytest

from tessera import cuda

SIGNATURE = "void(float32[:], float32, float32)"
FUNCTIONS = {
    "cos": ("math.cos(x)", ["cos.approx.ftz.f32"]),
    "sin": ("math.sin(x)", ["sin.approx.ftz.f32"]),
    "tan": ("math.tan(x)", ["sin.approx.ftz.f32", "cos.approx.ftz.f32", "div.approx.ftz.f32"]),
    "exp": ("math.exp(x)", ["ex2.approx.ftz.f32"]),
    "log": ("math.log(x)", ["lg2.approx.ftz.f32", "0f3F317218"]),
    "log10": ("math.log10(x)", ["lg2.approx.ftz.f32", "0f3E9A209B"]),
    "log2": ("math.log2(x)", ["lg2.approx.ftz.f32"]),
    "tanh": ("math.tanh(x)", ["tanh.approx.f32"]),
    "pow": ("x**y", ["lg2.approx.ftz.f32", "ex2.approx.ftz.f32"]),
    "quotient": ("x / y", ["div.approx.ftz.f32"]),
    "sqrt": ("math.sqrt(x)", ["sqrt.approx.ftz.f32"]),
    "product": ("x * y + 1", [r"(fma|mul)\.rn\.ftz\.f32"]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ptx(name):
    expression, expected = FUNCTIONS[name]
    text = f"def called(x, y):\n    return {expression}"
    names = {"math": math}
    exec(text, names)
    called = cuda.jit(device=True, source=text)(names["called"])

    def kernel(r, x, y):
        r[0] = called(x, y)

    fast = cuda.jit(SIGNATURE, fastmath=True)(kernel)
    exact = cuda.jit(SIGNATURE)(kernel)
    text = fast.inspect_asm(SIGNATURE, (8, 0))
    assert all(re.search(one, text) for one in expected), text
    assert ".ftz" not in exact.inspect_asm(SIGNATURE, (8, 0)).replace("rsqrt.approx.ftz", "")
    assert " fast " in fast.inspect_ir(SIGNATURE).splitlines()[0]
    results = np.zeros((2, 1), np.float32)
    for one, result in zip((fast, exact), results):
        one[1, 1](result, np.float32(1.25), np.float32(0.75))
    assert results[0] == results[1] != 0


def test_doubles_stay_exact():
    @cuda.jit("void(float64[:], float64)", fastmath=True)
    def kernel(r, x):
        r[0] = math.cos(x) / x

    text = kernel.inspect_asm("void(float64[:], float64)", (8, 0))
    assert "approx" not in re.sub(r"(rcp|rsqrt)\.approx", "", text)
