// Fourier transforms for builds without an FFT package: mixed radices, Bluestein's chirp for large primes.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include "tessera/library/fft/fft.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

using C = std::complex<double>;
constexpr int64_t largest_radix = 31;

C root_of_unity(int64_t k, int64_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

std::vector<int64_t> factors_of(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

class Plan {
 public:
  explicit Plan(int64_t n) : n_(n), factors_(factors_of(n)) {
    if (!factors_.empty() && factors_.back() > largest_radix) {
      make_chirp();
      return;
    }
    roots_.resize(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) roots_[static_cast<size_t>(k)] = root_of_unity(k, n);
  }

  /// Forward transform, out of place.
  void run(const C* in, C* out) const {
    if (inner_.empty()) return step(in, 1, out, n_, 0);
    const auto n = static_cast<size_t>(n_), m = spectrum_.size();
    std::vector<C> a(m), b(m);
    for (size_t i = 0; i < n; ++i) a[i] = in[i] * chirp_[i];
    inner_[0].run(a.data(), b.data());
    for (size_t i = 0; i < m; ++i) b[i] = std::conj(b[i] * spectrum_[i]);
    inner_[0].run(b.data(), a.data());
    for (size_t i = 0; i < n; ++i) out[i] = std::conj(a[i]) / static_cast<double>(m) * chirp_[i];
  }

 private:
  /// A transform of prime length, computed as a convolution whose length is a power of two.
  void make_chirp() {
    int64_t m = 1;
    while (m < 2 * n_ - 1) m *= 2;
    chirp_.resize(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      const auto square = static_cast<int64_t>(static_cast<unsigned __int128>(i) * static_cast<uint64_t>(i) % (2 * n_));
      chirp_[static_cast<size_t>(i)] = root_of_unity(square, 2 * n_);
    }
    std::vector<C> filter(static_cast<size_t>(m));
    for (int64_t i = 0; i < n_; ++i) {
      filter[static_cast<size_t>(i)] = filter[static_cast<size_t>((m - i) % m)] =
          std::conj(chirp_[static_cast<size_t>(i)]);
    }
    spectrum_.resize(filter.size());
    inner_.emplace_back(m);
    inner_[0].run(filter.data(), spectrum_.data());
  }

  void step(const C* in, int64_t stride, C* out, int64_t n, size_t level) const {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    const int64_t p = factors_[level], m = n / p, turn = n_ / n;
    for (int64_t r = 0; r < p; ++r) step(in + r * stride, stride * p, out + r * m, m, level + 1);
    C parts[largest_radix];
    for (int64_t k = 0; k < m; ++k) {
      for (int64_t r = 0; r < p; ++r) parts[r] = out[r * m + k] * root(r * k * turn);
      for (int64_t q = 0; q < p; ++q) {
        C sum = parts[0];
        for (int64_t r = 1; r < p; ++r) sum += parts[r] * root(r * q % p * (n_ / p));
        out[q * m + k] = sum;
      }
    }
  }
  const C& root(int64_t k) const { return roots_[static_cast<size_t>(k)]; }

  int64_t n_;
  std::vector<int64_t> factors_;
  std::vector<C> roots_;
  std::vector<C> chirp_, spectrum_;
  std::vector<Plan> inner_;
};

C load(const char* p, DType dtype) {
  switch (dtype) {
    case DType::float32: return *reinterpret_cast<const float*>(p);
    case DType::float64: return *reinterpret_cast<const double*>(p);
    case DType::complex64: return C(*reinterpret_cast<const std::complex<float>*>(p));
    default: return *reinterpret_cast<const C*>(p);
  }
}

void store(char* p, DType dtype, C x) {
  switch (dtype) {
    case DType::float32: *reinterpret_cast<float*>(p) = static_cast<float>(x.real()); return;
    case DType::float64: *reinterpret_cast<double*>(p) = x.real(); return;
    case DType::complex64: *reinterpret_cast<std::complex<float>*>(p) = std::complex<float>(x); return;
    default: *reinterpret_cast<C*>(p) = x;
  }
}

/// The offset of line number `line` among the lines along axis.
int64_t line_offset(const View& view, size_t axis, int64_t line) {
  int64_t offset = 0;
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (i == axis) continue;
    offset += line % view.shape[i] * view.strides[i];
    line /= view.shape[i];
  }
  return offset;
}

}  // namespace

void fft(FftKind kind, const Strided& in, const Strided& out, int axis, double scale) {
  const auto a = static_cast<size_t>(axis);
  const int64_t have = in.view.shape[a], made = out.view.shape[a];
  if (out.view.size() == 0) return;
  const int64_t n = kind == FftKind::real_backward ? made : kind == FftKind::real_forward ? have : made;
  const bool backward =
      kind == FftKind::backward || kind == FftKind::real_backward || kind == FftKind::spectrum_backward;
  const Plan plan(n);
  auto lines = [&](int64_t begin, int64_t end) {
    std::vector<C> x(static_cast<size_t>(n)), y(x.size());
    for (int64_t line = begin; line < end; ++line) {
      const char* source = in.data + line_offset(in.view, a, line);
      for (int64_t k = 0; k < have; ++k)
        x[static_cast<size_t>(k)] = load(source + k * in.view.strides[a], in.view.dtype);
      if (kind == FftKind::real_backward) {
        x[0] = x[0].real();
        if (n % 2 == 0) x[static_cast<size_t>(n / 2)] = x[static_cast<size_t>(n / 2)].real();
        for (int64_t k = n / 2 + 1; k < n; ++k) x[static_cast<size_t>(k)] = std::conj(x[static_cast<size_t>(n - k)]);
      }
      if (backward) std::transform(x.begin(), x.end(), x.begin(), [](C z) { return std::conj(z); });
      plan.run(x.data(), y.data());
      char* target = out.data + line_offset(out.view, a, line);
      for (int64_t k = 0; k < made; ++k) {
        const C z = y[static_cast<size_t>(k)] * scale;
        store(target + k * out.view.strides[a], out.view.dtype, backward ? std::conj(z) : z);
      }
    }
  };
  const int64_t count = out.view.size() / made;
  runtime::parallel_for(count, std::max<int64_t>(1, 4096 / n), lines);
}

}  // namespace tessera::library
