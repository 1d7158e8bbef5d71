#include "tessera/kernel/host_routines.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace tessera::kernel {

namespace {

constexpr HostRoutine routines[] = {
    // Sorting, searching, sets.
    {"numpy.sort", "a axis=", "=n"},
    {"numpy.argsort", "a axis= kind=", "in"},
    {"numpy.partition", "a kth axis=", "=n"},
    {"numpy.argpartition", "a kth axis=", "in"},
    {"numpy.searchsorted", "a v side=", "iv"},
    {"numpy.digitize", "x bins right=", "in"},
    {"numpy.unique", "ar", "=1"},
    {"numpy.union1d", "ar1 ar2", "p1"},
    {"numpy.intersect1d", "ar1 ar2", "p1"},
    {"numpy.setdiff1d", "ar1 ar2", "p1"},
    {"numpy.setxor1d", "ar1 ar2", "p1"},
    {"numpy.isin", "element test_elements", "bn"},
    {"numpy.flatnonzero", "a", "i1"},
    {"numpy.argwhere", "a", "i2"},
    {"numpy.count_nonzero", "a axis=", "ix"},
    {"numpy.lexsort", "keys", "i1"},
    // Running and partial results.
    {"numpy.cumsum", "a axis=", "ay"},
    {"numpy.cumprod", "a axis=", "ay"},
    {"numpy.diff", "a n= axis=", "=n"},
    {"numpy.ediff1d", "ary", "=1"},
    {"numpy.gradient", "f", "f1"},
    {"numpy.trapezoid", "y x= dx=", "f0"},
    // Statistics.
    {"numpy.std", "a axis=", "rx"},
    {"numpy.var", "a axis=", "rx"},
    {"numpy.median", "a axis=", "fx"},
    {"numpy.percentile", "a q", "fv"},
    {"numpy.quantile", "a q", "fv"},
    {"numpy.average", "a axis= weights=", "fx"},
    {"numpy.ptp", "a axis=", "=x"},
    {"numpy.nansum", "a axis=", "ax"},
    {"numpy.nanprod", "a axis=", "ax"},
    {"numpy.nanmean", "a axis=", "fx"},
    {"numpy.nanstd", "a axis=", "rx"},
    {"numpy.nanvar", "a axis=", "rx"},
    {"numpy.nanmin", "a axis=", "=x"},
    {"numpy.nanmax", "a axis=", "=x"},
    {"numpy.nanargmin", "a axis=", "ix"},
    {"numpy.nanargmax", "a axis=", "ix"},
    {"numpy.nanmedian", "a axis=", "fx"},
    {"numpy.nanpercentile", "a q", "fv"},
    {"numpy.nanquantile", "a q", "fv"},
    {"numpy.nancumsum", "a axis=", "ay"},
    {"numpy.nancumprod", "a axis=", "ay"},
    {"numpy.cov", "m y=", "d2"},
    {"numpy.corrcoef", "x y=", "d2"},
    {"numpy.histogram", "a bins= range=", "i1,d1"},
    {"numpy.bincount", "x weights= minlength=", "i1"},
    {"numpy.interp", "x xp fp", "dn"},
    {"numpy.convolve", "a v mode=", "p1"},
    {"numpy.correlate", "a v mode=", "p1"},
    // Shapes.
    {"numpy.concatenate", "arrays axis=", "pn"},
    {"numpy.stack", "arrays axis=", "p+"},
    {"numpy.hstack", "tup", "pn"},
    {"numpy.vstack", "tup", "p2"},
    {"numpy.column_stack", "tup", "p2"},
    {"numpy.append", "arr values axis=", "py"},
    {"numpy.delete", "arr obj", "=1"},
    {"numpy.insert", "arr obj values", "=1"},
    {"numpy.roll", "a shift axis=", "=n"},
    {"numpy.repeat", "a repeats axis=", "=y"},
    {"numpy.tile", "A reps", "=n"},
    {"numpy.flip", "m axis=", "=n"},
    {"numpy.fliplr", "m", "=n"},
    {"numpy.flipud", "m", "=n"},
    {"numpy.rot90", "m k=", "=n"},
    {"numpy.tril", "m k=", "=2"},
    {"numpy.triu", "m k=", "=2"},
    {"numpy.diag", "v k=", "=g"},
    {"numpy.diagflat", "v k=", "=2"},
    {"numpy.vander", "x N=", "=2"},
    {"numpy.trim_zeros", "filt", "=1"},
    {"numpy.extract", "condition arr", "v1"},
    // Tests and numbers.
    {"numpy.array_equal", "a1 a2", "b0"},
    {"numpy.allclose", "a b rtol= atol=", "b0"},
    {"numpy.isclose", "a b rtol= atol=", "bm"},
    {"numpy.nan_to_num", "x", "=n"},
    {"numpy.sinc", "x", "fn"},
    {"numpy.i0", "x", "fn"},
    {"numpy.unwrap", "p", "fn"},
    // Linear algebra.
    {"numpy.trace", "a offset=", "a0"},
    {"numpy.outer", "a b", "p2"},
    {"numpy.kron", "a b", "pm"},
    {"numpy.cross", "a b", "pm"},
    {"numpy.linalg.solve", "a b", "Pv"},
    {"numpy.linalg.inv", "a", "fn"},
    {"numpy.linalg.pinv", "a", "fn"},
    {"numpy.linalg.det", "a", "f0"},
    {"numpy.linalg.slogdet", "a", "f0,r0"},
    {"numpy.linalg.cholesky", "a", "fn"},
    {"numpy.linalg.qr", "a", "f2,f2"},
    {"numpy.linalg.svd", "a full_matrices=", "f2,r1,f2"},
    {"numpy.linalg.eig", "a", "f1,f2"},
    {"numpy.linalg.eigh", "a", "r1,f2"},
    {"numpy.linalg.eigvals", "a", "f1"},
    {"numpy.linalg.eigvalsh", "a", "r1"},
    {"numpy.linalg.lstsq", "a b rcond=", "Pv,r1,i0,r1"},
    {"numpy.linalg.norm", "x ord=", "r0"},
    {"numpy.linalg.cond", "x p=", "r0"},
    {"numpy.linalg.matrix_rank", "A", "i0"},
    {"numpy.linalg.matrix_power", "a n", "=n"},
    // Transforms.
    {"numpy.fft.fft", "a n=", "cn"},
    {"numpy.fft.ifft", "a n=", "cn"},
    {"numpy.fft.rfft", "a n=", "cn"},
    {"numpy.fft.irfft", "a n=", "rn"},
    {"numpy.fft.fft2", "a", "cn"},
    {"numpy.fft.ifft2", "a", "cn"},
    {"numpy.fft.fftn", "a", "cn"},
    {"numpy.fft.ifftn", "a", "cn"},
    {"numpy.fft.fftshift", "x", "=n"},
    {"numpy.fft.ifftshift", "x", "=n"},
    {"numpy.fft.fftfreq", "n d=", "d1"},
    {"numpy.fft.rfftfreq", "n d=", "d1"},
    // NumPy's global stream of random numbers.
    {"numpy.random.seed", "seed=", ""},
    {"numpy.random.random", "size=", "ds"},
    {"numpy.random.random_sample", "size=", "ds"},
    {"numpy.random.ranf", "size=", "ds"},
    {"numpy.random.sample", "size=", "ds"},
    {"numpy.random.rand", "*", "dk"},
    {"numpy.random.randn", "*", "dk"},
    {"numpy.random.randint", "low high= size=", "is"},
    {"numpy.random.uniform", "low= high= size=", "ds"},
    {"numpy.random.normal", "loc= scale= size=", "ds"},
    {"numpy.random.standard_normal", "size=", "ds"},
    {"numpy.random.standard_exponential", "size=", "ds"},
    {"numpy.random.standard_cauchy", "size=", "ds"},
    {"numpy.random.standard_gamma", "shape size=", "ds"},
    {"numpy.random.standard_t", "df size=", "ds"},
    {"numpy.random.exponential", "scale= size=", "ds"},
    {"numpy.random.gamma", "shape scale= size=", "ds"},
    {"numpy.random.beta", "a b size=", "ds"},
    {"numpy.random.chisquare", "df size=", "ds"},
    {"numpy.random.f", "dfnum dfden size=", "ds"},
    {"numpy.random.gumbel", "loc= scale= size=", "ds"},
    {"numpy.random.laplace", "loc= scale= size=", "ds"},
    {"numpy.random.logistic", "loc= scale= size=", "ds"},
    {"numpy.random.lognormal", "mean= sigma= size=", "ds"},
    {"numpy.random.pareto", "a size=", "ds"},
    {"numpy.random.power", "a size=", "ds"},
    {"numpy.random.rayleigh", "scale= size=", "ds"},
    {"numpy.random.triangular", "left mode right size=", "ds"},
    {"numpy.random.vonmises", "mu kappa size=", "ds"},
    {"numpy.random.wald", "mean scale size=", "ds"},
    {"numpy.random.weibull", "a size=", "ds"},
    {"numpy.random.binomial", "n p size=", "is"},
    {"numpy.random.geometric", "p size=", "is"},
    {"numpy.random.hypergeometric", "ngood nbad nsample size=", "is"},
    {"numpy.random.logseries", "p size=", "is"},
    {"numpy.random.negative_binomial", "n p size=", "is"},
    {"numpy.random.poisson", "lam= size=", "is"},
    {"numpy.random.zipf", "a size=", "is"},
};

std::mutex texts_mutex;

std::deque<std::string>& texts() {
  static std::deque<std::string> kept;
  return kept;
}

}  // namespace

std::span<const HostRoutine> host_routines() { return routines; }

int64_t intern_text(const std::string& text) {
  const std::lock_guard lock(texts_mutex);
  const auto found = std::ranges::find(texts(), text);
  if (found != texts().end()) return found - texts().begin();
  texts().push_back(text);
  return static_cast<int64_t>(texts().size()) - 1;
}

const std::string& interned_text(int64_t number) {
  const std::lock_guard lock(texts_mutex);
  return texts().at(static_cast<size_t>(number));
}

}  // namespace tessera::kernel
