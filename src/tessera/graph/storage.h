/// Storage: the identity of an array's memory; Version: its contents between two writes.
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/base/ref.h"
#include "tessera/graph/freelist.h"
#include "tessera/layout/dtype.h"

namespace tessera::graph {

class Window;
struct LargeArray;

/// Memory of one device in which a version's elements are valid; of further devices behind `next`.
struct DeviceCopy {
  void* memory = nullptr;  // opaque reference (runtime::Buffer), released by Version::release_memory
  DeviceCopy* next = nullptr;
};

/// The state of a version; a fresh one has the defaults. Only the engine interprets `memory`.
struct Contents {
  // First the fields that recording and running access.
  bool foreign = false;     // other code may write to the memory at any time
  bool lent = false;        // the same for the device memory; what the host has is a temporary copy, without `data`
  bool zeros = false;       // all bytes are 0; applies while it has no memory
  bool was_placed = false;  // work on it was placed, or made it
  bool stays = false;       // on its device, because it was made from memory lent there
  /// What the host read and wrote in parts while a device had the elements.
  struct PartialAccesses {
    uint16_t reads = 0;  // copies of parts
    uint8_t writes = 0;  // consecutive writes of single elements on the device that led to it
  };
  PartialAccesses partial;
  int64_t nbytes = 0;
  int32_t uses = 0;    // references by the inputs and `old`s of pending nodes; not adjacent to the reference count, or
                       // compilers load both at once right after a store to one of them, which costs a dozen cycles
  uint32_t maker = 0;  // number of the plan or routine that made it on a device; 0: none did
  Window* window = nullptr;  // where it is pending, else null
  Window* user = nullptr;    // the window of the nodes that use it; null when there are several
  /// The last reference to it by a node, from which the relation between nodes is derived.
  struct Mention {
    const Window* window = nullptr;
    int64_t place = 0;  // number of the node and of the reference within it
    int64_t offset = 0;
  };
  Mention last;
  uint64_t ticket = 0;    // of the background work that touches the memory last
  int64_t producer = -1;  // number of the node in `window`
  /// Opaque reference to the memory (runtime::Buffer), released by `release_memory`; null while pending.
  void* memory = nullptr;
  DeviceCopy* on_devices = nullptr;  // one for each device that has the elements, the one that made them first
  void* tiles = nullptr;        // opaque reference to parts on several devices (engine/device/memory/tiled_memory.h)
  char* data = nullptr;         // start of the memory; null while pending or only on devices
  LargeArray* large = nullptr;  // its entry in the list of large arrays
  uint32_t watched = 0;         // number of what to report when the host reads these elements; 0: none
  uint32_t working_set = 0;     // plan/working_sets.h: number of its set; 0: none
  uint32_t kept = 0;  // engine/device/memory/kept.h: number of what was derived from the device's copy; 0: nothing
};

/// The contents of a storage after one write. Immutable once produced; readers keep the version they read. Two storages
/// may share one version: a copy is lazy until one of them is written.
/// Reference counts are plain integers: the engine's lock (in Python the GIL) guards every graph object.
class Version : public RefCounted<Version, uint32_t>, public Contents {
 public:
  [[gnu::always_inline]] static Version* make() { return freelist<Version>.take(); }
  static void destroy(Version* version);

  /// Whether the contents are available: its node has run and no background work still touches the memory.
  bool settled() const { return window == nullptr && ticket <= finished->load(std::memory_order_acquire); }
  /// Adds the memory of a device that has no copy yet, taking over a reference to it.
  void add_device_copy(void* device_memory);
  /// Releases the copies of all devices, whole or in parts.
  void release_device_copies();
  /// Releases one of them.
  void release_device_copy(const DeviceCopy& copy);

  /// Set by the engine at start: the ticket up to which background work is done, and the functions that release memory.
  static const std::atomic<uint64_t>* finished;
  static void (*release_memory)(void* memory);
  static void (*release_tiles)(void* tiles);
};

/// The memory that ndarrays share when they are views of each other. Writes replace `current`.
class Storage : public RefCounted<Storage, uint32_t> {
 public:
  [[gnu::always_inline]] static Storage* make() { return freelist<Storage>.take(); }
  static void destroy(Storage* storage);

  /// Makes `version` the contents; pending reads may keep the old one alive.
  void replace(Ref<Version> version);

  Ref<Version> current;
  int32_t pins = 0;  // > 0: the memory is shared with other code; never rename it
  bool writable = true;
};

}  // namespace tessera::graph
