#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>

#include "tessera/base/error.h"
#include "tessera/bind/array/array_attribute.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/array/pickle.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

NdArray* given_array(nb::handle object, const char* op) {
  require<TypeError>(is_ndarray(object.ptr()), "{}: expected a tessera array, got '{}'", op,
                     Py_TYPE(object.ptr())->tp_name);
  return as_ndarray(object.ptr());
}

/// numpy.broadcast_to: a read-only view.
nb::object broadcast_to(nb::handle array, nb::handle shape, bool warns_on_write) {
  NdArray* self = given_array(array, "broadcast_to");
  const Dims wanted = to_dims(shape.ptr());
  int64_t size = 1;
  bool fits = true;
  for (int64_t extent : wanted) fits = !__builtin_mul_overflow(size, extent, &size) && fits;
  require<ValueError>(fits || self->array.size() == 0, "iterator is too large");
  const View& view = self->array.view;
  require<ValueError>(view.ndim() <= static_cast<int>(wanted.size()),
                      "input operand has more dimensions than allowed by the axis remapping");
  for (int k = 1; k <= view.ndim(); ++k) {
    const int64_t extent = view.shape[view.ndim() - k];
    require<ValueError>(extent == 1 || extent == wanted[wanted.size() - k],
                        "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and "
                        "requested shape {}",
                        shape_text(view.shape), shape_text(wanted));
  }
  nb::object result = nb::steal(checked(wrap_view(self, view.broadcast_to(wanted))));
  as_ndarray(result.ptr())->writeable = false;
  as_ndarray(result.ptr())->warns_on_write = warns_on_write && self->writeable;
  return result;
}

/// Views of one buffer by raw strides. Throws for a view that extends beyond the buffer.
nb::object as_strided(nb::handle array, nb::handle shape, nb::handle strides, bool writeable) {
  NdArray* self = given_array(array, "as_strided");
  View view = self->array.view;
  if (!shape.is_none()) view.shape = to_dims(shape.ptr());
  if (!strides.is_none()) view.strides = to_dims(strides.ptr());
  require<ValueError>(view.shape.size() == view.strides.size(), "as_strided: shape {} and strides {} differ in length",
                      view.shape, view.strides);
  for (int64_t extent : view.shape) require<ValueError>(extent >= 0, "negative dimensions are not allowed");
  auto [low, high] = view.byte_range();
  const graph::Version* version = self->array.storage->current.get();
  require<ValueError>(low >= 0 && high <= version->nbytes,
                      "as_strided: shape {} with strides {} leaves the array's memory", view.shape, view.strides);
  nb::object result = nb::steal(checked(wrap_view(self, view)));
  as_ndarray(result.ptr())->writeable = writeable && self->writeable;
  return result;
}

Casting copyto_casting(const std::string& name) {
  static const std::pair<const char*, Casting> table[] = {{"no", Casting::no},
                                                          {"equiv", Casting::equiv},
                                                          {"safe", Casting::safe},
                                                          {"same_kind", Casting::same_kind},
                                                          {"unsafe", Casting::unsafe}};
  for (const auto& [text, casting] : table) {
    if (name == text) return casting;
  }
  throw ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', or 'same_value' (got '" +
                   name + "')");
}

void copyto(nb::handle dst, nb::handle src, const std::string& casting, nb::handle where) {
  NdArray* self = given_array(dst, "copyto");
  require_writeable(self, "assignment destination is read-only");
  DType to = self->array.dtype();
  nb::object read;
  if (PyList_Check(src.ptr()) || PyTuple_Check(src.ptr()))
    src = read = nb::steal(read_by_numpy(src.ptr(), nullptr, 0).release());
  if (is_ndarray(src.ptr()) || PyArray_Check(src.ptr()) || PyArray_IsScalar(src.ptr(), Generic) || is_lazy(src.ptr())) {
    auto from = to_dtype(nb::object(src.attr("dtype")).ptr());
    const bool has_axes = nb::cast<int>(src.attr("ndim")) > 0;
    require<TypeError>(from && can_cast(*from, to, copyto_casting(casting)),
                       "Cannot cast {} from dtype('{}') to dtype('{}') according to the rule '{}'",
                       has_axes ? "array data" : "scalar", from ? name(*from) : "O", to, casting);
  }
  if (where.ptr() == Py_True) return assign_value(self, self->array.view, src.ptr());
  Operand source = assignment_operand(src.ptr(), to);
  std::optional<Operand> mask;
  require<TypeError>(to_operand(where.ptr(), mask) == Conversion::done && is_boolean(mask->dtype()),
                     "Cannot cast array data from dtype('{}') to dtype('bool') according to the rule 'safe'",
                     mask ? name(mask->dtype()) : "O");
  if (mask->is_scalar()) {
    if (mask->scalar.bytes[0]) return assign_value(self, self->array.view, src.ptr());
    if (source.is_scalar()) return;
  }
  fit(source, self->array.view);
  assign_where(self->array, source, *mask);
}

/// Converts NumPy's float64 and int64 to Python numbers; other objects are returned as they are.
nb::object plain_number(nb::handle number) {
  const bool stands_for_one = PyArray_IsScalar(number.ptr(), Float64) || PyArray_IsScalar(number.ptr(), Int64);
  return stands_for_one ? number.attr("item")() : nb::borrow(number);
}

bool is_int(nb::handle number) { return PyLong_CheckExact(number.ptr()); }
bool is_long(nb::handle number) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow == 0;
}
bool is_int_or_float(nb::handle number) { return is_int(number) || PyFloat_CheckExact(number.ptr()); }

