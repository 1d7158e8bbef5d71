/// DeviceMapping: how a kernel's lanes are distributed over a device's threads, and how many threads that takes.
#pragma once

#include "tessera/codegen/compiler.h"
#include "tessera/layout/view.h"
#include "tessera/plan/plan.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Threads of a block unless a mapping needs another number.
inline constexpr int64_t threads_a_block = 256;

/// What a mapping may assume about the layout of the operands.
struct Operands {
  bool disjoint = false;  // no result shares memory with an operand
};
Operands check_operands(const plan::KernelStep& step);

/// The mapping for a kernel over `extents` that touches `work` elements, including those of its reductions.
codegen::DeviceMapping choose_mapping(const ir::Kernel& kernel, const Dims& extents, int64_t work, int capability,
                                      const Operands& operands = {});
/// Whether its lanes are packed into words.
bool packs_words(const ir::Kernel& kernel, const Dims& extents);
/// Whether a team of threads can share the kernel's reductions.
bool can_share_reductions(const ir::Kernel& kernel);
/// Whether a kernel of one lane can run as the epilogue of the last block of a launch, by a team.
bool can_be_epilogue(const ir::Kernel& kernel);
/// Whether it has a fast-compile variant: no control flow but reductions, and lanes in any order.
bool can_compile_fast(const ir::Kernel& kernel);
/// The mapping of the fast-compile variant of a kernel whose optimised variant has `mapping`.
codegen::DeviceMapping fast_compile_mapping(const ir::Kernel& kernel, const codegen::DeviceMapping& mapping);
runtime::Grid choose_grid(const codegen::DeviceMapping& mapping, const Dims& extents, int multiprocessors);

}  // namespace tessera::engine
