/// erf and erfc.
///
/// erf of doubles is a polynomial around one of sixteen centres. For floats, it is x + x P(x^2) below 1 and 1 - 2^-P(x)
/// above, with P an approximation of -log2(erfc); the form with a polynomial as exponent is N. Juffa's. Coefficients
/// are minimax (Remez exchange in 200 bits, then rounded).
#pragma once

#include "tessera/ir/math/erf_table.h"
#include "tessera/ir/math/exp.h"
#include "tessera/ir/math/pick.h"

namespace tessera::math {

/// erf in the table interval that contains |x|. T is double or Pack, with the same bits.
template <class T>
TESSERA_MATH T erf_by_interval(T x) {
  T t = at_most(fabs(x), 6.0);
  // 16 minus the square of a linear function: intervals grow as erf flattens. The low bits are the interval's number.
  T w = fma_(t, -0x1.186p-1, 0x1.03e4p+2);
  T number = fma_(-w, w, round_shift + 16.0);
  T d = t - pick(erf_rows[0], number);
  T z = d * d;
  T even = pick(erf_rows[12], number), odd = pick(erf_rows[11], number);
  even = fma_(even, z, pick(erf_rows[10], number));
  odd = fma_(odd, z, pick(erf_rows[9], number));
  even = fma_(even, z, pick(erf_rows[8], number));
  odd = fma_(odd, z, pick(erf_rows[7], number));
  even = fma_(even, z, pick(erf_rows[6], number));
  odd = fma_(odd, z, pick(erf_rows[5], number));
  even = fma_(even, z, pick(erf_rows[4], number));
  odd = fma_(odd, z, pick(erf_rows[3], number));
  even = fma_(even, z, pick(erf_rows[2], number));
  T slope = fma_(odd, d, even);
  T base = where_equal(number, round_shift, t, pick(erf_rows[1], number));
  return copysign(fma_(d, slope, base), x);
}

TESSERA_MATH double erf(double x) { return erf_by_interval(x); }

TESSERA_MATH float erf(float x) {
  float a = fabs(x);
  float z = x * x;
  float p = horner(z, 0x1.06eba8p-3f, -0x1.81274p-2f, 0x1.ce2d52p-4f, -0x1.b7fec4p-6f, 0x1.542fecp-8f, -0x1.a5197ap-11f,
                   0x1.4c5cb4p-14f);
  float near_zero = fma_(x, p, x);
  float t = a > 4.0f ? 4.0f : a;
  float y = polynomial(t, -0x1.1c738p-12f, 0x1.a12fe6p+0f, 0x1.d3bbf2p-1f, 0x1.40566ep-3f, -0x1.29ecbep-5f,
                       0x1.8d889ap-8f, -0x1.4dd1cap-11f, 0x1.0674cap-15f);
  float shifted = round_shift_f - y;
  float r = (round_shift_f - shifted) - y;
  float s = power_of_two_f(shifted_integer(shifted));
  float far = fma_(-s, exp2_minus_one(r), 1.0f - s);
  return a < 1.0f ? near_zero : copysign(far, x);
}

/// Above 0.46 (1 + 2 x) e^(x^2) erfc(x) is a polynomial in (x - 4) / (x + 4)
/// (M. Shepherd and J. Laframboise, Mathematics of Computation 36, 1981); e^(-x^2) takes x^2 in two parts.
TESSERA_MATH double erfc(double x) {
  double a = fabs(x);
  double square = x * x;
  double p =
      polynomial(square, 0x1.06eba8214db68p-3, -0x1.812746b0379b5p-2, 0x1.ce2f21a040b02p-4, -0x1.b82ce311f7069p-6,
                 0x1.565bccf908894p-8, -0x1.c02db03ff6859p-11, 0x1.f9a2bb4bba0e4p-14, -0x1.f4ca5bb2856d7p-17,
                 0x1.b9807f233887cp-20, -0x1.5c0bc3130e21dp-23, 0x1.d73d744d56748p-27, -0x1.ac1a4196e188cp-31);
  double near_zero = (0.5 - x) + fma_(-x, p, 0.5);
  double t = a > 28.0 ? 28.0 : a;
  double u = moderate_quotient(t - 4.0, t + 4.0);
  double g = polynomial(u, 0x1.dd2c8b74febf6p-3, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd8c4p-7, 0x1.16ecefcfa544p-4,
                        -0x1.9ddb23c3e8c68p-4, 0x1.7fee004e10dcdp-4, -0x1.0fb06dfe5a80cp-4, 0x1.3079edf6af5a3p-5,
                        -0x1.096238802837fp-6, 0x1.49c6727bfc9b9p-8, -0x1.8d4a9fa4b50bep-11, -0x1.a1df21c7fbfebp-13,
                        0x1.3be0bbdbcbd47p-13, -0x1.995904934808dp-16, -0x1.789fe769baa01p-17, 0x1.7f1c988c1c7c1p-18,
                        0x1.40f6daa9e41bap-22, -0x1.b9c8f02d6b6e7p-21, 0x1.2213a2bee244cp-24, 0x1.c7508acd6f36ep-24,
                        -0x1.aa299d8736d1ep-27, -0x1.6c9ec066b304p-27);
  double d = fma_(t, 2.0, 1.0);
  double d_low = fma_(t, 2.0, 1.0 - d);
  double inverse = moderate_quotient(1.0, d);
  double w = inverse + g * inverse;
  double w_low = (fma_(-w, d, 1.0) + g - w * d_low) * inverse;
  double z = t * t;
  double z_low = fma_(t, t, -z);
  double shifted = fma_(z, -log2_of_e, round_shift);
  double k = shifted - round_shift;
  double head = -fma_(k, ln2_high, z);
  double r = fma_(k, -ln2_low, head);
  double r_low = fma_(k, -ln2_low, head - r) - z_low;
  double q = polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.5555555550861p-5, 0x1.1111111127c64p-7,
                        0x1.6c16c184309cdp-10, 0x1.a01a012a38fd9p-13, 0x1.a01999f99bdcap-16, 0x1.71df257a5c5fbp-19,
                        0x1.28ad850352828p-22, 0x1.ad7f5d7ad1b01p-26);
  // w (1 + r + r^2 q + r_low), the leading product and sum with their errors.
  auto [product, product_low] = two_product(w, r);
  auto [sum, sum_low] = fast_two_sum(w, product);
  double curve = r * r * q;
  double rest = fma_(1.0 + (r + curve), r_low, curve);
  rest = fma_(w, rest, product_low) + fma_(w_low, r, w_low);
  double far = scale(sum + (sum_low + rest), shifted_integer(shifted));
  far = x < 0.0 ? 2.0 - far : far;
  return fabs(x) < 0.46 ? near_zero : far + (is_nan(x) ? x : 0.0);
}

