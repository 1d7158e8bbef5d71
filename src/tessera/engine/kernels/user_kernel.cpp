#include "tessera/engine/kernels/user_kernel.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/engine/kernels/lanes_apart.h"
#include "tessera/engine/kernels/swap_axes.h"

namespace tessera::engine {

namespace {

constexpr int user_axes = 6, user_block_axes = 3;
/// CUDA's limit for arrays in shared memory whose size the kernel states.
constexpr int64_t most_shared_bytes = 49152;

bool has_bit(uint64_t bits, size_t k) { return k < 64 && (bits >> k & 1); }

/// Counts the instructions in so many loops, from this many on.
void count_instructions(const ir::Kernel& kernel, ir::RegionId region, size_t depth, std::span<int64_t> counts) {
  for (ir::Value v : kernel.regions[region].body) {
    const ir::Instruction& i = kernel.instructions[v];
    const bool is_loop = i.op == ir::Opcode::for_ || i.op == ir::Opcode::while_ || i.op == ir::Opcode::reduce;
    ++counts[depth];
    for (int k = 0; k < i.region_count; ++k)
      count_instructions(kernel, i.first_region + static_cast<ir::RegionId>(k),
                         std::min(depth + is_loop, counts.size() - 1), counts);
  }
}

void check(const ir::Kernel& kernel) {
  ir::verify(kernel);
  const bool is_function = kernel.ndim == 0;
  invariant(
      (is_function || (kernel.ndim == user_axes && kernel.block_axes == user_block_axes)) && kernel.flag_slots == 0,
      "launch: kernel {} has {} axes, {} of them a block's, and {} flags", kernel.name, int{kernel.ndim},
      int{kernel.block_axes}, kernel.flag_slots);
  const int64_t shared = static_shared_bytes(kernel);
  require<ValueError>(shared <= most_shared_bytes, "{}: its shared arrays take {} bytes; a block has at most {}",
                      kernel.name, shared, most_shared_bytes);
}

}  // namespace

int64_t static_shared_bytes(const ir::Kernel& kernel) {
  int64_t bytes = 0;
  for (const ir::ArrayDecl& array : kernel.arrays) bytes += array.shared ? array.size * itemsize(array.dtype) : 0;
  return bytes;
}

UserKernel::UserKernel(std::shared_ptr<const ir::Kernel> kernel) : kernel_(std::move(kernel)) {
  constexpr double iterations = 16, most = 1 << 20;
  check(*kernel_);
  may_swap_ = may_run_down_columns(*kernel_);
  waits_within_blocks_ = waits_within_blocks(*kernel_);
  has_barriers_ = std::ranges::any_of(kernel_->instructions, [](const ir::Instruction& i) {
    return i.op == ir::Opcode::barrier || i.op == ir::Opcode::barrier_count;
  });
  count_instructions(*kernel_, 0, 0, steps_);
  work_a_lane_ = std::max<int64_t>(1, static_cast<int64_t>(std::min(most, steps_a_lane(iterations)) / 8));
}

int64_t UserKernel::most_work(int64_t lanes, int64_t longest) const {
  constexpr double least_lanes = 32, most = 1e9;  // what interpreting an instruction costs, in lanes that it computes
  const double steps = steps_a_lane(static_cast<double>(longest)),
               counted = std::max(least_lanes, static_cast<double>(lanes));
  return std::max(lanes * work_a_lane_, static_cast<int64_t>(std::min(most, counted * steps / 8)));
}

double UserKernel::steps_a_lane(double iterations) const {
  double steps = 0;
  for (size_t depth = depths; depth-- > 0;) steps = steps * iterations + static_cast<double>(steps_[depth]);
  return steps;
}

KernelVariant& UserKernel::variant(LaunchLayout layout, const LaunchShape& shape) {
  layout.can_swap = may_swap_ && can_swap(shape);
  return variant(layout);
}

KernelVariant& UserKernel::variant_on_host(LaunchLayout layout, const LaunchShape& shape) {
  constexpr size_t most_shapes = 4;
  layout.is_apart = waits_within_blocks_ && !shape.check;
  if (has_barriers_ && !layout.is_apart) {
    const auto extent = [&](int axis) { return static_cast<int16_t>(shape.block[static_cast<size_t>(axis)]); };
    const std::array<int16_t, 3> block{extent(2), extent(1), extent(0)};
    bool is_known = std::ranges::find(blocks_, block) != blocks_.end();
    if (!is_known && blocks_.size() < most_shapes) {
      blocks_.push_back(block);
      is_known = true;
    }
    if (is_known) layout.block = block;
  }
  return variant(layout, shape);
}

KernelVariant& UserKernel::variant(const LaunchLayout& layout) {
  KernelVariant& variant = variants_[layout];
  if (variant.kernel) return variant;
  ir::Kernel made = *kernel_;
  for (size_t k = 0; k < made.buffers.size(); ++k) {
    ir::BufferParam& buffer = made.buffers[k];
    if (has_bit(layout.contiguous, k)) buffer.inner = ir::InnerStride::contiguous;
    if (has_bit(layout.aliased, k) || k >= 64) buffer.no_alias = false;
  }
  made.known_extents = layout.block;
  if (layout.is_apart) made = set_lanes_apart(std::move(made));
  variant.is_swapped = layout.can_swap && runs_down_columns(made);
  if (variant.is_swapped) made = swap_axes(std::move(made));
  variant.is_apart = layout.is_apart;
  variant.hash = ir::structural_hash(made);
  variant.meets_in_grid = ir::meets_in_grid(made);
  variant.kernel = std::make_shared<const ir::Kernel>(std::move(made));
  return variant;
}

UserKernel& UserKernels::find_or_add(const std::shared_ptr<const ir::Kernel>& kernel) {
  constexpr size_t many = 256;
  if (const auto known = kernels_.find(kernel.get()); known != kernels_.end()) return known->second;
  if (kernels_.size() >= many) std::erase_if(kernels_, [](const auto& entry) { return entry.second.is_unused(); });
  return kernels_.emplace(kernel.get(), UserKernel(kernel)).first->second;
}

}  // namespace tessera::engine
