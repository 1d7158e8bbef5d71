#include "tessera/engine/linalg/products.h"
#include "tessera/bind/array/array_wrap.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/array_events.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/function/linalg.h"

#include <nanobind/nanobind.h>

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

/// The result, after pending warnings are delivered; `name` is NumPy's name of the op in warnings, null where NumPy
/// does not warn.
PyObject* delivered(const Pair& pair, Array result, const char* name) {
  deliver_reports();
  if (name) {
    if (const uint32_t events = contraction_events(pair.a, pair.b, result)) handle_events(events, name, error_state());
  }
  return wrap_result(std::move(result));
}

PyObject* product_of(Product kind, const char* name, PyObject* x, PyObject* y, nb::handle dtype, nb::handle out) {
  const Pair pair(x, y);
  if (pair.foreign) return not_implemented();
  Engine& engine = Engine::instance();
  const DType loop = dtype.is_none() ? pair.dtype() : to_dtype(dtype.ptr()).value();
  if (out.is_none()) {
    PyObject* result = delivered(pair, product(engine, kind, pair.a, pair.b, loop), name);
    PyObject* parent = is_derived(x) ? x : is_derived(y) ? y : nullptr;
    return parent ? in_class_of(parent, result) : result;
  }
  const Array& target = as_ndarray(out.ptr())->array;
  product(engine, kind, pair.a, pair.b, loop, &target);
  deliver_reports();
  return Py_NewRef(out.ptr());
}

PyObject* dot_of(PyObject* x, PyObject* y) {
  const Pair pair(x, y);
  if (pair.foreign || pair.a.ndim() == 0 || pair.b.ndim() == 0) return not_implemented();
  Engine& engine = Engine::instance();
  return delivered(pair, dot(engine, pair.a, pair.b, pair.dtype()), "dot");
}

PyObject* vdot_of(PyObject* x, PyObject* y) {
  const Pair pair(x, y);
  if (pair.foreign) return not_implemented();
  Engine& engine = Engine::instance();
  return delivered(pair, vdot(engine, pair.a, pair.b, pair.dtype()), nullptr);
}

}  // namespace

PyObject* matmul(PyObject* a, PyObject* b) {
  return product_of(Product::matmul, "matmul", a, b, nb::none(), nb::none());
}

void bind_products(nb::module_& module) {
  const auto define = [&](const char* name, Product kind, bool reports = true) {
    module.def(
        name,
        [kind, told = reports ? name : nullptr](nb::handle a, nb::handle b, nb::handle dtype, nb::handle out) {
          return nb::steal(product_of(kind, told, a.ptr(), b.ptr(), dtype, out));
        },
        nb::arg(), nb::arg(), nb::arg() = nb::none(), nb::arg() = nb::none());
  };
  define("matmul", Product::matmul);
  define("vecdot", Product::vecdot);
  define("matvec", Product::matvec);
  define("vecmat", Product::vecmat);
  define("contract", Product::matmul, false);  // einsum's matmul, which reports no floating-point events
  module.def("dot", [](nb::handle a, nb::handle b) { return nb::steal(dot_of(a.ptr(), b.ptr())); });
  module.def("vdot", [](nb::handle a, nb::handle b) { return nb::steal(vdot_of(a.ptr(), b.ptr())); });
  module.def("prefer_library", [](const char* path) { prefer_blas(path); });
}

}  // namespace tessera::bind
