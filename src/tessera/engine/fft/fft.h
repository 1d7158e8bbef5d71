/// Fourier transforms of arrays along one axis, or along several where a device does them at once.
#pragma once

#include "tessera/engine/engine.h"
#include "tessera/library/fft/fft.h"

namespace tessera {

using library::FftKind;

/// The transform of n points (a cropped or padded with zeros to what it needs), times scale, in single precision where
/// the input is single or half and in double elsewhere. real_backward takes n / 2 + 1 points. With `out` the result is
/// written there and `out` returned.
Array fft(Engine& engine, FftKind kind, const Array& a, int64_t n, int axis, double scale, const Array* out = nullptr);

/// The transform along the last axes, one for each of the lengths, where `a` is on a device whose library takes them at
/// once; false elsewhere. Written to `out`, if there is one, which has the result's shape. Not of real_backward.
bool try_fft_at_once(Engine& engine, FftKind kind, const Array& a, std::span<const int64_t> lengths, double scale,
                     const Array* out, Array& result);

}  // namespace tessera
