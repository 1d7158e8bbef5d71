#include "tessera/engine/kernels/swap_axes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tessera/ir/opcode.h"

namespace tessera::engine {

namespace {

using ir::Opcode;
using ir::Value;

/// By axis of the kernel: blockIdx.z, .y, .x, threadIdx.z, .y, .x.
constexpr std::array<uint32_t, 6> swapped_axis{0, 2, 1, 3, 5, 4};
constexpr uint8_t along_x = 1, along_y = 2;
constexpr uint32_t axis_y = 4, axis_x = 5;

bool is_ordered(const ir::Instruction& i) {
  return ir::sees_other_lanes(i.op) && i.op != Opcode::load_array && i.op != Opcode::store_array;
}

/// Which of threadIdx.x and .y each integer depends on, by its value alone.
class Coordinates {
 public:
  explicit Coordinates(const ir::Kernel& kernel) : kernel_(kernel), of_(kernel.instructions.size()) {
    do {
      changed_ = false;
      visit(0);
    } while (changed_);
    weigh(0, 1);
  }
  bool prefers_y() const { return columns_ > rows_; }

 private:
  void mark(Value v, uint8_t coordinates) {
    if ((of_[v] | coordinates) == of_[v]) return;
    of_[v] |= coordinates;
    changed_ = true;
  }

  uint8_t of_all(std::span<const Value> values) const {
    uint8_t coordinates = 0;
    for (Value v : values) coordinates |= of_[v];
    return coordinates;
  }

  std::span<const Value> yielded_by(Value v, int k) const { return yielded(kernel_, kernel_.region(v, k)); }

  /// Carried values and results together: finer distinctions bring nothing for indices.
  void visit_control(Value v) {
    const ir::Instruction& i = kernel_.instructions[v];
    uint8_t coordinates = i.op == Opcode::if_ ? 0 : of_all(kernel_.operands(v));
    for (int k = 0; k < i.region_count; ++k) coordinates |= of_all(yielded_by(v, k));
    for (int k = 0; k < i.region_count; ++k) {
      for (Value argument : kernel_.region(v, k).arg_values) mark(argument, coordinates);
      visit(i.first_region + static_cast<ir::RegionId>(k));
    }
    mark(v, coordinates);
  }

  void visit(ir::RegionId region) {
    for (Value v : kernel_.regions[region].body) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (ir::has_regions(i.op))
        visit_control(v);
      else if (i.op == Opcode::index)
        mark(v, i.imm == axis_x ? along_x : i.imm == axis_y ? along_y : 0);
      else if (i.op != Opcode::load && i.op != Opcode::load_array)
        mark(v, of_all(kernel_.operands(v)));
    }
  }

  void weigh(ir::RegionId region, double times) {
    constexpr double iterations = 16;
    for (Value v : kernel_.regions[region].body) {
      const ir::Instruction& i = kernel_.instructions[v];
      const bool is_loop = i.op == Opcode::for_ || i.op == Opcode::while_ || i.op == Opcode::reduce;
      for (int k = 0; k < i.region_count; ++k)
        weigh(i.first_region + static_cast<ir::RegionId>(k), is_loop ? times * iterations : times);
      if (i.op != Opcode::load && i.op != Opcode::store) continue;
      if (kernel_.buffers[i.imm].inner != ir::InnerStride::contiguous || kernel_.buffers[i.imm].ndim < 2) continue;
      const auto indices = kernel_.operands(v).subspan(i.op == Opcode::store ? 1 : 0);
      const uint8_t last = of_[indices.back()], others = of_all(indices.first(indices.size() - 1));
      if (last == along_y && others & along_x) columns_ += times;
      if (last & along_x) rows_ += times;
    }
  }

  const ir::Kernel& kernel_;
  std::vector<uint8_t> of_;
  bool changed_ = false;
  double columns_ = 0, rows_ = 0;
};

}  // namespace

bool may_run_down_columns(const ir::Kernel& kernel) {
  ir::Kernel contiguous = kernel;
  for (ir::BufferParam& buffer : contiguous.buffers) buffer.inner = ir::InnerStride::contiguous;
  return runs_down_columns(contiguous);
}

bool runs_down_columns(const ir::Kernel& kernel) {
  if (kernel.ndim != swapped_axis.size() || std::ranges::any_of(kernel.instructions, is_ordered)) return false;
  if (std::ranges::any_of(kernel.arrays, &ir::ArrayDecl::shared)) return false;
  return Coordinates(kernel).prefers_y();
}

ir::Kernel swap_axes(ir::Kernel kernel) {
  for (ir::Instruction& i : kernel.instructions)
    if (i.op == Opcode::index || i.op == Opcode::extent) i.imm = swapped_axis[i.imm];
  return kernel;
}

LaunchShape swapped(const LaunchShape& shape) {
  LaunchShape made = shape;
  std::swap(made.grid[0], made.grid[1]);
  std::swap(made.block[0], made.block[1]);
  return made;
}

bool can_swap(const LaunchShape& shape) {
  constexpr int64_t enough_threads = 4, most_blocks_along_y = 65535;
  return shape.block[1] >= enough_threads && shape.grid[0] <= most_blocks_along_y;
}

}  // namespace tessera::engine
