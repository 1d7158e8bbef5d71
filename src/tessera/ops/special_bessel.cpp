/// Bessel functions of orders 0 and 1: j0, j1 and the modified i0, i0e, i1, i1e.
#include <numbers>

#include "tessera/ops/special_table.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

/// e^-a I(a) is approximated by polynomials in (a - 8) / (a + 8) up to 8 and, times sqrt(a), in 1 / a from 8 on.
Value inner_variable(Builder& b, Value a) {
  const Value eight = number(b, a, 8), t = b.min(a, eight);
  return b.div(b.sub(t, eight), b.add(t, eight));
}
Value outer_variable(Builder& b, Value a) { return b.div(b.one_like(a), b.max(a, number(b, a, 8))); }
Value is_inner(Builder& b, Value a) { return b.lt(a, number(b, a, 8)); }

Value i0e_double(Builder& b, Value x) {
  const Value a = b.abs(x), u = outer_variable(b, a);
  const Value inner =
      horner(b, inner_variable(b, a),
             {0.14343178185685032,    -0.1486286170264371,    0.08314936271277364,    -0.0883505420439987,
              0.07763850624316751,    -0.0875390970736545,    0.09263330576098858,    -0.10786132990762329,
              0.107891145109734,      -0.08691166026480181,   0.026005412422677374,   0.021590538655489103,
              -0.07127853104671447,   -0.0657547143512356,    -0.09767268886601745,   -0.21370662633262746,
              -0.27295544706379765,   -0.2125550335691752,    -0.10769682617778223,   -0.03566523142988428,
              -0.0072721289954505155, -0.0007664370979527866, -2.2642398330720335e-05});
  const Value outer =
      b.mul(b.sqrt(u),
            horner(b, u, {0.39894228040143265,   0.04986778505023962,    0.028050629044888833, 0.029219416428175406,
                          0.044742181508851786,  0.09012544328855539,    0.33637301284462756,  -12.346926377895707,
                          1038.0459250283895,    -58597.46706877752,     2463867.729877846,    -78898272.88811962,
                          1954289776.7096384,    -37767543285.925835,    571339871030.8129,    -6755350432042.378,
                          62018675911172.36,     -436558545172613.8,     2307398010262514.0,   -8850287818594108.0,
                          2.324121133541887e+16, -3.736253247475426e+16, 2.772859045486486e+16}));
  return b.select(is_inner(b, a), inner, outer);
}

Value i1e_double(Builder& b, Value x) {
  const Value a = b.abs(x), u = outer_variable(b, a);
  const Value inner =
      b.mul(a, horner(b, inner_variable(b, a),
                      {0.01676781166158727,    -0.0484926695180448,    0.06801309156862143,   -0.07575344135217736,
                       0.07829261185168936,    -0.07498978013758142,   0.06590183224564106,   -0.05007455378054809,
                       0.02869089560288417,    -0.006417595775994488,  -0.008291780953874568, 0.009064181480023123,
                       -0.0010926689361955004, -0.007713576039787419,  -0.003227197245575203, -0.006708442049650815,
                       -0.017503796734487514,  -0.0216160042712529,    -0.015860482679272273, -0.007536042480141323,
                       -0.002317854893756923,  -0.0004253131287670924, -3.569854118387859e-05}));
  const Value outer =
      b.mul(b.sqrt(u),
            horner(b, u, {0.3989422804014327,     -0.14960335515059725,  -0.0467510484419289,    -0.04090717599098903,
                          -0.05752656695048719,   -0.11008051188533223,  -0.400943716916256,     14.29596107741302,
                          -1171.2844667971497,    65030.5482085648,      -2702145.0616331613,    85749752.69618051,
                          -2108735725.2883046,    40510612640.263664,    -609761398719.6765,     7178416932865.8545,
                          -65652549885199.21,     460580274362759.75,    -2427001399427218.5,    9283567728242608.0,
                          -2.431824031172175e+16, 3.900464085881225e+16, -2.8886373524634124e+16}));
  return b.binary(Opcode::copysign, b.select(is_inner(b, a), inner, outer), x);
}

