/// MemoryPin: the Python object that keeps an array's memory at its address while foreign code uses it.
#pragma once

#include <Python.h>

#include "tessera/graph/array.h"

namespace tessera::runtime {
class Device;
}

namespace tessera::bind {

/// A new reference to an object that pins the array's storage until it is freed.
PyObject* make_pin(const Array& array);
/// The same for a device's memory; see Devices::lend.
PyObject* make_device_pin(const Array& array, runtime::Device& device);
void load_pin_type();

}  // namespace tessera::bind
