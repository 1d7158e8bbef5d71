#include "tessera/engine/device/run/library_access.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/engine/call/call.h"
#include "tessera/engine/device/memory/coherence.h"

namespace tessera {

bool engine::has_whole_steps(const View& view) {
  const int64_t item = view.itemsize();
  return view.offset % item == 0 &&
         std::all_of(view.strides.begin(), view.strides.end(), [&](int64_t stride) { return stride % item == 0; });
}

runtime::Device* library_device(Engine& engine, std::span<const Array* const> operands, const engine::CallCost& cost) {
  constexpr int64_t worth_a_device = 1 << 16;  // bytes
  if (!std::all_of(operands.begin(), operands.end(),
                   [](const Array* array) { return engine::has_whole_steps(array->view); }))
    return nullptr;
  runtime::Device* device = engine.devices().chosen_device();
  if (!device) return engine.devices().place_call(operands, cost);
  int64_t nbytes = 0;
  bool is_home = true;
  for (const Array* array : operands) {
    is_home &= array->storage->current->data != nullptr;
    nbytes += array->view.size() * array->view.itemsize();
  }
  return nbytes > 0 && (!is_home || nbytes >= worth_a_device) ? device : nullptr;
}

}  // namespace tessera
