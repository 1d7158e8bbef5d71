"""einops takes tessera's arrays, in whichever order the two are imported."""

import subprocess
import sys

import numpy
import pytest
import tessera.numpy as np

einops = pytest.importorskip("einops")

IMAGES = numpy.arange(2 * 4 * 6 * 3, dtype=float).reshape(2, 4, 6, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: einops.rearrange(x, "b (h p) (w q) c -> (b h w) (p q c)", p=2, q=3),
        lambda x: einops.rearrange(list(x), "b h w c -> h (b w) c"),
        lambda x: einops.reduce(x, "b h w c -> b c", "mean"),
        lambda x: einops.reduce(x, "b (h h2) (w w2) c -> b h w c", "max", h2=2, w2=2),
        lambda x: einops.reduce(x, "b h w c -> ", "sum"),
        lambda x: einops.repeat(x, "b h w c -> b (h r) w c k", r=2, k=3),
        lambda x: einops.einsum(x, x, "b h w c, b h w d -> b c d"),
        lambda x: einops.pack([x, x[..., 0]], "b h w *")[0],
    ],
    ids=["patches", "list", "mean", "pooling", "sum", "repeat", "einsum", "pack"],
)
def test_the_results_are_numpy_s(call):
    expected, found = call(IMAGES), call(np.asarray(IMAGES))
    assert type(found) in (np.ndarray, numpy.float64)
    numpy.testing.assert_allclose(numpy.asarray(found), expected)


def test_unpack_and_asnumpy():
    x = np.asarray(IMAGES)
    packed, shapes = einops.pack([x[0], x[1]], "* w c")
    assert all(type(each) is np.ndarray for each in einops.unpack(packed, shapes, "* w c"))
    assert type(einops.asnumpy(x)) is numpy.ndarray


def test_numpy_arrays_stay_numpy_s():
    einops.rearrange(np.asarray(IMAGES), "b h w c -> b c h w")
    assert type(einops.rearrange(IMAGES, "b h w c -> b c h w")) is numpy.ndarray


@pytest.mark.parametrize("first", ["einops", "tessera.numpy"])
def test_the_order_of_imports_does_not_matter(first):
    second = {"einops": "tessera.numpy", "tessera.numpy": "einops"}[first]
    program = f"import {first}; import {second}; import einops, tessera.numpy as np; print(einops.rearrange(np.ones((2, 3)), 'a b -> b a').shape)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "(3, 2)", result.stderr
