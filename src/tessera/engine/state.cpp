#include "tessera/engine/state.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>

#include "tessera/base/error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/cache_folder.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/runtime/host/fork_handlers.h"
#include "tessera/runtime/host/system_memory.h"

namespace tessera::engine {

namespace {

codegen::CompilerOptions compiler_options() { return {.cache_folder = default_cache_folder()}; }

uint64_t next_number() {
  static std::atomic<uint64_t> number{0};
  return ++number;
}

/// Whether the thread's OwnWindows are gone: other destructors of the thread may still record.
constinit thread_local bool has_ended = false;

/// The windows of a thread. They outlive it: results pending in them can still be requested.
class OwnWindows {
 public:
  ~OwnWindows() {
    for (const std::shared_ptr<Recorder>& window : windows_) window->idle = true;
    own_recorder = {};
    has_ended = true;
  }
  /// The window in this engine; null when the thread has none yet.
  Recorder* find(uint64_t engine) const {
    for (const std::shared_ptr<Recorder>& window : windows_)
      if (window->engine_number == engine) return window.get();
    return nullptr;
  }
  void add(const std::shared_ptr<Recorder>& window) {
    std::erase_if(windows_, [](const auto& known) { return known.use_count() == 1; });  // their engines are gone
    windows_.push_back(window);
  }

 private:
  std::vector<std::shared_ptr<Recorder>> windows_;
};

}  // namespace

constinit thread_local OwnRecorder own_recorder;

State::State() : number(next_number()), kernels(compiler_options()) {
  eager::install_memory_hooks();
  runtime::install_fork_handlers();
  const char* where = std::getenv("TESSERA_DEVICE");
  if (!where || !*where) where = "auto";
  try {
    default_devices = find_devices(where);
  } catch (const Error& error) {
    throw Error(error.kind(), format("TESSERA_DEVICE: {}", error.what()));
  }
  default_choice = find_choice(where);
  options.cache_folder = default_cache_folder();
  note_cache_problem(options.cache_folder);
  options.wave_bytes = runtime::core_cache_bytes();
}

Recorder& State::join() {
  static thread_local OwnWindows own;
  Recorder* window = has_ended ? nullptr : own.find(number);
  if (!window) {
    const auto is_free = [](const auto& recorder) { return recorder->idle.exchange(false); };
    auto at = std::find_if(recorders.begin(), recorders.end(), is_free);
    if (at == recorders.end()) at = recorders.insert(at, std::make_shared<Recorder>(number));
    if (!has_ended) own.add(*at);
    window = at->get();
    window->forget_choices();
    window->devices = default_devices;
    window->choice = default_choice;
  }
  own_recorder = {window, number};
  return *window;
}

}  // namespace tessera::engine
