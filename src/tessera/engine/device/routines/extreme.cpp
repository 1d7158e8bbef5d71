#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/routines/extreme/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

std::optional<Array> device_extreme(Engine& engine, bool largest, const Array& array, int axis) {
  constexpr int64_t elements_a_block = 1 << 14, rows_a_thread = 256, enough_threads = 1 << 20, slices_a_block = 8;
  if (is_complex(array.dtype()) || array.size() == 0) return {};
  const auto size = static_cast<double>(itemsize(array.dtype()));
  runtime::Device* device =
      library_device(engine, {&array}, engine::cost_by_element("place of an extreme", array.size(), 0.3, size));
  if (!device) return {};
  int64_t outer = 1, inner = 1, n = axis < 0 ? array.size() : array.shape()[axis];
  for (int k = 0; k < array.ndim() && axis >= 0; ++k) (k < axis ? outer : inner) *= k == axis ? 1 : array.shape()[k];
  Dims shape;
  for (int k = 0; k < array.ndim() && axis >= 0; ++k)
    if (k != axis) shape.push_back(array.shape()[k]);
  const bool rows = inner == 1;
  // Enough slices per lane to keep the device busy; for rows, each multiprocessor runs three blocks, twice.
  const int64_t most = rows ? n / elements_a_block : n / rows_a_thread;
  int64_t wanted = rows ? 6 * device->facts().multiprocessors / outer : enough_threads / (outer * inner);
  if (!rows && wanted > slices_a_block) wanted -= wanted % slices_a_block;
  wanted = std::clamp<int64_t>(std::min(most, wanted), 1, rows ? routines::most_slices : 4096);
  const int64_t slice = (n + wanted - 1) / wanted;
  const int64_t slices = (n + slice - 1) / slice;
  const bool is_short = outer * slices <= int64_t{1} << 31;
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand x = launches.read(array);
    DeviceResult out(engine, *device, shape, DType::int64);
    const DType dtype = array.dtype();
    const auto short_text = [&](const std::function<ir::Kernel()>& make) { return is_short ? make : nullptr; };
    if (rows) {
      const int64_t words = slices > 1 ? outer * slices : 0;
      const char* told = launches.zeros(words + outer * (slices > 1));
      launches.run({.name = format("extreme {} {} {}", largest, name(dtype), is_short),
                    .make = [=] { return routines::extreme_rows_kernel(largest, dtype); },
                    .make_short_text = short_text([=] { return routines::extreme_rows_kernel(largest, dtype, true); }),
                    .extents = {outer * slices, routines::extreme_threads},
                    .buffers = {x.data(), out.data(), told, told + 8 * words},
                    .scalars = {n, slice, slices},
                    .is_block = true});
      return out.array();
    }
    const auto run = [&](bool joins, std::vector<const char*> buffers, Dims extents) {
      launches.run(
          {.name = format("extreme columns {} {} {} {}", largest, name(dtype), joins, is_short),
           .make = [=] { return routines::extreme_columns_kernel(largest, dtype, joins); },
           .make_short_text = short_text([=] { return routines::extreme_columns_kernel(largest, dtype, joins, true); }),
           .extents = std::move(extents),
           .buffers = std::move(buffers),
           .scalars = {n, inner, slice, slices}});
    };
    launches.gather();
    const Ref<runtime::Buffer> found = slices > 1 ? launches.allocate(outer * slices * inner, DType::int64) : nullptr;
    const char* first = found ? found->data() : out.data();
    run(false, {x.data(), first}, {outer * slices, inner});
    if (found) run(true, {x.data(), first, out.data()}, {outer, inner});
    return out.array();
  });
}

}  // namespace tessera
