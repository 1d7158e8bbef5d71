/// Array: a typed, strided view of versioned storage. Every front end holds arrays through this handle.
#pragma once

#include "tessera/base/ref.h"
#include "tessera/graph/storage.h"
#include "tessera/layout/view.h"

namespace tessera {

/// Copying an Array copies the handle, not the elements; two Arrays may view one storage.
struct Array {
  Ref<graph::Storage> storage;
  View view;

  explicit operator bool() const { return static_cast<bool>(storage); }
  DType dtype() const { return view.dtype; }
  const Dims& shape() const { return view.shape; }
  int ndim() const { return view.ndim(); }
  int64_t size() const { return view.size(); }
  Array with_view(View v) const { return Array{storage, std::move(v)}; }
};

/// An operand of an op: an array, or a single element that becomes a scalar parameter of the kernel.
struct Operand {
  Array array;
  Scalar scalar;
  bool weak = false;  // the scalar is a Python int, float or complex (NEP 50)

  Operand(Array a) : array(std::move(a)) {}
  Operand(const Scalar& s, bool is_weak = false) : scalar(s), weak(is_weak) {}
  bool is_scalar() const { return !array.storage; }
  DType dtype() const { return is_scalar() ? scalar.dtype : array.dtype(); }
};

}  // namespace tessera
