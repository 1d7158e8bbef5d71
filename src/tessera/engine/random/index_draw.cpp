#include "tessera/engine/random/index_draw.h"

#include "tessera/engine/device/routines/launcher.h"

namespace tessera {

Array draw_by_index(Engine& engine, const IndexStream& stream, uint64_t first, std::span<const int64_t> shape) {
  constexpr int64_t worth_a_device = 1 << 16;
  const int64_t count = checked_size(shape, itemsize(stream.dtype)), skip = static_cast<int64_t>(first % 4);
  const int64_t blocks = (skip + count + 3) / 4, threads = engine::index_draw_threads;
  std::vector<int64_t> scalars{static_cast<int64_t>(stream.key[0]), static_cast<int64_t>(stream.key[1]), static_cast<int64_t>(first / 4), skip, count};
  if (stream.draw == engine::IndexDraw::integers)
    scalars.insert(scalars.end(), {static_cast<int64_t>(stream.low), static_cast<int64_t>(stream.range)});
  const auto routine = [&](bool staged, const char* out) {
    return engine::DeviceRoutine{
        .name = format("index_draw {} {} {}", static_cast<int>(stream.draw), name(stream.dtype), staged),
        .make = [=] { return engine::index_draw_kernel(stream.draw, stream.dtype, staged); },
        .extents = staged ? Dims{(blocks + threads - 1) / threads, threads} : Dims{blocks},
        .buffers = {out},
        .scalars = scalars,
        .is_block = staged};
  };
  runtime::Device* device = engine.chosen_device();
  if (device && count >= worth_a_device) {
    const auto drawn = engine::run_routine(engine, *device, [&](engine::DeviceLaunches& launches) {
      DeviceResult out(engine, *device, shape, stream.dtype);
      launches.run(routine(true, out.data()));
      return out.array();
    });
    if (drawn) return *drawn;
  }
  Array out = engine.empty(shape, stream.dtype);
  engine.run_on_host(routine(false, engine.write(out)), 64 * count);
  return out;
}

}  // namespace tessera
