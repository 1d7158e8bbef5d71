// Tiles of a row: whole ones without tests of bounds, and a plain loop for the last one.
#include <algorithm>
#include <set>

#include "tessera/ir/run_access.h"
#include "tessera/mapping/lane.h"
#include "tessera/mapping/lane_cost.h"
#include "tessera/mapping/tiles/map_tiles.h"

namespace tessera::mapping {

using ir::Opcode;
using ir::Value;

namespace {

class Tiles {
 public:
  Tiles(const ir::Kernel& kernel, const Operands& operands, const Tiling& tiling)
      : kernel_(kernel),
        tiling_(tiling),
        row_axes_(kernel.ndim - (tiling.flat ? 2 : 1)),
        rows_(row_axes_ ? tiling.rows : 1),
        to_(kernel, operands, "tiles") {
    at_.resize(kernel.ndim);
    for (size_t k = 0; k < kernel.buffers.size(); ++k) replaces_operands_ |= operands.may_share(kernel, k);
  }

  Mapped write(const Operands& operands, const Target& target) {
    if (QuickDivisions::has_some(kernel_)) divisions_.emplace(to_, kernel_);
    enter_row();
    Dims extents = operands.extents;
    int64_t rows = 1, lanes = 1;
    for (int axis = 0; axis < kernel_.ndim; ++axis) (axis < row_axes_ ? rows : lanes) *= extents[axis];
    LaunchShape shape = rows_of_blocks(over(rows, rows_), over(over(lanes, tile()), tiling_.tiles), target.most_blocks);
    shape.threads = {1, rows_, tiling_.threads};
    Mapped mapped = to_.finish(shape, blocks_at_once());
    if (row_axes_ > 0)
      mapped.by_first = {.along = BlocksByFirst::Along::yz, .times = rows / extents[0], .each = rows_};
    else
      mapped.by_first = {.along = BlocksByFirst::Along::x, .times = lanes / extents[0], .each = tile() * tiling_.tiles};
    // Registers are allotted as for whole blocks.
    mapped.kernel.device.max_threads = static_cast<int16_t>(target.threads);
    return mapped;
  }

 private:
  int64_t tile() const { return tiling_.threads * tiling_.unroll; }

  /// Blocks that a multiprocessor should have room for: code that seldom runs, such as finding events, must not take
  /// registers from them.
  int64_t blocks_at_once() const {
    constexpr int64_t many_loads = 8, few_words = 16;  // whose throughput depends on their loads under way, or not
    int64_t loads = 0, words = 0;
    for (Value v : kernel_.regions[0].body) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op != Opcode::load) continue;
      ++loads;
      words += tiling_.unroll * std::max<int64_t>(1, itemsize(i.type) / 4);
    }
    if (tiling_.unroll <= 2) return loads > many_loads ? 2 : tiling_.unroll > 1 ? 3 : 4;
    constexpr int cheap = 8;  // instructions of a lane
    return !divisions_ && words <= few_words && lane_cost(kernel_) <= cheap ? 6 : 3;
  }

  Value number(int64_t n) { return to_.constant(DType::int64, static_cast<double>(n)); }
  Value further(Value index, Value by) { return to_.add(index, by); }

  /// Along y and z blocks count rows, which are all axes but those of the lanes.
  void enter_row() {
    if (row_axes_ < 1) return write_row();
    Value rest = to_.block_row(), count = to_.number(1);
    if (rows_ > 1) rest = to_.add(to_.mul(rest, to_.number(rows_)), to_.thread(GridAxis::y));
    const Value row = rest;
    for (int axis = row_axes_ - 1; axis >= 0; --axis) {
      const Value size = to_.size(axis);
      count = to_.mul(count, size);
      at_[static_cast<size_t>(axis)] = to_.index_at(axis, axis ? to_.remainder(rest, size) : rest);
      if (axis) rest = to_.quotient(rest, size);
    }
    to_.when(to_.lt(row, count), [&] { write_row(); });
  }

  /// The indices of the lane at a place in the row, an int64.
  std::vector<Value> lane_at(Value place) {
    std::vector<Value> at = at_;
    const int last = kernel_.ndim - 1;
    if (tiling_.flat) {
      const Value lanes = to_.number(tiling_.flat), word = to_.word(place);
      at[static_cast<size_t>(last - 1)] = to_.index_at(last - 1, to_.quotient(word, lanes));
      at.back() = to_.index_at(last, to_.remainder(word, lanes));
    } else {
      at.back() = to_.index_at(last, place);
    }
    return at;
  }

  Value row_size() {
    const Value size = to_.box(BoxNumber::Kind::size, kernel_.ndim - 1);
    if (!tiling_.flat) return size;
    return to_.mul(to_.box(BoxNumber::Kind::size, kernel_.ndim - 2), number(tiling_.flat));
  }

  void write_row() {
    size_ = row_size();
    if (tiling_.width > 1) is_aligned_ = write_is_aligned();
    const Value tile_size = number(tile()), first = to_.mul(to_.wide(to_.block(GridAxis::x)), tile_size);
    if (tiling_.tiles == 1) return write_tile(first);
    const Value stride = to_.mul(to_.wide(to_.blocks(GridAxis::x)), tile_size);
    if (tiling_.unroll == 1) return write_single_lanes(further(first, to_.wide(to_.thread(GridAxis::x))), stride);
    to_.for_(first, size_, stride, {}, [&](std::span<const Value> arguments) {
      write_tile(arguments[0]);
      return std::vector<Value>{};
    });
  }

