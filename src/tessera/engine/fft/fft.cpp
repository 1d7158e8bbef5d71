#include "tessera/engine/fft/fft.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/engine/linalg/host_access.h"

namespace tessera {

namespace {

bool is_single(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 || dtype == DType::complex64;
}

/// The first `count` elements along axis, with zeros where there are fewer.
Array fit(Engine& engine, const Array& a, int axis, int64_t count, DType dtype) {
  const int64_t have = a.shape()[static_cast<size_t>(axis)];
  if (have >= count) return a.with_view(a.view.slice(axis, 0, 1, count));
  Dims shape = a.shape();
  shape[static_cast<size_t>(axis)] = count;
  Array padded = engine.full(shape, Scalar::of_int(dtype, 0));
  engine.assign(padded.with_view(padded.view.slice(axis, 0, 1, have)), a, {});
  return padded;
}

}  // namespace

Array fft(Engine& engine, FftKind kind, const Array& a, int64_t n, int axis, double scale, const Array* out) {
  require<ValueError>(n >= 1, "Invalid number of FFT data points ({}) specified.", n);
  const bool single = is_single(a.dtype());
  const DType real = single ? DType::float32 : DType::float64;
  const DType complex = single ? DType::complex64 : DType::complex128;
  if (!is_complex(a.dtype())) {
    if (kind == FftKind::forward) kind = FftKind::spectrum_forward;
    if (kind == FftKind::backward) kind = FftKind::spectrum_backward;
  }
  const bool from_real = kind != FftKind::forward && kind != FftKind::backward && kind != FftKind::real_backward;
  const DType from = from_real ? real : complex;
  const DType to = kind == FftKind::real_backward ? real : complex;
  const HostRead read(engine, fit(engine, a, axis, kind == FftKind::real_backward ? n / 2 + 1 : n, from), from);
  Dims shape = a.shape();
  shape[static_cast<size_t>(axis)] = kind == FftKind::real_forward ? n / 2 + 1 : n;
  if (out && out->dtype() == to && out->shape() == shape && out->storage != read.array().storage) {
    const library::Strided target{engine.write(*out), out->view};
    const HostWork work(engine, out->size());
    library::fft(kind, read.strided(), target, axis, scale);
    return *out;
  }
  const HostResult result(engine, shape, to);
  {
    const HostWork work(engine, result.array().size());
    library::fft(kind, read.strided(), result.strided(), axis, scale);
  }
  if (!out) return result.array();
  engine.assign(*out, result.array(), {});
  return *out;
}

}  // namespace tessera
