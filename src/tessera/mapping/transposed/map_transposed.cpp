#include "tessera/mapping/transposed/map_transposed.h"

namespace tessera::mapping {

using ir::Value;

namespace {

/// A square of as many lanes as a warp has, and as many elements along the turned axis; a block computes one. Its
/// threads are a warp along x, and each takes several lanes, a block's rows of threads apart.
class Squares {
 public:
  Squares(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Turned& turned)
      : kernel_(kernel),
        turned_(turned),
        side_(target.warp),
        rows_of_threads_(target.threads / target.warp),
        lanes_axis_(kernel.ndim - 1),
        to_(kernel, operands, "transposed"),
        loads_(to_, kernel, turned, side_ * pitch()),
        at_(kernel.ndim) {}

  static int64_t elements(const Target& target) { return target.warp * (target.warp + 1); }

  Mapped write(const Operands& operands, const Target& target) {
    const Value count = enter_block();
    to_.when(to_.lt(to_.block_row(), count), [&] { write_square(); });
    LaunchShape shape = shape_for(operands.extents, target);
    shape.threads = {1, rows_of_threads_, side_};
    constexpr int64_t enough_registers = 128;  // of a thread, for the loads under way
    Mapped mapped = to_.finish(shape, target.registers / (target.threads * enough_registers));
    const int64_t first = operands.extents[0], all = rows_of_squares(operands.extents);
    mapped.by_first = {.along = BlocksByFirst::Along::yz};
    if (turned_.axis == 0)
      mapped.by_first.each = side_, mapped.by_first.factor = all / squares(first);
    else
      mapped.by_first.factor = all / first;
    return mapped;
  }

 private:
  /// Odd, so that neither rows nor columns have bank conflicts.
  int64_t pitch() const { return side_ + 1; }
  Value over(Value x) { return to_.quotient(to_.add(x, to_.number(side_ - 1)), to_.number(side_)); }

  int64_t squares(int64_t extent) const { return mapping::over(extent, side_); }
  int64_t rows_of_squares(const Dims& extents) const {
    int64_t rows = squares(extents[turned_.axis]);
    for (int axis = 0; axis < lanes_axis_; ++axis)
      if (axis != turned_.axis) rows *= extents[axis];
    return rows;
  }
  LaunchShape shape_for(const Dims& extents, const Target& target) const {
    return rows_of_blocks(rows_of_squares(extents), squares(extents[lanes_axis_]), target.most_blocks);
  }

  /// Along x blocks count the squares of the lanes, along y and z those of the turned axis times all other axes.
  /// Returns how many there are of the latter.
  Value enter_block() {
    const Value squares = over(to_.size(turned_.axis));
    Value count = squares, rest = to_.block_row();
    row_ = rest;
    if (kernel_.ndim > 2) {
      row_ = to_.remainder(rest, squares);
      rest = to_.quotient(rest, squares);
    }
    for (int axis = lanes_axis_ - 1, left = kernel_.ndim - 2; axis >= 0; --axis) {
      if (axis == turned_.axis) continue;
      const Value size = to_.size(axis);
      count = to_.mul(count, size);
      const bool is_last = --left == 0;
      at_[static_cast<size_t>(axis)] = to_.index_at(axis, is_last ? rest : to_.remainder(rest, size));
      if (!is_last) rest = to_.quotient(rest, size);
    }
    row_ = to_.mul(row_, to_.number(side_));
    lane_ = to_.mul(to_.block(GridAxis::x), to_.number(side_));
    return count;
  }

  void set_place(Value row, Value lane) {
    at_[static_cast<size_t>(turned_.axis)] = to_.index_at(turned_.axis, row);
    at_.back() = to_.index_at(lanes_axis_, lane);
  }

  void write_square() {
    const Value x = to_.thread(GridAxis::x), y = to_.thread(GridAxis::y), one = to_.number(1);
    const Value rows = to_.size(turned_.axis), lanes = to_.size(lanes_axis_);
    const Value last_row = to_.sub(rows, one), last_lane = to_.sub(lanes, one), side = to_.number(pitch());
    for (int64_t k = 0; k < side_; k += rows_of_threads_) {
      const Value column = to_.add(y, to_.number(k));
      // Beyond the edges the last elements are read again.
      set_place(to_.min(to_.add(row_, x), last_row), to_.min(to_.add(lane_, column), last_lane));
      loads_.load(at_, to_.add(to_.mul(column, side), x));
    }
    loads_.store();
    to_.barrier();
    for (int64_t k = 0; k < side_; k += rows_of_threads_) {
      const Value column = to_.add(y, to_.number(k));
      const Value row = to_.add(row_, column), lane = to_.add(lane_, x);
      to_.when(to_.bit_and(to_.lt(row, rows), to_.lt(lane, lanes)), [&] {
        set_place(row, lane);
        write_lane(to_, kernel_, at_, loads_.from(to_.add(to_.mul(x, side), column)));
      });
    }
  }

  const ir::Kernel& kernel_;
  const Turned& turned_;
  int64_t side_, rows_of_threads_;
  int lanes_axis_;
  GridBuilder to_;
  TurnedLoads loads_;
  std::vector<Value> at_;
  Value row_ = ir::no_value, lane_ = ir::no_value;  // where the square begins
};

}  // namespace

Mapped write_squares(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Turned& turned) {
  return Squares(kernel, operands, target, turned).write(operands, target);
}

std::optional<Mapped> map_transposed(const ir::Kernel& kernel, const Operands& operands, const Target& target) {
  if (kernel.ndim < 2 || !is_straight(kernel) || !fits_words(operands.extents)) return {};
  const Dims& extents = operands.extents;
  const int64_t least = target.warp / 2;
  const auto elements = [&](int axis) -> int64_t {
    return extents.back() >= least && extents[axis] >= least ? Squares::elements(target) : 0;
  };
  const std::optional<Turned> turned = find_turned(kernel, operands, target, elements);
  if (!turned) return {};
  return write_squares(kernel, operands, target, *turned);
}

}  // namespace tessera::mapping
