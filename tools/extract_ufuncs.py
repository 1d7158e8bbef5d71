"""Writes what the op table is compared with, from the NumPy that is installed: tests/data/ufunc_*.txt."""

import sys
from pathlib import Path

import numpy

CODES = "?bBhHiIlLefdFD"
WEAK = (int, float, complex)
GENERALIZED = {"matmul", "vecdot", "matvec", "vecmat"}


def ufuncs():
    """Every elementwise ufunc on numbers, under its own name."""
    found = {f.__name__: f for f in vars(numpy).values() if isinstance(f, numpy.ufunc)}
    found["clip"] = numpy._core.umath.clip
    return {name: found[name] for name in sorted(found) if name not in GENERALIZED | {"isnat"}}


def loops(ufunc):
    """Its loops on our types, each once; NumPy names the mixed comparisons by long long."""
    texts = [t.replace("q", "l").replace("Q", "L") for t in ufunc.types]
    kept = [t for t in texts if all(c in CODES + "->" for c in t)]
    return list(dict.fromkeys(kept))


def choice(ufunc, operands):
    """The loop for these operands, or '-' when there is none."""
    try:
        chosen = ufunc.resolve_dtypes((*operands, *[None] * ufunc.nout))
    except TypeError:
        return "-"
    text = "".join(t.char for t in chosen[: ufunc.nin]) + "->" + "".join(t.char for t in chosen[ufunc.nin :])
    return text.replace("q", "l").replace("Q", "L")


def table(ufunc):
    """Rows of choices over all operand types, Python scalars last (the truth of one is the same in any loop)."""
    types = [numpy.dtype(c) for c in CODES] + ([] if "logical" in ufunc.__name__ else list(WEAK))
    if ufunc.nin == 1:
        return [" ".join(choice(ufunc, (t,)) for t in types[: len(CODES)])]
    return [
        " ".join(choice(ufunc, (t, u)) for u in (types if i < len(CODES) else types[: len(CODES)]))
        for i, t in enumerate(types)
    ]


def main(folder):
    types = [f"{name} {f.identity} {' '.join(loops(f))}\n" for name, f in ufuncs().items()]
    (folder / "ufunc_types.txt").write_text("".join(types))
    groups = {}
    for name, f in ufuncs().items():
        if f.nin < 3:
            groups.setdefault(tuple(table(f)), []).append(name)
    text = "".join(f"{' '.join(names)}\n" + "".join(f"  {row}\n" for row in rows) for rows, names in groups.items())
    (folder / "ufunc_choices.txt").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "tests/data"))
