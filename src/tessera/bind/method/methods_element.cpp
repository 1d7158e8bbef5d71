#include <algorithm>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/index.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/eager/host_array.h"

namespace tessera::bind {

namespace {

PyObject* copy(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    if (nargs == 0 && !names && Py_TYPE(self) == ndarray_type && !eager::readable(as_ndarray(self)->array)) {
      const Array& pending = as_ndarray(self)->array;
      return wrap_made([&] { return Engine::instance().copy(pending, pending.dtype(), Order::c); });
    }
    Arguments arguments("copy", args, nargs, names);
    Order order = to_order(arguments.at(0, "order"), Order::c);
    arguments.finish(1);
    const Array& array = as_ndarray(self)->array;
    if (order != Order::f) {
      if (PyObject* quick = try_small_copy(self, array.dtype())) return quick;
    }
    Array result = copy_array(array, array.dtype(), settled_order(order, array.view));
    return wrap_as(Py_TYPE(self), std::move(result), nullptr, true, self);
  });
}

Casting astype_casting(PyObject* object) {
  if (is_none(object)) return Casting::unsafe;
  static const std::pair<const char*, Casting> table[] = {{"no", Casting::no},
                                                          {"equiv", Casting::equiv},
                                                          {"safe", Casting::safe},
                                                          {"same_kind", Casting::same_kind},
                                                          {"unsafe", Casting::unsafe}};
  for (const auto& [name, casting] : table) {
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, name) == 0) return casting;
  }
  throw ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', or 'same_value'");
}

bool suits(const View& view, Order order) {
  switch (order) {
    case Order::c: return view.is_c_contiguous();
    case Order::f: return view.is_f_contiguous();
    case Order::a:
    case Order::k: return true;
  }
  std::unreachable();
}

bool copies_always(PyObject* copies) {
  static constinit Imported mode("numpy", "_CopyMode");
  require<ValueError>(reinterpret_cast<PyObject*>(Py_TYPE(copies)) != mode,
                      "_CopyMode enum is not allowed for astype function. Use true/false instead.");
  return PyObject_IsTrue(copies);
}

PyObject* astype(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&]() -> PyObject* {
    Arguments arguments("astype", args, nargs, names);
    PyObject* dtype = arguments.needed(0, "dtype");
    Order order = to_order(arguments.at(1, "order"), Order::k);
    PyObject* casting_name = arguments.at(2, "casting");
    PyObject* subclasses = arguments.at(3, "subok");
    PyObject* copies = arguments.at(4, "copy");
    arguments.take("device");
    arguments.finish(5);
    const Array& array = as_ndarray(self)->array;
    std::optional<DType> to = dtype == Py_None ? DType::float64 : to_dtype(dtype);
    if (!to) {
      // Dates, strings, objects and records are handled by NumPy.
      Object numpy = owned(to_numpy(self));
      Object method = owned(PyObject_GetAttrString(numpy.get(), "astype"));
      return PyObject_Vectorcall(method.get(), args, static_cast<size_t>(nargs), names);
    }
    Casting casting = astype_casting(casting_name);
    require<TypeError>(can_cast(array.dtype(), *to, casting),
                       "Cannot cast array data from dtype('{}') to dtype('{}') "
                       "according to the rule '{}'",
                       array.dtype(), *to, casting_name ? PyUnicode_AsUTF8(casting_name) : "unsafe");
    const bool plain = subclasses && PyObject_IsTrue(subclasses) == 0;
    bool always = !copies || copies_always(copies);
    if (!always && *to == array.dtype() && suits(array.view, order)) {
      return plain && is_derived(self) ? wrap(array, self, as_ndarray(self)->writeable) : Py_NewRef(self);
    }
    warn_when_complex_is_cut(array.dtype(), *to);
    if (order != Order::f && !plain) {
      if (PyObject* quick = try_small_copy(self, *to)) return quick;
    }
    Array result = copy_array(array, *to, settled_order(order, array.view));
    return wrap_as(plain ? ndarray_type : Py_TYPE(self), std::move(result), nullptr, true, self);
  });
}

