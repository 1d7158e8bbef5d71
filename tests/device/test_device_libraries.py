"""Products, transforms and factorizations by a device's own libraries.

The simulated device takes libraries built with the tests for NVIDIA's, so the calls are checked anywhere; on a machine with
a GPU the same tests run on it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core, _toolkit

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
DEVICES = (["simulated"] if LIBRARIES.is_dir() else []) + (["gpu"] if _core.devices() else [])
SIDE = 96  # large enough that a matrix of doubles is worth a device

pytestmark = pytest.mark.skipif(not DEVICES, reason="neither a GPU nor the simulated libraries are here")
REAL = ["float64", "float32"]
ALL = [*REAL, "complex128", "complex64"]


@pytest.fixture(params=DEVICES)
def where(request):
    if request.param == "simulated":
        _core.set_toolkit_folders([str(LIBRARIES)])
    with tessera.device(request.param):
        yield request.param
    _core.set_toolkit_folders(None)


def random(shape, dtype="float64", seed=1):
    rng = numpy.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def placed(values):
    """The values as an array that the device alone has: part of one that is too large for the host's quick ways."""
    large = numpy.zeros(max(values.size, 40_000), values.dtype)
    large[: values.size] = values.ravel()
    return (np.array(large) + values.dtype.type(0))[: values.size].reshape(values.shape)


def last_call(where):
    if where != "simulated":
        return None
    library = ctypes.CDLL(str(LIBRARIES / "libsimulated_cublas.so"))
    library.simulated_last_call.restype = ctypes.c_char_p
    return library.simulated_last_call().decode()


def test_products_of_vectors_do_not_wait(where):
    x = placed(random((50_000,)))
    tessera.synchronize()
    _core.reset_counters()
    norm = np.linalg.norm(x)
    unit = x / norm
    kept = [np.dot(x, unit), x @ unit, np.vdot(x, unit), np.inner(x, unit), np.einsum("i,i", x, unit), norm]
    assert all(map(_core.is_lazy, kept)) and _core.counters()["copies_from_device"] == 0
    assert all(abs(float(k) - float(norm)) < 1e-9 * float(norm) for k in kept)


def close(got, expected, scale=40):
    expected = numpy.asarray(expected)
    got = numpy.asarray(got)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    tolerance = scale * numpy.finfo(expected.dtype).eps * max(1.0, float(abs(expected).max(initial=0)))
    numpy.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)


@pytest.fixture(autouse=True)
def everything_runs_there(request):
    _core.reset_counters()
    yield
    if "falls_back" not in request.keywords:
        counters = _core.counters()
        assert counters["device_fallbacks"] == 0 and counters["device_library_calls"] > 0


@pytest.mark.parametrize("dtype", ALL)
def test_matrix_products_of_every_layout(where, dtype):
    a, b = random((SIDE, 70), dtype), random((70, 50), dtype, 2)
    x, y = placed(a), placed(b)
    expected = a @ b
    close(x @ y, expected)
    assert last_call(where) in (None, "gemm")
    close((y.T @ x.T), expected.T)
    close(placed(a.T.copy()).T @ placed(b.T.copy()).T, expected)
    close(x[::2, 3:40] @ y[3:40, ::-1], a[::2, 3:40] @ b[3:40, ::-1])
    close(np.dot(x, y), expected)
    out = np.empty((SIDE, 50), dtype)
    assert np.matmul(x, y, out=out) is out
    close(out, expected)
    corner = np.zeros((SIDE + 2, 52), dtype)
    np.matmul(x, y, out=corner[1:-1, 1:-1])
    close(corner[1:-1, 1:-1], expected)
    assert float(abs(corner[0]).sum()) == 0


@pytest.mark.parametrize("dtype", ALL)
def test_vectors_take_the_routines_for_them(where, dtype):
    a, v, w = random((SIDE, 110), dtype), random(110, dtype, 3), random(9000, dtype, 4)
    x, y, z = placed(a), placed(v), placed(w)
    close(x @ y, a @ v)
    assert last_call(where) in (None, "gemv")
    close(y @ x.T, v @ a.T)
    close(y[::2] @ x.T[::2], v[::2] @ a.T[::2])
    close(z @ z, w @ w, 400)
    assert last_call(where) in (None, "dot")
    close(np.dot(z[::-1], z), numpy.dot(w[::-1], w), 400)
    close(np.vdot(z, z), numpy.vdot(w, w), 400)
    close(np.vecdot(z, z), numpy.vecdot(w, w), 400)
    close(np.matvec(x, y), numpy.matvec(a, v))
    close(np.vecmat(y, x.T), numpy.vecmat(v, a.T))
    close(np.inner(x, x), numpy.inner(a, a))


