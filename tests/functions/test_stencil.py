"""stencil against sums of shifted views of padded arrays."""

import numpy as np
import pytest
import tessera.numpy as tnp
from hypothesis import given, settings
from hypothesis import strategies as st

import tessera
from tessera import errors, jit, njit, stencil

RNG = np.random.default_rng(5)
PADS = {"wrap": "wrap", "nearest": "edge", "reflect": "symmetric", "mirror": "reflect"}


@pytest.fixture(params=["loops", "views", "simulated"])
def take(request, monkeypatch):
    """Makes an argument: NumPy's array, for which a stencil is a loop, or tessera's, for which it is an operation on views."""
    if request.param == "loops":
        yield np.copy
        return
    monkeypatch.setattr(tessera.functions.stencil, "LEAST_SIZE", 0)
    with tessera.device("cpu" if request.param == "views" else "simulated"):
        yield tnp.array


def five(x):
    return x[0, 0] + 2 * x[-1, 0] + 3 * x[1, 0] + 5 * x[0, -1] + 7 * x[0, 1]


def shifted(x, pad):
    p = np.pad(x, 1, mode=pad)
    return p[1:-1, 1:-1] + 2 * p[:-2, 1:-1] + 3 * p[2:, 1:-1] + 5 * p[1:-1, :-2] + 7 * p[1:-1, 2:]


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(5, 7), (3, 3), (2, 9), (40, 30)])
def test_constant_borders(dtype, shape, take):
    x = RNG.integers(0, 4, shape).astype(dtype)
    got = stencil(five)(take(x))
    wanted = np.zeros(shape)
    if min(shape) > 2:
        wanted[1:-1, 1:-1] = shifted(x.astype("int64"), "edge")[1:-1, 1:-1]
    # The function's integers are int64, as in Numba.
    assert np.array_equal(got, wanted) and got.dtype == (np.int64 if x.dtype.kind == "i" else np.float64)


@pytest.mark.parametrize("mode", PADS)
@pytest.mark.parametrize("shape", [(5, 7), (3, 3), (2, 9), (40, 30)])
def test_modes(mode, shape, take):
    x = RNG.random(shape)
    np.testing.assert_allclose(stencil(mode)(five)(take(x)), shifted(x, PADS[mode]), rtol=1e-14)


@pytest.mark.parametrize("mode", PADS)
@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_far_neighbours(mode, size, take):
    def far(x):
        return x[-2] + 10 * x[3]

    x = RNG.random(size)
    padded = np.pad(x, 3, mode=PADS[mode])
    np.testing.assert_allclose(
        stencil(mode)(far)(take(x)), padded[1 : size + 1] + 10 * padded[6 : size + 6], rtol=1e-14
    )


def test_a_value_for_borders(take):
    got = stencil(cval=-1.0)(five)(take(np.ones((4, 4))))
    assert (got[0] == -1).all() and (got[1:-1, 1:-1] == 18).all()


def test_within_jit_and_parallel():
    smooth = stencil(five)

    @njit
    def twice(x):
        return smooth(smooth(x))

    x = RNG.random((9, 9))
    np.testing.assert_allclose(twice(x), stencil(five)(stencil(five)(x)))


def test_an_array_for_the_result(take):
    x, out = take(RNG.random((6, 6))), take(np.full((6, 6), 9.0))
    result = stencil(five)(x, out=out)
    assert np.array_equal(out[1:-1, 1:-1], stencil(five)(x)[1:-1, 1:-1])
    assert (out[0] == 9).all() and (result is out or np.shares_memory(result, out))
    stencil(five, cval=2.0)(x, out=out)
    assert (out[0] == 2).all() and (out[:, -1] == 2).all()
    narrow = take(np.zeros((6, 6), "int8"))
    stencil(five)(x * 10, out=narrow)
    assert np.array_equal(narrow, np.asarray(stencil(five)(x * 10)).astype("int8"))


def test_shapes_that_do_not_fit(take):
    def both(x, y):
        return y[0] + x[-1]

    made = stencil(both)
    assert made(take(np.ones(5)), take(np.ones(9))).shape == (5,)
    with pytest.raises(ValueError, match="as large as"):
        made(take(np.ones(9)), take(np.ones(5)))
    for size in (1, 4, 6):
        out = take(np.zeros(size))
        with pytest.raises(ValueError, match="broadcast"):
            made(take(np.ones(5)), take(np.ones(9)), out=out)
        assert not np.asarray(out).any()


