"""The stub of the array class: its members at run time, with operators and attributes as NumPy types them."""

from __future__ import annotations

import textwrap
from typing import Any

import annotations as notes
import signatures

ATTRIBUTES = {
    "T": "ndarray[_ShapeT_co, _DTypeT_co]",
    "mT": "ndarray[_ShapeT_co, _DTypeT_co]",
    "base": "Any",
    "ctypes": "Any",
    "data": "memoryview",
    "device": "Any",
    "dtype": "_DTypeT_co",
    "flags": "Any",
    "flat": "flatiter[_DTypeT_co]",
    "imag": "NDArray[Any]",
    "itemsize": "int",
    "nbytes": "int",
    "ndim": "int",
    "real": "NDArray[Any]",
    "shape": "_ShapeT_co",
    "size": "int",
    "strides": "tuple[int, ...]",
}
SETTABLE = {
    "flat": "ArrayLike",
    "imag": "ArrayLike",
    "real": "ArrayLike",
    "shape": "Any",
    "strides": "Any",
    "dtype": "Any",
}
KEEPS_DTYPE = "clip diagonal repeat squeeze".split()
KEEPS_SHAPE = "byteswap conj conjugate copy round swapaxes transpose".split()
RESULTS = {
    "argpartition": notes.ARRAY, "argsort": notes.ARRAY, "astype": "ndarray[_ShapeT_co, numpy.dtype[Any]]", "choose": notes.ARRAY, "compress": "NDArray[Any]", "copy": notes.ARRAY,
    "cumprod": notes.ARRAY, "cumsum": notes.ARRAY, "get": "numpy.ndarray[_ShapeT_co, _DTypeT_co]", "to_numpy": "numpy.ndarray[_ShapeT_co, _DTypeT_co]",
    "getfield": notes.ARRAY, "item": "Any", "nonzero": "tuple[ndarray[tuple[int], numpy.dtype[numpy.int64]], ...]", "repeat": notes.ARRAY, "take": "Any", "to_device": "Any",
    "tobytes": "bytes", "tolist": "Any", "view": "Any", "dot": "Any", "searchsorted": "Any",
}  # fmt: skip
for _name in notes.IN_PLACE:
    RESULTS[_name] = "None"

ARITHMETIC = "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul".split()
OTHERS = """
def __new__(cls, shape: Any, dtype: DTypeLike | None = ..., buffer: Any = ..., offset: SupportsIndex = ..., strides: Any = ..., order: str | None = ...) -> ndarray[Any, Any]: ...
def __class_getitem__(cls, item: Any, /) -> Any: ...
def __array__(self, dtype: Any = ..., /, *, copy: bool | None = ...) -> numpy.ndarray[_ShapeT_co, _DTypeT_co]: ...
def __array_namespace__(self, *, api_version: str | None = ...) -> Any: ...
def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any, /) -> Any: ...
def __array_ufunc__(self, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any: ...
def __array_wrap__(self, array: Any, context: Any = ..., return_scalar: bool = ..., /) -> Any: ...
def __array_finalize__(self, obj: Any, /) -> None: ...
@property
def __array_interface__(self) -> dict[str, Any]: ...
@property
def __array_struct__(self) -> Any: ...
@property
def __array_priority__(self) -> float: ...
@property
def __cuda_array_interface__(self) -> dict[str, Any]: ...
def __dlpack__(self, *, stream: Any = ..., max_version: tuple[int, int] | None = ..., dl_device: tuple[int, int] | None = ..., copy: bool | None = ...) -> Any: ...
def __dlpack_device__(self) -> tuple[int, int]: ...
def __abs__(self) -> ndarray[_ShapeT_co, Any]: ...
def __neg__(self) -> ndarray[_ShapeT_co, _DTypeT_co]: ...
def __pos__(self) -> ndarray[_ShapeT_co, _DTypeT_co]: ...
def __invert__(self) -> ndarray[_ShapeT_co, _DTypeT_co]: ...
def __bool__(self) -> bool: ...
def __complex__(self) -> complex: ...
def __float__(self) -> float: ...
def __int__(self) -> int: ...
def __index__(self) -> int: ...
def __contains__(self, element: Any, /) -> bool: ...
def __copy__(self) -> ndarray[_ShapeT_co, _DTypeT_co]: ...
def __deepcopy__(self, memo: dict[int, Any] | None, /) -> ndarray[_ShapeT_co, _DTypeT_co]: ...
def __divmod__(self, other: ArrayLike, /) -> tuple[Any, Any]: ...
def __rdivmod__(self, other: ArrayLike, /) -> tuple[Any, Any]: ...
@overload
def __getitem__(self, key: NDArray[Any] | tuple[NDArray[Any], ...], /) -> ndarray[tuple[Any, ...], _DTypeT_co]: ...
@overload
def __getitem__(self, key: SupportsIndex | tuple[SupportsIndex, ...], /) -> Any: ...
@overload
def __getitem__(self, key: slice | EllipsisType | Sequence[Any] | tuple[Any, ...] | None, /) -> ndarray[tuple[Any, ...], _DTypeT_co]: ...
def __setitem__(self, key: Any, value: ArrayLike, /) -> None: ...
def __iter__(self) -> Iterator[Any]: ...
def __len__(self) -> int: ...
def __setstate__(self, state: Any, /) -> None: ...
"""


