#include "tessera/routines/kernel_launch.h"

#include <algorithm>

#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/host_access.h"
#include "tessera/engine/state.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

bool Devices::launch_routines(runtime::Device& device, std::span<const routines::KernelLaunch> routines) {
  return state_->devices.of(device).routines().run(routines, state_->devices.compiler_for(device));
}

const char* Devices::zeros(runtime::Device& device, int64_t words) {
  return state_->devices.of(device).routines().zeros(static_cast<size_t>(8 * words));
}

bool Devices::is_ready(runtime::Device& device, const routines::KernelLaunch& routine) {
  return state_->devices.of(device).routines().is_ready(routine, state_->devices.compiler_for(device));
}

bool Devices::is_compiled(runtime::Device& device, const routines::KernelLaunch& routine) {
  return state_->devices.of(device).routines().is_compiled(routine);
}

namespace {

std::shared_ptr<engine::CachedKernel> host_routine(engine::State& state, const routines::KernelLaunch& routine) {
  std::shared_ptr<engine::CachedKernel>& known = state.host_routines[routine.name];
  if (!known) {
    const auto kernel = std::make_shared<const ir::Kernel>(routine.make());
    known = state.kernels.find_or_add(ir::structural_hash(*kernel), kernel);
  }
  return known;
}

}  // namespace

void Devices::run_on_host(const routines::KernelLaunch& routine, int64_t work) {
  const Dims& extents = routine.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
  const std::shared_ptr<engine::CachedKernel> cached = host_routine(*state_, routine);
  state_->kernels.prepare(cached, work);
  const ir::Kernel& kernel = *cached->kernel;
  std::vector<int64_t> strides, scalars;
  for (const ir::BufferParam& buffer : kernel.buffers) strides.push_back(itemsize(buffer.dtype));
  const std::vector<int64_t> dimensions(strides.size(), engine::any_length);
  for (int64_t scalar : routine.scalars) scalars.insert(scalars.end(), {scalar, 0});
  std::vector<char*> buffers;
  for (const char* buffer : routine.buffers) buffers.push_back(const_cast<char*>(buffer));
  const ir::KernelArguments arguments{.buffers = buffers.data(),
                                      .strides = strides.data(),
                                      .dimensions = dimensions.data(),
                                      .scalars = reinterpret_cast<const char*>(scalars.data()),
                                      .extents = extents.data(),
                                      .flags = nullptr};
  const HostWork unlocked(Settings(*state_), work);
  const int64_t grain = std::max<int64_t>(1, extents[0] * (1 << 20) / std::max<int64_t>(1, work));
  auto piece = [&](int64_t from, int64_t to) {
    Dims begin(extents.size(), 0), end = extents;
    begin[0] = from;
    end[0] = to;
    if (const ir::KernelEntry entry = cached->entry.load(std::memory_order_acquire))
      entry(&arguments, begin.data(), end.data());
    else
      cached->program->run(arguments, begin.data(), end.data());
  };
  runtime::parallel_for(extents[0], grain, piece);
}

}  // namespace tessera
