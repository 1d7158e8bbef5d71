"""Writes the pages of the reference that are made from the code: python tools/site/reference.py SOURCE (the folder of the site's sources)."""

import argparse
import importlib
import inspect
import pathlib
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "stubs"))

import public_names  # noqa: E402
from tessera.functions.intrinsic import Intrinsic, Namespace  # noqa: E402

from tessera import types  # noqa: E402

# Sections of the pages: (title, module, names or None for the rest of the public ones).
FUNCTIONS = (
    "jit njit vectorize guvectorize stencil cfunc carray farray jitclass prange pndindex autotune get_num_threads "
    "set_num_threads get_parallel_chunksize set_parallel_chunksize parallel_chunksize"
).split()
MEMORY = (
    "CopyError allow_tf32 asnumpy copy_guard device device_problem devices layout to_device largest_arrays memory_statistics "
    "set_memory_limit trim_memory"
).split()
LOOKING = "counters reset_counters explain graph progress synchronize FallbackError FallbackWarning fallback_mode fallback_statistics set_fallback_mode".split()
PYCUDA = "driver compiler gpuarray elementwise reduction scan curandom cumath".split()
PYCUDA_TOOLS = "DeviceData DeviceMemoryPool OccupancyRecord PageLockedMemoryPool bitlog2 dtype_to_ctype get_or_register_dtype register_dtype".split()
RANKS = "is_leader rank size".split()
PAGES = {
    "tessera": (
        "tessera",
        "Devices, memory, compiled functions, and what the engine did.",
        [
            ("Devices, memory and copies", "tessera", MEMORY),
            ("Compiled functions", "tessera", FUNCTIONS),
            ("What ran, where and why", "tessera", LOOKING),
            ("Several processes", "tessera", RANKS),
        ],
    ),
    "numpy": (
        "tessera.numpy",
        "NumPy's names. Names that are NumPy's own classes, such as dtypes, are not listed.",
        [
            (f"{part.replace('_', ' ').capitalize()}", f"tessera.numpy.{part}", None)
            for part in public_names.PARTS["tessera.numpy"]
        ],
    ),
    "numpy_linalg": ("tessera.numpy.linalg", "Linear algebra.", [("Functions", "tessera.numpy.linalg", None)]),
    "numpy_fft": ("tessera.numpy.fft", "Transforms.", [("Functions", "tessera.numpy.fft", None)]),
    "numpy_random": (
        "tessera.numpy.random",
        "Generators with NumPy's numbers. :doc:`../random` has the guide.",
        [("Generators and functions", "tessera.numpy.random", None)],
    ),
    "scipy": (
        "tessera.scipy",
        "SciPy's names that are native; :doc:`../differences` lists those that run SciPy's code on the engine's arrays.",
        [("Signals", "tessera.scipy.signal", None), ("Special functions", "tessera.scipy.special", None)],
    ),
    "cuda": (
        "tessera.cuda",
        "Kernels in Python and CUDA C++. :doc:`../kernels` has the guide.",
        [("Names", "tessera.cuda", None), ("Random numbers in kernels", "tessera.cuda.random", None)],
    ),
    "extending": (
        "tessera.extending",
        "What calls, methods, attributes and own types mean in compiled functions.",
        [("Names", "tessera.extending", None)],
    ),
    "pycuda": (
        "tessera.pycuda",
        "PyCUDA's modules; :doc:`../coming_from/pycuda` says what differs.",
        [
            *((part.capitalize(), f"tessera.pycuda.{part}", None) for part in PYCUDA),
            ("Tools", "tessera.pycuda.tools", PYCUDA_TOOLS),
        ],
    ),
    "libraries": (
        "Networks and Dask",
        "What the engine has of its own; all other names are NetworkX's and Dask's. :doc:`../frames` says which of pandas' methods are native.",
        [("Networks", "tessera.networkx", None), ("Dask", "tessera.dask", None)],
    ),
    "prof": ("tessera.prof", "Ranges for profilers.", [("Names", "tessera.prof", None)]),
    "errors": (
        "tessera.errors",
        "What compiled functions and kernels raise and warn of.",
        [("Names", "tessera.errors", None)],
    ),
}
# The package that gives the names of a module of functions on.
OWNER = {f"{package}.{part}": package for package, parts in public_names.PARTS.items() for part in parts}


def is_numpys(value):
    """Whether an object is NumPy's or Python's own: dtypes, constants, modules."""
    module = inspect.getmodule(value)
    return module is None or module.__name__.partition(".")[0] in ("numpy", "builtins")


def is_native(module, value):
    """Whether a name that SciPy has, too, is the engine's."""
    return not module.startswith("tessera.scipy") or (
        getattr(value, "__module__", None) or type(value).__module__
    ).startswith("tessera")


def documented(module, names):
    """The names of a section that have a page: functions, classes and ufuncs with a docstring."""
    owner = OWNER.get(module, module)
    space = importlib.import_module(owner)
    found = []
    for name in names or public_names.names(module):
        value = getattr(space, name, None)
        own = (
            (callable(value) or isinstance(value, Namespace))
            and is_native(module, value)
            and not (isinstance(value, type) and is_numpys(value))
            and not hasattr(value, "__tessera_fallback__")
            and not isinstance(value, types.Type)
        )
        if inspect.getdoc(value) == inspect.getdoc(vars(numpy).get(name)):
            continue
        if own and (inspect.getdoc(value) or "").strip() and not isinstance(value, type(sys)):
            found.append(f"{owner}.{name}")
    return found


