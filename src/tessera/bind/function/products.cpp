#include "tessera/bind/array/array_wrap.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/function/linalg.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/ufunc/ufunc_apply.h"
#include "tessera/eager/convert_rows.h"
#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/eager/unsteady_sites.h"
#include "tessera/library/blas/dot.h"
#include "tessera/library/blas/vendor_library.h"

#include <nanobind/nanobind.h>

#include <memory>

namespace tessera::bind {

namespace nb = nanobind;

namespace {

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

struct Pair {
  Array a, b;
  bool foreign;
  Pair(PyObject* x, PyObject* y)
      : foreign(to_array(x, {}, a) == Conversion::foreign || to_array(y, {}, b) == Conversion::foreign) {}
  DType dtype() const { return promote(a.dtype(), b.dtype()); }
};

/// A context in which no floating-point events are reported.
Context quiet_context() {
  constexpr ErrorState none{ErrorMode::ignore, ErrorMode::ignore, ErrorMode::ignore, ErrorMode::ignore};
  return {.site = call_site(), .errors = none};
}

/// The product, computed in `dtype`; reports its floating-point events unless the context ignores them.
Array multiply(const ops::Routine& routine, Pair& pair, DType dtype, const Context& context) {
  const Array operands[] = {std::move(pair.a), std::move(pair.b)};
  const bool waits = may_wait(context.errors);
  if (!waits) deliver_reports();
  Array result;
  Engine::instance().call(routine, operands, {dtype}, context, std::span(&result, 1));
  waits ? deliver_reports() : finish_events(context.errors);
  return result;
}

PyObject* product_of(const ops::Routine& routine, bool reports, PyObject* x, PyObject* y, nb::handle dtype,
                     nb::handle out) {
  Pair pair(x, y);
  if (pair.foreign) return not_implemented();
  const DType loop = dtype.is_none() ? pair.dtype() : to_dtype(dtype.ptr()).value();
  if (!out.is_none()) {
    const Array& target = as_ndarray(out.ptr())->array;
    const Array result = multiply(routine, pair, loop, quiet_context());
    if (!try_small_assign(target, result)) Engine::instance().assign(target, result, {});
    deliver_reports();
    return Py_NewRef(out.ptr());
  }
  PyObject* result = wrap_result(multiply(routine, pair, loop, reports ? current_context() : quiet_context()));
  PyObject* parent = is_derived(x) ? x : is_derived(y) ? y : nullptr;
  return parent ? in_class_of(parent, result) : result;
}

/// The dot product of two short settled vectors of doubles or floats, at once; null, with nothing done, for others and
/// where the result may have events. `packs` as NumPy's dot does vectors that BLAS does not take, and its matmul does
/// not.
PyObject* try_small_dot(PyObject* x, PyObject* y, bool packs) {
  if (Py_TYPE(x) != ndarray_type || Py_TYPE(y) != ndarray_type) return nullptr;
  const Array* const operands[] = {&as_ndarray(x)->array, &as_ndarray(y)->array};
  const DType dtype = operands[0]->dtype();
  if (dtype != operands[1]->dtype() || (dtype != DType::float64 && dtype != DType::float32)) return nullptr;
  library::Vector vectors[2];
  constexpr int64_t most = eager::UnsteadySites::most_elements;
  std::unique_ptr<char[]> rooms[2];
  for (int k = 0; k < 2; ++k) {
    const View& view = operands[k]->view;
    const char* data = view.ndim() == 1 ? eager::readable(*operands[k]) : nullptr;
    if (!data || view.shape[0] == 0 || view.shape[0] > most) return nullptr;
    // Longer ones run where a device is set, if one is.
    if (view.shape[0] > eager::small_limit && !Engine::instance().finish_on_host(*operands[k])) return nullptr;
    vectors[k] = {const_cast<char*>(data) + view.offset, view.shape[0], view.strides[0]};
    if (!packs || vectors[k].stride > 0) continue;
    const Dims dense{view.itemsize()};
    rooms[k] = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(view.shape[0] * dense[0]));
    eager::convert_rows(view.shape, {dtype, vectors[k].data, view.strides}, {dtype, rooms[k].get(), dense});
    vectors[k] = {rooms[k].get(), view.shape[0], dense[0]};
  }
  if (vectors[0].size != vectors[1].size || watches_underflow()) return nullptr;
  alignas(16) char result[sizeof(double)];
  library::dot(dtype, vectors[0], vectors[1], result);
  return eager::all_finite(dtype, result, 1) ? make_numpy_scalar(dtype, result) : nullptr;
}

PyObject* dot_of(PyObject* x, PyObject* y) {
  static const ops::Routine& routine = Engine::routine("dot");
  if (PyObject* result = try_small_dot(x, y, true)) return result;
  Pair pair(x, y);
  if (pair.foreign || pair.a.ndim() == 0 || pair.b.ndim() == 0) return not_implemented();
  const DType dtype = pair.dtype();
  return wrap_result(multiply(routine, pair, dtype, current_context()));
}

PyObject* vdot_of(PyObject* x, PyObject* y) {
  static const ops::Routine& routine = Engine::routine("vdot");
  Pair pair(x, y);
  if (pair.foreign) return not_implemented();
  const DType dtype = pair.dtype();
  return wrap_result(multiply(routine, pair, dtype, quiet_context()));
}

}  // namespace

PyObject* matmul(PyObject* a, PyObject* b) {
  static const ops::Routine& routine = Engine::routine("matmul");
  if (PyObject* result = try_small_dot(a, b, false)) return result;
  return product_of(routine, true, a, b, nb::none(), nb::none());
}

PyObject* dot_of_arrays(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2 || Py_TYPE(args[0]) != ndarray_type || Py_TYPE(args[1]) != ndarray_type) return nullptr;
  return guarded([&]() -> PyObject* {
    PyObject* result = dot_of(args[0], args[1]);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
    return nullptr;
  });
}

void bind_products(nb::module_& module) {
  const auto define = [&](const char* name, const char* routine_name, bool reports = true) {
    module.def(
        name,
        [&routine = Engine::routine(routine_name), reports](nb::handle a, nb::handle b, nb::handle dtype,
                                                            nb::handle out) {
          return nb::steal(product_of(routine, reports, a.ptr(), b.ptr(), dtype, out));
        },
        nb::arg(), nb::arg(), nb::arg() = nb::none(), nb::arg() = nb::none());
  };
  for (const char* name : {"matmul", "vecdot", "matvec", "vecmat"}) define(name, name);
  define("contract", "matmul", false);  // einsum's matmul, which reports no floating-point events
  module.def("dot", [](nb::handle a, nb::handle b) { return nb::steal(dot_of(a.ptr(), b.ptr())); });
  module.def("vdot", [](nb::handle a, nb::handle b) { return nb::steal(vdot_of(a.ptr(), b.ptr())); });
  module.def("prefer_library", [](const char* path) { library::VendorLibrary::prefer(path); });
}

}  // namespace tessera::bind
