#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/routines/take/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

std::optional<Array> device_take(Engine& engine, const Array& array, const Array& indices, int axis,
                                 routines::PickMode mode) {
  if (array.size() == 0 || indices.size() == 0 || !is_integer(indices.dtype())) return {};
  const int64_t taken = indices.size() * (array.size() / array.shape()[static_cast<size_t>(axis)]);
  runtime::Device* device = library_device(
      engine, {&array, &indices}, engine::cost_by_element("take", taken, 3, 64, mode == routines::PickMode::raise));
  if (!device) return {};
  int64_t outer = 1, inner = 1;
  Dims shape;
  for (int k = 0; k < axis; ++k) outer *= array.shape()[k], shape.push_back(array.shape()[k]);
  for (int64_t extent : indices.shape()) shape.push_back(extent);
  for (int k = axis + 1; k < array.ndim(); ++k) inner *= array.shape()[k], shape.push_back(array.shape()[k]);
  const int64_t n = array.shape()[axis], picks = indices.size();
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    const engine::DenseOperand x = launches.read(array), where = launches.read(indices);
    DeviceResult out(engine, *device, shape, array.dtype());
    const Ref<runtime::Buffer> wrong = launches.allocate(1, DType::int32);
    device->stream().fill_zero(wrong->data(), 4);
    const DType dtype = array.dtype(), index_type = indices.dtype();
    launches.run({.name = format("take {} {} {}", name(dtype), name(index_type), static_cast<int>(mode)),
                  .make = [=] { return routines::take_kernel(dtype, index_type, mode); },
                  .extents = {outer, picks, inner},
                  .buffers = {x.data(), where.data(), out.data(), wrong->data()},
                  .scalars = {n, picks, inner}});
    int32_t is_wrong = 0;
    if (mode == routines::PickMode::raise) launches.fetch(&is_wrong, wrong->data(), sizeof is_wrong);
    if (is_wrong) return {};
    return out.array();
  });
}

}  // namespace tessera
