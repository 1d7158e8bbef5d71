#include "tessera/library/lapack/solve.h"

#include <cmath>
#include <limits>

#include "tessera/base/error.h"
#include "tessera/library/blas/vendor_library.h"
#include "tessera/library/lapack/matrix_batch.h"

namespace tessera::library {

namespace {

template <class T>
void solve_all(const CoreView& a, const CoreView* b, const CoreView& x) {
  const int64_t n = a.rows, k = x.columns, lda = pitch_of(n);
  const Dims batch = batch_of(x.operand.view, 2);
  const std::array<CoreView, 3> operands{a, b ? *b : a, x};
  for_each_matrix(batch, operands, std::max(n, k), [&] {
    return [&, matrix = std::vector<T>(static_cast<size_t>(n * n)), right = std::vector<T>(static_cast<size_t>(n * k)),
            pivots = std::vector<int64_t>(static_cast<size_t>(n))](const std::array<char*, 3>& at) mutable {
      a.load(at[0], matrix.data(), n);
      if (b) {
        b->load(at[1], right.data(), n);
      } else {
        std::fill(right.begin(), right.end(), T(0));
        for (int64_t i = 0; i < n; ++i) right[static_cast<size_t>(i * n + i)] = T(1);
      }
      int64_t info = 0;
      lapack<T>().gesv(&n, &k, matrix.data(), &lda, pivots.data(), right.data(), &lda, &info);
      require<LinAlgError>(narrow(info) == 0, "Singular matrix");
      x.store(right.data(), n, at[2]);
    };
  });
}

/// The sign and the logarithm of one determinant, from its LU factors.
template <class T>
std::pair<T, Real<T>> read_factors(const std::vector<T>& lu, const std::vector<int64_t>& pivots, int64_t n,
                                   int64_t info) {
  using R = Real<T>;
  if (info > 0) return {T(0), -std::numeric_limits<R>::infinity()};
  const bool wide = VendorLibrary::instance().wide_integers();
  const auto* narrow_pivots = reinterpret_cast<const int32_t*>(pivots.data());
  bool odd = false;
  for (int64_t i = 0; i < n; ++i) {
    odd ^= (wide ? pivots[static_cast<size_t>(i)] : narrow_pivots[i]) != i + 1;
  }
  T sign = odd ? T(-1) : T(1);
  R log = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T x = lu[static_cast<size_t>(i * n + i)];
    const R size = std::abs(x);
    if constexpr (is_complex_type<T>) {
      const T unit(x.real() / size, x.imag() / size);
      sign = T(sign.real() * unit.real() - sign.imag() * unit.imag(),
               sign.real() * unit.imag() + sign.imag() * unit.real());
    } else if (x < 0) {
      sign = -sign;
    }
    log += std::log(size);
  }
  return {sign, log};
}

template <class T, class Store>
void factor_all(const CoreView& a, const CoreView& first, const CoreView& second, Store&& store) {
  const int64_t n = a.rows, lda = pitch_of(n);
  const std::array<CoreView, 3> operands{a, first, second};
  for_each_matrix(batch_of(a.operand.view, 2), operands, n, [&] {
    return [&, matrix = std::vector<T>(static_cast<size_t>(n * n)),
            pivots = std::vector<int64_t>(static_cast<size_t>(n))](const std::array<char*, 3>& at) mutable {
      a.load(at[0], matrix.data(), n);
      int64_t info = 0;
      lapack<T>().getrf(&n, &n, matrix.data(), &lda, pivots.data(), &info);
      const auto [sign, log] = read_factors<T>(matrix, pivots, n, narrow(info));
      store(at, sign, log);
    };
  });
}

}  // namespace

void solve(const Strided& a, const Strided& b, const Strided& x) {
  const CoreView right(b, 2);
  with_lapack_type(x.view.dtype, [&]<class T>(T) { solve_all<T>({a, 2}, &right, {x, 2}); });
}

void invert(const Strided& a, const Strided& out) {
  with_lapack_type(out.view.dtype, [&]<class T>(T) { solve_all<T>({a, 2}, nullptr, {out, 2}); });
}

void log_determinant(const Strided& a, const Strided& sign, const Strided& log) {
  with_lapack_type(a.view.dtype, [&]<class T>(T) {
    factor_all<T>({a, 2}, {sign, 0}, {log, 0}, [](const std::array<char*, 3>& at, T s, Real<T> l) {
      *reinterpret_cast<T*>(at[1]) = s;
      *reinterpret_cast<Real<T>*>(at[2]) = l;
    });
  });
}

void determinant(const Strided& a, const Strided& out) {
  with_lapack_type(a.view.dtype, [&]<class T>(T) {
    factor_all<T>({a, 2}, {out, 0}, {out, 0}, [](const std::array<char*, 3>& at, T s, Real<T> l) {
      const Real<T> size = std::exp(l);
      if constexpr (is_complex_type<T>) {  // (size + 0i) times the sign, as a full complex product
        *reinterpret_cast<T*>(at[1]) =
            T(s.real() * size - s.imag() * Real<T>(0), s.real() * Real<T>(0) + s.imag() * size);
      } else {
        *reinterpret_cast<T*>(at[1]) = s * size;
      }
    });
  });
}

void cholesky(const Strided& a, const Strided& out, bool upper) {
  with_lapack_type(out.view.dtype, [&]<class T>(T) {
    const CoreView from(a, 2), to(out, 2);
    const int64_t n = from.rows, lda = pitch_of(n);
    const char uplo = upper ? 'U' : 'L';
    for_each_matrix(batch_of(out.view, 2), std::array{from, to}, n, [&] {
      return [&, matrix = std::vector<T>(static_cast<size_t>(n * n))](const std::array<char*, 2>& at) mutable {
        from.load(at[0], matrix.data(), n);
        int64_t info = 0;
        lapack<T>().potrf(&uplo, &n, matrix.data(), &lda, &info);
        require<LinAlgError>(narrow(info) == 0, "Matrix is not positive definite");
        for (int64_t j = 0; j < n; ++j) {
          for (int64_t i = upper ? j + 1 : 0; i < (upper ? n : j); ++i) matrix[static_cast<size_t>(j * n + i)] = T(0);
        }
        to.store(matrix.data(), n, at[1]);
      };
    });
  });
}

}  // namespace tessera::library
