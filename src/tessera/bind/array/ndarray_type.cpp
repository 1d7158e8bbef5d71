// The Python type of arrays: its slots and methods.
#include <cstddef>
#include <vector>

#include "tessera/bind/array/array_class.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/method/method_docs.h"

namespace tessera::bind {

namespace {

void free_ndarray(PyObject* object) {
  NdArray* self = as_ndarray(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  self->array.~Array();
  Py_XDECREF(self->base);
  discard_ndarray(object);
}

}  // namespace

PyTypeObject ndarray_type_object = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "tessera.numpy.ndarray",
    .tp_basicsize = sizeof(NdArray),
    .tp_dealloc = free_ndarray,
    .tp_repr = array_repr,
    .tp_as_number = &number_slots,
    .tp_as_sequence = &sequence_slots,
    .tp_as_mapping = &mapping_slots,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_str = array_str,
    .tp_as_buffer = &buffer_slots,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "An N-dimensional array whose operations are recorded, fused and compiled.",
    .tp_richcompare = compare_arrays,
    .tp_weaklistoffset = offsetof(NdArray, weakrefs),
    .tp_iter = iterate_array,
    .tp_getset = attribute_table,
    .tp_new = make_ndarray,
};

void load_ndarray_type(PyObject* module) {
  static std::vector<PyMethodDef> methods;
  for (auto table : {view_methods(), element_methods(), function_methods(), protocol_methods()}) {
    methods.insert(methods.end(), table.begin(), table.end());
  }
  add_signatures(methods, reinterpret_cast<PyObject*>(&PyArray_Type));
  methods.push_back({});
  ndarray_type_object.tp_methods = methods.data();
  Py_SET_TYPE(reinterpret_cast<PyObject*>(ndarray_type), array_class());
  checked(PyType_Ready(ndarray_type));
  Object home = owned(PyUnicode_FromString("tessera.numpy"));  // otherwise __module__ is looked up on the metaclass
  checked(PyDict_SetItemString(ndarray_type->tp_dict, "__module__", home.get()));
  static PyMethodDef own = {"is_own", [](PyObject*, PyObject* object) { return PyBool_FromLong(is_ndarray(object)); },
                            METH_O, "Whether it is an array of tessera's own, not NumPy's."};
  Object is_own = owned(PyCFunction_New(&own, nullptr));
  checked(PyModule_AddObjectRef(module, "is_own", is_own.get()));
  checked(PyModule_AddObjectRef(module, "ndarray", reinterpret_cast<PyObject*>(ndarray_type)));
}

}  // namespace tessera::bind
