"""Loads and stores that say which caches keep their lines."""

import re

import numpy as np
import pytest

from tessera import cuda, errors

LOADS = {cuda.ldca: "ca", cuda.ldcg: "cg", cuda.ldcs: "cs", cuda.ldlu: "lu", cuda.ldcv: "cv"}
STORES = {cuda.stcg: "cg", cuda.stcs: "cs", cuda.stwb: "wb", cuda.stwt: "wt"}


@pytest.mark.parametrize("letter", "?bhilBHILefdFD")
def test_values_and_instructions(letter):
    x = np.arange(12).reshape(3, 4).astype(letter)
    bits = 8 * x.itemsize // (2 if letter in "FD" else 1)
    for load, name in LOADS.items():

        @cuda.jit
        def kernel(x, y):
            i, j = cuda.grid(2)
            y[i, j] = load(x, (i, j))

        y = np.zeros_like(x)
        kernel[1, x.shape](x, y)
        np.testing.assert_array_equal(y, x)
        assert f"ld.global.{name}.b{bits}" in next(iter(kernel.inspect_asm().values()))
    for store, name in STORES.items():

        @cuda.jit
        def writer(x, y):
            i, j = cuda.grid(2)
            store(y, (i, j), x[i, j])

        y = np.zeros_like(x)
        writer[1, x.shape](x, y)
        np.testing.assert_array_equal(y, x)
        assert f"st.global.{name}.b{bits}" in next(iter(writer.inspect_asm().values()))


def test_shared_arrays_have_no_hints():
    @cuda.jit
    def kernel(a):
        held = cuda.shared.array(4, np.float32)
        cuda.stcs(held, 1, 5.0)
        a[0] = cuda.ldcg(held, 1)

    a = np.zeros(1, np.float32)
    kernel[1, 1](a)
    assert a[0] == 5 and not re.search(r"global\.c[gs]", next(iter(kernel.inspect_asm().values())))


def test_an_index_is_an_integer():
    @cuda.jit
    def kernel(a):
        a[0] = cuda.ldcs(a, 1.0)

    with pytest.raises(errors.TypingError, match="float64 is not a valid index"):
        kernel[1, 1](np.zeros(3))
