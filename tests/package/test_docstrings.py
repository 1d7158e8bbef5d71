"""Docstrings say what a caller has to know: shapes, dtypes, errors; and the errors they name are raised."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path

import numpy
import pytest
import tessera.numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "stubs"))

import public_names  # noqa: E402

WHOLE = ("Shapes:", "Dtypes:", "Errors:")
MODULES = [
    f"{package}.{part}"
    for package in ("tessera.numpy", "tessera.numpy.fft", "tessera.numpy.linalg")
    for part in public_names.PARTS[package]
]
MODULES += ["tessera.numpy.random", "tessera.numpy.lib.stride_tricks", "tessera.numpy.emath"]
MODULES += ["tessera.scipy.signal._lombscargle", "tessera.scipy.signal._significance"]
# Modules of algorithms: their functions name a source, too.
ALGORITHMS = ("windows", "order_statistics", "fft.transforms", "linalg.factors")


def own_functions(module):
    """The module's public functions that are not NumPy's own."""
    found = {}
    for name in public_names.names(module):
        value = getattr(importlib.import_module(module), name)
        is_theirs = (
            getattr(numpy, name, None) is value
            or hasattr(value, "__tessera_fallback__")
            or name in ("errstate", "seterr")
        )
        if callable(value) and not isinstance(value, type) and not is_theirs:
            found[name] = inspect.getdoc(value) or ""
    return found


@pytest.mark.parametrize("module", MODULES)
def test_every_function_has_a_docstring(module):
    assert [name for name, text in own_functions(module).items() if len(text.split()) < 2] == []


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_say_shapes_dtypes_and_errors(module):
    brief = {name: part for name, text in own_functions(module).items() for part in WHOLE if part not in text}
    assert brief == {}


@pytest.mark.parametrize("part", ALGORITHMS)
def test_algorithms_name_their_source(part):
    exceptions = {"median"}  # the middle of what is sorted
    assert [
        name
        for name, text in own_functions(f"tessera.numpy.{part}").items()
        if "Source:" not in text and name not in exceptions
    ] == []


def sentences(text):
    """The lines of a docstring as bare words, without signatures and the verbs that NumPy begins with."""
    lines = [line for line in text.splitlines() if not re.match(r"\w+\(", line)]
    words = [re.sub(r"^(returns?|computes?|tests?) (the )?|^the |[^\w ]", "", line.strip().lower()) for line in lines]
    return {each for each in words if len(each.split()) > 3}


def test_no_docstring_is_numpys():
    """Our own words, also of ufuncs."""
    shared = {}
    for module in MODULES:
        for name, text in own_functions(module).items():
            same = sentences(text) & sentences(inspect.getdoc(getattr(numpy, name, None)) or "")
            if same:
                shared[name] = same
    assert shared == {}


ERRORS = [
    (ValueError, "np.zeros(-1)", "np.ones(2, order='Q')", "np.empty(2, device='none')", "np.full((2,), [1, 2, 3])", "np.zeros_like([1], device='none')"),
    (TypeError, "np.eye(1.5)", "np.linspace(0, 1, 2.5)", "np.digitize([1j], [1, 2])", "np.searchsorted([1], 2, sorter=[0.5])", "np.quantile([1j], 0.5)"),
    (ValueError, "np.identity(-1)", "np.linspace(0, 1, -1)", "np.geomspace(0, 1)", "np.arange(0, numpy.inf)"),
    (ZeroDivisionError, "np.arange(0, 1, 0)", "np.average([1, 2], weights=[1, -1])"),
    (numpy.exceptions.AxisError, "np.sum([1], axis=1)", "np.cumsum([1], axis=1)", "np.argmax([1], axis=1)", "np.sort([1], axis=1)", "np.median([1], axis=1)"),
    (ValueError, "np.max([])", "np.argmin([])", "np.ptp([])", "np.sum([[1]], axis=(0, 0))", "np.cumulative_sum([[1]])", "np.sort([1], kind='none')"),
    (ValueError, "np.sort([1], kind='stable', stable=True)", "np.partition([1], 3)", "np.lexsort([[1], [1, 2]])", "np.digitize([1], [1, 3, 2])"),
    (ValueError, "np.isclose([1, 2], [1, 2, 3])", "np.isin([1.5], [1], kind='table')", "np.pad([1], -1)", "np.pad([1], 1, mode='none')"),
    (TypeError, "np.isneginf([1j])", "np.pad([1], 0.5)", "np.nanquantile([1j], 0.5)", "np.emath.sqrt('a')", "np.mask_indices(2, 3)", "np.tri('1')"),
    (ValueError, "np.pad(np.ones(0), 1, mode='edge')", "np.diag(np.ones((1, 1, 1)))", "np.trace([1])", "np.tril_indices_from([1])", "np.vander([[1]])"),
    (ValueError, "np.nanargmax([np.nan])", "np.nanmax([])", "np.nansum([1], axis=(0, 0))", "np.broadcast_to([1, 2], 3)", "np.broadcast_arrays([1, 2], [1, 2, 3])"),
    (ValueError, "np.lib.stride_tricks.as_strided(np.ones(3), (5,), (8,))", "np.lib.stride_tricks.sliding_window_view(np.ones(3), 5)"),
    (ValueError, "np.einsum('ij->iik', np.ones((2, 2)))", "np.einsum('ij,jk', np.ones((2, 2)), np.ones((3, 3)))", "np.meshgrid([1], indexing='none')"),
    (ValueError, "np.ix_([[1]])", "np.indices((2, -1))", "np.clip([1, 2], [1, 2, 3], 4)", "np.packbits([1], bitorder='none')"),
    (TypeError, "np.i0([1j])", "np.frompyfunc(1, 1, 1)", "np.indices('1')", "np.unpackbits([300])", "np.packbits([0.5])", "np.fix([1j])"),
    (numpy.exceptions.AxisError, "np.apply_along_axis(len, 2, [1])", "np.apply_over_axes(np.sum, [1], [3])", "np.packbits([1], axis=2)"),
    (TypeError, "np.lexsort([])", "np.average([1, 2], weights=[1])", "np.ediff1d([True])", "np.gradient([1, 2], 1, 2)", "np.bincount([0.5])"),
    (ValueError, "np.searchsorted([[1]], 1)", "np.searchsorted([1], 1, side='up')", "np.quantile([1], 2)", "np.percentile([1], 50, method='none')"),
    (ValueError, "np.convolve([], [1])", "np.correlate([1], [1], 'none')", "np.cov([[[1]]])", "np.diff([1], n=-1)", "np.diff(1)", "np.cross([1], [1])"),
    (RuntimeError, "np.cov([1, 2], fweights=[1])"),
    (IndexError, "np.fft.fft([1], axis=3)", "np.fft.fftn([1], axes=[3])", "np.fft.fftshift([1], axes=3)"),
    (TypeError, "np.linalg.inv(np.ones((1, 1), 'f2'))", "np.bartlett('1')"),
    (ValueError, "np.gradient([1])", "np.interp([1], [1, 2], [1])", "np.interp([1], [1], [1], period=0)", "np.trapezoid([1, 2, 3], [1, 2, 3, 4])"),
    (ValueError, "np.bincount([-1])", "np.histogram([1], 0)", "np.histogram([1], [2, 1])", "np.histogram([1], range=(0, numpy.inf))"),
    (TypeError, "np.histogram([1], 'auto', weights=[1])", "np.fft.rfft([1j])", "np.linalg.matrix_power([[1]], 0.5)", "np.kaiser('1', 1)"),
    (ValueError, "np.histogram2d([1], [1, 2])", "np.dot([1], [1, 2])", "np.inner([1], [1, 2])", "np.vdot([1], [1, 2])", "np.tensordot([1], [1, 2], 1)"),
    (ValueError, "np.fft.fft([1], 0)", "np.fft.fft([1], norm='none')", "np.fft.fftn([[1]], s=[1], axes=[0, 1])", "np.fft.fftfreq(1.5)"),
    (ValueError, "np.linalg.eigh([[1]], 'X')", "np.linalg.qr([[1]], 'none')", "np.linalg.norm([1], 'none')", "np.linalg.solve([[1]], [1, 2])"),
    (ValueError, "np.linalg.pinv([[1]], 1, rtol=1)", "np.linalg.multi_dot([[1]])", "np.linalg.outer([[1]], [1])", "np.linalg.diagonal([1])"),
    (np.linalg.LinAlgError, "np.linalg.det([[1, 2]])", "np.linalg.inv([[0]])", "np.linalg.cholesky([[-1]])", "np.linalg.svd([1])", "np.linalg.cond(np.ones((0, 0)))"),
    (np.linalg.LinAlgError, "np.linalg.tensorsolve([[1, 2]], [1])", "np.linalg.lstsq([1], [1])", "np.linalg.qr([1])", "np.linalg.tensorinv([[1, 2]], 1)"),
    (ValueError, "np.array([[1], [1, 2]])", "np.array([1], copy=False)", "np.asarray([1], order='Q')", "np.asarray([1], device='none')", "np.require([1], None, ['C', 'F'])"),
    (ValueError, "np.asarray_chkfinite([np.nan])", "np.frombuffer(b'123')", "np.fromiter([1], int, 2)", "np.fromstring('1')", "np.copy([1], 'Q')", "np.astype(np.ones(1), int, device='none')"),
    (TypeError, "np.array({}, 'f8')", "np.astype([1], int)", "np.frombuffer(1)", "np.fromiter(1, int)", "np.fromfunction(len, '1')", "np.common_type(np.ones(1, bool))"),
    (AttributeError, "np.from_dlpack(1)"),
    (KeyError, "np.require([1], None, ['Q'])"),
    (ValueError, "np.result_type()", "np.can_cast('i4', 'i8', 'none')", "np.where([1], [1])", "np.where([1, 2], [1, 2, 3], 0)", "np.nonzero(1)", "np.take([1], 0, mode='none')"),
    (TypeError, "np.can_cast(1, 'i8')", "np.result_type('M8[s]', 'c8')", "np.take([1], [0.5])", "np.put([1], 0, 1)", "np.place([1], [1], 1)", "np.putmask([1], [1], 1)"),
    (IndexError, "np.take([1], 1)", "np.put(np.ones(1), 1, 1)", "np.take_along_axis(np.ones(1), np.array([1]), 0)", "np.extract([0, 1], [1])", "np.compress([0, 1], [1])"),
    (numpy.exceptions.AxisError, "np.take([1], 0, 1)", "np.count_nonzero([1], 1)", "np.diagonal(np.ones((1, 1)), 0, 0, 2)", "np.concatenate([[1]], 1)", "np.stack([[1]], 2)"),
    (ValueError, "np.take_along_axis(np.ones((1, 1)), np.array([0]), 0)", "np.compress([[1]], [1])", "np.place(np.ones(2), [1], 1)", "np.place(np.ones(1), [1], [])"),
    (ValueError, "np.putmask(np.ones(2), [1], 1)", "np.choose([1], [[1]])", "np.choose([0], [])", "np.select([], [])", "np.select([[True]], [])", "np.piecewise([1], [[True]], [1, 2, 3])"),
    (TypeError, "np.choose([0.5], [[1]])", "np.select([[1]], [[1]])", "np.diag_indices(1, 0.5)", "np.ravel_multi_index(([0.5],), (2,))", "np.unravel_index([0.5], (2,))"),
    (ValueError, "np.diagonal([1])", "np.diagonal([[1]], 0, 0, 0)", "np.fill_diagonal(np.ones(1), 1)", "np.fill_diagonal(np.ones((1, 1, 2)), 1)", "np.diag_indices_from(np.ones((1, 2)))"),
    (ValueError, "np.ravel_multi_index(([2],), (2,))", "np.ravel_multi_index(([0],), (2, 2))", "np.ravel_multi_index(([0],), (2,), 'none')", "np.unravel_index([2], (2,))"),
    (OSError, "np.load('/none')", "np.save('/none/none', [1])", "np.fromfile('/none')", "np.loadtxt('/none')", "np.genfromtxt('/none')", "np.savetxt('/none/none', [1])"),
    (ValueError, "np.loadtxt(['a'])", "np.loadtxt(['1', '1 2'])", "np.genfromtxt(['1', '1 2'])", "np.genfromtxt(['a'], loose=False)", "np.savetxt('/dev/null', 1)", "np.savez('/dev/null', 1, arr_0=1)"),
    (TypeError, "np.savetxt('/dev/null', ['a'])", "np.fromregex('/dev/null', '1', float)", "np.concatenate([[1.5]], dtype=int)", "np.stack(1)", "np.block(([1], [1]))", "np.tile([1], 0.5)"),
    (ValueError, "np.concatenate([])", "np.concatenate([1])", "np.concatenate([[[1]], [1]])", "np.stack([])", "np.stack([[1], [1, 2]])", "np.vstack([[1], [1, 2]])", "np.hstack([])"),
    (ValueError, "np.dstack([[1], [1, 2]])", "np.column_stack([[1], [1, 2]])", "np.unstack(1)", "np.append([[1]], [1], 0)", "np.array_split([1], 0)", "np.split([1, 2, 3], 2)", "np.hsplit(1, 1)"),
    (ValueError, "np.vsplit([1], 1)", "np.dsplit([1], 1)", "np.block([])", "np.block([[1], 1])", "np.delete([1], [True, False])", "np.insert([1], [[0]], 1)", "np.trim_zeros([1], 'x')"),
    (IndexError, "np.array_split([1], 1, 1)", "np.delete([1], 1)", "np.insert([1], 2, 1)"),
    (ValueError, "np.reshape([1], 2)", "np.reshape([1], (-1, -1))", "np.ravel([1], 'Q')", "np.transpose([1], (0, 0))", "np.matrix_transpose([1])", "np.moveaxis([[1]], 0, (0, 1))"),
    (numpy.exceptions.AxisError, "np.size([1], 1)", "np.swapaxes([1], 0, 1)", "np.rollaxis([1], 1)", "np.expand_dims([1], 2)", "np.squeeze([1], 1)", "np.flip([1], 1)", "np.roll([1], 1, 1)"),
    (ValueError, "np.squeeze([1, 2], 0)", "np.expand_dims([1], (0, 0))", "np.copyto(np.ones(2), [1, 2, 3])", "np.copyto(np.ones(1), 1, 'none')", "np.flip([1], (0, 0))", "np.flipud(1)", "np.fliplr([1])"),
    (ValueError, "np.rot90([1])", "np.rot90([[1]], 1, (0, 0))", "np.roll([1], [[1]], [0])", "np.tile([1], -1)", "np.repeat([1], -1)", "np.repeat([1, 2], [1, 1, 1])", "np.resize([1], -1)"),
    (TypeError, "np.copyto([1], 1)", "np.copyto(np.ones(1, int), 1.5)", "np.repeat([1], np.ones(1))", "np.resize([1], 0.5)", "np.polysub([True], [True])", "np.polyfit([[1]], [1], 1)"),
    (TypeError, "np.polyfit([], [], 1)", "np.polyfit([1], [1, 2], 1)", "np.polyfit([1], [1], 0, w=[1, 2])"),
    (ValueError, "np.poly([[1, 2]])", "np.roots([[1]])", "np.polymul([[1]], [1])", "np.polyder([1], -1)", "np.polyint([1], -1)", "np.polyint([1], 2, [1, 2, 3][:0])", "np.polyfit([1], [1], -1)"),
    (np.linalg.LinAlgError, "np.poly([[np.nan]])", "np.roots([1, np.nan])"),
    (ValueError, "np.random.beta(0, 1)", "np.random.binomial(1, 2)", "np.random.poisson(-1)", "np.random.zipf(1)", "np.random.normal([1, 2], 1, 3)", "np.random.random(-1)", "np.random.rand(-1)"),
    (ValueError, "np.random.triangular(0, 2, 1)", "np.random.negative_binomial(0, 0.5)", "np.random.hypergeometric(1, 1, 3)", "np.random.standard_gamma(-1)", "np.random.randint(1, 1)"),
    (ValueError, "np.random.choice([])", "np.random.choice(2, 3, False)", "np.random.choice(2, p=[1, 1])", "np.random.multinomial(-1, [1])", "np.random.dirichlet([0])", "np.random.seed(-1)"),
    (ValueError, "np.random.multivariate_normal([0], [1])", "np.random.multivariate_normal([0], [[-1]], check_valid='raise')", "np.random.set_state(('none',))", "np.random.default_rng(-1)"),
    (TypeError, "np.random.rand(0.5)", "np.random.randint(1, dtype=float)", "np.random.shuffle(1)", "np.random.set_state(1)", "np.random.bytes(0.5)", "np.random.default_rng('a')"),
    (TypeError, "np.random.default_rng(1).random(dtype=int)", "np.random.default_rng(1).integers(1, dtype=float)", "np.random.default_rng(1).shuffle(np.ones(()))"),
    (ValueError, "np.random.default_rng(1).random(2, out=np.ones(3))", "np.random.default_rng(1).multinomial(1, [])", "np.random.default_rng(1).dirichlet([-1])", "np.random.bytes(-4)"),
    (ValueError, "np.random.default_rng(1).multivariate_hypergeometric([1], 2)", "np.random.default_rng(1).permuted([1], out=np.ones(2))", "np.random.index_generator(1).integers(1, 1, 1)"),
    (OverflowError, "np.random.uniform(0, numpy.inf)"),
    (IndexError, "np.random.permutation(np.ones(()))"),
    (numpy.exceptions.AxisError, "np.random.default_rng(1).permutation([1], 1)", "np.random.default_rng(1).permuted([1], axis=1)", "np.random.default_rng(1).shuffle(np.ones(1), 1)"),
    (NotImplementedError, "np.random.default_rng(1).shuffle([1], 1)"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call"), [(error, call) for error, *calls in ERRORS for call in calls])
def test_what_docstrings_say_of_errors_holds(error, call):
    with pytest.raises(error):
        eval(call)
