#include "tessera/bind/host/squares_about_mean.h"

#include <algorithm>
#include <cmath>

#include "tessera/bind/engine/call_site.h"

namespace tessera::bind {

namespace {

/// The elements as rows of lanes: `n` of them in each of outer * inner lanes, `inner` apart.
struct Lanes {
  View view;  // dense, axes sorted
  int64_t outer = 1, n = 1, inner = 1;
};

std::optional<Lanes> find_lanes(const View& view, std::span<const int> axes) {
  View reduced = view;  // strides are 0 except along these axes
  for (int axis = 0; axis < view.ndim(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) reduced.strides[axis] = 0;
  View views[] = {view, reduced};
  sort_axes(views);
  Lanes lanes{.view = views[0]};
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

std::optional<Array> squares_about_mean(const Array& array, std::span<const int> axes, DType dtype) {
  constexpr int64_t bits_of_numpy = 8192;
  static const ops::Routine& routine = Engine::routine("squares_about_mean");
  if (!serves(array, dtype)) return {};
  std::optional<Lanes> lanes = find_lanes(array.view, axes);
  if (!lanes || lanes->n <= bits_of_numpy) return {};
  lanes->view = *lanes->view.try_reshape(Dims{lanes->outer, lanes->n, lanes->inner});
  const Array operand = array.with_view(std::move(lanes->view));
  Engine& engine = Engine::instance();
  const std::vector<Array> made = engine.call(routine, std::span(&operand, 1), {dtype}, current_context());
  // Results have the memory order of their lanes.
  const View rest = without_axes(array.view, axes), *like = &rest;
  const Array result = made[0].with_view(common_layout(rest.shape, dtype, std::span(&like, 1)));
  // A single number is copied to the host anyway.
  const auto is_even = [&] {
    const auto* odd = reinterpret_cast<const int32_t*>(engine.read(made[1]));
    return std::all_of(odd, odd + made[1].size(), [](int32_t number) { return number == 0; });
  };
  const bool is_good = result.size() == 1 ? is_finite(engine.read(result), dtype) : is_even();
  return is_good ? std::optional(result) : std::nullopt;
}

}  // namespace tessera::bind
