"""Types, warnings and exceptions that programs run into."""


def warned_arithmetic(np):
    x = np.array([0.0, 1.0, -1.0, np.inf])
    results = [x / 0, np.log(x), np.sqrt(x), x - np.inf, 0 / x, np.arctanh(x)]
    i = np.array([1, 0, -7])
    results += [
        i // 0,
        i % 0,
        np.float32(1e30) * np.float32(1e30),
        np.int32(2**31 - 1) + np.int32(1),
        np.uint8(200) + np.uint8(100),
    ]
    results += [
        np.array([300.5, -1.0, np.nan]).astype(np.int32),
        np.exp(np.array([1000.0])),
        np.mean([]),
        np.array([1e300]) * 1e300,
    ]
    return results


def errors_by_name(np):
    a, said = np.arange(6).reshape(2, 3), []
    attempts = [
        lambda: a + np.arange(4), lambda: a @ a, lambda: a[2], lambda: a[:, [0, 3]], lambda: a.reshape(4, 2), lambda: a[0, 0, 0],
        lambda: np.concatenate([a, a[0]]), lambda: a.sum(axis=2), lambda: np.stack([a, a.T]), lambda: a.astype("nope"), lambda: a ** -1,
        lambda: np.array([[1, 2], [3]]), lambda: a.__setitem__(0, [1, 2]), lambda: bool(a), lambda: int(a), lambda: np.linalg.inv(a),
        lambda: a.__iadd__(0.5), lambda: np.arange(3).__iadd__(np.arange(6).reshape(2, 3)), lambda: np.zeros(-1), lambda: np.linspace(0, 1, -2),
        lambda: np.split(a, 4, axis=1), lambda: np.argmax(np.array([])), lambda: np.random.default_rng(1).choice(3, 5, replace=False),
        lambda: np.broadcast_to(a, (3, 2)), lambda: np.einsum("ij,jk", a, a), lambda: np.searchsorted(a, 1), lambda: np.uint8(300), lambda: np.bincount([-1]),
        lambda: a.flags.__setattr__("writeable", 3) or a.fill("x"), lambda: np.dot(a, a), lambda: np.take(a, 9), lambda: np.expand_dims(a, 5),
        lambda: np.interp([1], [1, 2], [1]), lambda: np.polyfit([1, 2], [1], 1), lambda: np.histogram([1, 2], bins=0), lambda: np.percentile([1], 101),
    ]  # fmt: skip
    for attempt in attempts:
        try:
            said.append(("gave", attempt()))
        except Exception as error:
            said.append((type(error).__name__, str(error)))
    return said


def promotion(np):
    kinds = [
        np.int8,
        np.uint8,
        np.int32,
        np.uint64,
        np.int64,
        np.float16,
        np.float32,
        np.float64,
        np.complex64,
        np.bool_,
    ]
    table = [[(np.ones(2, a) + np.ones(2, b)).dtype.name for a in kinds] for b in kinds]
    weak = (
        [(np.ones(2, a) * 2.5).dtype.name for a in kinds]
        + [(np.ones(2, a) + 1).dtype.name for a in kinds]
        + [(np.ones(2, a) / 2).dtype.name for a in kinds]
    )
    folds = [
        (
            np.ones(3, a).sum().dtype.name,
            np.ones(3, a).mean().dtype.name,
            type(np.ones(3, a).max()).__name__,
            type(np.ones(3, a).prod()).__name__,
        )
        for a in kinds
    ]
    return (
        table,
        weak,
        folds,
        np.result_type(np.float32, 3.0),
        np.can_cast(np.int64, np.float32),
        np.promote_types("u8", "i8"),
        np.min_scalar_type(300),
    )


def printing(np):
    a = np.arange(12.0).reshape(3, 4) / 7
    lines = [
        repr(a),
        str(a),
        repr(a[0, 0]),
        str(a[0]),
        repr(a > 0.5),
        repr(np.arange(5, dtype=np.int8)),
        repr(a.astype(np.complex64)[0]),
        repr(np.array([])),
        repr(np.arange(2000)),
    ]
    with np.printoptions(precision=2, suppress=True, linewidth=40):
        lines += [str(a), repr(np.array([1e-10, 1.0, 1e5]))]
    lines += [
        f"{a[1, 1]:.3f}",
        f"{a[1, 1]}",
        "%d %s" % (np.int64(4), np.float32(0.1)),
        format(np.array(2.5), ".2f"),
        np.array2string(a, separator=", ", formatter={"float": lambda v: f"<{v:.1f}>"}),
    ]
    return lines


