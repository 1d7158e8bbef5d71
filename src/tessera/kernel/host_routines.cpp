#include "tessera/kernel/host_routines.h"

#include <algorithm>
#include <deque>

#include "tessera/base/mutex.h"

namespace tessera::kernel {

namespace {

constexpr HostRoutine routines[] = {
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

Mutex texts_mutex;

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
