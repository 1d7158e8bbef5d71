"""Products and numpy.linalg: NumPy's values (bits where the same routine runs), dtypes, shapes, errors."""

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import _core

# A GPU's own libraries have bits of their own.
HAS_HOST_BITS = not any(kind in _core.device() for kind in ("gpu", "simulated"))
INEXACT = ["f4", "f8", "c8", "c16"]
ALL = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", *INEXACT]


def sample(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    x = rng.integers(0, 2 if kind == "b" else 9, shape) if kind in "biu" else rng.standard_normal(shape)
    if kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def assert_same(ours, theirs, bits=True):
    assert isinstance(ours, tnp.ndarray) == isinstance(theirs, np.ndarray), (type(ours), type(theirs))
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (
        ours.dtype,
        theirs.dtype,
        ours.shape,
        theirs.shape,
    )
    if bits and (HAS_HOST_BITS or theirs.dtype.kind not in "fc"):
        np.testing.assert_array_equal(ours, theirs)
    else:
        tolerance = 1e-4 if theirs.dtype.char in "fF" else 2e-2 if theirs.dtype.char == "e" else 1e-10
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def host(x):
    return np.asarray(x) if isinstance(x, tnp.ndarray) else x


def both(call, *arrays, bits=True):
    theirs = call(np, *arrays)
    ours = call(tnp, *[tnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays])
    if isinstance(theirs, tuple):
        assert type(ours) is type(theirs) and len(ours) == len(theirs)
        for mine, their in zip(ours, theirs):
            assert_same(mine, their, bits)
    else:
        assert_same(ours, theirs, bits)


def fails_alike(call):
    failures = []
    for module in (tnp, np):
        with pytest.raises(Exception) as failure:
            call(module)
        failures.append((failure.type, str(failure.value)))
    assert failures[0] == failures[1]


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 1, 2, 3), (4, 3, 6)),
    ((1, 3), (3, 4)),
    ((4, 3), (3, 1)),
    ((4, 1), (1, 5)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((60, 70), (70, 80)),
    ((3, 60, 70), (70, 80)),
    ((1, 1), (1, 5)),
    ((130, 5), (5,)),
    ((5, 3), (2, 3, 4)),
    ((3,), (2, 3, 4)),
]


@pytest.mark.parametrize("dtype", ALL)
def test_matmul_has_numpys_bits_for_every_layout(dtype):
    for shape_a, shape_b in SHAPES:
        a, b = sample(shape_a, dtype, 1), sample(shape_b, dtype, 2)
        both(lambda m, x, y: m.matmul(x, y), a, b)
        both(lambda m, x, y: m.matmul(x.T, y), a.T.copy(), b)
        both(lambda m, x, y: m.matmul(x, y.T), a, b.T.copy())
        both(lambda m, x, y: m.matmul(x, y[..., ::-1]), a, sample(shape_b, dtype, 2))
        half = tuple(slice(None, None, 2) for _ in shape_a)
        both(lambda m, x, y: m.matmul(x[half], y), sample(tuple(2 * n for n in shape_a), dtype, 3), b)
    square = sample((6, 7), dtype)
    both(lambda m, x: x @ x.T, square)
    both(lambda m, x: x.T @ x, square)


@pytest.mark.parametrize("dtype", ALL)
def test_dot_and_its_kin(dtype):
    for shape_a, shape_b in SHAPES:
        if len(shape_a) > 2 or len(shape_b) > 2:
            continue
        both(lambda m, x, y: m.dot(x, y), sample(shape_a, dtype, 1), sample(shape_b, dtype, 2))
    a, b = sample((2, 3, 4), dtype, 1), sample((5, 4, 6), dtype, 2)
    both(lambda m, x, y: m.dot(x, y), a, b, bits=False)
    both(lambda m, x, y: m.dot(x, y), sample((), dtype), a, bits=False)
    both(lambda m, x: m.dot(x, 3), a)
    both(lambda m, x, y: m.vdot(x, y[:, ::-1]), a, a)
    both(lambda m, x, y: m.inner(x, y), sample((3, 4), dtype, 1), sample((2, 4), dtype, 2))
    both(lambda m, x, y: m.inner(x, y), a[0, 0], a[1, 1])
    both(lambda m, x, y: m.outer(x, y), a, b[0], bits=False)
    both(lambda m, x, y: m.kron(x, y), a, b[0], bits=False)
    both(lambda m, x, y: m.tensordot(x, y, 1), a, b[0], bits=False)
    both(lambda m, x, y: m.tensordot(x, y, ([2], [1])), a, b, bits=False)
    both(lambda m, x, y: m.tensordot(x, y, ([0, 2], [0, 1])), a, sample((2, 4, 3), dtype), bits=False)
    both(lambda m, x, y: m.vecdot(x, y), a, a[0])
    both(lambda m, x, y: m.vecdot(x, y, axis=0), a, a[:, ::-1].copy())
    both(lambda m, x, y: m.matvec(x, y), a, sample((3, 1, 4), dtype)[0])
    both(lambda m, x, y: m.vecmat(x, y), sample((4,), dtype), b)


