#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/kept.h"

namespace tessera::bind {

namespace {

// NumPy formats the text, with its own options, on shared memory.
Object printed(PyObject* self) {
  const Array& array = as_ndarray(self)->array;
  Array near = Engine::instance().nearby(array);
  if (near.storage == array.storage) return owned(to_numpy(self));
  Object part = owned(wrap(std::move(near)));
  return owned(to_numpy(part.get()));
}

}  // namespace

PyObject* array_repr(PyObject* self) {
  return guarded([&] {
    static constinit Imported represent("tessera.numpy.printing", "array_repr");
    if (is_derived(self)) return PyObject_CallOneArg(represent, self);
    Object numpy = printed(self);
    return PyObject_Repr(numpy.get());
  });
}

PyObject* array_str(PyObject* self) {
  return guarded([&] {
    Object numpy = printed(self);
    return PyObject_Str(numpy.get());
  });
}

}  // namespace tessera::bind
