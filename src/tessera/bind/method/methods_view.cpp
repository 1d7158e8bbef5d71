#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/booleans.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/index/store.h"

namespace tessera::bind {

Order settled_order(Order order, const View& view) {
  if (order != Order::a) return order;
  return view.is_f_contiguous() && !view.is_c_contiguous() ? Order::f : Order::c;
}

namespace {

/// Positional integers, or one sequence: a.reshape(2, 3) and a.reshape((2, 3)).
Dims spread_dims(const Arguments& arguments) {
  if (arguments.positional() == 1) return to_dims(arguments[0]);
  Dims dims;
  for (int i = 0; i < arguments.positional(); ++i) dims.push_back(to_int(arguments[i]));
  return dims;
}

PyObject* reshape_to(NdArray* self, const Dims& shape, Order order, CopyChoice copy) {
  const View& view = self->array.view;
  order = settled_order(order, view);
  if (copy != CopyChoice::always) {
    if (auto reshaped = view.try_reshape(shape, order)) return wrap_view(self, *reshaped);
    require<ValueError>(copy == CopyChoice::if_needed, "Unable to avoid creating a copy while reshaping.");
  }
  Array packed = copy_array(self->array, view.dtype, order);
  View reshaped = packed.view.try_reshape(shape, order).value();
  PyObject* parent = reinterpret_cast<PyObject*>(self);
  Object copied = owned(wrap_as(Py_TYPE(parent), std::move(packed), nullptr, true, parent));
  return wrap_view(as_ndarray(copied.get()), std::move(reshaped));
}

PyObject* reshape(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("reshape", args, nargs, names);
    PyObject* order = arguments.take("order");
    PyObject* copy = arguments.take("copy");
    PyObject* shape = arguments.take("shape");
    arguments.finish();
    require<TypeError>(shape || arguments.positional() > 0, "reshape() takes exactly 1 argument (0 given)");
    Order wanted = to_order(order, Order::c);
    require<ValueError>(wanted != Order::k, "order 'K' is not permitted for reshaping");
    Dims dims = shape ? to_dims(shape) : spread_dims(arguments);
    return reshape_to(as_ndarray(self), complete_shape(dims, as_ndarray(self)->array.size()), wanted,
                      to_copy_choice(copy));
  });
}

/// One axis in C or Fortran order: a view of elements that are contiguous in that order, else a copy that owns its
/// elements.
PyObject* flat_in_order(PyObject* self, Order order) {
  const Array& array = as_ndarray(self)->array;
  order = settled_order(order, array.view);
  Dims flat{array.size()};
  const bool dense = order == Order::c ? array.view.is_c_contiguous() : array.view.is_f_contiguous();
  if (auto reshaped = array.view.try_reshape(flat, order); dense && reshaped)
    return wrap_view(as_ndarray(self), *reshaped);
  Array packed = copy_array(array, array.dtype(), order);
  return wrap_as(Py_TYPE(self), packed.with_view(View::contiguous(flat, array.dtype())), nullptr, true, self);
}

PyObject* ravel(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&]() -> PyObject* {
    if (nargs == 0 && !names && Py_TYPE(self) == ndarray_type && as_ndarray(self)->array.view.is_c_contiguous()) {
      NdArray* flat = begin_view(as_ndarray(self));
      flat->array.view.shape.push_back(as_ndarray(self)->array.size());
      flat->array.view.strides.push_back(flat->array.view.itemsize());
      return reinterpret_cast<PyObject*>(flat);
    }
    Arguments arguments("ravel", args, nargs, names);
    PyObject* order = arguments.at(0, "order");
    arguments.finish(1);
    const View& view = as_ndarray(self)->array.view;
    Order wanted = to_order(order, Order::c);
    if (wanted != Order::k) return flat_in_order(self, wanted);
    if (view.is_c_contiguous()) return flat_in_order(self, Order::c);
    if (view.is_f_contiguous()) return flat_in_order(self, Order::f);
    // The elements in memory order.
    Array packed = copy_array(as_ndarray(self)->array, view.dtype, Order::k);
    return wrap_as(Py_TYPE(self), packed.with_view(View::contiguous(Dims{view.size()}, view.dtype)), nullptr, true,
                   self);
  });
}

PyObject* flatten(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("flatten", args, nargs, names);
    Order order = to_order(arguments.at(0, "order"), Order::c);
    arguments.finish(1);
    const Array& array = as_ndarray(self)->array;
    Array packed = copy_array(array, array.dtype(), settled_order(order, array.view));
    return wrap_as(Py_TYPE(self), packed.with_view(View::contiguous(Dims{array.size()}, array.dtype())), nullptr, true,
                   self);
  });
}

PyObject* transpose(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("transpose", args, nargs, names);
    arguments.finish();
    const View& view = as_ndarray(self)->array.view;
    if (nargs == 0 || (nargs == 1 && args[0] == Py_None)) return wrap_view(as_ndarray(self), view.transpose());
    Dims given = spread_dims(arguments);
    require<ValueError>(static_cast<int>(given.size()) == view.ndim(), "axes don't match array");
    SmallVector<int, 8> axes;
    uint64_t seen = 0;
    for (int64_t axis : given) {
      axes.push_back(normalize_axis(axis, view.ndim()));
      require<ValueError>(!(seen >> axes.back() & 1), "repeated axis in transpose");
      seen |= uint64_t{1} << axes.back();
    }
    return wrap_view(as_ndarray(self), view.transpose({axes.data(), axes.size()}));
  });
}

