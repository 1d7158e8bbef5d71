"""A pytest plugin for tools/xarray_tests.py: xarray's tests of arrays that are not NumPy's run with tessera's."""

from __future__ import annotations

# What the tests say of other libraries, too: an index's label, not an element of the array.
EXPECTED = {"idxmax": "returns the coordinate", "idxmin": "returns the coordinate"}
NAMESPACE = "tessera.numpy"


def pytest_collection_modifyitems(config, items):
    """Each test once, with tessera.numpy in place of the namespace that is first in the file."""
    chosen = {}
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        name = item.nodeid.partition("[")[0]
        if "namespace" in parameters and name not in chosen:
            item.module.NAMESPACE_ARRAYS[NAMESPACE] = {
                "attrs": {"array": "ndarray", "constructor": "asarray"},
                "xfails": EXPECTED,
            }
            parameters["namespace"] = NAMESPACE
            item.own_markers = [mark for mark in item.own_markers if mark.name not in ("skip", "skipif")]
            chosen[name] = item
    items[:] = chosen.values()
