#include "tessera/engine/moments/moments.h"

#include <algorithm>
#include <cmath>

#include "tessera/engine/call/device_launches.h"
#include "tessera/engine/linalg/host_access.h"
#include "tessera/routines/moments/kernels.h"

namespace tessera {

using routines::KernelLaunch;

namespace {

/// The array as rows of lanes: `n` elements for each of outer * inner lanes, `inner` apart.
struct MomentLanes {
  View view;  // dense, axes sorted
  int64_t outer = 1, n = 1, inner = 1;
};

std::optional<MomentLanes> find_lanes(const View& view, std::span<const int> axes) {
  View reduced = view;  // strides are 0 except along these axes
  for (int axis = 0; axis < view.ndim(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) reduced.strides[axis] = 0;
  View views[] = {view, reduced};
  sort_axes(views);
  MomentLanes lanes{.view = views[0]};
  if (!lanes.view.is_c_contiguous()) return {};
  const int kept = collapse_axes(views);
  int reductions = 0;
  for (int axis = 0; axis < kept; ++axis) {
    const int64_t extent = views[0].shape[axis];
    if (views[1].strides[axis] != 0)
      ++reductions, lanes.n = extent;
    else
      (reductions ? lanes.inner : lanes.outer) *= extent;
  }
  if (reductions != 1) return {};
  return lanes;
}

/// How the elements of outer rows are distributed over lanes; depends on the shape alone, so that the result's bits do
/// too.
struct Spread {
  int64_t size, width, chunk, chunks;

  explicit Spread(const MomentLanes& lanes) : size(lanes.n * lanes.inner) {
    constexpr int64_t fewest_lanes = 32, rows_a_chunk = 1024;
    width = lanes.inner * ((fewest_lanes + lanes.inner - 1) / lanes.inner);
    const int64_t rows = (size + width - 1) / width, wanted = std::max<int64_t>(1, rows / rows_a_chunk);
    const int64_t step = routines::moment_rows;
    chunk = ((rows + wanted - 1) / wanted + step - 1) / step * step;
    chunks = (rows + chunk - 1) / chunk;
  }
};

/// Reduces x's lanes into `out` with the kernels that `run` launches, in memory from `allocate` that outlives this
/// call.
template <class Run, class Allocate>
void reduce_lanes(const MomentLanes& lanes, DType dtype, const char* x, const char* out, const char* odd, Run&& run,
                  Allocate&& allocate) {
  constexpr int64_t most_joined = 32, few_joined = 24;
  const Spread spread(lanes);
  const DType from = lanes.view.dtype;
  const int64_t results = lanes.outer * lanes.inner;
  int64_t count = spread.chunks * (spread.width / lanes.inner);  // moments for each result
  const char* moments = allocate(count * results);
  run({.name = format("moments {} {}", name(from), name(dtype)),
       .make = [=] { return routines::moments_kernel(from, dtype); },
       .extents = {lanes.outer * spread.chunks, spread.width},
       .buffers = {x, moments},
       .scalars = {spread.size, spread.width, lanes.inner, spread.chunk, spread.chunks, spread.size / spread.width,
                   results}},
      lanes.outer * spread.size);
  for (bool last = false; !last;) {
    last = count <= most_joined;
    const int64_t left = last ? 1 : (count + few_joined - 1) / few_joined, width = left * results;
    const char* into = last ? out : allocate(width);
    std::vector<const char*> buffers{moments, into};
    if (last) buffers.push_back(odd);
    run({.name = format("join_moments {} {}", last, name(dtype)),
         .make = [=] { return routines::join_moments_kernel(last, dtype); },
         .extents = {width},
         .buffers = std::move(buffers),
         .scalars = {count * results, width}},
        count * results);
    moments = into;
    count = left;
  }
}

bool serves(const Array& array, DType dtype) {
  constexpr int64_t worth_compiling =
      1 << 22;  // fewer elements do not amortise LLVM's 20 ms for the kernel on first use
  return array.size() >= worth_compiling && (dtype == DType::float64 || dtype == DType::float32) &&
         !is_complex(array.dtype()) && can_cast(array.dtype(), dtype, Casting::safe);
}

bool is_finite(const char* number, DType dtype) {
  return dtype == DType::float32 ? std::isfinite(*reinterpret_cast<const float*>(number))
                                 : std::isfinite(*reinterpret_cast<const double*>(number));
}

}  // namespace

std::optional<Array> squares_about_mean(Engine& engine, const Array& array, std::span<const int> axes, DType dtype) {
  constexpr int64_t bits_of_numpy = 8192;
  if (!serves(array, dtype)) return {};
  const std::optional<MomentLanes> lanes = find_lanes(array.view, axes);
  if (!lanes || lanes->n <= bits_of_numpy) return {};
  const Array dense = array.with_view(lanes->view);
  // Results have the memory order of their lanes.
  const View rest = without_axes(array.view, axes), *like = &rest;
  const View view = common_layout(rest.shape, dtype, std::span(&like, 1));
  const engine::CallCost cost = engine::cost_by_element("squares about the mean", array.size(), 0.5,
                                                        static_cast<double>(itemsize(array.dtype())), 1, 4);
  if (runtime::Device* device = library_device(engine, {&array}, cost)) {
    const auto done = engine::run_routine<std::optional<Array>>(
        engine, *device, [&](engine::DeviceLaunches& launches) -> std::optional<Array> {
          const engine::DenseOperand x = launches.read(dense);
          DeviceResult out(engine, *device, view.shape, dtype);
          const Ref<runtime::Buffer> odd = launches.allocate(1, DType::int32);
          device->stream().fill_zero(odd->data(), 4);
          std::vector<Ref<runtime::Buffer>> memory;
          reduce_lanes(
              *lanes, dtype, x.data(), out.data(), odd->data(),
              [&](const routines::KernelLaunch& routine, int64_t) { launches.run(routine); },
              [&](int64_t count) {
                return memory.emplace_back(launches.allocate(count * routines::numbers_a_moment, DType::float64))
                    ->data();
              });
          const Array result = out.array().with_view(view);
          // A single number is copied to the host anyway.
          if (view.size() == 1) return is_finite(engine.read(result), dtype) ? std::optional(result) : std::nullopt;
          int32_t is_odd = 0;
          launches.fetch(&is_odd, odd->data(), sizeof is_odd);
          return is_odd ? std::nullopt : std::optional(result);
        });
    if (done) return *done;
  }
  const HostRead x(engine, dense, dense.dtype());
  const Array out = engine.empty(rest.shape, dtype, Order::k, &rest);
  int32_t is_odd = 0;
  std::vector<Array> memory;
  reduce_lanes(
      *lanes, dtype, x.data(), engine.write(out), reinterpret_cast<const char*>(&is_odd),
      [&](const routines::KernelLaunch& routine, int64_t work) { engine.devices().run_on_host(routine, work); },
      [&](int64_t count) {
        return engine.write(
            memory.emplace_back(engine.empty(Dims{count * routines::numbers_a_moment}, DType::float64)));
      });
  if (is_odd) return {};
  return out;
}

}  // namespace tessera
