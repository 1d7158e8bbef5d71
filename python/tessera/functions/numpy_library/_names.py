"""In which module the function is that stands for one of NumPy's: so that a function is compiled without importing all of them."""

from __future__ import annotations

# A row for each of the functions that a module registers (_registry.stands_for); tests/functions/test_library_names.py compares.
FAMILIES = {
    "axes": (
        "array.all array.any array.argmax array.argmin array.max array.mean array.min array.prod array.std array.sum array.var numpy.all numpy.amax "
        "numpy.amin numpy.any numpy.argmax numpy.argmin numpy.count_nonzero numpy.flip numpy.fliplr numpy.flipud numpy.max numpy.mean numpy.min "
        "numpy.prod numpy.rot90 numpy.std numpy.sum numpy.var"
    ),
    "distributions": (
        "numpy.random.beta numpy.random.binomial numpy.random.chisquare numpy.random.choice numpy.random.dirichlet numpy.random.f numpy.random.gamma "
        "numpy.random.geometric numpy.random.gumbel numpy.random.hypergeometric numpy.random.laplace numpy.random.logistic numpy.random.lognormal "
        "numpy.random.logseries numpy.random.multinomial numpy.random.negative_binomial numpy.random.noncentral_chisquare numpy.random.pareto "
        "numpy.random.permutation numpy.random.poisson numpy.random.power numpy.random.rayleigh numpy.random.seed numpy.random.shuffle "
        "numpy.random.standard_cauchy numpy.random.standard_gamma numpy.random.standard_t numpy.random.triangular numpy.random.vonmises "
        "numpy.random.wald numpy.random.weibull numpy.random.zipf"
    ),
    "eigenvalues": ("numpy.linalg.eig numpy.linalg.eigvals"),
    "elements": (
        "array.conj array.conjugate numpy.angle numpy.bartlett numpy.blackman numpy.diagflat numpy.extract numpy.fill_diagonal numpy.hamming "
        "numpy.hanning numpy.imag numpy.iscomplex numpy.iscomplexobj numpy.isneginf numpy.isposinf numpy.isreal numpy.isrealobj numpy.isscalar "
        "numpy.real numpy.sinc"
    ),
    "indices": (
        "array.__getitem__ array.__setitem__ array.nonzero array.take numpy.argwhere numpy.flatnonzero numpy.nonzero numpy.select numpy.take "
        "numpy.take_along_axis numpy.where"
    ),
    "joining": (
        "numpy.append numpy.asarray numpy.column_stack numpy.concatenate numpy.hstack numpy.stack numpy.vstack"
    ),
    "linear_algebra": (
        "numpy.dot numpy.linalg.cholesky numpy.linalg.cond numpy.linalg.det numpy.linalg.eigh numpy.linalg.eigvalsh numpy.linalg.inv "
        "numpy.linalg.lstsq numpy.linalg.matrix_power numpy.linalg.matrix_rank numpy.linalg.norm numpy.linalg.pinv numpy.linalg.qr "
        "numpy.linalg.slogdet numpy.linalg.solve numpy.linalg.svd"
    ),
    "matrices": (
        "array.trace numpy.diag numpy.trace numpy.tri numpy.tril numpy.tril_indices numpy.tril_indices_from numpy.triu numpy.triu_indices "
        "numpy.triu_indices_from"
    ),
    "order": (
        "array.argsort array.searchsorted array.sort numpy.argpartition numpy.argsort numpy.digitize numpy.intersect1d numpy.isin numpy.partition "
        "numpy.searchsorted numpy.setdiff1d numpy.setxor1d numpy.sort numpy.union1d numpy.unique"
    ),
    "python_random": (
        "random.betavariate random.expovariate random.gammavariate random.gauss random.getrandbits random.lognormvariate random.normalvariate "
        "random.paretovariate random.randint random.random random.randrange random.seed random.triangular random.uniform random.vonmisesvariate "
        "random.weibullvariate"
    ),
    "random_arrays": (
        "numpy.random.exponential numpy.random.normal numpy.random.rand numpy.random.randint numpy.random.randn numpy.random.random "
        "numpy.random.random_sample numpy.random.ranf numpy.random.sample numpy.random.standard_exponential numpy.random.standard_normal "
        "numpy.random.uniform"
    ),
    "ranges": ("numpy.arange numpy.geomspace numpy.indices numpy.logspace numpy.resize"),
    "sequences": (
        "array.cumprod array.cumsum array.repeat numpy.asarray_chkfinite numpy.cumprod numpy.cumsum numpy.delete numpy.diff numpy.ediff1d "
        "numpy.insert numpy.nancumprod numpy.nancumsum numpy.repeat numpy.roll numpy.tile numpy.trapezoid numpy.trim_zeros numpy.unwrap numpy.vander"
    ),
    "signals": ("numpy.convolve numpy.correlate numpy.cross numpy.kron numpy.linalg.cross numpy.outer numpy.vdot"),
    "statistics": (
        "all.nanmean complex.max complex.min complex.nanmax complex.nanmin complex.std complex.var numpy.average numpy.bincount numpy.corrcoef "
        "numpy.cov numpy.histogram numpy.median numpy.nanargmax numpy.nanargmin numpy.nanmedian numpy.nanpercentile numpy.nanquantile numpy.nanstd "
        "numpy.nanvar numpy.percentile numpy.ptp numpy.quantile place.argmax place.argmin"
    ),
    "values": (
        "array.round numpy.allclose numpy.around numpy.array_equal numpy.interp numpy.isclose numpy.nan_to_num numpy.polyval numpy.round numpy.shape "
        "numpy.size"
    ),
    "views": (
        "array.diagonal array.swapaxes array.transpose array.view numpy.asfortranarray numpy.atleast_1d numpy.atleast_2d numpy.atleast_3d "
        "numpy.broadcast_arrays numpy.broadcast_shapes numpy.broadcast_to numpy.diagonal numpy.expand_dims numpy.frombuffer "
        "numpy.lib.stride_tricks.as_strided numpy.lib.stride_tricks.sliding_window_view numpy.moveaxis numpy.permute_dims numpy.swapaxes "
        "numpy.transpose"
    ),
}
