#include "tessera/runtime/profiler.h"

#include "tessera/runtime/cuda/driver.h"

namespace tessera::runtime {

void set_collecting(Device& device, bool is_collecting) {
  device.stream().synchronize();  // and this thread has the device's context from here on
  const cuda::Driver* driver = device.family() == Family::simulated ? nullptr : cuda::open_driver();
  if (!driver) return;
  if (const auto function = is_collecting ? driver->profiler_start : driver->profiler_stop)
    cuda::check(*driver, function(), is_collecting ? "starting the profiler" : "stopping the profiler");
}

}  // namespace tessera::runtime