@pytest.mark.parametrize("options", [{}, {"cval": 3.0}, {"mode": "wrap"}])
def test_neighbours_are_read_as_they_were(options, take):
    def both(a):
        return a[-1] + a[1]

    options = dict(options)
    mode = options.pop("mode", "constant")
    x = RNG.random((9, 9))
    wanted = np.asarray(stencil(mode, **options)(five)(take(x), out=take(x)))
    a = take(x)
    stencil(mode, **options)(five)(a, out=a)
    assert np.array_equal(a, wanted)
    y = take(np.arange(20.0))
    stencil(both)(y[:-1], out=y[1:])
    assert np.array_equal(y[2:-1], 2 * np.arange(1.0, 18))


def test_many_neighbours_and_numbers(take):
    def wide(x, y, scale, shift):
        if x[0, 0] > y[0, 0]:
            t = x[-1, -1] + x[-1, 1] + x[1, -1] + x[1, 1]
        else:
            t = x[-1, 0] + x[1, 0]
        return scale * (t + x[0, -1] * y[0, 1] - y[-1, 0]) + x[0, 1] + y[1, 1] + shift

    x, y = RNG.random((30, 20)), RNG.random((30, 20))
    for scale, shift in ((2, 0.5), (np.float32(1.5), 1)):
        got = np.asarray(stencil(wide)(take(x), take(y), scale, shift))
        for i, j in ((1, 1), (10, 5), (28, 18), (15, 3)):
            near, far = (lambda di, dj, i=i, j=j: x[i + di, j + dj]), (lambda di, dj, i=i, j=j: y[i + di, j + dj])
            one = near(-1, -1) + near(-1, 1) + near(1, -1) + near(1, 1)
            other = near(-1, 0) + near(1, 0)
            t = one if near(0, 0) > far(0, 0) else other
            wanted = scale * (t + near(0, -1) * far(0, 1) - far(-1, 0)) + near(0, 1) + far(1, 1) + shift
            assert got[i, j] == pytest.approx(wanted, rel=1e-13)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_random_stencils(data):
    axes = data.draw(st.integers(1, 3))
    offsets = data.draw(st.lists(st.tuples(*[st.integers(-2, 2)] * axes), min_size=1, max_size=12))
    weights = data.draw(st.lists(st.integers(-3, 3), min_size=len(offsets), max_size=len(offsets)))
    mode = data.draw(st.sampled_from(["constant", *PADS]))
    shape = tuple(data.draw(st.integers(3, 7)) for _ in range(axes))
    dtype = data.draw(st.sampled_from(["int8", "uint16", "int32", "float32", "float64"]))
    x = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 50, shape).astype(dtype)
    reads = " + ".join(f"{w} * x[{', '.join(map(str, o))}]" for w, o in zip(weights, offsets))
    text = f"def point(x):\n    return {reads}\n"
    space = {}
    exec(text, space)
    made = stencil(mode, source=text)(space["point"])
    padded = np.pad(x.astype("int64"), 2, mode=PADS.get(mode, "constant"))
    wanted = sum(
        w * padded[tuple(slice(2 + o, 2 + o + n) for o, n in zip(offset, shape))] for w, offset in zip(weights, offsets)
    )
    if mode == "constant":
        inside = tuple(
            slice(max(0, -min(0, *along)), max(n - max(0, *along), 0))
            for along, n in zip(zip(*offsets, (0,) * axes), shape)
        )
        kept = np.zeros(shape, "int64")
        kept[inside] = wanted[inside]
        wanted = kept
    before = tessera.functions.stencil.LEAST_SIZE
    tessera.functions.stencil.LEAST_SIZE = 0
    try:
        for got in (made(x), made(tnp.array(x))):
            assert np.array_equal(got, wanted) and got.dtype.kind == x.dtype.kind.replace("u", "i")
    finally:
        tessera.functions.stencil.LEAST_SIZE = before


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


STEP = 1


def test_indices_are_expressions_of_constants():
    near = 2

    @stencil
    def spread(a):
        return a[1 + 0, -(1)] + a[int(np.cos(0)), STEP - near] + a[np.int8(0), 0]

    x = np.arange(20.0).reshape(4, 5)
    expected = np.zeros((4, 5))
    expected[:-1, 1:] = x[1:, :-1] * 2 + x[:-1, 1:]
    assert spread(x).tolist() == expected.tolist()
    large = tnp.arange(10_000.0).reshape(100, 100)
    assert np.array_equal(spread(large), spread(np.asarray(large)))


def test_stencils_are_lambdas_with_variables_around_them():
    factor = 3.0
    scaled = stencil(lambda a: factor * a[-1])
    shifted = stencil(lambda a: a[-1] + 1)
    x = np.arange(4.0)
    assert scaled(x).tolist() == [0, 0, 3, 6] and shifted(x).tolist() == [0, 1, 2, 3]
