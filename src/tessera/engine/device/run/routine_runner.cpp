#include "tessera/engine/device/run/routine_runner.h"

#include <algorithm>
#include <cstring>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/limits.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

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

codegen::DeviceMapping mapping_of(const routines::KernelLaunch& routine, const runtime::Device& device) {
  codegen::DeviceMapping mapping{.capability = device.facts().capability, .fast_compile = routine.is_short_text};
  if (routine.is_block) mapping.threads = static_cast<int>(routine.extents[1]);
  return mapping;
}

}  // namespace

RoutineRunner::Routine& RoutineRunner::find(const routines::KernelLaunch& routine) {
  Routine& known = routines_[routine.name];
  if (!known.wanted.kernel) {
    known.wanted.kernel = std::make_shared<const ir::Kernel>(routine.make());
    known.wanted.hash = ir::structural_hash(*known.wanted.kernel);
    known.wanted.mapping = mapping_of(routine, device_);
    if (routine.make_short_text)
      known.wanted.short_text = std::make_shared<const ir::Kernel>(routine.make_short_text());
  }
  return known;
}

const char* RoutineRunner::zeros(size_t nbytes) {
  constexpr size_t least = size_t{1} << 16;
  if (!zeros_ || zeros_->nbytes() < nbytes) {
    zeros_ = device_.allocate(std::max(nbytes, least));
    device_.stream().fill_zero(zeros_->data(), zeros_->nbytes());
  }
  return zeros_->data();
}

bool RoutineRunner::is_ready(const routines::KernelLaunch& routine, codegen::Compiler* compiler) {
  const Routine& known = find(routine);
  return known.on_device || kernels_.is_ready(known.wanted, compiler, Making::afterwards);
}

bool RoutineRunner::prepare(std::span<const routines::KernelLaunch> routines, codegen::Compiler* compiler) {
  std::vector<WantedKernel> wanted;
  std::vector<Routine*> fresh;
  bool have_form = true;
  for (const routines::KernelLaunch& routine : routines) {
    Routine& known = find(routine);
    if (known.on_device && known.on_device->program) continue;
    fresh.push_back(&known);
    wanted.push_back(known.wanted);
  }
  if (!wanted.empty()) kernels_.compile(wanted, compiler);
  for (Routine* known : fresh) {
    known->on_device = &kernels_.find_or_compile(known->wanted, compiler);
    have_form = have_form && known->on_device->program;
  }
  return have_form;
}

bool RoutineRunner::run(std::span<const routines::KernelLaunch> routines, codegen::Compiler* compiler) {
  if (!prepare(routines, compiler)) return false;
  for (const routines::KernelLaunch& routine : routines) {
    if (std::find(routine.extents.begin(), routine.extents.end(), 0) != routine.extents.end()) continue;
    const Routine& known = find(routine);
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

}  // namespace tessera::engine
