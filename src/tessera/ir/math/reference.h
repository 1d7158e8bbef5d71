/// Comparison of the math library with the C library's long double functions: for tests and the accuracy table.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "tessera/ir/kernel.h"
#include "tessera/ir/math/math.h"

namespace tessera::math {

/// Unary functions and the range from which most arguments are drawn.
#define TESSERA_MATH_FUNCTIONS(each)                                                                           \
  each(exp, -746, 710) each(exp2, -1080, 1025) each(expm1, -45, 710) each(log, 0, 100) each(log2, 0, 100)      \
      each(log10, 0, 100) each(log1p, -1, 10) each(sin, -100, 100) each(cos, -100, 100) each(tan, -100, 100)   \
          each(asin, -1, 1) each(acos, -1, 1) each(atan, -10, 10) each(sinh, -711, 711) each(cosh, -711, 711)  \
              each(tanh, -20, 20) each(asinh, -10, 10) each(acosh, 1, 100) each(atanh, -1, 1) each(erf, -6, 6) \
                  each(erfc, -6, 28) each(tgamma, -180, 172) each(lgamma, -50, 100) each(cbrt, -10, 10)        \
                      each(sqrt, 0, 10)

/// A function of the math library with its reference; the block versions are loops over floats that get vectorised.
struct Reference {
  ir::Opcode op;
  double (*f64)(double);
  float (*f32)(float);
  long double (*exact)(long double);
  void (*f64_block)(const float* x, double* y, int64_t n);
  void (*f32_block)(const float* x, float* y, int64_t n);
  double low, high;
};

#define TESSERA_REFERENCE(name, low, high)                                            \
  Reference{ir::Opcode::name,                                                         \
            [](double x) -> double { return name(x); },                               \
            [](float x) -> float { return name(x); },                                 \
            [](long double x) { return name##l(x); },                                 \
            [](const float* __restrict x, double* __restrict y, int64_t n) {          \
              for (int64_t i = 0; i < n; ++i) y[i] = name(static_cast<double>(x[i])); \
            },                                                                        \
            [](const float* __restrict x, float* __restrict y, int64_t n) {           \
              for (int64_t i = 0; i < n; ++i) y[i] = name(x[i]);                      \
            },                                                                        \
            low,                                                                      \
            high},

inline const Reference references[] = {TESSERA_MATH_FUNCTIONS(TESSERA_REFERENCE)};

/// |got - exact| in units in the last place of T at exact, at least `floor`; infinite for a wrong NaN or infinity.
template <Real T>
double ulp_error(T got, long double exact, long double floor = 0) {
  constexpr int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent - digits;
  const T rounded = static_cast<T>(exact);
  if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) && std::isnan(exact) ? 0 : INFINITY;
  if (got == rounded) {
    if (std::isinf(got)) return 0;
    if (got == 0 && exact == 0) return std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  } else if (std::isinf(got) || std::isinf(rounded)) {
    const T finite = std::isinf(got) ? rounded : got;
    return std::fabs(finite) == std::numeric_limits<T>::max() ? 1 : INFINITY;
  }
  int exponent = 0;
  std::frexp(std::max(std::fabs(exact), floor), &exponent);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, std::max(exponent - digits, lowest)));
}

/// lgamma has zeros at negative numbers that no float approximates well: near those, the unit is that of 1.
inline long double error_floor(const Reference& r, double x) {
  return r.op == ir::Opcode::lgamma && x < 0 ? 1.0L : 0.0L;
}

template <Real T>
double ulp_error(const Reference& r, T x) {
  const long double exact = r.exact(x);
  if constexpr (std::same_as<T, double>) {
    return ulp_error(r.f64(x), exact, error_floor(r, x));
  } else {
    return ulp_error(r.f32(x), exact, error_floor(r, x));
  }
}

/// Calls visit(x) for zeros, infinities, NaN, limits, and the neighbourhoods of integers and of multiples of pi/4.
template <Real T>
void visit_hard_cases(const std::function<void(T)>& visit) {
  using L = std::numeric_limits<T>;
  const auto around = [&](T x) {
    for (T y : {x, -x}) {
      visit(y);
      visit(std::nextafter(y, L::infinity()));
      visit(std::nextafter(y, -L::infinity()));
    }
  };
  for (T x : {T(0), L::infinity(), L::quiet_NaN(), L::max(), L::min(), L::denorm_min(), L::epsilon()}) around(x);
  for (int k = 1; k <= 200; ++k) around(static_cast<T>(k));
  for (int k = 1; k <= 400; ++k) around(static_cast<T>(k * 0.5L));
  for (int e = L::min_exponent - L::digits; e < L::max_exponent; ++e) {
    around(std::ldexp(T(1), e));
    if (e < 60 && e > -10) around(static_cast<T>(std::ldexp(1.57079632679489661923132169163975144L, e)));
  }
  for (int k = 1; k <= 4000; ++k) around(static_cast<T>(k * 0.785398163397448309615660845819875721L));
  for (double x : {709.782712893384, 745.1332191019411, 88.72283, 103.97208, 171.624376956302, 710.475860073943, 27.2})
    around(static_cast<T>(x));
  around(static_cast<T>(std::ldexp(6381956970095103.0, 797)));  // the double nearest to a multiple of pi/2
  around(static_cast<T>(std::ldexp(6411027962775774.0, -47)));  // the same among numbers below 2^40
  around(static_cast<T>(std::ldexp(16367173.0, 72)));           // the same among floats
}

/// Calls visit(x) for n numbers each from r's range, from all bit patterns, and near 0 and 1.
template <Real T>
void visit_samples(const Reference& r, int64_t n, uint64_t seed, const std::function<void(T)>& visit) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> inside(r.low, r.high), unit(-1, 1);
  for (int64_t i = 0; i < n; ++i) {
    visit(static_cast<T>(inside(random)));
    visit(std::bit_cast<T>(static_cast<Bits>(random())));
    const double small = std::ldexp(unit(random), static_cast<int>(random() % 70) - 60);
    visit(static_cast<T>(small));
    visit(static_cast<T>(1 + small));
  }
}

}  // namespace tessera::math