def test_products_promote_and_take_out_dtype_axes():
    a, b = sample((3, 4), "i4"), sample((4, 5), "f4")
    both(lambda m, x, y: x @ y, a, b)
    both(lambda m, x: m.matmul(x, x.T, dtype="f8"), a)
    both(lambda m, x, y: m.matmul(x, y, axes=[(1, 0), (0, 1), (0, 1)]), sample((4, 3), "f8"), sample((4, 5), "f8"))
    both(lambda m, x, y: m.matmul(x, y, axes=[(0, 1), (0, 1), (1, 0)]), sample((3, 4), "f8"), sample((4, 5), "f8"))
    both(lambda m, x, y: m.vecdot(x, y, keepdims=True), sample((3, 4), "f8"), sample((3, 4), "f8"))
    x, y = sample((3, 4), "f8"), sample((4, 5), "f8")
    out = tnp.empty((3, 5))
    assert tnp.matmul(tnp.asarray(x), tnp.asarray(y), out=out) is out
    assert_same(out, x @ y)
    out = tnp.empty((3, 5), "c16")
    tnp.matmul(tnp.asarray(x), tnp.asarray(y), out)
    assert_same(out, (x @ y).astype("c16"))
    square = tnp.asarray(sample((4, 4), "f8"))
    expected = np.asarray(square) @ np.asarray(square)
    tnp.matmul(square, square, out=square)
    assert_same(square, expected)
    square @= tnp.eye(4)
    assert_same(square, expected)
    assert tnp.dot(tnp.asarray(x), tnp.asarray(y), out=tnp.empty((3, 5))).shape == (3, 5)
    assert tnp.matmul.signature == np.matmul.signature and tnp.matmul.nin == 2 and tnp.matmul.__name__ == "matmul"


def test_products_fail_in_numpys_words():
    z = lambda m, *shape: m.zeros(shape)
    for call in [
        lambda m: z(m, 2, 3, 4) @ z(m, 3, 4, 5),
        lambda m: z(m, 3) @ z(m, 4),
        lambda m: z(m, 5, 3) @ z(m, 4),
        lambda m: m.matmul(3, z(m, 3)),
        lambda m: m.vecdot(z(m, 2, 3), z(m, 4, 3)),
        lambda m: m.dot(z(m, 2, 3), z(m, 2, 3)),
        lambda m: m.dot(z(m, 3), z(m, 4, 2, 2)),
        lambda m: m.inner(z(m, 2, 3), z(m, 2, 4)),
        lambda m: m.vdot(z(m, 2), z(m, 3)),
        lambda m: m.tensordot(z(m, 2, 3), z(m, 3, 2)),
        lambda m: m.matmul.reduce(z(m, 3, 3)),
        lambda m: m.matmul(z(m, 3, 3), z(m, 3, 3), dtype=int),
        lambda m: m.matmul(z(m, 3, 3), z(m, 3, 3), out=m.zeros((3, 3), int)),
        lambda m: m.dot(z(m, 3, 3), z(m, 3, 3), out=m.zeros((3, 3), int)),
    ]:
        fails_alike(call)


def hermitian(a):
    return a @ a.swapaxes(-1, -2).conj() + a.shape[-1] * np.eye(a.shape[-1], dtype=a.dtype)


@pytest.mark.parametrize("dtype", [*INEXACT, "i4", "?"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (40, 40), (3, 5, 5), (2, 3, 2, 2), (0, 3, 3), (0, 0), (2, 0, 0)])
def test_square_matrices(dtype, shape):
    a = sample(shape, dtype, 5) + (np.eye(shape[-1]) * 11).astype(dtype)
    if dtype == "?":
        a = np.broadcast_to(np.triu(np.ones(shape[-2:], bool)), shape).copy()
    b = sample(shape, dtype, 6)
    both(lambda m, x: m.linalg.inv(x), a)
    both(lambda m, x: m.linalg.det(x), a)
    both(lambda m, x: m.linalg.slogdet(x), a)
    both(lambda m, x, y: m.linalg.solve(x, y), a, b)
    if dtype != "?":
        spd = (
            hermitian(a)
            if np.dtype(dtype).kind in "fc"
            else (a @ a.swapaxes(-1, -2) + 90 * np.eye(shape[-1])).astype(dtype)
        )
        both(lambda m, x: m.linalg.cholesky(x), spd)
        both(lambda m, x: m.linalg.cholesky(x, upper=True), spd)
        for uplo in "LU":
            both(lambda m, x: m.linalg.eigh(x, uplo), spd)
            both(lambda m, x: m.linalg.eigvalsh(x, uplo), spd)
    both(lambda m, x: m.linalg.eig(x), a)
    both(lambda m, x: m.linalg.eigvals(x), a)
    if a.size:
        both(lambda m, x: m.linalg.matrix_power(x, 5), a if np.dtype(dtype).kind in "fc" else a.astype(float))
        both(lambda m, x: m.linalg.matrix_power(x, -2), a)
    both(lambda m, x: m.linalg.matrix_power(x, 0), a)


