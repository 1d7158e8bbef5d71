/// random_data: test arrays of any dtype, including ties, NaN and both zeros.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "tessera/layout/element_cast.h"

namespace tessera::library {

/// A vector that stores bool as bool.
template <class T>
class TestArray {
 public:
  explicit TestArray(int64_t n) : bytes_(n * sizeof(T)) {}
  size_t size() const { return bytes_.size() / sizeof(T); }
  T* data() { return reinterpret_cast<T*>(bytes_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
  T& operator[](size_t k) { return data()[k]; }
  const T& operator[](size_t k) const { return data()[k]; }
  T* begin() { return data(); }
  T* end() { return data() + size(); }

 private:
  std::vector<unsigned char> bytes_;
};

template <class T>
TestArray<T> random_data(int64_t n, int distinct, uint32_t seed, bool specials = true) {
  std::mt19937 random(seed);
  TestArray<T> data(n);
  for (T& x : data) {
    int value = static_cast<int>(random() % distinct) - distinct / 2;
    int special = specials ? static_cast<int>(random() % 16) : 99;
    double real = special == 0 ? NAN : special == 1 ? -0.0 : special == 2 ? INFINITY : value * 0.5;
    if constexpr (is_complex_type<T>) {
      using Part = typename T::value_type;
      x = {static_cast<Part>(real), static_cast<Part>(random() % 8 ? static_cast<int>(random() % 3) : NAN)};
    } else if constexpr (std::is_integral_v<T>) {
      x = element_cast<T>(static_cast<int64_t>(value) * 37);
    } else {
      x = element_cast<T>(real);
    }
  }
  return data;
}

template <class T>
constexpr DType dtype_for() {
  for (int k = 0; k < dtype_count; ++k) {
    bool match = visit_dtype(static_cast<DType>(k), []<class U>(U) { return std::is_same_v<T, U>; });
    if (match) return static_cast<DType>(k);
  }
  __builtin_unreachable();
}

}  // namespace tessera::library