@pytest.mark.parametrize("dtype", ALL)
def test_batches(where, dtype):
    a, b = random((6, 5, 30, 20), dtype), random((6, 5, 20, 12), dtype, 2)
    x, y = placed(a), placed(b)
    close(x @ y, a @ b)
    assert last_call(where) in (None, "gemm_strided")
    close(x @ y[:1], a @ b[:1])
    assert last_call(where) in (None, "gemm_batched")
    close(x @ y[0, 0], a @ b[0, 0])
    close(x.swapaxes(0, 1) @ y.swapaxes(0, 1), a.swapaxes(0, 1) @ b.swapaxes(0, 1))
    close(np.vecdot(x, x), numpy.vecdot(a, a))
    close(np.matvec(x, y[..., 0]), numpy.matvec(a, b[..., 0]))
    close(np.vecmat(y[..., 0], x.swapaxes(-1, -2)), numpy.vecmat(b[..., 0], a.swapaxes(-1, -2)))
    close(np.dot(x, y[0]), numpy.dot(a, b[0]))
    close(np.tensordot(x, y, axes=([0, 1, 3], [0, 1, 2])), numpy.tensordot(a, b, axes=([0, 1, 3], [0, 1, 2])), 100)
    close(np.einsum("abij,abjk->aik", x, y), numpy.einsum("abij,abjk->aik", a, b), 100)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_added_up_in_single_precision(where, dtype):
    dtype = numpy.dtype(pytest.importorskip("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype)
    a, b = random((200, 300)).astype(dtype), random((300, 180), seed=2).astype(dtype)
    x, y = np.array(a), np.array(b)
    exact = a.astype("f8") @ b.astype("f8")
    wide = np.matmul(x, y, dtype="f4")
    assert wide.dtype == "f4" and abs(numpy.asarray(wide) - exact).max() < 1e-4
    narrow = numpy.asarray(x @ y).astype("f8")
    assert abs(narrow - exact).max() <= float(abs(exact).max()) * (2.0**-8 if dtype != "float16" else 2.0**-11)


def test_tf32_only_when_asked(where):
    a = random((200, 200), "float32")
    x = np.array(a)
    close(x @ x, a @ a, 200)
    assert last_call(where) in (None, "gemm")
    _core.allow_tf32(True)
    try:
        numpy.testing.assert_allclose(numpy.asarray(x @ x), a @ a, atol=0.2)
        assert last_call(where) in (None, "gemm_tf32")
    finally:
        _core.allow_tf32(False)


def test_operands_may_be_pending_and_shared(where):
    a = random((SIDE, SIDE))
    x = np.array(a)
    product = (x + 1.0) @ (x * 2.0)
    later = (product - x) @ x
    x += 1.0
    close(product, (a + 1) @ (a * 2))
    close(later, ((a + 1) @ (a * 2) - a) @ a, 4000)
    close(x, a + 1)


@pytest.mark.falls_back
def test_what_the_library_cannot_do_runs_on_the_host(where):
    a = numpy.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    x = np.array(a)
    assert numpy.array_equal(numpy.asarray(x @ x), a @ a)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        np.array(random((SIDE, 90))) @ np.array(random((SIDE, 90)))
    assert (np.array(random((SIDE, 0))) @ np.array(random((0, SIDE)))).shape == (SIDE, SIDE)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(3, 2, 3), (3, 2, 2), (30, 40, 50)])
def test_products_over_batches_read_backwards(where, dtype, shape):
    a = random(shape, dtype)
    x = placed(a)
    for steps in (slice(None, None, -1), slice(None, None, 2)):
        for own, expected in ((x[steps], a[steps]), (x[:, steps], a[:, steps]), (x[:, :, steps], a[:, :, steps])):
            close(own @ own.swapaxes(1, 2), expected @ expected.swapaxes(1, 2), 100)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
