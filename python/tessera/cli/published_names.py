"""Names of NumPy's that other libraries list in their published references, for `tessera coverage --html`: facts, by library."""

from __future__ import annotations

# When the reference was read.
READ = {"CuPy": "August 2026", "cuPyNumeric": "July 2026"}

_LISTS = {
    "CuPy": """
        absolute acos acosh add all allclose amax amin angle any append apply_along_axis apply_over_axes arange
        arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around
        array array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray
        asarray_chkfinite ascontiguousarray asfortranarray asin asinh astype atan atan2 atanh atleast_1d atleast_2d
        atleast_3d average bartlett base_repr binary_repr bincount bitwise_and bitwise_count bitwise_invert
        bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor blackman broadcast broadcast_arrays
        broadcast_to can_cast cbrt ceil choose clip column_stack common_type compress concat concatenate conj
        conjugate convolve copy copysign copyto corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum
        cumulative_prod cumulative_sum deg2rad degrees delete diag diag_indices diag_indices_from diagflat diagonal
        diff digitize divide divmod dot dsplit dstack ediff1d einsum empty empty_like equal exp exp2 expand_dims
        expm1 extract eye fabs fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2
        fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn
        fill_diagonal fix flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod
        format_float_positional format_float_scientific frexp from_dlpack frombuffer fromfile fromfunction fromiter
        fromstring full full_like gcd genfromtxt gradient greater greater_equal hamming hanning heaviside histogram
        histogram2d histogramdd hsplit hstack hypot i0 identity imag indices inner interp intersect1d invert isclose
        iscomplex iscomplexobj isfinite isfortran isin isinf isnan isneginf isposinf isreal isrealobj isscalar ix_
        kaiser kron lcm ldexp left_shift less less_equal lexsort linalg.cholesky linalg.cond linalg.cross linalg.det
        linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq linalg.matrix_power
        linalg.matrix_rank linalg.norm linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.tensorinv
        linalg.tensorsolve linspace load loadtxt log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
        logical_or logical_xor logspace mask_indices matmul max maximum may_share_memory mean median meshgrid min
        min_scalar_type minimum mod modf moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum
        nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar ndarray ndim ndindex negative nextafter nonzero
        not_equal ones ones_like outer packbits pad partition percentile permute_dims piecewise place poly poly1d
        polyadd polyfit polymul polysub polyval positive pow power prod ptp put put_along_axis putmask quantile
        rad2deg radians random.Generator random.beta random.binomial random.bytes random.chisquare random.choice
        random.default_rng random.dirichlet random.exponential random.f random.gamma random.geometric random.gumbel
        random.hypergeometric random.laplace random.logistic random.lognormal random.logseries random.multinomial
        random.multivariate_normal random.negative_binomial random.noncentral_chisquare random.noncentral_f
        random.normal random.pareto random.permutation random.poisson random.power random.rand random.randint
        random.randn random.random random.random_integers random.random_sample random.ranf random.rayleigh
        random.sample random.seed random.shuffle random.standard_cauchy random.standard_exponential
        random.standard_gamma random.standard_normal random.standard_t random.triangular random.uniform
        random.vonmises random.wald random.weibull random.zipf ravel ravel_multi_index real real_if_close reciprocal
        remainder repeat require reshape resize result_type right_shift rint roll rollaxis roots rot90 round
        row_stack save savetxt savez savez_compressed searchsorted select setdiff1d setxor1d shape shares_memory
        show_config sign signbit sin sinc sinh size sort sort_complex split sqrt square squeeze stack std subtract
        sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices
        tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc ufunc union1d unique
        unique_all unique_counts unique_inverse unique_values unpackbits unravel_index unwrap vander var vdot
        vectorize vsplit vstack where zeros zeros_like
    """,
    "cuPyNumeric": """
        absolute acos acosh add all allclose amax amin angle any append arange arccos arccosh arcsin arcsinh arctan
        arctan2 arctanh argmax argmin argpartition argsort argwhere array array_equal array_split asarray asin asinh
        astype atan atan2 atanh atleast_1d atleast_2d atleast_3d average bartlett bincount bitwise_and
        bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor blackman block broadcast_arrays
        broadcast_shapes broadcast_to cbrt ceil choose clip column_stack compress concat concatenate conj conjugate
        convolve copy copysign copyto cos cosh count_nonzero cov cross cumprod cumsum deg2rad degrees delete diag
        diag_indices diag_indices_from diagflat diagonal diff digitize divide dot dsplit dstack einsum einsum_path
        empty empty_like equal exp exp2 expand_dims expm1 extract eye fabs fft.fft fft.fft2 fft.fftn fft.fftshift
        fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft
        fft.rfft2 fft.rfftn fill_diagonal flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin
        fmod frexp full full_like gcd gradient greater greater_equal hamming hanning histogram histogram2d
        histogramdd hsplit hstack hypot identity imag indices inner insert invert isclose iscomplex iscomplexobj
        isdtype isfinite isin isinf isnan isneginf isposinf isreal isrealobj isscalar ix_ kaiser lcm ldexp
        left_shift less less_equal linalg.cholesky linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
        linalg.matrix_power linalg.multi_dot linalg.norm linalg.pinv linalg.qr linalg.solve linalg.svd linspace load
        log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace
        mask_indices matmul matrix_transpose maximum mean median meshgrid minimum mod modf moveaxis multiply
        nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
        nanquantile nansum ndarray.T ndarray.all ndarray.any ndarray.argmax ndarray.argmin ndarray.argpartition
        ndarray.argsort ndarray.astype ndarray.base ndarray.choose ndarray.clip ndarray.compress ndarray.conj
        ndarray.conjugate ndarray.copy ndarray.ctypes ndarray.cumprod ndarray.cumsum ndarray.data ndarray.device
        ndarray.diagonal ndarray.dot ndarray.dtype ndarray.dump ndarray.dumps ndarray.fill ndarray.flags
        ndarray.flat ndarray.flatten ndarray.getfield ndarray.imag ndarray.item ndarray.itemsize ndarray.mT
        ndarray.max ndarray.mean ndarray.min ndarray.nbytes ndarray.ndim ndarray.nonzero ndarray.partition
        ndarray.prod ndarray.put ndarray.ravel ndarray.real ndarray.reshape ndarray.round ndarray.searchsorted
        ndarray.setfield ndarray.setflags ndarray.shape ndarray.size ndarray.sort ndarray.squeeze ndarray.strides
        ndarray.sum ndarray.swapaxes ndarray.take ndarray.to_device ndarray.tobytes ndarray.tofile ndarray.tolist
        ndarray.trace ndarray.transpose ndarray.var ndarray.view ndim negative nextafter nonzero not_equal ones
        ones_like outer packbits partition percentile permute_dims place positive pow power prod put put_along_axis
        putmask quantile rad2deg radians random.beta random.binomial random.bytes random.chisquare
        random.default_rng random.exponential random.f random.gamma random.geometric random.gumbel
        random.hypergeometric random.laplace random.logistic random.lognormal random.logseries
        random.negative_binomial random.noncentral_chisquare random.noncentral_f random.normal random.pareto
        random.poisson random.power random.rand random.randint random.randn random.random random.random_integers
        random.random_sample random.ranf random.rayleigh random.sample random.seed random.standard_cauchy
        random.standard_exponential random.standard_gamma random.standard_t random.triangular random.uniform
        random.vonmises random.wald random.weibull random.zipf ravel ravel_multi_index real real_if_close reciprocal
        remainder repeat reshape right_shift rint roll roots rot90 round row_stack searchsorted select shape sign
        signbit sin sinh sort sort_complex split sqrt square squeeze stack subtract sum swapaxes take
        take_along_axis tan tanh tensordot tile trace transpose tri tril tril_indices tril_indices_from triu
        triu_indices triu_indices_from true_divide trunc unique unpackbits unravel_index vander var vdot vsplit
        vstack where zeros zeros_like
    """,
}


def lists() -> dict[str, set[str]]:
    """The names, by library."""
    return {library: set(names.split()) for library, names in _LISTS.items()}
