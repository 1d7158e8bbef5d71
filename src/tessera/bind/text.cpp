#include "tessera/bind/convert.h"
#include "tessera/bind/ndarray_slots.h"
#include "tessera/bind/ndarray.h"
#include "tessera/bind/object.h"

namespace tessera::bind {

// NumPy prints: its options, its words, on the memory we share with it.

PyObject* array_repr(PyObject* self) {
  return guarded([&] {
    static PyObject* represent = import_attribute("tessera.numpy.printing", "array_repr");
    if (is_derived(self)) return PyObject_CallOneArg(represent, self);
    Object numpy = owned(to_numpy(self));
    return PyObject_Repr(numpy.get());
  });
}

PyObject* array_str(PyObject* self) {
  return guarded([&] {
    Object numpy = owned(to_numpy(self));
    return PyObject_Str(numpy.get());
  });
}

}  // namespace tessera::bind
