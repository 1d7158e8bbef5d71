// Launches of kernels from CUDA C++, in the order of the device's other work.
#include <algorithm>
#include <functional>

#include "tessera/base/error.h"
#include "tessera/base/unlocked.h"
#include "tessera/codegen/compiler.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/call/launch.h"
#include "tessera/engine/call/launch_memory.h"
#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/engine/kernels/program_launch.h"
#include "tessera/engine/kernels/waiting_lanes.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/source/core_module.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/trace.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/progress.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/device.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

namespace {

void check_launch(const ProgramLaunch& launch) {
  const LaunchShape& shape = launch.shape;
  engine::check_shape(launch.name, launch.static_shared_bytes, shape,
                      launch.device ? launch.device->facts().shared_bytes : engine::most_shared_on_host);
  require<ValueError>(shape.threads() <= launch.most_threads,
                      "launch of {}: {} threads a block; the kernel's registers and launch bounds allow {}",
                      launch.name, shape.threads(), launch.most_threads);
  for (size_t k = 0; k < launch.arrays.size(); ++k)
    require<ValueError>(!launch.writes[k] || launch.arrays[k].storage->writable,
                        "launch of {}: the kernel may write argument {}, which is read-only: a pointer to const says "
                        "that it does not",
                        launch.name, launch.pointers[k]);
  if (launch.is_cooperative && launch.device) engine::check_meets(launch.name, launch.program, shape, *launch.device);
}

/// Returns when the kernel has run.
void run_on_cores(engine::State& state, const ProgramLaunch& launch) {
  const auto& program = static_cast<const CoreProgram&>(launch.program);
  const LaunchShape& shape = launch.shape;
  require<ValueError>(!program.kernel().facts().meets_in_grid || shape.blocks() <= engine::most_blocks_that_meet,
                      "cooperative launch of {}: {} blocks; on the cores at most {} wait for each other", launch.name,
                      shape.blocks(), engine::most_blocks_that_meet);
  // Of memory that is passed by its address nothing is known: all work ends. Other threads may run meanwhile, and
  // change what was settled before.
  for (int k = 0; k < 2; ++k) {
    engine::settle_on_host(state, launch.name, launch.arrays, launch.writes);
    state.runner.wait_all();
  }
  std::vector<Ref<runtime::Buffer>> buffers;
  std::vector<codegen::HostRange> memory(program.kernel().facts().is_checked ? launch.values.size() : 0);
  for (size_t k = 0; k < launch.arrays.size(); ++k) {
    graph::Version& version = *launch.arrays[k].storage->current;
    buffers.emplace_back(eager::buffer_of(version));
    *static_cast<char**>(launch.values[launch.pointers[k]]) = version.data + launch.arrays[k].view.offset;
    if (!memory.empty()) memory[launch.pointers[k]] = {version.data, version.data + version.nbytes};
  }
  codegen::HostLaunch given{.values = launch.values.data(), .shared_bytes = shape.shared_bytes, .memory = memory};
  for (size_t axis = 0; axis < 3; ++axis) {
    given.grid[axis] = static_cast<uint32_t>(shape.grid[axis]);
    given.block[axis] = static_cast<uint32_t>(shape.block[axis]);
  }
  constexpr int64_t threads_for_a_core = 4096;
  const int64_t grain = std::max<int64_t>(1, threads_for_a_core / shape.threads());
  const profile::UnderWay under_way(launch.name, shape.blocks() * shape.threads());
  const Unlocked unlocked(state.hooks);
  std::vector<std::string> faults =
      program.kernel().run(given, [&](int64_t count, const std::function<void(int64_t, int64_t)>& piece) {
        auto part = [&](int64_t begin, int64_t end) { piece(begin, end); };
        runtime::parallel_for(count, grain, part);
      });
  if (!faults.empty()) throw engine::KernelFaults(launch.name, std::move(faults));
}

}  // namespace

std::shared_ptr<runtime::Module> Recording::load_on_cores(std::string_view bitcode, bool is_checked) {
  codegen::Compiler* compiler = state_->kernels.compiler();
  require<NotImplementedError>(compiler != nullptr, "CUDA C++ on the cores: there is no native code: {}",
                               state_->kernels.compiler_problem());
  const Unlocked unlocked(state_->hooks);
  return engine::make_core_module(compiler->compile_cuda_cpp(bitcode, is_checked));
}

void Recording::launch_program(const ProgramLaunch& launch) {
  const profile::Range range(launch.name.c_str());
  check_launch(launch);
  const uint64_t site = engine::Trace::active() ? state_->site_of({}) : 0;
  engine::TraceRun traced(engine::TracedRun::Kind::launch, launch.name, site);
  for (const Array& array : launch.arrays)
    if (traced.is_active()) traced.reads(array.storage->current.get());
  if (!launch.device) {
    run_on_cores(*state_, launch);
    for (size_t k = 0; k < launch.arrays.size() && traced.is_active(); ++k)
      if (launch.writes[k]) traced.writes(launch.arrays[k].storage->current.get());
    if (traced.is_active()) traced.finish(nullptr);
    return;
  }
  runtime::Device& device = *launch.device;
  engine::DeviceRunner& runner = state_->devices.of(device);
  engine::LaunchMemory memory(*state_, launch.arrays, launch.writes, device);
  for (size_t k = 0; k < launch.arrays.size(); ++k)
    *static_cast<char**>(launch.values[launch.pointers[k]]) = memory.starts()[k] + launch.arrays[k].view.offset;
  runtime::Stream& stream = engine::stream_of(launch.shape, device);
  profile::add(profile::Counter::device_launches);
  runner.note_launch(launch.name, state_->windows.own());
  stream.launch_user(launch.program, engine::grid_of(launch.shape), launch.values, launch.is_cooperative);
  memory.finish(launch.shape);
  if (engine::DeviceRunner::waits()) stream.synchronize();
  if (!traced.is_active()) return;
  for (size_t k = 0; k < launch.arrays.size(); ++k)
    if (launch.writes[k]) traced.writes(launch.arrays[k].storage->current.get());
  traced.finish(&device);
}

}  // namespace tessera
