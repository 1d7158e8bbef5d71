#include "tessera/bind/array/ndarray.h"

#include <array>
#include <cstddef>
#include <new>
#include <vector>

#include "tessera/bind/array/array_class.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/method/method_docs.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/eager/host_memory.h"

namespace tessera::bind {

namespace {

// Array objects are created and freed by every expression. Guarded by the GIL.
constexpr int freelist_limit = 128;
std::array<PyObject*, freelist_limit> freelist;
int freelist_size = 0;

void free_ndarray(PyObject* object) {
  NdArray* self = as_ndarray(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  self->array.~Array();
  Py_XDECREF(self->base);
  discard_ndarray(object);
}

PyObject* fill(PyObject* object, Array&& array, PyObject* base, bool writeable) {
  NdArray* self = as_ndarray(object);
  new (&self->array) Array(std::move(array));
  self->base = Py_XNewRef(base);
  self->weakrefs = nullptr;
  self->writeable = writeable;
  self->warns_on_write = false;
  return object;
}

/// Calls the subclass's __array_finalize__ unless it is ndarray's or None.
void finalize(PyObject* array, PyObject* parent) {
  static PyObject* name = PyUnicode_InternFromString("__array_finalize__");
  static PyObject* inherited = PyObject_GetAttr(reinterpret_cast<PyObject*>(ndarray_type), name);
  Object hook = owned(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(array)), name));
  if (hook.get() == inherited || hook.get() == Py_None) return;
  owned(PyObject_CallFunctionObjArgs(hook.get(), array, parent ? parent : Py_None, nullptr));
}

/// A view of a view refers to the array that owns the memory, unless an array of another class is in between.
PyObject* view_base(PyObject* parent) {
  PyObject* base = parent;
  while (as_ndarray(base)->base && Py_TYPE(as_ndarray(base)->base) == Py_TYPE(parent)) base = as_ndarray(base)->base;
  return base;
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

PyObject* allocate_ndarray() {
  if (freelist_size == 0) [[unlikely]]
    return checked(ndarray_type_object.tp_alloc(ndarray_type, 0));
  PyObject* object = freelist[--freelist_size];
  _Py_NewReference(object);
  return object;
}

void discard_ndarray(PyObject* object) {
  if (Py_TYPE(object) == ndarray_type && freelist_size < freelist_limit) [[likely]] {
    freelist[freelist_size++] = object;
    return;
  }
  Py_TYPE(object)->tp_free(object);
}

PyObject* wrap(Array array, PyObject* base, bool writeable) {
  return guarded([&] { return fill(allocate_ndarray(), std::move(array), base, writeable); });
}

PyObject* wrap_as(PyTypeObject* type, Array array, PyObject* base, bool writeable, PyObject* parent) {
  if (type == ndarray_type) return wrap(std::move(array), base, writeable);
  return guarded([&] {
    Object result(fill(checked(type->tp_alloc(type, 0)), std::move(array), base, writeable));
    finalize(result.get(), parent);
    return result.release();
  });
}

PyObject* in_class_of(PyObject* parent, PyObject* result) {
  const bool plain = result && Py_TYPE(parent) != ndarray_type &&
                     (Py_TYPE(result) == ndarray_type || PyArray_IsScalar(result, Generic) || is_lazy(result));
  if (!plain) return result;
  return guarded([&] {
    Object held(result);
    static PyObject* to_array = import_attribute("tessera._core", "asarray");
    Object array = owned(PyObject_CallOneArg(to_array, result));
    if (!is_ndarray(array.get())) return held.release();
    const NdArray* made = as_ndarray(array.get());
    return wrap_as(Py_TYPE(parent), made->array, nullptr, made->writeable, parent);
  });
}

PyObject* wrap_view(NdArray* parent, View view) {
  PyObject* object = reinterpret_cast<PyObject*>(parent);
  return wrap_as(Py_TYPE(object), parent->array.with_view(std::move(view)), view_base(object), parent->writeable,
                 object);
}

NdArray* begin_view(NdArray* parent) {
  PyObject* object = allocate_ndarray();
  NdArray* self = as_ndarray(object);
  new (&self->array) Array{parent->array.storage, View{}};
  self->array.view.offset = parent->array.view.offset;
  self->array.view.dtype = parent->array.view.dtype;
  self->base = Py_NewRef(view_base(reinterpret_cast<PyObject*>(parent)));
  self->weakrefs = nullptr;
  self->writeable = parent->writeable;
  self->warns_on_write = parent->warns_on_write;
  return self;
}

NdArray* new_contiguous(const View& like, DType dtype) {
  int64_t step = itemsize(dtype);
  Ref<graph::Version> version = eager::make_settled(like.size() * step);
  NdArray* self = as_ndarray(allocate_ndarray());
  new (&self->array) Array{Ref<graph::Storage>(graph::Storage::make()), View{}};
  self->array.storage->current = std::move(version);
  View& view = self->array.view;
  view.shape = like.shape;
  view.dtype = dtype;
  view.strides.resize_for_overwrite(view.shape.size());
  for (size_t axis = view.shape.size(); axis-- > 0; step *= view.shape[axis]) view.strides[axis] = step;
  if (step == 0) std::fill(view.strides.begin(), view.strides.end(), 0);  // as in View::contiguous
  self->base = nullptr;
  self->weakrefs = nullptr;
  self->writeable = true;
  self->warns_on_write = false;
  return self;
}

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