@pytest.mark.parametrize("dtype", [*INEXACT, "i4"])
@pytest.mark.parametrize(
    "shape", [(4, 4), (5, 3), (3, 5), (30, 20), (2, 4, 3), (2, 3, 4), (0, 3), (3, 0), (2, 0, 3), (0, 3, 2)]
)
def test_rectangular_matrices(dtype, shape):
    a = sample(shape, dtype, 7)
    for mode in ("reduced", "complete", "r", "raw"):
        both(lambda m, x: m.linalg.qr(x, mode), a)
    for full in (True, False):
        both(lambda m, x: m.linalg.svd(x, full_matrices=full), a)
    both(lambda m, x: m.linalg.svd(x, compute_uv=False), a)
    both(lambda m, x: m.linalg.svdvals(x), a)
    both(lambda m, x: m.linalg.pinv(x), a, bits=False)
    if np.dtype(dtype).kind in "fc":
        both(lambda m, x: m.linalg.pinv(x, rtol=None), a, bits=False)
    both(lambda m, x: m.linalg.matrix_rank(x), a)
    if len(shape) == 2 and shape[1]:
        both(lambda m, x, y: m.linalg.lstsq(x, y), a, sample((shape[0], 2), dtype, 8))
        both(lambda m, x, y: m.linalg.lstsq(x, y), a, sample((shape[0],), dtype, 8))
        both(lambda m, x, y: m.linalg.lstsq(x, y, rcond=1e-3), a, sample((shape[0], 0), dtype, 8))


def test_systems_broadcast_and_take_vectors():
    a = sample((2, 3, 4, 4), "f8") + 3 * np.eye(4)
    both(lambda m, x, y: m.linalg.solve(x, y), a, sample((4,), "f8"))
    both(lambda m, x, y: m.linalg.solve(x, y), a, sample((4, 2), "f8"))
    both(lambda m, x, y: m.linalg.solve(x, y), a[0, 0], sample((5, 4, 2), "f8"))
    both(lambda m, x, y: m.linalg.solve(x, y), a[0, 0].T, sample((4, 2), "c8"))
    both(lambda m, x: m.linalg.inv(x), a[..., ::-1, ::-1])
    t = sample((6, 4, 2, 3, 4), "f8")
    both(lambda m, x: m.linalg.tensorinv(x), sample((4, 6, 8, 3), "f8"), bits=False)
    both(lambda m, x, y: m.linalg.tensorsolve(x, y), t, sample((6, 4), "f8"), bits=False)


def test_hermitian_forms():
    a = hermitian(sample((2, 5, 5), "f8"))
    both(lambda m, x: m.linalg.svd(x, hermitian=True), a, bits=False)
    both(lambda m, x: m.linalg.svd(x, hermitian=True, compute_uv=False), a, bits=False)
    both(lambda m, x: m.linalg.pinv(x, hermitian=True), a, bits=False)
    both(lambda m, x: m.linalg.matrix_rank(x, hermitian=True), a)
    rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
    both(lambda m, x: m.linalg.eig(x), rotation)
    both(lambda m, x: m.linalg.eig(x), np.stack([rotation, np.eye(2)]))


@pytest.mark.parametrize("dtype", [*INEXACT, "i4", "?"])
def test_norms(dtype):
    vector, matrix, cube = sample(7, dtype), sample((4, 5), dtype), sample((3, 4, 5), dtype)
    both(lambda m, x: m.linalg.norm(x), vector)
    both(lambda m, x: m.linalg.norm(x), matrix)
    both(lambda m, x: m.linalg.norm(x), cube)
    both(lambda m, x: m.linalg.norm(x, keepdims=True), cube)
    for order in (None, 0, 1, 2, 3, -1, 0.5, np.inf, -np.inf):
        both(lambda m, x: m.linalg.norm(x, order), vector, bits=False)
        both(lambda m, x: m.linalg.norm(x, order, axis=1, keepdims=True), cube, bits=False)
        both(lambda m, x: m.linalg.vector_norm(x, ord=order, axis=(0, 2)), cube, bits=False)
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        both(lambda m, x: m.linalg.norm(x, order, axis=(0, 1)), cube, bits=False)
        both(lambda m, x: m.linalg.norm(x, order, axis=(2, 0), keepdims=True), cube, bits=False)
        if order is not None:
            both(lambda m, x: m.linalg.matrix_norm(x, ord=order), cube, bits=False)
    both(lambda m, x: m.linalg.vector_norm(x, keepdims=True), cube, bits=False)
    square = sample((3, 4, 4), dtype, 3) + (3 * np.eye(4)).astype(dtype)
    for p in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro"):
        both(lambda m, x: m.linalg.cond(x, p), square, bits=False)
        both(lambda m, x: m.linalg.cond(x, p), np.zeros((2, 2)) if p not in (-1, -np.inf) else np.eye(2), bits=False)


