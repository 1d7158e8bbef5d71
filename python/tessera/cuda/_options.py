"""Options of cuda.jit: what they take, and what the compiler gets of them."""

from __future__ import annotations

import os
import warnings
from typing import Any

from tessera.errors import IgnoredOptionWarning

# What holds in any case: machine code is kept on disk, device functions are inlined.
_GIVEN = ("cache", "forceinline", "inline")
NAMES = (
    "check",
    "debug",
    "fastmath",
    "launch_bounds",
    "max_registers",
    "shared_memory_carveout",
    "opt",
    "lineinfo",
    "link",
    "lto",
    *_GIVEN,
)
# Read when tessera.cuda is imported: all kernels are checked.
CHECKS_ALL = os.environ.get("TESSERA_CUDA_CHECK", "0") not in ("", "0")
_CARVEOUTS = {"default": -1, "maxl1": 0, "maxshared": 100}
_FEWEST_REGISTERS, _MOST_REGISTERS = 16, 255


def check(options: dict[str, Any]) -> None:
    """Raises for what is no option, and for values that one does not take."""
    of_device(options)
    for name in options:
        if name not in NAMES:
            raise TypeError(f"cuda.jit has no option {name}; there are device, source, {', '.join(NAMES)}")
    if options.get("inline") not in (None, True, False, "always", "never"):
        raise ValueError(f"cuda.jit: inline is {options['inline']!r}; there are 'always' and 'never'")
    if not isinstance(options.get("lto", False), (bool, type(None))):
        raise TypeError(f"cuda.jit: lto is {options['lto']!r}; there are True and False")
    if options.get("inline") == "never":
        message = "cuda.jit: inline='never' has no effect: device functions are inlined"
        warnings.warn(message, IgnoredOptionWarning, stacklevel=3)


def of_device(options: dict[str, Any]) -> dict[str, int]:
    """What the options ask of the code for a GPU; on the cores they change nothing."""
    asked: dict[str, int] = {}
    bounds = _bounds(options.get("launch_bounds"))
    asked.update(zip(("max_threads", "min_blocks", "max_cluster"), bounds))
    registers = options.get("max_registers")
    if registers is not None:
        if isinstance(registers, bool) or not isinstance(registers, int):
            raise TypeError(f"cuda.jit: max_registers is {registers!r}; give a number")
        if not _FEWEST_REGISTERS <= registers <= _MOST_REGISTERS:
            raise ValueError(
                f"cuda.jit: max_registers={registers}: a thread has {_FEWEST_REGISTERS} to {_MOST_REGISTERS}"
            )
        asked["max_registers"] = registers
    carveout = _carveout(options.get("shared_memory_carveout"))
    if carveout >= 0:
        asked["carveout"] = carveout
    optimization = _optimization(options.get("opt", True))
    if optimization >= 0:
        asked["optimization"] = optimization
    return asked


def _bounds(bounds: Any) -> tuple[int, ...]:
    numbers = bounds if isinstance(bounds, tuple) else () if bounds is None else (bounds,)
    if len(numbers) > 3:
        raise ValueError(
            f"cuda.jit: Got {len(numbers)} launch bounds: {bounds}; there are threads, blocks and clusters"
        )
    if not all(isinstance(number, int) and number > 0 for number in numbers):
        raise TypeError(
            f"cuda.jit: launch_bounds is {bounds!r}; give the most threads of a block, or a tuple with it first"
        )
    if numbers and numbers[0] > 1024:
        raise ValueError(f"cuda.jit: launch_bounds={bounds}: a block has at most 1024 threads")
    if any(number > 32 for number in numbers[1:]):
        raise ValueError(f"cuda.jit: launch_bounds={bounds}: a multiprocessor has at most 32 blocks")
    return numbers


def _carveout(carveout: Any) -> int:
    """Per cent; -1 leaves it to the driver."""
    if carveout is None:
        return -1
    if isinstance(carveout, str):
        if carveout.lower() not in _CARVEOUTS:
            raise ValueError(
                f"cuda.jit: Invalid carveout value {carveout!r}; there are default, MaxL1, MaxShared and per cents"
            )
        return _CARVEOUTS[carveout.lower()]
    if isinstance(carveout, bool) or not isinstance(carveout, int):
        raise TypeError(f"cuda.jit: shared_memory_carveout is {carveout!r}; give per cents, or a name")
    if not -1 <= carveout <= 100:
        raise ValueError(f"cuda.jit: shared_memory_carveout={carveout}: it must be between -1 and 100")
    return carveout


def _optimization(level: Any) -> int:
    """The assembler's effort, 0 to 4; -1 for its own."""
    if level is True or level is None:
        return -1
    if isinstance(level, bool) or (isinstance(level, int) and 0 <= level <= 4):
        return int(level)
    raise ValueError(f"cuda.jit: opt is {level!r}; there are True, False and the levels 0 to 4")
