/// LaunchMemory: the memory of a launch's arrays on the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/base/small_vector.h"
#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/engine/state.h"
#include "tessera/graph/array.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

class LaunchMemory {
 public:
  /// Runs what makes the arrays, and brings them to the device; those that are written belong to their storages alone.
  LaunchMemory(State& state, std::span<const Array> arrays, std::span<const uint8_t> writes, runtime::Device& device);
  /// The first byte of each array's storage.
  std::span<char* const> starts() const { return starts_; }
  /// To be called after the launch: keeps the memory for its stream, and copies what was written to memory that other
  /// code sees on the host, which waits for it.
  void finish(const LaunchShape& shape);

 private:
  /// Memory that other code sees on the host is written by way of a copy.
  struct Copy {
    Ref<graph::Storage> storage;
    Ref<runtime::Buffer> buffer;
  };
  Ref<runtime::Buffer> take(graph::Storage& storage, const Array& array, bool writes);

  State& state_;
  runtime::Device& device_;
  std::vector<Ref<runtime::Buffer>> held_;
  std::vector<Copy> copies_;
  SmallVector<char*, 16> starts_;
};

/// The stream on which the launch runs: the user's where it is the device's, else the device's own.
runtime::Stream& stream_of(const LaunchShape& shape, runtime::Device& device);
runtime::Grid grid_of(const LaunchShape& shape);

}  // namespace tessera::engine
