#include "tessera/engine/linalg/factorizations.h"

#include <nanobind/nanobind.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/function/linalg.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

const Array& array_of(nb::handle h) { return as_ndarray(h.ptr())->array; }
nb::object to_object(Array array) {
  deliver_reports();
  return nb::steal(wrap(std::move(array)));
}
nb::object to_object(std::optional<Array> array) { return array ? to_object(std::move(*array)) : nb::none(); }
DType dtype_of(nb::handle h) { return to_dtype(h.ptr()).value(); }

}  // namespace

void bind_factorizations(nb::module_& m) {
  static Engine& engine = Engine::instance();
  m.def("solve", [](nb::handle a, nb::handle b, nb::handle t) {
    return to_object(solve(engine, array_of(a), array_of(b), dtype_of(t)));
  });
  m.def("invert", [](nb::handle a, nb::handle t) { return to_object(invert(engine, array_of(a), dtype_of(t))); });
  m.def("determinant",
        [](nb::handle a, nb::handle t) { return to_object(determinant(engine, array_of(a), dtype_of(t))); });
  m.def("log_determinant", [](nb::handle a, nb::handle t) {
    auto [sign, log] = log_determinant(engine, array_of(a), dtype_of(t));
    return nb::make_tuple(to_object(std::move(sign)), to_object(std::move(log)));
  });
  m.def("cholesky", [](nb::handle a, bool upper, nb::handle t) {
    return to_object(cholesky(engine, array_of(a), upper, dtype_of(t)));
  });
  m.def("qr_packed", [](nb::handle a, nb::handle t) {
    auto [factors, tau] = qr_packed(engine, array_of(a), dtype_of(t));
    return nb::make_tuple(to_object(std::move(factors)), to_object(std::move(tau)));
  });
  m.def("try_qr_thin", [](nb::handle a, nb::handle t) -> nb::object {
    auto made = try_qr_thin(engine, array_of(a), dtype_of(t));
    if (!made) return nb::none();
    return nb::make_tuple(to_object(std::move(made->first)), to_object(std::move(made->second)));
  });
  m.def("qr_orthogonal", [](nb::handle factors, nb::handle tau, int64_t columns) {
    return to_object(qr_orthogonal(engine, array_of(factors), array_of(tau), columns));
  });
  m.def("singular_values", [](nb::handle a, int vectors, nb::handle t) {
    Svd r = singular_values(engine, array_of(a), static_cast<Vectors>(vectors), dtype_of(t));
    return nb::make_tuple(to_object(std::move(r.u)), to_object(std::move(r.s)), to_object(std::move(r.vh)));
  });
  m.def("hermitian_eigenvalues", [](nb::handle a, bool upper, bool vectors, nb::handle t) {
    Eigen r = hermitian_eigenvalues(engine, array_of(a), upper, vectors, dtype_of(t));
    return nb::make_tuple(to_object(std::move(r.values)), to_object(std::move(r.vectors)));
  });
  m.def("general_eigenvalues", [](nb::handle a, bool vectors, nb::handle t) {
    Eigen r = general_eigenvalues(engine, array_of(a), vectors, dtype_of(t));
    return nb::make_tuple(to_object(std::move(r.values)), to_object(std::move(r.vectors)));
  });
  m.def("least_squares", [](nb::handle a, nb::handle b, double rcond, nb::handle t) {
    LeastSquares r = least_squares(engine, array_of(a), array_of(b), rcond, dtype_of(t));
    return nb::make_tuple(to_object(std::move(r.x)), to_object(std::move(r.residuals)), r.rank,
                          to_object(std::move(r.s)));
  });
}

}  // namespace tessera::bind
