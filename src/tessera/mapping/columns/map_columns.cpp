#include "tessera/mapping/columns/map_columns.h"

#include <algorithm>
#include <map>

#include "tessera/mapping/lane.h"
#include "tessera/mapping/lane_cost.h"

namespace tessera::mapping {

using ir::Opcode;
using ir::Value;

namespace {

/// A thread's rows of one lane. The last threads' rows end at the last one: some rows are then computed twice, with the
/// same results.
class Columns {
 public:
  Columns(const ir::Kernel& kernel, const Operands& operands, const std::vector<PlaceIn>& places, int rows)
      : kernel_(kernel), places_(places), rows_(rows), to_(kernel, operands, "columns") {}

  Mapped write(const Operands& operands, const Target& target) {
    const Value rows = to_.size(0), lanes = to_.size(1), height = to_.number(rows_);
    const Value lane = to_.add(to_.mul(to_.block(GridAxis::x), to_.number(target.threads)), to_.thread(GridAxis::x));
    const auto top = [&] { return to_.min(to_.mul(to_.block_row(), height), to_.sub(rows, height)); };
    if (!operands.in_parts) {
      const Value own = top();
      to_.when(to_.lt(lane, lanes), [&] { write_rows(to_.index_at(0, own), to_.index_at(1, lane)); });
    } else {
      to_.when(to_.bit_and(to_.lt(lane, lanes), to_.le(height, rows)),
               [&] { write_rows(to_.index_at(0, top()), to_.index_at(1, lane)); });
      to_.when(to_.bit_and(to_.lt(lane, lanes), to_.lt(rows, height)), [&] { write_few(rows, lane); });
    }
    LaunchShape shape =
        rows_of_blocks(over(operands.extents[0], rows_), over(operands.extents[1], target.threads), target.most_blocks);
    shape.threads = {1, 1, target.threads};
    constexpr int64_t enough_registers = 128;  // of a thread, for the loads under way
    Mapped mapped = to_.finish(shape, target.registers / (target.threads * enough_registers));
    mapped.by_first = {.along = BlocksByFirst::Along::yz, .each = rows_};
    return mapped;
  }

 private:
  Value further(Value index, int64_t by) {
    return by == 0 ? index : to_.add(index, to_.constant(DType::int64, static_cast<double>(by)));
  }

  /// A part of fewer rows than a thread takes, one after the other.
  void write_few(Value rows, Value lane) {
    const Value one = to_.constant(DType::int64, 1), none = to_.constant(DType::int64, 0);
    to_.for_(none, to_.wide(rows), one, {}, [&](std::span<const Value> arguments) {
      const Value at[] = {to_.index_at(0, arguments[0]), to_.index_at(1, lane)};
      write_lane(to_, kernel_, at, no_given_load);
      return std::vector<Value>{};
    });
  }

  void write_rows(Value top, Value lane) {
    std::vector<ThreadLane> lanes;
    for (int row = 0; row < rows_; ++row)
      lanes.push_back(
          {{further(top, row), lane}, [this, row, top, lane](Value load) { return element(load, row, top, lane); }});
    write_lanes(to_, kernel_,
                {.lanes = lanes, .again = [&](Value row) { return std::vector<Value>{to_.add(top, row), lane}; }});
  }

  /// The element that a load of a row reads, if it is indexed by both axes; each is loaded once.
  std::optional<Value> element(Value load, int row, Value top, Value lane) {
    const ir::Instruction& i = kernel_.instructions[load];
    const std::span<const Value> indices = kernel_.operands(load);
    if (places_.empty() || i.attr || indices.size() != 2 || kernel_.buffers[i.imm].inner != ir::InnerStride::contiguous)
      return {};
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      const ir::Instruction& index = kernel_.instructions[indices[axis]];
      if (index.op != Opcode::index || index.imm != axis) return {};
    }
    PlaceIn place = places_[i.imm];
    place.rows += row;
    const auto known = loaded_.find(place);
    if (known != loaded_.end()) return known->second;
    const Value at[] = {further(top, place.rows), further(lane, place.lanes)};
    return loaded_.emplace(place, to_.load(static_cast<uint32_t>(place.buffer), at)).first->second;
  }

  const ir::Kernel& kernel_;
  const std::vector<PlaceIn>& places_;
  int rows_;
  GridBuilder to_;
  std::map<PlaceIn, Value> loaded_;  // rows counted from the thread's first one
};

/// Consecutive rows a thread takes. 1: the kernel is better off in another mapping. On an H200 eight rows are within 2%
/// of the best number for two to nine operands; sixteen are 1% faster where an array is large and several rows share
/// elements, and 3% slower where it is small or two rows do.
int choose_rows(const ir::Kernel& kernel, const Operands& operands) {
  constexpr int few_operands = 10, cost_of_16_rows = 20, cost_of_8_rows = 40;  // instructions of a lane
  constexpr int64_t least_lanes = 1 << 22, many_lanes = 1 << 26, least_extent = 256;
  // Elements of eight bytes fill a warp's accesses lane by lane.
  for (const ir::BufferParam& buffer : kernel.buffers)
    if (buffer.inner == ir::InnerStride::strided || itemsize(buffer.dtype) != 8) return 1;
  const int cost = lane_cost(kernel);
  const int64_t rows = operands.extents[0], lanes = operands.extents[1];
  if (cost > cost_of_8_rows || std::min(rows, lanes) < least_extent || rows * lanes < least_lanes) return 1;
  return rows * lanes >= many_lanes && cost > few_operands && cost <= cost_of_16_rows ? 16 : 8;
}

}  // namespace

Mapped write_columns(const ir::Kernel& kernel, const Operands& operands, const Target& target,
                     const std::vector<PlaceIn>& places, int rows) {
  return Columns(kernel, operands, places, rows).write(operands, target);
}

std::optional<Mapped> map_columns(const ir::Kernel& kernel, const Operands& operands, const Target& target) {
  if (kernel.ndim != 2 || !is_straight(kernel) || !fits_words(operands.extents)) return {};
  for (size_t k = 0; k < kernel.buffers.size(); ++k)
    if (operands.may_share(kernel, k)) return {};
  const int rows = choose_rows(kernel, operands);
  if (rows == 1) return {};
  const std::vector<PlaceIn> places = find_places(kernel, operands);
  if (places.empty()) return {};
  return write_columns(kernel, operands, target, places, rows);
}

}  // namespace tessera::mapping
