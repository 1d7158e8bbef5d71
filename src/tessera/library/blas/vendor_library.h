/// VendorLibrary: the BLAS and LAPACK of this machine, independent of the library's symbol names.
#pragma once

#include <complex>
#include <string>

#include "tessera/base/dynamic_library.h"

namespace tessera::library {

/// The letter in a routine's name that denotes its element type.
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

/// NumPy's own OpenBLAS where NumPy is loaded (the same bits, one thread pool), else the system's.
/// Integers are passed as int64 everywhere: by value, a callee that expects 32 bits reads the low half, and behind
/// pointers, little-endian scalars read the same; only integer arrays need `wide_integers`.
class VendorLibrary {
 public:
  /// The library used by every call; opened on first use.
  static const VendorLibrary& instance();
  /// Sets the shared object to try first; has no effect once a library is open.
  static void prefer(const std::string& path);

  explicit operator bool() const { return static_cast<bool>(blas_); }
  const std::string& path() const { return blas_.path(); }
  bool wide_integers() const { return wide_integers_; }
  /// How many threads an OpenBLAS uses; 0 where the library does not say.
  int threads() const;
  /// Sets it; without effect where the library has no such function.
  void set_threads(int count) const;
  /// While one is there, OpenBLAS uses one thread: many products run beside each other instead.
  class OneThread {
   public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;
  };
  /// cblas_<name> under the library's prefix and suffix, or null.
  void* find_cblas(const std::string& name) const;
  /// The Fortran routine <name> under the library's suffix, or null.
  void* find_lapack(const std::string& name) const;

 private:
  VendorLibrary();
  /// Keeps the library if it has the functions of a BLAS.
  bool take(DynamicLibrary library);

  DynamicLibrary blas_;
  DynamicLibrary lapack_;
  std::string prefix_;
  std::string suffix_;
  bool wide_integers_ = false;
};

}  // namespace tessera::library
