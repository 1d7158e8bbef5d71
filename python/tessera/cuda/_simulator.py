"""Kernels as Python: each thread of a block is a Python thread, so that `pdb`, `print` and any library work in kernels.

TESSERA_CUDA_DEBUG=1 chooses this when tessera.cuda is imported, as does Numba's NUMBA_ENABLE_CUDASIM=1 unless TESSERA_CUDA_DEBUG=0 says
otherwise. Blocks run one after the other, on the same arrays as compiled kernels.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy

from tessera import types
from tessera.cuda._records import DeviceRecords
from tessera.functions import intrinsic
from tessera.functions.jit import jit as _compiled

_WARP = 32
_MOST_THREADS = 4096


def is_chosen() -> bool:
    """Whether the environment asks for kernels in Python."""
    own = os.environ.get("TESSERA_CUDA_DEBUG")
    if own is not None:
        return own not in ("", "0")
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


class _Thread(threading.local):
    """The kernel's thread that this Python thread is; `block` is None outside of kernels."""

    block: Any = None
    number = 0
    at = (0, 0, 0)


_current = _Thread()


def _block() -> _Block:
    if _current.block is None:
        raise RuntimeError(
            "this has a meaning in kernels only: functions with @cuda.jit, launched as f[grid, block](...)"
        )
    return _current.block


class _Meeting:
    """Where threads wait for each other. Those that have ended count as arrived."""

    def __init__(self, members: int) -> None:
        self._changed = threading.Condition()
        self._living = members
        self._waiting = 0
        self._round = 0
        self._values: dict[Any, Any] = {}
        self._last: dict[Any, Any] = {}

    def _release(self) -> None:
        if self._waiting and self._waiting >= self._living:
            self._last, self._values = self._values, {}
            self._waiting = 0
            self._round += 1
            self._changed.notify_all()

    def exchange(self, who: Any, value: Any) -> dict[Any, Any]:
        """Waits for all; what each of them has brought."""
        with self._changed:
            mine = self._round
            self._values[who] = value
            self._waiting += 1
            self._release()
            while self._round == mine:
                self._changed.wait()
            return self._last

    def leave(self) -> None:
        with self._changed:
            self._living -= 1
            self._release()


