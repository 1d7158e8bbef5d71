/// CudaDevice: one NVIDIA GPU behind the Device interface.
#pragma once

#include <memory>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

/// Opens device `number` through its primary context, which other libraries of the process share; throws RuntimeError
/// for a device older than Volta. Buffers may outlive everything but the device, so devices are never destroyed.
Device* open_device(const Driver& driver, int number, int part = 0);

/// The number of the device that the address belongs to; -1 for none.
int device_number_of(const Driver& driver, const void* address);

}  // namespace tessera::runtime::cuda