def heading(text, mark):
    return f"{text}\n{mark * len(text)}\n\n"


def page(title, summary, sections):
    """A page with a table for each section, and a page for each name in it."""
    text = heading(title, "=") + f"{summary}\n\n"
    for name, module, names in sections:
        listed = documented(module, names)
        if listed:
            text += heading(name, "-") if len(sections) > 1 else ""
            text += ".. autosummary::\n   :nosignatures:\n\n" + "".join(f"   {each}\n" for each in listed) + "\n"
            text += ".. toctree::\n   :hidden:\n\n" + "".join(f"   generated/{each}\n" for each in listed) + "\n"
    return text


def entry(path):
    """The page of one name."""
    module, _, name = path.rpartition(".")
    is_class = isinstance(getattr(importlib.import_module(module), name), type)
    text = heading(path, "=") + f".. currentmodule:: {module}\n\n"
    if is_class:
        return text + f".. autoclass:: {name}\n   :members:\n"
    value = getattr(importlib.import_module(module), name)
    if isinstance(value, Namespace):
        return text + f".. autodata:: {name}\n   :no-value:\n"
    arguments = "(...)" if isinstance(value, Intrinsic) else signature_in_docstring(module, name)
    return text + f".. autofunction:: {name}{arguments}\n"


def signature_in_docstring(module, name):
    """The arguments that the first line of the docstring has, where Python knows none."""
    value = getattr(importlib.import_module(module), name)
    try:
        inspect.signature(value)
        return ""
    except (TypeError, ValueError):
        first = inspect.getdoc(value).splitlines()[0]
        return first[len(name) :] if first.startswith(f"{name}(") else "(...)"


def commands():
    """The help of each command, as the programs print it."""
    from tessera.cli.arguments import make_parser

    parser = make_parser()
    text = heading("Commands", "=") + ".. code-block:: text\n\n" + indented(parser.format_help())
    actions = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    for name, inner in actions[0].choices.items():
        text += heading(f"tessera {name}", "-") + ".. code-block:: text\n\n" + indented(inner.format_help())
    return text


def indented(text):
    return "".join(f"   {line}\n" if line else "\n" for line in text.splitlines()) + "\n"


def coverage_table():
    """NumPy's names by family: where they run here, in functions with @jit, and whether CuPy's and cuPyNumeric's references list them."""
    from tessera.cli import compiled_names, coverage_page, published_names

    from tessera import coverage

    others, compiled = published_names.lists(), compiled_names.states()
    families = {}
    for entry in coverage.entries():
        families.setdefault(entry.family, []).append(entry)
    native = sum(entry.native for group in families.values() for entry in group if entry.counted)
    counted = sum(entry.counted for group in families.values() for entry in group)
    read = ", ".join(f"{name} in {when}" for name, when in published_names.READ.items())
    text = heading("Coverage of NumPy's names", "=")
    text += f"{native} of {counted} names are native; names of strings, objects, dates and files are not counted. In functions with ``@jit``, "
    text += "*compiled* means for all arguments, *some* for those that are used most (others call the host), *host* a call of NumPy. "
    text += f"References of others were read: {read}. ``tessera coverage`` prints this list, ``tessera coverage --html page.html prog.py`` what a program uses.\n\n"
    short = {"compiled": "compiled", "compiled for some arguments": "some", "host": "host"}
    for family, entries in families.items():
        text += heading(family[:1].upper() + family[1:], "-")
        text += ".. list-table::\n   :header-rows: 1\n\n"
        heads = ["name", "tessera", "in @jit", *others, "why not"]
        rows = [
            [
                f"``{entry.name}``",
                "native" if entry.native else "NumPy",
                short.get(compiled.get(f"numpy.{entry.name}", ""), ""),
                *(coverage_page.listed(entry.name, names) for names in others.values()),
                entry.reason,
            ]
            for entry in entries
        ]
        for row in [heads, *rows]:
            text += "".join(f"   {'* -' if k == 0 else '  -'} {cell}".rstrip() + "\n" for k, cell in enumerate(row))
        text += "\n"
    return text


def numba_table():
    """Numba's public names, and what is said of those that are not there."""
    lines = (ROOT / "docs" / "reference" / "numba_names.txt").read_text().splitlines()
    text = (
        heading("Coverage of Numba's names", "=")
        + lines[0].lstrip("# ")
        + " Names of `numba.cuda` are those of :doc:`cuda`.\n\n"
    )
    for line in lines[1:]:
        path, _, names = line.partition(": ")
        missing = {}
        module = "tessera.extending" if path == "numba.extending" else f"tessera.{path}"
        for name in names.split():
            try:
                getattr(importlib.import_module(module), name)
            except (AttributeError, ImportError) as error:
                missing[name] = str(error).splitlines()[0]
        present = [name for name in names.split() if name not in missing]
        text += heading(f"{path}: {len(present)} of {len(present) + len(missing)}", "-")
        text += ", ".join(f"``{name}``" for name in present) + "\n\n"
        text += "".join(f"* ``{name}``: ``{why}``\n" for name, why in missing.items()) + "\n"
    return text


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main():
    folder = pathlib.Path(sys.argv[1]) / "docs" / "reference"
    for name, parts in PAGES.items():
        write(folder / f"{name}.rst", page(*parts))
        for _, module, names in parts[2]:
            for path in documented(module, names):
                write(folder / "generated" / f"{path}.rst", entry(path))
    write(folder / "commands.rst", commands())
    write(folder / "coverage.rst", coverage_table())
    write(folder / "numba_names.rst", numba_table())


if __name__ == "__main__":
    main()
