#include "tessera/library/blas/blas.h"

#include <string>

#include "tessera/library/blas/vendor_library.h"

namespace tessera::library {

namespace {

template <class T>
Blas<T> load_blas() {
  const VendorLibrary& library = VendorLibrary::instance();
  const auto bind = [&]<class F>(F*& slot, const char* name) {
    slot = reinterpret_cast<F*>(library.find_cblas(letter<T> + std::string(name)));
  };
  Blas<T> table{};
  bind(table.gemm, "gemm");
  bind(table.gemv, "gemv");
  bind(table.syrk, "syrk");
  bind(table.axpy, "axpy");
  if constexpr (is_complex_type<T>) {
    bind(table.dotu, "dotu_sub");
    bind(table.dotc, "dotc_sub");
  } else {
    bind(table.dot, "dot");
  }
  return table;
}

template <class T>
typename Blas<T>::Factor factor(double value) {
  if constexpr (is_complex_type<T>) {
    static const T constants[] = {T(0), T(1)};
    return &constants[value != 0];
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace

template <class T>
typename Blas<T>::Factor Blas<T>::one() {
  return factor<T>(1);
}
template <class T>
typename Blas<T>::Factor Blas<T>::zero() {
  return factor<T>(0);
}

template <class T>
const Blas<T>& blas() {
  static const Blas<T> table = load_blas<T>();
  return table;
}

template struct Blas<float>;
template struct Blas<double>;
template struct Blas<std::complex<float>>;
template struct Blas<std::complex<double>>;
template const Blas<float>& blas<float>();
template const Blas<double>& blas<double>();
template const Blas<std::complex<float>>& blas<std::complex<float>>();
template const Blas<std::complex<double>>& blas<std::complex<double>>();

}  // namespace tessera::library
