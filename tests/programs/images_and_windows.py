"""Images, windows that slide, and masks."""


def _picture(np, shape=(40, 56)):
    y, x = np.mgrid[: shape[0], : shape[1]]
    return ((np.sin(x / 7.0) + np.cos(y / 5.0) + 2) * 63.75).astype(np.uint8)


def blur_and_edges(np):
    image = _picture(np)
    padded = np.pad(image, 1, mode="edge").astype(np.float32)
    blurred = sum(padded[i : i + 40, j : j + 56] for i in range(3) for j in range(3)) / 9
    gy, gx = np.gradient(blurred)
    strength = np.hypot(gx, gy)
    angle = np.degrees(np.arctan2(gy, gx)) % 180
    edges = strength > strength.mean() + strength.std()
    return blurred.astype(np.uint8), strength, angle, edges.sum(), edges.any(axis=0)


def equalise(np):
    image = _picture(np)
    counts = np.bincount(image.ravel(), minlength=256)
    cdf = counts.cumsum()
    cdf_masked = np.ma.masked_equal(cdf, 0)
    table = (cdf - cdf[cdf > 0].min()) * 255 // (cdf[-1] - cdf[cdf > 0].min())
    equal = np.take(table.astype(np.uint8), image)
    return counts, equal, equal.mean(), cdf_masked.count(), np.linalg.norm(equal.astype(float) - image)


def threshold_otsu(np):
    image = _picture(np).astype(np.float64)
    counts, edges = np.histogram(image, 64)
    centers = (edges[:-1] + edges[1:]) / 2
    w1, w2 = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    m1 = np.cumsum(counts * centers) / w1
    m2 = (np.cumsum((counts * centers)[::-1]) / w2[::-1])[::-1]
    between = w1[:-1] * w2[1:] * (m1[:-1] - m2[1:]) ** 2
    best = np.argmax(between)
    return centers[best], best, (image > centers[best]).mean(), between


def colours(np):
    rgb = np.random.default_rng(2).integers(0, 256, (12, 10, 3), dtype=np.uint8)
    grey = rgb @ np.array([0.299, 0.587, 0.114])
    top, low = rgb.max(-1), rgb.min(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        saturation = np.where(top == 0, 0, (top - low) / top)
    swapped = rgb[..., ::-1]
    planes = np.moveaxis(rgb, -1, 0)
    dark = rgb.copy()
    dark[grey < 100] //= 2
    dark[:, :, 1][grey > 200] = 255
    tiles = rgb.reshape(4, 3, 5, 2, 3).swapaxes(1, 2).reshape(-1, 3, 2, 3)
    return (
        grey,
        saturation,
        swapped,
        planes.sum((1, 2)),
        dark,
        tiles.mean(axis=(1, 2)),
        rgb + 10,
        np.rot90(rgb).shape,
        np.flip(grey, 1),
    )


def windows(np):
    x = np.random.default_rng(9).standard_normal(50)
    view = np.lib.stride_tricks.sliding_window_view(x, 5)
    rolling = view.mean(axis=1), view.max(axis=1), np.median(view, axis=1), view.std(axis=1)
    box = np.convolve(x, np.ones(5) / 5, mode="valid")
    ema = np.empty_like(x)
    ema[0] = x[0]
    for i in range(1, len(x)):
        ema[i] = 0.3 * x[i] + 0.7 * ema[i - 1]
    frames = np.lib.stride_tricks.as_strided(x, shape=(9, 10), strides=(x.itemsize * 5, x.itemsize))
    peaks = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])) + 1
    return rolling, box, ema, frames * np.hanning(10), peaks, np.allclose(rolling[0], box)


def life(np):
    board = (np.random.default_rng(0).random((24, 24)) < 0.4).astype(np.int8)
    seen = []
    for _ in range(12):
        near = sum(np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        board = ((near == 3) | ((board == 1) & (near == 2))).astype(np.int8)
        seen.append(int(board.sum()))
    return board, seen


def connected_regions(np):
    grid = np.random.default_rng(12).random((16, 16)) > 0.45
    labels = np.arange(1, grid.size + 1).reshape(grid.shape) * grid
    for _ in range(64):
        spread = labels.copy()
        spread[1:] = np.maximum(spread[1:], labels[:-1])
        spread[:-1] = np.maximum(spread[:-1], labels[1:])
        spread[:, 1:] = np.maximum(spread[:, 1:], labels[:, :-1])
        spread[:, :-1] = np.maximum(spread[:, :-1], labels[:, 1:])
        spread *= grid
        if np.array_equal(spread, labels):
            break
        labels = spread
    names, sizes = np.unique(labels[labels > 0], return_counts=True)
    rows, cols = np.nonzero(labels == names[sizes.argmax()])
    return (
        labels,
        names,
        sizes,
        (rows.min(), rows.max(), cols.min(), cols.max()),
        np.ndindex(2, 2),
        list(np.ndindex(2, 2)),
    )


def resize_and_rotate(np):
    image = _picture(np, (20, 30)).astype(float)
    ys, xs = np.linspace(0, 19, 33), np.linspace(0, 29, 17)
    y0, x0 = np.floor(ys).astype(int).clip(0, 18), np.floor(xs).astype(int).clip(0, 28)
    fy, fx = (ys - y0)[:, None], (xs - x0)[None, :]
    corners = image[np.ix_(y0, x0)], image[np.ix_(y0 + 1, x0)], image[np.ix_(y0, x0 + 1)], image[np.ix_(y0 + 1, x0 + 1)]
    resized = (
        corners[0] * (1 - fy) * (1 - fx)
        + corners[1] * fy * (1 - fx)
        + corners[2] * (1 - fy) * fx
        + corners[3] * fy * fx
    )
    a = np.deg2rad(30)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    grid = np.indices(image.shape).reshape(2, -1) - np.array([[9.5], [14.5]])
    where = np.rint(turn @ grid + [[9.5], [14.5]]).astype(int)
    inside = ((where >= 0) & (where < np.array(image.shape)[:, None])).all(axis=0)
    rotated = np.zeros(image.size)
    rotated[inside] = image[tuple(where[:, inside])]
    return resized, inside.sum(), rotated.reshape(image.shape)
