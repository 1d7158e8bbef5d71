#include "tessera/bind/interop/pin.h"

#include <new>

#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/reports.h"

namespace tessera::bind {

namespace {

struct MemoryPin {
  PyObject_HEAD Array array;
};

void free_pin(PyObject* self) {
  auto* pin = reinterpret_cast<MemoryPin*>(self);
  Engine::instance().unpin(pin->array);
  pin->array.~Array();
  PyObject_Free(self);
}

PyTypeObject pin_type = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "tessera.MemoryPin",
    .tp_basicsize = sizeof(MemoryPin),
    .tp_dealloc = free_pin,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Keeps an array's memory in place while NumPy or another library sees it.",
};

}  // namespace

void load_pin_type() { checked(PyType_Ready(&pin_type)); }

namespace {

/// The pin object for an array that is already pinned.
PyObject* hold(const Array& array) {
  PyObject* self = reinterpret_cast<PyObject*>(PyObject_New(MemoryPin, &pin_type));
  if (!self) {
    Engine::instance().unpin(array);
    throw ErrorAlreadySet();
  }
  new (&reinterpret_cast<MemoryPin*>(self)->array) Array(array);
  deliver_reports();
  return self;
}

}  // namespace

PyObject* make_pin(const Array& array) {
  Engine::instance().pin(array);
  return hold(array);
}

PyObject* make_device_pin(const Array& array, runtime::Device& device) {
  Engine::instance().devices().lend(array, device);
  return hold(array);
}

}  // namespace tessera::bind
