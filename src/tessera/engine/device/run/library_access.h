/// DeviceResult: new arrays as device memory; library_device: where a call runs.
#pragma once

#include <initializer_list>
#include <span>

#include "tessera/engine/device/placement/call_costs.h"
#include "tessera/engine/engine.h"
#include "tessera/runtime/device.h"

namespace tessera {

/// The device that serves a call on these arrays on this thread; null: the host does. On a thread bound to a device,
/// small arrays on the host stay there; where operations may choose, the cost model decides. Call it only after all
/// other conditions for the device hold, because the answer is recorded.
runtime::Device* library_device(Engine& engine, std::span<const Array* const> operands, const engine::CallCost& cost);
inline runtime::Device* library_device(Engine& engine, std::initializer_list<const Array*> operands,
                                       const engine::CallCost& cost) {
  return library_device(engine, std::span(operands.begin(), operands.size()), cost);
}

/// A new C-ordered array in device memory.
class DeviceResult {
 public:
  DeviceResult(Engine& engine, runtime::Device& device, std::span<const int64_t> shape, DType dtype)
      : buffer_(device.allocate(static_cast<size_t>(checked_size(shape, itemsize(dtype)) * itemsize(dtype)))),
        array_(engine.devices().wrap_device(buffer_, View::contiguous(shape, dtype))) {}
  const Array& array() const { return array_; }
  char* data() const { return buffer_->data(); }

 private:
  Ref<runtime::Buffer> buffer_;
  Array array_;
};

}  // namespace tessera
