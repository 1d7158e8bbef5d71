// Launches of user kernels on a device, queued in the order of its stream.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/small_vector.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/call/launch.h"
#include "tessera/engine/call/launch_memory.h"
#include "tessera/engine/device/launch/limits.h"
#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/engine/kernels/swap_axes.h"
#include "tessera/engine/kernels/user_kernel.h"
#include "tessera/engine/state.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/device.h"
#include "tessera/runtime/user_streams.h"

namespace tessera {

namespace engine {

namespace {

using Words = SmallVector<int64_t, 128>;

/// The block of parameters that the compiled kernel reads (codegen/device_parameters.h).
Words make_block(const codegen::DeviceParameters& at, const LaunchShape& shape, std::span<const Array> arrays,
                 std::span<const Scalar> scalars, std::span<char* const> memory) {
  Words block(static_cast<size_t>(at.size / 8));
  const auto from = [&](int64_t offset) { return block.data() + offset / 8; };
  const std::array<int64_t, 6> extents = shape.extents();
  std::ranges::copy(extents, from(at.end));
  std::ranges::copy(extents, from(at.extents));
  int64_t *buffer = from(at.buffers), *stride = from(at.strides), *dimension = from(at.dimensions);
  for (size_t k = 0; k < arrays.size(); ++k) {
    const View& view = arrays[k].view;
    *buffer++ = reinterpret_cast<int64_t>(memory[k] + view.offset);
    for (int axis = 0; axis < view.ndim(); ++axis) {
      *stride++ = view.strides[axis];
      *dimension++ = view.shape[axis];
    }
  }
  char* scalar = reinterpret_cast<char*>(from(at.scalars));
  for (const Scalar& value : scalars) {
    std::memcpy(scalar, value.bytes, 16);
    scalar += 16;
  }
  return block;
}

/// Registers are allotted for the threads of a block: few sizes, so that few programs are compiled.
int allotted_threads(int64_t threads) {
  constexpr int64_t least = 128;
  return static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::max(least, threads))));
}

/// Arrays that share memory with others say so themselves.
WantedKernel wanted_variant(const KernelVariant& variant, int64_t threads, const runtime::Device& device) {
  const ir::DeviceOptions& asked = variant.kernel->device;
  if (asked.max_threads > 0) threads = asked.max_threads;
  const bool may_bound =
      asked.max_registers == 0 && asked.min_blocks == 0 && !variant.kernel->linked && variant.kernel->foreign.empty();
  const codegen::DeviceMapping mapping{.capability = device.facts().capability,
                                       .threads = allotted_threads(threads),
                                       .registers = may_bound ? MappingLimits::user_registers : 0,
                                       .disjoint = true,
                                       .exact_grid = true};
  return {.hash = variant.hash, .kernel = variant.kernel, .mapping = mapping};
}

/// Functions that call themselves take of each thread's stack what the assembler cannot know.
void reserve_stack(const ir::Kernel& kernel, runtime::Device& device) {
  constexpr int64_t wanted = 16 << 10;
  if (kernel.functions.empty() || device.limit_of(runtime::DeviceLimit::stack_bytes) >= wanted) return;
  device.set_limit_of(runtime::DeviceLimit::stack_bytes, wanted);
}

}  // namespace

bool DeviceRunner::launch(KernelVariant& variant, const LaunchShape& shape, std::span<const char> parameters,
                          codegen::Compiler* compiler) {
  KernelVariant::OnDevice& known = variant.on_device;
  if (const int threads = allotted_threads(shape.threads()); known.runner != this || known.threads != threads)
    known = {this, threads, &kernels_.find_or_compile(wanted_variant(variant, shape.threads(), device_), compiler)};
  const DeviceKernel& kernel = *known.kernel;
  if (!kernel.program) return false;
  reserve_stack(*variant.kernel, device_);
  profile::add(profile::Counter::device_launches);
  runtime::Stream& stream = stream_of(shape, device_);
  if (variant.meets_in_grid) check_meets(variant.kernel->name, *kernel.program, shape, device_);
  stream.launch(*kernel.program, grid_of(shape), parameters,
                variant.meets_in_grid ? runtime::Begin::together : runtime::Begin::in_order);
  if (waits()) stream.synchronize();
  return true;
}

