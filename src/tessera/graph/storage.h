/// Storage: the identity of an array's memory; Version: its contents between two writes.
#pragma once

#include <cstdint>

#include "tessera/base/ref.h"
#include "tessera/layout/dtype.h"

namespace tessera::graph {

class Window;

/// The contents of a storage after one write. Immutable once produced; readers keep the version they saw. Two storages
/// may share one version: that is what a copy is until one of them is written.
/// Counts are plain integers: the engine's lock (in Python the GIL) guards every graph object.
/// `memory` is the engine's business: this room only says what was asked.
class Version : public RefCounted<Version, uint32_t> {
 public:
  static Version* make();
  static void destroy(Version* version);

  bool settled() const { return window == nullptr; }

  /// Opaque reference to the memory (runtime::Buffer) that `release_memory` drops; null while pending.
  void* memory = nullptr;
  char* data = nullptr;       // start of the memory when settled
  int64_t nbytes = 0;
  Window* window = nullptr;   // where it is pending, else null
  int64_t producer = -1;      // number of the node in that window
  int32_t readers = 0;        // pending nodes that read it
  Window* reader = nullptr;   // the window of those nodes
  /// Scratch of the pass that walks a window just now: valid when `pass` is that pass's own number.
  struct Mark {
    uint64_t pass = 0;
    uint32_t held = 0;    // references seen
    uint32_t number = 0;  // order of first appearance
    int64_t anchor = 0;   // first offset seen
  };
  mutable Mark mark;
  /// A number no pass had before.
  static uint64_t new_pass();
  /// Set by the engine once at start.
  static void (*release_memory)(void* memory);
};

/// What ndarrays share when they are views of each other. Writes replace `current`.
class Storage : public RefCounted<Storage, uint32_t> {
 public:
  static Storage* make();
  static void destroy(Storage* storage);

  /// Makes `version` the contents; the old one may live on in pending reads.
  void replace(Ref<Version> version);

  Ref<Version> current;
  int32_t pins = 0;  // > 0: others see this memory; never rename it
  bool writable = true;
};

}  // namespace tessera::graph
