#include "tessera/library/fft/fft.h"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "ducc0/fft/fftnd_impl.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

constexpr int64_t elements_a_task = int64_t{1} << 14;  // elements per task at least

template <class T>
struct Layout {
  ducc0::fmav_info::shape_t shape;
  ducc0::fmav_info::stride_t strides;

  explicit Layout(const View& view) {
    for (size_t i = 0; i < view.shape.size(); ++i) {
      shape.push_back(static_cast<size_t>(view.shape[i]));
      strides.push_back(view.strides[i] / static_cast<int64_t>(sizeof(T)));
    }
  }
};

template <class T>
ducc0::cfmav<T> input_of(const Strided& s) {
  const Layout<T> layout(s.view);
  return {reinterpret_cast<const T*>(s.data), layout.shape, layout.strides};
}

template <class T>
ducc0::vfmav<T> output_of(const Strided& s) {
  const Layout<T> layout(s.view);
  return {reinterpret_cast<T*>(s.data), layout.shape, layout.strides};
}

/// Fills in the second half of a real signal's spectrum, the conjugate of the first; for the inverse transform, the
/// first half is conjugated before.
template <class R>
void complete_spectrum(const Strided& out, int axis, bool backward) {
  using C = std::complex<R>;
  View lines = out.view;
  const auto a = static_cast<size_t>(axis);
  const int64_t n = lines.shape[a], stride = lines.strides[a];
  lines.shape[a] = 1;
  const int64_t count = lines.size();
  for (int64_t line = 0; line < count; ++line) {
    int64_t rest = line, offset = 0;
    for (size_t i = lines.shape.size(); i-- > 0;) {
      offset += rest % lines.shape[i] * lines.strides[i];
      rest /= lines.shape[i];
    }
    const auto at = [&](int64_t k) -> C& { return *reinterpret_cast<C*>(out.data + offset + k * stride); };
    if (backward) {
      for (int64_t k = 0; k <= n / 2; ++k) at(k) = std::conj(at(k));
    }
    for (int64_t k = n / 2 + 1; k < n; ++k) at(k) = std::conj(at(n - k));
  }
}

template <class R>
void transform(FftKind kind, const Strided& in, const Strided& out, int axis, double scale) {
  using C = std::complex<R>;
  const ducc0::fmav_info::shape_t axes{static_cast<size_t>(axis)};
  const R factor = static_cast<R>(scale);
  switch (kind) {
    case FftKind::forward:
    case FftKind::backward:
      return ducc0::c2c(input_of<C>(in), output_of<C>(out), axes, kind == FftKind::forward, factor, 1);
    case FftKind::real_forward: return ducc0::r2c(input_of<R>(in), output_of<C>(out), axes, true, factor, 1);
    case FftKind::real_backward: return ducc0::c2r(input_of<C>(in), output_of<R>(out), axes, false, factor, 1);
    case FftKind::spectrum_forward:
    case FftKind::spectrum_backward: {
      Strided half = out;
      half.view.shape[static_cast<size_t>(axis)] = out.view.shape[static_cast<size_t>(axis)] / 2 + 1;
      ducc0::r2c(input_of<R>(in), output_of<C>(half), axes, true, factor, 1);
      return complete_spectrum<R>(out, axis, kind == FftKind::spectrum_backward);
    }
  }
}

/// The view restricted to [begin, end) along an axis.
Strided part(const Strided& s, int axis, int64_t begin, int64_t end) {
  Strided piece = s;
  piece.data += begin * s.view.strides[static_cast<size_t>(axis)];
  piece.view.shape[static_cast<size_t>(axis)] = end - begin;
  return piece;
}

}  // namespace

void fft(FftKind kind, const Strided& in, const Strided& out, int axis, double scale) {
  if (out.view.size() == 0) return;
  const bool single = out.view.dtype == DType::float32 || out.view.dtype == DType::complex64;
  const auto run = [&](const Strided& from, const Strided& to) {
    single ? transform<float>(kind, from, to, axis, scale) : transform<double>(kind, from, to, axis, scale);
  };
  int widest = -1;
  for (int i = 0; i < out.view.ndim(); ++i) {
    const auto k = static_cast<size_t>(i);
    if (i != axis && (widest < 0 || out.view.shape[k] > out.view.shape[static_cast<size_t>(widest)])) widest = i;
  }
  if (widest < 0) return run(in, out);
  const int64_t lines = out.view.shape[static_cast<size_t>(widest)];
  const int64_t grain = std::max<int64_t>(1, elements_a_task * lines / out.view.size());
  auto piece = [&](int64_t begin, int64_t end) { run(part(in, widest, begin, end), part(out, widest, begin, end)); };
  runtime::parallel_for(lines, grain, piece);
}

}  // namespace tessera::library