const DeviceKernel& DeviceRunner::load(const KernelVariant& variant, int64_t threads, codegen::Compiler* compiler) {
  return kernels_.find_or_compile(wanted_variant(variant, threads, device_), compiler);
}

void DeviceRunner::compile(std::span<const KernelVariant* const> variants, int64_t threads,
                           codegen::Compiler* compiler) {
  std::vector<WantedKernel> wanted;
  for (const KernelVariant* variant : variants) wanted.push_back(wanted_variant(*variant, threads, device_));
  kernels_.compile(wanted, compiler);
}

}  // namespace engine

namespace {

/// The variant for dense arrays that share no memory.
const engine::KernelVariant& dense_variant(engine::State& state, const std::shared_ptr<const ir::Kernel>& kernel) {
  const uint64_t all = kernel->buffers.size() < 64 ? (uint64_t{1} << kernel->buffers.size()) - 1 : ~uint64_t{0};
  return state.user_kernels.find_or_add(kernel).variant({.contiguous = all});
}

}  // namespace

Devices::LoadedKernel Devices::load_kernel(const std::shared_ptr<const ir::Kernel>& kernel, int64_t threads) {
  runtime::Device* device = for_streams();
  if (!device || !device->is_usable() || device->takes_ir()) return {};
  engine::DeviceRunner& runner = state_->devices.of(*device);
  const engine::DeviceKernel& loaded = runner.load(dense_variant(*state_, kernel), threads, state_->kernels.compiler());
  if (loaded.failure) std::rethrow_exception(loaded.failure);
  return {device, loaded.program};
}

int64_t Devices::blocks_that_meet(const std::shared_ptr<const ir::Kernel>& kernel, int64_t threads,
                                  int64_t shared_bytes) {
  constexpr int64_t enough_on_host = 128;
  const LoadedKernel loaded = load_kernel(kernel, threads);
  if (!loaded.program) return enough_on_host;
  return engine::resident_blocks(*loaded.program, threads, shared_bytes, *loaded.device);
}

void Devices::compile_kernels(std::span<const std::shared_ptr<const ir::Kernel>> kernels, int64_t threads) {
  const engine::DeviceSet* devices = state_->windows.open_own().equals();
  if (!devices) return;
  std::vector<const engine::KernelVariant*> variants;
  for (const std::shared_ptr<const ir::Kernel>& kernel : kernels) variants.push_back(&dense_variant(*state_, kernel));
  for (runtime::Device* device : devices->devices())
    if (device->is_usable() && !device->takes_ir())
      state_->devices.of(*device).compile(variants, threads, state_->kernels.compiler());
}

bool engine::launch_on_device(State& state, UserKernel& user, const LaunchShape& shape, std::span<const Array> arrays,
                              std::span<const Scalar> scalars, runtime::Device& device) {
  const codegen::DeviceParameters parameters(user.kernel());
  require<NotImplementedError>(parameters.by_value(),
                               "launch of {}: its arguments take more than the 4096 bytes that a launch may pass",
                               user.kernel().name);
  DeviceRunner& runner = state.devices.of(device);
  SmallVector<uint8_t, 16> writes;
  for (const ir::BufferParam& buffer : user.kernel().buffers) writes.push_back(buffer.writable);
  engine::LaunchMemory memory(state, arrays, writes, device);
  KernelVariant& variant = user.variant(layout_of(user.kernel(), arrays, memory.starts()), shape);
  const LaunchShape placed = variant.is_swapped ? swapped(shape) : shape;
  const Words block = make_block(parameters, placed, arrays, scalars, memory.starts());
  const std::span<const char> bytes(reinterpret_cast<const char*>(block.data()), 8 * block.size());
  if (!runner.launch(variant, placed, bytes, state.devices.compiler_for(device))) {
    // Code for a device alone does not run elsewhere.
    if (!user.kernel().foreign.empty()) std::rethrow_exception(variant.on_device.kernel->failure);
    state.fallbacks.note(user.kernel().name,
                         format("kernel {} runs on the host: {}", user.kernel().name, runner.problem()));
    return false;
  }
  runner.note_launch(user.kernel().name, state.windows.own());
  memory.finish(shape);
  return true;
}

}  // namespace tessera
