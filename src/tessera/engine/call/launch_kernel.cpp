// Launches of user kernels: checks, the choice of the device, and launches on the host.
#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/small_vector.h"
#include "tessera/base/unlocked.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/call/launch.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/kernels/block_run.h"
#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/engine/kernels/run_apart.h"
#include "tessera/engine/kernels/swap_axes.h"
#include "tessera/engine/kernels/waiting_lanes.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/trace.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/progress.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/host/host_stream.h"
#include "tessera/runtime/host/threads.h"
#include "tessera/runtime/user_streams.h"

namespace tessera {

using graph::Version;

namespace {

constexpr std::string_view no_gpu =
    "there is none here; a function in Python (@cuda.jit(device=True)) runs without one";

constexpr std::string_view unchecked = "launches with checks run on the cores; leave check=True out";

[[noreturn]] void refuse_on_host(const ir::Kernel& kernel, std::string_view why) {
  throw library::LibraryMissing(
      "GPU", format("launch of {}: {} is code for a GPU alone: {}", kernel.name, kernel.foreign[0].name, why));
}

/// Where a launch runs: one on a user's stream on the stream's device.
runtime::Device* find_device(engine::State& state, const LaunchShape& shape, std::span<const Array> arrays,
                             engine::Recorder& window) {
  if (shape.stream && shape.stream->device().is_usable()) return &shape.stream->device();
  if (window.target() && !window.has_several()) return window.target();
  if (!window.target() && !window.may_choose()) return nullptr;
  engine::CallOperands operands{.are_any = !arrays.empty()};
  for (const Array& array : arrays) operands.nbytes += array.view.size() * array.view.itemsize();
  operands.versions = [&] {
    std::vector<Ref<Version>> versions;
    for (const Array& array : arrays) versions.push_back(state.executor.finished(*array.storage));
    return versions;
  };
  return engine::Placer::place_launch(operands, window);
}

/// As far as a loop may run by the launch's arguments: along an array, or as often as a number says.
int64_t longest_loop(std::span<const Array> arrays, std::span<const Scalar> scalars) {
  int64_t longest = 1;
  for (const Array& array : arrays)
    for (const int64_t extent : array.view.shape) longest = std::max(longest, extent);
  for (const Scalar& scalar : scalars)
    if (is_integer(scalar.dtype)) longest = std::max(longest, scalar.as_int());
  return longest;
}

void launch_on_host(engine::State& state, engine::UserKernel& user, const LaunchShape& shape,
                    std::span<const Array> arrays, std::span<const Scalar> scalars) {
  SmallVector<uint8_t, 16> writes;
  for (const ir::BufferParam& buffer : user.kernel().buffers) writes.push_back(buffer.writable);
  engine::settle_on_host(state, user.kernel().name, arrays, writes);
  std::vector<Ref<runtime::Buffer>> buffers;
  std::vector<char*> memory;
  bool is_foreign = false;
  for (const Array& array : arrays) {
    Version& version = *array.storage->current;
    buffers.emplace_back(eager::buffer_of(version));
    memory.push_back(version.data);
    is_foreign |= array.storage->pins > 0;
  }
  engine::KernelVariant& variant = user.variant_on_host(engine::layout_of(user.kernel(), arrays, memory), shape);
  if (!variant.on_host) variant.on_host = state.kernels.find_or_add(variant.hash, variant.kernel);
  require<ValueError>(!variant.meets_in_grid || shape.blocks() <= engine::most_blocks_that_meet,
                      "cooperative launch of {}: {} blocks; on the cores at most {} wait for each other",
                      user.kernel().name, shape.blocks(), engine::most_blocks_that_meet);
  // A lane whose loops run long would be interpreted for a long time.
  const int64_t lanes = shape.blocks() * shape.threads(), work = lanes * user.work_a_lane();
  state.kernels.prepare(variant.on_host, user.most_work(lanes, longest_loop(arrays, scalars)));
  runtime::HostStream& stream = runtime::HostStream::instance();
  engine::LaunchArguments arguments =
      engine::make_arguments(variant.is_swapped ? engine::swapped(shape) : shape, arrays, scalars, memory);
  if (variant.is_apart) arguments.shared = std::make_shared<engine::SharedRows>(user.kernel(), arguments);
  const uint64_t ticket = state.runner.start(
      std::make_shared<engine::BlockRun>(variant.on_host, std::move(arguments), std::move(buffers), work));
  for (const Array& array : arrays) array.storage->current->ticket = ticket;
  // Other code sees foreign memory, and long work would keep other threads waiting for the caller's lock.
  if (!shape.check && !is_foreign && work <= engine::HostLimits::light_work && stream.available()) return;
  {
    const profile::UnderWay under_way(user.kernel().name, shape.blocks() * shape.threads());
    const Unlocked unlocked(state.hooks, work >= engine::HostLimits::work_for_unlock);
    stream.wait(ticket);
  }
  state.runner.collect();
}

}  // namespace

void engine::settle_on_host(State& state, const std::string& kernel, std::span<const Array> arrays,
                            std::span<const uint8_t> writes) {
  const auto is_ready = [&](size_t k) {
    const Version& version = *arrays[k].storage->current;
    const uint32_t most_references = writes[k] && arrays[k].storage->pins == 0 ? 1 : ~0u;
    return !version.window && version.data && (version.uses == 0 || !writes[k]) &&
           version.references() <= most_references;
  };
  for (const Array& array : arrays)
    require<BufferError>(!array.storage->current->lent,
                         "launch of {}: an array's memory on the device is shared with another library, and the kernel "
                         "runs on the host: pass a copy",
                         kernel);
  // Other threads may run while this one waits, and change what was settled before.
  for (bool is_done = false; !is_done;) {
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (is_ready(k)) continue;
      if (writes[k])
        state.executor.make_exclusive(*arrays[k].storage);
      else
        state.executor.settle(*state.executor.finished(*arrays[k].storage));
    }
    is_done = true;
    for (size_t k = 0; k < arrays.size(); ++k) is_done = is_done && is_ready(k);
  }
  for (size_t k = 0; k < arrays.size(); ++k)
    if (writes[k]) engine::drop_device_copies(*arrays[k].storage->current);
}

