#include "tessera/engine/device/memory/spill.h"

#include <vector>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/kept.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using graph::LargeArray;
using graph::Version;

namespace {

/// Whether only the version holds the memory.
bool may_leave(const Version& version, const runtime::Device& device) {
  constexpr uint32_t versions_and_ours = 2;
  const Ref<runtime::Buffer> copy = find_copy(version, device);
  return copy && !version.lent && copy->references() == versions_and_ours;
}

/// With `has_others`: copies that the host or another device has, too; else the only ones, which go to the host.
int64_t let_go(runtime::Device& device, int64_t nbytes, bool has_others) {
  // Logging a copy to the host releases the lock, and other threads may change the list.
  std::vector<Ref<Version>> leaving;
  int64_t found = 0;
  for (LargeArray* entry = graph::least_used(); entry && found < nbytes; entry = entry->newer) {
    Version& version = *entry->version;
    if (may_leave(version, device) && is_elsewhere(version, device) == has_others) {
      leaving.emplace_back(&version);
      found += version.nbytes;
    }
  }
  int64_t freed = 0;
  for (const Ref<Version>& version : leaving) {
    if (!may_leave(*version, device)) continue;
    drop_copy_of(*version, device);
    freed += version->nbytes;
    profile::add(profile::Counter::device_spills);
    if (!has_others) profile::add(profile::Counter::bytes_spilled, version->nbytes);
  }
  return freed;
}

}  // namespace

bool make_room(runtime::Device& device, int64_t nbytes) {
  int64_t freed = forget_kept(device);
  if (freed < nbytes) freed += let_go(device, nbytes - freed, true);
  if (freed < nbytes) freed += let_go(device, nbytes - freed, false);
  return freed > 0;
}

}  // namespace tessera::engine