@pytest.mark.parametrize(
    "shape,axis",
    [((40, 30), 1), ((30, 40), 0), ((4, 20, 40), 1), ((40, 21, 12), 1), ((4, 21, 13), 1), ((600,), 0), ((33, 2000), 0)],
)
def test_transforms_along_any_axis(where, dtype, shape, axis):
    a = random(shape, dtype)
    x = placed(a)
    for norm in ("backward", "ortho", "forward"):
        close(np.fft.fft(x, axis=axis, norm=norm), numpy.fft.fft(a, axis=axis, norm=norm), 400)
    close(np.fft.ifft(x, axis=axis), numpy.fft.ifft(a, axis=axis), 400)
    n = shape[axis] - 3
    close(np.fft.fft(x, n, axis=axis), numpy.fft.fft(a, n, axis=axis), 400)
    close(np.fft.irfft(x, axis=axis), numpy.fft.irfft(a, axis=axis), 400)
    close(np.fft.irfft(x, 2 * shape[axis] - 1, axis=axis), numpy.fft.irfft(a, 2 * shape[axis] - 1, axis=axis), 400)
    if numpy.dtype(dtype).kind == "f":
        close(np.fft.rfft(x, axis=axis), numpy.fft.rfft(a, axis=axis), 400)
        close(np.fft.rfft(x, shape[axis] + 5, axis=axis), numpy.fft.rfft(a, shape[axis] + 5, axis=axis), 400)
        close(np.fft.hfft(x, axis=axis), numpy.fft.hfft(a, axis=axis), 400)
        close(np.fft.rfft(x[1:], axis=axis), numpy.fft.rfft(a[1:], axis=axis), 400)
    close(x, a, 0)  # transforms scribble on copies only


def test_transforms_along_several_axes(where):
    a = random((20, 15, 8), "complex128")
    x = placed(a)
    assert tessera._core.fft.transform_at_once(x, 0, [15, 8], [1.0, 1.0]) is not None
    for norm in ("backward", "ortho", "forward"):
        close(np.fft.fftn(x, norm=norm), numpy.fft.fftn(a, norm=norm), 400)
        close(np.fft.ifftn(x, norm=norm), numpy.fft.ifftn(a, norm=norm), 400)
        close(np.fft.rfft2(x.real, norm=norm), numpy.fft.rfft2(a.real, norm=norm), 400)
    close(np.fft.fft2(x), numpy.fft.fft2(a), 400)
    close(np.fft.fft2(x, (10, 9)), numpy.fft.fft2(a, (10, 9)), 400)
    close(np.fft.rfftn(x.real, (7, 11), axes=(1, 2)), numpy.fft.rfftn(a.real, (7, 11), axes=(1, 2)), 400)
    close(np.fft.fftn(x.real), numpy.fft.fftn(a.real), 400)
    close(np.fft.fftn(x, axes=(2, 1)), numpy.fft.fftn(a, axes=(2, 1)), 400)
    close(np.fft.fft2(x.astype("c8")), numpy.fft.fft2(a.astype("c8")), 400)
    close(np.fft.ifft2(x, axes=(0, 1)), numpy.fft.ifft2(a, axes=(0, 1)), 400)
    close(np.fft.irfftn(np.fft.rfftn(x.real), s=a.shape, axes=(0, 1, 2)), a.real, 400)


def test_transforms_along_several_axes_give_outputs_the_same_bits(where):
    x = placed(random((10, 5, 6), "complex128"))
    for call in (
        np.fft.fftn,
        np.fft.ifftn,
        np.fft.fft2,
        lambda x, **kwargs: np.fft.rfftn(x.real, **kwargs),
        lambda x, **kwargs: np.fft.fftn(x, (10, 5, 4), (0, 1, 2), **kwargs),
        lambda x, **kwargs: np.fft.fftn(x.real, axes=(1, 2), norm="ortho", **kwargs),
    ):
        expected = numpy.asarray(call(x))
        for out in (
            np.zeros(expected.shape, complex),
            np.zeros(expected.T.shape, complex).T,
            np.zeros((3, *expected.shape), complex)[1],
        ):
            assert call(x, out=out) is out
            assert numpy.asarray(out).tobytes() == expected.tobytes()
        out = np.zeros(expected.shape, "complex64")  # what follows an axis reads the rounded results of it
        close(call(x, out=out), expected.astype("complex64"), 400)
    expected = numpy.asarray(np.fft.fftn(x))
    np.fft.fftn(x, out=x)
    assert numpy.asarray(x).tobytes() == expected.tobytes()
    for shape in ((10, 5, 6), (10, 5, 3)):
        with pytest.raises(ValueError, match="wrong shape"):
            np.fft.fftn(x, (3, 3, 3), (0, 1, 2), out=np.zeros(shape, complex))


LINALG = [numpy.float64, numpy.complex128, numpy.float32]


def rebuilt(*factors):
    result = numpy.asarray(factors[0])
    for factor in factors[1:]:
        result = result @ numpy.asarray(factor)
    return result


