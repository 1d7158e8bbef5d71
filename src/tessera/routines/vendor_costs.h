/// Initial estimates of what vendor libraries' routines cost. The constants were measured on one core of a Xeon and on
/// an H200.
#pragma once

#include <algorithm>
#include <cmath>

#include "tessera/layout/dtype.h"
#include "tessera/ops/cost.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines {

/// `points` points in total, transformed along `axes` axes; `points_a_line` is the product of those axes' extents.
inline ops::Cost cost_of_fft(int64_t points, double points_a_line, int axes, int64_t itemsize) {
  ops::Cost cost = ops::cost_by_element("fft", points, 0.7 * std::log2(points_a_line + 1),
                                        6.0 * static_cast<double>(itemsize) * axes, 0, 2 * axes);
  cost.making = 0.15, cost.library = "FFT";
  return cost;
}

/// Matrix products with this many multiplications, which read and write this many bytes.
inline ops::Cost cost_of_product(std::string_view op, double multiplications, double bytes, DType dtype) {
  const double each = (is_complex(dtype) ? 4.0 : 1.0) * (itemsize(real_dtype(dtype)) <= 4 ? 0.5 : 1.0) / 15;
  const double arithmetic = multiplications * each / runtime::thread_count();
  return {.op = op,
          .host_steps = std::max(arithmetic, bytes / 20),
          .device_bytes = bytes,
          .device_operations = 2 * multiplications,
          .launches = 1,
          .making = 0.2,
          .library = "BLAS"};
}

/// Factorisations and solves of a batch of matrices. `waste` is the device's slowdown relative to a matrix product;
/// `steps` is the number of dependent launches.
inline ops::Cost cost_of_factors(std::string_view op, double operations, double waste, double steps, DType dtype) {
  const double parts = is_complex(dtype) ? 4 : 1;
  return {.op = op,
          .host_steps = operations * parts / 8,
          .device_operations = operations * parts * waste,
          .launches = 8 + static_cast<int>(steps),
          .synchronisations = 1,
          .making = 0.3,
          .library = "LAPACK"};
}

}  // namespace tessera::routines
