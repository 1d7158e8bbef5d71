/// ArrayMemoryError: memory does not suffice for the elements of one array.
#pragma once

#include <span>

#include "tessera/base/error.h"
#include "tessera/layout/view.h"

namespace tessera {

/// Its message names the array's shape and dtype.
class ArrayMemoryError : public OutOfMemory {
 public:
  ArrayMemoryError(std::span<const int64_t> shape, DType dtype);
  const Dims& shape() const { return shape_; }
  DType dtype() const { return dtype_; }

 private:
  Dims shape_;
  DType dtype_;
};

}  // namespace tessera
