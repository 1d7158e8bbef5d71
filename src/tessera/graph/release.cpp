// What happens when the last reference to a version or a storage goes.
#include "tessera/graph/dropped.h"
#include "tessera/graph/freelist.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/graph/storage.h"
#include "tessera/graph/window.h"

#include <utility>

namespace tessera::graph {

namespace {

bool has_memory(const Version& version) { return version.data || version.on_devices || version.tiles; }

/// Releases a storage's version: if only pending reads keep its memory alive now, their window counts it.
[[gnu::always_inline]] inline void let_go(Ref<Version>& version) {
  if (version && version->uses > 0 && !version->window && version->user && has_memory(*version))
    version->user->held_bytes += version->nbytes;
  Window* pending = watch_dropped.count > 0 && version ? version->window : nullptr;
  version = nullptr;
  if (pending) [[unlikely]]
    watch_dropped.report(*pending);
}

constexpr std::atomic<uint64_t> nothing_started{0};

}  // namespace

const std::atomic<uint64_t>* Version::finished = &nothing_started;
void (*Version::release_memory)(void* memory) = nullptr;
void (*Version::release_tiles)(void* tiles) = nullptr;

void Version::destroy(Version* version) {
  if (version->memory) release_memory(version->memory);
  version->release_device_copies();
  if (version->large) forget_large(*version);
  static_cast<Contents&>(*version) = {};
  freelist<Version>.give(version);
}

void Version::add_device_copy(void* device_memory) {
  DeviceCopy** last = &on_devices;
  while (*last) last = &(*last)->next;
  *last = freelist<DeviceCopy>.take();
  **last = {device_memory, nullptr};
}

void Version::release_device_copy(const DeviceCopy& copy) {
  DeviceCopy** at = &on_devices;
  while (*at != &copy) at = &(*at)->next;
  DeviceCopy* gone = *at;
  *at = gone->next;
  release_memory(gone->memory);
  freelist<DeviceCopy>.give(gone);
}

void Version::release_device_copies() {
  while (on_devices) release_device_copy(*on_devices);
  if (tiles) release_tiles(std::exchange(tiles, nullptr));
}

void Storage::replace(Ref<Version> version) {
  let_go(current);
  current = std::move(version);
}

void Storage::destroy(Storage* storage) {
  let_go(storage->current);
  storage->pins = 0;
  storage->writable = true;
  freelist<Storage>.give(storage);
}

}  // namespace tessera::graph
