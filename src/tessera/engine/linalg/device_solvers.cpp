#include "tessera/engine/linalg/device_solvers.h"

#include <cmath>
#include <complex>

#include "tessera/base/error.h"
#include "tessera/engine/common_ops.h"
#include "tessera/engine/linalg/host_access.h"
#include "tessera/engine/linalg/matrix_scratch.h"
#include "tessera/engine/linalg/tall.h"

namespace tessera::on_device {

namespace lib = library::on_device;
using lib::Matrices;
using library::LibraryMissing;
using runtime::Device;

namespace {

Dims with(Dims shape, std::initializer_list<int64_t> extents) {
  for (const int64_t extent : extents) shape.push_back(extent);
  return shape;
}
Dims leading(const Array& a, int core) {
  Dims shape = a.shape();
  for (int i = 0; i < core; ++i) shape.pop_back();
  return shape;
}
int64_t rows(const Array& a) { return a.shape()[a.shape().size() - 2]; }
int64_t columns(const Array& a) { return a.shape().back(); }
int64_t count_of(const Array& a) { return a.size() / std::max<int64_t>(1, rows(a) * columns(a)); }

Array dense(Engine& engine, const Array& a) { return engine.copy(a, a.dtype(), Order::c); }

/// Runs `body` on the device; empty when there is no device for these matrices or one of its libraries is missing.
template <class Body>
auto attempt(Engine& engine, const engine::CallCost& cost, std::initializer_list<const Array*> matrices, DType dtype,
             bool many_at_once, Body&& body) -> std::optional<decltype(body(std::declval<Device&>()))> {
  std::optional<decltype(body(std::declval<Device&>()))> result;
  if (Device* device = solver_device(engine, matrices, dtype, many_at_once, cost))
    try_library(engine, cost.op.data(), [&] { result = body(*device); });
  return result;
}

/// Cost of `effort` * elements * shorter extent operations. `waste` is the slowdown against a product on the device;
/// methods that work column by column take `launches_a_column` launches for each column.
engine::CallCost cost_of(const char* op, const Array& a, DType dtype, double effort, double waste,
                         double launches_a_column) {
  const auto n = static_cast<double>(std::min(rows(a), columns(a)));
  return engine::cost_of_factors(op, effort * static_cast<double>(a.size()) * n, waste, launches_a_column * n, dtype);
}

/// Tall matrices are factored by products, others by the library's column-by-column method.
engine::CallCost cost_of_svd(const Array& a, Vectors vectors, DType dtype) {
  if (is_tall(a) && vectors != Vectors::full) return cost_of("tall svd", a, dtype, 6, 2, 0);
  return cost_of("svd", a, dtype, vectors == Vectors::none ? 4 : 20, 20, 10);
}

/// Solves a * x = b with factors of a, for all columns of b together.
Array solve_by_factors(Engine& engine, Device& device, const Array& a, const Array& b, DType dtype) {
  const Dims batch = broadcast_shapes("solve", leading(a, 2), leading(b, 2));
  const auto spread = [&](const Array& x) {
    return x.with_view(x.view.broadcast_to(with(batch, {rows(x), columns(x)})));
  };
  const MatrixScratch lu(engine, device, spread(a), dtype), x(engine, device, transposed(spread(b)), dtype);
  const lib::LuFactors factors = lib::factor_lu(device, lu.matrices());
  require<LinAlgError>(factors.info == 0, "Singular matrix (solve of {} by {}, pivot {})", shape_text(a.shape()),
                       shape_text(b.shape()), factors.info);
  lib::solve_lu(device, lu.matrices(), factors, true, x.matrices());
  return columns(b) == 1 ? transposed(x.array()) : dense(engine, transposed(x.array()));
}

/// Identity matrices.
DeviceResult identity(Engine& engine, Device& device, const Dims& shape, DType dtype) {
  const DeviceResult made(engine, device, shape, dtype);
  device.stream().fill_zero(made.data(), static_cast<size_t>(made.array().size() * itemsize(dtype)));
  const int ndim = made.array().ndim();
  // The device's single stream keeps the order: the write happens in place, as nothing else references the array.
  engine.assign(made.array().with_view(made.array().view.diagonal(0, ndim - 2, ndim - 1)), Scalar::of_int(dtype, 1),
                {});
  return made;
}

/// The elements of one triangle, zeros in the other.
Array triangle(Engine& engine, const Array& a, bool upper) {
  static const ops::Op& compare = *ops::OpTable::standard().find("greater_equal");
  const int64_t n = columns(a), tall[] = {n, 1}, wide[] = {1, n};
  const Array index = engine.arange(Scalar::of_int(DType::int64, 0), Scalar::of_int(DType::int64, 1), n);
  const Operand down = index.with_view(*index.view.try_reshape(tall)),
                across = index.with_view(*index.view.try_reshape(wide));
  const ops::OperandType types[] = {{DType::int64}, {DType::int64}};
  const Operand operands[] = {upper ? across : down, upper ? down : across};
  Array mask, result;
  engine.map(compare, ops::resolve(compare, types), operands, std::span(&mask, 1), nullptr, {});
  const auto& common = engine::CommonOps::get();
  const Operand chosen[] = {mask, a, Scalar::of_int(a.dtype(), 0)};
  engine.map(*common.select, common.select_signature(a.dtype()), chosen, std::span(&result, 1), nullptr, {});
  return result;
}

/// One determinant from the diagonal of its factors, computed as LAPACK's callers do.
template <class T, class R>
void read_determinant(const T* diagonal, int64_t n, bool odd, T& sign, R& log) {
  sign = odd ? T(-1) : T(1);
  log = 0;
  for (int64_t i = 0; i < n; ++i) {
    const R size = std::abs(diagonal[i]);
    if (size == 0) {
      sign = T(0);
      log = -INFINITY;
      return;
    }
    sign *= diagonal[i] / size;
    log += std::log(size);
  }
}

std::vector<int64_t> pivots_home(Device& device, const lib::LuFactors& factors, int64_t size) {
  std::vector<int64_t> pivots(static_cast<size_t>(size));
  if (!factors.narrow) {
    device.stream().copy_out(reinterpret_cast<char*>(pivots.data()), factors.pivots->data(), 8 * pivots.size());
    return pivots;
  }
  std::vector<int32_t> small(pivots.size());
  device.stream().copy_out(reinterpret_cast<char*>(small.data()), factors.pivots->data(), 4 * small.size());
  return {small.begin(), small.end()};
}

Svd svd(Engine& engine, Device& device, const Array& a, Vectors vectors, DType dtype) {
  const Dims batch = leading(a, 2);
  const int64_t m = rows(a), n = columns(a), least = std::min(m, n), most = std::max(m, n);
  // The library requires at least as many rows as columns: a tall matrix is passed as it is, a wide one as its
  // transpose.
  const bool wide = m < n;
  const MatrixScratch scratch(engine, device, wide ? a : transposed(a), dtype);
  const DeviceResult s(engine, device, with(batch, {least}), real_dtype(dtype));
  if (vectors == Vectors::none) {
    lib::singular_values(device, scratch.matrices(), vectors, s.data(), Matrices(dtype), Matrices(dtype));
    return {s.array(), {}, {}};
  }
  const int64_t kept = vectors == Vectors::full ? most : least;
  const DeviceResult longer(engine, device, with(batch, {kept, most}), dtype),
      shorter(engine, device, with(batch, {least, least}), dtype);
  lib::singular_values(device, scratch.matrices(), vectors, s.data(), Matrices(longer.strided()),
                       Matrices(shorter.strided()));
  if (wide) return {s.array(), shorter.array(), longer.array()};
  return {s.array(), dense(engine, transposed(longer.array())), dense(engine, transposed(shorter.array()))};
}

}  // namespace

Device* solver_device(Engine& engine, std::initializer_list<const Array*> matrices, DType dtype, bool many_at_once,
                      const engine::CallCost& cost) {
  constexpr int64_t small = 64 * 64, many = 16;
  if (dtype != DType::float64 && dtype != DType::complex128) return nullptr;
  for (const Array* a : matrices) {
    if (a->size() == 0) return nullptr;
    if (!many_at_once && count_of(*a) > many && rows(*a) * columns(*a) <= small) return nullptr;
  }
  return library_device(engine, matrices, cost);
}

std::optional<Array> try_solve(Engine& engine, const Array& a, const Array& b, DType dtype) {
  return attempt(
      engine,
      cost_of("solve", a, dtype, 1 + 2.0 * static_cast<double>(columns(b)) / static_cast<double>(columns(a)), 8, 0.3),
      {&a, &b}, dtype, true, [&](Device& device) { return solve_by_factors(engine, device, a, b, dtype); });
}

std::optional<Array> try_invert(Engine& engine, const Array& a, DType dtype) {
  return attempt(engine, cost_of("inv", a, dtype, 2, 8, 0.3), {&a}, dtype, true, [&](Device& device) {
    const MatrixScratch lu(engine, device, a, dtype);
    const lib::LuFactors factors = lib::factor_lu(device, lu.matrices());
    require<LinAlgError>(factors.info == 0, "Singular matrix (inv of {}, pivot {})", shape_text(a.shape()),
                         factors.info);
    // Rows of the inverse are columns of the transpose's inverse, and the transpose is what was factored.
    const Array unit = identity(engine, device, a.shape(), dtype).array();
    const MatrixScratch inverse(engine, device, unit, dtype);
    lib::solve_lu(device, lu.matrices(), factors, false, inverse.matrices());
    return inverse.array();
  });
}

std::optional<std::pair<Array, Array>> try_log_determinant(Engine& engine, const Array& a, DType dtype) {
  return attempt(engine, cost_of("det", a, dtype, 0.7, 8, 0.3), {&a}, dtype, true, [&](Device& device) {
    const int64_t n = columns(a), count = count_of(a);
    const MatrixScratch lu(engine, device, a, dtype);
    const lib::LuFactors factors = lib::factor_lu(device, lu.matrices());
    const std::vector<int64_t> pivots = pivots_home(device, factors, n * count);
    const HostRead diagonal(
        engine, dense(engine, lu.array().with_view(lu.array().view.diagonal(0, a.ndim() - 2, a.ndim() - 1))), dtype);
    const HostResult sign(engine, leading(a, 2), dtype), log(engine, leading(a, 2), DType::float64);
    for (int64_t i = 0; i < count; ++i) {
      bool odd = false;
      for (int64_t k = 0; k < n; ++k) odd ^= pivots[static_cast<size_t>(i * n + k)] != k + 1;
      double& size = reinterpret_cast<double*>(log.data())[i];
      const char* at = diagonal.data() + i * n * itemsize(dtype);
      if (dtype == DType::float64) {
        read_determinant(reinterpret_cast<const double*>(at), n, odd, reinterpret_cast<double*>(sign.data())[i], size);
      } else {
        using Complex = std::complex<double>;
        read_determinant(reinterpret_cast<const Complex*>(at), n, odd, reinterpret_cast<Complex*>(sign.data())[i],
                         size);
      }
    }
    return std::pair(sign.array(), log.array());
  });
}

std::optional<Array> try_cholesky(Engine& engine, const Array& a, bool upper, DType dtype) {
  return attempt(engine, cost_of("cholesky", a, dtype, 0.34, 8, 0.1), {&a}, dtype, false, [&](Device& device) {
    const MatrixScratch factor(engine, device, a, dtype);
    lib::cholesky(device, factor.matrices(), upper);
    return triangle(engine, factor.array(), upper);
  });
}

std::optional<std::pair<Array, Array>> try_qr_packed(Engine& engine, const Array& a, DType dtype) {
  return attempt(engine, cost_of("qr", a, dtype, 2, 16, 0.3), {&a}, dtype, false, [&](Device& device) {
    const MatrixScratch packed(engine, device, transposed(a), dtype);
    const DeviceResult tau(engine, device, with(leading(a, 2), {std::min(rows(a), columns(a))}), dtype);
    lib::qr_packed(device, packed.matrices(), tau.data());
    return std::pair(packed.array(), tau.array());
  });
}

std::optional<Array> try_qr_orthogonal(Engine& engine, const Array& factors, const Array& tau, int64_t count) {
  const DType dtype = factors.dtype();
  return attempt(engine, cost_of("orthogonal factor", factors, dtype, 2, 16, 0.3), {&factors}, dtype, false,
                 [&](Device& device) {
                   const int64_t m = columns(factors), given = std::min(rows(factors), count);
                   // The library fills in the columns beyond those made by the reflections.
                   const DeviceResult q(engine, device, with(leading(factors, 2), {count, m}), dtype);
                   const int axis = q.array().ndim() - 2;
                   device.stream().fill_zero(q.data(), static_cast<size_t>(q.array().size() * itemsize(dtype)));
                   engine.assign(q.array().with_view(q.array().view.slice(axis, 0, 1, given)),
                                 factors.with_view(factors.view.slice(axis, 0, 1, given)), {});
                   const MatrixScratch columns_of_q(engine, device, q.array(), dtype);
                   const DeviceRead scales(engine, device, engine.contiguous(tau, dtype), dtype);
                   lib::qr_orthogonal(device, columns_of_q.matrices(), scales.strided().data, columns(tau));
                   return dense(engine, transposed(columns_of_q.array()));
                 });
}

std::optional<Svd> try_singular_values(Engine& engine, const Array& a, Vectors vectors, DType dtype) {
  return attempt(engine, cost_of_svd(a, vectors, dtype), {&a}, dtype, false, [&](Device& device) {
    if (vectors != Vectors::full) {
      if (auto made = try_tall_svd(engine, device, a, vectors, dtype)) return *made;
    }
    return svd(engine, device, a, vectors, dtype);
  });
}

std::optional<Eigen> try_hermitian_eigenvalues(Engine& engine, const Array& a, bool upper, bool vectors, DType dtype) {
  return attempt(engine, cost_of(vectors ? "eigh" : "eigvalsh", a, dtype, vectors ? 9 : 1.4, 20, 6), {&a}, dtype, false,
                 [&](Device& device) {
                   const MatrixScratch scratch(engine, device, transposed(a), dtype);
                   const DeviceResult w(engine, device, leading(a, 1), real_dtype(dtype));
                   lib::hermitian_eigenvalues(device, scratch.matrices(), upper, vectors, w.data());
                   if (!vectors) return Eigen{w.array(), {}};
                   return Eigen{w.array(), dense(engine, transposed(scratch.array()))};
                 });
}

}  // namespace tessera::on_device
