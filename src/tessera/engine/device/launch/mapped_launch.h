/// Launches of steps whose kernel is mapped to a grid by a pass from IR to IR (mapping/choose.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tessera/codegen/compiler.h"
#include "tessera/mapping/mapped.h"
#include "tessera/plan/plan.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// What a launch of a step covers.
enum class LaunchOver : uint8_t {
  all,       // its lanes
  parts,     // part of its first axis
  passages,  // the same, and each operand is in memory of its own, wherever the others are
};

/// The step's kernel over a grid; null where no such mapping applies.
std::shared_ptr<const mapping::Mapped> map_step(const plan::KernelStep& step, LaunchOver over);
/// How code is generated for it.
codegen::DeviceMapping mapping_of(const mapping::Mapped& mapped, int capability);
runtime::Grid grid_of(const mapping::LaunchShape& shape);
/// The parameters of its launch, from the block of those of `kernel`, which it maps (codegen/device_parameters.h).
std::vector<char> mapped_block(const mapping::Mapped& mapped, const mapping::LaunchShape& shape,
                               const ir::Kernel& kernel, std::span<const char> block);

}  // namespace tessera::engine
