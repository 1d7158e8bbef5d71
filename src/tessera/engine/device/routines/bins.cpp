#include <array>

#include "tessera/base/error.h"
#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/ops/op.h"
#include "tessera/routines/bins/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

/// n elements split into chunks, one per block of threads.
struct Chunks {
  int64_t size, count;
  explicit Chunks(int64_t n) : size(std::max<int64_t>(1 << 13, (n + 2047) / 2048)), count((n + size - 1) / size) {}
  Dims extents() const { return {count, routines::bins_threads}; }
};

std::pair<int64_t, int64_t> find_bounds(DeviceLaunches& launches, runtime::Device& device,
                                        const engine::DenseOperand& x, int64_t n) {
  const Chunks chunks(n);
  std::array<int64_t, 2> bounds{INT64_MAX, INT64_MIN};
  const Ref<runtime::Buffer> found = launches.allocate(2, DType::int64);
  device.stream().copy_in(found->data(), reinterpret_cast<const char*>(bounds.data()), sizeof bounds);
  launches.run({.name = "bounds",
                .make = [] { return routines::bounds_kernel(); },
                .extents = chunks.extents(),
                .buffers = {x.data(), found->data()},
                .scalars = {n, chunks.size},
                .is_block = true});
  launches.fetch(bounds.data(), found->data(), sizeof bounds);
  return {bounds[0], bounds[1]};
}

}  // namespace

std::optional<std::pair<int64_t, int64_t>> device_bounds(Engine& engine, const Array& values) {
  if (values.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&values}, engine::cost_by_element("bounds", values.size(), 0.5, 8, 1));
  if (!device) return {};
  return engine::run_routine<std::pair<int64_t, int64_t>>(engine, *device, [&](DeviceLaunches& launches) {
    return find_bounds(launches, *device, launches.read(engine.contiguous(values, DType::int64)), values.size());
  });
}

std::optional<Array> device_bincount(Engine& engine, const Array& given, const Array* weights, int64_t minlength) {
  if (given.size() == 0) return {};
  const engine::CallCost cost = weights ? engine::cost_by_element("bincount of weights", given.size(), 3, 600, 2, 30)
                                        : engine::cost_by_element("bincount", given.size(), 2, 60, 1);
  std::vector<const Array*> operands{&given};
  if (weights) operands.push_back(weights);
  runtime::Device* device = library_device(engine, operands, cost);
  if (!device) return {};
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    const Array values = engine.contiguous(given, DType::int64);
    const engine::DenseOperand x = launches.read(values);
    const int64_t n = values.size();
    const Chunks chunks(n);
    const auto [low, high] = find_bounds(launches, *device, x, n);
    require<ValueError>(low >= 0, "'list' argument must have no negative elements");
    const int64_t bins = std::max(minlength, std::min(high, INT64_MAX - 1) + 1);
    DeviceResult out(engine, *device, Dims{bins}, weights ? DType::float64 : DType::int64);
    device->stream().fill_zero(out.data(), static_cast<size_t>(8 * bins));
    if (weights) {
      const ops::Op& add = *ops::OpTable::standard().find("add");
      const ops::OperandType types[] = {{DType::float64}, {DType::float64}};
      const Array heavy = engine.contiguous(*weights, DType::float64);
      uint32_t events = 0;  // NumPy's loop does not check them
      if (!device_at(engine, add, ops::resolve(add, types), out.array(), values, &heavy, events)) return {};
      return out.array();
    }
    const bool shared = bins <= routines::shared_bins;
    launches.run({.name = format("count_bins {}", shared),
                  .make = [=] { return routines::count_bins_kernel(shared); },
                  .extents = chunks.extents(),
                  .buffers = {x.data(), out.data()},
                  .scalars = {n, chunks.size, bins},
                  .is_block = true});
    return out.array();
  });
}

}  // namespace tessera
