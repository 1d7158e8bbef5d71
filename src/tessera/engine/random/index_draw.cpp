#include "tessera/engine/random/index_draw.h"

#include "tessera/engine/call/device_launches.h"
#include "tessera/engine/device/placement/placed_call.h"

namespace tessera {

Array draw_by_index(Engine& engine, const IndexStream& stream, uint64_t first, std::span<const int64_t> shape) {
  constexpr int64_t worth_a_device = 1 << 16;
  const int64_t count = checked_size(shape, itemsize(stream.dtype)), each = routines::numbers_a_block(stream.dtype);
  const auto skip = static_cast<int64_t>(first % static_cast<uint64_t>(each));
  std::vector<int64_t> scalars =
      routines::draw_scalars(stream.draw, stream.dtype, stream.key, first / static_cast<uint64_t>(each));
  scalars.insert(scalars.end(), {skip, count});
  if (stream.draw == routines::IndexDraw::integers || stream.draw == routines::IndexDraw::long_integers)
    scalars.insert(scalars.end(), {static_cast<int64_t>(stream.low), static_cast<int64_t>(stream.range)});
  const auto routine = [&](bool whole, const char* out) {
    return routines::KernelLaunch{
        .name = format("index_draw {} {} {}", static_cast<int>(stream.draw), name(stream.dtype), whole),
        .make = [=] { return routines::index_draw_kernel(stream.draw, stream.dtype, whole); },
        .extents = {(skip + count + each - 1) / each},
        .buffers = {out},
        .scalars = scalars};
  };
  const engine::PlacedCall call;
  runtime::Device* device = engine.devices().chosen_device();
  const auto size = static_cast<double>(itemsize(stream.dtype));
  if (!device && count >= worth_a_device)
    device = engine.devices().place_call(
        {}, engine::cost_by_element("index draw", count, 8.0 / runtime::thread_count(), size, 0, 1));
  if (device && count >= worth_a_device) {
    const auto drawn = engine::run_routine(engine, *device, [&](engine::DeviceLaunches& launches) {
      DeviceResult out(engine, *device, shape, stream.dtype);
      launches.run(routine(skip == 0 && reinterpret_cast<uintptr_t>(out.data()) % 16 == 0, out.data()));
      return out.array();
    });
    if (drawn) return *drawn;
  }
  Array out = engine.empty(shape, stream.dtype);
  engine.devices().run_on_host(routine(false, engine.write(out)), 64 * count);
  return out;
}

}  // namespace tessera
