/// AxisLanes: a dense array as lanes along one axis.
#pragma once

#include "tessera/layout/view.h"

namespace tessera::routines {

/// Element k of lane (o, i) is number (o * n + k) * inner + i in C order.
struct AxisLanes {
  int64_t outer = 1, n = 1, inner = 1;

  AxisLanes(int64_t outer_lanes, int64_t length, int64_t inner_lanes)
      : outer(outer_lanes), n(length), inner(inner_lanes) {}
  AxisLanes(const View& view, int axis) {
    for (int k = 0; k < view.ndim(); ++k) (k < axis ? outer : k == axis ? n : inner) *= view.shape[k];
  }
  int64_t size() const { return outer * n * inner; }
};

}  // namespace tessera::routines