def orthonormal(q):
    q = numpy.asarray(q)
    close(
        q.conj().swapaxes(-1, -2) @ q,
        numpy.broadcast_to(numpy.eye(q.shape[-1], dtype=q.dtype), (*q.shape[:-2], q.shape[-1], q.shape[-1])),
        200,
    )


@pytest.mark.parametrize("dtype", LINALG)
@pytest.mark.parametrize("shape", [(40, 40), (3, 12, 12)])
def test_systems_and_determinants(where, dtype, shape):
    a, b = random(shape, dtype), random((*shape[:-1], 5), dtype, 2)
    x, y = placed(a), placed(b)
    close(np.linalg.solve(x, y), numpy.linalg.solve(a, b), 2000)
    close(np.linalg.solve(x.swapaxes(-1, -2), y[..., :1]), numpy.linalg.solve(a.swapaxes(-1, -2), b[..., :1]), 2000)
    close(
        np.linalg.solve(x, y[0] if len(shape) == 3 else y[:, 0]),
        numpy.linalg.solve(a, b[0] if len(shape) == 3 else b[:, 0]),
        2000,
    )
    close(np.linalg.inv(x), numpy.linalg.inv(a), 2000)
    numpy.testing.assert_allclose(np.linalg.det(x), numpy.linalg.det(a), rtol=1e-4 if dtype is numpy.float32 else 1e-11)
    for got, expected in zip(np.linalg.slogdet(x), numpy.linalg.slogdet(a)):
        numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-4 if dtype is numpy.float32 else 1e-11)
    close(x, a, 0)


@pytest.mark.parametrize("dtype", LINALG)
@pytest.mark.parametrize("shape", [(40, 40), (3, 12, 12)])
def test_hermitian_matrices(where, dtype, shape):
    a = random(shape, dtype)
    h = a @ a.conj().swapaxes(-1, -2) + 3 * numpy.eye(shape[-1], dtype=dtype)
    x = placed(h)
    for upper in (False, True):
        close(np.linalg.cholesky(x, upper=upper), numpy.linalg.cholesky(h, upper=upper), 2000)
        other = placed(numpy.triu(h) if upper else numpy.tril(h))  # one triangle says it all
        w, v = np.linalg.eigh(other, "U" if upper else "L")
        close(w, numpy.linalg.eigvalsh(h), 2000)
        orthonormal(v)
        close(rebuilt(v, numpy.asarray(w)[..., None] * numpy.asarray(v).conj().swapaxes(-1, -2)), h, 2000)
        close(np.linalg.eigvalsh(other, "U" if upper else "L"), numpy.linalg.eigvalsh(h), 2000)
    close(x, h, 0)


@pytest.mark.parametrize("dtype", LINALG)
@pytest.mark.parametrize("shape", [(40, 40), (60, 24), (24, 60), (3, 12, 7), (3, 7, 12)])
def test_qr_and_singular_values(where, dtype, shape):
    a = random(shape, dtype)
    x = placed(a)
    for mode in ("reduced", "complete"):
        q, r = np.linalg.qr(x, mode)
        for got, expected in zip((q, r), numpy.linalg.qr(a, mode)):
            close(got, expected, 2000)
    close(np.linalg.qr(x, "r"), numpy.linalg.qr(a, "r"), 2000)
    for got, expected in zip(np.linalg.qr(x, "raw"), numpy.linalg.qr(a, "raw")):
        close(got, expected, 2000)
    values = numpy.linalg.svd(a, compute_uv=False)
    close(np.linalg.svd(x, compute_uv=False), values, 400)
    for full in (False, True):
        u, s, vh = np.linalg.svd(x, full_matrices=full)
        assert [part.shape for part in (u, s, vh)] == [part.shape for part in numpy.linalg.svd(a, full_matrices=full)]
        close(s, values, 400)
        orthonormal(u)
        orthonormal(numpy.asarray(vh).swapaxes(-1, -2))
        k = s.shape[-1]
        close(rebuilt(u[..., :k], numpy.asarray(s)[..., None] * numpy.asarray(vh)[..., :k, :]), a, 400)
    close(np.linalg.pinv(x), numpy.linalg.pinv(a), 4000)
    close(x, a, 0)


def tall(kind, dtype):
    a = random((900, 24), dtype)
    if kind == "dependent":  # singular values from 1 to 1e-12
        u, _, vh = numpy.linalg.svd(a, full_matrices=False)
        a = (u * numpy.logspace(0, -12, 24)) @ vh
    elif kind == "scaled":
        a = a * numpy.logspace(-150, 150, 24)
    elif kind == "short of rank":
        a[:, 7] = a[:, 3]
        a[:, 9] = 0
    return a