/// The byte offset of the element selected by item()'s arguments.
int64_t item_shift(const View& view, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs == 0) {
    require<ValueError>(view.size() == 1, "can only convert an array of size 1 to a Python scalar");
    return 0;
  }
  int64_t shift = 0;
  if (nargs == 1 && !PyTuple_Check(args[0])) {
    int64_t given = to_int(args[0]);
    int64_t i = given < 0 ? given + view.size() : given;
    require<IndexError>(i >= 0 && i < view.size(), "index {} is out of bounds for size {}", given, view.size());
    for (int axis = view.ndim() - 1; axis >= 0; --axis) {
      shift += i % view.shape[axis] * view.strides[axis];
      i /= view.shape[axis];
    }
    return shift;
  }
  Dims at;
  if (nargs == 1) {
    at = to_dims(args[0]);
  } else {
    for (Py_ssize_t k = 0; k < nargs; ++k) at.push_back(to_int(args[k]));
  }
  require<ValueError>(static_cast<int>(at.size()) == view.ndim(), "incorrect number of indices for array");
  for (int axis = 0; axis < view.ndim(); ++axis)
    shift += wrap_index(at[axis], axis, view.shape[axis]) * view.strides[axis];
  return shift;
}

PyObject* item(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    Array element = as_ndarray(self)->array;
    element.view.offset += item_shift(element.view, args, nargs);
    element.view.shape = element.view.strides = {};
    return make_python_scalar(element.dtype(), read_nearby(element));
  });
}

/// Fills the list for the most common dtypes without a dispatch for each element.
bool fill_list(PyObject* list, const View& view, const char* start) {
  int64_t n = view.shape.back();
  int64_t stride = view.strides.back();
  if (view.dtype == DType::float64) {
    for (int64_t i = 0; i < n; ++i) {
      double value;
      std::memcpy(&value, start + i * stride, sizeof value);
      PyList_SET_ITEM(list, i, checked(PyFloat_FromDouble(value)));
    }
    return true;
  }
  if (view.dtype == DType::int64) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t value;
      std::memcpy(&value, start + i * stride, sizeof value);
      PyList_SET_ITEM(list, i, checked(PyLong_FromLongLong(value)));
    }
    return true;
  }
  return false;
}

/// complex(a) for an array of one element.
PyObject* complex_number(PyObject* self, PyObject*) {
  return guarded([&] {
    if (as_ndarray(self)->array.ndim() != 0) {
      Object numpy = owned(to_numpy(self));
      return PyObject_CallMethod(numpy.get(), "__complex__", nullptr);
    }
    Object element = owned(load_element(as_ndarray(self), 0));
    return PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), element.get(), nullptr);
  });
}

PyObject* nested_list(const View& view, const char* start, int axis) {
  if (axis == view.ndim()) return checked(make_python_scalar(view.dtype, start));
  Object list = owned(PyList_New(view.shape[axis]));
  if (axis == view.ndim() - 1 && fill_list(list.get(), view, start)) return list.release();
  for (int64_t i = 0; i < view.shape[axis]; ++i) {
    PyList_SET_ITEM(list.get(), i, nested_list(view, start + i * view.strides[axis], axis + 1));
  }
  return list.release();
}

PyObject* tolist(PyObject* self, PyObject*) {
  return guarded([&] {
    Array array = as_ndarray(self)->array;  // keeps the memory alive while objects are created
    const char* start = read_nearby(array);
    return nested_list(array.view, start, 0);
  });
}

PyObject* fill(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("fill", args, nargs, names);
    PyObject* value = arguments.needed(0, "value");
    arguments.finish(1);
    require_writeable(as_ndarray(self), "assignment destination is read-only");
    const Array target = as_ndarray(self)->array;
    const Operand element = single_operand(value, target.dtype());
    if (!try_small_assign(target, element)) record_assign(target, element);
    return Py_NewRef(Py_None);
  });
}

PyObject* tobytes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("tobytes", args, nargs, names);
    Order order = to_order(arguments.at(0, "order"), Order::c);
    arguments.finish(1);
    const Array& array = as_ndarray(self)->array;
    order = settled_order(order, array.view);
    bool direct = order == Order::c ? array.view.is_c_contiguous() : order == Order::f && array.view.is_f_contiguous();
    Array packed = direct ? array : copy_array(array, array.dtype(), order);
    return PyBytes_FromStringAndSize(read_nearby(packed), array.size() * array.view.itemsize());
  });
}

