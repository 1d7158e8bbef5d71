"""Which modules users import, and which of a module's names are public."""

from __future__ import annotations

import importlib

import numpy
import numpy.lib

# A package's modules of functions, whose names the package gives on.
PARTS = {
    "tessera.numpy": (
        "host_names error_state ufuncs creation conversion ranges manipulation joining indexing grids matrices reductions nan_reductions order_statistics "
        "statistics calculus histograms sorting sets logic elementwise products einstein windows padding functional polynomials printing io namespace_info"
    ).split(),
    "tessera.numpy.fft": ["transforms", "frequencies"],
    "tessera.numpy.linalg": ["factors", "norms", "products", "systems"],
}
SURFACES = (
    "tessera", "tessera.numpy", "tessera.numpy.emath", "tessera.numpy.fft", "tessera.numpy.lib", "tessera.numpy.lib.stride_tricks", "tessera.numpy.linalg",
    "tessera.numpy.random", "tessera.numpy.testing", "tessera.numpy.typing", "tessera.scipy", "tessera.scipy.fft", "tessera.scipy.integrate", "tessera.scipy.signal", "tessera.scipy.special",
    "tessera.scipy.stats",
)  # fmt: skip
# Of modules that list none: what they have at run time depends on what was imported.
LISTS = {
    "tessera.numpy.lib": [*numpy.lib.__all__, "test"],
    "tessera.scipy": ["fft", "integrate", "signal", "special", "stats"],
}
# Of modules whose other names are SciPy's, their own: stubs leave the types of the rest open.
OPEN = {
    "tessera.scipy.fft": [],
    "tessera.scipy.integrate": ["simpson"],
    "tessera.scipy.stats": [],
    "tessera.scipy.signal": [
        "lombscargle",
        *(f"lombscargle_{name}" for name in ("false_alarm_level", "false_alarm_probability", "frequencies")),
    ],
}
# Public beside __all__.
MORE = {
    "tessera.numpy": ["__array_api_version__", "__array_namespace_info__", "asnumpy", "get_array_module", "in1d"],
    "tessera.numpy.linalg": ["linalg"],
}


def names(module_name: str) -> list[str]:
    """The public names of a module, sorted."""
    module = importlib.import_module(module_name)
    listed = OPEN[module_name] if module_name in OPEN else getattr(module, "__all__", None)
    if listed is None:
        listed = LISTS.get(module_name)
    if listed is None:
        listed = [
            name
            for name in dir(module)
            if not name.startswith("_") and getattr(getattr(module, name), "__module__", None) == module_name
        ]
    more = [name for name in MORE.get(module_name, []) if hasattr(module, name)]
    return sorted({*listed, *more})
