"""Kernels whose block is chosen by trying."""

import numpy as np
import pytest

import tessera
from tessera import cuda


def test_one_call_has_the_effect_of_one():
    @tessera.autotune(block=[32, 64, 128])
    @cuda.jit
    def add_one(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += 1

    a = np.zeros(1000)
    add_one(a, size=1000)
    assert (a == 1).all()
    add_one(a, size=1000)
    assert (a == 2).all()
    (best,) = add_one.best.values()
    (seconds,) = add_one.seconds.values()
    assert best["block"] in (32, 64, 128) and len(seconds) == 3


def test_blocks_of_two_axes():
    @tessera.autotune(block=[(8, 8), (16, 4)])
    @cuda.jit
    def index(a):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            a[i, j] = i * 100 + j

    a = cuda.to_device(np.zeros((30, 20)))
    index(a, size=(30, 20))
    assert np.array_equal(a.copy_to_host(), np.arange(30)[:, None] * 100 + np.arange(20))


def test_candidates_that_are_refused_are_left_out():
    @tessera.autotune(block=[4096, 64])
    @cuda.jit
    def one(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] = 1

    a = np.zeros(100)
    one(a, size=100)
    assert (a == 1).all()

    @tessera.autotune(block=[4096])
    @cuda.jit
    def none(a):
        a[0] = 1

    with pytest.raises(ValueError, match="1024"):
        none(a, size=100)


def test_wrong_use_is_refused():
    with pytest.raises(ValueError, match="empty"):
        tessera.autotune(block=[])

    @tessera.autotune(block=[32])
    @cuda.jit
    def one(a):
        a[0] = 1

    with pytest.raises(ValueError, match="size is 0"):
        one(np.zeros(1), size=0)
