#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/routines/select/selection.h"

namespace tessera {

using engine::DeviceLaunches;

std::optional<int64_t> device_expand(Engine& engine, const Array& destination, const Array& mask, const Array& values) {
  if (mask.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&destination, &mask}, engine::cost_by_element("write by mask", mask.size(), 2, 40, 1, 4));
  if (!device) return {};
  return engine::run_routine<int64_t>(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand chooser = launches.read(mask);
    routines::Selection selection(launches, mask.dtype(), mask.size(), chooser.data());
    const int64_t count = selection.count();
    if (count == 0 || count != values.size()) return count;
    const engine::DenseOperand from = launches.read(values);
    engine::write_dense(engine, *device, destination,
                        [&](char* to) { selection.expand(routines::Words(destination.dtype()), from.data(), to); });
    return count;
  });
}

}  // namespace tessera
