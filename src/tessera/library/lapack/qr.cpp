#include "tessera/base/error.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/library/lapack/matrix_batch.h"

namespace tessera::library {

namespace {

constexpr const char* qr_failure = "Incorrect argument found while performing QR factorization";

}  // namespace

void qr_packed(const Strided& a, const Strided& factors, const Strided& tau) {
  with_lapack_type(a.view.dtype, [&]<class T>(T) {
    const CoreView from(a, 2), to(factors, 2), scales(tau, 1);
    const int64_t m = from.rows, n = from.columns, lda = pitch_of(m);
    for_each_matrix(batch_of(a.view, 2), std::array{from, to, scales}, std::max(m, n), [&] {
      int64_t info = 0, lwork = -1;
      T answer{};
      lapack<T>().geqrf(&m, &n, nullptr, &lda, nullptr, &answer, &lwork, &info);
      lwork = std::max({int64_t{1}, n, work_size(answer)});
      return [&, lwork, matrix = std::vector<T>(static_cast<size_t>(m * n)),
              t = std::vector<T>(static_cast<size_t>(std::min(m, n))),
              work = std::vector<T>(static_cast<size_t>(lwork))](const std::array<char*, 3>& at) mutable {
        from.load(at[0], matrix.data(), m);
        int64_t status = 0;
        lapack<T>().geqrf(&m, &n, matrix.data(), &lda, t.data(), work.data(), &lwork, &status);
        require<LinAlgError>(narrow(status) == 0, qr_failure);
        for (int64_t j = 0; j < n; ++j) {
          for (int64_t i = 0; i < m; ++i) {
            *reinterpret_cast<T*>(at[1] + j * to.row_stride + i * to.column_stride) =
                matrix[static_cast<size_t>(j * m + i)];
          }
        }
        scales.store(t.data(), scales.rows, at[2]);
      };
    });
  });
}

void qr_orthogonal(const Strided& factors, const Strided& tau, const Strided& q) {
  with_lapack_type(q.view.dtype, [&]<class T>(T) {
    const CoreView from(factors, 2), scales(tau, 1), to(q, 2);
    const int64_t m = to.rows, k = to.columns, n = from.rows, reflections = scales.rows, lda = pitch_of(m);
    for_each_matrix(batch_of(q.view, 2), std::array{from, scales, to}, std::max(m, k), [&] {
      int64_t info = 0, lwork = -1;
      T answer{};
      lapack<T>().orgqr(&m, &k, &reflections, nullptr, &lda, nullptr, &answer, &lwork, &info);
      lwork = std::max({int64_t{1}, n, work_size(answer)});
      return [&, lwork, matrix = std::vector<T>(static_cast<size_t>(m * k)),
              t = std::vector<T>(static_cast<size_t>(reflections)),
              work = std::vector<T>(static_cast<size_t>(lwork))](const std::array<char*, 3>& at) mutable {
        for (int64_t j = 0; j < std::min(n, k); ++j) {
          for (int64_t i = 0; i < m; ++i) {
            matrix[static_cast<size_t>(j * m + i)] =
                *reinterpret_cast<const T*>(at[0] + j * from.row_stride + i * from.column_stride);
          }
        }
        scales.load(at[1], t.data(), reflections);
        int64_t status = 0;
        lapack<T>().orgqr(&m, &k, &reflections, matrix.data(), &lda, t.data(), work.data(), &lwork, &status);
        require<LinAlgError>(narrow(status) == 0, qr_failure);
        to.store(matrix.data(), m, at[2]);
      };
    });
  });
}

}  // namespace tessera::library