PyObject* setflags(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("setflags", args, nargs, names);
    PyObject* write = arguments.at(0, "write");
    arguments.at(1, "align");
    PyObject* writeback = arguments.at(2, "uic");
    arguments.finish(3);
    require<ValueError>(is_none(writeback) || writeback == Py_False, "cannot set WRITEBACKIFCOPY flag to True");
    if (!is_none(write)) set_writeable(self, PyObject_IsTrue(write));
    return Py_NewRef(Py_None);
  });
}

Dims resize_shape(PyObject* const* args, Py_ssize_t nargs) {
  Dims shape;
  if (nargs == 1) {
    shape = to_dims(args[0]);
  } else {
    for (Py_ssize_t k = 0; k < nargs; ++k) shape.push_back(to_int(args[k]));
  }
  for (int64_t extent : shape) require<ValueError>(extent >= 0, "all elements of `new_shape` must be non-negative");
  return shape;
}

/// Throws when the array is shared: resizing moves its elements, so no view, other reference or weak reference may
/// exist.
void check_unshared(PyObject* self) {
  bool shared = Py_REFCNT(self) > 2 || as_ndarray(self)->weakrefs || as_ndarray(self)->array.storage->references() > 1;
  require<ValueError>(!shared,
                      "cannot resize an array that references or is referenced\nby another array in this way.\n"
                      "Use the np.resize function or refcheck=False");
}

Array resized(const Array& source, const Dims& shape) {
  DType dtype = source.dtype();
  Array flat = copy_array(source, dtype, Order::c);
  flat.view = View::contiguous(Dims{flat.size()}, dtype);
  Array result = Engine::instance().full(shape, Scalar::of_int(DType::int64, 0).cast_to(dtype));
  int64_t kept = std::min(flat.size(), result.size());
  View target = View::contiguous(Dims{result.size()}, dtype).slice(0, 0, 1, kept);
  Engine::instance().assign(result.with_view(target), Operand(flat.with_view(flat.view.slice(0, 0, 1, kept))), {});
  return result;
}

/// In place, unlike numpy.resize: new elements are zeros.
PyObject* resize(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("resize", args, nargs, names);
    PyObject* refcheck = arguments.take("refcheck");
    arguments.finish();
    bool checks = !refcheck || refcheck == Py_True || (refcheck != Py_False && to_int(refcheck) != 0);
    if (nargs == 0 || (nargs == 1 && args[0] == Py_None)) return Py_NewRef(Py_None);
    Dims shape = resize_shape(args, nargs);
    Array& array = as_ndarray(self)->array;
    int64_t size = checked_size(shape, array.view.itemsize());
    require<ValueError>(array.view.is_c_contiguous() || array.view.is_f_contiguous(),
                        "resize only works on single-segment arrays");
    if (size == array.size()) {
      array.view = array.view.try_reshape(shape, array.view.is_c_contiguous() ? Order::c : Order::f).value();
      return Py_NewRef(Py_None);
    }
    require<ValueError>(!as_ndarray(self)->base, "cannot resize this array: it does not own its data");
    if (checks) check_unshared(self);
    array = resized(array, shape);
    return Py_NewRef(Py_None);
  });
}

#define TESSERA_METHOD(name, doc)                                                                                \
  PyMethodDef {                                                                                                  \
    #name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(name)), METH_FASTCALL | METH_KEYWORDS, doc \
  }

const PyMethodDef methods_of_elements[] = {
    TESSERA_METHOD(astype, "A copy with the elements converted."),
    TESSERA_METHOD(copy, "A copy of the elements."),
    {"item", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(item)), METH_FASTCALL,
     "One element as a Python object."},
    {"__complex__", complex_number, METH_NOARGS, "The only element as a Python complex number."},
    {"tolist", tolist, METH_NOARGS, "The elements as nested lists of Python objects."},
    TESSERA_METHOD(fill, "Sets every element to one value."),
    TESSERA_METHOD(tobytes, "The elements' bytes."),
    TESSERA_METHOD(setflags, "Makes the array writeable or read-only."),
    TESSERA_METHOD(resize, "Changes the shape in place; new elements are zeros."),
};

}  // namespace

std::span<const PyMethodDef> element_methods() { return methods_of_elements; }

}  // namespace tessera::bind
