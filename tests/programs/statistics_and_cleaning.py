"""Statistics, cleaning of tables and histograms, as their users write them."""


def describe_columns(np):
    rng = np.random.default_rng(1)
    table = rng.normal([1.0, 20.0, -3.0, 0.5], [1.0, 5.0, 0.1, 2.0], size=(400, 4))
    table[rng.random(table.shape) < 0.05] = np.nan
    count = np.count_nonzero(~np.isnan(table), axis=0)
    mean = np.nanmean(table, axis=0)
    std = np.nanstd(table, axis=0, ddof=1)
    quartiles = np.nanpercentile(table, [0, 25, 50, 75, 100], axis=0)
    z = (table - mean) / std
    outliers = np.argwhere(np.abs(z) > 2.5)
    skew = np.nanmean(z**3, axis=0)
    return count, mean, std, quartiles, outliers, skew, repr(np.round(quartiles, 2))


def fill_gaps(np):
    t = np.arange(60, dtype=np.float64)
    y = np.sin(t / 5)
    y[[3, 4, 10, 33, 34, 35, 59]] = np.nan
    bad = np.isnan(y)
    y[bad] = np.interp(t[bad], t[~bad], y[~bad])
    last = np.where(~bad, np.arange(len(y)), 0)
    np.maximum.accumulate(last, out=last)
    runs = np.flatnonzero(np.diff(np.concatenate(([0], bad.view(np.int8), [0]))))
    starts, lengths = runs[::2], runs[1::2] - runs[::2]
    return (
        y,
        last,
        starts,
        lengths,
        np.nan_to_num(np.array([np.nan, np.inf, -np.inf, 1.5]), nan=-1, posinf=9e9, neginf=-9e9),
    )


def group_by_key(np):
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 7, 300)
    values = rng.exponential(2.0, 300)
    names, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(inverse, weights=values)
    order = np.argsort(keys, kind="stable")
    edges = np.searchsorted(keys[order], names)
    maxima = np.maximum.reduceat(values[order], edges)
    medians = np.array([np.median(values[keys == k]) for k in names])
    table = np.zeros((7, 2))
    np.add.at(table, (keys, 0), values)
    np.add.at(table, (keys, 1), 1)
    parts = np.split(values[order], edges[1:])
    return names, counts, sums / counts, maxima, medians, table, [len(p) for p in parts], [p.var() for p in parts]


def bootstrap_interval(np):
    rng = np.random.default_rng(42)
    sample = rng.lognormal(0.0, 0.7, 80)
    picks = rng.integers(0, sample.size, size=(500, sample.size))
    means = sample[picks].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    jack = (sample.sum() - sample) / (sample.size - 1)
    return low, high, means.std(ddof=1), jack.var() * (sample.size - 1), f"{low:.4f} {high:.4f}", float(low) < high


def histograms(np):
    rng = np.random.RandomState(3)
    x, y = rng.randn(1000), rng.gamma(2.0, size=1000)
    counts, edges = np.histogram(x, bins="auto")
    density, bins = np.histogram(y, bins=20, range=(0, 10), density=True)
    table, xe, ye = np.histogram2d(x, y, bins=(8, 5))
    cumulative = np.cumsum(density * np.diff(bins))
    mode = bins[density.argmax() : density.argmax() + 2].mean()
    which = np.digitize(x, edges)
    dd, dedges = np.histogramdd(np.stack([x, y, x * y], axis=1), bins=3, weights=np.abs(x))
    return counts, edges, density, bins, table, xe, ye, cumulative, mode, np.bincount(which), dd, dedges


def integer_codes(np):
    raw = np.array([17, -1, 4, 255, 300, 4, -1, 12], dtype=np.int32)
    valid = (raw >= 0) & (raw < 256)
    codes = raw.clip(0, 255).astype(np.uint8)
    bits = np.unpackbits(codes[:, None], axis=1)
    parity = np.bitwise_xor.reduce(bits, axis=1)
    flags = (codes >> 4) & 0x0F
    codes += 3
    wrapped = codes.astype(np.int8)
    return (
        valid,
        codes,
        bits,
        np.packbits(bits, axis=1).ravel(),
        parity,
        flags,
        wrapped,
        np.left_shift(1, flags),
        ~codes,
        -codes,
    )


def correlations(np):
    rng = np.random.default_rng(8)
    x = rng.standard_normal((5, 200))
    x[1] = 0.8 * x[0] + 0.2 * x[1]
    x[4] = 3.0
    r = np.corrcoef(x)
    c = np.cov(x, ddof=0)
    ranks = x[:2].argsort(axis=1).argsort(axis=1)
    spearman = np.corrcoef(ranks)[0, 1]
    weights = np.linspace(0.1, 1, 200)
    average, total = np.average(x, axis=1, weights=weights, returned=True)
    return r, c, spearman, average, total, np.cov(x[0], x[1], aweights=weights), np.ptp(x, axis=1)


def dedupe_rows(np):
    rows = np.array([[3, 1, 2], [1, 1, 1], [3, 1, 2], [0, 5, 5], [1, 1, 1]], dtype=np.int16)
    kept, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.lexsort((rows[:, 2], rows[:, 0]))
    mask = np.isin(rows[:, 0], [0, 3])
    both = np.intersect1d(rows[0], rows[3])
    return (
        kept,
        first,
        inverse.ravel(),
        rows[order],
        rows[mask],
        both,
        np.setdiff1d(rows, [5]),
        np.union1d(rows[1], [9.5]),
        (rows == rows[0]).all(axis=1),
    )
