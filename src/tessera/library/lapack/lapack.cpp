#include "tessera/library/lapack/lapack.h"

#include <string>

#include "tessera/base/error.h"
#include "tessera/library/blas/vendor_library.h"

namespace tessera::library {

namespace {

template <class T>
Lapack<T> load_lapack() {
  const VendorLibrary& library = VendorLibrary::instance();
  const auto bind = [&]<class F>(F*& slot, const char* name) {
    slot = reinterpret_cast<F*>(library.find_lapack(letter<T> + std::string(name)));
    require<RuntimeError>(slot != nullptr, "linalg: no LAPACK routine {}{} in '{}'", letter<T>, name, library.path());
  };
  Lapack<T> table{};
  bind(table.gesv, "gesv");
  bind(table.getrf, "getrf");
  bind(table.potrf, "potrf");
  bind(table.geqrf, "geqrf");
  if constexpr (is_complex_type<T>) {
    bind(table.orgqr, "ungqr");
    bind(table.heevd, "heevd");
    bind(table.geev_complex, "geev");
    bind(table.gesdd_complex, "gesdd");
    bind(table.gelsd_complex, "gelsd");
  } else {
    bind(table.orgqr, "orgqr");
    bind(table.syevd, "syevd");
    bind(table.geev_real, "geev");
    bind(table.gesdd_real, "gesdd");
    bind(table.gelsd_real, "gelsd");
  }
  return table;
}

}  // namespace

template <class T>
const Lapack<T>& lapack() {
  static const Lapack<T> table = load_lapack<T>();
  return table;
}

template const Lapack<float>& lapack<float>();
template const Lapack<double>& lapack<double>();
template const Lapack<std::complex<float>>& lapack<std::complex<float>>();
template const Lapack<std::complex<double>>& lapack<std::complex<double>>();

}  // namespace tessera::library