@pytest.mark.parametrize("dtype", [numpy.float64, numpy.complex128])
@pytest.mark.parametrize("kind", ["well conditioned", "dependent", "scaled", "short of rank"])
def test_tall_matrices_are_as_accurate_as_lapack(where, dtype, kind):
    a = tall(kind, dtype)
    x = placed(a)
    size = numpy.linalg.norm(a / abs(a).max())
    # Columns made orthonormal by a triangular factor are so to n rounding errors, whatever LAPACK's reflections happen to reach.
    slacks = 24 * numpy.finfo(float).eps, 1e-15
    if kind == "short of rank":  # such a matrix goes column by column through the vendor's routine
        slacks = 2e-14, 2e-14

    def errors(q, r):
        q, r = numpy.asarray(q), numpy.asarray(r)
        scale = abs(a).max()
        return numpy.linalg.norm(q.conj().T @ q - numpy.eye(24)), numpy.linalg.norm(a / scale - q @ (r / scale)) / size

    got, expected = np.linalg.qr(x), numpy.linalg.qr(a)
    for mine, theirs, slack in zip(errors(*got), errors(*expected), slacks):
        assert mine <= 2 * theirs + slack
    if kind != "short of rank":
        signs = numpy.sign(numpy.diagonal(numpy.asarray(got[1])).real)
        assert (signs == numpy.sign(numpy.diagonal(expected[1]).real)).all()
    assert not numpy.tril(numpy.asarray(got[1]), -1).any()
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    u2, s2, vh2 = numpy.linalg.svd(a, full_matrices=False)
    mine, theirs = errors(u, numpy.asarray(s)[:, None] * vh), errors(u2, s2[:, None] * vh2)
    for m, t in zip(mine, theirs):
        assert m <= 2 * t + slacks[1]
    numpy.testing.assert_allclose(numpy.asarray(s), s2, rtol=0, atol=40 * numpy.finfo(float).eps * s2[0])
    close(np.linalg.svd(x, compute_uv=False) / s2[0], s2 / s2[0])


@pytest.mark.falls_back
def test_what_has_no_solution_says_so_in_numpys_words(where):
    singular = placed(numpy.ones((SIDE, SIDE)))
    for call in (np.linalg.inv, lambda x: np.linalg.solve(x, x)):
        with pytest.raises(numpy.linalg.LinAlgError, match=r"^Singular matrix \((inv|solve) of \(96, ?96\)"):
            call(singular)
    assert np.linalg.det(singular) == 0
    with pytest.raises(numpy.linalg.LinAlgError, match=r"^Matrix is not positive definite \(cholesky of \(96, ?96\)"):
        np.linalg.cholesky(placed(-numpy.eye(SIDE)))
    with pytest.raises(numpy.linalg.LinAlgError, match="must be square"):
        np.linalg.inv(placed(random((SIDE, 90))))


MISSING = """
import warnings
import numpy, tessera, tessera.numpy as np
from tessera import _core, _toolkit
_toolkit.folders = lambda: []
a = numpy.arange(10000.0).reshape(100, 100)
with warnings.catch_warnings(record=True) as caught, tessera.device("simulated"):
    warnings.simplefilter("always")
    for _ in range(3):
        assert numpy.array_equal(numpy.asarray(np.array(a) @ np.array(a)), a @ a)
    tessera.synchronize()
print(_core.counters()["device_fallbacks"], *(w.message for w in caught), sep="|")
"""


@pytest.mark.falls_back
def test_a_missing_library_costs_its_ops_alone_and_is_said_once():
    done = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count, *messages = done.stdout.strip().split("|")
    assert count == "3" and len(messages) == 1
    assert messages[0].startswith(
        "matmul and its like run on the host: cuBLAS was not found: pip install nvidia-cublas"
    )


BROKEN = """
import warnings
import numpy, tessera, tessera.numpy as np
from tessera import _core, _toolkit
_toolkit.folders = lambda: [{folder!r}]
a = numpy.eye(300) * 2.0
with warnings.catch_warnings(record=True) as caught, tessera.device("simulated"):
    warnings.simplefilter("always")
    for _ in range(3):
        b = np.array(a)
        assert numpy.array_equal(b @ b, a @ a) and np.fft.fft(b)[0, 0] == 2 and np.linalg.qr(b)[1].shape == (300, 300)
print(*sorted(str(w.message) for w in caught), sep="|")
"""


