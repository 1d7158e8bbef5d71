#include "tessera/bind/interop/foreign_memory.h"

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/interop/foreign_device.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

Array share_numpy(PyObject* numpy) {
  auto* array = reinterpret_cast<PyArrayObject*>(numpy);
  PyObject* descriptor = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
  auto dtype = dtype_of_descriptor(descriptor);
  require<ValueError>(dtype && is_native(descriptor) && PyArray_ISALIGNED(array),
                      "cannot share the memory of this array: its dtype, byte order or alignment is not the engine's");
  View view = view_of_numpy(numpy, *dtype);
  auto [low, high] = view.byte_range();
  view.offset = -low;
  return Engine::instance().wrap(PyArray_BYTES(array) + low, high - low, view, PyArray_ISWRITEABLE(array),
                                 dropping(numpy));
}

}  // namespace tessera::bind
