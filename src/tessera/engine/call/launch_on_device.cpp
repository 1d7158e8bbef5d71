// Launches of user kernels on a device, queued in the order of its stream.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/call/launch_arguments.h"
#include "tessera/engine/call/user_kernel.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/state.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/user_streams.h"

namespace tessera {

using graph::Storage;
using runtime::Buffer;

namespace engine {

namespace {

/// The block of parameters that the compiled kernel reads (codegen/device_parameters.h).
std::vector<char> make_block(const ir::Kernel& kernel, const LaunchArguments& arguments) {
  const codegen::DeviceParameters at(kernel);
  std::vector<char> block(static_cast<size_t>(at.size));
  const auto put = [&](int64_t offset, const auto& words) {
    if (!words.empty()) std::memcpy(block.data() + offset, words.data(), 8 * words.size());
  };
  put(at.end, arguments.extents);
  put(at.extents, arguments.extents);
  put(at.buffers, arguments.buffers);
  put(at.strides, arguments.strides);
  put(at.dimensions, arguments.dimensions);
  put(at.scalars, arguments.scalars);
  return block;
}

/// Registers are allotted for the threads of a block: few sizes, so that few programs are compiled.
int allotted_threads(int64_t threads) {
  constexpr int64_t least = 128;
  return static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::max(least, threads))));
}

/// Arrays that share memory with others say so themselves.
WantedKernel wanted_kernel(const KernelVariant& variant, int64_t threads, const runtime::Device& device) {
  const codegen::DeviceMapping mapping{.capability = device.facts().capability,
                                       .threads = allotted_threads(threads),
                                       .disjoint = true,
                                       .exact_grid = true};
  return {.hash = variant.hash, .kernel = variant.kernel, .mapping = mapping};
}

std::array<uint32_t, 3> counts(const std::array<int64_t, 3>& extents) {
  return {static_cast<uint32_t>(extents[0]), static_cast<uint32_t>(extents[1]), static_cast<uint32_t>(extents[2])};
}

/// The user's stream on which the launch runs; null: the device's own.
runtime::UserStream* user_stream(const LaunchShape& shape, const runtime::Device& device) {
  return shape.stream && &shape.stream->device() == &device ? shape.stream : nullptr;
}

/// The memory of a launch's arrays on the device.
class DeviceMemory {
 public:
  DeviceMemory(State& state, const ir::Kernel& kernel, std::span<const Array> arrays, runtime::Device& device)
      : state_(state), device_(device), held_(arrays.size()) {
    // Work that makes one array may run other work, so all are made before any memory is taken, and what is written
    // comes last, as others may share its contents.
    for (const Array& array : arrays) state.finished(*array.storage);
    for (const bool writes : {false, true}) {
      for (size_t k = 0; k < arrays.size(); ++k)
        if (kernel.buffers[k].writable == writes) held_[k] = take(*arrays[k].storage, arrays[k], writes);
    }
    for (size_t k = 0; k < arrays.size(); ++k)  // the same array may be given twice
      for (size_t other = 0; other < arrays.size(); ++other)
        if (kernel.buffers[other].writable && arrays[other].storage == arrays[k].storage) held_[k] = held_[other];
    for (const Ref<Buffer>& buffer : held_) starts_.push_back(buffer->data());
  }
  std::span<char* const> starts() const { return starts_; }
  const std::vector<Ref<Buffer>>& buffers() const { return held_; }

  /// Copies what was written to memory that other code sees on the host; waits for it.
  void return_copies() {
    for (const Copy& copy : copies_) {
      char* data = host_data(*copy.storage->current);
      device_.stream().copy_out(data, copy.buffer->data(), static_cast<size_t>(copy.storage->current->nbytes));
      profile::add(profile::Counter::copies_from_device);
    }
  }

 private:
  /// Memory that other code sees on the host is written by way of a copy.
  struct Copy {
    Ref<Storage> storage;
    Ref<Buffer> buffer;
  };

