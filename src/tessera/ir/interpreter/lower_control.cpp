#include "tessera/ir/interpreter/lower.h"

#include <algorithm>

#include "tessera/ir/opcode.h"

namespace tessera::ir {

// A uniform cell or an affine base receives the base; lanes receive one number each.
Copy Lowering::copy_of(Scope& scope, Value from, CellId to, Shape to_shape) {
  const uint8_t size = static_cast<uint8_t>(itemsize(kernel_.instructions[from].type));
  if (to_shape.spread == Spread::varying) return {find_lanes(scope, from), to, size, false};
  return {find(scope, from), to, size, true};
}

// The copies are simultaneous: if any copy's source is another's target, all go through spare cells.
std::vector<Copy> Lowering::copies_to(Scope& scope, const std::vector<Value>& from, const std::vector<CellId>& to,
                                      const std::vector<Shape>& shapes) {
  std::vector<Copy> copies;
  bool tangled = false;
  for (size_t k = 0; k < from.size(); ++k) {
    copies.push_back(copy_of(scope, from[k], to[k], shapes[k]));
    const Opcode op = kernel_.instructions[from[k]].op;
    tangled |= op == Opcode::real || op == Opcode::imag;
  }
  for (const Copy& a : copies) {
    for (const Copy& b : copies) tangled |= &a != &b && a.from == b.to;
  }
  if (!tangled) {
    std::erase_if(copies, [](const Copy& c) { return c.from == c.to; });
    return copies;
  }
  std::vector<Copy> both;
  std::vector<CellId> spare;
  for (const Copy& c : copies) {
    spare.push_back(c.scalar ? uniform_cell(c.size) : fresh_lanes_cell(scope, c.size));
    both.push_back({c.from, spare.back(), c.size, c.scalar});
  }
  for (size_t k = 0; k < copies.size(); ++k) both.push_back({spare[k], copies[k].to, copies[k].size, copies[k].scalar});
  for (const Copy& c : both) {
    if (!c.scalar && std::ranges::find(spare, c.to) != spare.end()) release(scope, c.to);
  }
  return both;
}

CellId Lowering::bind_argument(Scope& scope, Value arg, std::vector<CellId>& owned) {
  const CellId cell = cell_for(scope, shape(scope, arg), kernel_.instructions[arg].type);
  scope.cells[arg] = cell;
  if (out_.cells[cell].place == Cell::Place::lanes) owned.push_back(cell);
  return cell;
}

std::vector<CellId> Lowering::define_results(Scope& scope, Value v) {
  std::vector<CellId> results;
  const int count = kernel_.result_count(v);
  for (int k = 0; k < count; ++k) {
    const Shape s = scope.shapes->result(v, k);
    DType type = kernel_.instructions[v].type;
    if (k > 0) {
      const Instruction& i = kernel_.instructions[v];
      if (i.op == Opcode::for_) type = kernel_.instructions[kernel_.operands(v)[3 + k]].type;
      if (i.op == Opcode::while_) type = kernel_.region(v, 1).arg_types[k];
      if (i.op == Opcode::if_) type = kernel_.instructions[kernel_.operands(kernel_.region(v, 0).body.back())[k]].type;
    }
    results.push_back(cell_for(scope, s, type));
  }
  if (count > 0) {
    scope.cells[v] = results[0];
    if (out_.cells[results[0]].place == Cell::Place::lanes) scope.owned[v] = results[0];
    scope.results[v] = results;
  }
  return results;
}

void Lowering::lower_if(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  Control control;
  control.divergent = scope.shapes->divergent(v);
  control.condition = find_lanes(scope, kernel_.operands(v)[0]);
  if (control.divergent) {
    control.masks[0] = lanes_cell(scope, 1);
    control.masks[1] = lanes_cell(scope, 1);
  }
  const std::vector<CellId> results = define_results(scope, v);
  scope.masked += control.divergent;
  for (int k = 0; k < i.region_count; ++k) {
    std::vector<Value> yields;
    control.sequences[k] = lower_sequence(scope, i.first_region + k, yields);
    for (size_t r = 0; r < yields.size(); ++r) {
      control.results[k].push_back(
          copy_of(scope, yields[r], results[r], scope.shapes->result(v, static_cast<uint32_t>(r))));
    }
  }
  scope.masked -= control.divergent;
  if (control.divergent) {
    release(scope, control.masks[0]);
    release(scope, control.masks[1]);
  }
  emit({.kind = StepKind::if_,
        .count = static_cast<uint8_t>(i.region_count),
        .side = static_cast<uint32_t>(out_.controls.size())});
  out_.controls.push_back(std::move(control));
}

void Lowering::lower_for(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  const Region& region = kernel_.regions[i.first_region];
  Control control;
  control.divergent = scope.shapes->divergent(v);
  IndexRef* bounds[] = {&control.lower, &control.upper, &control.step};
  for (int k = 0; k < 3; ++k)
    *bounds[k] = {find_lanes(scope, operands[k]), 0, shape(scope, operands[k]).spread != Spread::uniform};
  std::vector<CellId> owned;
  control.induction = bind_argument(scope, region.arg_values[0], owned);
  control.induction_lanes = shape(scope, region.arg_values[0]).spread == Spread::varying;
  if (control.divergent) owned.push_back(control.masks[0] = lanes_cell(scope, 1));
  const std::vector<CellId> results = define_results(scope, v);
  std::vector<CellId> carried;
  std::vector<Shape> carried_shapes;
  std::vector<bool> one_place;
  for (size_t k = 0; k < results.size(); ++k) {
    const Value arg = region.arg_values[k + 1];
    const Value initial = operands[3 + k];
    const Shape result_shape = scope.shapes->result(v, static_cast<uint32_t>(k));
    carried_shapes.push_back(shape(scope, arg));
    // A carried value with the result's shape shares the result's cell; under a mask, lanes that left the loop keep
    // theirs.
    one_place.push_back(result_shape == carried_shapes[k]);
    if (one_place[k]) {
      scope.cells[arg] = results[k];
      carried.push_back(results[k]);
    } else {
      carried.push_back(bind_argument(scope, arg, owned));
      control.enter.push_back(copy_of(scope, initial, results[k], result_shape));
    }
    control.enter.push_back(copy_of(scope, initial, carried[k], carried_shapes[k]));
  }
  scope.masked += control.divergent;
  std::vector<Value> yields;
  control.sequences[0] = lower_sequence(scope, i.first_region, yields);
  scope.masked -= control.divergent;
  for (size_t k = 0; k < yields.size(); ++k) {
    if (one_place[k]) continue;
    control.results[0].push_back(
        copy_of(scope, yields[k], results[k], scope.shapes->result(v, static_cast<uint32_t>(k))));
  }
  control.next = copies_to(scope, yields, carried, carried_shapes);
  for (CellId cell : owned) release(scope, cell);
  emit({.kind = StepKind::for_, .side = static_cast<uint32_t>(out_.controls.size())});
  out_.controls.push_back(std::move(control));
}

void Lowering::lower_while(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const std::span<const Value> initial = kernel_.operands(v);
  const Region& test = kernel_.regions[i.first_region];
  const Region& body = kernel_.regions[i.first_region + 1];
  Control control;
  control.divergent = scope.shapes->divergent(v);
  std::vector<CellId> owned;
  if (control.divergent) {
    owned.push_back(control.masks[0] = lanes_cell(scope, 1));
    owned.push_back(control.masks[1] = lanes_cell(scope, 1));
  }
  const std::vector<CellId> results = define_results(scope, v);
  std::vector<CellId> carried, passed;
  std::vector<Shape> carried_shapes, passed_shapes;
  for (size_t k = 0; k < initial.size(); ++k) {
    carried_shapes.push_back(shape(scope, test.arg_values[k]));
    carried.push_back(bind_argument(scope, test.arg_values[k], owned));
    control.enter.push_back(copy_of(scope, initial[k], carried[k], carried_shapes[k]));
  }
  for (Value arg : body.arg_values) {
    passed_shapes.push_back(shape(scope, arg));
    passed.push_back(bind_argument(scope, arg, owned));
  }
  scope.masked += control.divergent;
  std::vector<Value> tested, yields;
  control.sequences[0] = lower_sequence(scope, i.first_region, tested);
  control.condition = find_lanes(scope, tested[0]);
  for (size_t k = 0; k < passed.size(); ++k) {
    control.pass.push_back(copy_of(scope, tested[k + 1], passed[k], passed_shapes[k]));
    control.results[0].push_back(
        copy_of(scope, tested[k + 1], results[k], scope.shapes->result(v, static_cast<uint32_t>(k))));
  }
  control.sequences[1] = lower_sequence(scope, i.first_region + 1, yields);
  control.next = copies_to(scope, yields, carried, carried_shapes);
  scope.masked -= control.divergent;
  for (CellId cell : owned) release(scope, cell);
  emit({.kind = StepKind::while_, .side = static_cast<uint32_t>(out_.controls.size())});
  out_.controls.push_back(std::move(control));
}

}  // namespace tessera::ir
