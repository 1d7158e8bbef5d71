#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/follow_assign.h"
#include "tessera/bind/index/index.h"
#include "tessera/bind/index/index_fancy.h"
#include "tessera/bind/index/small_index.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/eager/unsteady_sites.h"

namespace tessera::bind {

namespace {

/// Converts a negative index to count from the front; false when it is out of range or did not fit a machine word.
bool count_from_end(Py_ssize_t& i, int64_t extent) {
  if (i == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
  i += extent;
  return i >= 0;
}

/// Whether the key may select one element: a key that begins with a slice does not.
bool begins_with_int(PyObject* key) {
  PyObject* first = PyTuple_CheckExact(key) && PyTuple_GET_SIZE(key) > 0 ? PyTuple_GET_ITEM(key, 0) : key;
  return PyLong_CheckExact(first);
}

/// The byte offset of element `key` from the view's first element, when the key is one int for each axis and in range.
bool find_element(const View& view, PyObject* key, int64_t& shift) {
  if (PyTuple_CheckExact(key)) {
    auto count = PyTuple_GET_SIZE(key);
    if (count != view.ndim()) return false;
    shift = 0;
    for (int axis = 0; axis < count; ++axis) {
      PyObject* item = PyTuple_GET_ITEM(key, axis);
      if (!PyLong_CheckExact(item)) return false;
      Py_ssize_t i = PyLong_AsSsize_t(item);
      if (i < 0 && !count_from_end(i, view.shape[axis])) return false;
      if (i >= view.shape[axis]) return false;
      shift += i * view.strides[axis];
    }
    return true;
  }
  if (view.ndim() != 1 || !PyLong_CheckExact(key)) return false;
  Py_ssize_t i = PyLong_AsSsize_t(key);
  if (i < 0 && !count_from_end(i, view.shape[0])) return false;
  if (i >= view.shape[0]) return false;
  shift = i * view.strides[0];
  return true;
}

PyObject* subscript(PyObject* object, PyObject* key) {
  return guarded([&]() -> PyObject* {
    NdArray* self = as_ndarray(object);
    const View& view = self->array.view;
    int64_t shift;
    if (begins_with_int(key) && find_element(view, key, shift)) return load_element(self, shift);
    if (view.ndim() > 0) {
      if (Py_TYPE(key) == ndarray_type) {
        if (PyObject* quick = try_small_pick(self, key)) return quick;
      } else if (PyObject* quick = try_quick_view(self, key)) {
        return quick;
      }
    }
    ParsedIndex index = parse_index(key, view.ndim());
    if (!index.is_basic()) return wrap_as(Py_TYPE(object), gather_fancy(self->array, index), nullptr, true, object);
    View result = apply_basic(index, view);
    if (index.all_integers) {
      // A 0-d array is a scalar, for which waiting may be postponed.
      if (view.ndim() == 0 && may_be_lazy(self->array))
        return checked(try_lazy_scalar(copy_array(self->array, view.dtype, Order::k)));
      return load_element(self, result.offset - view.offset);
    }
    if (!index.copies) return wrap_view(self, std::move(result));
    Array copy = copy_array(self->array.with_view(std::move(result)), view.dtype, Order::c);
    return wrap_as(Py_TYPE(object), std::move(copy), nullptr, true, object);
  });
}

/// Assigns value to self's element at byte `offset` of the storage.
void assign_single(NdArray* self, int64_t offset, PyObject* value) {
  const DType dtype = self->array.dtype();
  if (!is_ndarray(value)) [[likely]] {
    if (char* start = eager::writable(self->array)) [[likely]]
      return store_element(start + offset, dtype, value);
    if (!pending_scalar(value)) return assign_element(self->array, offset, value);
  } else {
    require_no_axes(as_ndarray(value)->array.view, dtype);
  }
  assign_value(Array{self->array.storage, View{.offset = offset, .dtype = dtype}}, value);
}

/// Stores a row into one of its shape at once where plans for this site are never found again.
[[gnu::noinline]] bool try_unsteady_assign(const Array& target, PyObject* value) {
  constexpr int64_t most = eager::UnsteadySites::most_elements;
  if (target.ndim() != 1 || target.size() > most || Py_TYPE(value) != ndarray_type) return false;
  const Array& source = as_ndarray(value)->array;
  if (source.dtype() != target.dtype() || !(source.shape() == target.shape())) return false;
  if (!eager::UnsteadySites::instance().take_turn(call_site())) return false;
  for (const Array* array : {&source, &target})
    if (!Engine::instance().finish_on_host(*array)) return false;
  deliver_reports();
  return try_small_assign(target, Operand(source), most);
}

int assign_subscript(PyObject* object, PyObject* key, PyObject* value) {
  return guarded(
      [&] {
        NdArray* self = as_ndarray(object);
        require<ValueError>(value != nullptr, "cannot delete array elements");
        require_writeable(self, "assignment destination is read-only");
        const View& view = self->array.view;
        int64_t shift;
        if (begins_with_int(key) && find_element(view, key, shift)) {
          assign_single(self, view.offset + shift, value);
          return 0;
        }
        if (Py_TYPE(key) == ndarray_type) {
          if (try_small_put(self, key, value)) return 0;
        } else if (view.ndim() > 0) {
          Array target{self->array.storage, View{}};
          if (try_quick_target(view, key, target.view)) {
            const bool at_once = target.size() <= eager::small_limit && eager::writable(target);
            if (eager::UnsteadySites::instance().any() && !at_once && try_unsteady_assign(target, value)) return 0;
            if (at_once || !try_follow_assign(target, value)) assign_value(target, value);
            return 0;
          }
        }
        ParsedIndex index = parse_index(key, view.ndim());
        if (index.all_integers) {
          assign_single(self, apply_basic(index, view).offset, value);
        } else if (index.is_basic()) {
          assign_value(self, apply_basic(index, view), value);
        } else {
          scatter_fancy(self->array, index, assignment_operand(value, view.dtype));
        }
        return 0;
      },
      -1);
}

Py_ssize_t length(PyObject* object) {
  const View& view = as_ndarray(object)->array.view;
  if (view.ndim() > 0) return view.shape[0];
  PyErr_SetString(PyExc_TypeError, "len() of unsized object");
  return -1;
}

/// self[i] with a nonnegative i, as iteration calls it.
PyObject* item_at(PyObject* object, Py_ssize_t i) {
  return guarded([&] {
    NdArray* self = as_ndarray(object);
    const View& view = self->array.view;
    require<IndexError>(view.ndim() > 0, "too many indices for array: array is 0-dimensional, but 1 were indexed");
    if (i >= view.shape[0] || i < 0) {
      // Every iteration over an array ends here, so no C++ exception is thrown.
      return PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %lld", i,
                          static_cast<long long>(view.shape[0]));
    }
    if (view.ndim() == 1) return load_element(self, i * view.strides[0]);
    if (Py_TYPE(object) != ndarray_type) return wrap_view(self, view.select(0, i));
    NdArray* row = begin_view(self);
    View& out = row->array.view;
    out.offset += i * view.strides[0];
    for (int axis = 1; axis < view.ndim(); ++axis) {
      out.shape.push_back(view.shape[axis]);
      out.strides.push_back(view.strides[axis]);
    }
    return reinterpret_cast<PyObject*>(row);
  });
}

int assign_item(PyObject* object, Py_ssize_t i, PyObject* value) {
  return guarded(
      [&] {
        require<ValueError>(value != nullptr, "cannot delete array elements");
        NdArray* self = as_ndarray(object);
        const View& view = self->array.view;
        require<IndexError>(view.ndim() > 0, "too many indices for array: array is 0-dimensional, but 1 were indexed");
        require<IndexError>(i >= 0 && i < view.shape[0], "index {} is out of bounds for axis 0 with size {}", i,
                            view.shape[0]);  // the caller has already added the length to a negative index
        require_writeable(self, "assignment destination is read-only");
        View item = view.select(0, i);
        if (item.ndim() > 0)
          assign_value(Array{self->array.storage, std::move(item)}, value);
        else
          assign_single(self, item.offset, value);
        return 0;
      },
      -1);
}

int contains(PyObject* object, PyObject* value) {
  return guarded(
      [&] {
        Object equal = owned(PyObject_RichCompare(object, value, Py_EQ));
        Object any = owned(PyObject_CallOneArg(numpy_function("any"), equal.get()));
        return PyObject_IsTrue(any.get());
      },
      -1);
}

}  // namespace

PyMappingMethods mapping_slots = {.mp_length = length, .mp_subscript = subscript, .mp_ass_subscript = assign_subscript};

PySequenceMethods sequence_slots = {
    .sq_length = length,
    .sq_item = item_at,
    .sq_ass_item = assign_item,
    .sq_contains = contains,
};

PyObject* iterate_array(PyObject* self) {
  if (as_ndarray(self)->array.ndim() > 0) return PySeqIter_New(self);
  PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
  return nullptr;
}

}  // namespace tessera::bind
