// Prints the largest error of every function: accuracy_table [samples] [every nth float, 1 for all] [function].
// Doubles are compared with the C library's long double functions, floats with our own functions of doubles, which are
// vectorised.
#include <cstdio>
#include <cstdlib>

#include "tessera/ir/math/accuracy.h"
#include "tessera/ir/math/reference.h"

using namespace tessera;
using namespace tessera::math;

namespace {

constexpr int block = 4096;

/// The unit in the last place of a float at y.
double float_unit(double y) {
  const double a = math::fabs(y) < 0x1p-126 ? 0x1p-126 : math::fabs(y);
  return from_bits(bits(a) & 0x7ff0000000000000u) * 0x1p-23;
}

struct Worst {
  double error = 0, at = 0;
};

Worst scan_floats(const Reference& r, int64_t stride) {
  alignas(64) static float x[block], got[block];
  alignas(64) static double exact[block], error[block];
  Worst worst;
  int64_t next = 0;
  while (next < int64_t{1} << 32) {
    int n = 0;
    for (; n < block && next < int64_t{1} << 32; ++n, next += stride) x[n] = from_bits(static_cast<uint32_t>(next));
    r.f32_block(x, got, n);
    r.f64_block(x, exact, n);
    for (int i = 0; i < n; ++i) {
      const double y = exact[i];
      const double rounded = static_cast<double>(static_cast<float>(y));
      const double distance = math::fabs(static_cast<double>(got[i]) - y) / float_unit(y);
      const bool same = static_cast<double>(got[i]) == rounded || (is_nan(got[i]) && is_nan(y));
      error[i] = distance < 1e9 ? distance : (same ? 0.0 : 1e9);  // 1e9: a wrong NaN or infinity
    }
    for (int i = 0; i < n; ++i) {
      if (error[i] > worst.error) worst = {error[i], x[i]};
    }
  }
  return worst;
}

Worst sample_doubles(const Reference& r, int64_t samples) {
  Worst worst;
  const auto see = [&](double x) {
    const double e = ulp_error(r, x);
    if (e > worst.error) worst = {e, x};
  };
  visit_hard_cases<double>(see);
  visit_samples<double>(r, samples / 4, 1, see);
  return worst;
}

}  // namespace

int main(int count, char** arguments) {
  const int64_t samples = count > 1 ? std::atoll(arguments[1]) : 100000;
  const int64_t stride = count > 2 ? std::atoll(arguments[2]) : 4099;
  std::printf("| function | float32 | at | float64 | at |\n|---|---|---|---|---|\n");
  for (const Reference& r : references) {
    if (count > 3 && ir::name(r.op) != arguments[3]) continue;
    const Worst single = scan_floats(r, stride), both = sample_doubles(r, samples);
    std::printf("| %s | %.3f | %.9g | %.3f | %.17g |\n", ir::name(r.op).data(), single.error, single.at, both.error,
                both.at);
    std::fflush(stdout);
  }
}
