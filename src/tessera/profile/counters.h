/// Counters: what the engine did; cheap enough to be always on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace tessera::profile {

enum class Counter : uint8_t {
  ops_recorded,
  windows,
  waves,
  plan_hits,
  plan_misses,
  kernels_interpreted,
  kernels_native,
  kernels_compiled,
  object_cache_hits,
  bytes_allocated,
  bytes_reused,
  host_calls,
  device_windows,
  device_launches,
  device_early_launches,
  device_fallbacks,
  device_kernels_compiled,
  device_kernels_renewed,
  device_library_calls,
  bytes_to_device,
  bytes_from_device,
  copies_to_device,
  copies_from_device,
  bytes_between_devices,
  copies_between_devices,
  gathers,
  bytes_gathered,
  device_replays,
  device_spills,
  bytes_spilled,
  count,
};

std::string_view name(Counter counter);
void add(Counter counter, int64_t amount = 1);
int64_t value(Counter counter);
void reset();

}  // namespace tessera::profile
