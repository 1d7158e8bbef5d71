#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/library/host/scan.h"
#include "tessera/routines/search/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

int64_t last_of(Engine& engine, const Array& line) {
  return *reinterpret_cast<const int64_t*>(
      engine.read(engine.nearby(line.with_view(line.view.select(0, line.size() - 1)))));
}

bool none_negative(Engine& engine, const Array& counts) {
  return *reinterpret_cast<const int64_t*>(engine.read(engine.call("bounds", {counts}, {}, Context{}))) >= 0;
}

/// Prefix sums of counts, on the device if there are many.
Array ends_of(Engine& engine, const Array& counts) {
  return engine.call("scan", {counts}, {static_cast<int>(library::ScanOp::add), 0, DType::int64});
}

}  // namespace

std::optional<Array> device_repeat(Engine& engine, const Array& array, const Array& counts, int axis) {
  const engine::PlacedCall call;
  if (array.size() == 0 || counts.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&array}, engine::cost_by_element("repeat", array.size(), 4, 120, 2, 5));
  if (!device || !none_negative(engine, counts)) return {};  // the host raises the error
  const Array ends = ends_of(engine, counts);
  const int64_t number = last_of(engine, ends);
  if (number == 0) return {};
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    const engine::DenseOperand at = launches.read(ends);
    DeviceResult places(engine, *device, Dims{number}, DType::int64);
    launches.run({.name = "repeat_places",
                  .make = [] { return routines::repeat_places_kernel(); },
                  .extents = {number},
                  .buffers = {at.data(), places.data()},
                  .scalars = {counts.size()}});
    return device_take(engine, array, places.array(), axis, routines::PickMode::clip);
  });
}

}  // namespace tessera
