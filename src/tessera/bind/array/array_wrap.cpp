#include "tessera/bind/array/array_wrap.h"

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace tessera::bind {

namespace {

constexpr double plain_priority = 0;  // the priority of NumPy's own array

/// The attribute of the object's class when it differs from ndarray's; borrowed, null for none.
PyObject* own_attribute(PyObject* object, PyObject* name) {
  PyObject* found = _PyType_Lookup(Py_TYPE(object), name);
  return found == _PyType_Lookup(ndarray_type, name) ? nullptr : found;
}

PyObject* own_wrap(PyObject* object) {
  static constinit Interned name("__array_wrap__");
  return own_attribute(object, name);
}

double priority_of(PyObject* object) {
  static constinit Interned name("__array_priority__");
  if (!own_attribute(object, name)) return plain_priority;
  Object value(PyObject_GetAttr(object, name));
  const double priority = value ? PyFloat_AsDouble(value.get()) : plain_priority;
  if (!PyErr_Occurred()) return priority;
  PyErr_Clear();
  return plain_priority;
}

bool is_plain(PyObject* object) {
  return Py_TYPE(object) == ndarray_type || PyArray_Check(object) || PyArray_IsAnyScalar(object) ||
         PyList_CheckExact(object) || PyTuple_CheckExact(object);
}

PyObject* call_wrap(PyObject* wrapper, PyObject* array, const WrapContext& context, bool scalar) {
  static constinit Interned name("__array_wrap__");
  Object method = owned(PyObject_GetAttr(wrapper, name));
  Object told = owned(Py_BuildValue("(OOi)", context.ufunc, context.arguments, context.output));
  return checked(PyObject_CallFunctionObjArgs(method.get(), array, told.get(), scalar ? Py_True : Py_False, nullptr));
}

}  // namespace

PyObject* find_wrapper(PyObject* const* operands, size_t count) {
  PyObject* best = nullptr;
  double highest = 0;
  bool any_plain = false;
  for (size_t k = 0; k < count; ++k) {
    PyObject* operand = operands[k];
    if (Py_TYPE(operand) == ndarray_type) any_plain = true;
    if (is_plain(operand) || (!is_ndarray(operand) && !own_wrap(operand))) continue;
    const double priority = priority_of(operand);
    if (best && priority <= highest) continue;
    best = operand;
    highest = priority;
  }
  return best && any_plain && highest < plain_priority ? nullptr : best;
}

bool has_own_wrap(PyObject* object) {
  return Py_TYPE(object) != ndarray_type && is_ndarray(object) && own_wrap(object);
}

PyObject* wrap_in_class(PyObject* wrapper, Array result, const WrapContext& context) {
  if (is_ndarray(wrapper) && !own_wrap(wrapper))
    return checked(wrap_as(Py_TYPE(wrapper), std::move(result), nullptr, true, wrapper));
  const bool scalar = result.ndim() == 0 && context.may_be_scalar;
  Object array = owned(wrap(std::move(result)));
  return call_wrap(wrapper, array.get(), context, scalar);
}

PyObject* wrap_output(PyObject* out, const WrapContext& context) { return call_wrap(out, out, context, false); }

PyObject* in_class_of(PyObject* parent, PyObject* result) {
  const bool plain = result && Py_TYPE(parent) != ndarray_type &&
                     (Py_TYPE(result) == ndarray_type || PyArray_IsScalar(result, Generic) || is_lazy(result));
  if (!plain) return result;
  return guarded([&] {
    Object held(result);
    static constinit Imported to_array("tessera._core", "asarray");
    Object array = owned(PyObject_CallOneArg(to_array, result));
    if (!is_ndarray(array.get())) return held.release();
    const NdArray* made = as_ndarray(array.get());
    return wrap_as(Py_TYPE(parent), made->array, nullptr, made->writeable, parent);
  });
}

}  // namespace tessera::bind
