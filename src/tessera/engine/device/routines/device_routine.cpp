#include "tessera/engine/device/routines/device_routine.h"

#include <algorithm>
#include <cstring>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/device_runner.h"
#include "tessera/engine/device/launch_form.h"
#include "tessera/engine/impl.h"
#include "tessera/profile/counters.h"

namespace tessera {

namespace engine {

namespace {

constexpr int64_t any_length = int64_t{1} << 62;  // kernels over dense buffers compute their own bounds

std::vector<char> make_block(const DeviceRoutine& routine, const ir::Kernel& kernel) {
  const codegen::DeviceParameters at(kernel);
  std::vector<char> block(static_cast<size_t>(at.size));
  const auto put = [&](int64_t offset, const void* from, size_t nbytes) { std::memcpy(block.data() + offset, from, nbytes); };
  put(at.end, routine.extents.data(), 8 * routine.extents.size());
  put(at.extents, routine.extents.data(), 8 * routine.extents.size());
  put(at.buffers, routine.buffers.data(), 8 * routine.buffers.size());
  for (size_t k = 0; k < routine.buffers.size(); ++k) {
    const int64_t item = itemsize(kernel.buffers[k].dtype), offset = 8 * static_cast<int64_t>(k);
    put(at.strides + offset, &item, 8);
    put(at.dimensions + offset, &any_length, 8);
  }
  for (size_t k = 0; k < routine.scalars.size(); ++k) put(at.scalars + 16 * static_cast<int64_t>(k), &routine.scalars[k], 8);
  return block;
}

/// One row of the grid a block.
runtime::Grid block_grid(const Dims& extents) {
  constexpr int64_t most_rows = 65535;
  return {.blocks = {1, static_cast<uint32_t>(std::min(extents[0], most_rows)), 1}, .threads = {static_cast<uint32_t>(extents[1]), 1, 1}};
}

}  // namespace

bool DeviceRunner::run(const DeviceRoutine& routine, codegen::Compiler* compiler) {
  RoutineKernel& known = routines_[routine.name];
  if (!known.kernel) {
    known.kernel = std::make_shared<const ir::Kernel>(routine.make());
    known.hash = ir::structural_hash(*known.kernel);
  }
  if (std::find(routine.extents.begin(), routine.extents.end(), 0) != routine.extents.end()) return true;
  const codegen::DeviceForm form{.capability = device_.facts().capability};
  if (!known.on_device) known.on_device = &kernels_.find_or_compile(known.hash, known.kernel, form, compiler);
  const DeviceKernel& kernel = *known.on_device;
  if (!kernel.program) return false;
  const runtime::Grid grid = routine.is_block ? block_grid(routine.extents) : choose_grid(form, routine.extents);
  profile::add(profile::Counter::device_launches);
  device_.stream().launch(*kernel.program, grid, make_block(routine, *known.kernel));
  return true;
}

}  // namespace engine

bool Engine::launch_routine(runtime::Device& device, const engine::DeviceRoutine& routine) {
  return impl_->runner_of(device).run(routine, device.takes_ir() ? nullptr : impl_->kernels.compiler());
}

}  // namespace tessera
