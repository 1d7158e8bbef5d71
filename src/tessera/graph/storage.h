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

/// What a version says of itself; a fresh one says nothing. `memory` is the engine's business.
struct Contents {
  // First what recording and running read and write.
  bool foreign = false;    // somebody else may write to the memory at any time
  bool lent = false;       // the same for the memory on the device: what the host has is a passing copy, without `data`
  bool zeros = false;      // while it has no memory: all bytes are 0
  bool was_moved = false;  // to a device, or what it was made from was
  bool stays = false;      // on its device: it was made from what is lent there
  uint16_t parts = 0;      // copies of a part of it that the host asked a device for
  uint8_t element_writes = 0;  // of single elements on a device, one after the other, that led to it
  int64_t nbytes = 0;
  int32_t uses = 0;          // references by the inputs and `old`s of pending nodes; not beside the count, or compilers
                             // load both at once right after a store to one of them, which costs a dozen cycles
  uint32_t maker = 0;        // number of what made it on a device, a plan or routine; 0: none did
  Window* window = nullptr;  // where it is pending, else null
  Window* user = nullptr;    // the window of the nodes that use it; null when there are several
  /// The last reference of a node to it, for telling how nodes relate to each other.
  struct Mention {
    const Window* window = nullptr;
    int64_t place = 0;  // number of the node and which of its references
    int64_t offset = 0;
  };
  Mention last;
  uint64_t ticket = 0;    // of the work that touches the memory last
  int64_t producer = -1;  // number of the node in `window`
  /// Opaque reference to the memory (runtime::Buffer) that `release_memory` drops; null while pending.
  void* memory = nullptr;
  void* device_memory = nullptr;  // the same for a copy on a device, which may be the only one
  char* data = nullptr;           // start of the memory; null while pending, or on a device only
  LargeArray* large = nullptr;    // its entry in the list of large arrays
  uint32_t watched = 0;           // number of what is to be told at a look from these very elements; 0: nothing is
  float credit =
      0;  // engine/device/credits.h: seconds in favour of moving it to a device; below 0: of bringing it home
  uint16_t origin = 0;  // where arrays like it come from; 0: not known
};

/// The contents of a storage after one write. Immutable once produced; readers keep the version they saw. Two storages
/// may share one version: that is what a copy is until one of them is written.
/// Counts are plain integers: the engine's lock (in Python the GIL) guards every graph object.
class Version : public RefCounted<Version, uint32_t>, public Contents {
 public:
  [[gnu::always_inline]] static Version* make() { return freelist<Version>.take(); }
  static void destroy(Version* version);

  /// The contents are there: its node has run and nothing that was started still touches the memory.
  bool settled() const { return window == nullptr && ticket <= finished->load(std::memory_order_acquire); }

  /// Both are set by the engine at start: the ticket up to which work is done, and how memory is let go of.
  static const std::atomic<uint64_t>* finished;
  static void (*release_memory)(void* memory);
};

/// What ndarrays share when they are views of each other. Writes replace `current`.
class Storage : public RefCounted<Storage, uint32_t> {
 public:
  [[gnu::always_inline]] static Storage* make() { return freelist<Storage>.take(); }
  static void destroy(Storage* storage);

  /// Makes `version` the contents; the old one may live on in pending reads.
  void replace(Ref<Version> version);

  Ref<Version> current;
  int32_t pins = 0;  // > 0: others see this memory; never rename it
  bool writable = true;
};

}  // namespace tessera::graph
