/// The incomplete gamma functions gammainc and gammaincc, by regions as in DiDonato and Morris, ACM Trans. Math. Softw.
/// 12 (1986): Temme's uniform expansion (SIAM J. Math. Anal. 10 (1979); DLMF 8.12) for large a and x near a; the power
/// series for x below a; Legendre's continued fraction for x above a, by the modified Lentz method (J. Comput. Phys. 64
/// (1986)); for small a and x, the series of 1 - Gamma(a, x) / Gamma(a) without cancellation (Gautschi, ACM Trans.
/// Math. Softw. 5 (1979)).
#include <limits>
#include <numbers>
#include <vector>

#include "tessera/ops/special_table.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

using Values = std::vector<Value>;
using State = std::span<const Value>;

constexpr double large_a = 25;      // Temme's expansion is used from here on
constexpr double most_terms = 500;  // iteration limit, more than any region needs

/// C_k(eta), the coefficients of a^-k in Temme's expansion for |eta| <= 0.34, lowest power first.
const std::vector<std::vector<double>> temme_coefficients = {
    {-0.33333333333333333, 0.083333333333333333, -0.014814814814814815, 0.0011574074074074074, 0.0003527336860670194,
     -0.00017875514403292181, 3.9192631785224378e-5, -2.1854485106799922e-6, -1.85406221071516e-6, 8.296711340953086e-7,
     -1.7665952736826079e-7, 6.7078535434014986e-9, 1.0261809784240308e-8, -4.3820360184533532e-9,
     9.1476995822367902e-10, -2.551419399494625e-11, -5.8307721325504251e-11},
    {-0.0018518518518518519, -0.0034722222222222222, 0.0026455026455026455, -0.00099022633744855967,
     0.00020576131687242798, -4.0187757201646091e-7, -1.8098550334489978e-5, 7.6491609160811101e-6,
     -1.6120900894563446e-6, 4.6471278028074343e-9, 1.378633446915721e-7, -5.752545603517705e-8, 1.1951628599778147e-8,
     -1.7543241719747648e-11, -1.0091543710600413e-9, 4.1627929918425826e-10},
    {0.0041335978835978836, -0.0026813271604938272, 0.00077160493827160494, 2.0093878600823045e-6,
     -0.00010736653226365161, 5.2923448829120125e-5, -1.2760635188618728e-5, 3.4235787340961381e-8,
     1.3721957309062933e-6, -6.298992138380055e-7, 1.4280614206064242e-7, -2.0477098421990866e-10,
     -1.4092529910867521e-8, 6.228974084922022e-9},
    {0.00064943415637860082, 0.00022947209362139918, -0.00046918949439525571, 0.00026772063206283885,
     -7.5618016718839764e-5, -2.3965051138672967e-7, 1.1082654115347302e-5, -5.6749528269915966e-6,
     1.4230900732435884e-6, -2.7861080291528142e-11, -1.6958404091930277e-7, 8.0994649053880824e-8,
     -1.9111168485973654e-8},
    {-0.0008618882909167117, 0.00078403922172006663, -0.00029907248030319018, -1.4638452578843418e-6,
     6.6414982154651222e-5, -3.9683650471794347e-5, 1.1375726970678419e-5, 2.5074972262375328e-10,
     -1.6954149536558306e-6, 8.9075075322053097e-7, -2.2929348340008049e-7},
    {-0.00033679855336635815, -6.9728137583658578e-5, 0.00027727532449593921, -0.00019932570516188848,
     6.7977804779372078e-5, 1.419062920643967e-7, -1.3594048189768693e-5, 8.0184702563342015e-6,
     -2.2914811765080952e-6},
    {0.00053130793646399222, -0.00059216643735369388, 0.00027087820967180448, 7.9023532326603279e-7,
     -8.1539693675619688e-5, 5.6116827531062497e-5, -1.8329116582843376e-5, -3.0796134506033048e-9,
     3.4651553688036091e-6},
    {0.00034436760689237767, 5.1717909082605922e-5, -0.00033493161081142236, 0.0002812695154763237,
     -0.00010976582244684731, -1.2741009095484485e-7, 2.7744451511563644e-5, -1.8263488805711333e-5},
    {-0.00065262391859530942, 0.00083949872067208728, -0.00043829709854172101, -6.969091458420552e-7,
     0.00016644846642067548, -0.00012783517679769219},
    {-0.00059676129019274625, -7.2048954160200106e-5, 0.00067823088376673284, -0.00064014752602627585},
    {0.0013324454494800656, -0.0019144384985654775, 0.0011089369134596637}};