/// e^a as two factors: e^a itself overflows before I(a) does.
Value times_exponential(Builder& b, Value scaled, Value x) {
  const Value half = b.exp(b.mul(number(b, x, 0.5), b.abs(x)));
  return b.mul(b.mul(scaled, half), half);
}

Value i0_double(Builder& b, Value x) {
  const Value a = b.abs(x), infinite = b.unary(Opcode::is_inf, x);
  return b.select(infinite, a, times_exponential(b, i0e_double(b, x), x));
}
Value i1_double(Builder& b, Value x) {
  const Value infinite = b.unary(Opcode::is_inf, x);
  return b.select(infinite, x, times_exponential(b, i1e_double(b, x), x));
}

/// J(x) for |x| <= 8: approximations of J divided by its first two zeros; each zero is stored in two parts, so that
/// results next to it keep their digits.
struct SplitZero {
  double high, low;
};

Value away_from(Builder& b, Value a, SplitZero zero) {
  const Value below = b.sub(b.sub(a, number(b, a, zero.high)), number(b, a, zero.low));
  return b.mul(below, b.add(a, number(b, a, zero.high)));
}

Value square_variable(Builder& b, Value t) { return b.sub(b.mul(b.mul(t, t), number(b, t, 1.0 / 32)), b.one_like(t)); }

/// Above 8, Hankel's form (Abramowitz and Stegun 9.2.5): sqrt(2 / (pi x)) (P cos(x - phase) - Q sin(x - phase)), with
/// polynomial approximations of P and x Q in (8 / x)^2, as in the Cephes library.
struct Hankel {
  Value inverse_square;  // 2 (8 / x)^2 - 1
  Value scale;           // sqrt(1 / (pi x))
  Value sine, cosine;
};

Hankel hankel(Builder& b, Value a) {
  const Value x = b.max(a, number(b, a, 8)), ratio = b.div(number(b, a, 8), x);
  return {b.fma(b.mul(number(b, a, 2), ratio), ratio, number(b, a, -1)),
          b.sqrt(b.div(number(b, a, 1 / std::numbers::pi), x)), b.unary(Opcode::sin, x), b.unary(Opcode::cos, x)};
}

Value j0_double(Builder& b, Value x) {
  const Value a = b.abs(x), eight = number(b, a, 8), t = b.min(a, eight);
  const Value fit =
      horner(b, square_variable(b, t),
             {0.0011434937743762546, -0.0021197942894796920, 0.0015636431645931662, -0.00064153906464061270,
              0.00016977200713997845, -3.1573425402231250e-5, 4.3669323246404955e-6, -4.6771280215003703e-7,
              3.9988393455463449e-8, -2.7948629190419462e-9, 1.6276489334239357e-10, -8.0235364599905224e-12,
              3.3923485118558791e-13, -1.2440413339065112e-14, 3.9954416831154185e-16, -1.1332991621602866e-17,
              2.8601280666439675e-19, -6.4645064267860365e-21});
  const Value inner = b.mul(fit, b.mul(away_from(b, t, {2.404825557695773, -1.176691651530894e-16}),
                                       away_from(b, t, {5.520078110286311, 8.088597146146722e-17})));
  const Hankel h = hankel(b, a);
  const Value p =
      horner(b, h.inverse_square,
             {0.99945727578825195, -0.00053636731921300464, 6.1374160801608497e-6, -2.0527448156495067e-7,
              1.2803760619529231e-8, -1.2121181917899887e-9, 1.5501058085561606e-10, -2.4882755278127450e-11,
              4.7729259058009560e-12, -1.0635980595216019e-12, 2.6594866926829669e-13, -6.4238633170286656e-14,
              1.8393230471214980e-14, -1.1778137922744417e-14, 4.2853443206445630e-15});
  const Value q =
      horner(b, h.inverse_square,
             {-0.12444091103610815, 0.00054665192794752599, -1.1817110661178996e-5, 5.6849718819458207e-7,
              -4.5349728729154897e-8, 5.1462314473929086e-9, -7.5763089835759635e-10, 1.3623551327470024e-10,
              -2.8713401225548950e-11, 6.9508845092529123e-12, -1.8645095340414150e-12, 4.6123132250707981e-13,
              -1.3804814538584404e-13, 1.0162670211167594e-13, -3.8659683226954667e-14});
  const Value turned =
      b.sub(b.mul(p, b.add(h.cosine, h.sine)), b.mul(b.div(q, b.max(a, eight)), b.sub(h.sine, h.cosine)));
  return b.select(b.le(a, eight), inner, b.mul(h.scale, turned));
}

