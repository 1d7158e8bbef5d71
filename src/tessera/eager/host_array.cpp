#include "tessera/eager/host_array.h"

#include <utility>

#include "tessera/eager/array_memory_error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/graph/large_arrays.h"

namespace tessera::eager {

Array array_in(View layout, Ref<graph::Version> (*make)(int64_t nbytes)) {
  Array array;
  array.storage = Ref<graph::Storage>(graph::Storage::make());
  try {
    array.storage->current = make(layout.size() * layout.itemsize());
  } catch (const OutOfMemory&) {
    throw ArrayMemoryError(layout.shape, layout.dtype);
  }
  array.view = std::move(layout);
  return array;
}

Array make_array(View layout) {
  constexpr uint64_t unknown_site = 0;
  Array array = array_in(std::move(layout), make_settled);
  graph::Version& version = *array.storage->current;
  if (version.nbytes >= graph::large_bytes)
    graph::note_large(version, array.view.shape, array.view.dtype, unknown_site);
  return array;
}

}  // namespace tessera::eager
