"""SciPy's integrate module: functions that consist of operations on arrays run on the engine, the rest in SciPy on the host."""

from __future__ import annotations

from typing import Any

from tessera.scipy import _missing


def simpson(y: Any, x: Any = None, *, dx: float = 1.0, axis: int = -1) -> Any:
    """Integrates samples along an axis by Simpson's rule.

    `y` has the samples, `x` their places, an array of one axis or of as many as y; without it they are `dx` apart. An even number of samples
    leaves one interval, whose integral is that of the parabola through the last three (Cartwright, Simpson's Rule Cumulative Integration
    with MS Excel and Irregularly-spaced Data). Returns an array of one axis less, or a number, of float64 or what y and x promote to. Raises
    ValueError where x does not fit y, IndexError without samples.
    """
    from tessera import numpy as np

    y = np.moveaxis(np.asarray(y), axis, -1)
    count = y.shape[-1]
    steps = None
    if x is not None:
        x = np.asarray(x)
        if x.ndim not in (1, y.ndim):
            raise ValueError(f"simpson: x has {x.ndim} axes; it has one, or as many as y, {y.ndim}")
        x = x if x.ndim == 1 else np.moveaxis(x, axis, -1)
        if x.shape[-1] != count:
            raise ValueError(f"simpson: x has {x.shape[-1]} places along the axis, y {count} samples")
        steps = np.diff(x, axis=-1)
        steps = steps if steps.dtype.kind == "c" else steps.astype(float)
    y = y if y.dtype.kind in "fc" else y.astype(float)
    if x is not None or (count % 2 == 0 and count > 2 and y.ndim == 1):  # SciPy's steps are float64 then
        y = y.astype(np.result_type(y.dtype, float))
    if count == 0:
        raise IndexError("simpson: there are no samples along the axis")
    if count == 2:
        return 0.5 * (dx if steps is None else steps[..., 0]) * (y[..., 0] + y[..., 1])
    inner = count if count % 2 else count - 1
    total = _parabolas(y[..., :inner], None if steps is None else steps[..., : inner - 1], dx)
    return total if count % 2 else total + _last_interval(y[..., -3:], dx, None if steps is None else steps[..., -2:])


def _parabolas(y: Any, steps: Any, dx: float) -> Any:
    """The integral of the parabolas through three samples each, one behind the other."""
    first, middle, last = y[..., :-2:2], y[..., 1:-1:2], y[..., 2::2]
    if steps is None:
        return (first + 4 * middle + last).sum(axis=-1) * (dx / 3)
    before, after = steps[..., ::2], steps[..., 1::2]
    both = before + after
    parts = first * (2 - _ratio(after, before)) + middle * _ratio(both * both, before * after)
    return (both / 6 * (parts + last * (2 - _ratio(before, after)))).sum(axis=-1)


def _last_interval(y: Any, dx: float, steps: Any) -> Any:
    """The integral of the parabola through three samples between the last two of them."""
    first, middle, last = y[..., 0], y[..., 1], y[..., 2]
    if steps is None:
        return dx / 12 * (5 * last + 8 * middle - first)
    before, after = steps[..., 0], steps[..., 1]
    both = before + after
    own = last * _ratio(2 * after**2 + 3 * before * after, 6 * both)
    return (
        own + middle * _ratio(after**2 + 3 * before * after, 6 * before) - first * _ratio(after**3, 6 * before * both)
    )


def _ratio(one: Any, other: Any) -> Any:
    """0 where the other is: places may be equal."""
    from tessera import numpy as np

    return np.where(other != 0, one / np.where(other != 0, other, 1), 0.0)


def __getattr__(name: str) -> Any:
    return _missing.find("integrate", name, globals())


def __dir__() -> list[str]:
    return _missing.names("integrate", globals())