class _Block:
    """One block while it runs."""

    def __init__(self, grid: tuple[int, ...], shape: tuple[int, ...], at: tuple[int, ...], shared_bytes: int) -> None:
        self.grid, self.shape, self.at = grid, shape, at
        self.count = math.prod(shape)
        self.meeting = _Meeting(self.count)
        self.warps = [_Meeting(min(_WARP, self.count - k)) for k in range(0, self.count, _WARP)]
        self.shared: dict[Any, Any] = {}
        self.dynamic = numpy.zeros(shared_bytes, numpy.uint8)
        self.lock = threading.Lock()
        self.of_grid: _Meeting | None = None
        self.failure: tuple[int, tuple[int, ...], BaseException] | None = None

    def start(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        places = itertools.product(*(range(extent) for extent in reversed(self.shape)))
        self.threads = [
            threading.Thread(target=self._run_thread, args=(number, place[::-1], function, arguments), daemon=True)
            for number, place in enumerate(places)
        ]
        for thread in self.threads:
            thread.start()

    def join(self) -> None:
        """Waits for its threads, and raises what the first of those that failed has raised."""
        for thread in self.threads:
            thread.join()
        self.raise_failure()

    def _run_thread(self, number: int, at: tuple[int, ...], function: Callable[..., Any], arguments: Any) -> None:
        _current.block, _current.number, _current.at = self, number, at
        try:
            with numpy.errstate(all="ignore"):  # as compiled kernels have it
                function(*arguments)
        except BaseException as error:
            with self.lock:
                if self.failure is None or number < self.failure[0]:
                    self.failure = (number, at, error)
        finally:
            self.warps[number // _WARP].leave()
            self.meeting.leave()
            if self.of_grid is not None:
                self.of_grid.leave()

    def raise_failure(self) -> None:
        if self.failure is None:
            return
        _, at, error = self.failure
        where = f"tid={list(at)} ctaid={list(self.at)}"
        text = f"{where}: {error.args[0]}" if error.args else where
        raise type(error)(text, *error.args[1:]).with_traceback(error.__traceback__) from error


class _Launch:
    def __init__(self, kernel: Kernel, configuration: Any) -> None:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise ValueError(
                f"{kernel.__name__}[...] takes a grid, a block and optionally a stream and bytes of shared memory"
            )
        self._kernel = kernel
        self._grid, self._shape = map(_extents, configuration[:2])
        self._shared_bytes = int(configuration[3] or 0) if len(configuration) == 4 else 0
        for name, extent in (("grid", self._grid), ("block", self._shape)):
            if min(extent) < 1:
                raise ValueError(f"launch of {kernel.__name__}: the {name} is {extent}; a launch needs at least 1")
        if math.prod(self._shape) > 1024:
            raise ValueError(
                f"launch of {kernel.__name__}: {math.prod(self._shape)} threads a block; the limit is 1024"
            )

    def __call__(self, *arguments: Any, **named: Any) -> None:
        given = tuple(map(_on_host, arguments))
        names = {name: _on_host(value) for name, value in named.items()}
        function = functools.partial(self._kernel.py_func, **names) if names else self._kernel.py_func
        places = itertools.product(*(range(extent) for extent in reversed(self._grid)))
        blocks = [_Block(self._grid, self._shape, place[::-1], self._shared_bytes) for place in places]
        if "this_grid" in self._kernel.py_func.__code__.co_names:
            self._run_together(blocks, function, given)
        else:
            for block in blocks:
                block.start(function, given)
                block.join()
        for value, host in zip(arguments, given):
            if isinstance(value, DeviceRecords):
                value.copy_to_device(host)

    def _run_together(self, blocks: list[_Block], function: Callable[..., Any], given: tuple[Any, ...]) -> None:
        """All blocks at once, since their threads wait for each other."""
        threads = len(blocks) * blocks[0].count
        if threads > _MOST_THREADS:
            raise ValueError(
                f"launch of {self._kernel.__name__}: {threads} Python threads; at most {_MOST_THREADS} meet"
            )
        meeting = _Meeting(threads)
        for block in blocks:
            block.of_grid = meeting
        for block in blocks:
            block.start(function, given)
        for block in blocks:
            block.join()


def _extents(given: Any) -> tuple[int, ...]:
    listed = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    return tuple(int(n) for n in listed) + (1,) * (3 - len(listed))


def _on_host(value: Any) -> Any:
    """An array as NumPy's that shares its memory; records of tessera's are copied."""
    if isinstance(value, DeviceRecords):
        return value.copy_to_host().view(numpy.recarray)
    if isinstance(value, tuple):
        converted = tuple(map(_on_host, value))
        return type(value)(*converted) if hasattr(value, "_fields") else converted
    if isinstance(value, numpy.ndarray) and value.dtype.names:
        return value.view(numpy.recarray)  # whose fields are attributes, too
    if isinstance(value, (numpy.ndarray, numpy.generic)) or not hasattr(value, "__array_interface__"):
        return numpy.asarray(value) if hasattr(value, "copy_to_host") else value
    return numpy.asarray(value)


class Kernel:
    """A kernel that runs as Python; `kernel[grid, block](...)` launches it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    def __getitem__(self, configuration: Any) -> _Launch:
        return _Launch(self, configuration)

    def configure(self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> _Launch:
        """The same as kernel[griddim, blockdim, stream, sharedmem]."""
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> _Launch:
        """A launch for at least ntasks threads in a row."""
        threads = tpb or 128
        return self[max(1, -(-ntasks // threads)), threads, stream, sharedmem]

    def __call__(self, *_: Any, **__: Any) -> None:
        raise TypeError(f"{self.__name__} is launched with a grid and a block: {self.__name__}[blocks, threads](...)")

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}, in Python>"


def jit(
    func_or_sig: Any = None, *, device: bool = False, source: str | None = None, signature: Any = None, **_: Any
) -> Any:
    """As cuda.jit; signatures and options of compilation have no meaning in Python."""
    del source, signature
    if callable(func_or_sig) and not isinstance(func_or_sig, (types.Signature, types.Scalar, types.Array)):
        return func_or_sig if device else Kernel(func_or_sig)
    return lambda function: function if device else Kernel(function)


class _Axes:
    """threadIdx and its like."""

    def __init__(self, values: Callable[[], tuple[int, ...]]) -> None:
        self._values = values

    x = property(lambda self: self._values()[0])
    y = property(lambda self: self._values()[1])
    z = property(lambda self: self._values()[2])


def _at() -> tuple[int, ...]:
    _block()
    return _current.at


threadIdx = _Axes(_at)
blockIdx = _Axes(lambda: _block().at)
blockDim = _Axes(lambda: _block().shape)
gridDim = _Axes(lambda: _block().grid)


def _along(ndim: int, values: list[int]) -> Any:
    if ndim not in (1, 2, 3):
        raise ValueError(f"1, 2 or 3 axes, not {ndim}")
    return values[0] if ndim == 1 else tuple(values[:ndim])


def grid(ndim: int) -> Any:
    block = _block()
    return _along(ndim, [b * d + t for b, d, t in zip(block.at, block.shape, _current.at)])


def gridsize(ndim: int) -> Any:
    block = _block()
    return _along(ndim, [g * d for g, d in zip(block.grid, block.shape)])


def syncthreads() -> None:
    _block().meeting.exchange(_current.number, None)


class _Grid:
    """The group of all threads."""

    def sync(self) -> int:
        block = _block()
        if block.of_grid is not None:
            block.of_grid.exchange((block.at, _current.number), None)
        elif math.prod(block.grid) > 1:
            raise NotImplementedError(
                "cuda.cg: in Python the kernel itself, not a function that it calls, asks for this_grid()"
            )
        else:
            syncthreads()
        return 1


class cg:
    """Groups of threads."""

    this_grid = staticmethod(_Grid)


def syncthreads_count(predicate: Any) -> int:
    return sum(map(bool, _block().meeting.exchange(_current.number, predicate).values()))


def syncthreads_and(predicate: Any) -> int:
    return int(all(_block().meeting.exchange(_current.number, predicate).values()))


def syncthreads_or(predicate: Any) -> int:
    return int(any(_block().meeting.exchange(_current.number, predicate).values()))


def _in_warp(value: Any) -> dict[int, Any]:
    """What each lane of the warp brings, by lane."""
    block, number = _block(), _current.number
    return block.warps[number // _WARP].exchange(number % _WARP, value)


def lane() -> int:
    """cuda.laneid, which is a value."""
    _block()
    return _current.number % _WARP


def syncwarp(mask: int = 0xFFFFFFFF) -> None:
    _in_warp(None)


def _shuffled(value: Any, source: int, inside: bool) -> Any:
    given = _in_warp(value)
    return given.get(source, value) if inside else value


def shfl_sync(mask: int, value: Any, src_lane: int, width: int = 32) -> Any:
    return _shuffled(value, (lane() & ~(width - 1)) | (src_lane & (width - 1)), True)


def shfl_up_sync(mask: int, value: Any, delta: int, width: int = 32) -> Any:
    source = lane() - delta
    return _shuffled(value, source, source >= (lane() & ~(width - 1)))


def shfl_down_sync(mask: int, value: Any, delta: int, width: int = 32) -> Any:
    source = lane() + delta
    return _shuffled(value, source, source <= (lane() | (width - 1)))


def shfl_xor_sync(mask: int, value: Any, lane_mask: int, width: int = 32) -> Any:
    source = lane() ^ lane_mask
    return _shuffled(value, source, source <= (lane() | (width - 1)))


def _of_mask(mask: int, given: dict[int, Any]) -> dict[int, Any]:
    return {which: value for which, value in given.items() if mask >> which & 1}


def ballot_sync(mask: int, predicate: Any) -> int:
    return sum(1 << which for which, value in _of_mask(mask, _in_warp(predicate)).items() if value)


def all_sync(mask: int, predicate: Any) -> int:
    return int(all(_of_mask(mask, _in_warp(predicate)).values()))


def any_sync(mask: int, predicate: Any) -> int:
    return int(any(_of_mask(mask, _in_warp(predicate)).values()))


def eq_sync(mask: int, predicate: Any) -> int:
    return int(len({bool(value) for value in _of_mask(mask, _in_warp(predicate)).values()}) <= 1)


def match_any_sync(mask: int, value: Any) -> int:
    return sum(1 << which for which, other in _of_mask(mask, _in_warp(value)).items() if other == value)


def match_all_sync(mask: int, value: Any) -> tuple[int, bool]:
    alike = all(other == value for other in _of_mask(mask, _in_warp(value)).values())
    return (mask if alike else 0), alike


def activemask() -> int:
    return 0xFFFFFFFF


def lanemask_lt() -> int:
    return (1 << lane()) - 1


def threadfence() -> None:
    _block()


def _place() -> Any:
    """Where the kernel calls."""
    frame = sys._getframe(2)
    return frame.f_code, frame.f_lasti


def _dtype(dtype: Any) -> numpy.dtype[Any]:
    return numpy.dtype(dtype.dtype if isinstance(dtype, types.Scalar) else dtype)


class shared:
    """Arrays of a block's threads together."""

    @staticmethod
    def array(shape: Any, dtype: Any, alignment: Any = None) -> Any:
        block, place = _block(), _place()
        if shape == 0:
            whole = _dtype(dtype).itemsize
            return block.dynamic[: len(block.dynamic) // whole * whole].view(_dtype(dtype))
        with block.lock:
            if place not in block.shared:
                block.shared[place] = numpy.empty(shape, _dtype(dtype))
            return block.shared[place]


class local:
    """Arrays of one thread."""

    @staticmethod
    def array(shape: Any, dtype: Any, alignment: Any = None) -> Any:
        _block()
        return numpy.empty(shape, _dtype(dtype))


class const:
    """Arrays outside of kernels."""

    @staticmethod
    def array_like(ndarray: Any) -> Any:
        _block()
        return ndarray


_updates = threading.Lock()


def _atomic(combine: Callable[[Any, Any], Any]) -> Any:
    def update(ary: Any, idx: Any, val: Any) -> Any:
        with _updates:
            old = ary[idx]
            ary[idx] = combine(old, val)
            return old

    return staticmethod(update)


class atomic:
    """Read, change and write in one step."""

    add = _atomic(lambda old, value: old + value)
    sub = _atomic(lambda old, value: old - value)
    min = _atomic(lambda old, value: value if value < old else old)
    max = _atomic(lambda old, value: value if value > old else old)
    nanmin = _atomic(lambda old, value: value if value < old or old != old else old)
    nanmax = _atomic(lambda old, value: value if value > old or old != old else old)
    and_ = _atomic(lambda old, value: old & value)
    or_ = _atomic(lambda old, value: old | value)
    xor = _atomic(lambda old, value: old ^ value)
    exch = _atomic(lambda old, value: value)
    inc = _atomic(lambda old, value: 0 if old >= value else old + 1)
    dec = _atomic(lambda old, value: value if old == 0 or old > value else old - 1)

    @staticmethod
    def cas(ary: Any, idx: Any, old: Any, val: Any) -> Any:
        with _updates:
            before = ary[idx]
            if before == old:
                ary[idx] = val
            return before

    @staticmethod
    def compare_and_swap(ary: Any, old: Any, val: Any) -> Any:
        return atomic.cas(ary, 0, old, val)


def _bits(x: Any) -> tuple[int, int]:
    """The bits of an integer as an unsigned one, and how many there are."""
    width = 8 * numpy.asarray(x).dtype.itemsize
    return int(x) & ((1 << width) - 1), width


def popc(x: Any) -> int:
    return _bits(x)[0].bit_count()


def clz(x: Any) -> int:
    bits, width = _bits(x)
    return width - bits.bit_length()


def ffs(x: Any) -> int:
    bits, _ = _bits(x)
    return (bits & -bits).bit_length()


def brev(x: Any) -> int:
    bits, width = _bits(x)
    return int(f"{bits:0{width}b}"[::-1], 2)


def selp(a: Any, b: Any, c: Any) -> Any:
    return b if a else c


def cbrt(a: Any) -> Any:
    return math.cbrt(a)


def nanosleep(ns: int) -> None:
    _block()


def ldca(array: Any, i: Any) -> Any:
    return array[i]


def stcg(array: Any, i: Any, value: Any) -> None:
    array[i] = value


class _Vector:
    """A short vector: its parts are x, y, z and w."""

    def __init__(self, *parts: Any) -> None:
        self.__dict__.update(zip("xyzw", parts))

    def __repr__(self) -> str:
        return f"<{', '.join(f'{name}={value}' for name, value in vars(self).items())}>"


_functions: dict[tuple[str, int], Any] = {}


def _evaluate(called: intrinsic.Intrinsic, arguments: tuple[Any, ...]) -> Any:
    """What a function of numbers gives, compiled."""
    if called.path.startswith("cuda.vector."):
        element, _, count = called.path.rpartition(".")[2].rpartition("x")
        parts = [part for one in arguments for part in (vars(one).values() if isinstance(one, _Vector) else (one,))]
        if len(parts) != int(count):
            raise TypeError(f"{called.path} takes {count} numbers, not {len(parts)}")
        return _Vector(*map(numpy.dtype(element).type, parts))
    known = _functions.get((called.path, len(arguments)))
    if known is None:
        names = ", ".join("abcdefgh"[: len(arguments)])
        source = f"def evaluated({names}):\n    return called({names})\n"
        scope = {"called": called}
        exec(source, scope)
        known = _functions[called.path, len(arguments)] = _compiled(source=source)(scope["evaluated"])
    result = known(*arguments)
    floats = [one for one in arguments if isinstance(one, numpy.floating)]
    return numpy.result_type(*floats).type(result) if floats and isinstance(result, float) else result


def choose() -> None:
    """Kernels run as Python from here on."""
    intrinsic.evaluate = _evaluate


warpsize = _WARP

threadfence_block = threadfence_system = threadfence
ldcg = ldcs = ldlu = ldcv = ldca
stcs = stwb = stwt = stcg

# What takes the place of the compiler's names in tessera.cuda.
NAMES = (
    *("jit threadIdx blockIdx blockDim gridDim grid gridsize syncthreads syncthreads_count syncthreads_and".split()),
    *("syncthreads_or syncwarp shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync ballot_sync all_sync".split()),
    *("any_sync eq_sync match_any_sync match_all_sync activemask lanemask_lt threadfence threadfence_block".split()),
    *("threadfence_system shared local const atomic popc clz ffs brev selp cbrt nanosleep".split()),
    *("cg warpsize ldca ldcg ldcs ldlu ldcv stcg stcs stwb stwt".split()),
)
