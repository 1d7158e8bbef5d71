#include "tessera/eager/array_memory_error.h"

#include "tessera/base/format.h"
#include "tessera/runtime/host/system_memory.h"

namespace tessera {

ArrayMemoryError::ArrayMemoryError(std::span<const int64_t> shape, DType dtype)
    : OutOfMemory(format("Unable to allocate {} for an array with shape {} and data type {}",
                         runtime::size_text(View::contiguous(shape, dtype).size() * itemsize(dtype)), shape_text(shape),
                         name(dtype))),
      shape_(shape),
      dtype_(dtype) {}

}  // namespace tessera
