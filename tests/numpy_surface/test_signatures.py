"""Every native function has NumPy's signature."""

import inspect

import numpy
import pytest

import tessera.numpy as tnp

NAMES = [name for name in sorted(numpy.__all__) if callable(getattr(numpy, name)) and not isinstance(getattr(numpy, name), (type, numpy.ufunc))]

# NumPy says `dtype=None` of frombuffer and friends in one release and `float` in another; both mean float64.
LOOSE = {"frombuffer", "fromfile"}

# Keywords that other NumPy-like libraries have and NumPy lacks.
EXTENDED = {"convolve": {"method"}}


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
    assert parameters(ours) == expected
    if name in LOOSE:
        return
    for own, other in zip(inspect.signature(ours).parameters.values(), inspect.signature(theirs).parameters.values()):
        assert own.default is other.default or own.default == other.default, own.name


@pytest.mark.parametrize("name", NAMES)
def test_docstring(name):
    assert getattr(tnp, name).__doc__
