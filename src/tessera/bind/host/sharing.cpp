#include "tessera/base/error.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"

namespace tessera::bind {

namespace {

/// Whether the arrays share a storage. Copies share a version until one of them is written, which must not be visible;
/// nothing where addresses decide.
std::optional<bool> share_storage(PyObject* a, PyObject* b) {
  if (!is_ndarray(a) || !is_ndarray(b)) return {};
  const Array &x = as_ndarray(a)->array, &y = as_ndarray(b)->array;
  if (x.storage == y.storage) return true;
  if (x.storage->current == y.storage->current) return false;
  return {};
}

/// The bytes of an object as a view whose offset is an address, or is relative to its storage (`within`); nothing when
/// it is not an array.
std::optional<View> byte_view(PyObject* object, bool within) {
  View view;
  if (is_ndarray(object)) {
    const Array& array = as_ndarray(object)->array;
    view = array.view;
    if (!within) view.offset = reinterpret_cast<int64_t>(Engine::instance().read(array));
    return view;
  }
  if (!PyArray_Check(object)) return {};
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  // Elements may have any size, so the bytes of an element form one more axis.
  view.dtype = DType::uint8;
  view.offset = reinterpret_cast<int64_t>(PyArray_DATA(array));
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    view.shape.push_back(PyArray_DIM(array, axis));
    view.strides.push_back(PyArray_STRIDE(array, axis));
  }
  view.shape.push_back(PyArray_ITEMSIZE(array));
  view.strides.push_back(1);
  return view;
}

bool bounds_meet(const View& a, const View& b) {
  auto [a_low, a_high] = a.byte_range();
  auto [b_low, b_high] = b.byte_range();
  return a_low < a_high && b_low < b_high && a_low < b_high && b_low < a_high;
}

/// max_work: 0 compares bounds only, -1 (or None here) decides exactly.
PyObject* share(const char* name, int64_t default_work, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call(name, args, nargs, names, [&](Arguments& arguments) {
    PyObject *first = arguments.needed(0, "a"), *second = arguments.needed(1, "b"),
             *work_object = arguments.at(2, "max_work");
    arguments.finish(3);
    const std::optional<bool> one_storage = share_storage(first, second);
    if (one_storage == false) Py_RETURN_FALSE;
    std::optional<View> a = byte_view(first, one_storage == true), b = byte_view(second, one_storage == true);
    int64_t work = is_none(work_object) ? default_work : to_int(work_object);
    if (!a || !b) throw ForeignArgument{};
    require<ValueError>(work >= -1, "Invalid value for max_work");
    if (work == 0) return PyBool_FromLong(bounds_meet(*a, *b));
    std::optional<bool> shared = shares_memory(*a, *b, work < 0 ? INT64_MAX : work);
    if (!shared && default_work == 0) return PyBool_FromLong(1);
    if (!shared) {
      Object error(import_attribute("numpy.exceptions", "TooHardError"));
      PyErr_SetString(error.get(), "Exceeded max_work");
      throw ErrorAlreadySet();
    }
    return PyBool_FromLong(*shared);
  });
}

PyObject* shares_memory_of(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return share("shares_memory", -1, args, nargs, names);
}

PyObject* may_share_memory(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return share("may_share_memory", 0, args, nargs, names);
}

}  // namespace

std::vector<PyMethodDef> sharing_methods() {
  return {host_method("shares_memory", shares_memory_of, "Whether two arrays have a byte in common."),
          host_method("may_share_memory", may_share_memory, "Whether two arrays might have a byte in common.")};
}

}  // namespace tessera::bind
