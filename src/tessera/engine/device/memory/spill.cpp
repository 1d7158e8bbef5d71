#include "tessera/engine/device/memory/spill.h"

#include <vector>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/kept.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using graph::LargeArray;
using graph::Version;
using runtime::Buffer;

namespace {

/// Whether only the version holds the memory.
bool may_leave(const Version& version, const runtime::Device& device) {
  return device_of(version) == &device && !version.lent &&
         static_cast<const Buffer*>(version.device_memory)->references() == 1;
}

int64_t let_go(runtime::Device& device, int64_t nbytes, bool is_on_host) {
  // Logging a copy to the host releases the lock, and other threads may change the list.
  std::vector<Ref<Version>> leaving;
  int64_t found = 0;
  for (LargeArray* entry = graph::least_used(); entry && found < nbytes; entry = entry->newer) {
    Version& version = *entry->version;
    if (may_leave(version, device) && (version.data != nullptr) == is_on_host) {
      leaving.emplace_back(&version);
      found += version.nbytes;
    }
  }
  int64_t freed = 0;
  for (const Ref<Version>& version : leaving) {
    if (!may_leave(*version, device)) continue;
    drop_device_copy(*version);
    freed += version->nbytes;
    profile::add(profile::Counter::device_spills);
    if (!is_on_host) profile::add(profile::Counter::bytes_spilled, version->nbytes);
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
