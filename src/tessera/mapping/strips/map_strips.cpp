#include "tessera/mapping/strips/map_strips.h"

#include <algorithm>

#include "tessera/mapping/lane_cost.h"

namespace tessera::mapping {

using ir::Value;

namespace {

/// The pitch of an element of the long axis in shared memory: odd, so that threads at neighbouring ones access
/// different banks.
int64_t pitch_of(int64_t short_extent) { return short_extent | 1; }

/// A strip: the whole short axis, and as much of the long one as a block has threads. Turned operands are contiguous
/// along one of the two axes, results along the other, so each is traversed in the order of its memory.
class Strips {
 public:
  Strips(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Turned& turned,
         bool last_is_short)
      : kernel_(kernel),
        long_axis_(last_is_short ? turned.axis : kernel.ndim - 1),
        short_axis_(last_is_short ? kernel.ndim - 1 : turned.axis),
        threads_(target.threads),
        short_extent_(operands.extents[short_axis_]),
        reads_by_memory_(!last_is_short),
        to_(kernel, operands, "strips"),
        loads_(to_, kernel, turned, threads_ * pitch_of(short_extent_)),
        at_(kernel.ndim) {}

  Mapped write(const Operands& operands, const Target& target) {
    const Value count = enter_block(), size = to_.size(long_axis_);
    first_ = to_.mul(to_.block(GridAxis::x), to_.number(threads_));
    const auto inside = to_.bit_and(to_.lt(to_.block_row(), count), to_.lt(first_, size));
    to_.when(inside, [&] { write_strip(size); });
    int64_t rows = 1;
    for (int axis = 0; axis < kernel_.ndim; ++axis)
      if (axis != long_axis_ && axis != short_axis_) rows *= operands.extents[axis];
    LaunchShape shape =
        rows_of_blocks(rows, (operands.extents[long_axis_] + threads_ - 1) / threads_, target.most_blocks);
    shape.threads = {1, 1, threads_};
    constexpr int64_t enough_registers = 128;  // of a thread, for the loads under way
    Mapped mapped = to_.finish(shape, target.registers / (threads_ * enough_registers));
    if (long_axis_ == 0)
      mapped.by_first = {.along = BlocksByFirst::Along::x, .each = threads_};
    else if (short_axis_ != 0)
      mapped.by_first = {.along = BlocksByFirst::Along::yz, .factor = rows / operands.extents[0]};
    return mapped;
  }

 private:
  /// An element of a strip, in the order in which its threads traverse it.
  struct Element {
    Value along;   // index on the long axis, from the strip's beginning
    Value across;  // on the short one
    Value slot;    // in shared memory
  };

  /// The thread's element in this turn: one index of the short axis after the other, or (`by_memory`) neighbours in
  /// memory that is contiguous along the short axis.
  Element element(bool by_memory, int64_t turn) {
    Value along = to_.thread(GridAxis::x), across = to_.number(turn);
    if (by_memory) {
      const Value place = to_.add(along, to_.number(turn * threads_)), extent = to_.number(short_extent_);
      along = to_.quotient(place, extent);
      across = to_.remainder(place, extent);
    }
    return {along, across, to_.add(to_.mul(along, to_.number(pitch_of(short_extent_))), across)};
  }

  /// Along x blocks count strips, along y and z all axes but the long and the short one. Returns how many there are of
  /// the latter.
  Value enter_block() {
    Value count = to_.number(1), rest = to_.block_row();
    for (int axis = kernel_.ndim - 1, left = kernel_.ndim - 2; axis >= 0; --axis) {
      if (axis == long_axis_ || axis == short_axis_) continue;
      const Value size = to_.size(axis);
      count = to_.mul(count, size);
      const bool is_last = --left == 0;
      at_[static_cast<size_t>(axis)] = to_.index_at(axis, is_last ? rest : to_.remainder(rest, size));
      if (!is_last) rest = to_.quotient(rest, size);
    }
    return count;
  }

  void set_place(Value along, Value across) {
    at_[static_cast<size_t>(long_axis_)] = to_.index_at(long_axis_, along);
    at_[static_cast<size_t>(short_axis_)] = to_.index_at(short_axis_, across);
  }

  void write_strip(Value size) {
    const Value last = to_.sub(size, to_.number(1));
    for (int64_t turn = 0; turn < short_extent_; ++turn) {
      const Element own = element(reads_by_memory_, turn);
      // Beyond the edge the last elements are read again.
      set_place(to_.min(to_.add(first_, own.along), last), own.across);
      loads_.load(at_, own.slot);
    }
    loads_.store();
    to_.barrier();
    for (int64_t turn = 0; turn < short_extent_; ++turn) {
      const Element own = element(!reads_by_memory_, turn);
      const Value along = to_.add(first_, own.along);
      to_.when(to_.lt(along, size), [&] {
        set_place(along, own.across);
        write_lane(to_, kernel_, at_, loads_.from(own.slot));
      });
    }
  }

  const ir::Kernel& kernel_;
  int long_axis_, short_axis_;
  int64_t threads_, short_extent_;
  bool reads_by_memory_;
  GridBuilder to_;
  TurnedLoads loads_;
  std::vector<Value> at_;
  Value first_ = ir::no_value;  // where the strip begins
};

}  // namespace

Mapped write_strips(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Turned& turned,
                    bool last_is_short) {
  return Strips(kernel, operands, target, turned, last_is_short).write(operands, target);
}

std::optional<Mapped> map_strips(const ir::Kernel& kernel, const Operands& operands, const Target& target) {
  constexpr int64_t most_text = 400;  // instructions of a fully unrolled strip
  if (kernel.ndim < 2 || !is_straight(kernel) || !fits_words(operands.extents)) return {};
  const int64_t lanes = operands.extents.back(), short_limit = target.warp / 2;
  const auto elements = [&](int axis) -> int64_t {
    const auto [few, many] = std::minmax(lanes, operands.extents[axis]);
    // The short axis is not cut.
    if (few <= 1 || few >= short_limit || many < target.threads || (operands.in_parts && axis == 0 && few < lanes))
      return 0;
    return target.threads * pitch_of(few);
  };
  const std::optional<Turned> turned = find_turned(kernel, operands, target, elements);
  if (!turned) return {};
  const int64_t across = operands.extents[turned->axis];
  if (lane_cost(kernel) * std::min(lanes, across) > most_text) return {};
  return write_strips(kernel, operands, target, *turned, lanes < across);
}

}  // namespace tessera::mapping
