#include "tessera/base/error.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/library/lapack/matrix_batch.h"

namespace tessera::library {

namespace {

constexpr const char* failure = "Eigenvalues did not converge";

/// Calls syevd or heevd with the workspace size that the routine requests.
template <class T>
class HermitianSolver {
 public:
  using R = Real<T>;
  HermitianSolver(int64_t n, bool upper, bool vectors)
      : n_(n),
        lda_(pitch_of(n)),
        job_(vectors ? 'V' : 'N'),
        uplo_(upper ? 'U' : 'L'),
        matrix(static_cast<size_t>(n * n)),
        values(static_cast<size_t>(n)) {
    T work{};
    R rwork{};
    int64_t iwork = 0;
    call(&work, -1, &rwork, -1, &iwork, -1);
    work_.resize(static_cast<size_t>(std::max<int64_t>(1, work_size(work))));
    rwork_.resize(static_cast<size_t>(std::max<int64_t>(1, work_size(rwork))));
    iwork_.resize(static_cast<size_t>(std::max<int64_t>(1, narrow(iwork))));
  }
  void run() {
    const int64_t info = call(work_.data(), static_cast<int64_t>(work_.size()), rwork_.data(),
                              static_cast<int64_t>(rwork_.size()), iwork_.data(), static_cast<int64_t>(iwork_.size()));
    require<LinAlgError>(info == 0, failure);
  }

 private:
  int64_t call(T* work, int64_t lwork, R* rwork, int64_t lrwork, int64_t* iwork, int64_t liwork) {
    int64_t info = 0;
    if constexpr (is_complex_type<T>) {
      lapack<T>().heevd(&job_, &uplo_, &n_, matrix.data(), &lda_, values.data(), work, &lwork, rwork, &lrwork, iwork,
                        &liwork, &info);
    } else {
      lapack<T>().syevd(&job_, &uplo_, &n_, matrix.data(), &lda_, values.data(), work, &lwork, iwork, &liwork, &info);
    }
    return narrow(info);
  }

  int64_t n_, lda_;
  char job_, uplo_;

 public:
  std::vector<T> matrix;
  std::vector<R> values;

 private:
  std::vector<T> work_;
  std::vector<R> rwork_;
  std::vector<int64_t> iwork_;
};

/// Calls geev; results are complex whatever T is.
template <class T>
class GeneralSolver {
 public:
  using R = Real<T>;
  using C = std::complex<R>;
  GeneralSolver(int64_t n, bool vectors)
      : n_(n),
        lda_(pitch_of(n)),
        right_(vectors ? 'V' : 'N'),
        matrix(static_cast<size_t>(n * n)),
        values(static_cast<size_t>(n)),
        vectors_(vectors ? matrix.size() : 0),
        parts_(static_cast<size_t>(2 * n)) {
    T work{};
    call(&work, -1);
    work_.resize(static_cast<size_t>(std::max<int64_t>(1, work_size(work))));
  }
  void run() {
    require<LinAlgError>(call(work_.data(), static_cast<int64_t>(work_.size())) == 0, failure);
    if constexpr (!is_complex_type<T>) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = C(parts_[i], parts_[values.size() + i]);
    }
  }
  /// The eigenvectors as columns; a real solver stores a conjugate pair as two real columns.
  std::vector<C> columns() const {
    if constexpr (is_complex_type<T>) {
      return vectors_;
    } else {
      const auto n = static_cast<size_t>(n_);
      std::vector<C> result(n * n);
      for (size_t j = 0; j < n; ++j) {
        const bool pair = values[j].imag() != 0;
        for (size_t i = 0; i < n; ++i) {
          const R re = vectors_[j * n + i];
          if (!pair) {
            result[j * n + i] = re;
            continue;
          }
          const R im = vectors_[(j + 1) * n + i];
          result[j * n + i] = C(re, im);
          result[(j + 1) * n + i] = C(re, -im);
        }
        j += pair;
      }
      return result;
    }
  }

 private:
  int64_t call(T* work, int64_t lwork) {
    const char left = 'N';
    int64_t info = 0;
    if constexpr (is_complex_type<T>) {
      lapack<T>().geev_complex(&left, &right_, &n_, matrix.data(), &lda_, values.data(), nullptr, &lda_,
                               vectors_.data(), &lda_, work, &lwork, parts_.data(), &info);
    } else {
      lapack<T>().geev_real(&left, &right_, &n_, matrix.data(), &lda_, parts_.data(), parts_.data() + n_, nullptr,
                            &lda_, vectors_.data(), &lda_, work, &lwork, &info);
    }
    return narrow(info);
  }

  int64_t n_, lda_;
  char right_;

 public:
  std::vector<T> matrix;
  std::vector<C> values;

 private:
  std::vector<T> vectors_;
  std::vector<R> parts_;
  std::vector<T> work_;
};

}  // namespace

void hermitian_eigenvalues(const Strided& a, bool upper, const Strided& w, const Strided* v) {
  with_lapack_type(a.view.dtype, [&]<class T>(T) {
    const CoreView from(a, 2), values(w, 1), vectors = v ? CoreView(*v, 2) : from;
    const int64_t n = from.rows;
    for_each_matrix(batch_of(a.view, 2), std::array{from, values, vectors}, n, [&] {
      return [&, solver = HermitianSolver<T>(n, upper, v != nullptr)](const std::array<char*, 3>& at) mutable {
        from.load(at[0], solver.matrix.data(), n);
        solver.run();
        values.store(solver.values.data(), n, at[1]);
        if (v) vectors.store(solver.matrix.data(), n, at[2]);
      };
    });
  });
}

void general_eigenvalues(const Strided& a, const Strided& w, const Strided* v) {
  with_lapack_type(a.view.dtype, [&]<class T>(T) {
    const CoreView from(a, 2), values(w, 1), vectors = v ? CoreView(*v, 2) : from;
    const int64_t n = from.rows;
    for_each_matrix(batch_of(a.view, 2), std::array{from, values, vectors}, n, [&] {
      return [&, solver = GeneralSolver<T>(n, v != nullptr)](const std::array<char*, 3>& at) mutable {
        from.load(at[0], solver.matrix.data(), n);
        solver.run();
        values.store(solver.values.data(), n, at[1]);
        if (v) vectors.store(solver.columns().data(), n, at[2]);
      };
    });
  });
}

}  // namespace tessera::library
