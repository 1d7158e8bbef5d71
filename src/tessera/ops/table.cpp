#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/ops/families.h"
#include "tessera/ops/op.h"
#include "tessera/ops/user_op.h"

namespace tessera::ops {

const OpTable& OpTable::standard() {
  static const OpTable table = [] {
    OpTable t;
    add_arithmetic(t);
    add_divmod(t);
    add_powers(t);
    add_extrema(t);
    add_comparisons(t);
    add_logic(t);
    add_bitwise(t);
    add_integer(t);
    add_exponential(t);
    add_trigonometric(t);
    add_hyperbolic(t);
    add_rounding(t);
    add_floating(t);
    add_classification(t);
    add_complex(t);
    add_special(t);
    add_hidden(t);
    return t;
  }();
  return table;
}

Op& OpTable::add(Op op) {
  invariant(op.body != nullptr, "op {} has no body", op.name);
  invariant(!op.signatures.empty(), "op {} has no loops", op.name);
  op.nin = static_cast<uint8_t>(op.signatures[0].in.size());
  op.nout = static_cast<uint8_t>(op.signatures[0].out.size());
  op.id = static_cast<OpId>(ops_.size());
  for (size_t k = 0; k < op.signatures.size(); ++k) op.signatures[k].key = Hash().add(op.id).add(k).value();
  invariant(by_name_.emplace(op.name, op.id).second, "op {} is there twice", op.name);
  return ops_.emplace_back(std::move(op));
}

const Op* OpTable::find(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &ops_[found->second];
}

void emit_body(const Op& op, const Signature& signature, ir::Builder& builder, std::span<const ir::Value> in,
               std::span<ir::Value> out) {
  if (op.user)
    builder.inline_body(op.user->body(signature), in, out);
  else
    op.body(builder, in, out);
}

void emit_watched_body(const Op& op, const Signature& signature, ir::Builder& builder, uint32_t flag_slot,
                       std::span<const ir::Value> in, std::span<ir::Value> out) {
  const ir::Kernel* watched = op.user->watched_body(signature);
  builder.inline_body(watched ? *watched : op.user->body(signature), in, out, flag_slot);
}

ir::ErrorRule errors_of(const Op& op, DType operand) {
  if (is_boolean(operand)) return ir::ErrorRule::none;
  return is_integer(operand) ? op.integer_errors : op.errors;
}

std::optional<ir::ReduceKind> reduce_kind_of(const Op& op, DType type) {
  if (!op.reduce) return {};
  using ir::ReduceKind;
  if (is_boolean(type)) {
    switch (*op.reduce) {
      case ReduceKind::add:
      case ReduceKind::max:
      case ReduceKind::max_num: return ReduceKind::bit_or;
      case ReduceKind::mul:
      case ReduceKind::min:
      case ReduceKind::min_num: return ReduceKind::bit_and;
      case ReduceKind::bit_and:
      case ReduceKind::bit_or:
      case ReduceKind::bit_xor: return op.reduce;
    }
  }
  if (is_complex(type) && op.reduce != ReduceKind::add) return {};
  return op.reduce;
}

}  // namespace tessera::ops
