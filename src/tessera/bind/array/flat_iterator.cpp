#include "tessera/bind/array/flat_iterator.h"

#include <nanobind/nanobind.h>

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/index.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/scalar/elements.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

struct FlatIterator {
  nb::object array;
  int64_t next = 0;
  NdArray* self() const { return as_ndarray(array.ptr()); }
  const View& view() const { return self()->array.view; }
};

/// The byte offset of the element at C-order position i.
int64_t shift_of(const View& view, int64_t i) {
  int64_t shift = 0;
  for (int axis = view.ndim() - 1; axis >= 0; --axis) {
    shift += i % view.shape[axis] * view.strides[axis];
    i /= view.shape[axis];
  }
  return shift;
}

/// The elements as a 1-D array: a view where possible, else a copy.
Object flat_elements(NdArray* self) {
  const View& view = self->array.view;
  Dims shape{view.size()};
  if (auto flat = view.try_reshape(shape)) return owned(wrap_view(self, *flat));
  Array copy = copy_array(self->array, view.dtype, Order::c);
  return owned(wrap(copy.with_view(View::contiguous(shape, view.dtype))));
}

void warn_deprecated(const char* message) { checked(PyErr_WarnEx(PyExc_DeprecationWarning, message, 1)); }

/// A list as an index: lists of booleans are rejected, floats are truncated to integers as in NumPy.
Object list_key(PyObject* list) {
  bool all_bool = PyList_GET_SIZE(list) > 0, any_float = false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    all_bool &= PyBool_Check(PyList_GET_ITEM(list, i));
    any_float |= PyFloat_Check(PyList_GET_ITEM(list, i));
  }
  require<IndexError>(!all_bool,
                      "boolean indices for iterators are not supported because of ambiguity: use a boolean array");
  if (any_float) warn_deprecated("Invalid non-array indices for iterator objects are deprecated and will be removed.");
  Array numbers;
  if (to_array(list, DType::int64, numbers) == Conversion::foreign) throw IndexError("unsupported iterator index");
  return owned(wrap(std::move(numbers)));
}

/// Resolves the key against the elements as one axis, with the flat iterator's error messages.
Object flat_key(PyObject* key, int64_t size) {
  if (PyTuple_Check(key)) {
    require<IndexError>(PyTuple_GET_SIZE(key) < 2,
                        "too many indices for flat iterator: flat iterator is 1-dimensional, but {} were indexed",
                        PyTuple_GET_SIZE(key));
    return PyTuple_GET_SIZE(key) == 0 ? Object::borrowed(Py_Ellipsis) : flat_key(PyTuple_GET_ITEM(key, 0), size);
  }
  require<IndexError>(key != Py_None,
                      "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices");
  if (PyBool_Check(key)) {
    warn_deprecated("0-dimensional boolean index is deprecated for flat iterators");
    Object stop = owned(PyLong_FromLong(key == Py_True));
    return owned(PySlice_New(nullptr, stop.get(), nullptr));
  }
  if (PyList_Check(key)) return list_key(key);
  if (is_ndarray(key) && is_boolean(as_ndarray(key)->array.dtype())) {
    int64_t given = as_ndarray(key)->array.size();
    require<IndexError>(
        given == size,
        "boolean index did not match indexed flat iterator along axis 0; size of axis is {} but size of "
        "corresponding boolean axis is {}",
        size, given);
  }
  return Object::borrowed(key);
}

nb::object get_flat_item(FlatIterator& flat, nb::handle given_key) {
  Object kept = flat_key(given_key.ptr(), flat.view().size());
  nb::handle key(kept.get());
  if (PyLong_CheckExact(key.ptr())) {
    int64_t size = flat.view().size();
    int64_t given = to_int(key.ptr());
    int64_t i = given < 0 ? given + size : given;
    require<IndexError>(i >= 0 && i < size, "index {} is out of bounds for size {}", given, size);
    return nb::steal(checked(load_element(flat.self(), shift_of(flat.view(), i))));
  }
  Object elements = flat_elements(flat.self());
  Object found = owned(PyObject_GetItem(elements.get(), key.ptr()));
  // The iterator always returns a copy.
  if (!is_ndarray(found.get())) return nb::steal(found.release());
  const Array& array = as_ndarray(found.get())->array;
  PyObject* parent = flat.array.ptr();
  return nb::steal(
      checked(wrap_as(Py_TYPE(parent), copy_array(array, array.dtype(), Order::c), nullptr, true, parent)));
}

nb::object next_item(FlatIterator& flat) {
  if (flat.next >= flat.view().size()) throw nb::stop_iteration();
  return nb::steal(checked(load_element(flat.self(), shift_of(flat.view(), flat.next++))));
}

nb::tuple coordinates(const FlatIterator& flat) {
  const View& view = flat.view();
  Dims at(static_cast<size_t>(view.ndim()));
  int64_t i = flat.next;
  for (int axis = view.ndim() - 1; axis >= 0 && view.shape[axis] > 0; --axis) {
    at[axis] = axis == 0 ? i : i % view.shape[axis];
    i /= view.shape[axis];
  }
  return nb::steal<nb::tuple>(make_tuple(at));
}

