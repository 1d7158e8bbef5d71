#include "tessera/engine/device/run/device_plan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/engine/device/memory/coherence.h"

namespace tessera::engine {

using codegen::DeviceParameters;
using plan::Binding;

bool has_work(const plan::KernelStep& step) {
  return step.kernel && std::find(step.extents.begin(), step.extents.end(), 0) == step.extents.end();
}

WantedKernel wanted_kernel(const plan::KernelStep& step, const runtime::Device& device, LaunchOver over) {
  const int capability = device.facts().capability;
  WantedKernel wanted{
      .hash = step.kernel_hash, .kernel = step.kernel, .may_compile_fast = can_compile_fast(*step.kernel)};
  wanted.mapped = map_step(step, over);
  if (wanted.mapped) {
    wanted.mapping = mapping_of(*wanted.mapped, capability);
    return wanted;
  }
  wanted.mapping = choose_mapping(*step.kernel, step.extents, step.work, capability, check_operands(step));
  return wanted;
}

std::vector<char> make_block(const plan::KernelStep& step) {
  const DeviceParameters at(*step.kernel);
  std::vector<char> block(static_cast<size_t>(at.size));
  const auto put = [&](int64_t offset, const void* from, size_t nbytes) {
    std::memcpy(block.data() + offset, from, nbytes);
  };
  put(at.end, step.extents.data(), 8 * step.extents.size());
  put(at.extents, step.extents.data(), 8 * step.extents.size());
  int64_t axis = 0;
  for (const Binding& binding : step.buffers) {
    put(at.strides + 8 * axis, binding.strides.data(), 8 * binding.strides.size());
    put(at.dimensions + 8 * axis, binding.dimensions.data(), 8 * binding.dimensions.size());
    axis += static_cast<int64_t>(binding.strides.size());
  }
  return block;
}

}  // namespace tessera::engine
