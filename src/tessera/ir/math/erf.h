/// erf and erfc.
///
/// erf below 1 is x + x P(x^2); above, 1 - 2^-P(x) with P a fit of -log2(erfc). Minimax fits (Remez exchange in 200
/// bits, then rounded); the form with the exponent of a polynomial is N. Juffa's.
#pragma once

#include "tessera/ir/math/exp.h"

namespace tessera::math {

TESSERA_MATH double erf(double x) {
  double a = fabs(x);
  double z = x * x;
  double p = polynomial(z, 0x1.06eba8214db68p-3, -0x1.812746b0379b5p-2, 0x1.ce2f21a040b02p-4, -0x1.b82ce311f7069p-6,
                        0x1.565bccf908894p-8, -0x1.c02db03ff6859p-11, 0x1.f9a2bb4bba0e4p-14, -0x1.f4ca5bb2856d7p-17,
                        0x1.b9807f233887cp-20, -0x1.5c0bc3130e21dp-23, 0x1.d73d744d56748p-27, -0x1.ac1a4196e188cp-31);
  double near_zero = fma_(x, p, x);
  double t = a > 5.95 ? 5.95 : a;
  double y = polynomial(t, 0x1.8d8586ae0a93ep-21, 0x1.a0be0694dde48p+0, 0x1.d6436ec4d00fbp-1, 0x1.2f72bfd34de38p-3,
                        -0x1.c0d2959cb5fdap-6, -0x1.38ca9edccc91ap-11, 0x1.6addb321fb6d9p-9, -0x1.245be26baa6e9p-10,
                        0x1.9d25247123e3cp-13, 0x1.d897050dc54c6p-16, -0x1.10b5330fdc00ep-15, 0x1.9f4d41148b3f2p-17,
                        -0x1.9983375d528adp-19, 0x1.1e40bdb2ef07ap-21, -0x1.1ca08c3ebc4c7p-24, 0x1.81acdaa69e88ep-28,
                        -0x1.407deaf0458e5p-32, 0x1.edee06389db75p-38);
  double shifted = round_shift - y;
  double r = (round_shift - shifted) - y;
  double s = power_of_two(shifted_integer(shifted));
  double far = fma_(-s, exp2_minus_one(r), 1.0 - s);
  return a < 1.0 ? near_zero : copysign(far, x);
}

TESSERA_MATH float erf(float x) {
  float a = fabs(x);
  float z = x * x;
  float p = polynomial(z, 0x1.06eba8p-3f, -0x1.812742p-2f, 0x1.ce2df2p-4f, -0x1.b80db8p-6f, 0x1.54c62ap-8f,
                       -0x1.aa55c6p-11f, 0x1.5d7cacp-14f);
  float near_zero = fma_(x, p, x);
  float t = a > 4.0f ? 4.0f : a;
  float y = polynomial(t, -0x1.cfca22p-13f, 0x1.a11ff6p+0f, 0x1.d3fcecp-1f, 0x1.3f3616p-3f, -0x1.26fd3p-5f,
                   0x1.848d12p-8f, -0x1.3ee426p-11f, 0x1.e358e8p-16f);
  float shifted = round_shift_f - y;
  float r = (round_shift_f - shifted) - y;
  float s = power_of_two_f(shifted_integer(shifted));
  float far = fma_(-s, exp2_minus_one(r), 1.0f - s);
  return a < 0.92f ? near_zero : copysign(far, x);
}

TESSERA_MATH double erfc(double x) { return __builtin_erfc(x); }
TESSERA_MATH float erfc(float x) { return static_cast<float>(__builtin_erfc(static_cast<double>(x))); }

}  // namespace tessera::math
