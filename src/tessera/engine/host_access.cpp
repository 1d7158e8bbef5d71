#include "tessera/engine/host_access.h"

#include "tessera/library/host/copy.h"

namespace tessera {

Array HostRead::copy(Engine& engine, const Array& array, DType dtype, Order order) {
  if (!array.storage->current->settled()) return engine.copy(array, dtype, order);
  Array result = engine.empty(array.shape(), dtype, order, &array.view);
  const char* from = engine.read(array);
  char* to = engine.write(result);
  const HostWork work(engine, array.size());
  library::copy_view(from, array.view, to, result.view);
  return result;
}

}  // namespace tessera
