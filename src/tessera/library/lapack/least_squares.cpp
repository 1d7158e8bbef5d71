#include <limits>

#include "tessera/base/error.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/library/lapack/matrix_batch.h"

namespace tessera::library {

namespace {

template <class T>
struct LeastSquares {
  using R = Real<T>;
  int64_t m, n, k, lda, ldb;
  R rcond;
  std::vector<T> a, b;
  std::vector<R> s;
  int64_t rank = 0;

  LeastSquares(int64_t rows, int64_t columns, int64_t sides, double cutoff)
      : m(rows),
        n(columns),
        k(sides),
        lda(pitch_of(rows)),
        ldb(pitch_of(std::max(rows, columns))),
        rcond(static_cast<R>(cutoff)),
        a(static_cast<size_t>(rows * columns)),
        b(static_cast<size_t>(ldb * sides)),
        s(static_cast<size_t>(std::min(rows, columns))) {}

  int64_t call(T* work, int64_t lwork, R* rwork, int64_t* iwork) {
    int64_t info = 0;
    if constexpr (is_complex_type<T>) {
      lapack<T>().gelsd_complex(&m, &n, &k, a.data(), &lda, b.data(), &ldb, s.data(), &rcond, &rank, work, &lwork,
                                rwork, iwork, &info);
    } else {
      lapack<T>().gelsd_real(&m, &n, &k, a.data(), &lda, b.data(), &ldb, s.data(), &rcond, &rank, work, &lwork, iwork,
                             &info);
    }
    return narrow(info);
  }
  void run() {
    T work{};
    R rwork{};
    int64_t iwork = 0;
    call(&work, -1, &rwork, &iwork);
    std::vector<T> works(static_cast<size_t>(std::max<int64_t>(1, work_size(work))));
    std::vector<R> rworks(static_cast<size_t>(std::max<int64_t>(1, work_size(rwork))));
    std::vector<int64_t> iworks(static_cast<size_t>(std::max<int64_t>(1, narrow(iwork))));
    const int64_t info = call(works.data(), static_cast<int64_t>(works.size()), rworks.data(), iworks.data());
    require<LinAlgError>(info == 0, "SVD did not converge in Linear Least Squares");
    rank = narrow(rank);
  }
};

}  // namespace

void least_squares(const Strided& a, const Strided& b, double rcond, const Strided& x, const Strided& residuals,
                   int64_t& rank, const Strided& s) {
  with_lapack_type(a.view.dtype, [&]<class T>(T) {
    using R = Real<T>;
    const CoreView left(a, 2), right(b, 2), solution(x, 2), values(s, 1), rest(residuals, 1);
    LeastSquares<T> problem(left.rows, left.columns, right.columns, rcond);
    left.load(a.data, problem.a.data(), problem.lda);
    right.load(b.data, problem.b.data(), problem.ldb);
    problem.run();
    solution.store(problem.b.data(), problem.ldb, x.data);
    values.store(problem.s.data(), values.rows, s.data);
    rank = problem.rank;
    for (int64_t j = 0; j < problem.k; ++j) {
      R sum = rank == problem.n && problem.m >= problem.n ? R(0) : std::numeric_limits<R>::quiet_NaN();
      for (int64_t i = problem.n; i < problem.m; ++i)
        sum += std::norm(problem.b[static_cast<size_t>(j * problem.ldb + i)]);
      *reinterpret_cast<R*>(residuals.data + j * rest.row_stride) = sum;
    }
  });
}

}  // namespace tessera::library
