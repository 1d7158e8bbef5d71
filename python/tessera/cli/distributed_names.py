"""`tessera coverage --distributed`: which native names compute an array that is cut where its parts are.

Each name is called with arrays that are cut over three places which are not there (engine/device/tiled/forecast.h): what then asks
for whole arrays is seen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tessera.coverage import Entry, entries

_PLACES = 3
# a, b: matrices of reals; m: a square one; s: vector, sorted; v: reals; i, k: integers; t: booleans; c: complex numbers.
_SHAPE = (320, 320)
# What takes one matrix of reals is called with it; others by what stands here, "-" where no array is computed.
_CALLS: dict[str, str] = {}
_DRAWS: dict[str, str] = {}  # the same for methods of a generator g, or functions of np.random
for _call, _names in {
    "-": """arange asarray_chkfinite copyto from_dlpack frombuffer fromfunction ix_ mask_indices ravel_multi_index tril_indices triu_indices diag_indices broadcast ndenumerate
        ndindex poly1d base_repr binary_repr broadcast_shapes can_cast common_type format_float_positional format_float_scientific get_printoptions getbufsize
        geterr geterrcall iscomplexobj isdtype isfortran isrealobj isscalar issubdtype iterable may_share_memory min_scalar_type ndim printoptions
        promote_types result_type set_printoptions setbufsize seterr seterrcall shape shares_memory size ndarray.base ndarray.data ndarray.device ndarray.dtype
        ndarray.flags ndarray.itemsize ndarray.nbytes ndarray.ndim ndarray.setflags ndarray.shape ndarray.size ndarray.strides ndarray.to_device bartlett
        random.seed random.get_state random.set_state random.default_rng Generator.bit_generator Generator.spawn random.bytes Generator.bytes einsum_path
        diag_indices_from tril_indices_from triu_indices_from fft.fftfreq fft.rfftfreq""",
    "np.{name}((320, 320))": "empty full ones zeros indices",
    "np.{name}(320)": "identity eye tri",
    "np.{name}(99999)": "blackman hamming hanning",
    "np.{name}(1.0, 9.0, 99999)": "linspace logspace geomspace",
    "np.{name}(a, 1.0)": "full_like resize",
    "np.{name}(s[:300])": "diagflat vander poly roots",
    "np.kaiser(99999, 2.0)": "kaiser",
    "np.full(99999, 1.0)": "full",
    "np.resize(a, (300, 300))": "resize",
    "np.cross(a.reshape(-1, 5)[:, :3], b.reshape(-1, 5)[:, :3])": "cross",
    "np.linalg.cross(a.reshape(-1, 5)[:, :3], b.reshape(-1, 5)[:, :3])": "linalg.cross",
    "np.{name}(a, axis=0)": "cumulative_sum cumulative_prod",
    "np.power(a, 2.5)": "power",
    "np.linalg.outer(v[:300], v[:300])": "linalg.outer",
    "np.linalg.solve(np.eye(320) + m, v[:320])": "linalg.solve",
    "np.{name}(v)": """ meshgrid ediff1d unwrap trim_zeros polyder polyint sort_complex unique unique_all unique_counts
        unique_inverse unique_values""",
    "np.{name}(v, s[:300])": "convolve correlate polymul",
    "np.{name}(s[:300], v)": "polyval",
    "np.{name}(v, v)": """polyadd polysub polydiv intersect1d isin setdiff1d setxor1d union1d searchsorted""",
    "np.kron(a, b[:2, :2])": "kron",
    "np.outer(v[:300], v[:300])": "outer",
    "np.add.outer(v[:300], s[:300])": "ufunc.outer",
    "np.{name}(a, b)": """append array_equal array_equiv allclose isclose inner tensordot dot vdot linalg.tensordot linalg.matmul
        linalg.vecdot""",
    "np.{name}(m, v[:320])": "matvec",
    "np.{name}(v[:320], m)": "vecmat",
    "np.{name}([a, b])": """column_stack concat concatenate dstack hstack stack vstack linalg.multi_dot block broadcast_arrays unstack lexsort""",
    "np.{name}(a, 2)": "array_split hsplit vsplit split repeat tile roll partition argpartition ndarray.repeat linalg.matrix_power",
    "np.{name}(a, 1, 0)": "moveaxis rollaxis swapaxes",
    "np.{name}(a, 50)": "percentile nanpercentile",
    "np.{name}(a, 0.5)": "quantile nanquantile",
    "np.{name}(i)": "bincount bitwise_count bitwise_invert bitwise_not invert",
    "np.{name}(i, k)": "bitwise_and bitwise_or bitwise_xor gcd lcm",
    "np.{name}(i, 1)": "bitwise_left_shift bitwise_right_shift left_shift right_shift",
    "np.{name}(a, i.reshape(320, 320))": "ldexp",
    "np.{name}(t)": "packbits",
    "np.{name}(c)": "angle imag real real_if_close conj conjugate iscomplex isreal",
    "np.linalg.{last}(m)": """linalg.cholesky linalg.cond linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.matrix_norm
        linalg.matrix_rank linalg.pinv linalg.slogdet""",
    "np.dsplit(a.reshape(40, 64, 40), 2)": "dsplit",
    "np.astype(a, 'f4')": "astype",
    "np.broadcast_to(v, (4, v.size))": "broadcast_to",
    "np.delete(a, 1, 0)": "delete",
    "np.insert(a, 1, 0.0, 0)": "insert",
    "np.expand_dims(a, 0)": "expand_dims",
    "np.matrix_transpose(a)": "matrix_transpose",
    "np.pad(a, 1)": "pad",
    "np.permute_dims(a, (1, 0))": "permute_dims",
    "np.reshape(a, (-1,))": "reshape",
    "np.linalg.lstsq(m, v[:320])": "linalg.lstsq",
    "np.linalg.tensorinv(m, 1)": "linalg.tensorinv",
    "np.linalg.tensorsolve(m, v[:320])": "linalg.tensorsolve",
    "np.apply_along_axis(np.sum, 0, a)": "apply_along_axis",
    "np.apply_over_axes(np.sum, a, [0])": "apply_over_axes",
    "np.choose(t.astype(int), [v, v])": "choose",
    "np.clip(a, 1.0, 5.0)": "clip",
    "np.compress(t, v)": "compress",
    "np.extract(t, v)": "extract",
    "np.fill_diagonal(a, 1.0)": "fill_diagonal",
    "np.interp(v, s, s)": "interp",
    "np.digitize(v, s)": "digitize",
    "np.piecewise(v, [t], [1.0, 2.0])": "piecewise",
    "np.place(v, t, [1.0])": "place",
    "np.put(v, i, 1.0)": "put",
    "np.putmask(v, t, 1.0)": "putmask",
    "np.put_along_axis(a, i.reshape(320, 320) % 320, 1.0, 0)": "put_along_axis",
    "np.take_along_axis(a, i.reshape(320, 320) % 320, 0)": "take_along_axis",
    "np.take(a, i[:9] % 320, 0)": "take",
    "np.select([t], [v])": "select",
    "np.unravel_index(i, (320, 320))": "unravel_index",
    "np.unpackbits(t.astype('u1'))": "unpackbits",
    "np.where(t, v, 0.0)": "where",
    "np.polyfit(v, v, 1)": "polyfit",
    "np.histogram2d(v, v, 9, [(0, 9), (0, 9)])": "histogram2d",
    "np.{name}(v, 9, (0, 9))": "histogram histogram_bin_edges",
    "np.histogramdd(a[:, :2], 9, [(0, 9), (0, 9)])": "histogramdd",
    "np.einsum('ij,jk', a, b)": "einsum",
    "np.add.accumulate(a)": "ufunc.accumulate",
    "np.add.at(v, i, 1.0)": "ufunc.at",
    "np.add.reduce(a)": "ufunc.reduce",
    "np.add.reduceat(v, [0, 9])": "ufunc.reduceat",
    "a.astype('f4')": "ndarray.astype",
    "t.choose([0, 1])": "ndarray.choose",
    "a.clip(1.0, 2.0)": "ndarray.clip",
    "v.compress(t)": "ndarray.compress",
    "a.dot(b)": "ndarray.dot",
    "a.fill(1.0)": "ndarray.fill",
    "a.{last}": "ndarray.T ndarray.imag ndarray.mT ndarray.real ndarray.flat",
    "a.item(3)": "ndarray.item",
    "a.{last}(2)": "ndarray.partition ndarray.argpartition",
    "v.put(i, 1.0)": "ndarray.put",
    "a.reshape(-1)": "ndarray.reshape",
    "np.copy(a).resize((9, 9), refcheck=False)": "ndarray.resize",
    "s.searchsorted(v)": "ndarray.searchsorted",
    "a.swapaxes(0, 1)": "ndarray.swapaxes",
    "a.take(i[:9] % 320, 0)": "ndarray.take",
    "a.view('i8')": "ndarray.view",
    "g.{last}(2.0, 3.0, 99999)": "beta f gamma uniform vonmises wald noncentral_chisquare normal lognormal logistic laplace gumbel",
    "g.{last}(5, 0.5, 99999)": "binomial negative_binomial",
    "g.{last}(2.0, size=99999)": """chisquare exponential pareto poisson power rayleigh standard_gamma standard_t weibull zipf""",
    "g.{last}(0.5, size=99999)": "geometric logseries",
    "g.{last}(size=99999)": "random random_sample standard_cauchy standard_exponential standard_normal",
    "g.{last}([0.4, 0.6], size=49999)": "dirichlet",
    "g.{last}(9, 9, 9, 99999)": "hypergeometric",
    "g.{last}(9, [0.4, 0.6], 49999)": "multinomial",
    "g.multivariate_hypergeometric([9, 9], 9, 49999)": "multivariate_hypergeometric",
    "g.{last}([0, 0], [[1, 0], [0, 1]], 49999)": "multivariate_normal",
    "g.{last}(2.0, 3.0, 1.0, 99999)": "noncentral_f",
    "g.triangular(1, 2, 3, 99999)": "triangular",
    "g.{last}(v)": "permutation permuted shuffle choice",
    "g.{last}(0, 9, 99999)": "integers randint",
    "g.{last}(320, 320)": "rand randn",
}.items():
    for _name in _names.split():
        (_DRAWS if _call.startswith("g.") else _CALLS)[_name] = _call
STATES = ("where the parts are", "put together", "at every place", "computes no array", "not tried")


def states() -> dict[str, str]:
    """What each native name does, one of STATES. From now on this process forecasts, and computes no array that is cut."""
    from tessera import _core

    fast, none = 1e300, 0.0
    _core.set_tile_rules("always", "allow")
    _core.begin_forecast(_PLACES, _PLACES, fast, none, fast, (none, none, fast), (none, none, fast), False)
    return {entry.name: _state(entry) for entry in entries() if entry.native and entry.counted}


def _state(entry: Entry) -> str:
    call = _call_of(entry)
    if call == "-":
        return "computes no array"
    arrays = _arrays()
    return _watched(lambda: eval(call, dict(arrays)))  # noqa: S307: the table above


def _call_of(entry: Entry) -> str:
    last = entry.name.rpartition(".")[2]
    if entry.name in _CALLS:
        return _CALLS[entry.name].format(name=entry.name, last=last)
    if entry.family in ("random", "Generator methods"):
        generator = "np.random" if entry.family == "random" else "generator"
        return _DRAWS.get(last, "-").format(last=last).replace("g.", generator + ".", 1)
    if entry.family == "ndarray methods":
        return f"a.{last}()"
    if entry.family == "ufuncs":
        import numpy

        return f"np.{entry.name}({', '.join('ab'[: getattr(numpy, entry.name).nin])})"
    return f"np.{entry.name}(a)"


def _arrays() -> dict[str, Any]:
    import tessera.numpy as np

    count = _SHAPE[0] * _SHAPE[1]
    line = np.arange(float(count))
    return {
        "np": np,
        "generator": np.random.default_rng(1),
        "a": line.reshape(_SHAPE) + 1.0,
        "b": line.reshape(_SHAPE) + 2.0,
        "m": line.reshape(_SHAPE) * 2.0 + 1.0,
        "s": line * 2.0,
        "v": line + 0.5,
        "i": np.arange(count) * 1,
        "k": np.arange(count) + 3,
        "t": line > 9.0,
        "c": line * 1j,
    }


def _watched(work: Callable[[], Any]) -> str:
    """Whether the work, or what it left to be done, asked for all of an array that is cut, and whether what it made is cut."""
    from tessera import _core

    def looks() -> tuple[int, int]:
        found = _core.forecast()
        return sum(entry["look_bytes"] for entry in found), sum(_core.unknown_shapes().values())

    before, unknown = looks()
    result, failed = None, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = work()  # kept until what it left is done
    except Exception:  # zeros may be no matrix that has an inverse
        failed = True
    looked, known = looks()
    # What is asked of a shape that nobody knows here is asked by ranks of their own parts.
    if known > unknown:
        return "where the parts are"
    if looked - before >= 8 * _SHAPE[0]:
        return "put together"
    if failed:
        return "not tried"
    return "where the parts are" if all(map(_is_cut, _made(result))) else "at every place"


def _made(result: Any) -> list[Any]:
    """The arrays in a result with more elements than places."""
    import tessera.numpy as np

    parts = result if isinstance(result, (tuple, list)) else [result]
    return [part for part in parts if isinstance(part, np.ndarray) and part.size > _PLACES]


def _is_cut(array: Any) -> bool:
    from tessera import _core

    return _core.is_over_ranks(array)


def report(missing_only: bool = False) -> int:
    """Prints the list."""
    found = states()
    for name, state in found.items():
        if not missing_only or state in STATES[1:3] + STATES[4:]:
            print(f"  {name:40} {state}")
    parts = sum(state == "where the parts are" for state in found.values())
    arrays = sum(state != "computes no array" for state in found.values())
    print(f"\n{parts} of {arrays} native names that compute arrays do so where the parts of one that is cut are")
    return 0
