#include "tessera/plan/move_joiner.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tessera/plan/box_of.h"
#include "tessera/plan/limits.h"

namespace tessera::plan {

namespace {

/// A kernel that copies elements unchanged or fills with one scalar, and the bindings of its result and operand.
struct PlainCopy {
  const Binding* to = nullptr;
  const Binding* from = nullptr;  // null: a scalar
  int64_t item = 0;
};

std::optional<PlainCopy> plain_copy_of(const KernelStep& step) {
  const ir::Kernel& kernel = *step.kernel;
  if (kernel.regions.size() != 1 || !step.flag_nodes.empty() || step.buffers.empty() || step.buffers.size() > 2)
    return {};
  const ir::Instruction* store = nullptr;
  ir::Value stored = ir::no_value;
  const auto runs_along = [&](std::span<const ir::Value> indices) {
    if (indices.size() != kernel.ndim) return false;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      const ir::Instruction& index = kernel.instructions[indices[axis]];
      if (index.op != ir::Opcode::index || index.imm != axis) return false;
    }
    return true;
  };
  for (ir::Value v : kernel.regions[0].body) {
    const ir::Instruction& i = kernel.instructions[v];
    if (i.op == ir::Opcode::index || i.op == ir::Opcode::scalar) continue;
    if (i.op == ir::Opcode::load && runs_along(kernel.operands(v))) continue;
    if (i.op != ir::Opcode::store || store || !runs_along(kernel.operands(v).subspan(1))) return {};
    store = &i;
    stored = kernel.operands(v)[0];
  }
  if (!store) return {};
  const ir::Instruction& value = kernel.instructions[stored];
  PlainCopy copy{.to = &step.buffers[store->imm], .item = itemsize(kernel.buffers[store->imm].dtype)};
  if (value.op == ir::Opcode::scalar && step.buffers.size() == 1 && step.scalars.size() == 1)
    return copy.item <= 8 ? std::optional(copy) : std::nullopt;
  if (value.op != ir::Opcode::load || step.buffers.size() != 2 || !step.scalars.empty()) return {};
  copy.from = &step.buffers[value.imm];
  if (copy.from == copy.to || copy.from->strides != copy.to->strides) return {};
  return copy;
}

int64_t bytes_of(const ByteBox& box) {
  return std::accumulate(box.counts.begin(), box.counts.end(), box.nbytes, std::multiplies<>());
}

}  // namespace

std::optional<CopyRequest> find_plain_copy(const KernelStep& step, std::span<const int64_t> offsets, int64_t begin,
                                           int64_t end) {
  const std::optional<PlainCopy> copy = plain_copy_of(step);
  if (!copy) return {};
  const auto offset = [&](const Binding& binding) {
    return offsets[static_cast<size_t>(&binding - step.buffers.data())];
  };
  Binding part = *copy->to;
  part.offset = offset(*copy->to);
  if (!part.dimensions.empty()) {
    part.offset += begin * part.strides[0];
    part.dimensions[0] = end - begin;
  }
  const std::optional<ByteBox> to = box_of(part, copy->item);
  if (!to) return {};
  CopyRequest request{.boxes = {*to}, .to = copy->to->slot, .item = copy->item};
  if (!copy->from) {
    request.value = step.scalars[0];
    return request;
  }
  request.from = copy->from->slot;
  request.distance = offset(*copy->from) - offset(*copy->to);
  return request;
}

bool is_small(const CopyRequest& request) {
  int64_t nbytes = 0;
  for (const ByteBox& box : request.boxes) nbytes += bytes_of(box);
  return nbytes <= MoveLimits::few_bytes;
}

bool MoveJoiner::add(const CopyRequest& request) {
  requests_.push_back(request);
  std::optional<MoveSet> all = join();
  if (!all && requests_.size() > 1) {
    requests_.pop_back();
    return false;
  }
  joined_ = std::move(all);
  return true;
}

std::optional<MoveSet> MoveJoiner::take() {
  requests_.clear();
  return std::exchange(joined_, {});
}

