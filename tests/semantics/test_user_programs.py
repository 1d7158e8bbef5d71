"""Programs as users write them, run by NumPy and by tessera: equal values, types, shapes, warnings and exceptions."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import numpy
import pytest
import tessera.numpy

PROGRAMS = {}
for _path in sorted((Path(__file__).parents[1] / "programs").glob("*.py")):
    _spec = importlib.util.spec_from_file_location(_path.stem, _path)
    _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
    PROGRAMS |= {name: value for name, value in vars(_module).items() if callable(value) and not name.startswith("_")}


def plain(value):
    """A result as plain values that compare: types by name, arrays as NumPy's."""
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return [plain(v) for v in value]
    if isinstance(value, tuple):
        return [type(value).__name__, *map(plain, value)]
    if isinstance(value, tessera.numpy.ndarray | numpy.ndarray):
        return "array", str(value.dtype), value.shape, numpy.asarray(value)
    if isinstance(value, numpy.generic):
        return type(value).__name__, str(value.dtype), (), numpy.asarray(value)
    if type(value).__module__.startswith(("numpy", "tessera")):
        return type(value).__name__
    return value


def compare(ours, theirs, path="result"):
    """Raises where two plain results differ by more than rounding."""
    assert type(ours) is type(theirs), f"{path}: {ours!r} for {theirs!r}"
    if isinstance(theirs, tuple) and len(theirs) == 4 and isinstance(theirs[3], numpy.ndarray):
        assert ours[:3] == theirs[:3], path
        if theirs[3].dtype.kind in "fc":
            single = theirs[3].dtype.name in ("float32", "complex64")
            tolerance = 3e-5 if single else 1e-10
            finite = theirs[3][numpy.isfinite(theirs[3])]
            scale = numpy.abs(finite).max() if finite.size else 1.0
            numpy.testing.assert_allclose(ours[3], theirs[3], rtol=tolerance, atol=tolerance * scale, err_msg=path)
            assert (numpy.isnan(theirs[3]) == numpy.isnan(ours[3])).all(), path
        else:
            numpy.testing.assert_array_equal(ours[3], theirs[3], err_msg=path)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), path
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            compare(a, b, f"{path}[{i}]")
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=1e-10, nan_ok=True), path
    else:
        assert ours == theirs, f"{path}: {ours!r} for {theirs!r}"


def outcome(program, np):
    """What a program returns and what it warned of; FallbackWarning is tessera's own."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", tessera.FallbackWarning)
        result = plain(program(np))
    return result, sorted({(w.category.__name__, str(w.message)) for w in caught})


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    theirs, their_warnings = outcome(PROGRAMS[name], numpy)
    for _ in range(2):
        ours, our_warnings = outcome(PROGRAMS[name], tessera.numpy)
        compare(ours, theirs)
        assert our_warnings == their_warnings
