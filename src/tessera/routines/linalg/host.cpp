// Linear systems and factorisations by LAPACK.
#include "tessera/library/lapack/decompose.h"
#include "tessera/library/lapack/solve.h"
#include "tessera/routines/host_operand.h"
#include "tessera/routines/linalg/linalg.h"
#include "tessera/routines/linalg/matrices.h"

namespace tessera::routines {

using library::Vectors;

void solve_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const HostOperand a(call.operand(0), dtype), b(call.operand(1), dtype);
  const Dims batch = broadcast_shapes("solve", leading(a.view(), 2), leading(b.view(), 2));
  const Elements& x = make(call, 0, with(batch, {columns(a.view()), columns(b.view())}), dtype);
  library::solve(a.strided(), b.strided(), x.strided());
}

void inv_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const HostOperand a(call.operand(), dtype);
  library::invert(a.strided(), make(call, 0, a.view().shape, dtype).strided());
}

void det_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const HostOperand a(call.operand(), dtype);
  library::determinant(a.strided(), make(call, 0, leading(a.view(), 2), dtype).strided());
}

void slogdet_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const HostOperand a(call.operand(), dtype);
  const Elements sign = make(call, 0, leading(a.view(), 2), dtype),
                 log = make(call, 1, leading(a.view(), 2), real_dtype(dtype));
  library::log_determinant(a.strided(), sign.strided(), log.strided());
}

void cholesky_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const HostOperand a(call.operand(), dtype);
  library::cholesky(a.strided(), make(call, 0, a.view().shape, dtype).strided(), call.arguments.boolean(1));
}

void qr_packed_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const HostOperand a(call.operand(), dtype);
  const Dims batch = leading(a.view(), 2);
  const Elements factors = make(call, 0, with(batch, {columns(a.view()), rows(a.view())}), dtype),
                 tau = make(call, 1, with(batch, {least_extent(a.view())}), dtype);
  library::qr_packed(a.strided(), factors.strided(), tau.strided());
}

namespace {

/// Memory for elements in C order.
struct HostScratch {
  std::unique_ptr<char[]> memory;
  Elements elements;
  HostScratch(const Dims& shape, DType dtype) {
    const View view = View::contiguous(shape, dtype);
    memory = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(view.size() * view.itemsize() + 1));
    elements = {memory.get(), view};
  }
};

/// r: the first rows of the transposed packed factors, with zeros below the diagonal.
void take_triangle(const Elements& packed, const Elements& r) {
  View first = transposed(packed.view);
  first.shape[first.ndim() - 2] = rows(r.view);
  library::copy_view(packed.data, first, r.data, r.view);
  const int64_t item = r.view.itemsize(), m = rows(r.view), n = columns(r.view), count = matrix_count(r.view);
  for (int64_t matrix = 0; matrix < (r.size() ? count : 0); ++matrix)
    for (int64_t i = 1; i < m; ++i) std::fill_n(r.data + (matrix * m + i) * n * item, std::min(i, n) * item, char{0});
}

}  // namespace

void qr_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const auto parts = static_cast<QrParts>(call.arguments.integer(1));
  const HostOperand a(call.operand(), dtype);
  const Dims batch = leading(a.view(), 2);
  const int64_t m = rows(a.view()), n = columns(a.view()), count = orthogonal_columns(a.view(), parts);
  const HostScratch packed(with(batch, {n, m}), dtype), tau(with(batch, {least_extent(a.view())}), dtype);
  library::qr_packed(a.strided(), packed.elements.strided(), tau.elements.strided());
  const bool only_triangle = parts == QrParts::triangle;
  if (!only_triangle) {
    const Elements& q = make(call, 0, with(batch, {m, count}), dtype);
    library::qr_orthogonal(packed.elements.strided(), tau.elements.strided(), q.strided());
  }
  take_triangle(packed.elements, make(call, only_triangle ? 0 : 1, with(batch, {count, n}), dtype));
}

void svd_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const auto vectors = static_cast<Vectors>(call.arguments.integer(1));
  const HostOperand a(call.operand(), dtype);
  const Dims batch = leading(a.view(), 2);
  const int64_t m = rows(a.view()), n = columns(a.view()), k = least_extent(a.view());
  const Elements s = make(call, 0, with(batch, {k}), real_dtype(dtype));
  if (vectors == Vectors::none) return library::singular_values(a.strided(), vectors, s.strided(), nullptr, nullptr);
  const bool full = vectors == Vectors::full;
  const library::Strided u = make(call, 1, with(batch, {m, full ? m : k}), dtype).strided(),
                         vh = make(call, 2, with(batch, {full ? n : k, n}), dtype).strided();
  library::singular_values(a.strided(), vectors, s.strided(), &u, &vh);
}

void eigh_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0);
  const bool upper = call.arguments.boolean(1);
  const HostOperand a(call.operand(), dtype);
  const library::Strided w = make(call, 0, leading(a.view(), 1), real_dtype(dtype)).strided();
  if (!call.arguments.boolean(2)) return library::hermitian_eigenvalues(a.strided(), upper, w, nullptr);
  const library::Strided v = make(call, 1, a.view().shape, dtype).strided();
  library::hermitian_eigenvalues(a.strided(), upper, w, &v);
}

void eig_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0), complex = complex_dtype(dtype);
  const HostOperand a(call.operand(), dtype);
  const library::Strided w = make(call, 0, leading(a.view(), 1), complex).strided();
  if (!call.arguments.boolean(1)) return library::general_eigenvalues(a.strided(), w, nullptr);
  const library::Strided v = make(call, 1, a.view().shape, complex).strided();
  library::general_eigenvalues(a.strided(), w, &v);
}

void lstsq_on_host(HostCall& call) {
  const DType dtype = call.arguments.dtype(0), real = real_dtype(dtype);
  const HostOperand a(call.operand(0), dtype), b(call.operand(1), dtype);
  const Elements x = make(call, 0, {columns(a.view()), columns(b.view())}, dtype),
                 residuals = make(call, 1, {columns(b.view())}, real),
                 s = make(call, 2, {least_extent(a.view())}, real), rank = make(call, 3, {}, DType::int64);
  library::least_squares(a.strided(), b.strided(), call.arguments.real(1), x.strided(), residuals.strided(),
                         *rank.as<int64_t>(), s.strided());
}

}  // namespace tessera::routines
