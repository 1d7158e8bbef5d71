"""What becomes one element, and what is broadcast: values and errors of assignments as NumPy 2.4 has them."""

from __future__ import annotations

import itertools
import warnings

import numpy
import pytest
import tessera.numpy as np

pytestmark = pytest.mark.skipif(
    numpy.lib.NumpyVersion(numpy.__version__) < "2.4.0", reason="NumPy took arrays of one element until then"
)

VALUES = {
    "one": lambda xp: xp.array([5.0]), "one by one": lambda xp: xp.array([[5.0]]), "two": lambda xp: xp.array([5.0, 6.0]),
    "no axes": lambda xp: xp.array(5.0), "list": lambda xp: [5.0], "lists": lambda xp: [[5.0]], "tuple": lambda xp: (5.0,),
    "empty list": lambda xp: [], "empty": lambda xp: xp.ones((1, 0)), "foreign": lambda xp: numpy.array([5.0]), "text": lambda xp: "7",
    "nothing": lambda xp: None, "scalar": lambda xp: xp.float32(3), "foreign cube": lambda xp: numpy.ones((1, 1, 1)),
    "list of one": lambda xp: [xp.array(4.0)], "row": lambda xp: [xp.array([1.0, 2, 3])], "flat row": lambda xp: xp.ones((1, 3)),
    "cube": lambda xp: xp.ones((1, 1, 2)), "number": lambda xp: 2.7, "complex list": lambda xp: [1 + 2j], "complex": lambda xp: 1 + 2j,
    "complex array": lambda xp: xp.array([5 + 1j]),
}  # fmt: skip
TARGETS = {
    "element": lambda xp, a, v: a.__setitem__((1, 1), v),
    "NumPy's integers": lambda xp, a, v: a.__setitem__((numpy.int64(1), numpy.array(1)), v),
    "row's element": lambda xp, a, v: a[1].__setitem__(-1, v),
    "whole scalar": lambda xp, a, v: a[0, :1].reshape(()).__setitem__((), v),
    "scalar's view": lambda xp, a, v: a[0, :1].reshape(()).__setitem__(..., v),
    "element's view": lambda xp, a, v: a.__setitem__((..., 0, 0), v),
    "new axis": lambda xp, a, v: a.__setitem__((0, 0, None), v),
    "row": lambda xp, a, v: a.__setitem__(0, v),
    "rows": lambda xp, a, v: a.__setitem__(slice(0, 1), v),
    "row's slice": lambda xp, a, v: a[0].__setitem__(slice(0, 1), v),
    "places": lambda xp, a, v: a.__setitem__([0], v),
    "mask": lambda xp, a, v: a.__setitem__(xp.array([[True, False, False], [False, False, False]]), v),
    "fill": lambda xp, a, v: a.fill(v),
    "copyto": lambda xp, a, v: xp.copyto(a, v),
    "copyto where": lambda xp, a, v: xp.copyto(a, v, where=[True, False, True]),
    "flat": lambda xp, a, v: a.flat.__setitem__(1, v),
    "flat slice": lambda xp, a, v: a.flat.__setitem__(slice(0, 2), v),
}


@pytest.mark.parametrize("target, dtype", list(itertools.product(TARGETS, ["f8", "i4", "?", "c16"])))
def test_assignments_end_as_numpys_do(target, dtype):
    for name, value in VALUES.items():
        outcomes = []
        for xp in (numpy, np):
            a = xp.zeros((2, 3), dtype)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    TARGETS[target](xp, a, value(xp))
                except Exception as error:
                    outcome = f"{type(error).__name__}: {error}"
                else:
                    outcome = repr(a.tolist())
            outcomes.append(
                (outcome, [str(each.message) for each in caught if each.category.__name__ != "FallbackWarning"])
            )
        assert outcomes[1] == outcomes[0], name
