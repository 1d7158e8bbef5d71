"""What the examples share: run a computation with tessera and with NumPy, compare, print both times, save a picture."""

import os
import pathlib
import sys
import time

import numpy

OUT = pathlib.Path(os.environ.get("TESSERA_EXAMPLES_OUT", pathlib.Path(__file__).parent / "out"))


def settle(value):
    """The value as NumPy arrays: asking for the elements is what makes lazily recorded work happen."""
    return tuple(numpy.asarray(v) for v in value) if isinstance(value, tuple) else numpy.asarray(value)


def timed(compute, *args):
    """Seconds that compute(*args) took until its result was there, and the result."""
    start = time.perf_counter()
    result = settle(compute(*args))
    return time.perf_counter() - start, result


def compare(name, ours, theirs, rtol=1e-9, peer="NumPy"):
    """Prints both times and fails loudly when the results differ."""
    (tessera_seconds, a), (numpy_seconds, b) = ours, theirs
    for x, y in zip(a if isinstance(a, tuple) else (a,), b if isinstance(b, tuple) else (b,)):
        numpy.testing.assert_allclose(x, y, rtol=rtol, atol=rtol)
    print(
        f"{name}: tessera {tessera_seconds:.3f} s, {peer} {numpy_seconds:.3f} s, {numpy_seconds / tessera_seconds:.1f}x; same results"
    )


def progress(steps, label):
    """Counts through range(steps) with a bar on a terminal."""
    show = sys.stderr.isatty()
    for step in range(steps):
        yield step
        if show and (step % max(1, steps // 50) == 0 or step == steps - 1):
            done = int(30 * (step + 1) / steps)
            end = "\n" if step == steps - 1 else ""
            print(
                f"\r{label} [{'#' * done}{'.' * (30 - done)}] {step + 1}/{steps}", end=end, file=sys.stderr, flush=True
            )


def figure(width, height):
    """A matplotlib figure that needs no display."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


def save(fig, name):
    """Writes the picture and says where."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / name
    fig.savefig(path, dpi=110)
    print(f"picture: {path}")
