"""Functions in other code for a GPU that kernels in Python call: declare_device, and the code that kernels are linked with."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from tessera import types
from tessera.cuda import config
from tessera.cuda.source import compiler
from tessera.cuda.source.options import parse
from tessera.errors import CudaSupportError
from tessera.functions import signatures
from tessera.functions.intrinsic import Namespace

_ABIS = ("numba", "c")
_OF_KERNELS = ("shared", "dynamic")  # memory of the block

ffi = Namespace(
    "cffi",
    """What cffi.FFI() has for kernels, where that is not installed.

Examples
--------
>>> from tessera import cuda
>>> code = 'extern "C" __device__ int first(float* result, const float* x) { *result = x[0]; return 0; }'
>>> first = cuda.declare_device("first", "float32(CPointer(float32))", link=cuda.CUSource(code))
>>> @cuda.jit
... def kernel(x, out):  # launched on a GPU
...     out[0] = first(cuda.ffi.from_buffer(x))
""",
    {"from_buffer": "The address of an array's elements, for functions that declare_device declares."},
)


class LinkableCode:
    """Code that kernels are linked with: text, bytes, or an io object that has it. `name` stands in the linker's messages.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.CUSource("// CUDA C++", name="empty.cu").name
    'empty.cu'
    """

    kind = ""
    default_name = ""

    def __init__(
        self,
        data: Any,
        name: str | None = None,
        setup_callback: Any = None,
        teardown_callback: Any = None,
        nrt: bool = False,
    ) -> None:
        for what, callback in (("setup_callback", setup_callback), ("teardown_callback", teardown_callback)):
            if callback is not None and not callable(callback):
                raise TypeError(f"{what} must be callable")
            if callback is not None:
                raise NotImplementedError(
                    f"{type(self).__name__}: {what}: kernels have no module of the driver's; RawModule has get_global"
                )
        if nrt:
            raise NotImplementedError(f"{type(self).__name__}: nrt: kernels allocate no memory")
        self._data = data
        self._name = name
        self._folder = ""
        if not isinstance(self.data, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"{type(self).__name__} takes text, bytes or an io object, not {type(data).__name__}")

    @property
    def name(self) -> str:
        return self._name or self.default_name

    @property
    def data(self) -> Any:
        return self._data.getvalue() if isinstance(self._data, (io.StringIO, io.BytesIO)) else self._data

    @staticmethod
    def from_path(path: Any) -> LinkableCode:
        """The code in a file, of the kind that its extension says."""
        path = os.fspath(path)
        extension = os.path.splitext(path)[1]
        if not extension:
            raise RuntimeError(f"{path}: Don't know how to link file with no extension")
        kind = _KINDS.get(extension)
        if kind is None:
            raise RuntimeError(
                f"{path}: Don't know how to link file with extension {extension}; there are {', '.join(_KINDS)}"
            )
        try:
            with open(path, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            raise FileNotFoundError(f"{path} not found") from None
        made = kind(content.decode() if kind in (CUSource, PTXSource) else content, os.path.basename(path))
        made._folder = os.path.dirname(os.path.abspath(path))
        return made

    @staticmethod
    def from_path_or_obj(path_or_obj: Any) -> LinkableCode:
        """The same; what is code already is given back."""
        return path_or_obj if isinstance(path_or_obj, LinkableCode) else LinkableCode.from_path(path_or_obj)

    def _part(self, lto: bool, options: Sequence[str] = ()) -> tuple[str, str, bytes]:
        """Its kind, its name and what the linker gets; the options are the compiler's, for text that is compiled."""
        data = self.data
        return self.kind, self.name, data.encode() if isinstance(data, str) else bytes(data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class CUSource(LinkableCode):
    """CUDA C++, which is compiled where it is linked.

    Examples
    --------
    >>> from tessera import cuda
    >>> source = cuda.CUSource('extern "C" __device__ int one(int* result) { *result = 1; return 0; }')
    """

    kind = "cu"
    default_name = "<unnamed-cu>"

    def _part(self, lto: bool, options: Sequence[str] = ()) -> tuple[str, str, bytes]:
        folders = [folder for folder in (self._folder, *config.CUDA_NVRTC_EXTRA_SEARCH_PATHS.split(":")) if folder]
        parsed = parse([*(f"-I{folder}" for folder in folders), *options])
        parsed.passed += ["--relocatable-device-code=true"] if not lto else []
        kind = "ltoir" if lto else "ptx"
        text = self.data if isinstance(self.data, str) else bytes(self.data).decode()
        made = compiler.compile_source(text, self.name, parsed, kind=kind)  # the disk's cache knows the headers
        if made.log:
            warnings.warn(f"NVRTC log messages whilst compiling {self.name}:\n\n{made.log}", stacklevel=2)
        return kind, self.name, made.code


class PTXSource(LinkableCode):
    """PTX.

    Examples
    --------
    >>> from tessera import cuda
    >>> source = cuda.PTXSource(".version 7.0")
    """

    kind = "ptx"
    default_name = "<unnamed-ptx>"


class Fatbin(LinkableCode):
    """Code for several architectures, as nvcc and nvFatbin write it.

    Examples
    --------
    >>> from tessera import cuda
    >>> code = cuda.Fatbin(b"...")
    """

    kind = "fatbin"
    default_name = "<unnamed-fatbin>"


class Cubin(LinkableCode):
    """Machine code that can be relocated.

    Examples
    --------
    >>> from tessera import cuda
    >>> code = cuda.Cubin(b"...")
    """

    kind = "cubin"
    default_name = "<unnamed-cubin>"


class Archive(LinkableCode):
    """An archive of objects, as nvcc writes it.

    Examples
    --------
    >>> from tessera import cuda
    >>> code = cuda.Archive(b"...")
    """

    kind = "archive"
    default_name = "<unnamed-archive>"


class Object(LinkableCode):
    """An object of nvcc's.

    Examples
    --------
    >>> from tessera import cuda
    >>> code = cuda.Object(b"...")
    """

    kind = "object"
    default_name = "<unnamed-object>"


class LTOIR(LinkableCode):
    """Code that is optimised when it is linked.

    Examples
    --------
    >>> from tessera import cuda
    >>> code = cuda.LTOIR(b"...")
    """

    kind = "ltoir"
    default_name = "<unnamed-ltoir>"


_KINDS: dict[str, type[LinkableCode]] = {
    ".cu": CUSource,
    ".ptx": PTXSource,
    ".cubin": Cubin,
    ".fatbin": Fatbin,
    ".o": Object,
    ".a": Archive,
    ".ltoir": LTOIR,
}


class DeclaredFunction:
    """A function in other code: kernels call it by this object."""

    def __init__(self, name: str, signature: Any, link: tuple[Any, ...], use_cooperative: bool, abi: str) -> None:
        self.name = self.__name__ = name
        self.sig = signature
        self.link = link
        self.use_cooperative = use_cooperative
        self.abi = abi

    def _describe(self) -> tuple[Any, ...]:
        result = self.sig.return_type
        return (
            "foreign",
            self.name,
            None if isinstance(result, types.Void) else _dtype_of(self.name, "its result", result),
            [self._parameter(k, kind) for k, kind in enumerate(self.sig.args)],
            self.abi == "numba",
            self.use_cooperative,
            self,
        )

    def _parameter(self, k: int, kind: Any) -> tuple[Any, bool]:
        if not isinstance(kind, types.CPointer):
            return _dtype_of(self.name, f"argument {k}", kind), False
        return None if isinstance(kind.dtype, types.Void) else kind.dtype.dtype, True

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(f"{self.name} is code for a GPU: kernels call it")

    def __repr__(self) -> str:
        return f"<declared function {self.name}{self.sig.args} -> {self.sig.return_type}>"


def _is_passed(kind: Any) -> bool:
    return isinstance(kind, types.Scalar) and (
        kind.dtype.kind in "biuc" or (kind.dtype.kind == "f" and kind.bitwidth >= 32)
    )


def _dtype_of(name: str, what: str, kind: Any) -> Any:
    if _is_passed(kind):
        return kind.dtype
    instead = "; declare CPointer and pass ffi.from_buffer(array)" if isinstance(kind, types.Array) else ""
    raise TypeError(
        f"declare_device: {name}: {what} is {kind!r}; there are integers, float32, float64, complex numbers and pointers{instead}"
    )


def _check_signature(name: str, sig: types.Signature, abi: str) -> None:
    """Raises for types that no function in other code takes; arrays are refused where a kernel calls it."""
    for k, kind in enumerate(sig.args):
        if isinstance(kind, types.CPointer):
            if not isinstance(kind.dtype, (types.Scalar, types.Void)):
                raise TypeError(
                    f"declare_device: {name}: argument {k} is {kind!r}; pointers are to numbers, or CPointer(void)"
                )
        elif not isinstance(kind, types.Array):
            _dtype_of(name, f"argument {k}", kind)
    result = sig.return_type
    if isinstance(result, types.Void):
        return
    if _dtype_of(name, "its result", result).kind == "c" and abi == "c":
        raise TypeError(
            f'declare_device: {name}: its result is {result!r}, which is not returned with abi="c"; let the function store it at an address'
        )


def declare_device(
    name: str, sig: Any, link: Any = None, use_cooperative: bool = False, abi: str = "numba"
) -> DeclaredFunction:
    """A function `name` in CUDA C++, PTX or machine code, for kernels in Python to call.

    With Numba's convention it is `extern "C" __device__ int name(T* result, arguments...)`, which returns 0; with abi="c" `T name(arguments...)`.
    `sig` gives the types, "int32(int32, CPointer(float32))"; arrays are passed as `ffi.from_buffer(array)`. `link` is a file, an
    object such as CUSource, or a list of them, with which kernels that call it are linked. use_cooperative says that it waits for other blocks.

    Examples
    --------
    >>> from tessera import cuda
    >>> source = cuda.CUSource('extern "C" __device__ int add1(int* result, int a) { *result = a + 1; return 0; }')
    >>> add1 = cuda.declare_device("add1", "int32(int32)", link=source)
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name):
        raise ValueError(f'declare_device: {name!r} is no name of a function; give it extern "C" and that name')
    if name in _OF_KERNELS or name.startswith("tessera_"):
        raise ValueError(f"declare_device: {name} is a name of the kernel's own; give the function another one")
    if abi not in _ABIS:
        raise NotImplementedError(f"Unsupported ABI: {abi}; there are {', '.join(_ABIS)}")
    if isinstance(sig, str):
        sig = signatures.read(sig)
    if not isinstance(sig, types.Signature):
        raise TypeError("declare_device: Return type must be provided for device declarations: 'int32(float32)'")
    _check_signature(name, sig, abi)
    return DeclaredFunction(name, sig, listed(link), use_cooperative, abi)


def listed(link: Any) -> tuple[Any, ...]:
    """A file or an object alone is a list of one."""
    if link is None:
        return ()
    return tuple(link) if isinstance(link, (list, tuple, set)) else (link,)


def links_of(compiled: Any, options: dict[str, Any]) -> list[Any]:
    """What a kernel's options and the functions that it calls are linked with."""
    return [*listed(options.get("link")), *(one for called in compiled.foreign for one in called.link)]


def codes_of(links: Iterable[Any], capability: int, options: dict[str, Any]) -> list[Any]:
    """CUDA C++ as PTX for a compute capability, and everything else as it is, each once."""
    codes: list[Any] = []
    for link in dict.fromkeys(links):
        code = LinkableCode.from_path_or_obj(link)
        if isinstance(code, CUSource):
            flags = [f"-arch=compute_{capability}", *_flags(options)]
            codes.append(code._part(False, flags)[2].rstrip(b"\0").decode())
        else:
            codes.append(code)
    return codes


def _flags(options: dict[str, Any]) -> list[str]:
    """The compiler's, for these options of a kernel."""
    return [flag for option, flag in (("debug", "-G"), ("lineinfo", "-lineinfo")) if options.get(option)]


def parts_of(links: Iterable[Any], options: dict[str, Any]) -> list[tuple[str, str, bytes]]:
    """What the linker gets, each once, where a kernel has these options."""
    parts: dict[tuple[str, bytes], tuple[str, str, bytes]] = {}
    for link in links:
        kind, name, code = LinkableCode.from_path_or_obj(link)._part(bool(options.get("lto")), _flags(options))
        parts.setdefault((kind, code), (kind, name, code))
    return list(parts.values())


def link(compiled: Any, options: dict[str, Any], has_gpu: bool) -> None:
    """Has the kernel linked with the code that its options and the functions which it calls name."""
    links = links_of(compiled, options)
    if not links:
        return
    try:
        parts = parts_of(links, options)
    except CudaSupportError:
        if has_gpu:
            raise
        return  # a launch says that there is no GPU
    compiled.link(parts, bool(options.get("debug")), bool(options.get("lineinfo")))
