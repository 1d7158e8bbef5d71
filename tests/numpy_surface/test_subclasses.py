"""Results of functions, methods and operators on a subclass have the class that NumPy gives them."""

from __future__ import annotations

import warnings

import numpy
import pytest
import tessera.numpy

REDUCING = """sum prod mean std var max min amax any all cumsum cumprod argmax argmin argsort sort ptp median nansum nanmean nanstd
    nanmedian nanmax nanargmax nancumsum count_nonzero nonzero flatnonzero argwhere squeeze transpose fliplr flip rot90 diff ediff1d
    gradient sinc i0 angle real imag conj real_if_close nan_to_num iscomplex isreal isnan isposinf round around fix floor trunc copy
    array asarray asanyarray atleast_1d atleast_3d diagflat trace tril triu unique sort_complex unwrap corrcoef cov average exp sqrt
    abs histogram ones_like zeros_like cumulative_sum unique_counts unique_all""".split()
PAIRS = """add maximum dot vdot inner outer matmul vecdot cross kron convolve append isin union1d allclose isclose arctan2 divmod hypot
    polyadd polymul searchsorted broadcast_arrays minimum greater logical_and correlate""".split()
METHODS = "sum mean max argmax argsort ravel squeeze round copy diagonal trace flatten conj nonzero cumsum".split()


def named(result):
    """The classes of a result, with those in tuples and lists."""
    if isinstance(result, (tuple, list)):
        return [named(r) for r in result]
    return type(result).__name__


def classes(np):
    class Sub(np.ndarray):
        pass

    def sub(values):
        return np.asarray(values).view(Sub)

    a, square, w, zero = (
        sub([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]]),
        sub([[2.0, 1.0], [1.0, 3.0]]),
        sub([1.0, 2.0, 3.0]),
        sub(3.5),
    )
    i, plain, mask = sub([0, 1, 1]), np.asarray([1.0, 2.0, 3.0]), sub([True, False, True])
    calls = {}
    for name in REDUCING:
        f = getattr(np, name)
        for text, given in (("a", a), ("w", w), ("zero", zero)):
            calls[f"{name}({text})"] = lambda f=f, given=given: f(given)
        calls[f"{name}(a, axis=0)"] = lambda f=f: f(a, axis=0)
    for name in PAIRS:
        f = getattr(np, name)
        for text, pair in (
            ("w, w", (w, w)),
            ("w, plain", (w, plain)),
            ("plain, w", (plain, w)),
            ("square", (square, square)),
        ):
            calls[f"{name}({text})"] = lambda f=f, pair=pair: f(*pair)
    for name in METHODS:
        for text, given in (("a", a), ("square", square), ("zero", zero)):
            calls[f"{text}.{name}()"] = lambda name=name, given=given: getattr(given, name)()
    for name in "inv svd eig eigh qr cholesky pinv trace norm".split():
        calls[f"linalg.{name}"] = lambda name=name: getattr(np.linalg, name)(square)
    lib = np.lib.stride_tricks
    calls |= {
        "concatenate": lambda: np.concatenate([w, w]), "stack": lambda: np.stack([w, plain]), "resize": lambda: np.resize(w, 5),
        "percentile": lambda: np.percentile(a, 50, axis=0), "quantile": lambda: np.quantile(a, 0.5), "compress": lambda: np.compress([1, 0], a, 0),
        "extract": lambda: np.extract(mask, w), "take_along_axis": lambda: np.take_along_axis(w, i, 0), "linspace": lambda: np.linspace(zero, 4),
        "windows": lambda: lib.sliding_window_view(w, 2), "windows of it": lambda: lib.sliding_window_view(w, 2, subok=True),
        "as_strided": lambda: lib.as_strided(w), "meshgrid": lambda: np.meshgrid(w, w), "ravel_multi_index": lambda: np.ravel_multi_index((i, i), (2, 2)),
        "unravel_index": lambda: np.unravel_index(i, (2, 2)), "solve": lambda: np.linalg.solve(square, square[0]), "@": lambda: square @ square,
        "lstsq": lambda: np.linalg.lstsq(square, square[0]), "max(out=)": lambda: np.max(a, axis=0, out=np.zeros(3)), "flat": lambda: w.flat[:],
        "searchsorted": lambda: w.searchsorted(w), "astype": lambda: w.astype(int), "astype plain": lambda: w.astype(int, subok=False),
        "outer": lambda: np.add.outer(w, w), "frexp": lambda: np.frexp(w), "ravel K": lambda: w[::2].ravel("K"), "polyfit": lambda: np.polyfit(w, w, 1),
        "apply_along_axis": lambda: np.apply_along_axis(lambda x: x, 0, a), "apply_over_axes": lambda: np.apply_over_axes(np.sum, a, [0]),
        "unique with index": lambda: np.unique(w, return_index=True, return_counts=True), "fftshift": lambda: np.fft.fftshift(w),
    }  # fmt: skip
    found = {}
    for text, call in calls.items():
        try:
            found[text] = named(call())
        except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
            found[text] = "error"
    return found


def test_results_have_the_class_that_numpy_gives_them():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = classes(tessera.numpy), classes(numpy)
    assert {k: (ours[k], v) for k, v in theirs.items() if ours[k] != v} == {}


@pytest.mark.parametrize("np", [numpy, tessera.numpy])
def test_priorities_and_wraps_decide(np):
    class Low(np.ndarray):
        __array_priority__ = -5.0

    class High(np.ndarray):
        __array_priority__ = 5.0

    class Wrapping(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            return type(array), context[0].__name__, len(context[1]), context[2], return_scalar

    low, high, plain, wrapping = np.ones(2).view(Low), np.ones(2).view(High), np.ones(2), np.ones(2).view(Wrapping)
    assert (
        type(low + plain) is np.ndarray
        and type(low + high) is High
        and type(high + low) is High
        and type(low + low) is Low
    )
    assert np.add(wrapping, 1) == (np.ndarray, "add", 2, 0, False)
    assert np.modf(wrapping)[1] == (np.ndarray, "modf", 1, 1, False)
    assert type(np.concatenate([plain, high])) is High and type(np.resize(high, 5)) is High


@pytest.mark.parametrize("np", [numpy, tessera.numpy])
def test_functions_call_a_subclass_own_method(np):
    class Own(np.ndarray):
        def sum(self, axis=None, dtype=None, out=None):
            return np.ndarray.sum(self, axis, dtype, out) + 100

        def squeeze(self):
            return "squeezed"

    own = np.arange(3.0).view(Own)
    assert np.sum(own) == 103 and np.squeeze(own) == "squeezed"
    with pytest.raises(TypeError):
        np.sum(own, keepdims=True)
