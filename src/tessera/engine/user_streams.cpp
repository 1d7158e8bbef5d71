// Copies of arrays on users' streams.
#include <utility>

#include "tessera/base/unlocked.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/state.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/user_streams.h"

namespace tessera {

using runtime::Buffer;
using runtime::UserStream;

namespace {

/// Fewer bytes are read into an array of the host, which then serves further reads.
constexpr int64_t least_direct_bytes = int64_t{256} << 10;

bool is_pinned(UserStream& stream, const char* host, size_t nbytes) {
  return stream.device().user_streams()->is_pinned(host, nbytes);
}

/// Whether the array is all of its storage, in C order.
bool is_whole(const Array& array) {
  const int64_t nbytes = array.view.size() * array.view.itemsize();
  return array.view.offset == 0 && array.view.is_c_contiguous() && nbytes == array.storage->current->nbytes;
}

void start_copy_in(UserStream& stream, const Ref<Buffer>& to, const char* host) {
  if (is_pinned(stream, host, to->nbytes())) {
    stream.start_copy_in(to->data(), host, to->nbytes());
  } else {
    stream.stream().copy_in(to->data(), host, to->nbytes());
  }
  stream.hold({to});
  profile::add(profile::Counter::copies_to_device);
  profile::add(profile::Counter::bytes_to_device, static_cast<int64_t>(to->nbytes()));
}

}  // namespace

runtime::Device* Devices::for_streams() { return engine::Placer::place_launches(state_->windows.open_own()); }

Array Devices::copy_in(UserStream& stream, const char* host, View view) {
  runtime::Device& device = stream.device();
  state_->devices.of(device);  // whoever synchronises waits for its streams
  state_->placer.note_results();
  const Ref<Buffer> buffer = device.allocate(static_cast<size_t>(view.size() * view.itemsize()));
  start_copy_in(stream, buffer, host);
  return wrap_device(buffer, std::move(view));
}

bool Devices::copy_in(UserStream& stream, const char* host, const Array& to) {
  if (!is_whole(to)) return false;
  const Ref<Buffer> buffer = write_on_device(to, stream.device());
  if (!buffer) return false;
  state_->devices.of(stream.device());
  state_->placer.note_results();
  start_copy_in(stream, buffer, host);
  return true;
}

bool Devices::copy_out(UserStream& stream, const Array& array, char* host) {
  if (!array.view.is_c_contiguous()) return false;
  if (device_of(array) != &stream.device()) return false;
  const Ref<Buffer> buffer = on_device(array, stream.device());
  const char* from = buffer->data() + array.view.offset;
  const auto nbytes = static_cast<size_t>(array.view.size() * array.view.itemsize());
  if (is_pinned(stream, host, nbytes)) {
    stream.start_copy_out(host, from, nbytes);
    stream.hold({buffer});
  } else {
    const Unlocked unlocked(state_->hooks);
    stream.stream().copy_out(host, from, nbytes);
  }
  profile::add(profile::Counter::copies_from_device);
  profile::add(profile::Counter::bytes_from_device, static_cast<int64_t>(nbytes));
  return true;
}

Array Devices::empty(View view) {
  runtime::Device* device = for_streams();
  const int64_t nbytes = view.size() * view.itemsize();
  if (!device || nbytes == 0) return {};
  state_->devices.of(*device);
  state_->placer.note_results();
  return wrap_device(engine::prepared(*device)->allocate(static_cast<size_t>(nbytes)), std::move(view));
}

Array Devices::copy_in(const char* host, View view) {
  Array array = empty(std::move(view));
  if (!array) return {};
  runtime::Device& device = *engine::device_of(*array.storage->current);
  const Ref<Buffer> buffer = write_on_device(array, device);
  {
    const Unlocked unlocked(state_->hooks, buffer->nbytes() >= least_direct_bytes);
    device.stream().copy_in(buffer->data(), host, buffer->nbytes());
  }
  profile::add(profile::Counter::copies_to_device);
  profile::add(profile::Counter::bytes_to_device, static_cast<int64_t>(buffer->nbytes()));
  return array;
}

bool Devices::copy_in(const char* host, const Array& to) {
  if (!is_whole(to)) return false;
  const Ref<graph::Version> version = state_->executor.finished(*to.storage);
  runtime::Device* device = engine::is_unallocated(*version) ? for_streams() : engine::device_of(*version);
  const Ref<Buffer> buffer = device ? write_on_device(to, *device) : nullptr;
  if (!buffer) return false;
  state_->devices.of(*device);
  state_->placer.note_results();
  const Unlocked unlocked(state_->hooks);
  device->stream().copy_in(buffer->data(), host, buffer->nbytes());
  profile::add(profile::Counter::copies_to_device);
  profile::add(profile::Counter::bytes_to_device, static_cast<int64_t>(buffer->nbytes()));
  return true;
}

bool Devices::copy_out(const Array& array, char* host) {
  const int64_t nbytes = array.view.size() * array.view.itemsize();
  if (!array.view.is_c_contiguous() || nbytes < least_direct_bytes) return false;
  const Ref<graph::Version> version = state_->executor.finished(*array.storage);
  runtime::Device* device = engine::device_of(*version);
  if (version->data || !device) return false;
  engine::copy_to_memory(*version, array.view.offset, nbytes, host, state_->hooks);
  state_->devices.of(*device).collect_events();
  return true;
}

}  // namespace tessera
