"""Which of NumPy's public names are native, and why the others are not."""

from __future__ import annotations

import types
from dataclasses import asdict, dataclass
from typing import Any

import numpy


@dataclass(frozen=True)
class Entry:
    """One public name: where it runs, and why not in the engine."""

    family: str
    name: str
    native: bool
    reason: str = ""
    counted: bool = True


# Names outside the goal: they hold strings, objects or datetimes, read or write files, or are deprecated.
_uncounted = {
    "object, string and datetime": """busday_count busday_offset is_busday isnat datetime_as_string datetime_data frompyfunc asmatrix bmat
        recarray rec char strings""",
    "files": "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex ndarray.tofile ndarray.dump ndarray.dumps",
    "deprecated or not about arrays": """row_stack test show_config show_runtime info get_include typename mintypecode nested_iters
        nditer ndarray.setfield ndarray.getfield ndarray.ctypes random.random_integers random.ranf random.sample
        in1d trapz""",
}
_reason_uncounted = {name: why for why, names in _uncounted.items() for name in names.split()}

# Defined here, yet made of NumPy's own work on the elements.
_on_host = {
    "fromiter": "NumPy reads the Python objects",
    "fromstring": "NumPy reads the text",
    "vectorize": "Python is called for each element, through NumPy",
    "array2string": "NumPy prints",
    "array_repr": "NumPy prints",
    "array_str": "NumPy prints",
}

_families = {
    "creation": "arange array asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray astype copy empty empty_like eye "
    "from_dlpack frombuffer fromfunction fromiter fromstring full full_like geomspace identity linspace logspace ones ones_like require "
    "zeros zeros_like meshgrid indices ix_ diag diagflat tri tril triu vander",
    "manipulation": "append array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_to column_stack concat concatenate "
    "copyto delete dsplit dstack expand_dims flip fliplr flipud hsplit hstack insert matrix_transpose moveaxis pad permute_dims ravel repeat "
    "reshape resize roll rollaxis rot90 split squeeze stack swapaxes tile transpose trim_zeros unstack vsplit vstack",
    "reductions and statistics": "all any amax amin average bincount convolve corrcoef correlate cov cumprod cumsum cumulative_prod cumulative_sum "
    "histogram histogram2d histogram_bin_edges histogramdd max mean median min nanargmax nanargmin nancumprod nancumsum nanmax nanmean "
    "nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar percentile prod ptp quantile std sum trace var count_nonzero",
    "sorting, searching, sets": "argmax argmin argpartition argsort argwhere digitize extract flatnonzero intersect1d isin lexsort nonzero "
    "partition searchsorted setdiff1d setxor1d sort sort_complex union1d unique unique_all unique_counts unique_inverse unique_values where",
    "products": "dot einsum einsum_path inner kron outer tensordot vdot cross",
    "polynomials": "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
}
_family_of = {name: family for family, names in _families.items() for name in names.split()}


def entries() -> list[Entry]:
    """Every public name of NumPy, in families."""
    found = _namespace_entries()
    for submodule in ("linalg", "fft", "random"):
        found += _submodule_entries(submodule)
    found += _class_entries("Generator methods", "random.Generator")
    found += _class_entries("ndarray methods", "ndarray")
    found += _ufunc_method_entries()
    return sorted(found, key=lambda e: (e.family, e.name))


def _entry(family: str, name: str, value: Any) -> Entry:
    from tessera.numpy import _missing

    why = _reason_uncounted.get(name, "")
    native = value is not None and not hasattr(value, "__tessera_fallback__") and name not in _on_host
    reason = (
        ""
        if native
        else why or _on_host.get(name) or getattr(value, "__tessera_fallback__", "") or _missing.reason(name)
    )
    return Entry(family, name, native, reason, counted=not why)


def _own(path: str) -> Any:
    """tessera.numpy's own object of that name; None when it is served by NumPy."""
    import tessera.numpy

    value: Any = tessera.numpy
    for part in path.split("."):
        value = getattr(value, part, None)
        if value is None or hasattr(value, "__tessera_fallback__"):
            return value
    return value


def _namespace_entries() -> list[Entry]:
    found = []
    for name in numpy.__all__:
        theirs = getattr(numpy, name)
        if isinstance(theirs, types.ModuleType) or not callable(theirs):
            continue
        if isinstance(theirs, type):
            if not issubclass(theirs, (numpy.generic, Exception)) and name in (
                "poly1d",
                "vectorize",
                "ndenumerate",
                "ndindex",
                "broadcast",
            ):
                found.append(_entry("indexing and functional", name, _own(name)))
            continue
        if isinstance(theirs, numpy.ufunc):
            found.append(_entry("ufuncs", name, _own(name)))
        else:
            found.append(_entry(_family_of.get(name, "other functions"), name, _own(name)))
    return found


def _submodule_entries(submodule: str) -> list[Entry]:
    host = getattr(numpy, submodule)
    found = []
    for name in host.__all__:
        if isinstance(getattr(host, name), type):
            continue
        path = f"{submodule}.{name}"
        found.append(_entry(submodule, path, _own(path)))
    return found


def _class_entries(family: str, path: str) -> list[Entry]:
    host: Any = numpy
    for part in path.split("."):
        host = getattr(host, part)
    own = _own(path)
    short = path.rpartition(".")[2]
    found = []
    for name in dir(host):
        if name.startswith("_"):
            continue
        value = None if own is None or own is host else getattr(own, name, None)
        found.append(_entry(family, f"{short}.{name}", value))
    return found


def _ufunc_method_entries() -> list[Entry]:
    own = _own("ufunc")
    return [
        _entry("ufunc methods", f"ufunc.{name}", getattr(own, name, None))
        for name in ("reduce", "accumulate", "reduceat", "outer", "at")
    ]


def summary(found: list[Entry]) -> dict[str, tuple[int, int]]:
    """Native and counted names, by family; "all" for the sum."""
    result: dict[str, tuple[int, int]] = {}
    for entry in found:
        if entry.counted:
            for family in (entry.family, "all"):
                native, total = result.get(family, (0, 0))
                result[family] = (native + entry.native, total + 1)
    return result


def as_json(found: list[Entry]) -> dict[str, Any]:
    """Everything, for machines."""
    families = {
        family: {"native": n, "names": t, "percent": round(100 * n / t, 1)} for family, (n, t) in summary(found).items()
    }
    return {"families": families, "names": [asdict(entry) for entry in found]}
