#include "tessera/engine/device/run/library_access.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/engine/call/call.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/impl.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/profile/counters.h"

namespace tessera {

bool engine::has_whole_steps(const View& view) {
  const int64_t item = view.itemsize();
  return view.offset % item == 0 &&
         std::all_of(view.strides.begin(), view.strides.end(), [&](int64_t stride) { return stride % item == 0; });
}

runtime::Device* library_device(Engine& engine, std::span<const Array* const> operands, const engine::CallCost& cost) {
  constexpr int64_t worth_a_device = 1 << 16;  // bytes
  if (!std::all_of(operands.begin(), operands.end(),
                   [](const Array* array) { return engine::has_whole_steps(array->view); }))
    return nullptr;
  runtime::Device* device = engine.chosen_device();
  if (!device) return engine.place_call(operands, cost);
  int64_t nbytes = 0;
  bool is_home = true;
  for (const Array* array : operands) {
    is_home &= array->storage->current->data != nullptr;
    nbytes += array->view.size() * array->view.itemsize();
  }
  return nbytes > 0 && (!is_home || nbytes >= worth_a_device) ? device : nullptr;
}

void give_result(Engine& engine, const Array& out, const Array& result) {
  graph::Storage& storage = *out.storage;
  const bool whole = storage.pins == 0 && out.view == result.view && out.view.is_c_contiguous() &&
                     out.view.offset == 0 && storage.current->nbytes == result.storage->current->nbytes;
  if (whole) return storage.replace(result.storage->current);
  engine.assign(out, result, {});
}

runtime::Device* Engine::chosen_device() { return impl_->recorder().target(); }

Ref<runtime::Buffer> Engine::on_device(const Array& array, runtime::Device& device) {
  const Ref<graph::Version> version = impl_->finished(*array.storage);
  if (array.storage->pins > 0) version->foreign = true;
  return engine::on_device(*version, device);
}

runtime::Device* Engine::device_of(const Array& array) {
  const Ref<graph::Version> version = impl_->finished(*array.storage);
  runtime::Device* device = engine::device_of(*version);
  return version->lent || !version->data || device == chosen_device() ? device : nullptr;
}

namespace {

/// Whether other libraries see the memory, on this device.
bool is_lent_there(const graph::Storage& storage, const runtime::Device& device) {
  return storage.pins > 0 && storage.current->lent && engine::device_of(*storage.current) == &device;
}

}  // namespace

Ref<runtime::Buffer> Engine::Impl::own_on_device(graph::Storage& storage, runtime::Device& device) {
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
    if (version != storage.current || version->uses > 0) continue;
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

void Engine::Impl::expect_lent() {
  device_has_results = true;
  if (engine::Prospect* choice = recorder().choice) choice->open(false);
}

void Engine::lend(const Array& array, runtime::Device& device) {
  impl_->expect_lent();
  graph::Storage& storage = *array.storage;
  impl_->finished(storage);
  if (!is_lent_there(storage, device)) {
    const Ref<runtime::Buffer> buffer = storage.pins > 0 ? nullptr : impl_->own_on_device(storage, device);
    require<BufferError>(buffer && storage.pins == 0,
                         "the array's memory is shared with another library elsewhere: take a copy for the device");
    engine::lend(*storage.current, buffer);
  }
  ++storage.pins;
}

Ref<runtime::Buffer> Engine::write_on_device(const Array& array, runtime::Device& device) {
  return impl_->own_on_device(*array.storage, device);
}

bool Engine::is_lent(const Array& array) { return array.storage->pins > 0 && impl_->finished(*array.storage)->lent; }

Array Engine::borrow(runtime::Device& device, char* data, int64_t nbytes, View view, bool writable,
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
  impl_->expect_lent();
  return array;
}

Array Engine::wrap_device(const Ref<runtime::Buffer>& buffer, View view) {
  Array array;
  array.storage = Ref<graph::Storage>(graph::Storage::make());
  array.storage->current = Ref<graph::Version>(graph::Version::make());
  array.storage->current->nbytes = static_cast<int64_t>(buffer->nbytes());
  engine::set_device_buffer(*array.storage->current, buffer);
  array.view = std::move(view);
  impl_->enter(*array.storage->current, true);
  impl_->note_large(array);
  return array;
}

void Engine::Impl::note_missing(const std::string& what, const std::string& message) {
  profile::add(profile::Counter::device_fallbacks);
  if (std::find(missing.begin(), missing.end(), what) != missing.end()) return;
  missing.push_back(what);
  notices.push_back(message);
}

void Engine::note_missing(const std::string& what, const std::string& message) { impl_->note_missing(what, message); }

std::vector<std::string> Engine::take_notices() { return std::exchange(impl_->notices, {}); }

}  // namespace tessera
