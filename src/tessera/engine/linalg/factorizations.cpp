#include "tessera/engine/linalg/factorizations.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/linalg/device_solvers.h"
#include "tessera/engine/linalg/host_access.h"
#include "tessera/engine/linalg/matrix_scratch.h"
#include "tessera/engine/linalg/tall.h"
#include "tessera/library/lapack/solve.h"

namespace tessera {

namespace {

Dims leading(const Array& a, int core) {
  Dims shape = a.shape();
  for (int i = 0; i < core; ++i) shape.pop_back();
  return shape;
}

Dims with(Dims shape, std::initializer_list<int64_t> extents) {
  for (const int64_t extent : extents) shape.push_back(extent);
  return shape;
}

int64_t rows(const Array& a) { return a.shape()[a.shape().size() - 2]; }
int64_t columns(const Array& a) { return a.shape().back(); }
/// Estimated operations, which grow with the cube of the extents.
int64_t effort(const Array& a) { return a.size() * std::max<int64_t>(1, columns(a)); }

}  // namespace

Array solve(Engine& engine, const Array& a, const Array& b, DType dtype) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_solve(engine, a, b, dtype)) return *made;
  const HostRead left(engine, a, dtype), right(engine, b, dtype);
  const Dims batch = broadcast_shapes("solve", leading(a, 2), leading(b, 2));
  const HostResult x(engine, with(batch, {columns(a), columns(b)}), dtype);
  const HostWork work(engine, effort(a));
  library::solve(left.strided(), right.strided(), x.strided());
  return x.array();
}

Array invert(Engine& engine, const Array& a, DType dtype) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_invert(engine, a, dtype)) return *made;
  const HostRead read(engine, a, dtype);
  const HostResult result(engine, a.shape(), dtype);
  const HostWork work(engine, effort(a));
  library::invert(read.strided(), result.strided());
  return result.array();
}

namespace {

/// sign * exp(log), of arrays on the host.
Array from_logarithm(Engine& engine, const Array& sign, const Array& log) {
  const HostRead signs(engine, sign, sign.dtype()), logs(engine, log, log.dtype());
  const HostResult result(engine, sign.shape(), sign.dtype());
  const auto* sizes = reinterpret_cast<const double*>(logs.data());
  for (int64_t i = 0; i < sign.size(); ++i) {
    if (is_complex(sign.dtype())) {
      using Complex = std::complex<double>;
      reinterpret_cast<Complex*>(result.data())[i] =
          reinterpret_cast<const Complex*>(signs.data())[i] * std::exp(sizes[i]);
    } else {
      reinterpret_cast<double*>(result.data())[i] =
          reinterpret_cast<const double*>(signs.data())[i] * std::exp(sizes[i]);
    }
  }
  return result.array();
}

}  // namespace

Array determinant(Engine& engine, const Array& a, DType dtype) {
  const engine::PlacedCall call;
  if (auto parts = on_device::try_log_determinant(engine, a, dtype))
    return from_logarithm(engine, parts->first, parts->second);
  const HostRead read(engine, a, dtype);
  const HostResult result(engine, leading(a, 2), dtype);
  const HostWork work(engine, effort(a));
  library::determinant(read.strided(), result.strided());
  return result.array();
}

std::pair<Array, Array> log_determinant(Engine& engine, const Array& a, DType dtype) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_log_determinant(engine, a, dtype)) return *made;
  const HostRead read(engine, a, dtype);
  const HostResult sign(engine, leading(a, 2), dtype), log(engine, leading(a, 2), real_dtype(dtype));
  const HostWork work(engine, effort(a));
  library::log_determinant(read.strided(), sign.strided(), log.strided());
  return {sign.array(), log.array()};
}

Array cholesky(Engine& engine, const Array& a, bool upper, DType dtype) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_cholesky(engine, a, upper, dtype)) return *made;
  const HostRead read(engine, a, dtype);
  const HostResult result(engine, a.shape(), dtype);
  const HostWork work(engine, effort(a));
  library::cholesky(read.strided(), result.strided(), upper);
  return result.array();
}

std::pair<Array, Array> qr_packed(Engine& engine, const Array& a, DType dtype) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_qr_packed(engine, a, dtype)) return *made;
  const HostRead read(engine, a, dtype);
  const HostResult factors(engine, with(leading(a, 2), {columns(a), rows(a)}), dtype);
  const HostResult tau(engine, with(leading(a, 2), {std::min(rows(a), columns(a))}), dtype);
  const HostWork work(engine, effort(a));
  library::qr_packed(read.strided(), factors.strided(), tau.strided());
  return {factors.array(), tau.array()};
}

