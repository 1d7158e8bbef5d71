#include "tessera/bind/flat_iterator.h"

#include <nanobind/nanobind.h>

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/assign.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert.h"
#include "tessera/bind/dims.h"
#include "tessera/bind/elements.h"
#include "tessera/bind/index.h"
#include "tessera/bind/ndarray.h"
#include "tessera/bind/object.h"
#include "tessera/bind/small_assign.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

struct FlatIterator {
  nb::object array;
  int64_t next = 0;
  NdArray* self() const { return as_ndarray(array.ptr()); }
  const View& view() const { return self()->array.view; }
};

/// The byte distance of the element at C-order position i.
int64_t shift_of(const View& view, int64_t i) {
  int64_t shift = 0;
  for (int axis = view.ndim() - 1; axis >= 0; --axis) {
    shift += i % view.shape[axis] * view.strides[axis];
    i /= view.shape[axis];
  }
  return shift;
}

/// The elements as a 1-D array: a view where that is possible, else a copy.
Object flattened(NdArray* self) {
  const View& view = self->array.view;
  Dims shape{view.size()};
  if (auto flat = view.try_reshape(shape)) return owned(wrap_view(self, *flat));
  Array copy = copy_array(self->array, view.dtype, Order::c);
  return owned(wrap(copy.with_view(View::contiguous(shape, view.dtype))));
}

nb::object get_item(FlatIterator& flat, nb::handle key) {
  if (PyLong_CheckExact(key.ptr())) {
    int64_t size = flat.view().size();
    int64_t given = to_int(key.ptr());
    int64_t i = given < 0 ? given + size : given;
    require<IndexError>(i >= 0 && i < size, "index {} is out of bounds for size {}", given, size);
    return nb::steal(checked(load_element(flat.self(), shift_of(flat.view(), i))));
  }
  Object elements = flattened(flat.self());
  Object found = owned(PyObject_GetItem(elements.get(), key.ptr()));
  // What the iterator hands out is a copy always.
  if (!is_ndarray(found.get())) return nb::steal(found.release());
  const Array& array = as_ndarray(found.get())->array;
  return nb::steal(checked(wrap(copy_array(array, array.dtype(), Order::c))));
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
    engine.assign(result.with_view(result.view.slice(0, at, 1, n)), Operand(all.with_view(all.view.slice(0, 0, 1, n))), {});
  }
  return Operand(result);
}

}  // namespace

PyObject* make_flat_iterator(PyObject* ndarray) { return nb::cast(FlatIterator{nb::borrow(ndarray)}).release().ptr(); }

void assign_flat(PyObject* ndarray, PyObject* key, PyObject* value) {
  NdArray* self = as_ndarray(ndarray);
  require<ValueError>(self->writeable, "assignment destination is read-only");
  const View& view = self->array.view;
  Object elements = flattened(self);
  NdArray* flat = as_ndarray(elements.get());
  Object selected = owned(PyObject_GetItem(elements.get(), key));
  int64_t count = is_ndarray(selected.get()) ? as_ndarray(selected.get())->array.size() : 1;
  Operand source = assignment_operand(value, view.dtype);
  Operand spread = repeated(source, count, view.dtype);
  if (!spread.is_scalar() && spread.array.size() == 0) {
    require<ValueError>(count == 0, "Error setting single item of array.");
    return;
  }
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
      .def("__getitem__", get_item)
      .def("__setitem__", [](FlatIterator& flat, nb::handle key, nb::handle value) {
        assign_flat(flat.array.ptr(), key.ptr(), value.ptr());
      })
      .def("__array__", [](const FlatIterator& flat, nb::args, nb::kwargs) {
        nb::object copy = copy_all(flat);
        return nb::steal(checked(to_numpy(copy.ptr())));
      })
      .def("copy", copy_all, "The elements as a 1-D array.")
      .def_prop_ro("base", [](const FlatIterator& flat) { return flat.array; })
      .def_prop_ro("index", [](const FlatIterator& flat) { return flat.next; })
      .def_prop_ro("coords", coordinates);
}

}  // namespace tessera::bind
