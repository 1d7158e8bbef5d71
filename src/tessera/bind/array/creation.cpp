#include <nanobind/nanobind.h>

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/array/array_attribute.h"
#include "tessera/bind/array/array_wrap.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/booleans.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/interop/foreign_device.h"
#include "tessera/bind/interop/foreign_memory.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

DType given_dtype(PyObject* object) {
  if (is_none(object)) return DType::float64;
  auto dtype = to_dtype(object);
  if (dtype) return *dtype;
  Object text = owned(PyObject_Str(object));
  throw TypeError(format("tessera has no arrays of dtype {}", PyUnicode_AsUTF8(text.get())));
}

nb::object finished(Array array) { return nb::steal(checked(wrap(std::move(array)))); }

nb::object empty(nb::handle shape, nb::handle dtype, nb::handle order) {
  return finished(
      Engine::instance().empty(to_dims(shape.ptr()), given_dtype(dtype.ptr()), to_order(order.ptr(), Order::c)));
}

nb::object full(nb::handle shape, nb::handle value, nb::handle dtype, nb::handle order) {
  Scalar scalar;
  scalar.dtype = given_dtype(dtype.ptr());
  store_element(reinterpret_cast<char*>(scalar.bytes), scalar.dtype, value.ptr());
  return finished(Engine::instance().full(to_dims(shape.ptr()), scalar, to_order(order.ptr(), Order::c)));
}

bool in_order(const View& view, Order order) {
  switch (order) {
    case Order::c: return view.is_c_contiguous();
    case Order::f: return view.is_f_contiguous();
    case Order::a:
    case Order::k: return true;
  }
  std::unreachable();
}

Order resolved(Order order, const View& view) {
  if (order != Order::a) return order;
  return view.is_f_contiguous() && !view.is_c_contiguous() ? Order::f : Order::c;
}

nb::object from_ndarray(nb::handle object, std::optional<DType> dtype, CopyChoice mode, Order order) {
  const Array& source = as_ndarray(object.ptr())->array;
  DType wanted = dtype.value_or(source.dtype());
  bool suits = wanted == source.dtype() && in_order(source.view, order);
  if (suits && mode != CopyChoice::always) {
    if (!is_derived(object.ptr())) return nb::borrow(object);
    return nb::steal(checked(wrap(source, object.ptr(), as_ndarray(object.ptr())->writeable)));
  }
  if (mode == CopyChoice::never) refuse_copy();
  warn_when_complex_is_cut(source.dtype(), wanted);
  return finished(copy_array(source, wanted, resolved(order, source.view)));
}

/// An array over a NumPy array's memory; its base is the owner of the memory.
nb::object over_numpy(Array seen, PyArrayObject* numpy) {
  PyObject* owner = PyArray_BASE(numpy) ? PyArray_BASE(numpy) : reinterpret_cast<PyObject*>(numpy);
  return nb::steal(checked(wrap(std::move(seen), owner, PyArray_ISWRITEABLE(numpy))));
}

/// copy=False shares memory with anything NumPy can view without copying.
nb::object shared(nb::handle object, PyObject* dtype, Order order) {
  static constinit Imported asarray("numpy", "asarray");
  nb::dict options;
  options["copy"] = nb::bool_(false);
  if (!is_none(dtype)) options["dtype"] = nb::borrow(dtype);
  nb::tuple args = nb::make_tuple(object);
  Object numpy = owned(PyObject_Call(asarray, args.ptr(), options.ptr()));
  auto* array = reinterpret_cast<PyArrayObject*>(numpy.get());
  if (!dtype_of_descriptor(reinterpret_cast<PyObject*>(PyArray_DESCR(array)))) return nb::steal(numpy.release());
  Array seen = share_numpy(numpy.get());
  require<ValueError>(
      !is_boolean(seen.dtype()) || has_plain_booleans(seen),
      "copy=False: these booleans hold bytes other than 0 and 1, which cannot be shared; use copy=None or `!= 0`");
  if (!in_order(seen.view, order)) refuse_copy();
  return over_numpy(std::move(seen), array);
}

nb::object with_min_ndim(nb::object array, int ndmin) {
  if (ndmin == 0 || !is_ndarray(array.ptr())) return array;
  NdArray* self = as_ndarray(array.ptr());
  View view = self->array.view;
  while (view.ndim() < ndmin) view = view.new_axis(0);
  return view.ndim() == self->array.ndim() ? array : nb::steal(checked(wrap_view(self, view)));
}

/// An array over device memory that `object` owns; copied only where requested or needed for the dtype.
nb::object from_device(nb::handle object, const Array& theirs, std::optional<DType> dtype, CopyChoice mode,
                       Order order) {
  const DType wanted = dtype.value_or(theirs.dtype());
  const bool fits = wanted == theirs.dtype() && in_order(theirs.view, order);
  require<ValueError>(fits || mode != CopyChoice::never, "Unable to avoid copy while creating an array as requested.");
  if (fits && mode != CopyChoice::always)
    return nb::steal(checked(wrap(theirs, object.ptr(), theirs.storage->writable)));
  return finished(copy_array(theirs, wanted, order));
}

