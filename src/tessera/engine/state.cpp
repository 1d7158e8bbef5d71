#include "tessera/engine/state.h"

#include <cstdlib>

#include "tessera/base/error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/support/cache_folder.h"
#include "tessera/engine/support/calls.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/runtime/host/fork_handlers.h"
#include "tessera/runtime/host/system_memory.h"

namespace tessera::engine {

namespace {

codegen::CompilerOptions compiler_options() { return {.cache_folder = default_cache_folder()}; }

/// The device that the environment names.
std::string default_device() {
  const char* where = std::getenv("TESSERA_DEVICE");
  return where && *where ? where : "auto";
}

DeviceSet* find_default_devices() {
  try {
    return find_devices(default_device());
  } catch (const Error& error) {
    throw Error(error.kind(), format("TESSERA_DEVICE: {}", error.what()));
  }
}

}  // namespace

State::State()
    : kernels(compiler_options()),
      windows(hooks, find_default_devices(), find_choice(default_device())),
      executor(*this) {
  eager::install_memory_hooks();
  runtime::install_fork_handlers();
  options.cache_folder = default_cache_folder();
  note_cache_problem(options.cache_folder);
  options.wave_bytes = runtime::core_cache_bytes();
}

bool State::goes_to_device(std::span<const Array* const> operands, const plan::CallCost& cost) {
  CallOperands seen{.are_any = !operands.empty()};
  for (const Array* array : operands) {
    if (!has_whole_steps(array->view)) return false;
    seen.nbytes += array->view.size() * array->view.itemsize();
    seen.is_on_host &= array->storage->current->data != nullptr;
  }
  seen.versions = [&] {
    std::vector<Ref<graph::Version>> versions;
    for (const Array* array : operands) {
      versions.push_back(executor.finished(*array->storage));
      if (array->storage->pins > 0) versions.back()->foreign = true;
    }
    return versions;
  };
  return placer.goes_to_device(seen, cost, windows.own());
}

bool State::is_cut_over_ranks(int64_t elements) const { return RankRunner::is_cut(elements, *Ranks::active()); }

bool State::is_over_ranks(const Array& array) const {
  const graph::Version& version = *array.storage->current;
  return version.window ? version.window == windows.over_ranks() : is_tiled(version);
}

void State::note_large(const Array& array) {
  graph::Version& version = *array.storage->current;
  if (version.nbytes < graph::large_bytes) return;
  graph::note_large(version, array.view.shape, array.view.dtype, sites.current ? sites.current() : 0);
}

}  // namespace tessera::engine
