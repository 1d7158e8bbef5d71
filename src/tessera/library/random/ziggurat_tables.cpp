#include "tessera/library/random/ziggurat_tables.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::library {

namespace {

// Wide enough that the recursion, which amplifies rounding errors by hundreds, still gives correctly rounded tables.
#if defined(__LDBL_MANT_DIG__) && __LDBL_MANT_DIG__ == 113
using Wide = long double;
Wide wide_exp(Wide x) { return std::exp(x); }
Wide wide_log(Wide x) { return std::log(x); }
#else
using Wide = __float128;
extern "C" __float128 expf128(__float128) noexcept;
extern "C" __float128 logf128(__float128) noexcept;
Wide wide_exp(Wide x) { return expf128(x); }
Wide wide_log(Wide x) { return logf128(x); }
#endif

// NumPy's single-precision tables were rounded to nine decimal digits.
float by_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.8e", value);
  return std::strtof(text, nullptr);
}

double rounded_exp(double x) { return static_cast<double>(std::exp(static_cast<long double>(x))); }
double rounded_log(double x) { return static_cast<double>(std::log(static_cast<long double>(x))); }

/// Strips of equal area v, from the tail inwards, in double precision, in the order in which NumPy's table was
/// computed.
void make_normal(ZigguratTables& tables) {
  constexpr double area = 0.004928673233974652;
  constexpr double scale = 4503599627370496.0, scale_float = 8388608.0;  // 2^52, 2^23
  double x[256], f[256];
  x[255] = normal_tail;
  f[255] = rounded_exp(-0.5 * x[255] * x[255]);
  f[0] = 1;
  for (int i = 254; i > 0; --i) {
    x[i] = std::sqrt(-2.0 * rounded_log(area / x[i + 1] + f[i + 1]));
    f[i] = rounded_exp(-0.5 * x[i] * x[i]);
    if (i == 38) f[i] = std::nextafter(f[i], 1.0);  // the one entry whose exp NumPy rounded the other way
  }
  auto& wide = tables.normal;
  auto& narrow = tables.normal_float;
  for (int i = 0; i < 256; ++i) {
    const double end = i ? x[i] : area / f[255];
    const double ratio = i == 0 ? x[255] * f[255] / area : i == 1 ? 0 : x[i - 1] / x[i];
    wide.inside[i] = static_cast<uint64_t>(std::nearbyint(ratio * scale));
    wide.width[i] = end / scale;
    wide.height[i] = f[i];
    narrow.inside[i] = static_cast<uint32_t>(std::nearbyint(ratio * scale_float));
    narrow.width[i] = static_cast<float>(end / scale_float);
    narrow.height[i] = static_cast<float>(f[i]);
  }
}

void make_exponential(ZigguratTables& tables) {
  // 7.6971174701310497140446280481 as a sum of parts that are exact as literals.
  const Wide tail = Wide(76971174701310497.0L) / Wide(1e16L) + Wide(140446280481.0L) / Wide(1e14L) / Wide(1e14L);
  const Wide height = wide_exp(-tail), area = tail * height + height;
  Wide x[256], f[256];
  x[255] = tail;
  f[255] = height;
  f[0] = 1;
  for (int i = 254; i > 0; --i) {
    f[i] = area / x[i + 1] + f[i + 1];
    x[i] = -wide_log(f[i]);
  }
  auto& wide = tables.exponential;
  auto& narrow = tables.exponential_float;
  constexpr double scale = 4503599627370496.0, scale_float = 8388608.0;
  for (int i = 0; i < 256; ++i) {
    const Wide end = i ? x[i] : area / height;
    const Wide ratio = i == 0 ? tail * height / area : i == 1 ? Wide(0) : x[i - 1] / x[i];
    wide.inside[i] = 2 * static_cast<uint64_t>(ratio * Wide(scale));
    wide.width[i] = static_cast<double>(end / Wide(2 * scale));
    wide.height[i] = static_cast<double>(f[i]);
    narrow.inside[i] = static_cast<uint32_t>(std::nearbyint(static_cast<double>(ratio * Wide(scale_float))));
    narrow.width[i] = by_decimal(static_cast<double>(end / Wide(scale_float)));
    narrow.height[i] = by_decimal(static_cast<double>(f[i]));
  }
}

ZigguratTables make_tables() {
  ZigguratTables tables;
  make_normal(tables);
  make_exponential(tables);
  return tables;
}

}  // namespace

const ZigguratTables& ZigguratTables::instance() {
  static const ZigguratTables tables = make_tables();
  return tables;
}

}  // namespace tessera::library
