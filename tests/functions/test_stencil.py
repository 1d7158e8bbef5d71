"""stencil against sums of shifted views of padded arrays."""

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import errors, jit, njit, stencil

RNG = np.random.default_rng(5)
PADS = {"wrap": "wrap", "nearest": "edge", "reflect": "symmetric", "mirror": "reflect"}


def five(x):
    return x[0, 0] + 2 * x[-1, 0] + 3 * x[1, 0] + 5 * x[0, -1] + 7 * x[0, 1]


def shifted(x, pad):
    p = np.pad(x, 1, mode=pad)
    return p[1:-1, 1:-1] + 2 * p[:-2, 1:-1] + 3 * p[2:, 1:-1] + 5 * p[1:-1, :-2] + 7 * p[1:-1, 2:]


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(5, 7), (3, 3), (2, 9), (40, 30)])
def test_constant_borders(dtype, shape):
    x = RNG.integers(0, 4, shape).astype(dtype)
    got = stencil(five)(x)
    wanted = np.zeros(shape)
    if min(shape) > 2:
        wanted[1:-1, 1:-1] = shifted(x.astype("int64"), "edge")[1:-1, 1:-1]
    # The function's integers are int64, as in Numba.
    assert np.array_equal(got, wanted) and got.dtype == (np.int64 if x.dtype.kind == "i" else np.float64)


@pytest.mark.parametrize("mode", PADS)
@pytest.mark.parametrize("shape", [(5, 7), (3, 3), (2, 9), (40, 30)])
def test_modes(mode, shape):
    x = RNG.random(shape)
    np.testing.assert_allclose(stencil(mode)(five)(x), shifted(x, PADS[mode]), rtol=1e-14)


@pytest.mark.parametrize("mode", PADS)
@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_far_neighbours(mode, size):
    def far(x):
        return x[-2] + 10 * x[3]

    x = RNG.random(size)
    padded = np.pad(x, 3, mode=PADS[mode])
    np.testing.assert_allclose(stencil(mode)(far)(x), padded[1 : size + 1] + 10 * padded[6 : size + 6], rtol=1e-14)


def test_a_value_for_borders():
    x = np.ones((4, 4))
    got = stencil(cval=-1.0)(five)(x)
    assert (got[0] == -1).all() and (got[1:-1, 1:-1] == 18).all()


def test_within_jit_and_parallel():
    smooth = stencil(five)

    @njit
    def twice(x):
        return smooth(smooth(x))

    x = RNG.random((9, 9))
    np.testing.assert_allclose(twice(x), stencil(five)(stencil(five)(x)))


def test_an_array_for_the_result():
    x, out = RNG.random((6, 6)), np.full((6, 6), 9.0)
    result = stencil(five)(x, out=out)
    assert np.array_equal(out[1:-1, 1:-1], stencil(five)(x)[1:-1, 1:-1])
    assert (out[0] == 9).all() and (result is out or np.shares_memory(result, out))
    stencil(five, cval=2.0)(x, out=out)
    assert (out[0] == 2).all() and (out[:, -1] == 2).all()


@pytest.mark.parametrize("options", [{}, {"cval": 3.0}, {"mode": "wrap"}])
def test_neighbours_are_read_as_they_were(options):
    def both(a):
        return a[-1] + a[1]

    mode = options.pop("mode", "constant")
    x = RNG.random((9, 9))
    wanted = stencil(mode, **options)(five)(x, out=x.copy())
    stencil(mode, **options)(five)(x, out=x)
    assert np.array_equal(x, wanted)
    y = np.arange(20.0)
    stencil(both)(y[:-1], out=y[1:])
    assert np.array_equal(y[2:-1], 2 * np.arange(1.0, 18))


def test_several_arrays_scalars_and_standard_indices():
    @stencil(standard_indexing=("weights",))
    def weighted(x, y, weights, scale):
        return scale * (weights[0] * x[-1] + weights[1] * y[1])

    x, y, weights = RNG.random(10), RNG.random(10), np.array([2.0, 3.0])
    wanted = np.zeros(10)
    wanted[1:-1] = 0.5 * (2 * x[:-2] + 3 * y[2:])
    np.testing.assert_allclose(weighted(x, y, weights, 0.5), wanted)
    with pytest.raises(ValueError, match="as large as its first"):
        weighted(x, y[:5], weights, 0.5)


def test_a_neighbourhood_for_indices_that_are_not_constant():
    @stencil(neighborhood=((-3, 3),))
    def mean(x):
        total = 0.0
        for k in range(-3, 4):
            total += x[k]
        return total / 7

    x = RNG.random(20)
    wanted = np.zeros(20)
    for i in range(3, 17):
        wanted[i] = x[i - 3 : i + 4].mean()
    np.testing.assert_allclose(mean(x), wanted)


def test_three_axes_and_branches():
    @stencil
    def spike(x):
        if x[0, 0, 0] > x[-1, 0, 0] and x[0, 0, 0] > x[0, 1, 0] and x[0, 0, 0] > x[0, 0, -1]:
            return 1
        return 0

    x = RNG.random((6, 5, 7))
    wanted = np.zeros(x.shape, int)
    c = x[1:, :-1, 1:]
    wanted[1:, :-1, 1:] = (c > x[:-1, :-1, 1:]) & (c > x[1:, 1:, 1:]) & (c > x[1:, :-1, :-1])
    assert np.array_equal(spike(x), wanted)


def test_arrays_of_tessera():
    result = stencil(five)(tnp.ones((4, 4)))
    assert "tessera" in type(result).__module__ and float(result[1, 1]) == 18


def test_functions_and_globals_in_stencils():
    factor = 3

    @jit
    def scaled(v):
        return v * factor

    @stencil
    def kernel(x):
        return scaled(x[-1]) + x[0]

    assert kernel(np.arange(4.0)).tolist() == [0, 1, 5, 9]
    factor = 10
    assert kernel(np.arange(4.0)).tolist() == [0, 1, 12, 23]


def test_what_is_refused():
    with pytest.raises(ValueError, match="the mode is 'open'"):
        stencil("open")
    with pytest.raises(TypeError, match="no option"):
        stencil(speed=1)
    with pytest.raises(ValueError, match="names no parameter"):
        stencil(standard_indexing=("w",))(five)

    @stencil
    def stores(x):
        x[0] = 1
        return x[0]

    with pytest.raises(errors.TypingError, match="is assigned"):
        stores(np.ones(3))

    @stencil
    def nothing(x):
        return 1

    with pytest.raises(errors.TypingError, match="no array by relative indices"):
        nothing(np.ones(3))

    @stencil
    def varying(x, k):
        return x[k]

    with pytest.raises(errors.TypingError, match="neighborhood"):
        varying(np.ones(3), 1)
    with pytest.raises(errors.TypingError, match="of 2 axes"):
        stencil(five)(np.ones(3))