Value polynomial(Builder& b, Value x, const std::vector<double>& coefficients) {
  Value sum = number(b, x, coefficients.back());
  for (size_t k = coefficients.size() - 1; k-- > 0;) sum = b.fma(x, sum, number(b, x, coefficients[k]));
  return sum;
}

/// log Gamma(1 + a) for 0 <= a <= 1.25.
Value log_gamma_1p(Builder& b, Value a) {
  const Value u = b.sub(b.div(a, number(b, a, 0.625)), b.one_like(a));
  return b.mul(
      a, horner(b, u, {-0.17467861401087260,    0.32196984943430602,    -0.059100107859178375,   0.015051840791491484,
                       -0.0043779609549827395,  0.0013659200536605523,  -0.00044461649571638806, 0.00014882236258310691,
                       -5.0798787531829966e-5,  1.7591500484402438e-5,  -6.1596431763549990e-6,  2.1757833866558496e-6,
                       -7.7405408008131395e-7,  2.7698202168868450e-7,  -9.9625531091121931e-8,  3.6063949599063570e-8,
                       -1.3077946279708447e-8,  4.6484343720612027e-9,  -1.6955833056440031e-9,  7.2808552040685453e-10,
                       -2.6746457214573780e-10, 3.0610844959387484e-11, -1.1105599934098755e-11, 2.8710818376523024e-11,
                       -1.0638578807284003e-11}));
}

/// m - log(1 + m) for |m| <= 0.3.
Value less_its_logarithm(Builder& b, Value m) {
  const Value u = b.div(m, number(b, m, 0.3));
  return b.mul(
      b.mul(m, m),
      horner(b, u, {0.50000000000000000,    -0.10000000000000000,    0.022500000000000000,   -0.0054000000000000000,
                    0.0013500000000000000,  -0.00034714285714285797, 9.1125000000000241e-5,  -2.4299999999986125e-5,
                    6.5609999999959712e-6,  -1.7893636364941683e-6,  4.9207500003790133e-7,  -1.3626692231208948e-7,
                    3.7960071206496286e-8,  -1.0628822959277753e-8,  2.9893564842358618e-9,  -8.4404553914670067e-10,
                    2.3914618128429869e-10, -6.7982788697999829e-11, 1.9375171038296374e-11, -5.5165609176931508e-12,
                    1.5796710111918952e-12, -4.7012039514234612e-13, 1.3520268762596428e-13, -2.9363637801067197e-14,
                    8.4551789749767309e-15, -5.6339726716131203e-15, 1.6321669069505202e-15}));
}

/// 1 / (sqrt(2 pi a) Gamma*(a)), where Gamma(a + 1) = sqrt(2 pi a) (a / e)^a Gamma*(a), for large a.
Value over_stirling(Builder& b, Value a) {
  const Value inverse = b.div(b.one_like(a), a);
  const Value correction =
      b.mul(inverse, horner(b, b.mul(inverse, inverse), {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680}));
  return b.div(b.exp(b.neg(correction)), b.sqrt(b.mul(number(b, a, 2 * std::numbers::pi), a)));
}

/// x^a e^-x / Gamma(a + 1).
Value prefactor(Builder& b, Value a, Value x) {
  const auto far = [&](State) -> Values {
    const Value m = b.div(b.sub(x, a), a);
    return {b.mul(b.exp(b.mul(a, b.sub(b.unary(Opcode::log1p, m), m))), over_stirling(b, a))};
  };
  const auto near = [&](State) -> Values {
    const Value half = b.exp(b.mul(number(b, x, -0.5), x));  // e^-x underflows before the product does
    const Value product = b.mul(b.mul(b.binary(Opcode::pow, x, a), half), half);
    const Value value = b.div(product, b.unary(Opcode::tgamma, b.add(a, b.one_like(a))));
    return {b.select(b.gt(x, number(b, x, 1000)), b.zero_like(x), value)};
  };
  return b.if_(b.ge(a, number(b, a, large_a)), far, near)[0];
}

