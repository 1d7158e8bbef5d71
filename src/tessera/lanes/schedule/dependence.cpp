#include "tessera/lanes/schedule/dependence.h"

#include <algorithm>

#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/call_depth.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

int lane_axes(const ir::Kernel& kernel) {
  return kernel.block_axes > 1 && ir::meets_in_blocks(kernel) ? kernel.block_axes : 1;
}

int64_t short_iterations(const ir::Kernel& kernel, Value loop) {
  constexpr int64_t most_iterations = 32, most_instructions = 1024;
  if (lane_axes(kernel) == 1 || kernel.instructions[loop].op != Opcode::for_) return 0;
  std::span<const Value> bounds = kernel.operands(loop).first(3);
  const auto is_constant = [&](Value v) { return kernel.instructions[v].op == Opcode::constant; };
  if (!std::ranges::all_of(bounds, is_constant)) return 0;
  const auto number = [&](size_t k) { return kernel.constants[kernel.instructions[bounds[k]].imm].as_int(); };
  const int64_t first = number(0), end = number(1), step = number(2);
  if (step < 1 || step > most_iterations || first >= end || first < -most_instructions || end > most_instructions)
    return 0;
  const std::vector<Value>& body = kernel.region(loop, 0).body;
  const int64_t iterations = (end - first + step - 1) / step;
  if (iterations > most_iterations || iterations * static_cast<int64_t>(body.size()) > most_instructions) return 0;
  const bool computes = std::ranges::all_of(body, [&](Value v) {
    const Opcode op = kernel.instructions[v].op;
    const bool reads =
        op == Opcode::load || op == Opcode::load_array || op == Opcode::region_arg || op == Opcode::yield;
    return (reads || ir::is_pure(op)) && !is_long_function(kernel, v);
  });
  return computes ? iterations : 0;
}

Dependence::Dependence(const ir::Kernel& kernel)
    : kernel_(kernel),
      first_lane_axis_(kernel.ndim - lane_axes(kernel)),
      row_(kernel.ndim + 1),
      level_(kernel.instructions.size(), 0),
      surrounds_lanes_(kernel.instructions.size()) {
  for (Value v : kernel.regions[0].arg_values) level_[v] = lane();  // of a function
  visit_region(0, 0);
}

bool Dependence::raise(Value v, int to) {
  if (level_[v] >= to) return false;
  level_[v] = to;
  return true;
}

/// Raises each value to its source's level; returns whether any level rose.
bool Dependence::raise_all(std::span<const Value> values, std::span<const Value> sources) {
  bool rose = false;
  for (size_t k = 0; k < values.size(); ++k) rose |= raise(values[k], level_[sources[k]]);
  return rose;
}

int Dependence::operand_level(Value v) const {
  int level = 0;
  for (Value operand : kernel_.operands(v)) level = std::max(level, level_[operand]);
  return level;
}

void Dependence::visit_region(ir::RegionId region, int place) {
  for (Value v : kernel_.regions[region].body) visit(v, place);
}

/// `place` is the least level of instructions that must not run earlier or more often than written: 0, row or lane.
void Dependence::visit(Value v, int place) {
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.op == Opcode::barrier_count) {  // one count for the block
    raise(v, place < lane() ? row() : lane());
    return;
  }
  if (i.op == Opcode::call)
    return set_results(v, std::vector<int>(static_cast<size_t>(kernel_.result_count(v)), lane()), lane());
  if (ir::sees_other_lanes(i.op)) {
    raise(v, lane());
    return;
  }
  switch (i.op) {
    case Opcode::constant:
    case Opcode::scalar:
    case Opcode::extent:
    case Opcode::dimension: return;
    case Opcode::index:
      raise(v, static_cast<int>(i.imm) >= first_lane_axis_ ? lane() : static_cast<int>(i.imm) + 1);
      return;
    case Opcode::load: raise(v, load_level(v, place)); return;
    case Opcode::store:
    case Opcode::check: raise(v, lane()); return;
    case Opcode::if_: return visit_if(v, place);
    case Opcode::for_: return visit_for(v, place);
    case Opcode::while_: return visit_while(v, place);
    case Opcode::reduce: return visit_reduce(v, place);
    case Opcode::result: raise(v, results_[kernel_.operands(v)[0]].at(i.imm)); return;
    case Opcode::region_arg:
    case Opcode::yield: return;
    default: raise(v, operand_level(v));
  }
}

int Dependence::load_level(Value v, int place) const {
  const ir::Instruction& i = kernel_.instructions[v];
  const ir::BufferParam& buffer = kernel_.buffers[i.imm];
  if (buffer.writable || !buffer.no_alias || i.attr) return lane();
  int level = place;
  for (int axis = 0; axis < i.arg_count; ++axis) {
    bool stays = buffer.inner == ir::InnerStride::broadcast && axis + 1 == buffer.ndim;
    if (!stays) level = std::max(level, level_[kernel_.operands(v)[axis]]);
  }
  return level;
}

