#include "tessera/routines/kernel_launch.h"

#include <algorithm>
#include <cstring>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/limits.h"
#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/host_access.h"
#include "tessera/engine/state.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

namespace engine {

constexpr int64_t any_length = int64_t{1} << 62;  // kernels over dense buffers check their own bounds

namespace {

std::vector<char> make_block(const routines::KernelLaunch& routine, const ir::Kernel& kernel) {
  const codegen::DeviceParameters at(kernel);
  std::vector<char> block(static_cast<size_t>(at.size));
  const auto put = [&](int64_t offset, const void* from, size_t nbytes) {
    std::memcpy(block.data() + offset, from, nbytes);
  };
  put(at.end, routine.extents.data(), 8 * routine.extents.size());
  put(at.extents, routine.extents.data(), 8 * routine.extents.size());
  put(at.buffers, routine.buffers.data(), 8 * routine.buffers.size());
  for (size_t k = 0; k < routine.buffers.size(); ++k) {
    const int64_t item = itemsize(kernel.buffers[k].dtype), offset = 8 * static_cast<int64_t>(k);
    put(at.strides + offset, &item, 8);
    put(at.dimensions + offset, &any_length, 8);
  }
  for (size_t k = 0; k < routine.scalars.size(); ++k)
    put(at.scalars + 16 * static_cast<int64_t>(k), &routine.scalars[k], 8);
  return block;
}

/// One block per row of the grid.
runtime::Grid block_grid(const Dims& extents) {
  constexpr int64_t most_rows = 65535;
  return {.blocks = {1, static_cast<uint32_t>(std::min(extents[0], most_rows)), 1},
          .threads = {static_cast<uint32_t>(extents[1]), 1, 1}};
}

}  // namespace

namespace {

codegen::DeviceMapping mapping_of(const routines::KernelLaunch& routine, const runtime::Device& device) {
  codegen::DeviceMapping mapping{.capability = device.facts().capability, .fast_compile = routine.is_short_text};
  if (routine.is_block) mapping.threads = static_cast<int>(routine.extents[1]);
  return mapping;
}

}  // namespace

DeviceRunner::RoutineKernel& DeviceRunner::find_routine(const routines::KernelLaunch& routine) {
  RoutineKernel& known = routines_[routine.name];
  if (!known.wanted.kernel) {
    known.wanted.kernel = std::make_shared<const ir::Kernel>(routine.make());
    known.wanted.hash = ir::structural_hash(*known.wanted.kernel);
    known.wanted.mapping = mapping_of(routine, device_);
    if (routine.make_short_text)
      known.wanted.short_text = std::make_shared<const ir::Kernel>(routine.make_short_text());
  }
  return known;
}

const char* DeviceRunner::zeros(size_t nbytes) {
  constexpr size_t least = size_t{1} << 16;
  if (!zeros_ || zeros_->nbytes() < nbytes) {
    zeros_ = device_.allocate(std::max(nbytes, least));
    device_.stream().fill_zero(zeros_->data(), zeros_->nbytes());
  }
  return zeros_->data();
}

bool DeviceRunner::is_compiled(const routines::KernelLaunch& routine) {
  return find_routine(routine).on_device != nullptr;
}

bool DeviceRunner::is_ready(const routines::KernelLaunch& routine, codegen::Compiler* compiler) {
  const RoutineKernel& known = find_routine(routine);
  return known.on_device || kernels_.is_ready(known.wanted, compiler, Making::afterwards);
}

bool DeviceRunner::prepare(std::span<const routines::KernelLaunch> routines, codegen::Compiler* compiler) {
  std::vector<WantedKernel> wanted;
  std::vector<RoutineKernel*> fresh;
  bool have_form = true;
  for (const routines::KernelLaunch& routine : routines) {
    RoutineKernel& known = find_routine(routine);
    if (known.on_device) {
      have_form = have_form && known.on_device->program;
      continue;
    }
    fresh.push_back(&known);
    wanted.push_back(known.wanted);
  }
  if (!wanted.empty()) kernels_.compile(wanted, compiler);
  for (RoutineKernel* known : fresh) {
    known->on_device = &kernels_.find_or_compile(known->wanted, compiler);
    have_form = have_form && known->on_device->program;
  }
  return have_form;
}

bool DeviceRunner::run(std::span<const routines::KernelLaunch> routines, codegen::Compiler* compiler) {
  if (!prepare(routines, compiler)) return false;
  for (const routines::KernelLaunch& routine : routines) {
    if (std::find(routine.extents.begin(), routine.extents.end(), 0) != routine.extents.end()) continue;
    const RoutineKernel& known = find_routine(routine);
    kernels_.advance(*known.on_device, DeviceCompileLimits::enough_work);  // routines are likely to be launched again
    const runtime::Grid grid =
        routine.is_block ? block_grid(routine.extents)
                         : choose_grid(known.wanted.mapping, routine.extents, device_.facts().multiprocessors);
    profile::add(profile::Counter::device_launches);
    device_.stream().launch(*known.on_device->program, grid, make_block(routine, *known.wanted.kernel));
  }
  kernels_.make_better(compiler);
  return true;
}

}  // namespace engine

bool Devices::launch_routines(runtime::Device& device, std::span<const routines::KernelLaunch> routines) {
  return state_->runner_of(device).run(routines, device.takes_ir() ? nullptr : state_->kernels.compiler());
}

const char* Devices::zeros(runtime::Device& device, int64_t words) {
  return state_->runner_of(device).zeros(static_cast<size_t>(8 * words));
}

bool Devices::is_ready(runtime::Device& device, const routines::KernelLaunch& routine) {
  return state_->runner_of(device).is_ready(routine, device.takes_ir() ? nullptr : state_->kernels.compiler());
}

bool Devices::is_compiled(runtime::Device& device, const routines::KernelLaunch& routine) {
  return state_->runner_of(device).is_compiled(routine);
}

void Devices::run_on_host(const routines::KernelLaunch& routine, int64_t work) {
  const Dims& extents = routine.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
  const std::shared_ptr<engine::CachedKernel> cached = state_->host_routine(routine);
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

std::shared_ptr<engine::CachedKernel> engine::State::host_routine(const routines::KernelLaunch& routine) {
  std::shared_ptr<engine::CachedKernel>& known = host_routines[routine.name];
  if (!known) {
    const auto kernel = std::make_shared<const ir::Kernel>(routine.make());
    known = kernels.find_or_add(ir::structural_hash(*kernel), kernel);
  }
  return known;
}

}  // namespace tessera
