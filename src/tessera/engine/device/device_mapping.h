/// How a kernel's lanes are spread over a device's threads, and how many threads that takes.
#pragma once

#include "tessera/codegen/compiler.h"
#include "tessera/layout/view.h"
#include "tessera/plan/plan.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// What a form may rely on: how the operands lie.
struct Operands {
  uint32_t transposed = 0;  // bits of the buffers that run along cross_axis instead of the lanes
  int transposed_axis = 0;
  int short_axis = 0;  // where one of the two has too few elements for squares: which, and how many
  int short_extent = 0;
  bool disjoint = false;                 // no result lies where an operand does
  std::vector<codegen::PlaceIn> places;  // by buffer, where some read other rows of what others do
};
Operands check_operands(const plan::KernelStep& step);
/// What a kernel's buffers read of each other, as the views of a stencil do; nothing where no two read different rows
/// of the same lane.
std::vector<codegen::PlaceIn> find_places(const plan::KernelStep& step);
/// Rows a thread takes one below the other, for lanes of so much cost: more than one where that spares loads and leaves
/// threads enough.
int choose_rows(const ir::Kernel& kernel, const Dims& extents, const Operands& operands, int cost);

/// The form for a kernel over `extents` that touches `work` elements, those of its folds included.
codegen::DeviceMapping choose_mapping(const ir::Kernel& kernel, const Dims& extents, int64_t work, int capability,
                                      const Operands& operands = {});
/// Whether a team of threads can share the kernel's folds.
bool can_share_reductions(const ir::Kernel& kernel);
/// Whether a kernel of one lane may be done by the last block of a launch in teams.
bool can_be_epilogue(const ir::Kernel& kernel);
/// Whether it has a lean form: lanes that run straight through but for folds, taken in any order.
bool can_compile_fast(const ir::Kernel& kernel);
/// What it is, of a kernel that runs best in `form`.
codegen::DeviceMapping fast_compile_mapping(const ir::Kernel& kernel, const codegen::DeviceMapping& mapping);
/// About how many instructions an element takes.
int lane_cost(const ir::Kernel& kernel);
/// The last two axes as one.
Dims flattened(const Dims& extents);
runtime::Grid choose_grid(const codegen::DeviceMapping& mapping, const Dims& extents, int multiprocessors);

}  // namespace tessera::engine
