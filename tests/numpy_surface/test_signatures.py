"""Every native function has NumPy's signature."""

import inspect

import numpy
import pytest
import tessera.numpy as tnp
from tessera.numpy import _dispatch

NAMES = [
    name
    for name in sorted(numpy.__all__)
    if callable(getattr(numpy, name)) and not isinstance(getattr(numpy, name), (type, numpy.ufunc))
]

# NumPy says `dtype=None` of frombuffer and friends in one release and `float` in another; both mean float64. It says that
# `sep` is needed in one release and not in another, and raises the same where it is missing.
LOOSE = {"frombuffer", "fromfile", "fromstring"}

# Keywords that other NumPy-like libraries have and NumPy lacks, or lacked before 2.5.
EXTENDED = {"convolve": {"method"}, "sort": {"descending"}, "argsort": {"descending"}}


def parameters(function):
    known = inspect.signature(function).parameters.values()
    extra = EXTENDED.get(getattr(function, "__name__", ""), ())
    return [(p.name, p.kind, "default" if p.default is not p.empty else "needed") for p in known if p.name not in extra]


@pytest.mark.parametrize("name", NAMES)
def test_signature(name):
    ours, theirs = getattr(tnp, name), getattr(numpy, name)
    try:
        expected = parameters(theirs)
    except ValueError:
        pytest.skip("NumPy does not expose a signature")
    if name in LOOSE:
        assert [p[:2] for p in parameters(ours)] == [p[:2] for p in expected]
        return
    assert parameters(ours) == expected
    mine = inspect.signature(ours).parameters
    for name, other in inspect.signature(theirs).parameters.items():
        assert mine[name].default is other.default or mine[name].default == other.default, name


@pytest.mark.parametrize("name", NAMES)
def test_docstring(name):
    assert getattr(tnp, name).__doc__


def test_a_numpy_that_shows_no_signatures_will_do(monkeypatch):
    # Its compiled functions had none before 2.4.
    def none(function):
        raise ValueError(f"no signature found for builtin {function!r}")

    monkeypatch.setattr(inspect, "signature", none)

    def ours(a, b):
        pass

    assert _dispatch.show_signature_of(numpy.where)(ours) is ours
    monkeypatch.undo()
    assert list(inspect.signature(ours).parameters) == ["a", "b"]
