#include "tessera/ir/event_checks.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/ir/region_copy.h"

namespace tessera::ir {

namespace {

bool is_watched_type(DType type) { return type == DType::float32 || type == DType::float64; }

/// How events of the operation on floats show in its result.
ErrorRule rule_of(Opcode op) {
  switch (op) {
    case Opcode::div:
    case Opcode::floor_div: return ErrorRule::divide;
    case Opcode::pow: return ErrorRule::power;
    case Opcode::log:
    case Opcode::log2:
    case Opcode::log10:
    case Opcode::log1p:
    case Opcode::atanh:
    case Opcode::lgamma: return ErrorRule::pole;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::rem:
    case Opcode::floor_mod:
    case Opcode::hypot:
    case Opcode::ldexp:
    case Opcode::sqrt:
    case Opcode::exp:
    case Opcode::exp2:
    case Opcode::expm1:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::tan:
    case Opcode::asin:
    case Opcode::acos:
    case Opcode::sinh:
    case Opcode::cosh:
    case Opcode::acosh:
    case Opcode::tgamma: return ErrorRule::arithmetic;
    default: return ErrorRule::none;
  }
}

ErrorRule rule_of(const Kernel& body, Value v) {
  const Instruction& i = body.instructions[v];
  if (is_watched_type(i.type)) return rule_of(i.op);
  return ErrorRule::none;
}

bool is_complex_body(const Kernel& body) {
  return std::ranges::any_of(body.instructions, [](const Instruction& i) { return is_complex(i.type); });
}

}  // namespace

std::optional<Kernel> with_event_checks(const Kernel& body) {
  bool watches = false;
  for (Value v = 0; v < body.instructions.size(); ++v) watches |= rule_of(body, v) != ErrorRule::none;
  if (!watches || is_complex_body(body)) return {};
  Builder b(body.ndim, body.name);
  for (const BufferParam& buffer : body.buffers) b.add_buffer(buffer);
  const uint32_t slot = b.add_flag_slot();
  RegionCopy copy(b, body);
  copy.copy(body.regions[0], [&](Value v) {
    const ErrorRule rule = rule_of(body, v);
    if (rule == ErrorRule::none) return false;
    copy.copy(v, {});
    std::vector<Value> operands;
    for (Value operand : body.operands(v))
      if (is_watched_type(body.instructions[operand].type)) operands.push_back(copy[operand]);
    b.check(rule, slot, copy[v], operands);
    return true;
  });
  return b.take();
}

}  // namespace tessera::ir
