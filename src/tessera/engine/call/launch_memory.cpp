#include "tessera/engine/call/launch_memory.h"

#include <algorithm>
#include <array>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/devices.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/user_streams.h"

namespace tessera::engine {

using graph::Storage;
using runtime::Buffer;

namespace {

std::array<uint32_t, 3> counts(const std::array<int64_t, 3>& extents) {
  return {static_cast<uint32_t>(extents[0]), static_cast<uint32_t>(extents[1]), static_cast<uint32_t>(extents[2])};
}

/// The user's stream on which the launch runs; null: the device's own.
runtime::UserStream* user_stream(const LaunchShape& shape, const runtime::Device& device) {
  return shape.stream && &shape.stream->device() == &device ? shape.stream : nullptr;
}

}  // namespace

LaunchMemory::LaunchMemory(State& state, std::span<const Array> arrays, std::span<const uint8_t> writes,
                           runtime::Device& device)
    : state_(state), device_(device), held_(arrays.size()) {
  // Work that makes one array may run other work, so all are made before any memory is taken, and what is written
  // comes last, as others may share its contents.
  for (const Array& array : arrays) state.executor.finished(*array.storage);
  for (const bool written : {false, true}) {
    for (size_t k = 0; k < arrays.size(); ++k)
      if ((writes[k] != 0) == written) held_[k] = take(*arrays[k].storage, arrays[k], written);
  }
  for (size_t written = 0; written < arrays.size(); ++written) {  // the same array may be given twice
    if (!writes[written]) continue;
    for (size_t k = 0; k < arrays.size(); ++k)
      if (arrays[k].storage == arrays[written].storage) held_[k] = held_[written];
  }
  for (const Ref<Buffer>& buffer : held_) starts_.push_back(buffer->data());
}

Ref<Buffer> LaunchMemory::take(Storage& storage, const Array& array, bool writes) {
  if (!writes) return Devices(state_).on_device(array, device_);
  const auto known = std::ranges::find_if(copies_, [&](const Copy& copy) { return copy.storage == array.storage; });
  if (known != copies_.end()) return known->buffer;
  if (Ref<Buffer> own = state_.executor.own_on_device(storage, device_)) return own;
  state_.executor.make_exclusive(storage);
  copies_.push_back({array.storage, Devices(state_).on_device(array, device_)});
  return copies_.back().buffer;
}

void LaunchMemory::finish(const LaunchShape& shape) {
  if (runtime::UserStream* stream = user_stream(shape, device_)) stream->hold(held_);
  state_.placer.note_results();
  for (const Copy& copy : copies_) {
    char* data = host_data(*copy.storage->current);
    device_.stream().copy_out(data, copy.buffer->data(), static_cast<size_t>(copy.storage->current->nbytes));
    profile::add(profile::Counter::copies_from_device);
  }
}

runtime::Stream& stream_of(const LaunchShape& shape, runtime::Device& device) {
  runtime::UserStream* users = user_stream(shape, device);
  return users ? users->stream() : device.stream();
}

runtime::Grid grid_of(const LaunchShape& shape) {
  return {.blocks = counts(shape.grid),
          .threads = counts(shape.block),
          .shared_bytes = static_cast<uint32_t>(shape.shared_bytes)};
}

}  // namespace tessera::engine
