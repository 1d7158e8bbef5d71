"""numpy.fft: NumPy's values, dtypes, shapes and errors."""

import numpy as np
import pytest
import tessera.numpy as tnp

ONE_AXIS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
REAL_INPUT = {"rfft", "ihfft", "rfftn", "rfft2"}
DTYPES = ["?", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]
LENGTHS = [1, 2, 3, 4, 5, 8, 12, 17, 30, 31, 64, 97, 100, 128, 211, 1000, 1009]


def sample(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = (
        rng.integers(0, 2 if dtype == "?" else 50, shape)
        if np.dtype(dtype).kind in "?biu"
        else rng.standard_normal(shape)
    )
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def assert_close(ours, theirs):
    assert isinstance(ours, tnp.ndarray)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    ours = np.asarray(ours)
    scale = max(1.0, np.abs(theirs).max(initial=0))
    tolerance = {"e": 5e-3, "f": 2e-6, "F": 2e-6}.get(theirs.dtype.char, 1e-14)
    np.testing.assert_allclose(ours / scale, theirs / scale, rtol=0, atol=tolerance)


def both(name, x, *args, **kwargs):
    theirs = getattr(np.fft, name)(x, *args, **kwargs)
    assert_close(getattr(tnp.fft, name)(tnp.asarray(x), *args, **kwargs), theirs)


@pytest.mark.parametrize("name", ONE_AXIS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_axis_gives_numpys_values_and_dtypes(name, dtype):
    if np.dtype(dtype).kind == "c" and name in REAL_INPUT:
        with pytest.raises(TypeError):
            getattr(tnp.fft, name)(tnp.asarray(sample(5, dtype)))
        return
    for n in LENGTHS:
        if n == 1 and name in ("irfft", "hfft"):
            continue
        both(name, sample(n, dtype))


@pytest.mark.parametrize("name", ONE_AXIS)
def test_padding_cropping_axes_and_norms(name):
    x = sample((6, 7, 8), "f8" if name in REAL_INPUT else "c16")
    for axis in (0, 1, -1):
        for n in (None, 1, 2, 5, 7, 12):
            for norm in (None, "backward", "ortho", "forward"):
                both(name, x, n=n, axis=axis, norm=norm)
    both(name, x[::2, ::-1, 1:], axis=1)
    both(name, x.T, axis=0)
    both(name, np.broadcast_to(x[0, 0], (4, 8)))
    both(name, x.astype("f4" if name in REAL_INPUT else "c8"), norm="ortho")


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes(name):
    x = sample((4, 6, 5), "f8" if name in REAL_INPUT else "c16")
    both(name, x)
    both(name, x, axes=(0, 2))
    both(name, x, s=(3, 9), axes=(0, 1), norm="ortho")
    both(name, x, s=(-1, 4), axes=(0, 1))
    with pytest.raises(ValueError, match="Shape and axes have different lengths"):
        getattr(tnp.fft, name)(x, s=(3,), axes=(0, 1))


def test_large_batches_are_spread_and_equal():
    both("fft", sample((300, 512), "c16"))
    both("rfft", sample((300, 500), "f8"), axis=0)
    both("irfft", sample((64, 3, 700), "c8"), axis=0)
    both("fft", sample(2**18, "f8"))
    both("fft", sample(300_007, "c16"))


def test_out_receives_the_result():
    x = sample((3, 8), "c16")
    for out in (tnp.empty((3, 8), complex), tnp.empty((8, 3), complex).T, tnp.empty((6, 8), complex)[::2]):
        assert tnp.fft.fft(tnp.asarray(x), out=out) is out
        assert_close(out, np.fft.fft(x))
    with pytest.raises(ValueError, match="wrong shape"):
        tnp.fft.fft(tnp.asarray(x), out=tnp.empty((3, 9), complex))
    in_place = tnp.asarray(x.copy())
    tnp.fft.fft(in_place, out=in_place)
    assert_close(in_place, np.fft.fft(x))


def test_errors_are_numpys():
    for name, args, kwargs in [
        ("fft", (np.zeros(0),), {}),
        ("fft", (np.zeros(4),), {"n": 0}),
        ("fft", (np.zeros(4),), {"norm": "other"}),
        ("ifft", (np.zeros(4),), {"norm": "other"}),
        ("fft", (np.zeros(4),), {"axis": 3, "n": 4}),
        ("irfft", (np.zeros(1),), {}),
    ]:
        failures = []
        for module in (tnp.fft, np.fft):
            with pytest.raises(Exception) as failure:
                getattr(module, name)(*args, **kwargs)
            failures.append((failure.type, str(failure.value)))
        assert failures[0] == failures[1]


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9])
def test_frequencies_and_shifts(n):
    for d in (1.0, 0.25, 3):
        assert_close(tnp.fft.fftfreq(n, d), np.fft.fftfreq(n, d))
        assert_close(tnp.fft.rfftfreq(n, d), np.fft.rfftfreq(n, d))
    x = np.arange(3.0 * n).reshape(3, n)
    for axes in (None, 0, 1, (0, 1)):
        assert_close(tnp.fft.fftshift(x, axes), np.fft.fftshift(x, axes))
        assert_close(tnp.fft.ifftshift(x, axes), np.fft.ifftshift(x, axes))
    with pytest.raises(ValueError, match="n should be an integer"):
        tnp.fft.fftfreq(2.5)
