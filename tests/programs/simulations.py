"""Simulations and Monte Carlo."""


def pi_by_darts(np):
    rng = np.random.default_rng(2024)
    x, y = rng.uniform(-1, 1, (2, 20000))
    inside = x * x + y * y <= 1
    estimates = 4 * np.cumsum(inside) / np.arange(1, inside.size + 1)
    return estimates[-1], estimates[::1000], inside.mean() * 4, 4 * inside.sum() / inside.size


def random_walks(np):
    np.random.seed(7)
    steps = np.random.choice([-1, 1], size=(50, 300))
    walks = steps.cumsum(axis=1)
    hits = np.abs(walks) >= 15
    first = np.where(hits.any(1), hits.argmax(1), -1)
    returns = np.count_nonzero(walks == 0, axis=1)
    plane = np.random.normal(size=(2, 100)).cumsum(1)
    return (
        walks[:, -1],
        first,
        returns,
        walks.max(1),
        np.sqrt((plane**2).sum(0)),
        walks.mean(0).dtype,
        np.mean(first[first >= 0]),
    )


def heat_and_waves(np):
    u = np.zeros((30, 30))
    u[10:20, 10:20] = 100.0
    for _ in range(40):
        u[1:-1, 1:-1] += 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    now = np.exp(-(((np.arange(100) - 50) / 6.0) ** 2))
    before = now.copy()
    for _ in range(60):
        after = np.zeros_like(now)
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + 0.25 * (now[2:] - 2 * now[1:-1] + now[:-2])
        before, now = now, after
    return u, u.sum(), now, np.array_str(u[9:12, 9:12], precision=3)


def ising(np):
    rng = np.random.default_rng(10)
    spins = rng.choice(np.array([-1, 1], dtype=np.int8), (16, 16))
    checker = np.indices(spins.shape).sum(0) % 2
    energies = []
    for sweep in range(20):
        for colour in (0, 1):
            field = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
            change = 2 * spins * field
            flip = (rng.random(spins.shape) < np.exp(-change / 2.0)) & (checker == colour)
            spins[flip] *= -1
        energies.append(-(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1))).mean())
    return spins, np.array(energies), abs(spins.mean())


def option_prices(np):
    rng = np.random.default_rng(55)
    s0, strike, rate, sigma, years, steps = 100.0, 105.0, 0.03, 0.2, 1.0, 64
    dt = years / steps
    z = rng.standard_normal((2000, steps))
    paths = s0 * np.exp(np.cumsum((rate - sigma**2 / 2) * dt + sigma * np.sqrt(dt) * z, axis=1))
    payoff = np.maximum(paths[:, -1] - strike, 0)
    asian = np.maximum(paths.mean(1) - strike, 0)
    knocked = np.where(paths.min(1) > 90, payoff, 0.0)
    discount = np.exp(-rate * years)
    return (
        [discount * p.mean() for p in (payoff, asian, knocked)],
        payoff.std() / np.sqrt(payoff.size),
        np.quantile(payoff, 0.95),
    )


def bodies(np):
    rng = np.random.default_rng(66)
    position, velocity, mass = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)) * 0.1, rng.random(12) + 0.5
    for _ in range(25):
        apart = position[None] - position[:, None]
        cube = (np.sum(apart**2, axis=-1) + 0.01) ** -1.5
        np.fill_diagonal(cube, 0)
        velocity += 0.01 * np.einsum("ijk,ij,j->ik", apart, cube, mass)
        position += 0.01 * velocity
    kinetic = 0.5 * (mass * np.linalg.norm(velocity, axis=1) ** 2).sum()
    return position, velocity, kinetic, np.average(position, axis=0, weights=mass)


def runge_kutta(np):
    def f(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    y, h, track = np.array([2.0, 0.0]), 0.05, []
    for i in range(200):
        t = i * h
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        track.append(y)
    track = np.array(track)
    return track, np.vstack(track[:3]), track[:, 0].max(), np.column_stack([track[:2], [1, 2]])


def markov_chain(np):
    p = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
    w, v = np.linalg.eig(p.T)
    stationary = np.real(v[:, np.isclose(w, 1)]).ravel()
    stationary = stationary / stationary.sum()
    np.random.seed(1)
    state, states = 0, []
    for _ in range(200):
        state = np.random.choice(3, p=p[state])
        states.append(state)
    share = np.bincount(states, minlength=3) / len(states)
    return stationary, np.linalg.matrix_power(p, 50), share, np.isclose(p.sum(axis=1), 1).all(), states[:20]


def neural_network(np):
    rng = np.random.default_rng(0)
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
    y = np.array([[0], [1], [1], [0]], dtype=np.float32)
    w1, w2 = rng.normal(size=(2, 8)).astype(np.float32), rng.normal(size=(8, 1)).astype(np.float32)
    b1, b2 = np.zeros(8, np.float32), np.zeros(1, np.float32)
    for _ in range(60):
        h = np.tanh(x @ w1 + b1)
        out = 1 / (1 + np.exp(-(h @ w2 + b2)))
        delta = out - y
        back = (delta @ w2.T) * (1 - h**2)
        w2 -= 0.5 * h.T @ delta
        b2 -= 0.5 * delta.sum(0)
        w1 -= 0.5 * x.T @ back
        b1 -= 0.5 * back.sum(0)
    one_hot = np.eye(3)[np.array([0, 2, 1, 1])]
    scores = np.array([[1.0, 2, 3], [1000, 1001, 1002]])
    soft = np.exp(scores - scores.max(1, keepdims=True))
    soft /= soft.sum(1, keepdims=True)
    return out, w1.dtype, np.mean(delta**2), one_hot, soft, -np.log(soft[np.arange(2), [2, 0]]).mean()


def k_means(np):
    rng = np.random.default_rng(3)
    points = np.concatenate([rng.normal(c, 0.3, (40, 2)) for c in ([0, 0], [3, 3], [0, 4])])
    centres = points[rng.choice(len(points), 3, replace=False)]
    for turn in range(20):
        distance = np.linalg.norm(points[:, None] - centres, axis=2)
        label = distance.argmin(1)
        new = np.array([points[label == k].mean(0) for k in range(3)])
        if np.allclose(new, centres):
            break
        centres = new
    return centres, label, turn, np.bincount(label), distance.min(1).sum()
