#include "tessera/bind/array/pickle.h"

#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/interop/foreign_memory.h"

namespace tessera::bind {

namespace {

/// Copies a buffer's bytes into a new array.
Array array_of_bytes(PyObject* shape, PyObject* dtype, PyObject* order, PyObject* buffer) {
  auto element = to_dtype(dtype);
  require<TypeError>(element.has_value(), "tessera cannot unpickle an array of this dtype");
  Engine& engine = Engine::instance();
  Array array = engine.empty(to_dims(shape), *element, to_order(order, Order::c));
  Py_buffer bytes;
  checked(PyObject_GetBuffer(buffer, &bytes, PyBUF_ANY_CONTIGUOUS));
  bool fits = bytes.len == array.size() * array.view.itemsize();
  if (fits && bytes.len > 0) std::memcpy(engine.write(array), bytes.buf, static_cast<size_t>(bytes.len));
  PyBuffer_Release(&bytes);
  require<ValueError>(fits, "the pickled array has the wrong number of bytes for its shape {}", array.shape());
  return array;
}

}  // namespace

PyObject* reduce_array(PyObject* self, PyObject* protocol) {
  return guarded([&] {
    const Array& array = as_ndarray(self)->array;
    const View& view = array.view;
    bool fortran = view.is_f_contiguous() && !view.is_c_contiguous();
    static constinit Imported restore("tessera._core", "_restore");
    Object packed = view.is_c_contiguous() || fortran ? Object::borrowed(self)
                                                      : owned(wrap(copy_array(array, array.dtype(), Order::c)));
    // The buffer protocol has no type code for bfloat16: its bytes are passed as they are.
    auto [low, high] = view.byte_range();
    bool dense = view.size() * view.itemsize() == high - low;
    bool in_band = !protocol || to_int(protocol) < 5 || array.dtype() == DType::bfloat16 || !dense;
    Object buffer;
    if (in_band) {
      const Array& source = as_ndarray(packed.get())->array;
      buffer = owned(PyBytes_FromStringAndSize(synchronise(source), array.size() * view.itemsize()));
    } else {
      buffer = owned(PyPickleBuffer_FromObject(packed.get()));
    }
    Object shape = owned(make_tuple(view.shape));
    Object dtype = owned(from_dtype(array.dtype()));
    Object arguments =
        owned(Py_BuildValue("(OOOsO)", Py_TYPE(self), shape.get(), dtype.get(), fortran ? "F" : "C", buffer.get()));
    return Py_BuildValue("(OO)", restore.get(), arguments.get());
  });
}

PyObject* reduce_array_plainly(PyObject* self, PyObject*) { return reduce_array(self, nullptr); }

PyObject* set_array_state(PyObject* self, PyObject* state) {
  return guarded([&] {
    Py_ssize_t count = PyTuple_Check(state) ? PyTuple_GET_SIZE(state) : 0;
    require<TypeError>(count == 4 || count == 5, "__setstate__ needs (shape, dtype, order, bytes), or NumPy's state");
    PyObject** items =
        reinterpret_cast<PyTupleObject*>(state)->ob_item + (count - 4);  // NumPy's state has a version in front
    Object order =
        count == 4 ? Object::borrowed(items[2]) : owned(PyUnicode_FromString(PyObject_IsTrue(items[2]) ? "F" : "C"));
    as_ndarray(self)->array = array_of_bytes(items[0], items[1], order.get(), items[3]);
    return Py_NewRef(Py_None);
  });
}

namespace {

/// An array over memory that was pickled out of band, as in NumPy; null when the memory must be copied.
PyObject* over_buffer(PyTypeObject* type, PyObject* shape, PyObject* dtype, PyObject* order, PyObject* buffer) {
  if (PyBytes_Check(buffer) || PyByteArray_Check(buffer) || !to_dtype(dtype)) return nullptr;
  static constinit Imported numpy_array("numpy", "ndarray");
  Object numpy = owned(PyObject_CallFunction(numpy_array, "OOOiOO", shape, dtype, buffer, 0, Py_None, order));
  auto* array = reinterpret_cast<PyArrayObject*>(numpy.get());
  if (!PyArray_ISALIGNED(array) || is_boolean(*to_dtype(dtype)))
    return nullptr;  // bytes other than 0 and 1 must become 1 in a copy
  return checked(wrap_as(type, share_numpy(numpy.get()), buffer, PyArray_ISWRITEABLE(array), nullptr));
}

}  // namespace

PyObject* restore_array(PyObject* type, PyObject* shape, PyObject* dtype, PyObject* order, PyObject* buffer) {
  require<TypeError>(PyType_Check(type) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), ndarray_type),
                     "a pickled array must name a class of arrays");
  auto* array_type = reinterpret_cast<PyTypeObject*>(type);
  if (PyObject* shared = over_buffer(array_type, shape, dtype, order, buffer)) return shared;
  return checked(wrap_as(array_type, array_of_bytes(shape, dtype, order, buffer), nullptr, true, nullptr));
}

}  // namespace tessera::bind