  Ref<Buffer> take(Storage& storage, const Array& array, bool writes) {
    if (!writes) return Devices(state_).on_device(array, device_);
    const auto known = std::ranges::find_if(copies_, [&](const Copy& copy) { return copy.storage == array.storage; });
    if (known != copies_.end()) return known->buffer;
    if (Ref<Buffer> own = state_.own_on_device(storage, device_)) return own;
    state_.make_exclusive(storage);
    copies_.push_back({array.storage, Devices(state_).on_device(array, device_)});
    return copies_.back().buffer;
  }

  State& state_;
  runtime::Device& device_;
  std::vector<Ref<Buffer>> held_;
  std::vector<Copy> copies_;
  std::vector<char*> starts_;
};

}  // namespace

bool DeviceRunner::launch(const KernelVariant& variant, const LaunchShape& shape, const LaunchArguments& arguments,
                          codegen::Compiler* compiler) {
  const DeviceKernel& kernel = kernels_.find_or_compile(wanted_kernel(variant, shape.threads(), device_), compiler);
  if (!kernel.program) return false;
  profile::add(profile::Counter::device_launches);
  const runtime::Grid grid{.blocks = counts(shape.grid),
                           .threads = counts(shape.block),
                           .shared_bytes = static_cast<uint32_t>(shape.shared_bytes)};
  runtime::Stream& stream = user_stream(shape, device_) ? shape.stream->stream() : device_.stream();
  stream.launch(*kernel.program, grid, make_block(*variant.kernel, arguments));
  if (waits()) stream.synchronize();
  return true;
}

void DeviceRunner::compile(std::span<const KernelVariant* const> variants, int64_t threads,
                           codegen::Compiler* compiler) {
  std::vector<WantedKernel> wanted;
  for (const KernelVariant* variant : variants) wanted.push_back(wanted_kernel(*variant, threads, device_));
  kernels_.compile(wanted, compiler);
}

}  // namespace engine

void Devices::compile_kernels(std::span<const std::shared_ptr<const ir::Kernel>> kernels, int64_t threads) {
  const engine::Recorder& window = state_->open_recorder();
  runtime::Device* device = window.target();
  if (!device && window.choice) device = window.choice->device();
  if (!device || !device->is_usable() || device->takes_ir()) return;
  std::vector<const engine::KernelVariant*> variants;
  for (const std::shared_ptr<const ir::Kernel>& kernel : kernels) {
    const uint64_t all = kernel->buffers.size() < 64 ? (uint64_t{1} << kernel->buffers.size()) - 1 : ~uint64_t{0};
    variants.push_back(&state_->user_kernels.find_or_add(kernel).variant({.contiguous = all}));
  }
  state_->runner_of(*device).compile(variants, threads, state_->kernels.compiler());
}

bool engine::State::launch_on_device(UserKernel& user, const LaunchShape& shape, std::span<const Array> arrays,
                                     std::span<const Scalar> scalars, runtime::Device& device) {
  require<NotImplementedError>(codegen::DeviceParameters(user.kernel()).by_value(),
                               "launch of {}: its arguments take more than the 4096 bytes that a launch may pass",
                               user.kernel().name);
  DeviceRunner& runner = runner_of(device);
  engine::DeviceMemory memory(*this, user.kernel(), arrays, device);
  const KernelVariant& variant = user.variant(layout_of(user.kernel(), arrays, memory.starts()));
  const LaunchArguments arguments = make_arguments(shape, arrays, scalars, memory.starts());
  if (!runner.launch(variant, shape, arguments, device.takes_ir() ? nullptr : kernels.compiler())) {
    note_missing(user.kernel().name, format("kernel {} runs on the host: {}", user.kernel().name, runner.problem()));
    return false;
  }
  if (runtime::UserStream* stream = user_stream(shape, device)) stream->hold(memory.buffers());
  device_has_results = true;
  memory.return_copies();
  return true;
}

}  // namespace tessera
