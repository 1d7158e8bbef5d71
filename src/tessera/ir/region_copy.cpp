#include "tessera/ir/region_copy.h"

#include "tessera/base/error.h"

namespace tessera::ir {

RegionCopy::RegionCopy(Builder& to, const Kernel& from)
    : to_(to), from_(from), values_(from.instructions.size(), no_value), arrays_(from.arrays.size(), no_value) {
  if (from.functions.empty()) return;
  for (uint32_t k = 0; k < arrays_.size(); ++k) arrays_[k] = to.add_array(from.arrays[k]);
  to.copy_functions(from);
}

void RegionCopy::copy(const Region& region, const Handler& handle) {
  for (Value v : region.body)
    if (!handle(v)) copy(v, handle);
}

void RegionCopy::copy(Value v, const Handler& handle) {
  Instruction i = from_.instructions[v];
  switch (i.op) {
    case Opcode::constant: values_[v] = to_.constant(from_.constants[i.imm]); return;
    case Opcode::load_array:
    case Opcode::store_array:
    case Opcode::atomic_array:
    case Opcode::address_array:
      if (arrays_[i.imm] == no_value) arrays_[i.imm] = to_.add_array(from_.arrays[i.imm]);
      i.imm = arrays_[i.imm];
      break;
    case Opcode::call_foreign: i.imm = to_.add_foreign(from_.foreign[i.imm]); break;
    default: break;
  }
  if (i.region_count) i.first_region = copy_regions(i, handle);
  std::vector<Value> operands;
  for (Value operand : from_.operands(v)) {
    invariant(values_[operand] != no_value, "ir: {} of what was not copied", name(i.op));
    operands.push_back(values_[operand]);
  }
  values_[v] = to_.append(i, operands);
}

RegionId RegionCopy::copy_regions(const Instruction& i, const Handler& handle) {
  to_.open_guards();
  const RegionId first = to_.add_regions(i.region_count);
  for (RegionId k = 0; k < i.region_count; ++k) {
    const Region& source = from_.regions[i.first_region + k];
    to_.fill_region(first + k, source.arg_types, [&](std::span<const Value> args) {
      for (size_t n = 0; n < args.size(); ++n) values_[source.arg_values[n]] = args[n];
      copy(source, handle);
      return std::vector<Value>{};  // the yield was copied, too
    });
  }
  return first;
}

void Builder::inline_body(const Kernel& body, std::span<const Value> in, std::span<Value> out, uint32_t flag_slot) {
  invariant(body.ndim == 1 && body.buffers.size() == in.size() + out.size(), "ir: {} is no body of {} operands",
            body.name, in.size());
  RegionCopy copy(*this, body);
  copy.copy(body.regions[0], [&](Value v) {
    const Instruction& i = body.instructions[v];
    if (i.op == Opcode::load) copy.set(v, in[i.imm]);
    if (i.op == Opcode::store) out[i.imm - in.size()] = copy[body.operands(v)[0]];
    if (i.op == Opcode::check) {
      std::vector<Value> operands;
      for (Value operand : body.operands(v)) operands.push_back(copy[operand]);
      check(static_cast<ErrorRule>(i.attr), flag_slot, operands[0], std::span(operands).subspan(1));
    }
    return i.op == Opcode::load || i.op == Opcode::store || i.op == Opcode::index || i.op == Opcode::check;
  });
}

}  // namespace tessera::ir
