/// The six comparisons, which are exact for int64 with uint64, too.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

/// For booleans: false < true.
Value compare_booleans(Builder& b, Opcode op, Value x, Value y) {
  switch (op) {
    case Opcode::ne: return b.bit_xor(x, y);
    case Opcode::eq: return b.bit_not(b.bit_xor(x, y));
    case Opcode::lt: return b.bit_and(b.bit_not(x), y);
    case Opcode::le: return b.bit_or(b.bit_not(x), y);
    case Opcode::gt: return b.bit_and(x, b.bit_not(y));
    default: return b.bit_or(x, b.bit_not(y));
  }
}

/// One operand is signed and one unsigned: a negative number is less than every unsigned one.
Value compare_mixed(Builder& b, Opcode op, Value x, Value y) {
  bool left_signed = is_signed_integer(b.type(x));
  Value negative = left_signed ? b.lt(x, b.zero_like(x)) : b.lt(y, b.zero_like(y));
  Value same = b.compare(op, b.cast(x, DType::uint64), b.cast(y, DType::uint64));
  bool below = op == Opcode::lt || op == Opcode::le;
  bool above = op == Opcode::gt || op == Opcode::ge;
  bool when_negative = op == Opcode::ne || (left_signed ? below : above);
  return when_negative ? b.bit_or(negative, same) : b.bit_and(b.bit_not(negative), same);
}

template <Opcode op>
void comparison_body(Builder& b, In in, Out out) {
  DType x = b.type(in[0]), y = b.type(in[1]);
  if (is_boolean(x)) {
    out[0] = compare_booleans(b, op, in[0], in[1]);
  } else if (x != y) {
    out[0] = compare_mixed(b, op, in[0], in[1]);
  } else {
    out[0] = b.compare(op, in[0], in[1]);
  }
}

/// int64 with uint64 has loops of its own; all other operands are converted to the promoted type.
void meet(const Op&, std::span<DType> in) {
  auto wide = [](DType t) { return t == DType::uint64; };
  if (is_integer(in[0]) && is_integer(in[1]) && wide(in[0]) != wide(in[1])) {
    DType& other = wide(in[0]) ? in[1] : in[0];
    other = is_signed_integer(other) ? DType::int64 : DType::uint64;
    return;
  }
  in[0] = in[1] = promote(in[0], in[1]);
}

std::vector<Signature> comparison_loops() {
  return loops_to(DType::boolean, "?bBhHiIlL", 2) + parse_loops("lL->? Ll->?") +
         loops_to(DType::boolean, inexact_codes, 2);
}

template <Opcode op>
void add_comparison(OpTable& table, std::string_view name, std::string_view doc) {
  table.add({.name = name, .doc = doc, .signatures = comparison_loops(), .body = comparison_body<op>, .resolve = meet});
}

}  // namespace

void add_comparisons(OpTable& table) {
  add_comparison<Opcode::eq>(table, "equal", "Whether both are equal; NaN equals nothing.");
  add_comparison<Opcode::ne>(table, "not_equal", "Whether both differ; NaN differs from all.");
  add_comparison<Opcode::lt>(table, "less", "Whether x1 < x2; false where one is NaN.");
  add_comparison<Opcode::le>(table, "less_equal", "Whether x1 <= x2; false where one is NaN.");
  add_comparison<Opcode::gt>(table, "greater", "Whether x1 > x2; false where one is NaN.");
  add_comparison<Opcode::ge>(table, "greater_equal", "Whether x1 >= x2; false where one is NaN.");
}

}  // namespace tessera::ops
