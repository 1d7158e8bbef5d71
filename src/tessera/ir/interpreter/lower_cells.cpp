#include "tessera/base/error.h"
#include "tessera/ir/interpreter/lower.h"

namespace tessera::ir {

CellId Lowering::add_cell(Cell cell) {
  out_.cells.push_back(cell);
  return static_cast<CellId>(out_.cells.size() - 1);
}

CellId Lowering::uniform_cell(int size) {
  return add_cell({.place = Cell::Place::uniform, .size = static_cast<uint8_t>(size), .at = out_.uniform_count++});
}

CellId Lowering::lanes_cell(Scope& scope, int size) {
  std::vector<CellId>& free = scope.free[size];
  if (!free.empty()) {
    const CellId cell = free.back();
    free.pop_back();
    return cell;
  }
  return fresh_lanes_cell(scope, size);
}

// Always allocates a new slot: a region's yielded values may be in slots that already count as free.
CellId Lowering::fresh_lanes_cell(Scope& scope, int size) {
  uint32_t& used = out_.frames[scope.frame].bytes_per_lane;
  const CellId cell =
      add_cell({.place = Cell::Place::lanes, .size = static_cast<uint8_t>(size), .frame = scope.frame, .at = used});
  used += static_cast<uint32_t>(size);
  return cell;
}

void Lowering::release(Scope& scope, CellId cell) { scope.free[out_.cells[cell].size].push_back(cell); }

void Lowering::release_ending(Scope& scope, RegionId region, uint32_t position, Value except) {
  for (Value v : liveness_.ending(region, position)) {
    if (v == except) continue;
    if (scope.owned[v] != no_cell) release(scope, scope.owned[v]);
    if (scope.owns_lanes[v]) release(scope, scope.lanes[v]);
    scope.owned[v] = no_cell;
    scope.owns_lanes[v] = false;
  }
}

CellId Lowering::cell_for(Scope& scope, Shape shape, DType type) {
  const int size = static_cast<int>(itemsize(type));
  return shape.spread == Spread::varying ? lanes_cell(scope, size) : uniform_cell(size);
}

CellId Lowering::define(Scope& scope, Value v) {
  const CellId cell = cell_for(scope, shape(scope, v), kernel_.instructions[v].type);
  scope.cells[v] = cell;
  if (out_.cells[cell].place == Cell::Place::lanes) scope.owned[v] = cell;
  return cell;
}

// A value of an enclosing frame is uniform in this one; which lane of that frame it comes from is set on entry.
CellId Lowering::find(Scope& scope, Value v) {
  if (scope.cells[v] != no_cell) return scope.cells[v];
  if (once_cells_[v] != no_cell) return once_cells_[v];
  invariant(scope.parent != nullptr, "ir: %{} has no cell", v);
  const CellId outer = find(*scope.parent, v);
  const Shape outer_shape = shape(*scope.parent, v);
  if (outer_shape.spread == Spread::uniform) return scope.cells[v] = outer;
  const bool affine = outer_shape.spread == Spread::affine;
  const int size = static_cast<int>(itemsize(kernel_.instructions[v].type));
  const CellId own =
      affine ? uniform_cell(size) : add_cell({.place = Cell::Place::pointer, .size = static_cast<uint8_t>(size)});
  scope.imports->push_back({outer, own, affine, outer_shape.step});
  return scope.cells[v] = own;
}

CellId Lowering::find_lanes(Scope& scope, Value v) {
  if (shape(scope, v).spread != Spread::affine) return find(scope, v);
  if (scope.lanes[v] == no_cell) materialise(scope, v);
  return scope.lanes[v];
}

void Lowering::materialise(Scope& scope, Value v) {
  const CellId lanes = lanes_cell(scope, 8);
  scope.lanes[v] = lanes;
  scope.owns_lanes[v] = true;
  emit({.kind = StepKind::iota,
        .result = lanes,
        .first = add_operands({find(scope, v)}),
        .amount = shape(scope, v).step});
}

IndexRef Lowering::index_ref(Scope& scope, Value v) {
  const Shape s = shape(scope, v);
  return {find(scope, v), s.step, s.spread == Spread::varying};
}

}  // namespace tessera::ir