/// Whether the next term can still change the sum; false ends the series.
Value counts(Builder& b, Value term, Value sum, Value n) {
  const Value small = b.mul(number(b, term, std::numeric_limits<double>::epsilon() / 4), b.abs(sum));
  return b.bit_and(b.gt(b.abs(term), small), b.lt(n, number(b, n, most_terms)));
}

/// P by its power series.
Value lower_series(Builder& b, Value a, Value x) {
  const Value one = b.one_like(x), start[] = {one, one, b.zero_like(x)};  // term, sum, n
  const Values end = b.while_(
      start, [&](State v) -> Values { return {counts(b, v[0], v[1], v[2])}; },
      [&](State v) -> Values {
        const Value n = b.add(v[2], one), term = b.mul(v[0], b.div(x, b.add(a, n)));
        return {term, b.add(v[1], term), n};
      });
  return b.mul(prefactor(b, a, x), end[1]);
}

/// Q by its continued fraction.
Value upper_fraction(Builder& b, Value a, Value x) {
  const Value one = b.one_like(x), zero = b.zero_like(x), two = number(b, x, 2), tiny = number(b, x, 1e-300);
  const Value first = b.sub(b.add(x, one), a);
  const auto nonzero = [&](Value v) { return b.select(b.eq(v, zero), tiny, v); };
  const Value d = b.div(one, nonzero(first));
  const Value start[] = {d, number(b, x, 1e300), d, first, two, zero};  // h, c, d, b, factor, n
  const Values end = b.while_(
      start, [&](State v) -> Values { return {counts(b, b.sub(v[4], one), one, v[5])}; },
      [&](State v) -> Values {
        const Value n = b.add(v[5], one), numerator = b.mul(n, b.sub(a, n)), denominator = b.add(v[3], two);
        const Value d = b.div(one, nonzero(b.fma(numerator, v[2], denominator)));
        const Value c = nonzero(b.add(denominator, b.div(numerator, v[1])));
        const Value factor = b.mul(c, d);
        return {b.mul(v[0], factor), c, d, denominator, factor, n};
      });
  return b.mul(b.mul(prefactor(b, a, x), a), end[0]);
}

/// Q for small a and x.
Value upper_series(Builder& b, Value a, Value x) {
  const Value one = b.one_like(x), start[] = {one, one, b.zero_like(x), b.zero_like(x)};  // power, term, sum, n
  const Values end = b.while_(
      start, [&](State v) -> Values { return {counts(b, v[1], v[2], v[3])}; },
      [&](State v) -> Values {
        const Value n = b.add(v[3], one), power = b.neg(b.mul(v[0], b.div(x, n))), term = b.div(power, b.add(a, n));
        return {power, term, b.add(v[2], term), n};
      });
  const Value exponent = b.sub(b.mul(a, b.log(x)), log_gamma_1p(b, a));
  return b.neg(b.add(b.unary(Opcode::expm1, exponent), b.mul(b.mul(b.exp(exponent), a), end[2])));
}

/// P or Q by Temme's expansion.
Value uniform(Builder& b, Value a, Value x, bool upper) {
  const Value m = b.div(b.sub(x, a), a), half_square = less_its_logarithm(b, m);  // eta^2 / 2
  const Value eta = b.binary(Opcode::copysign, b.sqrt(b.mul(number(b, x, 2), half_square)), m);
  const Value inverse = b.div(b.one_like(a), a);
  Value sum = polynomial(b, eta, temme_coefficients.back());
  for (size_t k = temme_coefficients.size() - 1; k-- > 0;)
    sum = b.fma(inverse, sum, polynomial(b, eta, temme_coefficients[k]));
  const Value scale = b.sqrt(b.mul(number(b, a, 2 * std::numbers::pi), a));
  const Value rest = b.div(b.mul(b.exp(b.neg(b.mul(a, half_square))), sum), scale);
  const Value t = b.mul(eta, b.sqrt(b.mul(number(b, a, 0.5), a)));
  const Value tail = b.mul(number(b, a, 0.5), b.unary(Opcode::erfc, upper ? t : b.neg(t)));
  return upper ? b.add(tail, rest) : b.sub(tail, rest);
}

