/// VendorLibrary: the BLAS and LAPACK found on this machine, whatever it calls its symbols.
#pragma once

#include <complex>
#include <string>

#include "tessera/base/dynamic_library.h"

namespace tessera::library {

/// The letter of a routine's name that stands for the type of its elements.
template <class T>
constexpr char letter = 0;
template <>
inline constexpr char letter<float> = 's';
template <>
inline constexpr char letter<double> = 'd';
template <>
inline constexpr char letter<std::complex<float>> = 'c';
template <>
inline constexpr char letter<std::complex<double>> = 'z';

/// NumPy's own OpenBLAS where NumPy is loaded (its bits, one thread pool), else the system's.
/// Integers are passed as int64 everywhere: by value the callee reads the low half when it wants 32 bits, and behind
/// pointers little-endian scalars read the same; only integer arrays need `wide_integers`.
class VendorLibrary {
 public:
  /// The library every call goes to; opened on first use.
  static const VendorLibrary& instance();
  /// Names the shared object to open first; has no effect once opened.
  static void prefer(const std::string& path);

  explicit operator bool() const { return static_cast<bool>(blas_); }
  const std::string& path() const { return blas_.path(); }
  bool wide_integers() const { return wide_integers_; }
  /// cblas_<name> under the library's prefix and suffix, or null.
  void* find_cblas(const std::string& name) const;
  /// The Fortran routine <name>, or null.
  void* find_lapack(const std::string& name) const;

 private:
  VendorLibrary();
  /// Keeps the library where it has what a BLAS has.
  bool take(DynamicLibrary library);

  DynamicLibrary blas_;
  DynamicLibrary lapack_;
  std::string prefix_;
  std::string suffix_;
  bool wide_integers_ = false;
};

}  // namespace tessera::library
