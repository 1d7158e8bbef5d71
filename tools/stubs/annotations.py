"""What parameters and results are, by the names that NumPy gives them."""

from __future__ import annotations

ARRAY = "NDArray[Any]"
BOOLEAN = "NDArray[numpy.bool]"
AXES = "SupportsIndex | Sequence[SupportsIndex]"

_BY_KIND = {
    "ArrayLike": """a a1 a2 ar ar1 ar2 arr ary array array1 array2 b bins c choices condition cond elements element1 element2 fp indices
        m m1 m2 mask n obj object p test_elements v values vals v1 v2 weights x x1 x2 xi xp y y1 y2 z fweights aweights left right low high loc scale lam
        mean cov alpha pvals colors freqs offsets ngood nbad nsample nvals df dfnum dfden nonc mu kappa sigma mode_ """,
    "DTypeLike": "dtype",
    ARRAY: "out destination",
    AXES: "axis axes",
    "SupportsIndex | Sequence[SupportsIndex]": "shape size newshape new_shape",
    "bool": "keepdims overwrite assume_unique invert return_index return_inverse return_counts equal_nan endpoint increasing full rowvar bias density sparse subok "
    "fill retstep returned hermitian compute_uv inplace refcheck offset_ wrap_ UPLO_ replace shuffle_ allow_pickle fix_imports",
    "bool | None": "copy stable",
    "SupportsIndex": "k axis1 axis2 ndmin ndmax decimals N M start_axis num deg rcond_ ddof_ n_children length",
    "float": "samples_per_peak nyquist_factor",
    "float | None": "minimum_frequency maximum_frequency",
    "str": "side casting method delimiter_ kind interpolation",
}
PARAMETERS = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}
# Where a function means something else by the name.
PARAMETERS_OF = {
    ("lombscargle", "normalize"): "bool | str",
    ("fft", "n"): "SupportsIndex | None",
    ("fft", "s"): "Sequence[SupportsIndex] | None",
    ("gradient", "axis"): f"{AXES} | None",
    ("histogram", "bins"): "ArrayLike | str",
    ("pad", "mode"): "str | Callable[..., Any]",
    ("round", "decimals"): "SupportsIndex",
    ("diff", "n"): "SupportsIndex",
    ("spawn", "n"): "SupportsIndex",
    ("roll", "shift"): AXES,
    ("asarray", "a"): "Any",
    ("array", "object"): "Any",
    ("asanyarray", "a"): "Any",
    ("save", "file"): "Any",
    ("from_dlpack", "x"): "Any",
    ("bytes", "length"): "SupportsIndex",
    ("choice", "a"): "ArrayLike",
    ("where", "condition"): "ArrayLike",
    ("matrix_norm", "ord"): "Any",
    ("shuffle", "x"): "Any",
    ("seed", "seed"): "Any",
    ("poly1d", "c_or_r"): "ArrayLike",
    ("eye", "k"): "SupportsIndex",
    ("histogram2d", "bins"): "Any",
    ("histogramdd", "bins"): "Any",
    ("histogram_bin_edges", "bins"): "ArrayLike | str",
    ("histogramdd", "sample"): "Any",
    ("set_parallel_chunksize", "size"): "SupportsIndex",
    ("parallel_chunksize", "size"): "SupportsIndex",
    ("set_num_threads", "count"): "SupportsIndex",
}

