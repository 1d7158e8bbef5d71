/// Copies to another layout in device memory, for routines whose library wants one.
#pragma once

#include "tessera/routines/calls.h"

namespace tessera::routines {

/// Queues a copy of the elements to others of the same shape. Strides are multiples of the element size. Real elements
/// become complex if `to` is.
void copy_elements(Launcher& launcher, const Elements& from, const Elements& to);

/// New memory for the elements in C order; they are not copied.
struct NewElements {
  Elements elements;
  Ref<runtime::Buffer> memory;
  NewElements(Launcher& launcher, std::span<const int64_t> shape, DType dtype)
      : memory(launcher.allocate(View::contiguous(shape, dtype).size(), dtype)) {
    elements = {memory->data(), View::contiguous(shape, dtype)};
  }
};

/// A copy of the elements in C order.
inline NewElements copied_in_c_order(Launcher& launcher, const Elements& from) {
  NewElements made(launcher, from.shape(), from.dtype());
  copy_elements(launcher, from, made.elements);
  return made;
}

/// The same elements through another view.
inline Elements with_view(const Elements& elements, View view) {
  char* data = elements.data + std::exchange(view.offset, 0);
  return {data, std::move(view)};
}

}  // namespace tessera::routines
