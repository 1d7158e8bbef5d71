/// Fourier transforms of arrays along one axis, or along several where a device library does them in one call.
#pragma once

#include "tessera/engine/engine.h"
#include "tessera/library/fft/fft.h"

namespace tessera {

using library::FftKind;

/// The transform of n points, times `scale`; `a` is cropped or zero-padded along the axis to the points needed
/// (real_backward reads n / 2 + 1). Single precision where the input is single or half, else double. With `out` the
/// result is written there and `out` is returned.
Array fft(Engine& engine, FftKind kind, const Array& a, int64_t n, int axis, double scale, const Array* out = nullptr);

/// The transform along the last axes, one for each of `lengths`, where `a` is on a device whose library does them in
/// one call; else false. Written to `out` if given, which has the result's shape. Does not support real_backward.
bool try_fft_at_once(Engine& engine, FftKind kind, const Array& a, std::span<const int64_t> lengths, double scale,
                     const Array* out, Array& result);

}  // namespace tessera
