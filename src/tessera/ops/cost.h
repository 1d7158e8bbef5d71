/// Cost: the work of one call of a routine, wherever it runs; initial estimates that measurements replace.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::ops {

struct Cost {
  std::string_view op;           // the operation whose speed on the host is learned
  double host_steps = 0;         // initial estimate, in nanoseconds of one thread
  double device_bytes = 0;       // moved through the device's memory
  double device_operations = 0;  // arithmetic operations of matrix products and factorisations
  int launches = 1;
  int synchronisations = 0;  // with results that the device must return before the call can continue
  double making = 30e-3;     // additional seconds of the first call on a device: compiling kernels, opening a library
  std::string_view library = {};  // of the device that `making` opens, for all operations that use it
};

/// `steps` steps per element on the host; `device_bytes` bytes per element moved on the device.
inline Cost cost_by_element(std::string_view op, int64_t elements, double steps, double device_bytes,
                            int synchronisations = 0, int launches = 2) {
  const auto count = static_cast<double>(elements);
  return {.op = op,
          .host_steps = steps * count,
          .device_bytes = device_bytes * count,
          .launches = launches,
          .synchronisations = synchronisations};
}

}  // namespace tessera::ops
