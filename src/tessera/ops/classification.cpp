/// isnan, isinf, isfinite, signbit.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

Value ask(Builder& b, Opcode op, Value x) { return b.unary(op, widen(b, x)); }

/// Booleans and integers are always finite; a complex number has a property if either part does (isfinite: both parts).
template <Opcode op>
void classify_body(Builder& b, In in, Out out) {
  Value x = in[0];
  DType t = b.type(x);
  if (is_complex(t)) {
    Value re = ask(b, op, b.real(x)), im = ask(b, op, b.imag(x));
    out[0] = op == Opcode::is_finite ? b.bit_and(re, im) : b.bit_or(re, im);
  } else if (is_floating(t)) {
    out[0] = ask(b, op, x);
  } else {
    out[0] = b.constant(Scalar::of_bool(op == Opcode::is_finite));
  }
}

template <Opcode op>
void add_question(OpTable& table, std::string_view name, std::string_view doc) {
  table.add(
      {.name = name, .doc = doc, .signatures = loops_to(DType::boolean, all_codes, 1), .body = classify_body<op>});
}

}  // namespace

void add_classification(OpTable& table) {
  add_question<Opcode::is_nan>(table, "isnan", "Test element-wise for NaN.");
  add_question<Opcode::is_inf>(table, "isinf", "Whether x is infinite, whatever its sign.");
  add_question<Opcode::is_finite>(table, "isfinite", "Whether x is neither infinite nor NaN.");
  table.add({.name = "signbit",
             .doc = "Whether the sign bit is 1: of numbers below 0, -0 and some NaNs.",
             .signatures = loops_to(DType::boolean, floating_codes, 1),
             .body = [](Builder& b, In in, Out out) { out[0] = ask(b, Opcode::sign_bit, in[0]); }});
}

}  // namespace tessera::ops
