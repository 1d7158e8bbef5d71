#include <nanobind/nanobind.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/function/linalg.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

const Array& array_of(nb::handle h) { return as_ndarray(h.ptr())->array; }
nb::object to_object(Array array) { return nb::steal(wrap(std::move(array))); }
DType matrix_dtype(nb::handle h) { return to_dtype(h.ptr()).value(); }

constexpr size_t most_results = 4;

/// The first `count` results of a routine of the table.
struct Results {
  Array made[most_results];
  size_t count;

  Results(const ops::Routine& routine, std::span<const Array> operands, const ops::Arguments& arguments, size_t number)
      : count(number) {
    Engine::instance().call(routine, operands, arguments, current_context(), std::span(made, count));
    deliver_reports();
  }
  /// A result that has not been taken; None if it was not made.
  nb::object take(size_t k) { return k < count ? to_object(std::move(made[k])) : nb::none(); }
};

nb::object one_of(const ops::Routine& routine, nb::handle a, const ops::Arguments& arguments) {
  return Results(routine, std::span(&array_of(a), 1), arguments, 1).take(0);
}

nb::object pair_of(const ops::Routine& routine, nb::handle a, const ops::Arguments& arguments, size_t count = 2) {
  Results results(routine, std::span(&array_of(a), 1), arguments, count);
  nb::object first = results.take(0);
  return nb::make_tuple(std::move(first), results.take(1));
}

}  // namespace

void bind_factorizations(nb::module_& m) {
  const auto routine = [](const char* name) -> const ops::Routine& { return Engine::routine(name); };
  m.def("solve", [&solve = routine("solve")](nb::handle a, nb::handle b, nb::handle t) {
    const Array operands[] = {array_of(a), array_of(b)};
    return Results(solve, operands, {matrix_dtype(t)}, 1).take(0);
  });
  m.def("invert", [&inv = routine("inv")](nb::handle a, nb::handle t) { return one_of(inv, a, {matrix_dtype(t)}); });
  m.def("determinant",
        [&det = routine("det")](nb::handle a, nb::handle t) { return one_of(det, a, {matrix_dtype(t)}); });
  m.def("log_determinant",
        [&slogdet = routine("slogdet")](nb::handle a, nb::handle t) { return pair_of(slogdet, a, {matrix_dtype(t)}); });
  m.def("cholesky", [&cholesky = routine("cholesky")](nb::handle a, bool upper, nb::handle t) {
    return one_of(cholesky, a, {matrix_dtype(t), upper});
  });
  m.def("qr_packed",
        [&packed = routine("qr_packed")](nb::handle a, nb::handle t) { return pair_of(packed, a, {matrix_dtype(t)}); });
  m.def("qr", [&qr = routine("qr")](nb::handle a, int parts, nb::handle t) {
    return pair_of(qr, a, {matrix_dtype(t), parts});
  });
  m.def("triangle_of_qr", [&qr = routine("qr")](nb::handle a, nb::handle t) {
    constexpr int triangle = 2;
    return one_of(qr, a, {matrix_dtype(t), triangle});
  });
  m.def("singular_values", [&svd = routine("svd")](nb::handle a, int vectors, nb::handle t) {
    Results results(svd, std::span(&array_of(a), 1), {matrix_dtype(t), vectors}, vectors ? 3 : 1);
    nb::object s = results.take(0), u = results.take(1);
    return nb::make_tuple(std::move(u), std::move(s), results.take(2));
  });
  m.def("hermitian_eigenvalues", [&eigh = routine("eigh")](nb::handle a, bool upper, bool vectors, nb::handle t) {
    return pair_of(eigh, a, {matrix_dtype(t), upper, vectors}, vectors ? 2 : 1);
  });
  m.def("general_eigenvalues", [&eig = routine("eig")](nb::handle a, bool vectors, nb::handle t) {
    return pair_of(eig, a, {matrix_dtype(t), vectors}, vectors ? 2 : 1);
  });
  m.def("least_squares", [&lstsq = routine("lstsq")](nb::handle a, nb::handle b, double rcond, nb::handle t) {
    const Array operands[] = {array_of(a), array_of(b)};
    Results results(lstsq, operands, {matrix_dtype(t), rcond}, 4);
    const int64_t rank = *reinterpret_cast<const int64_t*>(Engine::instance().read(results.made[3]));
    nb::object x = results.take(0), residuals = results.take(1);
    return nb::make_tuple(std::move(x), std::move(residuals), rank, results.take(2));
  });
}

}  // namespace tessera::bind
