#include "tessera/routines/bins/bins.h"

#include "tessera/base/error.h"
#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/ops/op.h"

namespace tessera {

using engine::DeviceLaunches;

std::optional<Array> device_weighted_bincount(Engine& engine, const Array& values, const Array& weights,
                                              int64_t minlength) {
  if (values.size() == 0) return {};
  runtime::Device* device = library_device(
      engine, {&values, &weights}, engine::cost_by_element("bincount of weights", values.size(), 3, 600, 2, 30));
  if (!device) return {};
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    const Array dense = engine.contiguous(values, DType::int64);
    const engine::DenseOperand x = launches.read(dense);
    const library::Extremes span = routines::find_extremes(launches, DType::int64, dense.size(), x.data());
    require<ValueError>(span.low >= 0, "'list' argument must have no negative elements");
    const int64_t bins = std::max(minlength, std::min(span.high, INT64_MAX - 1) + 1);
    DeviceResult out(engine, *device, Dims{bins}, DType::float64);
    device->stream().fill_zero(out.data(), static_cast<size_t>(8 * bins));
    const ops::Op& add = *ops::OpTable::standard().find("add");
    const ops::OperandType types[] = {{DType::float64}, {DType::float64}};
    const Array heavy = engine.contiguous(weights, DType::float64);
    uint32_t events = 0;  // NumPy's loop does not check them
    if (!device_at(engine, add, ops::resolve(add, types), out.array(), dense, &heavy, events)) return {};
    return out.array();
  });
}

}  // namespace tessera