_RESULTS = {
    "Any": """all amax amin any argmax argmin average count_nonzero cumulative_prod_ dot einsum inner interp max mean median min nanargmax nanargmin nanmax
        nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar percentile prod ptp quantile real_if_close std sum
        trace trapezoid var vdot searchsorted digitize angle imag real nan_to_num round around fix isneginf isposinf isreal iscomplex polyval cond det matrix_norm
        matrix_rank multi_dot norm vector_norm sinc i0 item choice load fromregex genfromtxt loadtxt fromfile take frompyfunc apply_along_axis
        require unique unique_all unique_counts unique_inverse piecewise select cov corrcoef ravel_multi_index linspace vectorize polyfit
        can_cast_ save_ iscomplexobj_ permutation in1d asnumpy_ get_state tomaxint ndarray_item clip isclose sqrt_ shape_ unwrap
        multivariate_normal_ lombscargle_false_alarm_level lombscargle_false_alarm_probability bmat convolve correlate where intersect1d insert delete histogram_bin_edges_ isin
        jit njit jitclass cfunc pndindex prange parallel_chunksize stencil vectorize_ guvectorize autotune explain graph progress""",
    "None": "copyto fill_diagonal place put put_along_axis putmask save savetxt savez savez_compressed shuffle seed set_state set_bit_generator sort_inplace "
    "synchronize set_num_threads reset_counters trim_memory set_fallback_mode fill setfield setflags partition_ resize_ dump tofile",
    "bool": "test allclose array_equal array_equiv isscalar isrealobj iscomplexobj isfortran shares_memory may_share_memory can_cast allow_tf32 is_leader",
    "int": "ndim size rank get_num_threads get_parallel_chunksize set_parallel_chunksize",
    "str": "array2string array_repr array_str fallback_mode device_problem",
    "bytes": "bytes tobytes dumps",
    "list[Any]": "tolist devices largest_arrays",
    "dict[str, int]": "layout",
    "dict[str, Any]": "counters memory_statistics fallback_statistics",
    "tuple[int, ...]": "shape",
    "list[NDArray[Any]]": "array_split split hsplit vsplit dsplit gradient_",
    "tuple[NDArray[Any], ...]": "nonzero meshgrid ix_ unravel_index tril_indices tril_indices_from triu_indices triu_indices_from diag_indices diag_indices_from "
    "broadcast_arrays mask_indices unstack",
    "tuple[NDArray[Any], NDArray[Any]]": "histogram eigh polydiv qr_",
    "tuple[NDArray[Any], NDArray[Any], NDArray[Any]]": "histogram2d",
    "tuple[NDArray[Any], list[NDArray[Any]]]": "histogramdd",
    "numpy.dtype[Any]": "result_type min_scalar_type common_type_",
    "tuple[list[Any], str]": "einsum_path",
    "numpy.ndarray[Any, Any]": "to_numpy get asnumpy",
    "Generator": "default_rng",
    "IndexGenerator": "index_generator",
    "ModuleType": "get_array_module",
}
RESULTS = {name: kind for kind, names in _RESULTS.items() for name in names.split()}
RESULTS |= {
    "gradient": "Any",
    "atleast_1d": "Any",
    "atleast_2d": "Any",
    "atleast_3d": "Any",
    "common_type": "type[Any]",
    "save": "None",
}
# Of a module, where the name alone does not tell.
RESULTS_OF = {
    ("linalg", "eig"): "Any", ("linalg", "eigh"): "Any", ("linalg", "svd"): "Any", ("linalg", "qr"): "Any", ("linalg", "slogdet"): "Any",
    ("linalg", "lstsq"): "Any", ("linalg", "trace"): "Any", ("linalg", "vecdot"): "Any", ("linalg", "matmul"): "Any", ("indexing", "indices"): "Any",
    ("grids", "indices"): "Any", ("emath", "*"): "Any", ("random", "*"): "Any", ("special", "*"): "Any", ("namespace_info", "*"): "Any",
    ("random", "default_rng"): "Generator", ("random", "index_generator"): "IndexGenerator", ("random", "spawn"): "list[Any]",
    ("random", "shuffle"): "None", ("random", "seed"): "None", ("random", "set_state"): "None", ("random", "bytes"): "builtins.bytes",
    ("sets", "unique_values"): ARRAY, ("nan_reductions", "nancumsum"): ARRAY, ("nan_reductions", "nancumprod"): ARRAY,
}  # fmt: skip
# A dtype given as a type of scalars tells the result's.
TYPED_BY_DTYPE = set(
    "array asarray asanyarray ascontiguousarray asfortranarray empty zeros ones full empty_like zeros_like ones_like full_like eye identity arange astype "
    "fromfunction frombuffer fromiter fromstring tri concatenate stack cumsum cumprod".split()
)
# The result has the first operand's dtype.
KEEPS_DTYPE = set(
    "reshape ravel transpose permute_dims matrix_transpose moveaxis rollaxis swapaxes squeeze expand_dims flip fliplr flipud roll rot90 repeat tile resize copy "
    "sort partition broadcast_to diag diagonal triu tril trim_zeros compress extract flatten conj conjugate byteswap cumulative_keeps ediff1d_ pad "
    "nan_to_num round around".split()
)
# The shape that is given is the result's; the first operand's is, its dtype, too, unless another is given; both always are.
SHAPED_BY_SHAPE = set("empty zeros ones full".split())
SHAPED_LIKE_FIRST = set("empty_like zeros_like ones_like full_like".split())
KEEPS_SHAPE = set("sort partition flip fliplr flipud roll copy triu tril round around nan_to_num".split())
# One axis, and the first operand's dtype.
FLAT = {"ravel", "extract"}
# Always these extents, and this type of scalars where no dtype is given.
EXTENTS = {
    "eye": ("tuple[int, int]", "numpy.float64"),
    "identity": ("tuple[int, int]", "numpy.float64"),
    "tri": ("tuple[int, int]", "numpy.float64"),
    "arange": ("tuple[int]", ""),
}
RESULTS |= {name: f"ndarray[{shape}, numpy.dtype[Any]]" for name, (shape, _) in EXTENTS.items()}
# Methods that change the array in place.
IN_PLACE = {"sort", "partition", "resize", "put", "fill", "setflags", "setfield"}
# Objects that are no functions, classes or modules.
VALUES = {"r_": "Indexed", "c_": "Indexed", "mgrid": "Indexed", "ogrid": "Indexed", "__version__": "str"}


def parameter(function: str, module: str, name: str, default: object, missing: object) -> str:
    """The annotation of a parameter, `| None` where None is its default."""
    kind = PARAMETERS_OF.get((function, name)) or PARAMETERS_OF.get((module, name)) or PARAMETERS.get(name)
    if kind is None:
        known = {bool: "bool", str: "str", int: "SupportsIndex", float: "float"}
        kind = known.get(type(default), "Any")
    if default is None and "None" not in kind and kind not in ("Any", "DTypeLike"):
        kind += " | None"
    if default is None and kind == "DTypeLike":
        kind = "DTypeLike | None"
    if name in ("axis", "axes") and "None" not in kind:
        kind += " | None"
    return kind


def result(function: str, module: str) -> str:
    for key in ((module, function), (module, "*")):
        if key in RESULTS_OF:
            return RESULTS_OF[key]
    return RESULTS.get(function, ARRAY)
