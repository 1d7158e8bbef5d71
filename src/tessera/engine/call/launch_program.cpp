// Launches of kernels from CUDA C++, in the order of the device's other work.
#include "tessera/base/error.h"
#include "tessera/engine/call/launch_memory.h"
#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/engine/kernels/program_launch.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/trace.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/device.h"

namespace tessera {

namespace {

void check_launch(const ProgramLaunch& launch) {
  const LaunchShape& shape = launch.shape;
  engine::check_shape(launch.name, launch.static_shared_bytes, shape, launch.device.facts().shared_bytes);
  require<ValueError>(shape.threads() <= launch.most_threads,
                      "launch of {}: {} threads a block; the kernel's registers and launch bounds allow {}",
                      launch.name, shape.threads(), launch.most_threads);
  for (size_t k = 0; k < launch.arrays.size(); ++k)
    require<ValueError>(!launch.writes[k] || launch.arrays[k].storage->writable,
                        "launch of {}: the kernel may write argument {}, which is read-only: a pointer to const says "
                        "that it does not",
                        launch.name, launch.pointers[k]);
  if (launch.is_cooperative) engine::check_meets(launch.name, launch.program, shape, launch.device);
}

}  // namespace

void Recording::launch_program(const ProgramLaunch& launch) {
  const profile::Range range(launch.name.c_str());
  check_launch(launch);
  const uint64_t site = engine::Trace::active() ? state_->site_of({}) : 0;
  engine::TraceRun traced(engine::TracedRun::Kind::launch, launch.name, site);
  for (const Array& array : launch.arrays)
    if (traced.is_active()) traced.reads(array.storage->current.get());
  engine::DeviceRunner& runner = state_->devices.of(launch.device);
  engine::LaunchMemory memory(*state_, launch.arrays, launch.writes, launch.device);
  for (size_t k = 0; k < launch.arrays.size(); ++k)
    *static_cast<char**>(launch.values[launch.pointers[k]]) = memory.starts()[k] + launch.arrays[k].view.offset;
  runtime::Stream& stream = engine::stream_of(launch.shape, launch.device);
  profile::add(profile::Counter::device_launches);
  runner.note_launch(launch.name, state_->windows.own());
  stream.launch_user(launch.program, engine::grid_of(launch.shape), launch.values, launch.is_cooperative);
  memory.finish(launch.shape);
  if (engine::DeviceRunner::waits()) stream.synchronize();
  if (!traced.is_active()) return;
  for (size_t k = 0; k < launch.arrays.size(); ++k)
    if (launch.writes[k]) traced.writes(launch.arrays[k].storage->current.get());
  traced.finish(&launch.device);
}

}  // namespace tessera
