#include "tessera/engine/fft/fft.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/run/library_access.h"
#include "tessera/engine/linalg/host_access.h"

namespace tessera {

namespace {

bool is_single(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 || dtype == DType::complex64;
}

/// The first `count` elements along `axis`, padded with zeros where there are fewer.
Array fit(Engine& engine, const Array& a, int axis, int64_t count, DType dtype) {
  const int64_t have = a.shape()[static_cast<size_t>(axis)];
  if (have >= count) return a.with_view(a.view.slice(axis, 0, 1, count));
  Dims shape = a.shape();
  shape[static_cast<size_t>(axis)] = count;
  Array padded = engine.full(shape, Scalar::of_int(dtype, 0));
  engine.assign(padded.with_view(padded.view.slice(axis, 0, 1, have)), a, {});
  return padded;
}

/// One transform with its input and output dtypes.
struct Transform {
  FftKind kind;
  std::span<const int64_t> lengths;  // in points, along adjacent axes
  int axis;                          // the last of these axes
  double scale;
  DType from, to;

  Transform(FftKind asked, const Array& a, std::span<const int64_t> points, int along, double factor)
      : kind(asked), lengths(points), axis(along), scale(factor) {
    const bool single = is_single(a.dtype());
    const DType real = single ? DType::float32 : DType::float64;
    const DType complex = single ? DType::complex64 : DType::complex128;
    if (!is_complex(a.dtype())) {
      if (kind == FftKind::forward) kind = FftKind::spectrum_forward;
      if (kind == FftKind::backward) kind = FftKind::spectrum_backward;
    }
    const bool from_real = kind != FftKind::forward && kind != FftKind::backward && kind != FftKind::real_backward;
    from = from_real ? real : complex;
    to = kind == FftKind::real_backward ? real : complex;
  }
  int64_t n() const { return lengths.back(); }
  int64_t points_in() const { return kind == FftKind::real_backward ? n() / 2 + 1 : n(); }
  int64_t points_out() const { return kind == FftKind::real_forward ? n() / 2 + 1 : n(); }
  int first_axis() const { return axis + 1 - static_cast<int>(lengths.size()); }
};

engine::CallCost cost_of(const Array& a, std::span<const int64_t> lengths) {
  double points = 1;
  for (int64_t length : lengths) points *= static_cast<double>(length);
  return engine::cost_of_fft(a.size(), points, static_cast<int>(lengths.size()), is_single(a.dtype()) ? 8 : 16);
}

/// A C-ordered copy of the elements that a library may overwrite.
Array scratch(Engine& engine, const Array& a, DType dtype) {
  const Array copy = engine.empty(a.shape(), dtype);
  engine.assign(copy, a, {});
  return copy;
}

/// The transform by the device's library. Lines along an axis that no single stride describes are made contiguous, and
/// so are those of large arrays: transposing by copies before and after costs less than strided reads.
Array device_fft(Engine& engine, runtime::Device& device, const Transform& t, const Array& a) {
  constexpr int64_t most_calls = 16, large = 1 << 16;
  const auto at = static_cast<size_t>(t.axis);
  int64_t outer = 1;
  for (size_t i = 0; i < at; ++i) outer *= a.shape()[i];
  const int last = a.ndim() - 1;
  if (t.axis != last && (outer > most_calls || a.size() >= large)) {
    Transform moved = t;
    moved.axis = last;
    const Array result = device_fft(engine, device, moved, a.with_view(a.view.swap_axes(t.axis, last)));
    return engine.copy(result.with_view(result.view.swap_axes(t.axis, last)), t.to, Order::c);
  }
  // The full spectrum of real input is computed as that of complex input.
  const FftKind kind = t.kind == FftKind::spectrum_forward    ? FftKind::forward
                       : t.kind == FftKind::spectrum_backward ? FftKind::backward
                                                              : t.kind;
  const DType from = kind == t.kind ? t.from : t.to;
  Array input = a;
  Dims shape = a.shape();
  for (int k = t.first_axis(); k < t.axis; ++k) {
    shape[static_cast<size_t>(k)] = t.lengths[static_cast<size_t>(k - t.first_axis())];
    input = fit(engine, input, k, shape[static_cast<size_t>(k)], from);
  }
  input = fit(engine, input, t.axis, t.points_in(), from);
  if (kind == FftKind::real_backward) {
    // The ends of half a spectrum are real by definition: imaginary parts given there are ignored.
    input = scratch(engine, input, from);
    for (int64_t end : {int64_t{0}, t.n() / 2}) {
      if (end == 0 || t.n() % 2 == 0)
        engine.assign(input.with_view(input.view.select(t.axis, end).imag()), Scalar::of_int(real_dtype(from), 0), {});
    }
  }
  shape[at] = t.points_out();
  const DeviceRead read(engine, device, engine.contiguous(input, from), from);
  const DeviceResult result(engine, device, shape, t.to);
  library::on_device::fft(device, kind, read.strided(), result.strided(), t.axis, static_cast<int>(t.lengths.size()));
  if (t.scale == 1.0) return result.array();
  static const ops::Op& multiply = *ops::OpTable::standard().find("multiply");
  const DType real = real_dtype(t.to);
  const ops::OperandType operands[] = {{real}, {real}};
  // Scales real and imaginary parts separately: a complex product would turn infinities into NaN.
  const Operand inputs[] = {result.array().with_view(result.array().view.reinterpret(real)),
                            Scalar::of_float(real, t.scale)};
  Array scaled;
  engine.map(multiply, ops::resolve(multiply, operands), inputs, std::span(&scaled, 1), nullptr, {});
  return scaled.with_view(scaled.view.reinterpret(t.to));
}

}  // namespace

bool try_fft_at_once(Engine& engine, FftKind kind, const Array& a, std::span<const int64_t> lengths, double scale,
                     const Array* out, Array& result) {
  if (a.size() == 0 || lengths.size() > library::on_device::most_fft_axes) return false;
  runtime::Device* device = library_device(engine, {&a}, cost_of(a, lengths));
  const Transform t(kind, a, lengths, a.ndim() - 1, scale);
  if (!device || !try_library(engine, "fft", [&] { result = device_fft(engine, *device, t, a); })) return false;
  if (out) give_result(engine, *out, result);
  return true;
}

Array fft(Engine& engine, FftKind kind, const Array& a, int64_t n, int axis, double scale, const Array* out) {
  require<ValueError>(n >= 1, "Invalid number of FFT data points ({}) specified.", n);
  const engine::PlacedCall call;
  const Transform t(kind, a, std::span(&n, 1), axis, scale);
  if (runtime::Device* device = a.size() > 0 ? library_device(engine, {&a}, cost_of(a, std::span(&n, 1))) : nullptr) {
    Array made;
    if (try_library(engine, "fft", [&] { made = device_fft(engine, *device, t, a); })) {
      if (!out) return made;
      give_result(engine, *out, made);
      return *out;
    }
  }
  const HostRead read(engine, fit(engine, a, axis, t.points_in(), t.from), t.from);
  Dims shape = a.shape();
  shape[static_cast<size_t>(axis)] = t.points_out();
  if (out && out->dtype() == t.to && out->shape() == shape && out->storage != read.array().storage) {
    const library::Strided target{engine.write(*out), out->view};
    const HostWork work(engine, out->size());
    library::fft(t.kind, read.strided(), target, axis, scale);
    return *out;
  }
  const HostResult result(engine, shape, t.to);
  {
    const HostWork work(engine, result.array().size());
    library::fft(t.kind, read.strided(), result.strided(), axis, scale);
  }
  if (!out) return result.array();
  engine.assign(*out, result.array(), {});
  return *out;
}

}  // namespace tessera