/// As in double with half the terms; x^2 is exact there.
TESSERA_MATH float erfc(float x) {
  double a = fabs(static_cast<double>(x));
  double z = a * a;
  double near_zero = horner(z, 0x1.20dd7500b9dfcp+0, -0x1.81273a74f059fp-2, 0x1.ce282935fef46p-4, -0x1.b6c7f1923d0e9p-6,
                            0x1.38f97286bd4aap-8);
  double t = a > 10.5 ? 10.5 : a;
  double u = moderate_quotient(t - 3.0, t + 3.0);
  double g = polynomial(u, 0x1.40c522d803c0dp+0, -0x1.15c0849f1f5bdp-3, -0x1.85a15f13844d1p-5, 0x1.09835fcee6966p-3,
                        -0x1.e88b5b070d6a6p-4, 0x1.17cb1c2706ba7p-4, -0x1.857a0b15f47cdp-6, 0x1.4aa0495ae60fep-9,
                        0x1.f03bb96579efap-10, -0x1.8bd7c94a87d49p-11, -0x1.c76221699668ap-14, 0x1.6799b88e76ff0p-14);
  double shifted = fma_(t * t, -log2_of_e, round_shift);
  double r = fma_(t * t, -log2_of_e, round_shift - shifted);
  double p = polynomial(r, 0x1.ffffffffab993p-1, 0x1.62e42ff116b22p-1, 0x1.ebfbe0a4f3b5ap-3, 0x1.c6b08aae779efp-5,
                        0x1.3b29dc13e6394p-7, 0x1.5d8a70e6d767cp-10, 0x1.446a442727425p-13, 0x1.fe177cfbc2896p-17);
  double far = g * p * power_of_two(shifted_integer(shifted)) / fma_(t, 2.0, 1.0);
  far = x < 0.0f ? 2.0 - far : far;
  float y = static_cast<float>(a < 0.46 ? fma_(-static_cast<double>(x), near_zero, 1.0) : far);
  return is_nan(x) ? x : y;
}

}  // namespace tessera::math
