#include "tessera/library/fft/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace tessera::library {
namespace {

using C = std::complex<double>;

std::vector<C> signal(int64_t n) {
  std::vector<C> x(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) x[static_cast<size_t>(i)] = C(std::sin(0.7 * i) + 0.1 * i, std::cos(1.3 * i));
  return x;
}

std::vector<C> direct(const std::vector<C>& x, int sign) {
  const auto n = static_cast<int64_t>(x.size());
  std::vector<C> y(x.size());
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      y[static_cast<size_t>(k)] +=
          x[static_cast<size_t>(j)] * std::polar(1.0, sign * 2 * std::numbers::pi * (j * k % n) / n);
    }
  }
  return y;
}

template <class T>
Strided line(std::vector<T>& x, DType dtype) {
  return {reinterpret_cast<char*>(x.data()), View::contiguous(Dims{static_cast<int64_t>(x.size())}, dtype)};
}

TEST(Fft, EqualsTheDirectSum) {
  for (const int64_t n : {1, 2, 3, 4, 6, 7, 16, 30, 37, 64, 97}) {
    auto x = signal(n);
    std::vector<C> y(x.size());
    for (const auto& [kind, sign] : {std::pair{FftKind::forward, -1}, std::pair{FftKind::backward, 1}}) {
      fft(kind, line(x, DType::complex128), line(y, DType::complex128), 0, 1.0);
      const auto expected = direct(x, sign);
      for (size_t k = 0; k < y.size(); ++k) EXPECT_LT(std::abs(y[k] - expected[k]), 1e-11 * n) << n << ' ' << k;
    }
  }
}

TEST(Fft, RealSignalsHaveHalfASpectrumAndComeBack) {
  for (const int64_t n : {1, 2, 5, 8, 37}) {
    std::vector<double> x(static_cast<size_t>(n)), back(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.3 * static_cast<double>(i)) + 0.5;
    std::vector<C> half(static_cast<size_t>(n / 2 + 1)), whole(x.size());
    fft(FftKind::real_forward, line(x, DType::float64), line(half, DType::complex128), 0, 1.0);
    fft(FftKind::spectrum_forward, line(x, DType::float64), line(whole, DType::complex128), 0, 1.0);
    for (size_t k = 0; k < half.size(); ++k) EXPECT_LT(std::abs(half[k] - whole[k]), 1e-12);
    fft(FftKind::real_backward, line(half, DType::complex128), line(back, DType::float64), 0,
        1.0 / static_cast<double>(n));
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], 1e-13);
  }
}

TEST(Fft, LinesOfAnyStrideAreTransformed) {
  auto x = signal(12);
  std::vector<C> y(12);
  Strided columns{reinterpret_cast<char*>(x.data()), View::contiguous(Dims{4, 3}, DType::complex128)};
  Strided out{reinterpret_cast<char*>(y.data()), View::contiguous(Dims{4, 3}, DType::complex128)};
  fft(FftKind::forward, columns, out, 0, 1.0);
  for (size_t j = 0; j < 3; ++j) {
    const auto expected = direct({x[j], x[j + 3], x[j + 6], x[j + 9]}, -1);
    for (size_t k = 0; k < 4; ++k) EXPECT_LT(std::abs(y[3 * k + j] - expected[k]), 1e-12);
  }
}

}  // namespace
}  // namespace tessera::library
