"""Streams and events. Where kernels run on the host there is one order of work, which keeps every stream's own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy

from tessera import _core

is_any_in_use = False  # whether a stream was ever asked for by use()
_in_use = threading.local()


class Stream:
    """A queue of work on the device: kernels and copies in order, beside those of other streams.

    Array expressions and the default stream wait for all streams, and streams for them.
    """

    def __init__(self, user_stream: Any, name: str = "", number: int | None = None) -> None:
        self._user_stream = user_stream  # None: the default stream, and on the host every one
        self._name = name
        self._is_external = number is not None
        self._number = id(self) if number is None else number
        self._callbacks: ThreadPoolExecutor | None = None
        self._last: Future[None] | None = None

    @property
    def handle(self) -> int:
        """The stream as other libraries know it; 0 for the default. Without a GPU a number of its own."""
        if self._user_stream is not None:
            return self._user_stream.handle
        return 0 if self is _DEFAULT else self._number

    @property
    def external(self) -> bool:
        """Whether the stream is another library's."""
        return self._is_external

    __int__ = lambda self: self.handle

    def synchronize(self) -> None:
        """Waits for what was queued here, and for the callbacks."""
        if self._user_stream is None:
            _core.synchronize()
        else:
            self._user_stream.synchronize()
        if self._last is not None:
            self._last.result()
        _core.kernels.check_launches()

    @contextlib.contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Waits at the end of the block."""
        yield self
        self.synchronize()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        self.synchronize()

    def use(self) -> Stream:
        """Launches of CUDA C++ on this thread that name no stream come here from now on; `default_stream().use()` ends that."""
        global is_any_in_use
        is_any_in_use = True
        _core.sources.note_streams_in_use()
        _in_use.stream = self
        return self

    def add_callback(self, callback: Callable[[Stream, int, Any], Any], arg: Any = None) -> None:
        """Calls `callback(stream, status, arg)` once the work so far is done, on a thread of the stream's."""
        done = Event()
        done.record(self)

        def call() -> None:
            status = 0
            try:
                done.synchronize()
            except RuntimeError:
                status = 999
            try:
                callback(self, status, arg)
            except Exception as error:
                warnings.warn(f"cuda: a stream's callback failed: {error!r}", stacklevel=1)

        if self._callbacks is None:
            self._callbacks = ThreadPoolExecutor(1, "tessera-stream")
        self._last = self._callbacks.submit(call)

    def async_done(self) -> asyncio.Future[Stream]:
        """A future of the running loop that is done when the work so far is."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def finish(status: int) -> None:
            if future.done():
                return
            if status:
                future.set_exception(RuntimeError(f"cuda: the stream's work failed with status {status}"))
            else:
                future.set_result(self)

        self.add_callback(lambda _stream, status, _arg: loop.call_soon_threadsafe(finish, status))
        return future

    def __repr__(self) -> str:
        return f"<CUDA stream {self._name or hex(id(self))}>"


class Event:
    """A point in a stream's work, with the time at which that was done."""

    def __init__(self, timing: bool = True) -> None:
        self.timing = timing
        self._recorded: Any = None
        self._time: float | None = None  # on the host, where recording waits

    def record(self, stream: Any = 0) -> None:
        """Marks the end of the stream's work so far."""
        user_stream = user_stream_of(stream)
        self._recorded = _core.kernels.record() if user_stream is None else user_stream.record()
        if self._recorded is None:
            _core.synchronize()
            self._time = time.perf_counter()

    def query(self) -> bool:
        """Whether the work before the event is done."""
        return self._recorded is None or self._recorded.query()

    def synchronize(self) -> None:
        """Waits for the work before the event."""
        if self._recorded is not None:
            self._recorded.synchronize()

    def wait(self, stream: Any = 0) -> None:
        """Makes the stream's next work wait for the event."""
        user_stream = user_stream_of(stream)
        if self._recorded is not None:
            (_core.kernels if user_stream is None else user_stream).wait_for(self._recorded)

    def elapsed_time(self, evtend: Event) -> float:
        """Milliseconds from this event to another."""
        if not (self.timing and evtend.timing):
            raise ValueError("cuda.event_elapsed_time needs events with timing=True")
        if self._recorded is not None and evtend._recorded is not None:
            return evtend._recorded.since(self._recorded)
        if self._time is None or evtend._time is None:
            raise ValueError("cuda.event_elapsed_time needs two events that were recorded on one device")
        return (evtend._time - self._time) * 1e3


