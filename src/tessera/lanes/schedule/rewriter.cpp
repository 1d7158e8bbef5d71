#include "tessera/lanes/schedule/rewriter.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::RegionId;
using ir::Value;

Rewriter::Rewriter(const ir::Kernel& from)
    : from_(from), out_(from), to_value_(from.instructions.size(), ir::no_value) {
  out_.instructions.clear();
  out_.args.clear();
  out_.regions.assign(1, {});
}

Value Rewriter::append(ir::Instruction i, std::span<const Value> operands) {
  i.first_arg = static_cast<uint32_t>(out_.args.size());
  i.arg_count = static_cast<uint16_t>(operands.size());
  out_.args.insert(out_.args.end(), operands.begin(), operands.end());
  const auto v = static_cast<Value>(out_.instructions.size());
  out_.instructions.push_back(i);
  out_.regions[open_].body.push_back(v);
  return v;
}

Value Rewriter::constant(const Scalar& value) {
  out_.constants.push_back(value);
  return append({.op = Opcode::constant, .type = value.dtype, .imm = static_cast<uint32_t>(out_.constants.size() - 1)},
                {});
}

Value Rewriter::result(Value control, uint32_t k, DType type) {
  return k == 0 ? control : append({.op = Opcode::result, .type = type, .imm = k}, {control});
}

RegionId Rewriter::add_regions(int count) {
  const auto first = static_cast<RegionId>(out_.regions.size());
  out_.regions.resize(out_.regions.size() + static_cast<size_t>(count));
  return first;
}

Rewriter::Values Rewriter::add_arguments(RegionId region, std::span<const DType> types) {
  for (DType type : types) {
    ir::Region& to = out_.regions[region];
    to.arg_values.push_back(static_cast<Value>(out_.instructions.size()));
    out_.instructions.push_back(
        {.op = Opcode::region_arg, .type = type, .imm = static_cast<uint32_t>(to.arg_types.size())});
    to.arg_types.push_back(type);
  }
  return out_.regions[region].arg_values;
}

void Rewriter::copy_arguments(RegionId from, RegionId to) {
  map(from_.regions[from].arg_values, add_arguments(to, from_.regions[from].arg_types));
}

void Rewriter::map(std::span<const Value> from, std::span<const Value> to) {
  for (size_t k = 0; k < from.size(); ++k) to_value_[from[k]] = to[k];
}

Rewriter::Values Rewriter::mapped(std::span<const Value> values) const {
  Values result;
  for (Value v : values) result.push_back(to_value_[v]);
  return result;
}

}  // namespace tessera::lanes
