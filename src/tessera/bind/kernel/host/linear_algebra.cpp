#include "tessera/bind/kernel/host/linear_algebra.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/kernel/options.h"
#include "tessera/layout/view.h"
#include "tessera/library/blas/batch.h"
#include "tessera/library/blas/dot.h"
#include "tessera/library/blas/matmul.h"
#include "tessera/library/host/sort.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/library/lapack/small.h"
#include "tessera/library/lapack/solve.h"

namespace tessera::bind {

using kernel::LinearAlgebra;
using library::Strided;

namespace {

std::vector<Strided> read_arrays(const int64_t* words) {
  std::vector<Strided> arrays(static_cast<size_t>(*words++));
  for (Strided& array : arrays) {
    array.view.dtype = static_cast<DType>(*words++);
    const auto axes = static_cast<size_t>(*words++);
    array.data = reinterpret_cast<char*>(static_cast<uintptr_t>(*words++));
    array.view.shape = Dims(std::span(words, axes));
    words += axes;
    array.view.strides = Dims(std::span(words, axes));
    words += axes;
  }
  return arrays;
}

library::Matrix matrix_of(const Strided& a) {
  return {a.data, a.view.shape[0], a.view.shape[1], a.view.strides[0], a.view.strides[1]};
}

library::Vector vector_of(const Strided& a) { return {a.data, a.view.shape[0], a.view.strides[0]}; }

/// left @ right, as NumPy's matmul.
void multiply(const Strided& left, const Strided& right, const Strided& result) {
  const DType dtype = left.view.dtype;
  const size_t rows = left.view.shape.size(), columns = right.view.shape.size();
  if (rows == 2 && columns == 2) return library::matmul(dtype, matrix_of(left), matrix_of(right), matrix_of(result));
  if (rows == 2) return library::matvec(dtype, matrix_of(left), vector_of(right), vector_of(result));
  return library::dot(dtype, vector_of(left), vector_of(right), result.data);
}

int64_t least_squares(std::span<const Strided> x) {
  const auto most = static_cast<double>(std::max(x[0].view.shape[0], x[0].view.shape[1]));
  int64_t rank = 0;
  library::least_squares(x[0], x[1], most * std::numeric_limits<double>::epsilon(), x[2], x[3], rank, x[4]);
  return rank;
}

/// Sorts of rows in C order.
void arrange(LinearAlgebra routine, std::span<const Strided> x) {
  const Dims& shape = x[0].view.shape;
  const DType dtype = x[0].view.dtype;
  const int64_t n = shape.back(), rows = shape.size() > 1 ? shape[0] : 1;
  if (routine == LinearAlgebra::sort) return library::sort_rows(x[0].data, dtype, rows, n);
  if (routine == LinearAlgebra::order)
    return library::argsort_rows(x[0].data, dtype, rows, n, reinterpret_cast<int64_t*>(x[1].data));
  const std::span places(reinterpret_cast<const int64_t*>(x[1].data), static_cast<size_t>(x[1].view.shape[0]));
  if (routine == LinearAlgebra::partition) return library::partition_rows(x[0].data, dtype, rows, n, places, x[2].data);
  library::argpartition_rows(x[0].data, dtype, rows, n, places, reinterpret_cast<int64_t*>(x[2].data));
}

/// Whether the matrix is so small that LAPACK is not asked, which then is done.
bool run_small(LinearAlgebra routine, std::span<const Strided> x) {
  const auto number = [&](size_t k) -> double& { return *reinterpret_cast<double*>(x[k].data); };
  if (!library::is_small(x[0])) return false;
  if (routine == LinearAlgebra::solve)
    library::solve_small(x[0], x[1], x[2]);
  else if (routine == LinearAlgebra::inverse)
    library::invert_small(x[0], x[1]);
  else if (routine == LinearAlgebra::determinant)
    number(1) = library::small_determinant(x[0]);
  else if (routine == LinearAlgebra::log_determinant)
    library::small_log_determinant(x[0], number(1), number(2));
  else
    return false;
  return true;
}

int64_t run(LinearAlgebra routine, std::span<const Strided> x) {
  if (run_small(routine, x)) return 0;
  switch (routine) {
    case LinearAlgebra::product: multiply(x[0], x[1], x[2]); return 0;
    case LinearAlgebra::solve: library::solve(x[0], x[1], x[2]); return 0;
    case LinearAlgebra::inverse: library::invert(x[0], x[1]); return 0;
    case LinearAlgebra::determinant: library::determinant(x[0], x[1]); return 0;
    case LinearAlgebra::log_determinant: library::log_determinant(x[0], x[1], x[2]); return 0;
    case LinearAlgebra::cholesky: library::cholesky(x[0], x[1], false); return 0;
    case LinearAlgebra::qr:
      library::qr_packed(x[0], x[1], x[2]);
      library::qr_orthogonal(x[1], x[2], x[3]);
      return 0;
    case LinearAlgebra::eigenvalues: library::hermitian_eigenvalues(x[0], false, x[1], &x[2]); return 0;
    case LinearAlgebra::singular_values:
      library::singular_values(x[0], library::Vectors::none, x[1], nullptr, nullptr);
      return 0;
    case LinearAlgebra::thin_singular_vectors:
      library::singular_values(x[0], library::Vectors::thin, x[1], &x[2], &x[3]);
      return 0;
    case LinearAlgebra::singular_vectors:
      library::singular_values(x[0], library::Vectors::full, x[1], &x[2], &x[3]);
      return 0;
    case LinearAlgebra::least_squares: return least_squares(x);
    case LinearAlgebra::eigenvalues_alone: library::hermitian_eigenvalues(x[0], false, x[1], nullptr); return 0;
    case LinearAlgebra::general_eigenvalues: library::general_eigenvalues(x[0], x[1], &x[2]); return 0;
    case LinearAlgebra::general_eigenvalues_alone: library::general_eigenvalues(x[0], x[1], nullptr); return 0;
    case LinearAlgebra::sort:
    case LinearAlgebra::order:
    case LinearAlgebra::partition:
    case LinearAlgebra::partition_order: arrange(routine, x); return 0;
  }
  return 0;
}

}  // namespace

int64_t ask_linear_algebra(const int64_t* operands) {
  const std::vector<Strided> arrays = read_arrays(operands + 1);
  try {
    return run(static_cast<LinearAlgebra>(operands[0]), arrays);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::linalg) throw;
    return -1;
  }
}

}  // namespace tessera::bind
