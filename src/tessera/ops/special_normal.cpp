/// Quantiles and tails of the normal distribution: ndtri, erfinv, erfcinv, erfcx, log_ndtr.
#include <numbers>

#include "tessera/ops/special_table.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

/// The normal quantile at 1/2 + q, tail = 1/2 - |q|: M. Wichura's three rational functions (algorithm AS 241, 1988).
Value normal_quantile(Builder& b, Value q, Value tail) {
  const Value r = b.sub(number(b, q, 0.180625), b.mul(q, q));
  const Value centre = b.div(
      b.mul(q, horner(b, r,
                      {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
                       45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727})),
      horner(b, r,
             {1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867,
              39307.895800092710610, 28729.085735721942674, 5226.4952788528545610}));
  const Value depth = b.sqrt(b.neg(b.log(tail)));
  const Value near = b.sub(depth, number(b, q, 1.6));
  const Value middle = b.div(
      horner(b, near,
             {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
              1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4}),
      horner(b, near,
             {1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550, 0.148103976427480074590,
              0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9}));
  const Value deep = b.sub(depth, number(b, q, 5.0));
  const Value far = b.div(horner(b, deep,
                                 {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
                                  0.296560571828504891230, 0.0265321895265761230930, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7}),
                          horner(b, deep,
                                 {1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
                                  7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                                  2.04426310338993978564e-15}));
  Value size = b.select(b.le(depth, number(b, q, 5.0)), middle, far);
  const Value zero = b.zero_like(q);
  size = b.select(b.eq(tail, zero), number(b, q, infinity), size);
  size = b.select(b.lt(tail, zero), number(b, q, quiet_nan), size);
  const Value outer = b.binary(Opcode::copysign, size, q);
  return b.select(b.le(b.abs(q), number(b, q, 0.425)), centre, outer);
}

Value ndtri_double(Builder& b, Value p) {
  const Value half = number(b, p, 0.5);
  const Value tail = b.min(p, b.sub(b.one_like(p), p));
  return normal_quantile(b, b.sub(p, half), tail);
}

Value erfinv_double(Builder& b, Value y) {
  const Value half = number(b, y, 0.5);
  const Value tail = b.mul(half, b.sub(b.one_like(y), b.abs(y)));
  const Value x = b.mul(normal_quantile(b, b.mul(half, y), tail), number(b, y, std::numbers::sqrt2 / 2));
  // Below 2^-26 the first term suffices, with a constant accurate to the last bit.
  return b.select(b.lt(b.abs(y), number(b, y, 0x1p-26)), b.mul(y, number(b, y, 0.88622692545275801365)), x);
}

Value erfcinv_double(Builder& b, Value y) {
  const Value half = number(b, y, 0.5);
  const Value p = b.mul(half, y);
  const Value tail = b.min(p, b.sub(b.one_like(y), p));
  return b.mul(normal_quantile(b, b.sub(half, p), tail), number(b, y, std::numbers::sqrt2 / 2));
}

/// exp(x^2) erfc(x): a polynomial in (x - 4) / (x + 4), as in the math library's erfc; the asymptotic series from 27
/// on.
Value erfcx_double(Builder& b, Value x) {
  const Value a = b.abs(x), one = b.one_like(x), four = number(b, x, 4);
  const Value square = b.mul(x, x);
  const Value near = b.mul(b.exp(square), b.unary(Opcode::erfc, x));
  const Value bounded = b.min(a, number(b, x, 27.5));
  const Value t = b.div(b.sub(bounded, four), b.add(bounded, four));
  const Value g =
      horner(b, t, {0x1.dd2c8b74febf6p-3,   -0x1.1df1ad154a28fp-3,  0x1.f7f5df66fd8c4p-7,   0x1.16ecefcfa544p-4,
                    -0x1.9ddb23c3e8c68p-4,  0x1.7fee004e10dcdp-4,   -0x1.0fb06dfe5a80cp-4,  0x1.3079edf6af5a3p-5,
                    -0x1.096238802837fp-6,  0x1.49c6727bfc9b9p-8,   -0x1.8d4a9fa4b50bep-11, -0x1.a1df21c7fbfebp-13,
                    0x1.3be0bbdbcbd47p-13,  -0x1.995904934808dp-16, -0x1.789fe769baa01p-17, 0x1.7f1c988c1c7c1p-18,
                    0x1.40f6daa9e41bap-22,  -0x1.b9c8f02d6b6e7p-21, 0x1.2213a2bee244cp-24,  0x1.c7508acd6f36ep-24,
                    -0x1.aa299d8736d1ep-27, -0x1.6c9ec066b304p-27});
  const Value fitted = b.div(b.add(one, g), b.fma(bounded, number(b, x, 2), one));
  const Value u = b.div(number(b, x, 0.5), square);
  const Value series = horner(b, u, {1, -1, 3, -15, 105, -945, 10395});
  const Value tail = b.div(b.mul(series, number(b, x, std::numbers::inv_sqrtpi)), a);
  const Value positive = b.select(b.gt(a, number(b, x, 27)), tail, fitted);
  const Value negative = b.sub(b.mul(number(b, x, 2), b.exp(square)), positive);
  const Value outer = b.select(b.lt(x, b.zero_like(x)), negative, positive);
  const Value result = b.select(b.lt(a, number(b, x, 0.46)), near, outer);
  return b.select(b.unary(Opcode::is_nan, x), x, result);
}

Value log_ndtr_double(Builder& b, Value x) {
  const Value t = b.mul(x, number(b, x, std::numbers::sqrt2 / 2));
  const Value half = number(b, x, 0.5);
  const Value left = b.sub(b.log(b.mul(half, erfcx_double(b, b.neg(t)))), b.mul(t, t));
  const Value right = b.unary(Opcode::log1p, b.mul(number(b, x, -0.5), b.unary(Opcode::erfc, t)));
  const Value minus_infinity = number(b, x, -infinity);
  const Value tail = b.select(b.eq(x, minus_infinity), minus_infinity, left);
  return b.select(b.lt(x, number(b, x, -1)), tail, right);
}

}  // namespace

void add_special_normal(OpTable& table) {
  add_special_function<in_double<ndtri_double>, 1>(table, "ndtri", "The quantile of the standard normal distribution.",
                                                   0.01, 0.99);
  add_special_function<in_double<erfinv_double>, 1>(table, "erfinv", "Inverse of the error function.", -0.9, 0.9);
  add_special_function<in_double<erfcinv_double>, 1>(table, "erfcinv", "Inverse of the complementary error function.",
                                                     0.1, 1.9);
  add_special_function<in_double<erfcx_double>, 1>(table, "erfcx", "exp(x**2) * erfc(x).", -2, 30);
  add_special_function<in_double<log_ndtr_double>, 1>(
      table, "log_ndtr", "Logarithm of the cumulative distribution of the standard normal distribution.", -30, 4);
}

}  // namespace tessera::ops