nb::object copy_all(const FlatIterator& flat) {
  Array copy = copy_array(flat.self()->array, flat.view().dtype, Order::c);
  return nb::steal(checked(wrap(copy.with_view(View::contiguous(Dims{flat.view().size()}, flat.view().dtype)))));
}

/// NumPy's array of the elements: a view when they are contiguous in C order, else a read-only copy.
nb::object as_numpy(const FlatIterator& flat) {
  if (!flat.view().is_c_contiguous()) {
    nb::object copy = copy_all(flat);
    as_ndarray(copy.ptr())->writeable = false;
    return nb::steal(checked(to_numpy(copy.ptr())));
  }
  Object all = flat_elements(flat.self());
  return nb::steal(checked(to_numpy(all.get())));
}

/// The value as exactly `count` elements, repeated from its start.
Operand repeated(const Operand& value, int64_t count, DType dtype) {
  if (value.is_scalar() || value.array.size() == 1 || value.array.size() == 0) return value;
  Engine& engine = Engine::instance();
  int64_t given = value.array.size();
  Array source = engine.contiguous(value.array, dtype);
  Array all = source.with_view(View::contiguous(Dims{given}, dtype));
  if (given == count) return Operand(all);
  Array result = engine.empty(Dims{count}, dtype);
  for (int64_t at = 0; at < count; at += given) {
    int64_t n = std::min(given, count - at);
    engine.assign(result.with_view(result.view.slice(0, at, 1, n)), Operand(all.with_view(all.view.slice(0, 0, 1, n))),
                  {});
  }
  return Operand(result);
}

}  // namespace

PyObject* make_flat_iterator(PyObject* ndarray) { return nb::cast(FlatIterator{nb::borrow(ndarray)}).release().ptr(); }

/// NumPy uses the same message for every failure here.
static Operand operand_of_one(PyObject* value, DType dtype) {
  constexpr const char* failure = "Error setting single item of array.";
  try {
    return single_operand(value, dtype);
  } catch (const ErrorAlreadySet&) {
    PyErr_Clear();
    throw ValueError(failure);
  } catch (const Error&) {
    throw ValueError(failure);
  }
}

void assign_flat(PyObject* ndarray, PyObject* given_key, PyObject* value) {
  NdArray* self = as_ndarray(ndarray);
  require<IndexError>(!PyTuple_Check(given_key) || PyTuple_GET_SIZE(given_key) > 0,
                      "Assigning to a flat iterator with a 0-D index is not supported");
  Object kept = flat_key(given_key, self->array.size());
  PyObject* key = kept.get();
  require_writeable(self, "assignment destination is read-only");
  const View& view = self->array.view;
  Object elements = flat_elements(self);
  NdArray* flat = as_ndarray(elements.get());
  Object selected = owned(PyObject_GetItem(elements.get(), key));
  int64_t count = is_ndarray(selected.get()) ? as_ndarray(selected.get())->array.size() : 1;
  const bool is_one = PyIndex_Check(key) && !is_ndarray(key) && !PyArray_Check(key);
  Operand source = is_one ? operand_of_one(value, view.dtype) : assignment_operand(value, view.dtype);
  if (!source.is_scalar() && source.array.size() == 0)
    return;  // as in NumPy: an empty value writes nothing, however many positions there are
  if (!source.is_scalar() && source.dtype() != view.dtype)
    source = Operand(copy_array(source.array, view.dtype, Order::k));
  Operand spread = repeated(source, count, view.dtype);
  if (!spread.is_scalar() && spread.array.size() == 0) return;
  Object whole(spread.is_scalar() ? wrap(Engine::instance().full({}, spread.scalar)) : wrap(spread.array));
  checked(PyObject_SetItem(elements.get(), key, checked(whole.get())));
  if (flat->array.storage == self->array.storage) return;
  View shaped = View::contiguous(view.shape, view.dtype);
  Engine::instance().assign(self->array, Operand(flat->array.with_view(shaped)), {});
}

void bind_flat_iterator(nb::module_& m) {
  nb::class_<FlatIterator>(m, "flatiter", "An array's elements in C order, one after the other.")
      .def("__iter__", [](nb::object self) { return self; })
      .def("__next__", next_item)
      .def("__len__", [](const FlatIterator& flat) { return flat.view().size(); })
      .def("__getitem__", get_flat_item, nb::arg("key").none())
      .def(
          "__setitem__",
          [](FlatIterator& flat, nb::handle key, nb::handle value) {
            assign_flat(flat.array.ptr(), key.ptr(), value.ptr());
          },
          nb::arg("key").none(), nb::arg("value").none())
      .def(
          "__delitem__", [](const FlatIterator&, nb::handle) { throw TypeError("Cannot delete iterator elements"); },
          nb::arg("key").none())
      .def("__array__", [](const FlatIterator& flat, nb::args, nb::kwargs) { return as_numpy(flat); })
      .def("copy", copy_all, "The elements as a 1-D array.")
      .def_prop_ro("base", [](const FlatIterator& flat) { return flat.array; })
      .def_prop_ro("index", [](const FlatIterator& flat) { return flat.next; })
      .def_prop_ro("coords", coordinates);
}

}  // namespace tessera::bind