/// The requests, in order, as moves that do not depend on each other; empty when that is not possible.
std::optional<MoveSet> MoveJoiner::join() const {
  std::vector<int64_t> pitches;
  for (const CopyRequest& request : requests_)
    for (const ByteBox& box : request.boxes) pitches.insert(pitches.end(), box.strides.begin(), box.strides.end());
  const std::optional<ByteGrid> grid = ByteGrid::make(pitches);
  if (!grid) return {};
  std::vector<GridMove> moves;
  for (const CopyRequest& request : requests_)
    if (!assign(*grid, request, moves)) return {};
  if (moves.size() > MoveLimits::most_moves || !are_independent(*grid, moves)) return {};
  MoveSet set{.item = 8};
  for (const CopyRequest& request : requests_)
    if (request.from < 0) set.item = std::min(set.item, request.item);
  for (const GridMove& move : moves) {
    set.moves.push_back({move.to, grid->to_bytes(move.box), move.from, move.distance, move.value});
    const ByteBox& box = set.moves.back().box;
    if (box.counts.size() > MoveLimits::most_axes) return {};
    int64_t all = box.offset | box.nbytes | move.distance;
    for (const int64_t stride : box.strides) all |= stride;
    while (all % set.item) set.item /= 2;
  }
  // A scalar is written with its full item size.
  for (const CopyRequest& request : requests_)
    if (request.from < 0 && request.item != set.item) return {};
  return set;
}

/// Adds a request to the moves. Where it reads what earlier moves of the set wrote, it reads their source instead;
/// earlier moves leave out what it overwrites.
bool MoveJoiner::assign(const ByteGrid& grid, const CopyRequest& request, std::vector<GridMove>& moves) const {
  std::vector<GridBox> boxes;
  for (const ByteBox& box : request.boxes)
    if (!grid.add_boxes(box, boxes)) return false;
  std::vector<GridMove> added;
  for (const GridBox& box : boxes) {
    const GridMove move{box, request.to, request.from, request.distance, request.value};
    if (request.from < 0)
      added.push_back(move);
    else if (!resolve(grid, move, moves, added))
      return false;
  }
  std::vector<GridMove> kept;
  for (const GridMove& move : moves) {
    std::vector<GridBox> rest{move.box};
    for (const GridBox& box : boxes) {
      if (!same_memory_(move.to, request.to)) break;
      std::vector<GridBox> left;
      for (const GridBox& part : rest) subtract(part, box, left);
      rest = std::move(left);
    }
    for (const GridBox& part : rest) kept.push_back({part, move.to, move.from, move.distance, move.value});
  }
  moves = std::move(kept);
  moves.insert(moves.end(), added.begin(), added.end());
  return true;
}

bool MoveJoiner::resolve(const ByteGrid& grid, const GridMove& wanted, const std::vector<GridMove>& moves,
                         std::vector<GridMove>& added) const {
  const std::optional<GridBox> source = grid.shift(wanted.box, wanted.distance);
  if (!source) return false;
  const auto at = [&](const GridBox& part) {  // where that part of the source is copied to
    GridBox to = part;
    for (size_t axis = 0; axis < to.start.size(); ++axis)
      to.start[axis] += wanted.box.start[axis] - source->start[axis];
    return to;
  };
  std::vector<GridBox> rest{*source};
  for (const GridMove& move : moves) {
    if (!same_memory_(move.to, wanted.from)) continue;
    const std::optional<GridBox> both = intersect(*source, move.box);
    const bool is_there = move.from >= 0 && wanted.distance + move.distance == 0 && same_memory_(wanted.to, move.from);
    if (both && !is_there)
      added.push_back({at(*both), wanted.to, move.from, wanted.distance + move.distance, move.value});
    std::vector<GridBox> left;
    for (const GridBox& part : rest) subtract(part, move.box, left);
    rest = std::move(left);
  }
  const bool is_there = wanted.distance == 0 && same_memory_(wanted.to, wanted.from);
  for (const GridBox& part : rest)
    if (!is_there) added.push_back({at(part), wanted.to, wanted.from, wanted.distance, {}});
  return true;
}

bool MoveJoiner::are_independent(const ByteGrid& grid, const std::vector<GridMove>& moves) const {
  for (const GridMove& reader : moves) {
    if (reader.from < 0) continue;
    const std::optional<GridBox> source = grid.shift(reader.box, reader.distance);
    if (!source) return false;
    for (const GridMove& writer : moves)
      if (same_memory_(writer.to, reader.from) && intersect(*source, writer.box)) return false;
  }
  return true;
}

}  // namespace tessera::plan
