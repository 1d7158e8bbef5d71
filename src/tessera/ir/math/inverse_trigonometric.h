/// asin, acos, atan, atan2: odd polynomials on half or all of the unit interval, and identities that reduce to them.
#pragma once

#include "tessera/ir/math/double_double.h"
#include "tessera/ir/math/polynomial.h"

namespace tessera::math {

inline constexpr double half_pi = 0x1.921fb54442d18p+0;
inline constexpr double half_pi_low = 0x1.1a62633145c07p-54;

/// asin(s) / s - 1 for z = s^2 <= 1/4.
TESSERA_MATH double asin_tail(double z) {
  return z * polynomial(z, 0x1.5555555555384p-3, 0x1.333333336fdd1p-4, 0x1.6db6db419c07cp-5, 0x1.f1c72c7fb7cb9p-6,
                        0x1.6e89edb6926e0p-6, 0x1.1c6c42e166367p-6, 0x1.c6f65b3c11262p-7, 0x1.8ef2ec4855851p-7,
                        0x1.aa36164c00979p-8, 0x1.410936767177fp-6, -0x1.0b80063b5744cp-6, 0x1.05fec5be74feap-5);
}

/// asin(root) = root + low, where root = |x| below 1/2 and sqrt((1 - |x|) / 2) above.
struct ArcSine {
  double root, low;
};

TESSERA_MATH ArcSine arc_sine(double a) {
  bool small = a < 0.5;
  double z = small ? a * a : fma_(a, -0.5, 0.5);  // exact above 1/2
  double root = small ? a : sqrt(z);
  double root_low = small || root == 0.0 ? 0.0 : moderate_quotient(fma_(-root, root, z), 2.0 * root);
  return {root, fma_(root, asin_tail(z), root_low)};
}

TESSERA_MATH double asin(double x) {
  double a = fabs(x);
  auto [root, low] = arc_sine(a);
  auto [head, head_low] = fast_two_sum(half_pi, -2.0 * root);
  double far = head + (head_low + fma_(low, -2.0, half_pi_low));
  return a > 1.0 ? quiet_nan : copysign(a < 0.5 ? root + low : far, x);
}

TESSERA_MATH double acos(double x) {
  double a = fabs(x);
  auto [root, low] = arc_sine(a);
  double signed_root = copysign(root, x), signed_low = copysign(1.0, x) * low;
  auto [middle, middle_low] = fast_two_sum(half_pi, -signed_root);
  double near_zero = middle + (middle_low + (half_pi_low - signed_low));
  auto [left, left_low] = fast_two_sum(2.0 * half_pi, -2.0 * root);
  double minus = left + (left_low + fma_(low, -2.0, 2.0 * half_pi_low));
  double far = x > 0.0 ? 2.0 * (root + low) : minus;
  return a > 1.0 ? quiet_nan : (a < 0.5 ? near_zero : far);
}

/// The angle of a point above the x axis whose coordinates have these magnitudes, 0 <= small <= large, neither near the
/// limits of the range; `steep`: |y| is the larger one, `left`: x is negative. Uses one reciprocal: small / large below
/// tan(pi/8), else (large - small) / (large + small), corrected to the rounded quotient and then by its remainder.
TESSERA_MATH double arc_tangent(double small, double large, bool steep, bool left) {
  bool middle = small > 0x1.a827999fcef32p-2 * large;
  auto [sum, sum_low] = fast_two_sum(large, small);
  auto [difference, difference_low] = fast_two_sum(large, -small);
  double n = choose(middle, difference, small), n_low = choose(middle, difference_low, 0.0);
  double d = choose(middle, sum, large), d_low = choose(middle, sum_low, 0.0);
  double inverse = moderate_quotient(1.0, d);
  double product = n * inverse;
  double t = fma_(fma_(-product, d, n), inverse, product);
  double t_low = (fma_(-t, d, n) + fma_(-t, d_low, n_low)) * inverse;
  t_low = bits(t) < bits(0x1p-900) ? 0.0 : t_low;
  double z = t * t;
  double p = polynomial(z, -0x1.555555555553dp-2, 0x1.9999999995863p-3, -0x1.24924922ad98dp-3, 0x1.c71c70e6317cap-4,
                        -0x1.745cf8e016db9p-4, 0x1.3b11194dc2f0dp-4, -0x1.10ebb9769d31ep-4, 0x1.df0f4b52f3642p-5,
                        -0x1.9cd26a1ca368bp-5, 0x1.37d3f7007eaa7p-5, -0x1.2564c6f16fc6cp-6);
  double tail = fma_(t * z, p, t_low);
  double eighths = choose(middle, left ? 3.0 : 1.0, choose(steep, 2.0, left ? 4.0 : 0.0));  // eighths of a full circle
  uint64_t falls = static_cast<uint64_t>((middle != steep) != left) << 63;
  auto [head, head_low] = fast_two_sum(eighths * (0.5 * half_pi), from_bits(bits(t) ^ falls));
  return head + (head_low + (eighths * (0.5 * half_pi_low) + from_bits(bits(tail) ^ falls)));
}

TESSERA_MATH double atan(double x) {
  double a = fabs(x);
  a = a > 0x1p100 ? 0x1p100 : a;
  bool steep = a > 1.0;
  double y = arc_tangent(steep ? 1.0 : a, steep ? a : 1.0, steep, false);
  return copysign(a < 0x1p-27 ? a : y, x);
}

/// The angle of (x, y).
TESSERA_MATH double atan2(double y, double x) {
  double a = fabs(y), b = fabs(x);
  bool steep = a > b;
  double large = steep ? a : b, small = steep ? b : a;
  uint64_t size = bits(large);
  double factor = choose(size > bits(0x1p900), 0x1p-200, size < bits(0x1p-40) ? 0x1p200 : 1.0);
  bool endless = size >= bits(infinity), is_zero = size == 0;
  double n = choose(endless, bits(small) == size ? 1.0 : 0.0, small * factor);
  double d = choose(endless | is_zero, 1.0, large * factor);
  double r = arc_tangent(n, d, steep, sign_bit(x));
  return is_nan(x) || is_nan(y) ? quiet_nan : copysign(r, y);
}

/// As above in float: fewer terms, the same compensations.
struct ArcSineF {
  float root, low;
};

TESSERA_MATH ArcSineF arc_sine(float a) {
  bool small = a < 0.5f;
  float z = small ? a * a : fma_(a, -0.5f, 0.5f);
  float root = small ? a : sqrt(z);
  float root_low = small || root == 0.0f ? 0.0f : fma_(-root, root, z) / (2.0f * root);
  float p = horner(z, 0x1.55554cp-3f, 0x1.333892p-4f, 0x1.6cabb4p-5f, 0x1.04ab06p-5f, 0x1.d7a7a2p-7f, 0x1.33d73ap-5f);
  return {root, fma_(root * z, p, root_low)};
}

inline constexpr float half_pi_f = 0x1.921fb6p+0f;
inline constexpr float half_pi_low_f = -0x1.777a5cp-25f;

TESSERA_MATH float asin(float x) {
  float a = fabs(x);
  auto [root, low] = arc_sine(a);
  float head = half_pi_f - 2.0f * root;
  float head_low = (half_pi_f - head) - 2.0f * root;
  float far = head + (head_low + fma_(low, -2.0f, half_pi_low_f));
  return a > 1.0f ? quiet_nan_f : copysign(a < 0.5f ? root + low : far, x);
}

TESSERA_MATH float acos(float x) {
  float a = fabs(x);
  auto [root, low] = arc_sine(a);
  float signed_root = copysign(root, x), signed_low = copysign(1.0f, x) * low;
  float middle = half_pi_f - signed_root;
  float middle_low = (half_pi_f - middle) - signed_root;
  float near_zero = middle + (middle_low + (half_pi_low_f - signed_low));
  float left = 2.0f * half_pi_f - 2.0f * root;
  float left_low = (2.0f * half_pi_f - left) - 2.0f * root;
  float minus = left + (left_low + fma_(low, -2.0f, 2.0f * half_pi_low_f));
  float far = x > 0.0f ? 2.0f * (root + low) : minus;
  return a > 1.0f ? quiet_nan_f : (a < 0.5f ? near_zero : far);
}

/// arc_tangent for results in float, computed in double without compensations.
TESSERA_MATH double float_arc_tangent(double a, double b, double base, bool flip) {
  bool middle = a > 0x1.a827999fcef32p-2 * b, steep = a > 0x1.3504f333f9de6p+1 * b;
  double n = steep ? -b : (middle ? a - b : a);
  double d = steep ? a : (middle ? a + b : b);
  double t = n / d;
  double z = t * t;
  double p = horner(z, -0x1.55554ap-2, 0x1.9991a6p-3, -0x1.23b636p-3, 0x1.b1fa18p-4, -0x1.f22b18p-5);
  double turn = steep ? half_pi : (middle ? 0.5 * half_pi : 0.0);
  double angle = turn + fma_(t * z, p, t);
  return flip ? base - angle : base + angle;
}

TESSERA_MATH float atan(float x) {
  double a = fabs(x);
  a = a > 0x1p100 ? 0x1p100 : a;
  return copysign(static_cast<float>(float_arc_tangent(a, 1.0, 0.0, false)), x);
}

TESSERA_MATH float atan2(float y, float x) {
  double a = fabs(y), b = fabs(x);
  bool both_infinite = a == infinity && b == infinity;
  bool both_zero = a == 0.0 && b == 0.0;
  double n = both_infinite ? 1.0 : (a == infinity ? 0x1p200 : a);
  double d = both_infinite || both_zero ? 1.0 : (b == infinity ? 0x1p500 : b);
  bool left = sign_bit(x);
  float r = static_cast<float>(float_arc_tangent(n, d, left ? 2.0 * half_pi : 0.0, left));
  return is_nan(x) || is_nan(y) ? quiet_nan_f : copysign(r, y);
}

}  // namespace tessera::math
