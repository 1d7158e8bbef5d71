/// asin, acos, atan, atan2: odd polynomials on a half or the whole unit interval, and the identities that lead there.
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
  double root_low = small || root == 0.0 ? 0.0 : fma_(-root, root, z) / (2.0 * root);
  return {root, fma_(root, asin_tail(z), root_low)};
}

TESSERA_MATH double asin(double x) {
  double a = fabs(x);
  auto [root, low] = arc_sine(a);
  auto [head, head_low] = fast_two_sum(half_pi, -2.0 * root);
  double far = head + (head_low + fma_(low, -2.0, half_pi_low));
  return copysign(a < 0.5 ? root + low : far, x) + (a > 1.0 ? quiet_nan : 0.0);
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
  return (a < 0.5 ? near_zero : far) + (a > 1.0 ? quiet_nan : 0.0);
}

/// atan(t + low) - t for 0 <= t <= 1.
TESSERA_MATH double atan_tail(double t, double low) {
  double z = t * t;
  double p = polynomial(z, -0x1.555555555552ap-2, 0x1.9999999995ae5p-3, -0x1.24924923922f5p-3, 0x1.c71c718425b26p-4,
                        -0x1.745d11fb13c06p-4, 0x1.3b136a165ecd8p-4, -0x1.110e6d8c0b9a1p-4, 0x1.e1bcf76572213p-5,
                        -0x1.ae644bccfe903p-5, 0x1.82eeaa0f88986p-5, -0x1.59d7e41c7b859p-5, 0x1.2c97fd3b53871p-5,
                        -0x1.eb48ce13c7b1bp-6, 0x1.69d8052df5478p-6, -0x1.ca96b368550dfp-7, 0x1.dc03282cd286ep-8,
                        -0x1.7ea506f7032f7p-9, 0x1.ba3abfc529ec1p-11, -0x1.44a22116107bfp-13, 0x1.c4a0200ff03cap-17);
  return fma_(t * z, p, low / (1.0 + z));
}

TESSERA_MATH double atan(double x) {
  double a = fabs(x);
  bool large = a > 1.0;
  double t = large ? 1.0 / a : a;
  double t_low = large && a < 0x1p60 ? fma_(-t, a, 1.0) * t : 0.0;
  double tail = atan_tail(t, t_low);
  auto [head, head_low] = fast_two_sum(half_pi, -t);
  double y = large ? head + (head_low + (half_pi_low - tail)) : t + tail;
  return copysign(is_nan(x) ? x : y, x);
}

/// The angle of (x, y); both are scaled so that their quotient and its remainder are exact enough.
TESSERA_MATH double atan2(double y, double x) {
  double a = fabs(y), b = fabs(x);
  bool steep = a > b;
  double high = steep ? a : b, low = steep ? b : a;
  bool both_infinite = high == infinity && low == infinity;
  high = both_infinite ? 1.0 : high;
  low = both_infinite ? 1.0 : low;
  double factor = high > 0x1p900 ? 0x1p-200 : (high < 0x1p-800 ? 0x1p200 : 1.0);
  high *= factor;
  low *= factor;
  double divisor = high == 0.0 ? 1.0 : high;
  double t = low / divisor;
  double t_low = t > 0x1p-900 ? fma_(-t, divisor, low) / divisor : 0.0;
  double tail = atan_tail(t, t_low);
  // pi/2 - angle when steep, then pi - angle on the left.
  bool left = sign_bit(x);
  double base = steep ? half_pi : (left ? 2.0 * half_pi : 0.0);
  double base_low = steep ? half_pi_low : (left ? 2.0 * half_pi_low : 0.0);
  bool subtract = steep != left;
  double s = subtract ? -1.0 : 1.0;
  auto [head, head_low] = fast_two_sum(base, s * t);
  double r = head + (head_low + fma_(s, tail, base_low));
  return copysign(is_nan(x) || is_nan(y) ? quiet_nan : r, y);
}

TESSERA_MATH float asin(float x) { return static_cast<float>(asin(static_cast<double>(x))); }
TESSERA_MATH float acos(float x) { return static_cast<float>(acos(static_cast<double>(x))); }
TESSERA_MATH float atan(float x) { return static_cast<float>(atan(static_cast<double>(x))); }
TESSERA_MATH float atan2(float y, float x) {
  return static_cast<float>(atan2(static_cast<double>(y), static_cast<double>(x)));
}

}  // namespace tessera::math
