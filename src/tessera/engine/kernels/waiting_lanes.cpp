#include "tessera/engine/kernels/waiting_lanes.h"

#include <algorithm>
#include <array>

#include "tessera/engine/kernels/launch_axes.h"
#include "tessera/runtime/host/fibers.h"

namespace tessera::engine {

void run_waiting(const ir::Kernel& kernel, const int64_t* extents,
                 const std::function<void(const int64_t* begin, const int64_t* end)>& run) {
  const size_t axes = ir::meets_in_blocks(kernel) ? grid_axes : all_axes;
  int64_t units = 1;
  for (size_t axis = 0; axis < axes; ++axis) units *= extents[axis];
  auto unit = [&](int64_t k, int64_t) {
    std::array<int64_t, all_axes> begin{}, end{};
    std::copy(extents, extents + all_axes, end.begin());
    for (size_t axis = axes; axis-- > 0; k /= extents[axis]) {
      begin[axis] = k % extents[axis];
      end[axis] = begin[axis] + 1;
    }
    run(begin.data(), end.data());
  };
  runtime::run_fibers(units, unit);
}

void wait_for_others(ir::Wait what) {
  switch (what) {
    case ir::Wait::for_grid: return runtime::meet_fibers();
    case ir::Wait::for_others: return runtime::pause_fiber();
  }
}

}  // namespace tessera::engine
