#include <algorithm>

#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/library/host/scan.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/sort/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

int64_t last_of(Engine& engine, const Array& line) {
  return *reinterpret_cast<const int64_t*>(
      engine.read(engine.nearby(line.with_view(line.view.select(0, line.size() - 1)))));
}

bool none_negative(Engine& engine, const Array& counts) {
  if (const auto bounds = device_bounds(engine, counts)) return bounds->first >= 0;
  const Array dense = engine.contiguous(counts, DType::int64);
  const auto* at = reinterpret_cast<const int64_t*>(engine.read(dense));
  return std::all_of(at, at + dense.size(), [](int64_t count) { return count >= 0; });
}

/// Prefix sums of counts, on the device if there are many.
Array ends_of(Engine& engine, const Array& counts) {
  return engine.call("scan", {counts}, {static_cast<int>(library::ScanOp::add), 0, DType::int64});
}

/// One count for all: copies a view that repeats each element.
Array repeat_each(Engine& engine, const Array& array, int axis, int64_t number) {
  View spread = array.view.new_axis(axis + 1);
  spread.shape[static_cast<size_t>(axis) + 1] = number;
  spread.strides[static_cast<size_t>(axis) + 1] = 0;
  Dims shape = array.shape();
  shape[static_cast<size_t>(axis)] *= number;
  const Array copied = engine.copy(array.with_view(spread), array.dtype(), Order::c);
  return copied.with_view(*copied.view.try_reshape(shape));
}

}  // namespace

std::optional<Array> device_repeat(Engine& engine, const Array& array, const Array& counts, int axis) {
  const engine::PlacedCall call;
  if (array.size() == 0 || counts.size() == 0) return {};
  // A single count is read if the host has it; otherwise an estimate is used.
  const bool is_known = counts.size() == 1 && counts.dtype() == DType::int64 && counts.storage->current->settled() &&
                        counts.storage->current->data;
  constexpr int64_t guess = 2, most = 1 << 20;
  const int64_t each = is_known ? std::clamp<int64_t>(last_of(engine, counts), 1, most) : guess;
  runtime::Device* device =
      library_device(engine, {&array},
                     engine::cost_by_element("repeat", array.size(), 2.0 * static_cast<double>(each),
                                             60.0 * static_cast<double>(each), 2, 5));
  if (!device || !none_negative(engine, counts)) return {};  // the host raises the error
  const Array ends = ends_of(engine, counts);
  const int64_t number = last_of(engine, ends);
  if (number == 0) return {};
  if (counts.size() == 1) return repeat_each(engine, array, axis, number);
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

std::optional<Array> device_interpolate(Engine& engine, const Array& x, const Array& xp, const Array& fp,
                                        std::span<const double* const, 2> ends) {
  if (x.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&x, &xp, &fp}, engine::cost_of_search("interp", x.size(), xp.size()));
  if (!device) return {};
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const DType dtype = is_complex(fp.dtype()) ? DType::complex128 : DType::float64;
    const engine::DenseOperand at = launches.read(engine.contiguous(x, DType::float64)),
                               places = launches.read(engine.contiguous(xp, DType::float64));
    const engine::DenseOperand heights = launches.read(engine.contiguous(fp, dtype));
    const Ref<runtime::Buffer> outside = launches.allocate(2, dtype);
    const auto size = static_cast<size_t>(itemsize(dtype));
    for (size_t k = 0; k < 2; ++k) {
      char* to = outside->data() + k * size;
      if (ends[k])
        device->stream().copy_in(to, reinterpret_cast<const char*>(ends[k]), size);
      else
        device->stream().copy(to, heights.data() + k * (static_cast<size_t>(fp.size()) - 1) * size, size);
    }
    DeviceResult out(engine, *device, x.shape(), dtype);
    const int parts = is_complex(dtype) ? 2 : 1;
    launches.run({.name = format("interpolate {}", parts),
                  .make = [=] { return routines::interpolate_kernel(parts); },
                  .extents = {x.size()},
                  .buffers = {at.data(), places.data(), heights.data(), outside->data(), out.data()},
                  .scalars = {xp.size()}});
    return out.array();
  });
}

}  // namespace tessera
