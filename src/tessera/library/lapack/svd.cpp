#include "tessera/base/error.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/library/lapack/matrix_batch.h"

namespace tessera::library {

namespace {

template <class T>
struct SvdSize {
  int64_t m, n, lda, ldu, ldvt;
  char job;
};

template <class T>
int64_t call_gesdd(const SvdSize<T>& size, T* a, Real<T>* s, T* u, T* vt, T* work, int64_t lwork, Real<T>* rwork,
                   int64_t* iwork) {
  int64_t info = 0;
  if constexpr (is_complex_type<T>) {
    lapack<T>().gesdd_complex(&size.job, &size.m, &size.n, a, &size.lda, s, u, &size.ldu, vt, &size.ldvt, work, &lwork,
                              rwork, iwork, &info);
  } else {
    lapack<T>().gesdd_real(&size.job, &size.m, &size.n, a, &size.lda, s, u, &size.ldu, vt, &size.ldvt, work, &lwork,
                           iwork, &info);
  }
  return narrow(info);
}

/// The number of reals in the complex routine's workspace, from the bounds in LAPACK's documentation.
int64_t real_work(int64_t m, int64_t n, bool vectors) {
  const int64_t least = std::min(m, n), most = std::max(m, n);
  return std::max<int64_t>(1, vectors ? least * std::max(5 * least + 7, 2 * most + 2 * least + 1) : 7 * least);
}

template <class T>
struct SvdWork {
  SvdSize<T> size;
  std::vector<T> a, u, vt, work;
  std::vector<Real<T>> s, rwork;
  std::vector<int64_t> iwork;

  SvdWork(int64_t m, int64_t n, Vectors vectors, int64_t u_columns, int64_t vt_rows)
      : size{m,
             n,
             pitch_of(m),
             pitch_of(m),
             pitch_of(vt_rows),
             vectors == Vectors::none   ? 'N'
             : vectors == Vectors::thin ? 'S'
                                        : 'A'},
        a(static_cast<size_t>(m * n)),
        u(static_cast<size_t>(m * u_columns)),
        vt(static_cast<size_t>(vt_rows * n)),
        s(static_cast<size_t>(std::min(m, n))),
        rwork(is_complex_type<T> ? static_cast<size_t>(real_work(m, n, vectors != Vectors::none)) : 0),
        iwork(static_cast<size_t>(8 * std::max<int64_t>(1, std::min(m, n)))) {
    T answer{};
    call_gesdd<T>(size, a.data(), s.data(), u.data(), vt.data(), &answer, -1, rwork.data(), iwork.data());
    work.resize(static_cast<size_t>(std::max<int64_t>(1, work_size(answer))));
  }
  void run() {
    if (size.m == 0 || size.n == 0) {  // nothing to decompose: any orthonormal basis is valid
      for (int64_t i = 0; i * size.m < static_cast<int64_t>(u.size()); ++i)
        u[static_cast<size_t>(i * (size.m + 1))] = T(1);
      for (int64_t i = 0; i * size.n < static_cast<int64_t>(vt.size()); ++i)
        vt[static_cast<size_t>(i * (size.n + 1))] = T(1);
      return;
    }
    const int64_t info = call_gesdd<T>(size, a.data(), s.data(), u.data(), vt.data(), work.data(),
                                       static_cast<int64_t>(work.size()), rwork.data(), iwork.data());
    require<LinAlgError>(info == 0, "SVD did not converge");
  }
};

}  // namespace

void singular_values(const Strided& a, Vectors vectors, const Strided& s, const Strided* u, const Strided* vh) {
  with_lapack_type(a.view.dtype, [&]<class T>(T) {
    const CoreView from(a, 2), values(s, 1);
    const int64_t m = from.rows, n = from.columns, k = std::min(m, n);
    const int64_t u_columns = vectors == Vectors::none ? 0 : vectors == Vectors::thin ? k : m;
    const int64_t vt_rows = vectors == Vectors::none ? 0 : vectors == Vectors::thin ? k : n;
    const CoreView left = u ? CoreView(*u, 2) : from, right = vh ? CoreView(*vh, 2) : from;
    for_each_matrix(batch_of(a.view, 2), std::array{from, values, left, right}, std::max(m, n), [&] {
      return [&, w = SvdWork<T>(m, n, vectors, u_columns, vt_rows)](const std::array<char*, 4>& at) mutable {
        from.load(at[0], w.a.data(), m);
        w.run();
        values.store(w.s.data(), k, at[1]);
        if (u) left.store(w.u.data(), m, at[2]);
        if (vh) right.store(w.vt.data(), vt_rows, at[3]);
      };
    });
  });
}

}  // namespace tessera::library
