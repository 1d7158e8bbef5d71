// Linear systems and factorisations. They run at the call: errors depend on elements.
#include "tessera/base/error.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/routines/linalg/linalg.h"
#include "tessera/routines/linalg/matrices.h"
#include "tessera/routines/list.h"
#include "tessera/routines/table.h"
#include "tessera/routines/vendor_costs.h"

namespace tessera::routines {

using library::Vectors;
using ops::CallView;

namespace {

DType matrix_dtype(const CallView& call, int) { return call.arguments.dtype(0); }

bool is_vendors(const CallView& call) {
  const DType dtype = call.arguments.dtype(0);
  for (const View* a : call.operands)
    if (a->size() == 0 || a->dtype != dtype) return false;
  return dtype == DType::float64 || dtype == DType::complex128;
}

/// Cost of `effort` * elements * shorter extent operations. `waste` is the slowdown against a product on the device;
/// methods that work column by column take `launches_a_column` launches for each column.
ops::Cost cost_of(std::string_view op, const CallView& call, double effort, double waste, double launches_a_column) {
  const View& a = call.operand(0);
  const auto n = static_cast<double>(least_extent(a));
  return cost_of_factors(op, effort * static_cast<double>(a.size()) * n, waste, launches_a_column * n,
                         call.arguments.dtype(0));
}

/// The same of what a device's library factors one by one.
ops::Cost cost_of_each(std::string_view op, const CallView& call, double effort, double waste,
                       double launches_a_column) {
  ops::Cost cost = cost_of(op, call, effort, waste, launches_a_column);
  const double launches = static_cast<double>(matrix_count(call.operand(0))) * cost.launches;
  cost.launches = static_cast<int>(std::min(launches, 1e9));
  return cost;
}

/// The second argument: one of three kinds of result.
int64_t kind_of_result(const CallView& call) {
  const int64_t kind = call.arguments.integer(1);
  require<ValueError>(kind >= 0 && kind <= 2, "there are three kinds of result, 0 to 2, and not {}", kind);
  return kind;
}
QrParts qr_parts(const CallView& call) { return static_cast<QrParts>(kind_of_result(call)); }
Vectors svd_vectors(const CallView& call) { return static_cast<Vectors>(kind_of_result(call)); }

/// Tall matrices are factored by products, others by the library's column-by-column method.
ops::Cost cost_of_qr(const CallView& call) {
  if (is_tall(call.operand(0)) && qr_parts(call) != QrParts::full) return cost_of_each("tall qr", call, 4, 2, 0);
  return cost_of_each("qr", call, qr_parts(call) == QrParts::triangle ? 2 : 4, 16, 0.6);
}

ops::Cost cost_of_svd(const CallView& call) {
  const Vectors vectors = svd_vectors(call);
  if (is_tall(call.operand(0)) && vectors != Vectors::full) return cost_of_each("tall svd", call, 6, 2, 0);
  return cost_of_each("svd", call, vectors == Vectors::none ? 4 : 20, 20, 10);
}

ops::Cost cost_of_solve(const CallView& call) {
  const auto sides = static_cast<double>(columns(call.operand(1))), n = static_cast<double>(columns(call.operand(0)));
  return cost_of("solve", call, 1 + 2.0 * sides / n, 8, 0.3);
}

/// Shapes are checked in NumPy's words by the callers.
void check_matrices(const CallView& call, std::span<ops::ResultType>) {
  const int64_t dtype = call.arguments.integer(0);
  const bool computes = dtype == static_cast<int>(DType::float32) || dtype == static_cast<int>(DType::float64) ||
                        dtype == static_cast<int>(DType::complex64) || dtype == static_cast<int>(DType::complex128);
  require<TypeError>(computes, "matrices cannot be factored in dtype {}", dtype);
  for (const View* a : call.operands)
    require<ShapeError>(a->ndim() >= 2, "{}-dimensional array given: at least two dimensions are needed", a->ndim());
}

void check_square(const CallView& call, std::span<ops::ResultType> results) {
  check_matrices(call, results);
  const View& a = call.operand(0);
  if (rows(a) != columns(a)) throw ShapeError(format("the matrices of {} are not square", shape_text(a.shape)));
}

void check_system(const CallView& call, std::span<ops::ResultType> results) {
  check_matrices(call, results);
  const View &a = call.operand(0), &b = call.operand(1);
  if (rows(a) != rows(b))
    throw ShapeError(
        format("matrices of {} and right sides of {} do not match", shape_text(a.shape), shape_text(b.shape)));
}

constexpr ops::Parameter dtype_parameter{"dtype", ops::ParameterKind::integer};

Entry entry_of(ops::Routine routine, void (*on_host)(HostCall&)) {
  routine.time = ops::CallTime::at_call;
  routine.vendor_bits = true;
  return {.routine = std::move(routine),
          .on_host = on_host,
          .operand_dtype = matrix_dtype,
          .takes_views = Entry::all_operands};
}

Entry entry_of(ops::Routine routine, void (*on_host)(HostCall&), void (*on_device)(DeviceCall&),
               bool (*suits_device)(const CallView&)) {
  Entry entry = entry_of(std::move(routine), on_host);
  entry.on_device = on_device;
  entry.suits_device = suits_device;
  return entry;
}

void add_systems(Table& table) {
  table.add(entry_of({.name = "solve",
                      .doc = "The solutions x of a x = b.",
                      .parameters = {{"a"}, {"b"}, dtype_parameter},
                      .infer =
                          [](const CallView& call, std::span<ops::ResultType> results) {
                            check_square(call, results);
                            check_system(call, results);
                          },
                      .cost = cost_of_solve},
                     solve_on_host, solve_on_device, is_vendors));
  table.add(entry_of({.name = "inv",
                      .doc = "The inverses of matrices.",
                      .parameters = {{"a"}, dtype_parameter},
                      .infer = check_square,
                      .cost = [](const CallView& call) { return cost_of("inv", call, 2, 8, 0.3); }},
                     inv_on_host, inv_on_device, is_vendors));
  const auto cost_of_determinant = [](const CallView& call) { return cost_of("det", call, 0.7, 8, 0.3); };
  table.add(entry_of({.name = "det",
                      .doc = "The determinants of matrices.",
                      .parameters = {{"a"}, dtype_parameter},
                      .infer = check_square,
                      .cost = cost_of_determinant},
                     det_on_host, det_on_device, is_vendors));
  table.add(entry_of({.name = "slogdet",
                      .doc = "The signs of determinants, and the logarithms of their sizes.",
                      .parameters = {{"a"}, dtype_parameter},
                      .result_count = 2,
                      .infer = check_square,
                      .cost = cost_of_determinant},
                     slogdet_on_host, slogdet_on_device, is_vendors));
  table.add(entry_of({.name = "lstsq",
                      .doc = "Least squares: solution, residuals, singular values and rank.",
                      .parameters = {{"a"}, {"b"}, dtype_parameter, {"rcond", ops::ParameterKind::real}},
                      .result_count = 4,
                      .infer =
                          [](const CallView& call, std::span<ops::ResultType> results) {
                            check_system(call, results);
                            for (const View* operand : call.operands)
                              require<ShapeError>(operand->ndim() == 2, "lstsq takes single matrices, not {}",
                                                  shape_text(operand->shape));
                          },
                      .cost = [](const CallView& call) { return cost_of("lstsq", call, 20, 20, 10); }},
                     lstsq_on_host));
}

void add_orthogonal_factors(Table& table) {
  using ops::ParameterKind;
  table.add(entry_of({.name = "qr_packed",
                      .doc = "Householder's factors as LAPACK packs them, transposed, and the reflections' scales.",
                      .parameters = {{"a"}, dtype_parameter},
                      .result_count = 2,
                      .infer = check_matrices,
                      .cost = [](const CallView& call) { return cost_of_each("qr", call, 2, 16, 0.3); }},
                     qr_packed_on_host, qr_packed_on_device, is_vendors));
  Entry qr = entry_of({.name = "qr",
                       .doc = "Orthogonal and triangular factors: thin ones, full ones, or the triangle alone.",
                       .parameters = {{"a"}, dtype_parameter, {"parts", ParameterKind::integer}},
                       .infer = check_matrices,
                       .cost = cost_of_qr},
                      qr_on_host, qr_on_device, is_vendors);
  qr.count_results = [](const CallView& call) { return qr_parts(call) == QrParts::triangle ? 1 : 2; };
  table.add(std::move(qr));
  Entry svd = entry_of({.name = "svd",
                        .doc = "Singular values, and vectors: none, thin or full ones.",
                        .parameters = {{"a"}, dtype_parameter, {"vectors", ParameterKind::integer}},
                        .infer = check_matrices,
                        .cost = cost_of_svd},
                       svd_on_host, svd_on_device, is_vendors);
  svd.count_results = [](const CallView& call) { return svd_vectors(call) == Vectors::none ? 1 : 3; };
  table.add(std::move(svd));
}

void add_eigenvalues(Table& table) {
  using ops::ParameterKind;
  Entry eigh = entry_of(
      {.name = "eigh",
       .doc = "Eigenvalues of Hermitian matrices given by one triangle, and vectors if wanted.",
       .parameters = {{"a"}, dtype_parameter, {"upper", ParameterKind::boolean}, {"vectors", ParameterKind::boolean}},
       .infer = check_square,
       .cost =
           [](const CallView& call) {
             const bool vectors = call.arguments.boolean(2);
             return cost_of_each(vectors ? "eigh" : "eigvalsh", call, vectors ? 9 : 1.4, 20, 6);
           }},
      eigh_on_host, eigh_on_device, is_vendors);
  eigh.count_results = [](const CallView& call) { return call.arguments.boolean(2) ? 2 : 1; };
  table.add(std::move(eigh));
  Entry eig = entry_of({.name = "eig",
                        .doc = "Complex eigenvalues of matrices, and vectors if wanted.",
                        .parameters = {{"a"}, dtype_parameter, {"vectors", ParameterKind::boolean}},
                        .infer = check_square,
                        .cost = [](const CallView& call) { return cost_of("eig", call, 25, 20, 10); }},
                       eig_on_host);
  eig.count_results = [](const CallView& call) { return call.arguments.boolean(1) ? 2 : 1; };
  table.add(std::move(eig));
}

}  // namespace

void add_linalg(Table& table) {
  add_systems(table);
  table.add(entry_of({.name = "cholesky",
                      .doc = "The lower or upper triangular factors of positive definite matrices.",
                      .parameters = {{"a"}, dtype_parameter, {"upper", ops::ParameterKind::boolean, 0}},
                      .infer = check_square,
                      .cost = [](const CallView& call) { return cost_of_each("cholesky", call, 0.34, 8, 0.1); }},
                     cholesky_on_host, cholesky_on_device, is_vendors));
  add_orthogonal_factors(table);
  add_eigenvalues(table);
}

}  // namespace tessera::routines
