#include "tessera/bind/array/array_attribute.h"

#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace tessera::bind {

namespace {

constexpr const char* needs_copy_keyword =
    "__array__ implementation doesn't accept a copy keyword, so passing copy=%s failed. __array__ must implement "
    "'dtype' and 'copy' "
    "keyword arguments. To learn more, see the migration guide "
    "https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword";

/// Whether the object is of a built-in Python type, which has no array attributes.
bool is_builtin(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &PyList_Type || type == &PyTuple_Type || type == &PyFloat_Type || type == &PyLong_Type ||
         type == &PyBool_Type || type == &PyComplex_Type || type == &PyUnicode_Type || type == &PyBytes_Type ||
         type == &PyDict_Type || type == &PySet_Type || object == Py_None || PyType_Check(object);
}

Object attribute(PyObject* object, PyObject* name) {
  Object found(PyObject_GetAttr(object, name));
  if (found) return found;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw ErrorAlreadySet();
  PyErr_Clear();
  return found;
}

/// Whether the current error is a TypeError because `__array__` takes no copy keyword.
bool refuses_copy_keyword() {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Object text(value ? PyObject_Str(value) : nullptr);
  const bool refused = text && std::strstr(PyUnicode_AsUTF8(text.get()), "got an unexpected keyword argument 'copy'");
  PyErr_Restore(type, value, traceback);
  return refused;
}

/// Calls `method(dtype, copy=copy)`; a null `copy` is left out.
Object call(PyObject* method, PyObject* dtype, PyObject* copy) {
  Object args = owned(is_none(dtype) ? PyTuple_New(0) : PyTuple_Pack(1, dtype));
  Object options = copy ? owned(Py_BuildValue("{sO}", "copy", copy)) : Object();
  return Object(PyObject_Call(method, args.get(), options.get()));
}

/// Whether the current error is NumPy's refusal of an `__array__` that returned a tessera array.
bool is_refusal_of_own() {
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) return false;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Object text(value ? PyObject_Str(value) : nullptr);
  const bool refusal = text && std::strstr(PyUnicode_AsUTF8(text.get()), "__array__ method not producing an array");
  PyErr_Restore(type, value, traceback);
  return refusal;
}

}  // namespace

bool describes_memory(PyObject* object) {
  static constinit Interned structure("__array_struct__"), interface("__array_interface__");
  if (PyObject_CheckBuffer(object)) return true;
  return !is_builtin(object) && (attribute(object, structure) || attribute(object, interface));
}

GivenArray array_given_by(PyObject* object, PyObject* dtype, CopyChoice mode) {
  static constinit Interned name("__array__");
  if (is_builtin(object) || is_ndarray(object) || is_lazy(object) || PyArray_Check(object) ||
      PyArray_IsScalar(object, Generic))
    return {};
  if (describes_memory(object)) return {};
  Object method = attribute(object, name);
  if (!method) return {};
  PyObject* copy = mode == CopyChoice::if_needed ? nullptr : mode == CopyChoice::always ? Py_True : Py_False;
  bool is_copy = mode == CopyChoice::always;
  // dtype= accepts many spellings of one dtype; `__array__` receives the dtype object.
  Object wanted;
  if (!is_none(dtype)) wanted = owned(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyArrayDescr_Type), dtype));
  Object array = call(method.get(), wanted.get(), copy);
  if (!array && copy && refuses_copy_keyword()) {
    PyErr_Clear();
    checked(PyErr_WarnFormat(PyExc_DeprecationWarning, 1, needs_copy_keyword, is_copy ? "True" : "False"));
    if (!is_copy) refuse_copy();
    is_copy = false;
    array = call(method.get(), wanted.get(), nullptr);
  }
  if (!array) throw ErrorAlreadySet();
  if (array.get() == Py_NotImplemented) return {};
  require<ValueError>(is_ndarray(array.get()) || PyArray_Check(array.get()),
                      "object __array__ method not producing an array");
  return {std::move(array), is_copy};
}

Object read_by_numpy(PyObject* object, PyObject* descriptor, int flags, int most_axes) {
  Object kept = Object::borrowed(descriptor);
  auto read = [&](PyObject* from) {
    return PyArray_FromAny(from, reinterpret_cast<PyArray_Descr*>(Py_XNewRef(kept.get())), 0, most_axes, flags,
                           nullptr);
  };
  if (PyObject* array = read(object)) return Object(array);
  if (!is_refusal_of_own()) throw ErrorAlreadySet();
  PyErr_Clear();
  static constinit Imported on_host("tessera._array_likes", "on_host");
  Object replaced = owned(PyObject_CallOneArg(on_host, object));
  return owned(read(replaced.get()));
}

void refuse_copy() {
  throw ValueError(
      "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, copy=False)` replace "
      "it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy 1.x).\nFor more "
      "details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword.");
}

}  // namespace tessera::bind
