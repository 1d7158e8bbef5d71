#include "tessera/bind/array/array_class.h"

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/kept.h"

namespace tessera::bind {

namespace {

// Arrays of text, objects, dates and records remain NumPy arrays, but a program must see them as ndarrays too.
bool is_array_type(PyObject* cls, PyTypeObject* type) {
  if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(cls))) return true;
  return cls == reinterpret_cast<PyObject*>(ndarray_type) && PyType_IsSubtype(type, &PyArray_Type);
}

PyObject* instance_check(PyObject* cls, PyObject* object) {
  return PyBool_FromLong(is_array_type(cls, Py_TYPE(object)));
}

PyObject* subclass_check(PyObject* cls, PyObject* other) {
  if (!PyType_Check(other)) return PyErr_Format(PyExc_TypeError, "issubclass() arg 1 must be a class");
  return PyBool_FromLong(is_array_type(cls, reinterpret_cast<PyTypeObject*>(other)));
}

PyMethodDef class_methods[] = {
    {"__instancecheck__", instance_check, METH_O, "Whether the object is an array of the class, or any array."},
    {"__subclasscheck__", subclass_check, METH_O, "The same of classes."},
    {}};

}  // namespace

PyTypeObject* array_class() {
  static constinit Kept made;
  return reinterpret_cast<PyTypeObject*>(made.get([] {
    PyType_Slot slots[] = {{Py_tp_methods, class_methods}, {}};
    PyType_Spec spec{
        .name = "tessera._core.ArrayClass", .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, .slots = slots};
    Object base(import_attribute("abc", "ABCMeta"));
    return PyType_FromSpecWithBases(&spec, base.get());
  }));
}

}  // namespace tessera::bind