def operators() -> str:
    text = ""
    for name in ARITHMETIC:
        text += (
            f"def __{name}__(self, other: ArrayLike, /) -> Any: ...\n"
            if name == "matmul"
            else f"def __{name}__(self, other: ArrayLike, /) -> {notes.ARRAY}: ...\n"
        )
        text += f"def __r{name}__(self, other: ArrayLike, /) -> {'Any' if name == 'matmul' else notes.ARRAY}: ...\n"
        text += f"def __i{name}__(self, other: ArrayLike, /) -> ndarray[_ShapeT_co, _DTypeT_co]: ...\n"
    for name in ("lt", "le", "gt", "ge"):
        text += f"def __{name}__(self, other: ArrayLike, /) -> {notes.BOOLEAN}: ...\n"
    for name in ("eq", "ne"):
        text += f"def __{name}__(self, other: Any, /) -> {notes.BOOLEAN}: ...  # type: ignore[override]\n"
    return text


def reshape(owner: Any) -> str:
    """The shape is given as a tuple or as its extents."""
    options = "order: str = ..., copy: bool | None = ..."
    head, result = "@overload\ndef reshape(self, ", "-> ndarray[{}, _DTypeT_co]"
    text = f"{head}shape: ShapeT, /, *, {options}) {result.format('ShapeT')}: ...\n"
    for count in range(1, 5):
        extents = ", ".join(f"extent{k + 1}: SupportsIndex" for k in range(count))
        shape = f"tuple[{', '.join(['int'] * count)}]"
        text += f"{head}{extents}, /, *, {options}) {result.format(shape)}: ...\n"
    doc = signatures.body(owner.reshape)
    return text + f"{head}/, *shape: Any, {options}) {result.format('tuple[Any, ...]')}:{doc}\n"


def attribute(owner: Any, name: str) -> str:
    kind = ATTRIBUTES[name]
    text = f"@property\ndef {name}(self) -> {kind}:{signatures.body(getattr(owner, name))}\n"
    if name in SETTABLE:
        text += f"@{name}.setter\ndef {name}(self, value: {SETTABLE[name]}) -> None: ...\n"
    return text


def method(owner: Any, name: str) -> str:
    result = "NDArray[Any]"
    if name in KEEPS_SHAPE:
        result = "ndarray[_ShapeT_co, _DTypeT_co]"
    elif name in ("ravel", "flatten"):
        result = "ndarray[tuple[int], _DTypeT_co]"
    elif name in KEEPS_DTYPE:
        result = "ndarray[tuple[Any, ...], _DTypeT_co]"
    elif name in RESULTS:
        result = RESULTS[name]
    else:
        result = notes.result(name, "ndarray")
    return signatures.function_text(name, getattr(owner, name), "ndarray", result, "method")


def text(owner: Any) -> str:
    """The whole class."""
    lines = [
        f'"""{signatures.summary(owner)}"""\n',
        "__hash__: None  # type: ignore[assignment]\n",
        OTHERS.lstrip(),
        operators(),
    ]
    for name in sorted(each for each in dir(owner) if not each.startswith("_")):
        if name == "reshape":
            lines.append(reshape(owner))
        else:
            lines.append(attribute(owner, name) if name in ATTRIBUTES else method(owner, name))
    return "class ndarray(Generic[_ShapeT_co, _DTypeT_co]):\n" + textwrap.indent("".join(lines), "    ")


def ufunc_classes(shapes: set[tuple[int, int, bool]]) -> str:
    """A class for each number of operands and results; where all results are booleans, these are known."""
    out = ""
    for nin, nout, is_predicate in sorted(shapes):
        name = ufunc_class(nin, nout, is_predicate)
        operands = ["x"] if nin == 1 else [f"x{k + 1}" for k in range(nin)]
        options = "*, where: ArrayLike = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ..."
        outs = "out: Any = ..."
        array = notes.BOOLEAN if is_predicate else notes.ARRAY
        result = array if nout == 1 else "tuple[" + ", ".join([array] * nout) + "]"
        scalar = "Any" if nout == 1 else "tuple[" + ", ".join(["Any"] * nout) + "]"
        out += f"class {name}(ufunc):\n"
        for kind, answer in (("Scalar", scalar), ("ArrayLike", result)):  # as NumPy's: only scalars alone give one
            given = ", ".join(f"{each}: {kind}" for each in operands)
            out += f"    @overload\n    def __call__(self, {given}, /, {outs}, {options}) -> {answer}: ...\n"
        out += "\n"
    return out


def ufunc_class(nin: int, nout: int, is_predicate: bool) -> str:
    return f"{'predicate' if is_predicate else 'ufunc'}_{nin}_{nout}"