std::optional<std::pair<Array, Array>> try_qr_thin(Engine& engine, const Array& a, DType dtype) {
  std::optional<std::pair<Array, Array>> result;
  if (!on_device::is_tall(a)) return result;
  const double operations = 4.0 * static_cast<double>(a.size()) * static_cast<double>(columns(a));
  if (runtime::Device* device = on_device::solver_device(engine, {&a}, dtype, false,
                                                         engine::cost_of_factors("tall qr", operations, 2, 0, dtype))) {
    try_library(engine, "qr", [&] {
      if (const auto made = on_device::try_tall_qr(engine, *device, a, dtype)) result.emplace(made->q, made->r);
    });
  }
  return result;
}

Array qr_orthogonal(Engine& engine, const Array& factors, const Array& tau, int64_t count) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_qr_orthogonal(engine, factors, tau, count)) return *made;
  const DType dtype = factors.dtype();
  const HostRead packed(engine, factors, dtype), scales(engine, tau, dtype);
  const HostResult q(engine, with(leading(factors, 2), {columns(factors), count}), dtype);
  const HostWork work(engine, effort(factors));
  library::qr_orthogonal(packed.strided(), scales.strided(), q.strided());
  return q.array();
}

Svd singular_values(Engine& engine, const Array& a, Vectors vectors, DType dtype) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_singular_values(engine, a, vectors, dtype)) return *made;
  const HostRead read(engine, a, dtype);
  const Dims batch = leading(a, 2);
  const int64_t m = rows(a), n = columns(a), k = std::min(m, n);
  const HostResult s(engine, with(batch, {k}), real_dtype(dtype));
  if (vectors == Vectors::none) {
    const HostWork work(engine, effort(a));
    library::singular_values(read.strided(), vectors, s.strided(), nullptr, nullptr);
    return {s.array(), {}, {}};
  }
  const bool full = vectors == Vectors::full;
  const HostResult u(engine, with(batch, {m, full ? m : k}), dtype), vh(engine, with(batch, {full ? n : k, n}), dtype);
  const library::Strided left = u.strided(), right = vh.strided();
  const HostWork work(engine, effort(a));
  library::singular_values(read.strided(), vectors, s.strided(), &left, &right);
  return {s.array(), u.array(), vh.array()};
}

Eigen hermitian_eigenvalues(Engine& engine, const Array& a, bool upper, bool vectors, DType dtype) {
  const engine::PlacedCall call;
  if (auto made = on_device::try_hermitian_eigenvalues(engine, a, upper, vectors, dtype)) return *made;
  const HostRead read(engine, a, dtype);
  const HostResult w(engine, leading(a, 1), real_dtype(dtype));
  if (!vectors) {
    const HostWork work(engine, effort(a));
    library::hermitian_eigenvalues(read.strided(), upper, w.strided(), nullptr);
    return {w.array(), {}};
  }
  const HostResult v(engine, a.shape(), dtype);
  const library::Strided out = v.strided();
  const HostWork work(engine, effort(a));
  library::hermitian_eigenvalues(read.strided(), upper, w.strided(), &out);
  return {w.array(), v.array()};
}

Eigen general_eigenvalues(Engine& engine, const Array& a, bool vectors, DType dtype) {
  const HostRead read(engine, a, dtype);
  const DType complex = complex_dtype(dtype);
  const HostResult w(engine, leading(a, 1), complex);
  if (!vectors) {
    const HostWork work(engine, effort(a));
    library::general_eigenvalues(read.strided(), w.strided(), nullptr);
    return {w.array(), {}};
  }
  const HostResult v(engine, a.shape(), complex);
  const library::Strided out = v.strided();
  const HostWork work(engine, effort(a));
  library::general_eigenvalues(read.strided(), w.strided(), &out);
  return {w.array(), v.array()};
}

LeastSquares least_squares(Engine& engine, const Array& a, const Array& b, double rcond, DType dtype) {
  const HostRead left(engine, a, dtype), right(engine, b, dtype);
  const int64_t m = rows(a), n = columns(a), k = columns(b), least = std::min(m, n);
  const int64_t solution[] = {n, k}, sides[] = {k}, values[] = {least};
  const HostResult x(engine, solution, dtype), residuals(engine, sides, real_dtype(dtype)),
      s(engine, values, real_dtype(dtype));
  int64_t rank = 0;
  const HostWork work(engine, effort(a));
  library::least_squares(left.strided(), right.strided(), rcond, x.strided(), residuals.strided(), rank, s.strided());
  return {x.array(), residuals.array(), s.array(), rank};
}

}  // namespace tessera