def test_other_names():
    a, b, c, d = (sample(s, "f8", i) for i, s in enumerate([(10, 30), (30, 5), (5, 60), (60, 4)]))
    both(lambda m, *x: m.linalg.multi_dot(x), a, b)
    both(lambda m, *x: m.linalg.multi_dot(x), a, b, c)
    both(lambda m, *x: m.linalg.multi_dot(x), a, b, c, d)
    both(lambda m, *x: m.linalg.multi_dot(x), a[0], b, c, d[:, 0])
    both(lambda m, x: m.linalg.outer(x, x), a[0])
    both(lambda m, x: m.linalg.diagonal(x, offset=1), sample((2, 3, 4), "f8"))
    both(lambda m, x: m.linalg.trace(x, offset=1), sample((2, 3, 4), "f8"))
    both(lambda m, x: m.linalg.matrix_transpose(x), sample((2, 3, 4), "f8"))
    both(lambda m, x, y: m.linalg.cross(x, y), sample((2, 3), "f8"), sample((3,), "f8", 2))
    both(lambda m, x, y: m.linalg.matmul(x, y), a, b)
    both(lambda m, x, y: m.linalg.tensordot(x, y, axes=1), a, b)
    both(lambda m, x, y: m.linalg.vecdot(x, y, axis=0), a, a)


def test_linear_algebra_fails_in_numpys_words():
    z = lambda m, *shape: m.zeros(shape)
    for call in [
        lambda m: m.linalg.inv(z(m, 3, 3)),
        lambda m: m.linalg.solve(z(m, 3, 3), z(m, 3)),
        lambda m: m.linalg.inv(z(m, 2, 3)),
        lambda m: m.linalg.inv(z(m, 3)),
        lambda m: m.linalg.cholesky(-m.eye(3)),
        lambda m: m.linalg.det(z(m, 2, 3)),
        lambda m: m.linalg.eig(m.full((2, 2), m.nan)),
        lambda m: m.linalg.eigvals(m.full((2, 2), m.inf)),
        lambda m: m.linalg.qr(z(m, 3)),
        lambda m: m.linalg.svd(z(m, 3)),
        lambda m: m.linalg.svd(m.full((2, 2), m.nan)),
        lambda m: m.linalg.eigh(m.eye(2), "X"),
        lambda m: m.linalg.qr(m.eye(2), "other"),
        lambda m: m.linalg.norm(z(m, 2, 2), 3),
        lambda m: m.linalg.norm(z(m, 2, 2, 2), 2),
        lambda m: m.linalg.norm(z(m, 2), "fro"),
        lambda m: m.linalg.norm(z(m, 2, 2), axis=(0, 0)),
        lambda m: m.linalg.lstsq(z(m, 3, 2), z(m, 4)),
        lambda m: m.linalg.solve(m.eye(2), z(m, 3)),
        lambda m: m.linalg.solve(m.eye(2), z(m, 3, 1)),
        lambda m: m.linalg.matrix_power(m.eye(2), 1.5),
        lambda m: m.linalg.inv(m.eye(2, dtype="f2")),
        lambda m: m.linalg.cond(z(m, 0, 0)),
        lambda m: m.linalg.multi_dot([z(m, 2, 2)]),
        lambda m: m.linalg.tensorinv(z(m, 2), 0),
        lambda m: m.linalg.outer(z(m, 2, 2), z(m, 2)),
        lambda m: m.linalg.matrix_rank(m.eye(2), 1, rtol=1),
    ]:
        fails_alike(call)
    assert issubclass(tnp.linalg.LinAlgError, ValueError) and tnp.linalg.LinAlgError is np.linalg.LinAlgError


def test_named_results_are_found_where_libraries_look():
    a = tnp.eye(2)
    assert isinstance(tnp.linalg.eig(a), tnp.linalg._linalg.EigResult)
    assert isinstance(tnp.linalg.svd(a), tnp.linalg._linalg.SVDResult)
