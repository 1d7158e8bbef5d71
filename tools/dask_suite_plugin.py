"""A pytest plugin beside suite_plugin for tools/dask_tests.py: what Dask's tests say of NumPy is said of tessera."""

from __future__ import annotations

import os

import pytest


def _compare_in_one_type() -> None:
    """Dask's `assert_eq` where the expected values come from SciPy or a list: as tessera arrays, if Dask's result is one.

    Which type Dask's result has is still compared with what its meta says, and with the expected type where that is ours.
    """
    import numpy
    import tessera.numpy as np
    from dask.array import utils

    compare = utils.assert_eq

    def assert_eq(a, b, *args, **kwargs):
        values = [a, b]
        for each, other in ((0, 1), (1, 0)):
            meta = getattr(values[other], "_meta", values[other])
            is_numpys = type(values[each]).__module__ == "numpy" or type(values[each]) is list
            if is_numpys and type(meta).__module__ == "tessera.numpy":
                if numpy.ndim(values[each]) and not hasattr(values[each], "mask"):
                    values[each] = np.asarray(values[each])
        return compare(*values, *args, **kwargs)

    utils.assert_eq = assert_eq


def _require_in_place_of_numpy() -> None:
    """`pytest.importorskip` of NumPy, and of the backend's package, gives tessera.numpy."""
    required = pytest.importorskip
    ours = {"numpy": "tessera.numpy", "tessera": "tessera.numpy"}
    pytest.importorskip = lambda name, *args, **kwargs: required(ours.get(name, name), *args, **kwargs)


def pytest_collection_modifyitems(items):
    """Tests that ask for the backend "numpy" get tessera."""
    for item in items if os.environ["SUITE_MODULE"] == "tessera.numpy" else ():
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if parameters.get("backend") == "numpy":
            parameters["backend"] = "tessera"


if os.environ["SUITE_MODULE"] == "tessera.numpy":
    _compare_in_one_type()
    _require_in_place_of_numpy()