/// The result of NumPy's own arange, for arguments that the engine does not handle.
nb::object numpys_arange(nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype) {
  static constinit Imported original("numpy", "arange");
  nb::object numpy = nb::borrow(original.get())(start, stop, step, dtype);
  Array array;
  if ((!dtype.is_none() && !to_dtype(dtype.ptr())) || to_array(numpy.ptr(), {}, array) == Conversion::foreign)
    return numpy;
  return nb::steal(checked(wrap(std::move(array))));
}

/// The number of values that NumPy counts for `span` = stop - start; NumPy gives 0 for 2**63.
int64_t arange_length(const nb::object& span, nb::handle step) {
  nb::object quotient = nb::steal(checked(PyNumber_TrueDivide(span.ptr(), step.ptr())));
  const double length = std::ceil(PyFloat_AsDouble(quotient.ptr()));
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  require<ValueError>(length == length, "arange: cannot compute length");
  require<ValueError>(-0x1p63 <= length && length <= 0x1p63, "Maximum allowed size exceeded");
  if (length == 0 && !std::signbit(length) && nb::cast<double>(span) != 0) return 1;  // the step is infinite
  return length > 0 && length < 0x1p63 ? static_cast<int64_t>(length) : 0;
}

/// start, start + step, ... computed as NumPy does: the second value, in the result's dtype, determines the step.
/// Without `stop`, `start` is the end and the values start at 0; without `step` it is 1.
nb::object arange(nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype) {
  const bool starts_at_0 = stop.is_none();
  const nb::object first_end = starts_at_0 ? nb::int_(0) : plain_number(start),
                   plain_step = step.is_none() ? nb::int_(1) : plain_number(step);
  const nb::object last_end = plain_number(starts_at_0 ? start : stop);
  const bool ints = is_int(first_end) && is_int(last_end) && is_int(plain_step);
  const bool numbers = is_int_or_float(first_end) && is_int_or_float(last_end) && is_int_or_float(plain_step);
  // NumPy does not give larger integers the dtype int64.
  const bool longs = ints && is_long(first_end) && is_long(last_end) && is_long(plain_step);
  std::optional<DType> wanted =
      dtype.is_none() ? std::optional(ints ? DType::int64 : DType::float64) : to_dtype(dtype.ptr());
  if (!wanted || !numbers || is_boolean(*wanted) || (dtype.is_none() && ints && !longs))
    return numpys_arange(start, stop, step, dtype);
  const DType type = *wanted;
  const int64_t count = arange_length(last_end - first_end, plain_step);
  const auto stored = [&](nb::handle value) {
    Scalar scalar;
    scalar.dtype = type;
    if (count > 0) store_element(reinterpret_cast<char*>(scalar.bytes), type, value.ptr());
    return scalar;
  };
  const Scalar first = stored(first_end);
  const Scalar second = count > 1 ? stored(first_end + plain_step) : first;
  Array values = Engine::instance().arange(first, second, count);
  // first + 0 * step loses the sign of a first value of -0.0.
  const bool is_negative_zero = count > 0 && PyFloat_Check(first_end.ptr()) && is_floating(type) &&
                                nb::cast<double>(first_end) == 0 && std::signbit(nb::cast<double>(first_end));
  if (is_negative_zero)
    Engine::instance().assign(values.with_view(View{.offset = values.view.offset, .dtype = type}), Operand(first), {});
  return nb::steal(checked(wrap(std::move(values))));
}

/// start, start + step, ... in `dtype`, a float type; the last element is `last` unless that is None.
nb::object evenly_spaced(nb::handle start, nb::handle step, int64_t count, nb::handle dtype, nb::handle last) {
  const std::optional<DType> type = to_dtype(dtype.ptr());
  require<TypeError>(type == DType::float64 || type == DType::float32, "evenly_spaced: not of floats");
  const auto number = [&](nb::handle value) { return Scalar::of_float(*type, nb::cast<double>(value)); };
  const Scalar end = last.is_none() ? Scalar{} : number(last);
  return nb::steal(checked(
      wrap(Engine::instance().evenly_spaced(number(start), number(step), count, last.is_none() ? nullptr : &end))));
}

/// The function that a pickle calls; a plain function, because a pickle refers to it by name.
PyObject* restore(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    require<TypeError>(nargs == 5, "_restore() takes 5 arguments ({} given)", nargs);
    return restore_array(args[0], args[1], args[2], args[3], args[4]);
  });
}

PyMethodDef pickle_functions[] = {
    {"_restore", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(restore)), METH_FASTCALL,
     "What a pickled array calls."},
    {},
};

}  // namespace

void bind_array_functions(nb::module_& m) {
  m.def("broadcast_to", broadcast_to, nb::arg("array"), nb::arg("shape"), nb::arg("warns_on_write") = false,
        "A read-only view in a larger shape.");
  m.def("as_strided", as_strided, nb::arg("x"), nb::arg("shape").none() = nb::none(),
        nb::arg("strides").none() = nb::none(), nb::arg("writeable") = true,
        "A view by raw shape and strides, inside the array's own memory.");
  m.def("copyto", copyto, nb::arg("dst"), nb::arg("src").none(), nb::arg("casting") = "same_kind",
        nb::arg("where") = true, "Copies values into an array, broadcasting them.");
  m.def("arange", arange, nb::arg("start").none(), nb::arg("stop").none(), nb::arg("step").none() = nb::none(),
        nb::arg("dtype").none() = nb::none(), "Evenly spaced values.");
  m.def("evenly_spaced", evenly_spaced, nb::arg("start"), nb::arg("step"), nb::arg("count"), nb::arg("dtype"),
        nb::arg("last").none(), "Floats at equal distances, the last one given.");
  checked(PyModule_AddFunctions(m.ptr(), pickle_functions));
}

}  // namespace tessera::bind
