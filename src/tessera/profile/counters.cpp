#include "tessera/profile/counters.h"

namespace tessera::profile {

namespace {
std::array<std::atomic<int64_t>, static_cast<size_t>(Counter::count)> values;
}  // namespace

std::string_view name(Counter counter) {
  switch (counter) {
    case Counter::ops_recorded: return "ops_recorded";
    case Counter::windows: return "windows";
    case Counter::waves: return "waves";
    case Counter::plan_hits: return "plan_hits";
    case Counter::plan_misses: return "plan_misses";
    case Counter::kernels_interpreted: return "kernels_interpreted";
    case Counter::kernels_native: return "kernels_native";
    case Counter::kernels_compiled: return "kernels_compiled";
    case Counter::object_cache_hits: return "object_cache_hits";
    case Counter::bytes_allocated: return "bytes_allocated";
    case Counter::bytes_reused: return "bytes_reused";
    case Counter::host_calls: return "host_calls";
    case Counter::device_windows: return "device_windows";
    case Counter::device_launches: return "device_launches";
    case Counter::device_early_launches: return "device_early_launches";
    case Counter::device_fallbacks: return "device_fallbacks";
    case Counter::device_kernels_compiled: return "device_kernels_compiled";
    case Counter::device_kernels_renewed: return "device_kernels_renewed";
    case Counter::device_library_calls: return "device_library_calls";
    case Counter::bytes_to_device: return "bytes_to_device";
    case Counter::bytes_from_device: return "bytes_from_device";
    case Counter::copies_to_device: return "copies_to_device";
    case Counter::copies_from_device: return "copies_from_device";
    case Counter::bytes_between_devices: return "bytes_between_devices";
    case Counter::copies_between_devices: return "copies_between_devices";
    case Counter::gathers: return "gathers";
    case Counter::bytes_gathered: return "bytes_gathered";
    case Counter::device_replays: return "device_replays";
    case Counter::device_spills: return "device_spills";
    case Counter::bytes_spilled: return "bytes_spilled";
    case Counter::count: break;
  }
  return "";
}

void add(Counter counter, int64_t amount) {
  values[static_cast<size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
}
int64_t value(Counter counter) { return values[static_cast<size_t>(counter)].load(std::memory_order_relaxed); }
void reset() {
  for (auto& v : values) v = 0;
}

}  // namespace tessera::profile
