#include "tessera/engine/devices.h"

#include <algorithm>
#include <array>

#include "tessera/base/error.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/lent_memory.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/run/plan_facts.h"
#include "tessera/engine/device/run/simulated_device.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/calls.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera {

runtime::Device* Devices::chosen_device() { return state_->windows.own().target(); }

bool Devices::may_leave_host() {
  const engine::Recorder& window = state_->windows.own();
  return window.target() || window.may_choose();
}

bool Devices::goes_over_ranks(int64_t elements) { return state_->goes_over_ranks(elements); }

int64_t Devices::room() {
  const runtime::HostPool& host = runtime::HostPool::instance();
  int64_t there = 0;
  if (const engine::DeviceSet* devices = state_->windows.own().devices)
    for (const runtime::Device* device : devices->devices())
      if (device->is_usable()) there += device->capacity() - device->statistics().bytes_in_use;
  return std::max(host.limit() - host.statistics().bytes_in_use, there);
}

bool Devices::leaves_host() { return state_->windows.own().target() != nullptr; }

runtime::Device* Devices::chosen_device_for(const Array& array) {
  const Ref<graph::Version> version = state_->executor.finished(*array.storage);
  const graph::Version* operand = version.get();
  return state_->windows.own().target_for({&operand, 1}, version->nbytes);
}

runtime::Device* Devices::simulated_device(int number) { return engine::used_simulated_device(number); }

runtime::Device* Devices::simulated_device_at(const void* address) {
  if (runtime::Device* device = engine::simulated_device_at(address)) return device;
  runtime::Device* chosen = chosen_device();
  return chosen && chosen->family() == runtime::Family::simulated ? chosen : nullptr;
}

Ref<runtime::Buffer> Devices::on_device(const Array& array, runtime::Device& device) {
  const Ref<graph::Version> version = state_->executor.finished(*array.storage);
  if (array.storage->pins > 0) version->foreign = true;
  return engine::on_device(*version, device);
}

runtime::Device* Devices::device_of(const Array& array) {
  const Ref<graph::Version> version = state_->executor.finished(*array.storage);
  runtime::Device* device = engine::device_of(*version);
  return version->lent || !version->data || state_->windows.own().runs_on(device) ? device : nullptr;
}

std::vector<Devices::Held> Devices::places(const Array& array) {
  const graph::Version& version = *array.storage->current;
  std::vector<Held> places;
  if (version.window) return places;
  if (version.data) places.push_back({runtime::device_name(nullptr), version.nbytes});
  for (const runtime::Device* device : engine::devices_of(version))
    places.push_back({runtime::device_name(device), version.nbytes});
  for (const engine::Tile& tile : engine::tiles_of(version))
    if (!tile.owned.empty()) places.push_back({runtime::device_name(tile.device), tile.held.size()});
  return places;
}

void Devices::lend(const Array& array, runtime::Device& device) {
  state_->placer.expect_lent(state_->windows.own());
  graph::Storage& storage = *array.storage;
  state_->executor.finished(storage);
  if (!engine::is_lent_on(storage, device)) {
    const Ref<runtime::Buffer> buffer = storage.pins > 0 ? nullptr : state_->executor.own_on_device(storage, device);
    require<BufferError>(buffer && storage.pins == 0,
                         "the array's memory is shared with another library elsewhere: take a copy for the device");
    engine::lend(*storage.current, buffer);
  }
  ++storage.pins;
}

Ref<runtime::Buffer> Devices::write_on_device(const Array& array, runtime::Device& device) {
  return state_->executor.own_on_device(*array.storage, device);
}

bool Devices::is_lent(const Array& array) {
  return array.storage->pins > 0 && state_->executor.finished(*array.storage)->lent;
}

Array Devices::borrow(runtime::Device& device, char* data, int64_t nbytes, View view, bool writable,
                      std::function<void()> release) {
  require<ValueError>(
      reinterpret_cast<uintptr_t>(data + view.offset) % static_cast<uintptr_t>(itemsize(view.dtype)) == 0 &&
          engine::has_whole_steps(view),
      "cannot share the memory of an array of {} at {}: its elements are not aligned; copy it first", name(view.dtype),
      static_cast<const void*>(data));
  Array array = wrap_device(device.adopt(data, static_cast<size_t>(nbytes), std::move(release)), std::move(view));
  array.storage->current->lent = true;
  array.storage->pins = 1;
  array.storage->writable = writable;
  state_->placer.expect_lent(state_->windows.own());
  return array;
}

Array Devices::wrap_device(const Ref<runtime::Buffer>& buffer, View view) {
  Array array;
  array.storage = Ref<graph::Storage>(graph::Storage::make());
  array.storage->current = Ref<graph::Version>(graph::Version::make());
  array.storage->current->nbytes = static_cast<int64_t>(buffer->nbytes());
  engine::set_device_buffer(*array.storage->current, buffer);
  array.view = std::move(view);
  state_->placer.enter(*array.storage->current, true, state_->windows.own());
  state_->note_large(array);
  return array;
}

namespace {

/// Whether the nodes that compute the version read data that only a device has or, if the window's work goes to a
/// target device, anything larger than one element (elements on the host are computed by the host immediately). Of long
/// chains only the last nodes are checked.
bool reads_from_device(const engine::Recorder& window, const graph::Version& version) {
  constexpr size_t most_nodes = 64;
  const bool has_target = window.target() != nullptr;
  std::array<int64_t, most_nodes> nodes{version.producer};
  size_t count = 1;
  const auto is_far = [&](const graph::Version& contents) {
    return (has_target && contents.nbytes > plan::PlacementLimits::element_bytes) ||
           engine::is_only_on_device(contents);
  };
  if (is_far(version)) return true;
  for (size_t k = 0; k < count; ++k) {
    const graph::Node& node = window[nodes[k]];
    const auto reads_far = [&](const graph::Version* operand) {
      if (!operand) return false;
      if (is_far(*operand)) return true;
      const auto end = nodes.begin() + count;
      if (operand->window == &window && count < most_nodes && std::find(nodes.begin(), end, operand->producer) == end)
        nodes[count++] = operand->producer;
      return false;
    };
    bool is_found = reads_far(node.old.get());
    graph::each_input(node,
                      [&](const graph::Version& operand, int64_t) { is_found = is_found || reads_far(&operand); });
    if (is_found) return true;
  }
  return has_target && count == most_nodes;
}

}  // namespace

bool Devices::comes_from_device(const Array& array) {
  const graph::Version& version = *array.storage->current;
  if (version.data) return false;
  if (!version.window) return version.on_devices || version.tiles;
  if (state_->executor.failed().holds(version)) return false;
  const auto& window = static_cast<const engine::Recorder&>(*version.window);
  return (window.target() || !state_->devices.all().empty()) && reads_from_device(window, version);
}

uint8_t Devices::count_element_write(const Array& array) {
  constexpr int64_t small_bytes = 4096;
  constexpr int most_writes = 32;
  const graph::Version& version = *array.storage->current;
  if (version.nbytes < small_bytes || !device_of(array) || version.partial.writes == most_writes) return 0;
  return static_cast<uint8_t>(version.partial.writes + 1);
}

}  // namespace tessera
