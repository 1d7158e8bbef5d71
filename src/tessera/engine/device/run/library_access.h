/// DeviceRead, DeviceResult: arrays as the device memory that vendor libraries take.
#pragma once

#include <initializer_list>
#include <span>

#include "tessera/engine/device/placement/call_costs.h"
#include "tessera/engine/engine.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/ranges.h"

namespace tessera {

/// The device that serves a call on these arrays on this thread; null: the host does. On a thread bound to a device,
/// small arrays on the host stay there; where operations may choose, the cost model decides. Call it only after all
/// other conditions for the device hold, because the answer is recorded.
runtime::Device* library_device(Engine& engine, std::span<const Array* const> operands, const engine::CallCost& cost);
inline runtime::Device* library_device(Engine& engine, std::initializer_list<const Array*> operands,
                                       const engine::CallCost& cost) {
  return library_device(engine, std::span(operands.begin(), operands.size()), cost);
}

/// Whether body ran: false when its library is missing or memory is short, which is reported once.
template <class Body>
bool try_library(Engine& engine, const char* op, Body&& body) {
  const profile::Range range(op);
  try {
    body();
    profile::add(profile::Counter::device_library_calls);
    return true;
  } catch (const library::LibraryMissing& missing) {
    engine.devices().note_missing(missing.title(), format("{} and its like run on the host: {}", op, missing.what()));
    engine.devices().give_up_device(op);
    return false;
  } catch (const OutOfMemory& error) {
    engine.devices().note_missing(op, format("{} runs on the host when it does not fit: {}", op, error.what()));
    engine.devices().give_up_device();
    return false;
  }
}

/// An array of one dtype in device memory; keeps the contents that it read alive.
class DeviceRead {
 public:
  DeviceRead(Engine& engine, runtime::Device& device, const Array& array, DType dtype)
      : array_(array.dtype() == dtype ? array : engine.copy(array, dtype, Order::k)),
        buffer_(engine.devices().on_device(array_, device)) {}
  const View& view() const { return array_.view; }
  library::Strided strided() const { return {buffer_->data() + array_.view.offset, array_.view}; }
  /// The same memory through another view of it.
  library::Strided as(const View& view) const { return {buffer_->data() + view.offset, view}; }

 private:
  Array array_;
  Ref<runtime::Buffer> buffer_;
};

/// A new C-ordered array in device memory that a library fills.
class DeviceResult {
 public:
  DeviceResult(Engine& engine, runtime::Device& device, std::span<const int64_t> shape, DType dtype)
      : buffer_(device.allocate(static_cast<size_t>(checked_size(shape, itemsize(dtype)) * itemsize(dtype)))),
        array_(engine.devices().wrap_device(buffer_, View::contiguous(shape, dtype))) {}
  const Array& array() const { return array_; }
  char* data() const { return buffer_->data(); }
  library::Strided strided() const { return {buffer_->data(), array_.view}; }
  library::Strided as(const View& view) const { return {buffer_->data() + view.offset, view}; }

 private:
  Ref<runtime::Buffer> buffer_;
  Array array_;
};

/// Makes `result` the contents of `out`, which has the same shape; without a copy if nothing else uses out's memory.
void give_result(Engine& engine, const Array& out, const Array& result);

}  // namespace tessera