  /// One lane after the other. The events of all are found at the end, unless results replace what is read.
  void write_single_lanes(Value first, Value stride) {
    const std::vector<Value> none = replaces_operands_ ? std::vector<Value>{} : no_events(to_, kernel_);
    const std::vector<Value> events = to_.for_(first, size_, stride, none, [&](std::span<const Value> arguments) {
      std::vector<Value> so_far(arguments.begin() + 1, arguments.end());
      write_one(arguments[0], none.empty() ? nullptr : &so_far);
      return so_far;
    });
    if (none.empty()) return;
    find_events(to_, kernel_, events, [&] {
      to_.for_(first, size_, stride, {}, [&](std::span<const Value> arguments) {
        write_checks(to_, kernel_, lane_at(arguments[0]));
        return std::vector<Value>{};
      });
    });
  }

  /// Whether runs that start at the row's first lane are aligned in every buffer.
  Value write_is_aligned() {
    const std::vector<Value> at = lane_at(number(0));
    std::set<std::vector<Value>> known;
    Value aligned = ir::no_value;
    for (Value v : kernel_.regions[0].body) {
      if (!ir::is_run_access(kernel_, v)) continue;
      const ir::Instruction& i = kernel_.instructions[v];
      std::vector<Value> indices{i.imm};
      for (Value index : kernel_.operands(v).subspan(i.op == Opcode::store ? 1 : 0)) {
        const ir::Instruction& from = kernel_.instructions[index];
        indices.push_back(from.op == Opcode::index ? at[from.imm] : to_.constant(kernel_.constants[from.imm]));
      }
      if (!known.insert(indices).second) continue;
      constexpr int64_t widest_access = 16;
      const auto bytes = static_cast<int>(std::min(widest_access, itemsize(i.type) * tiling_.width));
      const Value own = to_.is_aligned(i.imm, std::span(indices).subspan(1), bytes);
      aligned = aligned == ir::no_value ? own : to_.bit_and(aligned, own);
    }
    return aligned;
  }

  void write_tile(Value first) {
    const Value thread = to_.wide(to_.thread(GridAxis::x));
    if (tiling_.unroll == 1) {
      const Value lane = further(first, thread);
      return to_.when(to_.lt(lane, size_), [&] { write_one(lane); });
    }
    either(
        to_.le(further(first, number(tile())), size_),
        [&] {
          if (is_aligned_ == ir::no_value) return write_apart(first, thread);
          either(is_aligned_, [&] { write_runs(first, thread); }, [&] { write_apart(first, thread); });
        },
        [&] { write_edge(further(first, thread)); });
  }

  void either(Value condition, const std::function<void()>& then, const std::function<void()>& otherwise) {
    const auto region = [](const std::function<void()>& body) {
      return [&body](auto) {
        body();
        return std::vector<Value>{};
      };
    };
    to_.if_(condition, region(then), region(otherwise));
  }

  void write_apart(Value first, Value thread) {
    const Value own = further(first, thread);
    write(tiling_.unroll, 1, [&](Value k) { return further(own, to_.mul(k, number(tiling_.threads))); });
  }

  void write_runs(Value first, Value thread) {
    const int64_t width = tiling_.width;
    const Value own = further(first, to_.mul(thread, number(width)));
    write(tiling_.unroll, tiling_.width, [&](Value k) {
      const Value run = to_.mul(to_.quotient(k, number(width)), number(tiling_.threads * width));
      return further(further(own, run), to_.remainder(k, number(width)));
    });
  }

  /// The last tile of a row, lane by lane.
  void write_edge(Value own) {
    to_.for_(own, size_, number(tiling_.threads), {}, [&](std::span<const Value> arguments) {
      write_one(arguments[0]);
      return std::vector<Value>{};
    });
  }

  void write_one(Value lane, std::vector<Value>* events = nullptr) {
    write(1, 1, [&](Value) { return lane; }, events);
  }

  /// So many lanes of a thread; `place` gives the place of the k-th, an int64, in the row.
  void write(int count, int width, const std::function<Value(Value k)>& place, std::vector<Value>* events = nullptr) {
    std::vector<ThreadLane> lanes;
    for (int k = 0; k < count; ++k)
      lanes.push_back({lane_at(place(number(k))), no_given_load, width > 1 ? k % width : -1});
    write_lanes(to_, kernel_,
                {.lanes = lanes,
                 .again = [&](Value k) { return lane_at(place(k)); },
                 .width = width,
                 .replaces_operands = replaces_operands_,
                 .divisions = divisions_ ? &*divisions_ : nullptr,
                 .events = events});
  }

  const ir::Kernel& kernel_;
  const Tiling& tiling_;
  int row_axes_;
  int64_t rows_;  // of a block
  GridBuilder to_;
  std::optional<QuickDivisions> divisions_;
  bool replaces_operands_ = false;
  std::vector<Value> at_;                                  // the row's indices
  Value size_ = ir::no_value, is_aligned_ = ir::no_value;  // of the row
};

}  // namespace

Mapped write_tiles(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Tiling& tiling) {
  return Tiles(kernel, operands, tiling).write(operands, target);
}

}  // namespace tessera::mapping
