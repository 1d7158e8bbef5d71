/// MemoryPin: the Python object that keeps an array's memory in place while somebody else sees it.
#pragma once

#include <Python.h>

#include "tessera/engine/array.h"

namespace tessera::runtime {
class Device;
}

namespace tessera::bind {

/// A new reference to an object that pins the array's storage until it is freed.
PyObject* make_pin(const Array& array);
/// The same in a device's memory; see Engine::lend.
PyObject* make_device_pin(const Array& array, runtime::Device& device);
void load_pin_type();

}  // namespace tessera::bind
