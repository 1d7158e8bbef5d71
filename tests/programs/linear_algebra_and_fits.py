"""Linear algebra, polynomial fits and signals."""


def least_squares(np):
    rng = np.random.default_rng(21)
    x = np.linspace(-2, 3, 50)
    y = 1.5 - 2 * x + 0.5 * x**3 + rng.normal(0, 0.1, x.size)
    coefficients, covariance = np.polyfit(x, y, 3, cov=True)
    fitted = np.polyval(coefficients, x)
    design = np.vander(x, 4)
    solution, residuals, rank, singular = np.linalg.lstsq(design, y, rcond=None)
    r2 = 1 - ((y - fitted) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    p = np.poly1d(coefficients)
    return coefficients, covariance, solution, residuals, rank, singular, r2, p.deriv()(1.0), p.roots, (p * p).order


def polynomial_module(np):
    x = np.linspace(0, 1, 21)
    p = np.polynomial.Polynomial.fit(x, np.exp(x), 4)
    c = np.polynomial.chebyshev.chebfit(2 * x - 1, np.exp(x), 4)
    nodes, weights = np.polynomial.legendre.leggauss(5)
    return (
        p.convert().coef,
        p(0.5),
        c,
        np.polynomial.chebyshev.chebval(2 * x - 1, c),
        (weights * np.exp(nodes)).sum(),
        np.polynomial.polynomial.polyroots([6, -5, 1]),
    )


def power_iteration(np):
    a = np.random.default_rng(4).random((6, 6))
    a = a + a.T
    v = np.ones(6)
    for _ in range(100):
        v = a @ v
        v /= np.linalg.norm(v)
    w, vectors = np.linalg.eigh(a)
    return v @ a @ v, w, np.abs(vectors[:, -1]), np.linalg.cond(a), np.linalg.slogdet(a), np.trace(a) - w.sum() < 1e-12


def principal_components(np):
    x = np.random.default_rng(6).normal(size=(100, 6)) @ np.diag([5, 3, 2, 1, 0.5, 0.1])
    centred = x - x.mean(0)
    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    share = s**2 / np.sum(s**2)
    keep = np.searchsorted(np.cumsum(share), 0.95) + 1
    approximation = (u[:, :keep] * s[:keep]) @ vt[:keep]
    return (
        np.abs(s),
        share,
        keep,
        np.abs(approximation - centred).max(),
        np.linalg.matrix_rank(approximation),
        np.linalg.pinv(centred).shape,
    )


def solvers(np):
    n = 30
    a = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    b = np.sin(np.arange(n))
    x = np.zeros(n)
    for _ in range(50):
        x = (b - (a - np.diag(np.diag(a))) @ x) / np.diag(a)
    exact = np.linalg.solve(a, b)
    lower = np.linalg.cholesky(a)
    q, r = np.linalg.qr(a)
    stack = np.broadcast_to(a[:3, :3], (4, 3, 3)) + np.arange(4)[:, None, None] * np.eye(3)
    try:
        np.linalg.inv(np.zeros((2, 2)))
    except np.linalg.LinAlgError as error:
        words = str(error)
    return (
        x,
        exact,
        np.linalg.det(a),
        lower,
        np.abs(np.diag(r)),
        np.linalg.inv(stack),
        words,
        np.kron(np.eye(2), a[:2, :2]),
    )


def geometry(np):
    rng = np.random.default_rng(31)
    p, q = rng.random((20, 3)), rng.random((15, 3))
    d = np.sqrt(((p[:, None, :] - q[None, :, :]) ** 2).sum(-1))
    nearest = d.argmin(axis=1)
    normals = np.cross(p[1:], p[:-1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    gram = np.einsum("ij,kj->ik", p, q)
    area = 0.5 * np.abs(np.dot(p[:, 0], np.roll(p[:, 1], 1)) - np.dot(p[:, 1], np.roll(p[:, 0], 1)))
    angles = np.arccos(np.clip(np.einsum("ij,ij->i", normals[1:], normals[:-1]), -1, 1))
    return (
        d,
        nearest,
        d[np.arange(20), nearest],
        normals,
        gram,
        area,
        angles,
        np.tensordot(p, q, axes=([1], [1])).shape,
        np.triu(d[:4, :4], 1),
    )


def spectrum(np):
    fs = 256.0
    t = np.arange(512) / fs
    x = np.sin(2 * np.pi * 20 * t) + 0.5 * np.sin(2 * np.pi * 45 * t + 1)
    window = np.hamming(t.size)
    amplitudes = np.abs(np.fft.rfft(x * window)) * 2 / window.sum()
    frequencies = np.fft.rfftfreq(t.size, 1 / fs)
    peaks = frequencies[np.argsort(amplitudes)[::-1][:4]]
    f = np.fft.fft(x)
    f[np.abs(np.fft.fftfreq(t.size, 1 / fs)) > 30] = 0
    low = np.fft.ifft(f)
    image = np.fft.fftshift(np.fft.fft2(np.outer(x[:16], x[:8])))
    return (
        amplitudes,
        np.sort(peaks),
        low.real,
        np.abs(low.imag).max() < 1e-12,
        np.abs(image),
        np.angle(f[40]),
        np.correlate(x[:50], x[:20], "full"),
    )


def filters(np):
    x = np.random.default_rng(77).standard_normal(200).cumsum()
    n = np.arange(-20, 21)
    taps = 0.2 * np.sinc(0.2 * n) * np.blackman(n.size)
    taps /= taps.sum()
    smooth = np.convolve(x, taps, mode="same")
    detrended = x - np.polyval(np.polyfit(np.arange(x.size), x, 1), np.arange(x.size))
    up = np.zeros(2 * x.size)
    up[::2] = x
    crossings = np.where(np.diff(np.signbit(detrended)))[0]
    energy = np.add.reduceat(x**2, np.arange(0, 200, 25))
    decibel = 10 * np.log10(energy / energy.max())
    return (
        smooth,
        detrended,
        up[:10],
        crossings,
        decibel,
        np.trapezoid(x, dx=0.1),
        np.diff(x, n=2)[:5],
        np.select([x > 1, x < -1], [1, -1], 0),
    )