PyObject* swapaxes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("swapaxes", args, nargs, names);
    PyObject* first = arguments.needed(0, "axis1");
    PyObject* second = arguments.needed(1, "axis2");
    arguments.finish(2);
    const View& view = as_ndarray(self)->array.view;
    return wrap_view(as_ndarray(self), view.swap_axes(normalize_axis(to_int(first), view.ndim()),
                                                      normalize_axis(to_int(second), view.ndim())));
  });
}

/// Whether the axis is the number 0 or -1.
bool is_first_or_last(PyObject* axis) {
  if (!PyIndex_Check(axis)) return false;
  const int64_t number = to_int(axis);
  return number == 0 || number == -1;
}

PyObject* squeeze(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("squeeze", args, nargs, names);
    PyObject* axis = arguments.at(0, "axis");
    arguments.finish(1);
    const View& view = as_ndarray(self)->array.view;
    uint64_t drop = 0;
    if (is_none(axis)) {
      for (int k = 0; k < view.ndim(); ++k) drop |= uint64_t{view.shape[k] == 1} << k;
    } else if (view.ndim() > 0 || !is_first_or_last(axis)) {  // NumPy accepts axis 0 or -1 for a 0-d array
      for (int64_t given : to_dims(axis)) {
        int k = normalize_axis(given, view.ndim());
        require<ValueError>(!(drop >> k & 1), "repeated axis in squeeze");
        require<ValueError>(view.shape[k] == 1, "cannot select an axis to squeeze out which has size not equal to one");
        drop |= uint64_t{1} << k;
      }
    }
    View result = view;
    for (int k = view.ndim() - 1; k >= 0; --k) {
      if (drop >> k & 1) result = result.select(k, 0);
    }
    return wrap_view(as_ndarray(self), std::move(result));
  });
}

PyObject* diagonal(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("diagonal", args, nargs, names);
    PyObject* offset = arguments.at(0, "offset");
    PyObject* axis1 = arguments.at(1, "axis1");
    PyObject* axis2 = arguments.at(2, "axis2");
    arguments.finish(3);
    const View& view = as_ndarray(self)->array.view;
    require<ValueError>(view.ndim() >= 2, "diag requires an array of at least two dimensions");
    int first = normalize_axis(axis1 ? to_int(axis1) : 0, view.ndim());
    int second = normalize_axis(axis2 ? to_int(axis2) : 1, view.ndim());
    require<ValueError>(first != second, "axis1 and axis2 cannot be the same");
    Object result = owned(wrap_view(as_ndarray(self), view.diagonal(offset ? to_int(offset) : 0, first, second)));
    as_ndarray(result.get())->writeable = false;
    return result.release();
  });
}

bool is_array_class(PyObject* object) {
  return object && PyType_Check(object) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), ndarray_type);
}

PyObject* view(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&]() -> PyObject* {
    Arguments arguments("view", args, nargs, names);
    PyObject* dtype = arguments.at(0, "dtype");
    PyObject* type = arguments.at(1, "type");
    arguments.finish(2);
    if (is_array_class(dtype)) std::swap(dtype, type);
    View result = as_ndarray(self)->array.view;
    if (!is_none(dtype)) {
      auto to = to_dtype(dtype);
      if (!to) {
        // NumPy views the same memory as dates, strings and records.
        Object numpy = owned(to_numpy(self));
        return PyObject_CallMethod(numpy.get(), "view", "O", dtype);
      }
      result = result.reinterpret(*to);
      if (is_boolean(*to) && !is_boolean(as_ndarray(self)->array.dtype())) {
        Array array = as_ndarray(self)->array.with_view(result);
        if (!has_plain_booleans(array))
          return wrap_as(Py_TYPE(self), with_plain_booleans(std::move(array)), nullptr, true, self);
      }
    }
    if (is_none(type)) return wrap_view(as_ndarray(self), std::move(result));
    require<TypeError>(is_array_class(type), "Type must be a sub-type of ndarray type");
    return wrap_as(reinterpret_cast<PyTypeObject*>(type), as_ndarray(self)->array.with_view(std::move(result)), self,
                   as_ndarray(self)->writeable, self);
  });
}

#define TESSERA_METHOD(name, doc)                                                                                \
  PyMethodDef {                                                                                                  \
    #name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(name)), METH_FASTCALL | METH_KEYWORDS, doc \
  }

const PyMethodDef methods_of_views[] = {
    TESSERA_METHOD(reshape, "The elements in a new shape; a view where that is possible."),
    TESSERA_METHOD(ravel, "The elements as one axis; a view where that is possible."),
    TESSERA_METHOD(flatten, "A copy of the elements as one axis."),
    TESSERA_METHOD(transpose, "The view with its axes permuted."),
    TESSERA_METHOD(swapaxes, "The view with two axes exchanged."),
    TESSERA_METHOD(squeeze, "The view without its axes of length one."),
    TESSERA_METHOD(diagonal, "The view of a diagonal; read-only."),
    TESSERA_METHOD(view, "The same bytes under another dtype or class."),
};

}  // namespace

std::span<const PyMethodDef> view_methods() { return methods_of_views; }

}  // namespace tessera::bind
