"""Machine code for a device: the kernels of a first call are compiled in parallel, before it needs the first of them."""

from __future__ import annotations

from typing import Any

from tessera import _core, types
from tessera.scipy.signal import _direct, _fit, _frequencies, _uniform

_begun: set[tuple[_fit.Fit, bool]] = set()
_DOUBLE, _SINGLE = types.float64, types.float32


def _array(ndim: int, dtype: Any = _DOUBLE) -> Any:
    return types.Array(dtype, ndim)


def compile_for(freqs: Any, fit: _fit.Fit, is_single: bool) -> None:
    """Compiles what the first call of its kind is likely to launch with these frequencies; nothing on the cores."""
    if (fit, is_single) not in _begun and not _core.kernels.runs_on_host():
        _begun.add((fit, is_single))
        _compile(fit, is_single, _looks_even(freqs))


def _looks_even(freqs: Any) -> bool:
    """By three of the frequencies."""
    count = freqs.shape[1]
    if count < _uniform.FEWEST:
        return False
    first, middle, last = (float(freqs[0, k]) for k in (0, count // 2, count - 1))
    return abs(first + (last - first) / (count - 1) * (count // 2) - middle) <= 1e-14 * max(abs(first), abs(last))


def _compile(fit: _fit.Fit, is_single: bool, is_even: bool) -> None:
    out = _array(3 if fit.amplitude else 2, _SINGLE if is_single else _DOUBLE)
    wanted = [(_frequencies.distances_kernel(), (_array(2), _DOUBLE, _array(2)))]
    if is_even:
        wanted += [
            (_uniform.matrices_kernel("double", fit.floating), (_array(2),) * 4 + (_array(3),) * 4),
            (_uniform.join_kernel(fit), (_array(3), _array(3), _array(1), out)),
        ]
    elif is_single:
        points = (_array(2, _SINGLE),) * 4
        wanted += [(_direct.single_kernel(fit, False), (*points, _array(2), _array(1), out))]
    else:
        wanted += [(_direct.kernel("double", fit, False), (*(_array(2),) * 4, _array(1), out))]
    if all(hasattr(kernel, "compile") for kernel, _ in wanted):  # the debugger's kernels are functions
        _core.kernels.compile_together([kernel.compile(kinds) for kernel, kinds in wanted], _frequencies.BLOCK)
