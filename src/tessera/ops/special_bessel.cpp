/// Modified Bessel functions of orders 0 and 1: i0, i0e, i1, i1e.
#include "tessera/ops/special_table.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

/// e^-a I(a) has fits in (a - 8) / (a + 8) up to 8 and, times sqrt(a), in 1 / a from 8 on.
Value inner_variable(Builder& b, Value a) {
  const Value eight = number(b, a, 8), t = b.min(a, eight);
  return b.div(b.sub(t, eight), b.add(t, eight));
}
Value outer_variable(Builder& b, Value a) { return b.div(b.one_like(a), b.max(a, number(b, a, 8))); }
Value is_inner(Builder& b, Value a) { return b.lt(a, number(b, a, 8)); }

Value i0e_double(Builder& b, Value x) {
  const Value a = b.abs(x), u = outer_variable(b, a);
  const Value inner = horner(b, inner_variable(b, a), {
          0.14343178185685032, -0.1486286170264371, 0.08314936271277364, -0.0883505420439987, 0.07763850624316751,
          -0.0875390970736545, 0.09263330576098858, -0.10786132990762329, 0.107891145109734, -0.08691166026480181,
          0.026005412422677374, 0.021590538655489103, -0.07127853104671447, -0.0657547143512356,
          -0.09767268886601745, -0.21370662633262746, -0.27295544706379765, -0.2125550335691752,
          -0.10769682617778223, -0.03566523142988428, -0.0072721289954505155, -0.0007664370979527866,
          -2.2642398330720335e-05});
  const Value outer = b.mul(b.sqrt(u), horner(b, u, {
          0.39894228040143265, 0.04986778505023962, 0.028050629044888833, 0.029219416428175406, 0.044742181508851786,
          0.09012544328855539, 0.33637301284462756, -12.346926377895707, 1038.0459250283895, -58597.46706877752,
          2463867.729877846, -78898272.88811962, 1954289776.7096384, -37767543285.925835, 571339871030.8129,
          -6755350432042.378, 62018675911172.36, -436558545172613.8, 2307398010262514.0, -8850287818594108.0,
          2.324121133541887e+16, -3.736253247475426e+16, 2.772859045486486e+16}));
  return b.select(is_inner(b, a), inner, outer);
}

Value i1e_double(Builder& b, Value x) {
  const Value a = b.abs(x), u = outer_variable(b, a);
  const Value inner = b.mul(a, horner(b, inner_variable(b, a), {
          0.01676781166158727, -0.0484926695180448, 0.06801309156862143, -0.07575344135217736, 0.07829261185168936,
          -0.07498978013758142, 0.06590183224564106, -0.05007455378054809, 0.02869089560288417,
          -0.006417595775994488, -0.008291780953874568, 0.009064181480023123, -0.0010926689361955004,
          -0.007713576039787419, -0.003227197245575203, -0.006708442049650815, -0.017503796734487514,
          -0.0216160042712529, -0.015860482679272273, -0.007536042480141323, -0.002317854893756923,
          -0.0004253131287670924, -3.569854118387859e-05}));
  const Value outer = b.mul(b.sqrt(u), horner(b, u, {
          0.3989422804014327, -0.14960335515059725, -0.0467510484419289, -0.04090717599098903, -0.05752656695048719,
          -0.11008051188533223, -0.400943716916256, 14.29596107741302, -1171.2844667971497, 65030.5482085648,
          -2702145.0616331613, 85749752.69618051, -2108735725.2883046, 40510612640.263664, -609761398719.6765,
          7178416932865.8545, -65652549885199.21, 460580274362759.75, -2427001399427218.5, 9283567728242608.0,
          -2.431824031172175e+16, 3.900464085881225e+16, -2.8886373524634124e+16}));
  return b.binary(Opcode::copysign, b.select(is_inner(b, a), inner, outer), x);
}

/// e^a in two factors: e^a itself overflows before I(a) does.
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

}  // namespace

void add_special_bessel(OpTable& table) {
  add_special_function<in_double<i0_double>, 1>(table, "i0", "Modified Bessel function of order 0.", -8, 8);
  add_special_function<in_double<i0e_double>, 1>(table, "i0e", "exp(-|x|) * i0(x).", -8, 8);
  add_special_function<in_double<i1_double>, 1>(table, "i1", "Modified Bessel function of order 1.", -8, 8);
  add_special_function<in_double<i1e_double>, 1>(table, "i1e", "exp(-|x|) * i1(x).", -8, 8);
}

}  // namespace tessera::ops