_DEFAULT = Stream(None, "default")


def stream() -> Stream:
    """A new stream.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> stream = cuda.stream()
    >>> x = cuda.to_device(numpy.ones(3), stream=stream)
    >>> double[1, 32, stream](x)
    >>> x.copy_to_host(stream=stream)
    array([2., 2., 2.])
    """
    return Stream(_core.kernels.make_stream())


def default_stream() -> Stream:
    """The stream of work that names none; with config.CUDA_PER_THREAD_DEFAULT_STREAM the calling thread's own.

    Examples
    --------
    >>> from tessera import cuda
    >>> stream = cuda.default_stream()
    """
    from tessera.cuda import config

    return per_thread_default_stream() if config.CUDA_PER_THREAD_DEFAULT_STREAM else _DEFAULT


def legacy_default_stream() -> Stream:
    """The stream that is ordered with all others.

    Examples
    --------
    >>> from tessera import cuda
    >>> stream = cuda.legacy_default_stream()
    """
    return _DEFAULT


def current_stream() -> Stream:
    """The stream of this thread's launches of CUDA C++ that name none: that of the last `Stream.use`, else the default.

    Examples
    --------
    >>> from tessera import cuda
    >>> stream = cuda.current_stream()
    """
    return getattr(_in_use, "stream", None) or default_stream()


_of_thread = threading.local()


def per_thread_default_stream() -> Stream:
    """The calling thread's own stream on its device, the same at each call.

    Examples
    --------
    >>> from tessera import cuda
    >>> stream = cuda.per_thread_default_stream()
    """
    streams = _of_thread.__dict__.setdefault("streams", {})
    device = _core.device()
    if device not in streams:
        streams[device] = Stream(_core.kernels.make_stream(), "default, of a thread")
    return streams[device]


def external_stream(ptr: int) -> Stream:
    """The stream of another library with this handle.

    Examples
    --------
    >>> from tessera import cuda
    >>> stream = cuda.external_stream(0)
    """
    if not ptr:
        return _DEFAULT
    return Stream(_core.kernels.make_stream(ptr), f"{ptr:#x} of another library", ptr)


def event(timing: bool = True) -> Event:
    """A new event.

    Examples
    --------
    >>> from tessera import cuda
    >>> event = cuda.event()
    >>> event.record()
    >>> event.synchronize()
    """
    return Event(timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Milliseconds between two events, both done.

    Examples
    --------
    >>> from tessera import cuda
    >>> begin, end = cuda.event(), cuda.event()
    >>> begin.record()
    >>> end.record()
    >>> end.synchronize()
    >>> cuda.event_elapsed_time(begin, end) >= 0
    True
    """
    return evtstart.elapsed_time(evtend)


def user_stream_of(stream: Any) -> Any:
    """The engine's stream; None for the default one."""
    if stream is None or isinstance(stream, Stream):
        return getattr(stream, "_user_stream", None)
    if isinstance(stream, int) and stream == 0:
        return None
    raise TypeError(f"cuda: {stream!r} is no stream; cuda.stream() makes one, and 0 is the default")


def in_one_piece(array: Any) -> bool:
    """Whether a stream can copy a NumPy array's elements as they lie."""
    if not isinstance(array, numpy.ndarray) or _core.kernels.is_array(array):
        return False
    plain = array.dtype.char in "?bBhHiIlLqQefdFD" and array.dtype.isnative
    return plain and array.flags.c_contiguous and array.size > 0