void Dependence::set_results(Value v, std::vector<int> levels, int place) {
  raise(v, levels.empty() ? place : levels[0]);
  results_[v] = std::move(levels);
}

void Dependence::visit_if(Value v, int place) {
  const bool uniform = place < lane() && kernel_.ndim > 0 && level_[kernel_.operands(v)[0]] < lane();
  surrounds_lanes_[v] = uniform;
  const int inside = uniform ? row_ : lane();
  std::vector<int> levels;
  for (int k = 0; k < kernel_.instructions[v].region_count; ++k) {
    visit_region(kernel_.instructions[v].first_region + k, inside);
    std::span<const Value> results = yielded(kernel_, kernel_.region(v, k));
    levels.resize(results.size(), inside);
    for (size_t r = 0; r < results.size(); ++r) levels[r] = std::max(levels[r], level_[results[r]]);
  }
  set_results(v, std::move(levels), inside);
}

void Dependence::visit_for(Value v, int place) {
  std::span<const Value> operands = kernel_.operands(v);
  std::span<const Value> carried = std::span(kernel_.region(v, 0).arg_values).subspan(1);
  const bool uniform = place < lane() && kernel_.ndim > 0 &&
                       std::max({level_[operands[0]], level_[operands[1]], level_[operands[2]]}) < lane();
  visit_iterations(v, uniform ? row_ : lane());
  // What is the same for all lanes stays outside of their loops.
  const bool differs =
      !carried.empty() && std::ranges::all_of(carried, [&](Value argument) { return varies(argument); });
  const bool is_in_lane = !uniform || (differs && short_iterations(kernel_, v) > 0);
  if (uniform && is_in_lane) visit_iterations(v, lane());
  surrounds_lanes_[v] = !is_in_lane;
  std::vector<int> levels;
  for (Value argument : carried) levels.push_back(level_[argument]);
  set_results(v, std::move(levels), is_in_lane ? lane() : row_);
}

void Dependence::visit_iterations(Value v, int inside) {
  const ir::Region& body = kernel_.region(v, 0);
  std::span<const Value> carried = std::span(body.arg_values).subspan(1);
  for (Value argument : body.arg_values) raise(argument, inside);
  raise_all(carried, kernel_.operands(v).subspan(3));
  do {
    visit_region(kernel_.instructions[v].first_region, inside);
  } while (raise_all(carried, yielded(kernel_, body)));
}

void Dependence::visit_while(Value v, int place) {
  const ir::Region& condition = kernel_.region(v, 0);
  const ir::Region& body = kernel_.region(v, 1);
  const ir::RegionId first = kernel_.instructions[v].first_region;
  // First assumed uniform; if the condition turns out to differ between lanes, the whole loop is executed per lane.
  for (int inside = place < lane() && kernel_.ndim > 0 ? row_ : lane();; inside = lane()) {
    for (Value argument : condition.arg_values) raise(argument, inside);
    for (Value argument : body.arg_values) raise(argument, inside);
    raise_all(condition.arg_values, kernel_.operands(v));
    bool rose = true;
    while (rose) {
      visit_region(first, inside);
      rose = raise_all(body.arg_values, yielded(kernel_, condition).subspan(1));
      visit_region(first + 1, inside);
      rose |= raise_all(condition.arg_values, yielded(kernel_, body));
    }
    surrounds_lanes_[v] = inside == row_;
    if (inside == lane() || level_[yielded(kernel_, condition)[0]] < lane()) break;
  }
  std::vector<int> levels;
  for (Value argument : body.arg_values) levels.push_back(level_[argument]);
  set_results(v, std::move(levels), surrounds_lanes_[v] ? row_ : lane());
}

bool Dependence::varies_inside(ir::RegionId region) const {
  for (Value v : kernel_.regions[region].body) {
    if (varies(v)) return true;
    for (int k = 0; k < kernel_.instructions[v].region_count; ++k)
      if (varies_inside(kernel_.instructions[v].first_region + k)) return true;
  }
  return false;
}

void Dependence::visit_reduce(Value v, int place) {
  const ir::Region& region = kernel_.region(v, 0);
  const ir::RegionId first = kernel_.instructions[v].first_region;
  const Value element = yielded(kernel_, region)[0];
  const bool sequential = ir::reduce_order(kernel_.instructions[v].attr) == ir::ReduceOrder::sequential;
  const std::span<const Value> operands = kernel_.operands(v);
  const int bounds = std::max(level_[operands[0]], level_[operands[1]]);
  const bool uniform = place < lane() && bounds < lane();
  raise(region.arg_values[0], uniform ? row_ : lane());
  visit_region(first, uniform ? row_ : lane());
  const bool differs = operand_level(v) == lane() || level_[element] == lane() || varies_inside(first);
  surrounds_lanes_[v] = uniform && sequential && differs;
  if (uniform && !sequential && differs) {
    // The tree runs inside each lane, so everything that depends on its index does, too.
    raise(region.arg_values[0], lane());
    visit_region(first, lane());
  }
  raise(v, differs ? lane() : std::max(operand_level(v), row_));
}

}  // namespace tessera::lanes