Value one_minus(Builder& b, Value x) { return b.sub(b.one_like(x), x); }

/// P or Q inside the domain.
Value regular(Builder& b, Value a, Value x, bool upper) {
  const auto is_less = [&](Value v, double limit) { return b.lt(v, number(b, v, limit)); };
  const Value is_uniform =
      b.bit_and(b.bit_not(is_less(a, large_a)), b.le(b.abs(b.sub(x, a)), b.mul(number(b, a, 0.3), a)));
  const Value is_above = b.bit_and(b.ge(x, a), b.gt(x, number(b, x, upper ? 1.1 : 1.0)));
  // Where Q of small arguments is at most as large as P, it has a series of its own.
  const Value edge = b.select(is_less(x, 0.5), b.div(number(b, x, -0.4), b.log(x)), b.mul(number(b, x, 1.1), x));
  const Value is_small = b.bit_and(b.le(x, number(b, x, 1.1)), b.le(a, edge));
  const auto fraction = [&](State) -> Values {
    const Value q = upper_fraction(b, a, x);
    return {upper ? q : one_minus(b, q)};
  };
  const auto series = [&](State) -> Values {
    const Value p = lower_series(b, a, x);
    return {upper ? one_minus(b, p) : p};
  };
  const auto below = [&](State none) -> Values {
    if (!upper) return series(none);
    return b.if_(is_small, [&](State) -> Values { return {upper_series(b, a, x)}; }, series);
  };
  const auto apart = [&](State) -> Values { return b.if_(is_above, fraction, below); };
  return b.if_(is_uniform, [&](State) -> Values { return {uniform(b, a, x, upper)}; }, apart)[0];
}

template <bool upper>
Value incomplete_gamma(Builder& b, Value a, Value x) {
  const Value zero = b.zero_like(x), one = b.one_like(x),
              infinity = number(b, x, std::numeric_limits<double>::infinity());
  const Value inside =
      b.bit_and(b.bit_and(b.gt(a, zero), b.lt(a, infinity)), b.bit_and(b.gt(x, zero), b.lt(x, infinity)));
  const Value found = regular(b, b.select(inside, a, one), b.select(inside, x, one), upper);
  const Value nothing = upper ? one : zero, everything = upper ? zero : one;
  // Limits: P(0, x) = 1, P(a, 0) = 0, P(a, inf) = 1, P(inf, x) = 0. Where two of them disagree, and for negative
  // arguments and NaN, the result is NaN.
  const Value none = number(b, x, std::numeric_limits<double>::quiet_NaN());
  const Value at_a = b.select(b.eq(a, zero), b.select(b.gt(x, zero), everything, none), none);
  const Value at_x = b.select(b.eq(x, zero), nothing, b.select(b.eq(x, infinity), everything, none));
  const Value finite = b.bit_and(b.gt(a, zero), b.lt(a, infinity));
  const Value at_infinity =
      b.select(b.bit_and(b.eq(a, infinity), b.bit_and(b.ge(x, zero), b.lt(x, infinity))), nothing, at_a);
  return b.select(inside, found, b.select(finite, at_x, at_infinity));
}

}  // namespace

void add_special_incomplete(OpTable& table) {
  add_special_function<pair_in_double<incomplete_gamma<false>>, 2>(
      table, "gammainc", "The regularized lower incomplete gamma function.", 0.1, 8);
  add_special_function<pair_in_double<incomplete_gamma<true>>, 2>(
      table, "gammaincc", "The regularized upper incomplete gamma function.", 0.1, 8);
}

}  // namespace tessera::ops