/// Whether the object only provides memory: a memoryview, an array.array, a ctypes array, an image. Numbers and strings
/// are values.
bool is_memory(PyObject* object) {
  return describes_memory(object) && !PyArray_Check(object) && !PyArray_IsScalar(object, Generic) && !is_lazy(object) &&
         !PyBytes_Check(object);
}

/// An array that shares such memory, as NumPy does; null when the elements must be converted.
nb::object over_memory(PyObject* memory, std::optional<DType> dtype, Order order) {
  Object numpy = owned(PyArray_FromAny(memory, nullptr, 0, 0, 0, nullptr));
  auto* array = reinterpret_cast<PyArrayObject*>(numpy.get());
  PyObject* descriptor = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
  const auto found = dtype_of_descriptor(descriptor);
  if (!found || dtype.value_or(*found) != *found || !is_native(descriptor) || !PyArray_ISALIGNED(array) ||
      !PyArray_BASE(array))
    return {};
  Array seen = share_numpy(numpy.get());
  if (!in_order(seen.view, order) || (is_boolean(*found) && !has_plain_booleans(seen))) return {};
  return over_numpy(std::move(seen), array);
}

/// NumPy's own array of the object, for a dtype that the engine does not compute with: object, string, datetime,
/// structured, longdouble.
nb::object numpys_own(nb::handle object, nb::handle dtype, CopyChoice mode, Order order, int ndmin) {
  static constinit Imported array("numpy", "array");
  const char letter = static_cast<char>(order);
  const nb::object copy =
      mode == CopyChoice::if_needed ? nb::none() : nb::object(nb::bool_(mode == CopyChoice::always));
  return nb::handle(array)(object, dtype, nb::arg("copy") = copy, nb::arg("order") = nb::str(&letter, 1),
                           nb::arg("ndmin") = ndmin);
}

nb::object make(nb::handle object, nb::handle dtype, CopyChoice mode, Order order, int ndmin = 0) {
  std::optional<DType> wanted;
  bool native = true;
  if (!dtype.is_none()) {
    wanted = to_dtype(dtype.ptr());
    native = wanted.has_value();
  }
  if (native && is_ndarray(object.ptr())) return from_ndarray(object, wanted, mode, order);
  if (native) {
    if (auto theirs = share_cuda_array(object.ptr())) return from_device(object, *theirs, wanted, mode, order);
  }
  if (GivenArray given = array_given_by(object.ptr(), dtype.ptr(), mode); given.array) {
    return make(given.array.get(), dtype, given.is_copy ? CopyChoice::if_needed : mode, order, ndmin);
  }
  if (mode == CopyChoice::never && native) return shared(object, dtype.ptr(), order);
  if (native && mode == CopyChoice::if_needed && is_memory(object.ptr())) {
    if (nb::object seen = over_memory(object.ptr(), wanted, order); seen.is_valid()) return seen;
  }
  Array array;
  if (native && to_array(object.ptr(), wanted, array) == Conversion::done) {
    if (!in_order(array.view, order)) array = copy_array(array, array.dtype(), order);
    return finished(std::move(array));
  }
  return numpys_own(object, dtype, mode, order, ndmin);
}

nb::object array(nb::handle object, nb::handle dtype, nb::handle copy, nb::handle order, bool, int ndmin) {
  return with_min_ndim(make(object, dtype, to_copy_choice(copy.ptr()), to_order(order.ptr(), Order::k), ndmin), ndmin);
}

nb::object asarray(nb::handle object, nb::handle dtype, nb::handle order, nb::handle copy) {
  if (Py_TYPE(object.ptr()) == ndarray_type && dtype.is_none() && order.is_none() && copy.is_none())
    return nb::borrow(object);
  return make(object, dtype, to_copy_choice(copy.ptr()), to_order(order.ptr(), Order::k));
}

}  // namespace

void bind_creation(nb::module_& m) {
  m.def("empty", empty, nb::arg("shape"), nb::arg("dtype").none() = nb::none(), nb::arg("order").none() = "C",
        "A new array whose elements are not set.");
  m.def("full", full, nb::arg("shape"), nb::arg("value"), nb::arg("dtype").none() = nb::none(),
        nb::arg("order").none() = "C", "A new array filled with one value.");
  m.def("array", array, nb::arg("object").none(), nb::arg("dtype").none() = nb::none(), nb::kw_only(),
        nb::arg("copy").none() = true, nb::arg("order").none() = "K", nb::arg("subok") = false, nb::arg("ndmin") = 0,
        "A new array, numpy.array's reading of the object.");
  m.def("asarray", asarray, nb::arg("object").none(), nb::arg("dtype").none() = nb::none(),
        nb::arg("order").none() = nb::none(), nb::kw_only(), nb::arg("copy").none() = nb::none(),
        "The object itself when it is an array that suits, else a new one.");
  m.def(
      "in_class_of",
      [](nb::handle parent, nb::object result) {
        return nb::steal(checked(in_class_of(parent.ptr(), result.release().ptr())));
      },
      nb::arg("parent"), nb::arg("result"), "A result as an instance of a subclass of ndarray.");
}

}  // namespace tessera::bind
