// Launches of user kernels: checks, the choice of the device, and launches on the host.
#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/call/block_run.h"
#include "tessera/engine/call/launch_arguments.h"
#include "tessera/engine/call/run_apart.h"
#include "tessera/engine/call/swap_axes.h"
#include "tessera/engine/call/waiting_lanes.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/trace.h"
#include "tessera/engine/unlocked.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/progress.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/host/host_stream.h"

namespace tessera {

using graph::Version;

namespace {

/// What the GPUs with the most allow, so that programs for them run on the host.
constexpr int64_t most_shared_on_host = 232448;

constexpr std::string_view no_gpu =
    "there is none here; a function in Python (@cuda.jit(device=True)) runs without one";

constexpr std::string_view unchecked = "launches with checks run on the cores; leave check=True out";

[[noreturn]] void refuse_on_host(const ir::Kernel& kernel, std::string_view why) {
  throw library::LibraryMissing(
      "GPU", format("launch of {}: {} is code for a GPU alone: {}", kernel.name, kernel.foreign[0].name, why));
}

/// Makes the contents of the arrays available on the host, in the order of its stream: those that are written belong to
/// their storages alone.
void settle_on_host(engine::State& state, const ir::Kernel& kernel, std::span<const Array> arrays) {
  const auto is_ready = [&](size_t k) {
    const Version& version = *arrays[k].storage->current;
    const uint32_t most_references = kernel.buffers[k].writable && arrays[k].storage->pins == 0 ? 1 : ~0u;
    return !version.window && version.data && version.uses * kernel.buffers[k].writable == 0 &&
           version.references() <= most_references;
  };
  for (const Array& array : arrays)
    require<BufferError>(!array.storage->current->lent,
                         "launch of {}: an array's memory on the device is shared with another library, and the kernel "
                         "runs on the host: pass a copy",
                         kernel.name);
  // Other threads may run while this one waits, and change what was settled before.
  for (bool is_done = false; !is_done;) {
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (is_ready(k)) continue;
      if (kernel.buffers[k].writable)
        state.make_exclusive(*arrays[k].storage);
      else
        state.settle(*state.finished(*arrays[k].storage));
    }
    is_done = true;
    for (size_t k = 0; k < arrays.size(); ++k) is_done = is_done && is_ready(k);
  }
  for (size_t k = 0; k < arrays.size(); ++k)
    if (kernel.buffers[k].writable) engine::drop_device_copies(*arrays[k].storage->current);
}

}  // namespace

void Recording::launch(const std::shared_ptr<const ir::Kernel>& kernel, const LaunchShape& shape,
                       std::span<const Array> arrays, std::span<const Scalar> scalars) {
  const profile::Range range(kernel->name.c_str());
  engine::UserKernel& known = state_->user_kernels.find_or_add(kernel);
  engine::check_operands(*kernel, shape, arrays, scalars);
  engine::Recorder& window = state_->open_recorder();
  const engine::PlacedCall placed(&window);
  const uint64_t site = engine::Trace::active() ? state_->site_of({}) : 0;
  engine::TraceRun traced(engine::TracedRun::Kind::launch, kernel->name, site);
  for (const Array& array : arrays)
    if (traced.is_active()) traced.reads(array.storage->current.get());
  runtime::Device* device = shape.check ? nullptr : state_->place_launch(known, shape, arrays, window);
  engine::check_shape(*kernel, shape, device ? device->facts().shared_bytes : most_shared_on_host);
  if (!kernel->foreign.empty() && (!device || device->takes_ir()))
    refuse_on_host(*kernel, shape.check ? unchecked : no_gpu);
  const bool on_device = device && state_->launch_on_device(known, shape, arrays, scalars, *device);
  if (device && !on_device) state_->give_up_device(window);
  if (!on_device) state_->launch_on_host(known, shape, arrays, scalars);
  if (!traced.is_active()) return;
  if (!on_device) state_->runner.wait_all();
  for (size_t k = 0; k < arrays.size(); ++k)
    if (kernel->buffers[k].writable) traced.writes(arrays[k].storage->current.get());
  traced.finish(on_device ? device : nullptr);
}

void engine::State::launch_on_host(UserKernel& user, const LaunchShape& shape, std::span<const Array> arrays,
                                   std::span<const Scalar> scalars) {
  settle_on_host(*this, user.kernel(), arrays);
  std::vector<Ref<runtime::Buffer>> buffers;
  std::vector<char*> memory;
  bool is_foreign = false;
  for (const Array& array : arrays) {
    Version& version = *array.storage->current;
    buffers.emplace_back(eager::buffer_of(version));
    memory.push_back(version.data);
    is_foreign |= array.storage->pins > 0;
  }
  KernelVariant& variant = user.variant_on_host(layout_of(user.kernel(), arrays, memory), shape);
  if (!variant.on_host) variant.on_host = kernels.find_or_add(variant.hash, variant.kernel);
  require<ValueError>(!variant.meets_in_grid || shape.blocks() <= most_blocks_that_meet,
                      "cooperative launch of {}: {} blocks; on the cores at most {} wait for each other",
                      user.kernel().name, shape.blocks(), most_blocks_that_meet);
  const int64_t work = shape.blocks() * shape.threads() * user.work_a_lane();
  kernels.prepare(variant.on_host, work);
  runtime::HostStream& stream = runtime::HostStream::instance();
  LaunchArguments arguments = make_arguments(variant.is_swapped ? swapped(shape) : shape, arrays, scalars, memory);
  if (variant.is_apart) arguments.shared = std::make_shared<SharedRows>(user.kernel(), arguments);
  const uint64_t ticket =
      runner.start(std::make_shared<BlockRun>(variant.on_host, std::move(arguments), std::move(buffers), work));
  for (const Array& array : arrays) array.storage->current->ticket = ticket;
  // Other code sees foreign memory, and long work would keep other threads waiting for the caller's lock.
  if (!shape.check && !is_foreign && work <= HostLimits::light_work && stream.available() && !waits_to_time_call())
    return;
  {
    const profile::UnderWay under_way(user.kernel().name, shape.blocks() * shape.threads());
    const Unlocked unlocked(hooks, work >= HostLimits::work_for_unlock);
    stream.wait(ticket);
  }
  runner.collect();
}

}  // namespace tessera
