"""Kernels and device functions: specialised by the types of their arguments, launched on a grid of blocks."""

from __future__ import annotations

import atexit
import itertools
from typing import Any

import numpy

from tessera import _core
from tessera._numbers import is_of_time
from tessera.cuda import _foreign, _inspection, _interface, _options, _records, config
from tessera.cuda._arrays import device_array, has_gpu
from tessera.cuda._streams import default_stream, in_one_piece
from tessera.functions import records, signatures
from tessera.functions.function import Function

# Copies of so few bytes take less time than sharing their memory.
_FEW_BYTES = 1 << 17

# Lines that nobody has waited for, and failures.
atexit.register(_core.kernels.check_launches)


class Kernel(_inspection.Inspection, Function):
    """A kernel; `kernel[grid, block](...)` launches it."""

    _is_device = False

    def __init__(
        self, function: Any, source: str | None, compiled_for: list[tuple[Any, ...]], options: dict[str, Any]
    ) -> None:
        super().__init__(function, source)
        self._options = options
        self._checks = bool(options.get("check", _options.CHECKS_ALL))
        self._debug = bool(options.get("debug")) or self._checks
        self._device_options = _options.of_device(options)
        self._specialised: dict[tuple[Any, ...], Any] = {}
        # The same, by what launches see of their arguments.
        self._known = _core.kernels.Specializations(self._captured, self.positional())
        self.specializations: dict[tuple[Any, ...], Kernel] = {}
        # With signatures other types are converted to theirs, or refused.
        self._fixed = list(compiled_for)
        self._is_specialized = len(compiled_for) == 1
        for kinds in compiled_for:
            self.compile(kinds)

    def compile(self, signature: Any) -> Any:
        """The kernel for these types, compiled unless it is there."""
        kinds = signatures.parse(signature)
        known = self._specialised.get(kinds)
        if known is None:
            signatures.note_functions(kinds, self._captured)
            fast_math = bool(self._options.get("fastmath"))
            options = _core.kernels.CompileOptions(
                checks_bounds=self._debug,
                checks_accesses=self._checks,
                has_lines=bool(self._options.get("lineinfo")),
                raises_on_zero=self._debug and not fast_math,
                fast_math=fast_math,
                device=self._device_options,
            )
            known = self._kernel_function().compile(kinds, options)
            if known.foreign or self._options.get("link"):
                _foreign.link(known, self._options, has_gpu())
            self._specialised[kinds] = known
            self._known.note_compiled()
        return known

    def _forget(self) -> None:
        """A name that the kernel reads has another value now."""
        self._specialised.clear()
        self._known.clear()

    def __getitem__(self, configuration: Any) -> Any:
        if config.CUDA_PER_THREAD_DEFAULT_STREAM:
            configuration = _on_default_stream(configuration)
        launch = _core.kernels.Launch(self, self._known, configuration)
        bounds = self._options.get("launch_bounds")
        return launch if bounds is None else self._within(bounds, configuration, launch)

    def _within(self, bounds: Any, configuration: Any, launch: Any) -> Any:
        most = bounds[0] if isinstance(bounds, tuple) else bounds
        threads = int(numpy.prod(configuration[1]))
        if threads > most:
            raise ValueError(
                f"{self.__name__}: blocks of {threads} threads; its launch_bounds are {bounds} (CUDA_ERROR_INVALID_VALUE)"
            )
        return launch

    def configure(self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> Any:
        """The same as kernel[griddim, blockdim, stream, sharedmem]."""
        return self[griddim, blockdim, stream, sharedmem]

    def specialize(self, *arguments: Any) -> Kernel:
        """A kernel that is compiled for the types of these arguments."""
        if self._is_specialized:
            raise RuntimeError(f"Dispatcher already specialized: {self.__name__} is compiled for one list of types")
        kinds = tuple(signatures.type_of(value) for value in arguments)
        if kinds not in self.specializations:
            self.specializations[kinds] = Kernel(self.py_func, self._source, [kinds], self._options)
        return self.specializations[kinds]

    @property
    def specialized(self) -> bool:
        """Whether specialize() made it."""
        return self._is_specialized

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> Any:
        """A launch for at least ntasks threads in a row."""
        if ntasks < 0:
            raise ValueError(f"{self.__name__}: Can't create ForAll with negative task count: {ntasks}")
        threads = tpb or 256
        return self[max(1, -(-ntasks // threads)), threads, stream, sharedmem]

    def __call__(self, *_: Any, **__: Any) -> Any:
        name = self.__name__
        raise ValueError(
            f"Kernel launch configuration was not specified: {name}[blocks, threads](...), or {name}.forall(n)(...)"
        )

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    def _compile_for(self, arguments: tuple[Any, ...]) -> Any:
        """The kernel for arguments of these types."""
        kinds = tuple(signatures.type_of(value) for value in arguments)
        if self._fixed and kinds not in self._fixed:
            kinds = self._choose(kinds)
        return self.compile(kinds)

    def _choose(self, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
        """The signature to whose types arguments of these are converted with the least loss."""
        best = [self._fixed[k] for k in _core.types.choose(kinds, self._fixed)]
        name, given = self.__name__, signatures.write_all(kinds)
        if not best:
            known = "; ".join(signatures.write_all(fixed) for fixed in self._fixed)
            raise TypeError(f"{name}: No matching definition for argument type(s) {given}; there are {known}")
        if len(best) > 1:
            both = "\n".join(f"({signatures.write_all(fixed)}) -> none" for fixed in best)
            raise TypeError(f"Ambiguous overloading for {self.py_func!r} ({given}):\n{both}")
        return best[0]

    def _launch_copies(self, launch: Any, arguments: tuple[Any, ...]) -> None:
        """Launches with copies of the arrays that are not tessera's, and copies back what the kernel wrote."""
        arguments = tuple(map(_interface.adopt, arguments))
        uses = {id(one.value): one for one in arguments if isinstance(one, _interface._Argument)}
        arguments = tuple(one.value if isinstance(one, _interface._Argument) else one for one in arguments)
        compiled = self._compile_for(arguments)
        arrays: list[Any] = []
        scalars: list[Any] = []
        stream = launch.stream
        copied = _CopiedRecords(stream)
        for value in arguments:
            _flatten(value, arrays, scalars, copied)
        # An array that is passed twice is one array in the kernel, too.
        shared = {} if uses or compiled.reports else _shared(arrays)
        copies = {
            id(array): shared[id(array)]
            if id(array) in shared
            else _operand(array, stream, _copies_in(uses.get(id(array))), copied)
            for array in arrays
        }
        operands = [copies[id(array)] for array in arrays]
        compiled.launch(launch, operands, scalars)
        compiled.check()
        for array, operand, writes in zip(arrays, operands, compiled.writes):
            use = uses.get(id(array))
            if not writes or operand is array or id(array) in shared or (use is not None and not use.copies_out):
                continue
            if copied.note_write(array):
                continue
            if not (stream is not None and in_one_piece(array) and stream.copy_out(operand, array)):
                array[...] = numpy.asarray(operand)
        copied.copy_out()


# Records of fewer bytes are copied field by field.
_FEW_BYTES_OF_RECORDS = 1 << 18


class _CopiedRecords:
    """The NumPy arrays of records among a launch's arguments that a device gets in one piece, by their fields."""

    def __init__(self, stream: Any) -> None:
        self._copier = _core.kernels if stream is None else stream
        self._copies: dict[int, tuple[Any, Any]] = {}  # by the records' identity: them, and those on the device
        self._fields: dict[int, tuple[Any, int]] = {}  # by a field's: that on the device, and the records' identity
        self._written: set[int] = set()

    def add(self, value: Any, fields: list[Any]) -> None:
        """Copies the records to the device, where that is quicker than a copy for each field."""
        if id(value) not in self._copies:
            if not isinstance(value, numpy.ndarray) or value.nbytes < _FEW_BYTES_OF_RECORDS:
                return
            if not value.flags.writeable or not _records.lies_evenly(value.dtype) or _core.kernels.runs_on_host():
                return
            there = device_array(value.shape, value.dtype)
            if not there.lies_as(value) or not there.copy_in(value, self._copier):
                return
            self._copies[id(value)] = (value, there)
        there = self._copies[id(value)][1]
        self._fields.update((id(field), (copy, id(value))) for field, copy in zip(fields, records.fields_of(there)))

    def find(self, field: Any) -> Any:
        """The field on the device; None where it is no part of such records."""
        return self._fields.get(id(field), (None,))[0]

    def note_write(self, field: Any) -> bool:
        """Whether what the kernel wrote there is copied back with its records."""
        found = self._fields.get(id(field))
        if found is not None:
            self._written.add(found[1])
        return found is not None

    def copy_out(self) -> None:
        """Stores what the kernel wrote."""
        for owner in self._written:
            value, there = self._copies[owner]
            there.copy_out(value, self._copier)


def _on_default_stream(configuration: Any) -> Any:
    """The configuration, with the thread's stream where it names none."""
    if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
        return configuration
    grid, block, *rest = configuration
    stream = rest[0] if rest else 0
    is_default = stream is None or isinstance(stream, int) and stream == 0
    return (grid, block, default_stream() if is_default else stream, *rest[1:])


def _flatten(value: Any, arrays: list[Any], scalars: list[Any], copied: _CopiedRecords) -> None:
    if isinstance(value, tuple):
        for element in value:
            _flatten(element, arrays, scalars, copied)
    elif isinstance(value, slice):
        _flatten((value.start, value.stop, value.step), arrays, scalars, copied)
    elif value is None or isinstance(value, type) or hasattr(value, "_kernel_function"):
        return
    elif records.is_structured(value):
        fields = records.fields_of(value)
        arrays.extend(fields)
        copied.add(value, fields)
    elif isinstance(value, (numpy.datetime64, numpy.timedelta64)):
        scalars.append(int(value.view(numpy.int64)))
    elif isinstance(value, numpy.ndarray) and is_of_time(value.dtype):
        arrays.append(value.view(numpy.int64))
    elif hasattr(value, "ndim") and not isinstance(value, numpy.generic):
        arrays.append(value)
    else:
        scalars.append(value)


def _copies_in(use: Any) -> bool:
    return use is None or use.copies_in


def _shared(arrays: list[Any]) -> dict[int, Any]:
    """NumPy's arrays that the kernel uses in place, by identity: on the cores, where none lies over another."""
    if sum(array.nbytes for array in arrays) < _FEW_BYTES:
        return {}
    if _core.device() != "cpu" and (has_gpu() or _core.device() != "auto"):
        return {}
    host = {id(array): array for array in arrays if not _core.kernels.is_array(array)}
    if not all(in_one_piece(array) and array.flags.aligned and array.flags.writeable for array in host.values()):
        return {}
    bounds = sorted(map(numpy.lib.array_utils.byte_bounds, host.values()))
    if any(end > begin for (_, end), (begin, _) in itertools.pairwise(bounds)):
        return {}
    # NumPy's views of tessera's arrays, which may be arguments, too.
    others = [numpy.lib.array_utils.byte_bounds(numpy.asarray(array)) for array in arrays if id(array) not in host]
    if any(first < end and begin < last for begin, end in bounds for first, last in others):
        return {}
    from tessera import numpy as tessera_numpy

    # Bytes of booleans that are neither 0 nor 1, as in new arrays, cannot be shared.
    return {key: tessera_numpy.asarray(array, copy=False) for key, array in host.items() if array.dtype != bool}


def _operand(array: Any, stream: Any, copies_in: bool, copied: _CopiedRecords) -> Any:
    """The array itself if it is tessera's, else a copy of it, made by the stream if there is one."""
    if (field := copied.find(array)) is not None:
        return field
    if _core.kernels.is_array(array):
        return array
    if not copies_in:
        from tessera.cuda import _arrays

        return _arrays.device_array_like(array)
    if stream is not None and in_one_piece(array):
        return stream.copy_in(array.shape, array.dtype, array)
    from tessera import numpy as tessera_numpy

    return tessera_numpy.array(array)
