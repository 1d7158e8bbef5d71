/// CallCosts: initial estimates of what calls cost, by their sizes. The host's times are learned from there
/// (call_history.h). The constants were measured on one core of a Xeon and on an H200.
#pragma once

#include <cmath>

#include "tessera/engine/device/placement/cost_model.h"
#include "tessera/layout/dtype.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using ops::cost_by_element;

/// Factorisations and solves of a batch of matrices. `waste` is the device's slowdown relative to a matrix product;
/// `steps` is the number of dependent launches.
inline CallCost cost_of_factors(std::string_view op, double operations, double waste, double steps, DType dtype) {
  const double parts = is_complex(dtype) ? 4 : 1;
  return {.op = op,
          .host_steps = operations * parts / 8,
          .device_operations = operations * parts * waste,
          .launches = 8 + static_cast<int>(steps),
          .synchronisations = 1,
          .making = 0.3};
}

}  // namespace tessera::engine