Value j1_double(Builder& b, Value x) {
  const Value a = b.abs(x), eight = number(b, a, 8), t = b.min(a, eight);
  const Value fit =
      horner(b, square_variable(b, t),
             {0.00019498936985895624, -0.00026975227467163681, 0.00015860016799369873, -5.4080032390855068e-5,
              1.2242173653015610e-5, -1.9890935159141400e-6, 2.4425222607519925e-7, -2.3521922546334206e-8,
              1.8268547695516101e-9, -1.1696932385965018e-10, 6.2847337863832545e-12, -2.8755486449848282e-13,
              1.1343174508966460e-14, -3.8985765240786235e-16, 1.1781264129775107e-17, -3.1553563663564505e-19,
              7.5426083885458380e-21, -1.6192689332255062e-22});
  const Value inner = b.mul(b.mul(t, fit), b.mul(away_from(b, t, {3.8317059702075125, -1.5269184090088067e-16}),
                                                 away_from(b, t, {7.015586669815619, -9.414165653410389e-17})));
  const Hankel h = hankel(b, a);
  const Value p =
      horner(b, h.inverse_square,
             {1.0009070262780822, 0.00089880494167055784, -7.9596946984925209e-6, 2.4536766222869610e-7,
              -1.4708512124130545e-8, 1.3603057890123778e-9, -1.7131594957408771e-10, 2.7204123552148816e-11,
              -5.1763021233265068e-12, 1.1461306026400313e-12, -2.8514106190225238e-13, 6.8719168688927925e-14,
              -1.9616275715581791e-14, 1.2466964342989235e-14, -4.5247520559705569e-15});
  const Value q =
      horner(b, h.inverse_square,
             {0.37421499221959182, -0.00076971670576436993, 1.4569614809828341e-5, -6.6335685612520342e-7,
              5.1361060343864872e-8, -5.7208907261085694e-9, 8.3160547682628273e-10, -1.4816645190838213e-10,
              3.1010145209892632e-11, -7.4641600520405211e-12, 1.9931453497550060e-12, -4.9233393898515182e-13,
              1.4696599919708492e-13, -1.0735722148098270e-13, 4.0747053846272145e-14});
  const Value turned =
      b.add(b.mul(p, b.sub(h.sine, h.cosine)), b.mul(b.div(q, b.max(a, eight)), b.add(h.sine, h.cosine)));
  const Value value = b.select(b.le(a, eight), inner, b.mul(h.scale, turned));
  return b.mul(value, b.binary(Opcode::copysign, b.one_like(x), x));
}

}  // namespace

void add_special_bessel(OpTable& table) {
  add_special_function<in_double<j0_double>, 1>(table, "j0", "Bessel function of the first kind of order 0.", -8, 8);
  add_special_function<in_double<j1_double>, 1>(table, "j1", "Bessel function of the first kind of order 1.", -8, 8);
  add_special_function<in_double<i0_double>, 1>(table, "i0", "Modified Bessel function of order 0.", -8, 8);
  add_special_function<in_double<i0e_double>, 1>(table, "i0e", "exp(-|x|) * i0(x).", -8, 8);
  add_special_function<in_double<i1_double>, 1>(table, "i1", "Modified Bessel function of order 1.", -8, 8);
  add_special_function<in_double<i1e_double>, 1>(table, "i1e", "exp(-|x|) * i1(x).", -8, 8);
}

}  // namespace tessera::ops