def structured_broadcasting(np):
    a = np.arange(24).reshape(2, 3, 4)
    row, column = np.array([1, 10, 100, 1000]), np.array([[1], [2], [3]])
    b = np.broadcast_arrays(row, column)
    c = np.where(a % 2, a * row, -a)
    d = a[:, ::-1, 1::2] - a.mean(axis=(0, 2), keepdims=True)
    e = np.take_along_axis(a, a.argmax(axis=1, keepdims=True) * 0 + 1, axis=1)
    f = a[..., None] * np.array([1, 1j])
    g = np.add.outer(row, column.ravel())
    h = a.T.reshape(-1, 6, order="F")
    return (
        [x.copy() for x in b],
        c,
        d,
        e,
        f,
        g,
        h,
        a[a % 5 == 0],
        a[[0, 1], :, [2, 3]],
        a[:, None, ..., 0].shape,
        np.squeeze(a[:1]).shape,
        a.strides,
        h.flags.c_contiguous,
    )


def masked_updates(np):
    rng = np.random.default_rng(17)
    a = rng.integers(-50, 50, (8, 9)).astype(np.float32)
    a[a < 0] = 0
    a[a > 40] -= 40
    np.putmask(a, a == 3, [7, 8])
    np.place(a, a == 7, [1.5])
    np.copyto(a, -1, where=a > 30)
    a[1:3][:, a[0] > 5] = np.nan
    a[~np.isfinite(a)] = np.arange(np.isnan(a).sum())
    a[[0, 0, 1], [1, 1, 2]] += 100
    np.multiply(a, 2, out=a, where=a > 10)
    b = np.full((3, 3), 7)
    b[np.triu_indices(3, 1)] = 0
    b[np.diag_indices(3)] *= 2
    c = np.arange(10)
    c[2:8] = c[0:6]
    c[::-2] += c[1::2]
    m = np.ma.masked_less(a, 1)
    return (
        a,
        b,
        c,
        np.choose([0, 1, 2], [b[0], b[1], b[2]]),
        m.sum(),
        m.mean(axis=0).filled(-1),
        np.piecewise(a[0], [a[0] < 5, a[0] >= 5], [lambda v: -v, 9]),
    )


def calendar_and_money(np):
    cash = np.array([-1000.0, 300, 420, 680])
    years = np.arange(cash.size)
    rates = np.linspace(0, 0.3, 7)
    value = (cash / (1 + rates[:, None]) ** years).sum(axis=1)
    sign = np.flatnonzero(np.diff(np.sign(value)))
    prices = np.array([101.5, 99.0, 103.25, 107.0, 104.5])
    returns = np.diff(prices) / prices[:-1]
    drawdown = prices / np.maximum.accumulate(prices) - 1
    growth = np.cumprod(1 + returns)
    rounded = np.around(prices * 1.0825, 2), np.floor(prices).astype(int), np.fix(-prices), np.ceil(returns * 1e4) / 1e4
    cents = np.divmod((prices * 100).astype(np.int64), 100)
    days = np.array(["2024-02-28", "2024-03-01"], dtype="datetime64[D]")
    return (
        value,
        sign,
        returns,
        drawdown,
        growth,
        rounded,
        cents,
        (days[1] - days[0]).astype(int),
        np.remainder(-7, 3),
        np.fmod(-7.0, 3),
    )


def files_and_pickles(np):
    import io
    import pickle

    a = np.arange(12.0).reshape(3, 4)
    buffer = io.BytesIO()
    np.savez(buffer, a=a, b=a > 3)
    buffer.seek(0)
    loaded = np.load(buffer)
    text = io.StringIO()
    np.savetxt(text, a, fmt="%.2f", delimiter=",", header="x")
    again = np.loadtxt(io.StringIO(text.getvalue()), delimiter=",")
    raw = np.frombuffer(a.tobytes(), dtype=np.float64)
    return (
        loaded["a"],
        loaded["b"],
        text.getvalue(),
        again,
        raw,
        pickle.loads(pickle.dumps(a)),
        np.fromiter((i * i for i in range(5)), dtype=int),
        np.array(memoryview(b"abc")),
        a.tolist(),
        np.fromstring("1 2 3", sep=" "),
    )
