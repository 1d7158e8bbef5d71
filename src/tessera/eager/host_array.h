/// Arrays whose elements are in host memory: which can be read or written now, and new ones.
#pragma once

#include "tessera/graph/array.h"

namespace tessera::eager {

/// The start of the storage when its contents can be read now, else null; records and settles nothing.
inline const char* readable(const Array& array) {
  const graph::Version* version = array.storage->current.get();
  return version && version->settled() ? version->data : nullptr;
}

/// The same for writing: also null while pending work still needs the old contents.
inline char* writable(const Array& array) {
  const graph::Version* version = array.storage->current.get();
  bool alone = version && version->settled() && version->uses == 0 && version->references() == 1 &&
               !version->on_devices && !version->tiles;
  return alone ? version->data : nullptr;
}

/// Elements in host memory that others hold: element (0, ..., 0), and the layout.
struct HostView {
  char* data;
  const View& view;
  DType dtype() const { return view.dtype; }
};

/// Element (0, ..., 0) of an array whose contents are in host memory.
inline char* first_element(const Array& array) { return array.storage->current->data + array.view.offset; }

/// The elements of such an array.
inline HostView elements_of(const Array& array) { return {first_element(array), array.view}; }

/// A new array in the version that make(bytes) returns. Throws ArrayMemoryError when there is not enough memory.
Array array_in(View layout, Ref<graph::Version> (*make)(int64_t nbytes));
/// A new settled array of this dense layout; its elements are not set.
Array make_array(View layout);

}  // namespace tessera::eager