@pytest.mark.falls_back
@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the simulated libraries are not here")
def test_a_library_that_does_not_start_costs_its_ops_alone():
    environment = dict(os.environ, SIMULATED_START_FAILS="1")
    done = subprocess.run(
        [sys.executable, "-c", BROKEN.format(folder=str(LIBRARIES))], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().split("|") == [
        f"{op} and its like run on the host: {title} does not start (status 1)"
        for op, title in (("fft", "cuFFT"), ("matmul", "cuBLAS"), ("qr", "cuSOLVER"))
    ]


PROFILED = """
import numpy, tessera, tessera.numpy as np
from tessera import _toolkit
_toolkit.folders = lambda: [{folder!r}]
with tessera.device("simulated"):
    a = np.array(numpy.ones((200, 200)))
    numpy.asarray(np.exp(a) * 2.0 @ a)
"""


@pytest.mark.falls_back
@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the simulated libraries are not here")
def test_a_profiler_that_is_attached_hears_of_windows_and_calls(tmp_path):
    log = tmp_path / "ranges"
    environment = dict(
        os.environ, NVTX_INJECTION64_PATH=str(LIBRARIES / "libsimulated_profiler.so"), SIMULATED_PROFILE=str(log)
    )
    code = PROFILED.format(folder=str(LIBRARIES))
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = log.read_text().splitlines()
    assert lines[:4] == ["push window of 2: exp, multiply", "pop", "push matmul", "pop"]
    assert lines.count("pop") == len(lines) / 2


@pytest.mark.falls_back
def test_the_libraries_say_where_they_come_from(where):
    facts = {library["title"]: library for library in _core.device_libraries()}
    assert list(facts) == ["cuBLAS", "cuFFT", "cuSOLVER", "NVRTC"]
    for library in facts.values():
        assert (
            library["problem"] == ""
            and Path(library["path"]).is_file()
            and library["origin"] in ("Python package", "already loaded", "system")
        )


@pytest.mark.falls_back
def test_folders_of_packages_are_found(tmp_path, monkeypatch):
    for name in ("cublas", "cu13"):
        (tmp_path / "nvidia" / name / "lib").mkdir(parents=True)
    (tmp_path / "nvidia" / "empty").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "absent")])
    module = importlib.util.module_from_spec(
        _toolkit.__spec__
    )  # the other's function gives the simulated libraries where all tests run on them
    _toolkit.__spec__.loader.exec_module(module)
    assert module.folders() == [str(tmp_path / "nvidia" / name / "lib") for name in ("cublas", "cu13")]


@pytest.mark.falls_back
def test_a_library_that_was_missing_is_found_in_other_folders():
    if "simulated" not in DEVICES:
        pytest.skip("the simulated libraries are not here")
    text = (
        "import sys, numpy, tessera, tessera.numpy as np\n"
        "from tessera import _core\n"
        "def product():\n"
        "    with tessera.device('simulated'):\n"
        "        a = np.asarray(numpy.ones((96, 96))) + 0.0\n"
        "        return float((a @ a).sum())\n"
        "_core.set_toolkit_folders([])\n"
        "assert product() == 96.0**3 and _core.counters()['device_fallbacks'] > 0\n"
        "_core.set_toolkit_folders([sys.argv[1]])\n"
        "_core.reset_counters()\n"
        "assert product() == 96.0**3\n"
        "counters = _core.counters()\n"
        "assert counters['device_fallbacks'] == 0 and counters['device_library_calls'] > 0, counters\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", text, str(LIBRARIES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.falls_back  # in a process of its own
@pytest.mark.skipif("simulated" not in DEVICES, reason="the simulated libraries are not here")
def test_what_synchronises_waits_for_a_device_that_libraries_alone_use():
    program = f"""
import numpy, tessera, tessera.numpy as np
from tessera import _core
_core.set_toolkit_folders([{str(LIBRARIES)!r}])
a = np.array(numpy.ones(({SIDE}, {SIDE})))
b = a @ a
try:
    tessera.synchronize()
except RuntimeError as error:
    print(error)
print(tessera.counters()["device_launches"])
"""
    environment = os.environ | {"TESSERA_SIMULATED_FAILURE": "1", "TESSERA_DEVICE": "simulated"}
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert out.returncode == 0, out.stderr
    assert "made to fail" in out.stdout and out.stdout.splitlines()[-1] == "0"
