#include "tessera/ir/builder.h"
#include "tessera/ir/interpreter/lower.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

void Lowering::lower_reduce(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const std::span<const Value> bounds = kernel_.operands(v);
  ReduceInfo info;
  info.kind = reduce_kind(i.attr);
  info.order = reduce_order(i.attr);
  info.type = i.type;
  info.free_order =
      is_integer(i.type) || is_boolean(i.type) || (info.kind != ReduceKind::add && info.kind != ReduceKind::mul);
  info.uniform_result = shape(scope, v).spread == Spread::uniform;
  info.lower = index_ref(scope, bounds[0]);
  info.upper = index_ref(scope, bounds[1]);
  info.uniform_bounds = info.lower.step == 0 && info.upper.step == 0 && !info.lower.lanes && !info.upper.lanes;
  info.start = identity(info.kind, i.type);
  if (bounds.size() > 2) info.initial = find_lanes(scope, bounds[2]);
  info.copy = find_loop(Opcode::load, i.type, i.type);
  info.combine = find_loop(combining_opcode(info.kind), i.type, i.type);
  info.loop = find_reduce_loop(info.kind, info.order, i.type);
  info.result = define(scope, v);
  lower_reduce_lanes(scope, v, info);
  if (info.uniform_bounds && !info.uniform_result) lower_reduce_rows(scope, v, info);
  emit({.kind = StepKind::reduce,
        .size = static_cast<uint8_t>(itemsize(i.type)),
        .result = info.result,
        .side = static_cast<uint32_t>(out_.reduces.size())});
  out_.reduces.push_back(std::move(info));
}

void Lowering::lower_reduce_rows(Scope& scope, Value v, ReduceInfo& info) {
  std::vector<CellId> owned;
  const RegionId region = kernel_.instructions[v].first_region;
  info.row_index = bind_argument(scope, kernel_.regions[region].arg_values[0], owned);
  const uint32_t first_access = static_cast<uint32_t>(out_.accesses.size());
  std::vector<Value> yields;
  info.row_sequence = lower_sequence(scope, region, yields);
  info.row_element = find_lanes(scope, yields[0]);
  if (first_access < out_.accesses.size()) info.row_probe = first_access;
  for (CellId cell : owned) release(scope, cell);
  // The region's cells belong to this frame; the lowering by lanes must not find them.
  for (Value arg : kernel_.regions[region].arg_values) scope.cells[arg] = no_cell;
}

void Lowering::lower_reduce_lanes(Scope& scope, Value v, ReduceInfo& info) {
  const RegionId region = kernel_.instructions[v].first_region;
  shapes_.push_back(std::make_unique<Shapes>(kernel_, v));
  Scope inner = make_scope(*shapes_.back());
  inner.frame = static_cast<FrameId>(out_.frames.size());
  inner.parent = &scope;
  inner.imports = &info.imports;
  out_.frames.emplace_back();
  info.frame = inner.frame;
  const Value arg = kernel_.regions[region].arg_values[0];
  info.lane_index = inner.cells[arg] = uniform_cell(8);
  const uint32_t first_access = static_cast<uint32_t>(out_.accesses.size());
  std::vector<Value> yields;
  info.lane_sequence = lower_sequence(inner, region, yields);
  const Value element = yields[0];
  const Instruction& made_by = kernel_.instructions[element];
  info.lane_element = find_lanes(inner, element);
  info.lane_uniform = inner.shapes->operator[](element).spread == Spread::uniform;
  if (first_access < out_.accesses.size()) info.lane_probe = first_access;
  const bool own_apply = !info.lane_uniform && out_.cells[info.lane_element].place == Cell::Place::lanes &&
                         is_pure(made_by.op) && inner.shapes->operator[](element).spread == Spread::varying &&
                         liveness_.home(element) == region;
  if (own_apply) {
    // A separate cell, whose pointer follows the chunk.
    const CellId shared = info.lane_element;
    const CellId own = add_cell({.place = Cell::Place::pointer, .size = out_.cells[shared].size});
    for (Step& step : out_.sequences[info.lane_sequence]) {
      if (step.result == shared && &step == &out_.sequences[info.lane_sequence].back())
        step.result = own, info.lane_aimed = true;
    }
    if (info.lane_aimed) info.lane_element = own;
  }
  info.lane_direct = out_.frames[inner.frame].bytes_per_lane == 0 && !info.lane_aimed;
  const std::vector<Step>& steps = out_.sequences[info.lane_sequence];
  info.lane_plain = info.lane_direct && steps.size() == 1 && steps[0].kind == StepKind::load && !steps[0].scalar;
  for (const Import& import : info.imports) info.lane_plain &= import.affine;
  info.chunk_at = out_.chunk_bytes;
  if (!info.lane_direct) out_.chunk_bytes += 8192 * static_cast<uint32_t>(itemsize(info.type)) + 64;
}

}  // namespace tessera::ir
