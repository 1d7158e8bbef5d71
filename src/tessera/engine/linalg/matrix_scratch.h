/// MatrixScratch: copies of matrices in device memory that a library may overwrite.
#pragma once

#include "tessera/engine/device/run/library_access.h"

namespace tessera::on_device {

/// Matrices in C order without gaps. Uses the dense array itself where making it dense already copied it.
class MatrixScratch {
 public:
  MatrixScratch(Engine& engine, runtime::Device& device, const Array& array, DType dtype)
      : dense_(engine.contiguous(array, dtype)), read_(engine, device, dense_, dtype) {
    if (dense_.storage != array.storage && dense_.storage->current->references() == 1) return;
    own_.emplace(engine, device, dense_.shape(), dtype);
    device.stream().copy(own_->data(), read_.strided().data, static_cast<size_t>(dense_.size() * itemsize(dtype)));
  }
  library::on_device::Matrices matrices() const {
    return library::on_device::Matrices(own_ ? own_->strided() : read_.strided());
  }
  Array array() const { return own_ ? own_->array() : dense_; }

 private:
  Array dense_;
  DeviceRead read_;
  std::optional<DeviceResult> own_;
};

/// The matrices in the last two axes transposed.
inline Array transposed(const Array& a) { return a.with_view(a.view.swap_axes(a.ndim() - 2, a.ndim() - 1)); }

/// The device whose library handles these matrices; null for the host, which is faster with many small ones.
runtime::Device* solver_device(Engine& engine, std::initializer_list<const Array*> matrices, DType dtype,
                               bool many_at_once, const engine::CallCost& cost);

}  // namespace tessera::on_device
