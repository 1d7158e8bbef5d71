#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/routines/product/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

std::optional<Array> device_integer_product(Engine& engine, const Array& a, const Array& b) {
  const DType dtype = a.dtype();
  if (a.size() == 0 || b.size() == 0 || (!is_integer(dtype) && !is_boolean(dtype))) return {};
  const double multiplications = static_cast<double>(a.size()) * static_cast<double>(b.shape().back());
  runtime::Device* device = library_device(
      engine, {&a, &b},
      {.op = "integer product", .host_steps = multiplications, .device_operations = 8 * multiplications});
  if (!device) return {};
  const size_t axes = a.shape().size();
  const int64_t m = a.shape()[axes - 2], k = a.shape()[axes - 1], n = b.shape()[axes - 1], batch = a.size() / (m * k);
  const auto squares = [](int64_t extent) { return (extent + routines::product_side - 1) / routines::product_side; };
  Dims shape = a.shape();
  shape[axes - 1] = n;
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand left = launches.read(a), right = launches.read(b);
    DeviceResult out(engine, *device, shape, dtype);
    launches.run({.name = format("integer_product {}", name(dtype)),
                  .make = [=] { return routines::integer_product_kernel(dtype); },
                  .extents = {batch * squares(m) * squares(n), routines::product_threads},
                  .buffers = {left.data(), right.data(), out.data()},
                  .scalars = {m, n, k},
                  .is_block = true});
    return out.array();
  });
}

std::optional<Array> device_correlate(Engine& engine, const Array& a, const Array& v, int64_t left, int64_t count,
                                      DType dtype) {
  if (!is_integer(dtype) && dtype != DType::float32 && dtype != DType::float64) return {};
  const double taps = static_cast<double>(v.size());
  runtime::Device* device =
      library_device(engine, {&a, &v}, engine::cost_by_element("correlate", count, 0.3 * taps, 16 + 2 * taps));
  if (!device) return {};
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand x = launches.read(engine.contiguous(a, dtype)),
                               taps = launches.read(engine.contiguous(v, dtype));
    DeviceResult out(engine, *device, Dims{count}, dtype);
    launches.run({.name = format("correlate {}", name(dtype)),
                  .make = [=] { return routines::correlate_kernel(dtype); },
                  .extents = {count},
                  .buffers = {x.data(), taps.data(), out.data()},
                  .scalars = {a.size(), v.size(), left}});
    return out.array();
  });
}

}  // namespace tessera
