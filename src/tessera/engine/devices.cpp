#include "tessera/engine/devices.h"

#include <algorithm>
#include <array>

#include "tessera/base/error.h"
#include "tessera/engine/call/call.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/placement/plan_facts.h"
#include "tessera/engine/state.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/profile/counters.h"

namespace tessera {

runtime::Device* Devices::chosen_device() { return state_->recorder().target(); }

runtime::Device* Devices::chosen_device_for(const Array& array) {
  const Ref<graph::Version> version = state_->finished(*array.storage);
  const graph::Version* operand = version.get();
  return state_->recorder().target_for({&operand, 1}, version->nbytes);
}

Ref<runtime::Buffer> Devices::on_device(const Array& array, runtime::Device& device) {
  const Ref<graph::Version> version = state_->finished(*array.storage);
  if (array.storage->pins > 0) version->foreign = true;
  return engine::on_device(*version, device);
}

runtime::Device* Devices::device_of(const Array& array) {
  const Ref<graph::Version> version = state_->finished(*array.storage);
  runtime::Device* device = engine::device_of(*version);
  return version->lent || !version->data || state_->recorder().runs_on(device) ? device : nullptr;
}

std::vector<std::string> Devices::places(const Array& array) {
  const graph::Version& version = *array.storage->current;
  std::vector<std::string> names;
  if (version.window) return names;
  if (version.data) names.push_back(runtime::device_name(nullptr));
  for (const runtime::Device* device : engine::devices_of(version)) names.push_back(runtime::device_name(device));
  return names;
}

namespace {

/// Whether other libraries see the memory, on this device.
bool is_lent_there(const graph::Storage& storage, const runtime::Device& device) {
  return storage.pins > 0 && storage.current->lent && engine::device_of(*storage.current) == &device;
}

}  // namespace

Ref<runtime::Buffer> engine::State::own_on_device(graph::Storage& storage, runtime::Device& device) {
  for (;;) {
    const Ref<graph::Version> version = finished(storage);
    if (storage.pins > 0 && !is_lent_there(storage, device)) return nullptr;
    settle_users(*version);
    Ref<runtime::Buffer> buffer = engine::on_device(*version, device);
    constexpr uint32_t ours = 2;
    const bool is_shared = version->references() != ours;
    if (is_shared && storage.pins == 0) {
      const Ref<runtime::Buffer> own = device.allocate(buffer->nbytes());
      device.stream().copy(own->data(), buffer->data(), buffer->nbytes());
      buffer = own;
    }
    // Other threads may have run until here.
    if (version != storage.current || version->uses > failed.uses_of(*version)) continue;
    if (storage.pins > 0) return is_lent_there(storage, device) && !is_shared ? buffer : nullptr;
    if (!is_shared) {
      engine::set_device_buffer(*version, buffer);
      return buffer;
    }
    Ref<graph::Version> own(graph::Version::make());
    own->nbytes = version->nbytes;
    engine::set_device_buffer(*own, buffer);
    if (const graph::LargeArray* known = version->large)
      graph::note_large(*own, known->shape, known->dtype, known->site);
    storage.replace(std::move(own));
    return buffer;
  }
}

void engine::State::expect_lent() {
  device_has_results = true;
  if (engine::Prospect* choice = recorder().choice) choice->open(false);
}

void Devices::lend(const Array& array, runtime::Device& device) {
  state_->expect_lent();
  graph::Storage& storage = *array.storage;
  state_->finished(storage);
  if (!is_lent_there(storage, device)) {
    const Ref<runtime::Buffer> buffer = storage.pins > 0 ? nullptr : state_->own_on_device(storage, device);
    require<BufferError>(buffer && storage.pins == 0,
                         "the array's memory is shared with another library elsewhere: take a copy for the device");
    engine::lend(*storage.current, buffer);
  }
  ++storage.pins;
}

Ref<runtime::Buffer> Devices::write_on_device(const Array& array, runtime::Device& device) {
  return state_->own_on_device(*array.storage, device);
}

bool Devices::is_lent(const Array& array) { return array.storage->pins > 0 && state_->finished(*array.storage)->lent; }

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
  state_->expect_lent();
  return array;
}

Array Devices::wrap_device(const Ref<runtime::Buffer>& buffer, View view) {
  Array array;
  array.storage = Ref<graph::Storage>(graph::Storage::make());
  array.storage->current = Ref<graph::Version>(graph::Version::make());
  array.storage->current->nbytes = static_cast<int64_t>(buffer->nbytes());
  engine::set_device_buffer(*array.storage->current, buffer);
  array.view = std::move(view);
  state_->enter(*array.storage->current, true);
  state_->note_large(array);
  return array;
}

void engine::State::note_missing(const std::string& what, const std::string& message) {
  profile::add(profile::Counter::device_fallbacks);
  if (std::find(missing.begin(), missing.end(), what) != missing.end()) return;
  missing.push_back(what);
  notices.push_back(message);
}

void Devices::note_missing(const std::string& what, const std::string& message) { state_->note_missing(what, message); }

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
    return (has_target && contents.nbytes > engine::PlacementLimits::element_bytes) ||
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
  if (!version.window) return version.on_devices != nullptr;
  if (state_->failed.holds(version)) return false;
  const auto& window = static_cast<const engine::Recorder&>(*version.window);
  return (window.target() || !state_->device_runners.empty()) && reads_from_device(window, version);
}

}  // namespace tessera