void Recording::launch(const std::shared_ptr<const ir::Kernel>& kernel, const LaunchShape& shape,
                       std::span<const Array> arrays, std::span<const Scalar> scalars) {
  const profile::Range range(kernel->name.c_str());
  engine::UserKernel& known = state_->user_kernels.find_or_add(kernel);
  engine::check_operands(*kernel, shape, arrays, scalars);
  engine::Recorder& window = state_->windows.open_own();
  const uint64_t site = engine::Trace::active() ? state_->site_of({}) : 0;
  engine::TraceRun traced(engine::TracedRun::Kind::launch, kernel->name, site);
  for (const Array& array : arrays)
    if (traced.is_active()) traced.reads(array.storage->current.get());
  runtime::Device* device = shape.check ? nullptr : find_device(*state_, shape, arrays, window);
  engine::check_shape(*kernel, shape, device ? device->facts().shared_bytes : engine::most_shared_on_host);
  if (!kernel->foreign.empty() && (!device || device->takes_ir()))
    refuse_on_host(*kernel, shape.check ? unchecked : no_gpu);
  const bool on_device = device && engine::launch_on_device(*state_, known, shape, arrays, scalars, *device);
  if (!on_device) launch_on_host(*state_, known, shape, arrays, scalars);
  if (!traced.is_active()) return;
  if (!on_device) state_->runner.wait_all();
  for (size_t k = 0; k < arrays.size(); ++k)
    if (kernel->buffers[k].writable) traced.writes(arrays[k].storage->current.get());
  traced.finish(on_device ? device : nullptr);
}

}  // namespace tessera
